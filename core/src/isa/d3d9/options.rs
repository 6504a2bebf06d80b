//! The options: points on which the sources of Direct3D 9 disagree, and the choices for each.

use crate::isa::options::specs;

specs! {
    ZeroTimes = "zero_times", ["zero", "ieee"], ZeroTimesInfinity,
        "zero times infinity or NaN: zero, as on most hardware and as games expect (DXSO, NINE), or NaN (9ON12, WINE, MOJO)";
    ReciprocalZero = "reciprocal_zero", ["signed_max", "max", "infinity", "source"], ReciprocalOfZero,
        "rcp of zero: the largest finite number with the sign of the zero, the largest finite positive number (MS, MOJO), infinity (WINE, DXSO, NINE), or the zero itself (9ON12)";
    RsqZero = "rsq_zero", ["max", "infinity"], RsqOfZero,
        "rsq of zero: the largest finite number (MS, 9ON12, MOJO, NINE), or infinity (WINE)";
    LogZero = "log_zero", ["max", "infinity"], LogOfZero,
        "log and logp of zero: the most negative finite number (MS, 9ON12, NINE), or -infinity (WINE, MOJO)";
    LogNegative = "log_negative", ["abs", "nan"], NegativeRoot,
        "log of a negative number: the logarithm of its magnitude (MS and all but MOJO), or NaN (MOJO)";
    PowZero = "pow_zero", ["formula", "one"], ZeroExponent,
        "pow with exponent 0: computed as exp2(b * log2|a|) (MS, 9ON12, MOJO, NINE), or always 1 (WINE, DXSO)";
    NormalizeZero = "normalize_zero", ["zero", "source", "nan"], NormalizeZero,
        "nrm of a vector of length 0: zero (MS, WTEST, 9ON12, DXSO, NINE), the vector itself (WINE), or NaN (MOJO), which no driver in WTEST returns";
    MinMaxNan = "minmax_nan", ["compare", "number"], MinMaxNan,
        "min and max with a NaN operand: the comparison is false, so the second operand (MS, 9ON12), or the operand that is a number (DXSO, WINE, MOJO: depends on the host)";
    SignNan = "sign_nan", ["one", "zero", "nan"], SignOfNan,
        "sgn of NaN: 1 (9ON12), or the result of the host's sign function, zero or NaN (DXSO, WINE, MOJO, NINE)";
    SaturateNan = "saturate_nan", ["zero", "one", "nan"], SaturateNan,
        "_sat of NaN: 0 (9ON12, DXSO), or the result of the host's clamp function, one or NaN (WINE, MOJO)";
    FractionOne = "fraction_one", ["round", "below_one"], Approximation,
        "frc of a tiny negative number: the rounded difference a - floor(a), which is 1.0, or the largest number below 1.0, since the result must be in [0,1) (MS, 9ON12)";
    AddressMov = "address_mov", ["floor", "nearest_even"], IndexConversion,
        "mov to a0 in vs_1_1: floor (WTEST, WINE, DXSO, NINE), or the nearest integer (MS, 9ON12), which no driver in WTEST returns";
    AddressRound = "address_round", ["nearest_even", "away", "up"], IndexConversion,
        "rounding by mova, and by mov to a0 from 2_0 on: to nearest, ties to even (9ON12), to floor(|x| + 0.5) with the sign of x (MOJO; WINE depending on the host), or to floor(x + 0.5) (NINE on the software driver); both sums are binary32, so 0.49999997 becomes 1, and odd integers of magnitude 2^23 to 2^24 become even";
    RelativeRange = "relative_range", ["zero", "clamp"], IndexRange,
        "relative read of a register that does not exist: zeros (MS, DXSO, NINE), or the nearest register (WINE, MOJO: depends on the host)";
    LitPower = "lit_power", ["127.9961", "128"], Approximation,
        "range to which lit clamps the exponent a.w: +-127.9961 (MS, 9ON12, DXSO, MOJO), or +-128 (WINE)";
    LitTest = "lit_test", ["positive", "x_not_negative"], Approximation,
        "lit with a.x = 0: y and z are 0 (MS), or y is 0, and z is a.y to the power of a.w if a.y is positive (WINE)";
    PartialPrecision = "partial_precision", ["full", "truncate"], Approximation,
        "z of expp and logp before 2_0: full precision (DXSO, WINE, NINE), or truncated: the low 8 bits of the result are zero (MS, 9ON12)";
    LogpParts = "logp_parts", ["parts", "whole"], Approximation,
        "logp before 2_0: (exponent, mantissa, logarithm, 1) (9ON12), or the logarithm in every component (MS, DXSO, WINE); the only result in WTEST that distinguishes them, from two drivers, agrees with the first";
    ScalarLane = "scalar_lane", ["w", "own", "x"], ScalarLane,
        "component that a scalar operation uses if the source swizzle names several: w (WTEST: most drivers; WINE), for each result component its own (9ON12, DXSO, NINE), or x (the drivers of Intel HD 4000 and VMware)";
    KillLanes = "kill_lanes", ["all", "mask", "three"], KillLanes,
        "components that texkill tests from 2_0 on: all four (MSTOK, WINE), those of its mask (9ON12), or xyz (MS, MOJO), which contradicts WTEST";
    CoordinateW = "coordinate_w", ["keep", "one"], UndefinedLane,
        "w of texcoord in ps_1_0 to 1_3: w of the coordinates (9ON12), or 1 (NINE)";
    PixelRange = "pixel_range", ["unlimited", "eight"], Range,
        "range of ps_1_x registers: unlimited (WINE), or -8 to 8 (PixelShader1xMaxValue of much hardware)";
    PixelResult = "pixel_result", ["clamp", "keep"], Range,
        "r0 at the end of a ps_1_x shader: clamped to the range from 0 to 1 (9ON12), or not clamped (WINE)";
    CndCoissue = "cnd_coissue", ["compare", "color", "always"], CoIssue,
        "cnd of ps_1_1 to 1_3 that is co-issued: compares as usual (WTEST on all drivers but two, DXSO), selects b unless its mask is w only (WINE), or always selects b (9ON12, the software device of Windows 8)";
    Interpolation = "interpolation", ["difference", "mix"], Approximation,
        "formula of lrp: c + a * (b - c) (MS, 9ON12, DXSO), or a * b + (1 - a) * c (WINE, MOJO)";
    SineCosine = "sine_cosine", ["exact", "series"], Approximation,
        "sincos of 2_0 and 2_x: exact sine and cosine (DXSO, WINE, MOJO, NINE), or the macro's power series with its two constant operands (MS, MSTOK)";
    SineCosineLanes = "sine_cosine_lanes", ["keep", "zero"], UndefinedLane,
        "components x, y and z that sincos of 2_0 and 2_x leaves undefined: unchanged, or zero (DXSO)";
    PhaseAlpha = "phase_alpha", ["zero", "keep"], UndefinedLane,
        "w of r registers after phase: lost, modelled as zero (MS), or unchanged (WINE, DXSO)";
    LoopCount = "loop_count", ["none", "down"], LoopCount,
        "rep and loop with a negative count: no iteration, or iterations until the decremented counter wraps around to zero (9ON12)";
    VertexProcessing = "vertex_processing", ["hardware", "software"], Strictness,
        "vertex processing that the validator assumes: hardware, where c256 and higher are refused, or software, with 8192 constants (WTEST); relative addressing still reaches only 256 of them";
    Texdepth = "texdepth", ["plain", "wine", "dxvk"], Formula,
        "result of texdepth: r5.x / r5.y, or 1 if r5.y is 0 (MS; all results of WTEST); r5.x / min(r5.y, 1) clamped to the range from 0 to 1 (WINE); r5.x / r5.y, but if r5.y is 0, 0 for r5.x <= 0 and 1 otherwise (DXSO)";
    DepthRange = "depth_range", ["keep", "clamp"], Range,
        "a texm3x2depth quotient outside 0 to 1, which MS leaves undefined: kept, or clamped (WINE)";
    Luminance = "luminance", ["keep", "clamp"], Range,
        "the factor that texbeml multiplies by, luminance * scale + offset: kept (MS states no range), or clamped to the range from 0 to 1 (DXSO)";
    Subnormals = "subnormals", ["keep", "flush"], Subnormal,
        "subnormal operands and results of arithmetic instructions other than mov and mova: kept (MS does not specify), or replaced by zero of the same sign (DXSO if the host flushes, much hardware); intermediate results within an instruction are kept";
    Mad = "mad", ["separate", "fused"], Rounding,
        "rounding of mad: the product is rounded before the addition (MS does not specify), or the exact sum is rounded once (DXSO if the host fuses, much hardware)";
    Scratch = "scratch", ["keep", "nan"], Scratch,
        "the two scratch registers of sgn in 2_0 and 2_x, which MS calls destroyed: unchanged (WINE, DXSO), or NaN in every component to represent an arbitrary value";
    Derivative = "derivative", ["fine", "coarse"], DerivativePlace,
        "derivatives of dsx and dsy in a quad: one for each row or column, or that of the first row or column for all four pixels; undocumented";
}
