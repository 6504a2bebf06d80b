//! Notes for the manual: consequences of the definitions, open questions, and behaviour of sources that no option covers.

use crate::isa::manual::Exclusion;

/// Consequences of the definitions, and open questions.
pub(super) static NOTES: &[&str] = &[
    "A result of arithmetic is computed in binary32 and then rounded to f24: two roundings. A direct f24 operation is another function: 1 + -2^-30 is 1 \
     here, for binary32 rounds it to 1, where an exact sum that is cut once gives 1 - 2^-17. Both ways occur in no source; no console test tells.",
    "Temporaries, address registers and condition bits keep what the last run left. Here they are zero, unless the entry lists input slots 16 to 31 (r0 to \
     r15), 32 (a0.x, a0.y, aL) or 33 (cmp.x, cmp.y): name r0, a0 or cmp among the inputs of a vector or of `lockstep case new`.",
    "What overflows under truncation is infinite. No source saturates at 7EFFFF, the largest number; `number=saturate` offers that behaviour in case hardware shows it.",
    "Uniforms and attributes convert alike: 1e20, which is beyond f24, arrives as something ordered and equal to itself, so not as NaN (HW S9).",
    "Control flow rests on one witness, the ring machine that flacs found on a console (S1 rev 20748), whose author asks for verification.",
    "Known from no console: the rounding of results (rcp(10) and rsq(100) fit every mode), overflow in arithmetic, litp of NaN, aL beyond eight bits, \
     subnormals through min, mov, sge and slt, accuracy of rcp, rsq, ex2 and lg2 below 1/255.",
];

/// Each row: source, its behaviour, and why no option covers it.
pub(super) static EXCLUSIONS: &[Exclusion] = &[
    [
        "AZj",
        "rcp and rsq by 12 or 14 bit instructions, ex2 and lg2 by a polynomial",
        "a tolerance, which a subject's profile states",
    ],
    ["AZj, PAj", "ex2 of an infinity is NaN on AVX-512 hosts", "a fault of the host's code path"],
    ["AZi, AZj, PAj", "litp does nothing, or ends the run", "not implemented there"],
    [
        "AZi, AZj, PAi, PAj",
        "break, breakc, dst, dsti, dph, emit or setemit do nothing, or end the run",
        "not implemented there",
    ],
    ["PAi", "a loop runs i.x + 2 times", "a fault: it jumps back once more after popping"],
    [
        "AZj, PAj",
        "scopes are blocks of the text: loops that share an end nest, jumps and calls on a last word are taken",
        "another machine; the validator warns where it differs (20, 21, 30, 31)",
    ],
    ["AZj, PAj", "end in a call, or a jump out of a loop, crashes the host", "a fault"],
    [
        "PAi",
        "idx on max, min, cmp, rcp or rsq, recursion, five calls deep and reserved opcodes end the run",
        "not implemented there",
    ],
    [
        "PAi, PAj",
        "offsets reach v and r, and what follows the uniforms; 127 and -128 read zeros",
        "reads outside of any register file",
    ],
    ["AZj, PAj", "operators 6 and 7 of cmp read past a table", "undefined"],
    ["AZi, AZj", "reserved opcodes do nothing", "refused here: no document gives them a meaning"],
    [
        "AZi, AZj, PAj",
        "a loop whose end lies before its beginning runs an empty body, or never ends",
        "the ring machine gives what it gives; the validator warns (22)",
    ],
    [
        "AZi, AZj",
        "a break that no way through the program reaches in a loop does nothing",
        "rule 11 refuses such programs; where some way reaches it in a loop and another does not, `stray_break=ignore` says so",
    ],
    ["AZj J1", "a procedure with a loop, called in a loop, overwrites the outer counter: endless", "a fault"],
    ["AZj J2", "end inside a nested loop crashes: saved registers are not unwound", "a fault"],
    ["AZj J3", "a jump out of an inner loop past its end crashes", "a fault"],
    ["AZj J4", "a jump to the running procedure's last word, then end, crashes", "a fault"],
    ["AZj J5", "an entry inside a loop's or branch's range takes the wrong arm or is endless", "a fault"],
    ["AZj J6", "arms that overlap: the wrong branch", "a fault"],
    ["AZj J7", "some 4090 relative swizzled mad or mul overflow the code buffer", "a fault"],
    [
        "S1 in 2014 (the seed)",
        "rcp and rsq component by component; CALLC 0x26 on a Boolean",
        "superseded by S1 and console tests",
    ],
    [
        "picasso",
        "2^64 becomes infinity and 1.5 * 2^64 NaN as constants; v15 is refused, i4 to i7 are not",
        "of the assembler, not of the machine",
    ],
];

/// The abbreviations used in [`EXCLUSIONS`].
pub(super) const LEGEND: &str = "AZi and AZj are Azahar's interpreter and JIT, PAi and PAj Panda3DS'. Azahar's interpreter was run on 115,178 generated programs: none differs from \
     this manual but by litp and the rows and options named here.";
