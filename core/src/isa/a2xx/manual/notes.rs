//! Notes for the printed manual, and the behaviours of sources that no option covers.

use crate::isa::manual::Exclusion;

/// Notes on consequences of the definitions, and on unknown behaviour.
pub(super) static NOTES: &[&str] = &[
    "Texels come as numbers: how a texture fetch turns the bits of a format into them, of the 16_FLOAT formats too, belongs to whoever makes the texture. \
     On Xenos those half floats have no infinities and no NaN, as in VERTEX (`half_float`).",
    "Traces (`.rd`) are read section by section; sections of types that hold no shader, known or not, are passed over by their size.",
];

/// The behaviours that no option covers. Each row: source, behaviour, reason.
pub(super) static EXCLUSIONS: &[Exclusion] = &[
    [
        "hardware",
        "RECIP, RECIPSQ, EXP, LOG, SQRT, SIN and COS are approximations",
        "of unknown value: a tolerance, which a subject's profile states; `precision=bits21` is canary's",
    ],
    [
        "xenia, textures",
        "16_FLOAT texels on Xenos by IEEE, which its own code calls wrong",
        "texels come as numbers",
    ],
    [
        "freedreno's and Mesa's listings",
        "relative bits, ABS_CONST, constants above 63 and more are not printed",
        "a listing loses them; ours has an attribute for each",
    ],
    [
        "drivers",
        "format, sign, stride, offset and swizzle of VERTEX are patched when a draw is set up",
        "of the driver, not of the machine: what a slot says is run",
    ],
];
