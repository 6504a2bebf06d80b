//! The options of PICA200: points on which its sources disagree, and the choices for each. The first choice is the behaviour that a test on a console
//! showed or, without such a test, the behaviour with better evidence.

use crate::isa::options::specs;

specs! {
    Number = "number", ["truncate", "nearest", "f32", "saturate"], Rounding,
        "rounding of arithmetic results: truncated to f24, overflow becomes infinity (citra #7372, Borked3DS #37; it fixes a real game), rounded to nearest-even f24 (citra #2873), kept in binary32 (Azahar, Panda3DS), or truncated to f24, overflow becomes the largest number 7EFFFF as in IEEE 754 (derived; no source does this). A console test shows that registers hold f24 (S1 rev 20504); none shows how results are rounded";
    Subnormal = "subnormal", ["flush", "keep"], Subnormal,
        "operands and results of arithmetic of magnitude below 2^-62: replaced by +0 (HW S1 rev 20504), or kept (Azahar, Panda3DS). cmp, max, min, mov and other copies do not flush; sge and slt are assumed not to flush either";
    NegativeZero = "negative_zero", ["none", "keep"], SignOfZero,
        "zero operands and zero results of arithmetic: always +0, so rcp and rsq of -0 are +infinity (HW S1, S9: -0 is not observable), or signed as in IEEE 754 (Azahar)";
    ZeroProduct = "zero_product", ["inf", "inf_nan"], ZeroTimesInfinity,
        "non-finite operands x for which 0 * x is 0: infinity only, so 0 * NaN is NaN (HW S9, citra #7371), or infinity and NaN (S1 in 2015, Tanuki3DS)";
    DotOrder = "dot_order", ["left", "pairs"], SummationOrder,
        "summation order of dot products: left to right starting from +0, or pairwise: (x+y)+(z+w) for four products and (x+y)+z for three (the JITs; S1, S9). No console test";
    MinMaxInfinity = "minmax_infinity", ["compare", "second"], MinMaxInfinity,
        "result of max whose second operand is infinite: the greater operand, so max(0, -inf) is 0 (HW S9), or the second operand (S1 in 2015; Panda3DS' interpreter). min always compares in every source: min(0, +inf) is 0 (HW S9 test 14, S1 in 2015, S7)";
    LitpNan = "litp_nan", ["zero", "keep"], MinMaxNan,
        "x and w of litp for a NaN operand: 0, which is max(NaN, 0) (HW S9 for max), or NaN (from the operand order of Panda3DS' std::max); Azahar does not implement litp. No console test";
    CompareOperator = "compare_operator", ["true", "unchanged"], UndefinedComparison,
        "result of cmp operators 6 and 7: true (Panda3DS, Tanuki3DS), or the condition bit is unchanged (Azahar's interpreter; its JIT reads past a table). No console test";
    RelativeRange = "relative_range", ["ring", "zero"], IndexRange,
        "a relative read with an offset outside -128 to 127: uses offset 0 (HW citra #6910, #6920, #6942), or returns (0, 0, 0, 0) (S1 rev 22318)";
    MovaRound = "mova_round", ["truncate", "floor"], IndexConversion,
        "mova of a negative fraction: rounded toward zero (all engines), or down. S9's mova-tests index a temporary, where the index is ignored; the evidence is a game fix (citra #1079) and unit tests on positive fractions";
    MovaRange = "mova_range", ["indefinite", "clamp"], IndexConversion,
        "mova of a value outside -128 to 127: stored as a 32-bit integer, or as INT_MIN for NaN, infinities and values that do not fit (x86 engines), or clamped to -128 to 127 before it is stored, with NaN as 0 (Tanuki3DS). No console test";
    LoopAddress = "loop_address", ["restore", "keep", "start"], LoopRegister,
        "value of aL after an inner loop ends: the outer loop's aL is restored (the evident intent; Azahar's JIT), the inner loop's last value is kept (Panda3DS), or aL is set to the inner loop's first value (Azahar's interpreter). No console test";
    BreakAddress = "break_address", ["advance", "keep"], LoopRegister,
        "value of aL after a break leaves the loop: i.z is added once more (S1 rev 20748; Azahar's interpreter), or aL is unchanged (Azahar's JIT)";
    LoopWidth = "loop_width", ["int", "byte"], LoopRegister,
        "value of aL when a loop increments it beyond 255, for example to 250 + 3 * 10: 280, an offset out of range (Azahar, Panda3DS), or its low eight bits, 24. No console test";
    EmptyCall = "empty_call", ["run_on", "return"], EmptyCall,
        "a call with NUM = 0: does not return, since the PC is already past its end (S1 rev 20748; Azahar), or returns at once (Panda3DS). No console test";
    LastWord = "last_word", ["end", "wrap"], ProgramEnd,
        "reaching word 4095: ends the program without executing that word (Azahar), or executes it and continues at word 0. No console test";
    StrayBreak = "stray_break", ["hang", "ignore"], StrayBreak,
        "a break executed while the loop stack is empty, for example after a jump past a LOOP: hangs the unit (HW S1 rev 20748), or does nothing (Azahar). Rule 11 refuses only a break that no path reaches inside a loop";
}
