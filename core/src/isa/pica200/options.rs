//! The options of PICA200: points on which its sources disagree, and the choices for each. The first choice is the behaviour that was tested on a
//! console or, without such a test, the behaviour with better evidence.

use crate::isa::options::specs;

specs! {
    Number = "number", ["truncate", "nearest", "f32", "saturate"], Rounding,
        "rounding of each result of arithmetic: to f24 toward zero, what overflows to infinity (citra #7372, Borked3DS #37, which mend a real game with it), to f24 nearest even (citra #2873), computed in binary32 and kept (Azahar, Panda3DS), or to f24 toward zero, what overflows to the largest number 7EFFFF, as IEEE 754 rounds toward zero (derived; no source does). That registers are f24 is tested (S1 rev 20504), how they round is not";
    Subnormal = "subnormal", ["flush", "keep"], Subnormal,
        "magnitudes below 2^-62 as operands and results of arithmetic: +0 (HW S1 rev 20504), or kept (Azahar, Panda3DS). cmp, max, min, mov and what only copies do not flush, and by that reading neither do sge and slt";
    NegativeZero = "negative_zero", ["none", "keep"], SignOfZero,
        "a zero that arithmetic reads or gives: always +0, so rcp and rsq of -0 are +infinity (HW S1, S9: -0 is not observable), or signed as IEEE has it (Azahar)";
    ZeroProduct = "zero_product", ["inf", "inf_nan"], ZeroTimesInfinity,
        "what zero times gives zero with: infinity only, so 0 * NaN is NaN (HW S9, citra #7371), or infinity and NaN (S1 in 2015, Tanuki3DS)";
    DotOrder = "dot_order", ["left", "pairs"], SummationOrder,
        "sum of dot products: from the left, beginning with +0, or (x+y)+(z+w), of three (x+y)+z (the JITs; S1, S9). No console test";
    MinMaxInfinity = "minmax_infinity", ["compare", "second"], MinMaxInfinity,
        "max with an infinite second operand: by comparison, so max(0, -inf) is 0 (HW S9), or that operand (S1 in 2015; Panda3DS' interpreter). min compares in every source: min(0, +inf) is 0 (HW S9 test 14, S1 in 2015, S7)";
    LitpNan = "litp_nan", ["zero", "keep"], MinMaxNan,
        "x and w of litp for NaN: 0, as max(NaN, 0) gives (HW S9 for max), or NaN (the order of Panda3DS' std::max); Azahar has no litp. No console test";
    CompareOperator = "compare_operator", ["true", "unchanged"], UndefinedComparison,
        "operators 6 and 7 of cmp: true (S5, Panda3DS, Tanuki3DS), or the bit stays as it was (Azahar). No console test";
    RelativeRange = "relative_range", ["ring", "zero"], IndexRange,
        "a relative read with an offset outside -128 to 127: as with offset 0 (HW citra #6910, #6920, #6942), or (0, 0, 0, 0) (S1 rev 22318)";
    MovaRound = "mova_round", ["truncate", "floor"], IndexConversion,
        "mova of a fraction below zero: toward zero (all engines), or down. S9's mova-tests index a temporary, which ignores it; witnessed are a game (citra #1079) and unit tests on positive fractions";
    MovaRange = "mova_range", ["indefinite", "clamp"], IndexConversion,
        "mova of what is not from -128 to 127: kept as an integer, and INT_MIN for NaN, infinities and what no 32-bit integer holds (x86 engines), or clamped to that range before it is stored, NaN to 0 (Tanuki3DS). No console test";
    LoopAddress = "loop_address", ["restore", "keep", "start"], LoopRegister,
        "aL of the outer loop when an inner loop ends: its own value again (the evident intent; Azahar's JIT), the inner loop's last value (Panda3DS), or the inner loop's first value (Azahar's interpreter). No console test";
    BreakAddress = "break_address", ["advance", "keep"], LoopRegister,
        "aL when a break leaves the loop: advanced by i.z once more (S1 rev 20748; Azahar's interpreter), or as it was (Azahar's JIT)";
    LoopWidth = "loop_width", ["int", "byte"], LoopRegister,
        "aL where a loop adds to it beyond 255, as 250 + 3 * 10: 280, whose offset is out of range (Azahar, Panda3DS), or the low eight bits, 24. No console test";
    EmptyCall = "empty_call", ["run_on", "return"], EmptyCall,
        "a call with NUM = 0: runs on, since its end has been passed (S1 rev 20748; Azahar), or returns at once (Panda3DS). No console test";
    LastWord = "last_word", ["end", "wrap"], ProgramEnd,
        "word 4095: ends the program in place of what it holds (Azahar), or runs, and word 0 follows. No console test";
    StrayBreak = "stray_break", ["hang", "ignore"], StrayBreak,
        "a break that runs while no loop is open, as one to which a jump past a LOOP leads: hangs the unit (HW S1 rev 20748), or does nothing (Azahar). Rule 11 refuses only a break that no way through the program reaches in a loop";
}
