//! The options of AGAL: points on which its sources disagree, and the choices.

use crate::isa::options::specs;

specs! {
    Ifg = "ifg", ["gt", "ge"], GreaterOrEqual,
        "comparison of ifg, which matters for equal operands: a > b (the title in SEED; RUF), or a >= b (the description in SEED; AWY)";
    Offset = "offset", ["unsigned", "signed"], IndexRange,
        "the 8-bit offset of an indirect read: unsigned (GCL, MINI3, RUF), or signed (ADB)";
    ReciprocalZero = "reciprocal_zero", ["infinity", "max"], ReciprocalOfZero,
        "an infinite quotient of a division by zero: infinity (RUF, OFL, AWY), or the largest finite number, as on some D3D9 drivers";
    RsqZero = "rsq_zero", ["infinity", "max"], RsqOfZero,
        "rsq of zero: 1/sqrt(a) as in IEEE 754, or the largest finite number (DEF)";
    NegativeRoot = "negative_root", ["nan", "abs"], NegativeRoot,
        "sqt, rsq and log of a negative number: NaN (RUF, OFL), or the function of its magnitude (AWY)";
    LogZero = "log_zero", ["infinity", "max"], LogOfZero,
        "log of zero: -infinity, or the most negative finite number (DEF; D3D9)";
    PowNegative = "pow_negative", ["abs", "nan"], NegativeBase,
        "pow with a negative base: computed with the magnitude of the base (AWY; D3D9 lowering), or NaN (undefined in RUF and OFL)";
    PowZeroExponent = "pow_zero_exponent", ["formula", "one"], ZeroExponent,
        "pow with exponent 0: computed as exp2(y * log2 x), which is NaN for a base of 0 or infinity in IEEE 754; or always 1. Undefined in GLSL and WGSL (DEF)";
    PowZeroBase = "pow_zero_base", ["infinite", "finite"], ZeroBase,
        "the logarithm of 0 within pow: -infinity as in IEEE 754, or the most negative finite number as in D3D9 back ends; pow of 0 is undefined in GLSL and WGSL (DEF)";
    ZeroTimes = "zero_times", ["ieee", "zero"], ZeroTimesInfinity,
        "zero times infinity or NaN in mul, pow, crs, nrm, dot and matrix products: NaN as in IEEE 754, or zero as in D3D9 back ends (DEF)";
    MinMaxNan = "minmax_nan", ["second", "number", "nan"], MinMaxNan,
        "min and max with a NaN operand: the second operand, the operand that is a number, or NaN, depending on the back end (DEF)";
    SaturateNan = "saturate_nan", ["one", "zero", "nan"], SaturateNan,
        "sat of NaN: 1, from SEED's formula max(min(x, 1), 0), or 0, or NaN as in some translators (DEF)";
    NormalizeZero = "normalize_zero", ["nan", "zero"], NormalizeZero,
        "nrm of a vector of length 0: NaN, or zeros as if 0 * infinity were 0 (DEF)";
    SignNan = "sign_nan", ["zero", "nan"], SignOfNan,
        "sgn of NaN: 0, or NaN; undocumented";
    Index = "index", ["truncate", "round", "floor"], IndexConversion,
        "conversion of an index to an integer: truncation (RUF, OFL, AWY), rounding to nearest even (D3D9 mova), or floor";
    ConstantRange = "constant_range", ["zero", "clamp", "first"], IndexRange,
        "an indexed read of a constant that does not exist: returns zeros, the nearest existing constant, or constant 0; undocumented (SEED, GCL)";
    SingleMask = "single_mask", ["own", "x"], ScalarLane,
        "component of the result that is written by a write mask of one component: that component, or x (RUF)";
    Conditions = "conditions", ["x", "all"], ScalarLane,
        "a condition whose sources name several components: only the first component is compared, or the condition must hold for all four (RUF)";
    KillLanes = "kill_lanes", ["x", "any"], KillLanes,
        "kil of a source that names several components: tests only the first component (AWY), or discards if any component is below zero (OFL)";
    Derivative = "derivative", ["fine", "coarse"], DerivativePlace,
        "derivatives of ddx and ddy in a quad: one for each row or column, or that of the first row or column for all four lanes; undocumented";
    LodBias = "lod_bias", ["apply", "ignore"], LodBias,
        "level-of-detail bias of tex and tld: value / 8 (SEED), or ignored (RUF, AWY)";
    DirectFields = "direct_fields", ["refuse", "ignore"], Strictness,
        "offset and index of a source that is not indexed: must be zero (the player, ADB; ERR 3643), or are ignored with a warning (SEED)";
    SamplerReuse = "sampler_reuse", ["refuse", "accept"], Strictness,
        "a sampler that is read again with different sampler bits: refused (the player; ERR 3696), or each read uses its own bits, with a warning (RUF in part)";
    MaskW = "mask_w", ["refuse", "accept"], Strictness,
        "nrm, crs, m33 and m34 with w in their mask: refused (SEED; ERR 3628), or w is set to 0, with a warning (RUF accepts such m33 and m34; the value of w is undocumented)";
}
