//! The options: points on which the sources of Utgard GP disagree or are silent, and the choices for each.
//!
//! Points that matter only in illegal programs (load offset 0 as address register 0: derived) have no option, since those programs are
//! rejected. The accuracy of the complex functions is unknown. The reference returns the correctly rounded value (for rsqrt, 1 / sqrt with both steps
//! rounded), and a subject's profile states its error.

use crate::isa::options::specs;

specs! {
    Select = "select", ["mul1", "mul0"], Formula,
        "result of select when its condition is true: the first operand of mul 1 (M, conformance-tested), or the first operand of mul 0 (SEED, L)";
    Clamp = "clamp", ["min_max", "max_min"], Formula,
        "formula of clamp: min(max(a, load.x), load.y) (W, L, D), or max(min(a, load.x), load.y) (SEED)";
    Subnormals = "subnormals", ["flush", "inputs", "results", "keep"], Subnormal,
        "subnormal numbers in acc and mul: inputs and results are replaced by zero of the same sign, inputs only, results only, or all are kept (I94)";
    MoveSubnormals = "move_subnormals", ["keep", "flush"], Subnormal,
        "subnormal numbers in moves of the pass and complex units and in clamp: kept, or flushed; unknown (I94, L)";
    ComplexSubnormals = "complex_subnormals", ["keep", "flush"], Subnormal,
        "subnormal operands and results of rcp, rsqrt, exp2 and log2: kept, or flushed; unknown (SEED, M, I94, L)";
    MinMaxNan = "minmax_nan", ["number", "second", "nan"], MinMaxNan,
        "min and max with a NaN operand: the operand that is a number (L's constant folder), the second operand, or NaN (I94, L)";
    MinMaxZero = "minmax_zero", ["ordered", "first", "second"], SignOfZero,
        "min and max of -0 and +0: -0 is treated as smaller than +0, or the first operand is returned, or the second (I94, L)";
    CompareNan = "compare_nan", ["false", "complement"], Unordered,
        "ge and lt with a NaN operand: both are 0, or lt is 1 - ge (M optimize.c folds not(a >= b) to a < b)";
    SignNan = "sign_nan", ["zero", "nan"], SignOfNan,
        "result of sign for NaN: 0, as comparisons with NaN are false, or NaN (I94, L)";
    SignZero = "sign_zero", ["positive", "keep"], SignOfZero,
        "result of sign for -0: +0, or -0 (I94, L)";
    ClampNan = "clamp_nan", ["low", "high", "nan"], SaturateNan,
        "clamp of NaN: the low limit, which max(NaN, load.x) returns if the number is preferred, the high limit, or NaN (I94, L)";
    SelectTruth = "select_truth", ["nonzero", "bits", "positive"], Truth,
        "condition values for which select's condition is true: != 0.0 (NIR fcsel, L), any bit set (also -0), or > 0.0; only 0.0 and 1.0 are documented";
    BranchTruth = "branch_truth", ["nonzero", "bits", "positive"], Truth,
        "condition values for which a branch is taken: != 0.0, any bit set (also -0), or > 0.0; only 0.0 and 1.0 are documented (M, W)";
    TruthNan = "truth_nan", ["true", "false"], Truth,
        "NaN as the condition of a select or a branch: true, since NaN != 0.0, or false (I94, L)";
    ZeroTimesInfinity = "zero_times_infinity", ["nan", "zero"], ZeroTimesInfinity,
        "0 * infinity and 0 * NaN: NaN as in IEEE 754, or 0 (I94, L)";
    ReciprocalZero = "reciprocal_zero", ["infinity", "max"], ReciprocalOfZero,
        "rcp of zero: infinity with its sign, or the largest finite number with its sign (I94, L)";
    RsqrtZero = "rsqrt_zero", ["infinity", "max"], RsqOfZero,
        "rsqrt of zero: 1/sqrt(a) as in IEEE 754, or the largest finite number with the same sign (I94, L)";
    NegativeRoot = "negative_root", ["nan", "abs"], NegativeRoot,
        "rsqrt and log2 of a negative number: NaN, or the function of its magnitude (I94, L)";
    LogZero = "log_zero", ["infinity", "max"], LogOfZero,
        "log2 of zero: -infinity, or the most negative finite number (I94, L)";
    WideNegate = "wide_negate", ["ignore", "apply"], Formula,
        "the negation bit of mul 0 in select, complex1 and complex2: ignored, or applied to the result; every known compiler writes 0 (SEED, M)";
    Address = "address", ["truncate", "round", "floor"], IndexConversion,
        "conversion of an address to an integer: truncation, rounding to nearest even, or floor (SEED, M)";
    AddressRange = "address_range", ["zero", "wrap", "clamp"], IndexRange,
        "a slot outside 0 to 511: reads zeros and ignores stores, is taken modulo 512, or is clamped to 0 to 511; undocumented";
    BranchBubbles = "branch_bubbles", ["two", "none", "three"], Latency,
        "empty cycles after a taken branch, in which pending register stores complete: two (the minimum that W's loop needs), none, or three (M, W)";
    Unwritten = "unwritten", ["zero", "nan"], Unwritten,
        "value of registers and address registers before the first store: 0, or NaN (SEED, M, L)";
    PositionTransform = "position_transform", ["none", "mesa", "arm", "seed"], Formula,
        "a step after the program for programs that output clip coordinates: none (compiled programs contain the transformation), (xyz * w') * scale + offset with w' = 1/w (M), (xyz * scale) * w' + offset with w' clamped to [-1e10, 1e10] (ARM's macro, listed in M), or the first formula with w' clamped to that range (SEED) (M)";
    PointSizeTransform = "point_size_transform", ["none", "mesa"], Formula,
        "a step after the program for the point size: none, or min(max(size, 1), 100) (M); ARM's clamp(size, P.x, P.y) * P.z is not a choice, because the location of P is undocumented (M)";
}
