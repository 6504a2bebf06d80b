//! Notes and exclusions for the manual: documented behaviour that no option covers.

use crate::isa::manual::Exclusion;

/// Documented behaviour that is not part of a run, such as what a device does before and after a shader and the meaning of inputs; and documented
/// behaviour that no option changes.
pub(super) static NOTES: &[&str] = &[
    "A run executes one shader. Clamping between a vertex and a pixel shader is left to the caller: colours of vertex shaders before 3_0 are \
     clamped to the range from 0 to 1, those of 3_0 are not, and oFog always is (WTEST). If infinities become NaN in between, the defaults \
     reproduce all eleven rows of the r600 column of Wine's fp_special_test; with reciprocal_zero, rsq_zero and log_zero set to infinity they \
     reproduce the nv50 column (WTEST).",
    "Meaning of inputs: vFace is below 0 for triangles that run counter-clockwise on the screen; vPos counts whole pixels from the top left, \
     without an offset of half a pixel; lanes of a quad are (0,0), (1,0), (0,1) and (1,1), and y grows downwards, also for dsy (WTEST).",
    "A sampler without a texture returns (0, 0, 0, 1) for every dimension (WTEST). A texture whose dimension differs from the declared one is read \
     with as many coordinates as the texture has dimensions, as on the drivers of AMD and Intel and WARP; such a read records the Freedom \
     TextureDimension.",
    "Relative reads also return constants set by def (WTEST).",
    "The angle of sincos must lie between -pi and pi in every version (MS). Outside this range the functions are still computed and the Freedom \
     AngleRange is recorded; the series of option sine_cosine is then far from exact.",
    "The colour half of a pair reads the value that r0.a had before the pair. This explains why the cnd of such a pair seems to always select its \
     first operand in some programs (WTEST).",
    "The predicate's word follows the destination, as in WINE, DXSO and 9ON12; in SEED and MSTOK it is the last word.",
];

/// Behaviour of a listed source that no option covers: source, behaviour, reason.
pub(super) static EXCLUSIONS: &[Exclusion] = &[
    [
        "MOJO (derived)",
        "cmp and cnd whose destination is also a swizzled source: later components read values written by earlier ones",
        "a bug in its generated code; no document allows this",
    ],
    [
        "MOJO",
        "decodes the predicate as the last word, and rejects or misreads predicated programs of real assemblers",
        "a bug in its decoder: it executes a different program",
    ],
    [
        "MOJO",
        "prints -0 as 0 and drops digits of immediates; its listing of setp omits the mask of p0",
        "bugs in its printer: tests that read its listings tolerate them",
    ],
    [
        "MOJO",
        "nrm of mask xyzw divides by the length of all four components; expp before 2_0 is exp in every component",
        "bugs: they contradict MS and WTEST",
    ],
    [
        "VKD 1.6",
        "does not finish listing some shaders from 2_0 on",
        "a bug in the tool: set a time limit when comparing with it",
    ],
    [
        "DXSO",
        "z of lit is the power of a.y if a.x and a.y are both at least 0, so 1 for (0, 0, 0, 0), which no driver in WTEST returns; only if the mask has three components",
        "lit_test has a choice for WINE; this behaviour also depends on the write mask",
    ],
    [
        "DXSO, hardware",
        "flushes or fuses inside dot and matrix products, lrp, nrm and other instructions of several operations",
        "which steps are fused differs by driver; the options subnormals and mad apply to whole instructions",
    ],
    [
        "Nvidia",
        "a texture of another dimension than declared reads as zeros",
        "bound textures belong to the environment: bind a texture of zeros",
    ],
    [
        "Windows",
        "in software vertex processing relative addressing also reaches constants beyond c255",
        "the constants in reach of relative addressing depend on the version, which is part of the entry",
    ],
    [
        "Windows drivers",
        "components of interpolated inputs that no vertex shader wrote are 0 or 1, by driver and register",
        "all inputs of a run are given by the caller",
    ],
    [
        "Intel UHD, HD 5700",
        "the four-texel extension with other offsets, or off for some opcodes",
        "an extension of the texture state; the texels of a run are given by the caller",
    ],
    [
        "MS",
        "sincos, exp, log, expp, logp and pow with fewer correct bits",
        "functions return correctly rounded results; a subject's profile states its deviation",
    ],
];
