//! The options: points on which the sources of Direct3D 9 disagree, and the choices for each.

use crate::isa::options::specs;

specs! {
    ZeroTimes = "zero_times", ["zero", "ieee"], ZeroTimesInfinity,
        "zero times infinity or NaN: zero, as most hardware and games want (DXSO, NINE), or NaN (9ON12, WINE, MOJO)";
    ReciprocalZero = "reciprocal_zero", ["signed_max", "max", "infinity", "source"], ReciprocalOfZero,
        "rcp of zero: the largest finite number with the zero's sign, the positive one (MS, MOJO), infinity (WINE, DXSO, NINE), or the zero itself (9ON12)";
    RsqZero = "rsq_zero", ["max", "infinity"], RsqOfZero,
        "rsq of zero: the largest finite number (MS, 9ON12, MOJO, NINE), or infinity (WINE)";
    LogZero = "log_zero", ["max", "infinity"], LogOfZero,
        "log and logp of zero: the most negative finite number (MS, 9ON12, NINE), or -infinity (WINE, MOJO)";
    LogNegative = "log_negative", ["abs", "nan"], NegativeRoot,
        "log below zero: of the magnitude (MS and all but MOJO), or NaN (MOJO)";
    PowZero = "pow_zero", ["formula", "one"], ZeroExponent,
        "pow with exponent 0: by exp2(b * log2|a|) (MS, 9ON12, MOJO, NINE), or always 1 (WINE, DXSO)";
    NormalizeZero = "normalize_zero", ["zero", "source", "nan"], NormalizeZero,
        "nrm of a vector of length 0: zero (MS, WTEST, 9ON12, DXSO, NINE), the vector itself (WINE), or NaN (MOJO), which no driver of WTEST gives";
    MinMaxNan = "minmax_nan", ["compare", "number"], MinMaxNan,
        "min and max with NaN: by the comparison, so the second operand (MS, 9ON12), or the operand that is a number (DXSO, WINE, MOJO: left to the host)";
    SignNan = "sign_nan", ["one", "zero", "nan"], SignOfNan,
        "sgn of NaN: 1 (9ON12), or what the host's sign gives (DXSO, WINE, MOJO, NINE)";
    SaturateNan = "saturate_nan", ["zero", "one", "nan"], SaturateNan,
        "_sat of NaN: 0 (9ON12, DXSO), or what the host's clamp gives (WINE, MOJO)";
    FractionOne = "fraction_one", ["round", "below_one"], Approximation,
        "frc of a tiny negative number: the rounded difference, which is 1.0, or the largest number below it, as [0,1) demands (MS, 9ON12)";
    AddressMov = "address_mov", ["floor", "nearest_even"], IndexConversion,
        "mov to a0 in vs_1_1: floor (WTEST, WINE, DXSO, NINE), or the nearest integer (MS, 9ON12), which no driver of WTEST gives";
    AddressRound = "address_round", ["nearest_even", "away", "up"], IndexConversion,
        "mova, and mov to a0 from 2_0 on, of a tie: to even (9ON12), away from zero (MOJO, WINE by host), or up, as the floor of the sum with a half (NINE on the software driver)";
    RelativeRange = "relative_range", ["zero", "clamp"], IndexRange,
        "relative read past the constants: zeros (MS, DXSO, NINE), or the nearest register (WINE, MOJO: left to the host)";
    LitPower = "lit_power", ["127.9961", "128"], Approximation,
        "lit clamps the power to +-127.9961 (MS, 9ON12, DXSO, MOJO), or +-128 (WINE)";
    LitTest = "lit_test", ["positive", "x_not_negative"], Approximation,
        "lit at a.x = 0: y and z are 0 (MS), or z is the power of a.y where that is positive (WINE)";
    PartialPrecision = "partial_precision", ["full", "truncate"], Approximation,
        "z of expp and logp before 2_0: full precision (DXSO, WINE, NINE), or cut to 14 bits of mantissa as its low 8 bits are zero (MS, 9ON12)";
    LogpParts = "logp_parts", ["parts", "whole"], Approximation,
        "logp before 2_0: exponent, mantissa, logarithm, 1 (9ON12), or the logarithm in every component (MS, DXSO, WINE); the one result of WTEST that tells them apart, seen on two drivers, is of the parts";
    ScalarLane = "scalar_lane", ["w", "own", "x"], ScalarLane,
        "a scalar operation whose source names several components: w (WTEST: most drivers; WINE), each its own (9ON12, DXSO, NINE), or x (the drivers of Intel HD 4000 and VMware)";
    KillLanes = "kill_lanes", ["all", "mask", "three"], KillLanes,
        "texkill from 2_0 on looks at all four components (MSTOK, WINE), at those of its mask (9ON12), or at xyz (MS, MOJO), which WTEST rules out";
    CoordinateW = "coordinate_w", ["keep", "one"], UndefinedLane,
        "w of texcoord in ps_1_0 to 1_3: the coordinate (9ON12), or 1 (NINE)";
    PixelRange = "pixel_range", ["unlimited", "eight"], Range,
        "registers of ps_1_x hold any number (WINE), or -8 to 8 (PixelShader1xMaxValue of much hardware)";
    PixelResult = "pixel_result", ["clamp", "keep"], Range,
        "r0 at the end of a ps_1_x shader is clamped to 0 and 1 (9ON12), or not (WINE)";
    CndCoissue = "cnd_coissue", ["compare", "color", "always"], CoIssue,
        "cnd of ps_1_1 to 1_3 issued with another compares as ever (WTEST on all drivers but two, DXSO), takes b where its mask is not w alone (WINE), or always (9ON12, the software device of Windows 8)";
    Interpolation = "interpolation", ["difference", "mix"], Approximation,
        "lrp as c + a * (b - c) (MS, 9ON12, DXSO), or a * b + (1 - a) * c (WINE, MOJO)";
    SineCosine = "sine_cosine", ["exact", "series"], Approximation,
        "sincos of 2_0 and 2_x: the functions (DXSO, WINE, MOJO, NINE), or the macro's series over its two constants (MS, MSTOK)";
    SineCosineLanes = "sine_cosine_lanes", ["keep", "zero"], UndefinedLane,
        "components x, y and z that sincos of 2_0 and 2_x leaves undefined: as before, or zero (DXSO)";
    PhaseAlpha = "phase_alpha", ["zero", "keep"], UndefinedLane,
        "w of r registers after phase: lost, so zero (MS), or as before (WINE, DXSO)";
    LoopCount = "loop_count", ["none", "down"], LoopCount,
        "rep and loop with a negative count: no pass, or as many as a counter needs to come down to zero (9ON12)";
    VertexProcessing = "vertex_processing", ["hardware", "software"], Strictness,
        "who runs a vertex shader, which the validator asks: a hardware device, which refuses c256 and beyond, or software, which has 8192 constants (WTEST); an index still reaches 256 of them";
    Texdepth = "texdepth", ["plain", "wine", "dxvk"], Formula,
        "texdepth: r5.x / r5.y, and 1 where r5.y is 0 (MS; all results of WTEST); that with r5.y at most 1, clamped to 0 and 1 (WINE); the quotient, where r5.y is 0 instead 0 for r5.x <= 0 and else 1 (DXSO)";
    DepthRange = "depth_range", ["keep", "clamp"], Range,
        "texm3x2depth outside 0 to 1, which MS leaves undefined: the quotient, or clamped (WINE)";
    Luminance = "luminance", ["keep", "clamp"], Range,
        "the factor that texbeml multiplies by, luminance * scale + offset: as it is (MS says nothing of a range), or clamped to 0 and 1 (DXSO)";
    Subnormals = "subnormals", ["keep", "flush"], Subnormal,
        "subnormal numbers that arithmetic instructions but mov and mova take from registers or write: kept (MS is silent), or zeros of their sign (DXSO where the host flushes, much hardware); numbers inside an instruction are kept";
    Mad = "mad", ["separate", "fused"], Rounding,
        "mad: the product rounded before it is added (MS is silent), or the exact product added and rounded once (DXSO where the host fuses, much hardware)";
    Scratch = "scratch", ["keep", "nan"], Scratch,
        "the two scratch registers of sgn in 2_0 and 2_x, which MS calls destroyed: as before (WINE, DXSO), or NaN in every component, which stands for any content";
    Derivative = "derivative", ["fine", "coarse"], DerivativePlace,
        "dsx and dsy: of each row or column of the quad, or the first one's for all four pixels; no source says";
}
