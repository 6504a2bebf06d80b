//! Notes for the printed manual, and the behaviours of sources that no option covers.

use crate::isa::manual::Exclusion;

/// Notes on the definitions used in Lockstep.
pub(super) static NOTES: &[&str] = &[
    "sin, cos, exp and log are correctly rounded, and pow is 2 ^ (y * log2 x) with each step rounded; a subject's profile states its tolerance.",
    "Offset and index fields of a direct source, a sampler that is read again with different bits, and w in the mask of a result of three \
     components are errors in the player; the options direct_fields, sampler_reuse and mask_w make them warnings.",
    "A version has no constants beyond its limit; an indexed read beyond it records the Freedom IndexRange.",
];

/// The behaviours that no option covers. Each row: source, behaviour, and the reason why there is no option.
pub(super) static EXCLUSIONS: &[Exclusion] = &[
    [
        "RUF, OFL, AWY",
        "pow is the host's function, which may be rounded once, instead of after each of three steps",
        "the number domain has no power function, and hosts differ in its last bits; a tolerance covers this",
    ],
    ["RUF", "nrm with mask xyzw is a type error of its translator", "there is no result to compare"],
    [
        "RUF",
        "compares only wrap, filter and mip if a sampler is used again, or nothing if the token has ignoresampler, and keeps the first dimension",
        "sampler_reuse accepts all differences or none, and each read uses the bits of its own token",
    ],
    [
        "RUF",
        "accepts cube textures that are not clamped, and constants as both sources",
        "both are warnings here, with the same semantics",
    ],
    [
        "OFL",
        "a constant that is used both as a matrix and as a vector, or indexed and direct, is an error; m44 with a constant not seen before relies on the order of columns",
        "limits of its translator, not different results",
    ],
    [
        "AWY",
        "rewrites z of the position to 2z - w",
        "the depth range belongs to the pipeline: a subject's profile reverts the change",
    ],
    [
        "mini assembler",
        "omits the letters rgba and instructions that it cannot parse",
        "bugs in a text tool: only binaries are judged",
    ],
    [
        "ADB",
        "leaves a swizzle in bits 24 to 31 of samplers, and sets no sampler option",
        "the first is a warning, written padding_e4 in text; the second is not visible in the binary",
    ],
];
