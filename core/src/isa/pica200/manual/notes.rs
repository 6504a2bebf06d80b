//! Notes for the manual: consequences of the definitions, open questions, and behaviour of sources that no option covers.

use crate::isa::manual::Exclusion;

/// Consequences of the definitions, and open questions.
pub(super) static NOTES: &[&str] = &[
    "A result of arithmetic is computed in binary32 and then rounded to f24: two roundings. A direct f24 operation is another function: 1 + -2^-30 \
     is 1 here, because binary32 rounds it to 1, whereas an exact sum truncated once is 1 - 2^-17. No source implements both; no console test \
     decides.",
    "On the console, temporaries, address registers and condition bits keep their values from the previous run. Here they start as zero, unless the \
     entry lists input slots 16 to 31 (r0 to r15), 32 (a0.x, a0.y, aL) or 33 (cmp.x, cmp.y): name r0, a0 or cmp among the inputs of a vector or of \
     `lockstep case new`.",
    "A result that overflows under truncation becomes infinite. No source saturates it to 7EFFFF, the largest number; `number=saturate` implements \
     that in case hardware is found to do so.",
    "Uniforms and attributes are converted to f24 in the same way: 1e20, which exceeds the f24 range, is read as a value that is ordered and equal \
     to itself, so it is not NaN (HW S9).",
    "Control flow has a single source, the model with ring-buffer stacks that flacs derived from console tests (S1 rev 20748); its author asks for \
     verification.",
    "Not tested on any console: the rounding of results (rcp(10) and rsq(100) fit every mode), overflow in arithmetic, litp of NaN, aL beyond eight \
     bits, subnormals through min, mov, sge and slt, accuracy of rcp, rsq, ex2 and lg2 below 1/255.",
];

/// Each row: source, its behaviour, and why no option covers it.
pub(super) static EXCLUSIONS: &[Exclusion] = &[
    [
        "AZj",
        "rcp and rsq by 12 or 14 bit instructions, ex2 and lg2 by a polynomial",
        "a matter of accuracy: a subject's profile states a tolerance",
    ],
    ["AZj, PAj", "ex2 of an infinity is NaN on AVX-512 hosts", "a bug in the code path for these hosts"],
    ["AZi, AZj, PAj", "litp does nothing, or ends the run", "not implemented there"],
    [
        "AZi, AZj, PAi, PAj",
        "break, breakc, dst, dsti, dph, emit or setemit do nothing, or end the run",
        "not implemented there",
    ],
    ["PAi", "a loop runs i.x + 2 times", "a bug: it jumps back once more after popping"],
    [
        "AZj, PAj",
        "scopes are lexical blocks: loops that share an end are nested, and a jump or call in the last word of a scope is taken",
        "a different control-flow model; the validator warns where the results differ (20, 21, 30, 31)",
    ],
    ["AZj, PAj", "end in a call crashes the host; in PAj, also a jump out of a loop", "a bug"],
    [
        "PAi",
        "an index on max, min, cmp, rcp or rsq, recursion, a fifth nested call or a reserved opcode ends the run",
        "not implemented there",
    ],
    [
        "PAj",
        "offsets also apply to v and r, and can read past the uniforms; offsets 127 and -128 read zeros",
        "it reads outside every register file",
    ],
    ["AZj", "operators 6 and 7 of cmp read past a table", "undefined"],
    ["AZi, AZj", "reserved opcodes do nothing", "refused here: no document defines them"],
    [
        "AZi, AZj, PAi, PAj",
        "a loop whose end lies before its beginning never ends (AZi, PAi), runs an empty body (AZj), or ends the run (PAj)",
        "the result follows from the ring-buffer stacks; the validator warns (22)",
    ],
    [
        "AZi, AZj",
        "a break that no path reaches inside a loop does nothing",
        "rule 11 refuses such programs; if only some paths reach it inside a loop, `stray_break=ignore` describes this behaviour",
    ],
    [
        "AZj J1",
        "a procedure with a loop, called in a loop, overwrites the outer counter: the loop never ends",
        "a bug",
    ],
    ["AZj J2", "end inside a nested loop crashes: saved registers are not unwound", "a bug"],
    ["AZj J3", "a jump out of an inner loop past its end crashes", "a bug"],
    ["AZj J4", "a jump to the running procedure's last word, then end, crashes", "a bug"],
    ["AZj J5", "an entry inside a loop's or branch's range takes the wrong arm or never ends", "a bug"],
    ["AZj J6", "arms that overlap: the wrong arm is executed", "a bug"],
    ["AZj J7", "about 4090 mad or mul with an index and a swizzle overflow the code buffer", "a bug"],
    [
        "S1 in 2014 (tag SEED)",
        "rcp and rsq component by component; CALLC 0x26 on a Boolean",
        "superseded by S1 and console tests",
    ],
    [
        "picasso",
        "2^64 becomes infinity and 1.5 * 2^64 NaN as constants; v15 is refused, i4 to i7 are not",
        "concerns the assembler, not the hardware",
    ],
];

/// The abbreviations used in [`EXCLUSIONS`].
pub(super) const LEGEND: &str = "AZi and AZj are Azahar's interpreter and JIT, PAi and PAj those of Panda3DS. Azahar's interpreter was run on \
     115,178 generated programs: its results differ from this manual only in litp and in the rows and options listed here.";
