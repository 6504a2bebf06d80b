//! Notes for the printed manual, and the behaviours of sources that no option covers.

use crate::isa::manual::Exclusion;

/// Notes on the definitions used in Lockstep.
pub(super) static NOTES: &[&str] = &[
    "sin, cos, exp and log are the correctly rounded results, and pow is 2 ^ (y * log2 x) with a rounding for each step; a subject's profile states its tolerance.",
    "Offset and index fields of a direct source, a sampler that is read again with other bits, and w in the mask of a result of three components are errors of the player; the options direct_fields, sampler_reuse and mask_w make them warnings.",
    "Constants beyond those of the version do not exist, and an index that reaches there touches the Freedom IndexRange.",
];

/// The behaviours that no option covers. Each row: source, behaviour, and the reason why there is no option.
pub(super) static EXCLUSIONS: &[Exclusion] = &[
    [
        "RUF, OFL, AWY",
        "pow is the host's own, which may be rounded once: choice `exact` of the three-step form",
        "the number domain has no power of its own, and hosts differ in its last bits; a tolerance covers it",
    ],
    ["RUF", "nrm with mask xyzw is a type error of its translator", "there is no result"],
    [
        "RUF",
        "compares wrap, filter and mip alone where a sampler is used again, not at all where a token says ignoresampler, and keeps the first dimension",
        "sampler_reuse accepts all or nothing, and each read has the bits of its own token",
    ],
    [
        "RUF",
        "takes cube textures that are not clamped and constants on both sides",
        "both are warnings here, with the meaning that it gives them",
    ],
    [
        "OFL",
        "a constant that is used both as a matrix and as a vector, or indexed and direct, is an error; m44 with a constant not seen before relies on the order of columns",
        "limits of its translator, which leave no other result",
    ],
    [
        "AWY",
        "rewrites z of the position to 2z - w",
        "the range of depth is the pipeline's: a subject's profile undoes it",
    ],
    [
        "mini assembler",
        "drops letters rgba and instructions that it cannot read",
        "faults of a text tool: the binary is what is judged",
    ],
    [
        "ADB",
        "leaves a swizzle in bits 24 to 31 of samplers, and sets no sampler option",
        "the first is a warning and is spelt padding_e4 in text; the second cannot be seen in the binary",
    ],
];
