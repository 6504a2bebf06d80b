//! The options of AGAL: points on which its sources disagree, and the choices.

use crate::isa::options::specs;

specs! {
    Ifg = "ifg", ["gt", "ge"], GreaterOrEqual,
        "ifg on equal operands: SEED's title says greater, its description greater or equal; RUF >, AWY >=";
    Offset = "offset", ["unsigned", "signed"], IndexRange,
        "sign of the 8-bit offset of an indirect read: GCL, MINI3 and RUF unsigned, ADB signed";
    ReciprocalZero = "reciprocal_zero", ["infinity", "max"], ReciprocalOfZero,
        "an infinite quotient by zero: infinity (RUF, OFL, AWY), or the largest finite number as some D3D9 drivers give";
    RsqZero = "rsq_zero", ["infinity", "max"], RsqOfZero,
        "rsq of zero: 1/sqrt by IEEE, or the largest finite number (DEF)";
    NegativeRoot = "negative_root", ["nan", "abs"], NegativeRoot,
        "sqt, rsq and log below zero: NaN (RUF, OFL), or of the magnitude (AWY)";
    LogZero = "log_zero", ["infinity", "max"], LogOfZero,
        "log of zero: -infinity, or the most negative finite number (DEF; D3D9)";
    PowNegative = "pow_negative", ["abs", "nan"], NegativeBase,
        "pow with a negative base: of the magnitude (AWY; D3D9 lowering), or NaN (RUF, OFL undefined)";
    PowZeroExponent = "pow_zero_exponent", ["formula", "one"], ZeroExponent,
        "pow with exponent 0: by exp2(y * log2 x), which IEEE arithmetic makes NaN for a base of 0 or infinity; or always 1. GLSL and WGSL leave it undefined (DEF)";
    PowZeroBase = "pow_zero_base", ["infinite", "finite"], ZeroBase,
        "the logarithm of 0 inside pow: -infinity by IEEE, or the most negative finite number as D3D9 back ends have it; GLSL and WGSL leave pow of 0 undefined (DEF)";
    ZeroTimes = "zero_times", ["ieee", "zero"], ZeroTimesInfinity,
        "zero times infinity or NaN in mul, pow, crs, nrm, dot and matrix products: NaN by IEEE, or zero as D3D9 back ends give (DEF)";
    MinMaxNan = "minmax_nan", ["second", "number", "nan"], MinMaxNan,
        "min and max with NaN: the second operand, the number, or NaN; which one is the back end's (DEF)";
    SaturateNan = "saturate_nan", ["one", "zero", "nan"], SaturateNan,
        "sat of NaN: 1 by SEED's formula max(min(x, 1), 0), 0, or NaN as some translators keep it (DEF)";
    NormalizeZero = "normalize_zero", ["nan", "zero"], NormalizeZero,
        "nrm of a vector of length 0: NaN, or zeros where 0 * infinity is 0 (DEF)";
    SignNan = "sign_nan", ["zero", "nan"], SignOfNan,
        "sgn of NaN: 0, or NaN; no source says";
    Index = "index", ["truncate", "round", "floor"], IndexConversion,
        "conversion of an index to an integer: truncation (RUF, OFL, AWY), to nearest even (D3D9 mova), or floor";
    ConstantRange = "constant_range", ["zero", "clamp", "first"], IndexRange,
        "an indexed constant that does not exist: zeros, the nearest one that does, or constant 0; no source says (SEED, GCL)";
    SingleMask = "single_mask", ["own", "x"], ScalarLane,
        "a write mask of one component takes that component of the result, or component x (RUF)";
    Conditions = "conditions", ["x", "all"], ScalarLane,
        "a condition whose sources name several components: the first counts, or it has to hold for all four (RUF)";
    KillLanes = "kill_lanes", ["x", "any"], KillLanes,
        "kil of a source that names several components: the first counts (AWY), or any that is below zero (OFL)";
    Derivative = "derivative", ["fine", "coarse"], DerivativePlace,
        "ddx and ddy: of each row or column of the quad, or the first one's for all four lanes; no source says";
    LodBias = "lod_bias", ["apply", "ignore"], LodBias,
        "level-of-detail bias of tex and tld: value / 8 (SEED), or ignored (RUF, AWY)";
    DirectFields = "direct_fields", ["refuse", "ignore"], Strictness,
        "offset and index of a source that is not indexed: must be zero (the player, ADB; ERR 3643), or say nothing (SEED), which leaves a warning";
    SamplerReuse = "sampler_reuse", ["refuse", "accept"], Strictness,
        "a sampler that is read again with other bits: refused (the player; ERR 3696), or each read as it says (RUF in part), which leaves a warning";
    MaskW = "mask_w", ["refuse", "accept"], Strictness,
        "nrm, crs, m33 and m34 with w in their mask: refused (SEED; ERR 3628), or w becomes 0 (RUF takes such m33 and m34; what they write there no source says), which leaves a warning";
}
