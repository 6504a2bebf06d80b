//! Notes for the printed manual, and the behaviours of sources that no option covers.

use crate::isa::manual::Exclusion;

/// Notes on consequences of the definitions, and on unknown behaviour.
pub(super) static NOTES: &[&str] = &[
    "Texels are given as numbers: the provider of the texture converts the bits of its format, also for the 16_FLOAT formats. On Xenos those half \
     floats have no infinities and no NaN, as in VERTEX (`half_float`).",
    "Traces (`.rd`) are read section by section; sections without a shader, of known or unknown type, are skipped by their size.",
];

/// The behaviours that no option covers. Each row: source, behaviour, reason.
pub(super) static EXCLUSIONS: &[Exclusion] = &[
    [
        "hardware",
        "RECIP, RECIPSQ, EXP, LOG, SQRT, SIN and COS are approximations",
        "their accuracy is unknown: a subject's profile states a tolerance; `precision=bits21` is canary's",
    ],
    [
        "xenia, textures",
        "16_FLOAT texels on Xenos are read as IEEE binary16, which xenia's own code calls wrong",
        "texels are given as numbers",
    ],
    [
        "freedreno's and Mesa's listings",
        "relative bits, ABS_CONST, constants above 63 and more are not printed",
        "a listing omits them; the syntax of this project has an attribute for each",
    ],
    [
        "drivers",
        "format, sign, stride, offset and swizzle of VERTEX are patched when a draw is set up",
        "concerns the driver, not the hardware: slots are run as given",
    ],
];
