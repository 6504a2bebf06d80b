//! Notes and exclusions for the manual: documented behaviour that no option covers.

use crate::isa::manual::Exclusion;

/// Documented behaviour that is not part of a run, such as what a device does before and after a shader and the meaning of inputs; and documented
/// behaviour that no option changes.
pub(super) static NOTES: &[&str] = &[
    "A run is one shader. Whoever links two clamps what is between: colours of vertex shaders before 3_0 to 0 and 1, those of 3_0 not, and oFog always (WTEST). \
     With infinities made NaN on the way, the defaults give the r600 column of Wine's fp_special_test in all eleven rows, and with reciprocal_zero, rsq_zero and log_zero at infinity the nv50 column (WTEST).",
    "Inputs mean: vFace is below 0 for triangles that run counter-clockwise on the screen; vPos counts whole pixels from the top left, without a half; lanes of a quad are (0,0), (1,0), (0,1) and (1,1), and y grows downwards, so dsy does (WTEST).",
    "A sampler without a texture gives (0, 0, 0, 1), whatever its dimension (WTEST). A texture of another dimension than the declared one is read by as many coordinates as it has, as the drivers of AMD and Intel and WARP do; that touches the Freedom TextureDimension.",
    "Constants that def sets are seen by relative reads too (WTEST).",
    "The angle of sincos must lie between -pi and pi in every version (MS). Beyond, the functions are computed all the same, and the Freedom AngleRange is touched; the series of option sine_cosine is then far off.",
    "The colour half of a pair reads r0.a as it was before the pair: that its cnd seems to take the first choice always, in some programs, follows from that (WTEST).",
    "The predicate's word follows the destination, as WINE, DXSO and 9ON12 read it; SEED and MSTOK put it last.",
];

/// Behaviour of a listed source that no option covers: source, behaviour, reason.
pub(super) static EXCLUSIONS: &[Exclusion] = &[
    [
        "MOJO (derived)",
        "cmp and cnd onto a register that they read swizzled: later components see what earlier ones wrote",
        "a fault of its printed text, which no document allows",
    ],
    [
        "MOJO",
        "decodes the predicate as the last word, and rejects or misreads predicated programs of real assemblers",
        "a fault of its decoder: programs are other programs there",
    ],
    [
        "MOJO",
        "prints -0 as 0 and drops digits of immediates; its listing of setp loses the mask of p0",
        "faults of printing: tests that read its listings allow for them",
    ],
    [
        "MOJO",
        "nrm of mask xyzw divides by the length of all four components; expp before 2_0 is exp in every component",
        "faults that MS' pages and WTEST rule out",
    ],
    [
        "VKD 1.6",
        "does not finish listing some shaders from 2_0 on",
        "a fault of the tool: whoever compares with it sets a time limit",
    ],
    [
        "DXSO",
        "lit gives z the power of a.y where a.x and a.y are both at least 0, so 1 for (0, 0, 0, 0), which no driver of WTEST gives; only where the mask has three components",
        "lit_test has the choice of WINE; this one depends on what else is written",
    ],
    [
        "DXSO, hardware",
        "flushes or fuses inside dot and matrix products, lrp, nrm and other instructions of several operations",
        "which steps are joined differs by driver; subnormals and mad are about whole instructions",
    ],
    [
        "Nvidia",
        "a texture of another dimension than declared reads as zeros",
        "what is bound is the environment's: bind a texture of zeros",
    ],
    [
        "Windows",
        "in software vertex processing an index reaches the constants past c255 too",
        "the constants that an index reaches are those of the version, which is part of the entry",
    ],
    [
        "Windows drivers",
        "components of interpolated inputs that no vertex shader wrote are 0 or 1, by driver and register",
        "a run is given its inputs",
    ],
    [
        "Intel UHD, HD 5700",
        "the four-texel extension with other offsets, or off for some opcodes",
        "an extension of the texture state; a run is given the texels",
    ],
    [
        "MS",
        "sincos, exp, log, expp, logp and pow of fewer correct bits",
        "functions are the correctly rounded results; a subject's profile says how far it strays",
    ],
];
