//! What the manual says beside the tables: what definitions imply, and what sources do that no option expresses.

use crate::isa::manual::Outside;

/// What follows from how things are defined, and what is not known.
pub(super) static NOTES: &[&str] = &[
    "The accuracy of rcp, rsqrt, exp2 and log2 is not known: they are correctly rounded here (of rsqrt 1 / sqrt, a rounding for each), and a subject's \
     profile says how far it strays.",
    "No simulator of this processor is public, and no test of hardware: what is not in a compiler's output rests on documents alone.",
    "An MBS (`MBS1`) with a vertex program is read for its words and prefetch; files of that form are not written.",
    "A load by offset 0 or 4 to 6, which no document explains, is refused where something reads what is loaded, and is nothing elsewhere.",
    "The position may be transformed by the program, as compilers do, by a step after it (`position_transform`), or by a macro of the text; the point size \
     likewise. ARM's clamp(size, P.x, P.y) * P.z is a macro only: no source says where a driver puts P.",
];

/// What a listed source does and no option expresses: where, what, and why not.
pub(super) static OUTSIDE: &[Outside] = &[
    [
        "SEED",
        "one register is loaded and stored a word",
        "Mesa's words, which run on hardware, have two of each",
    ],
    [
        "SEED",
        "load offset 0 may be address register 0",
        "a guess of the seed's; where such a load is read it is refused",
    ],
    [
        "M",
        "no register stores in the last two words of a block",
        "a compiler's care: ARM's code stores there",
    ],
    [
        "M optimize.c",
        "-(c ? a : b) loses its sign; matrix varyings land in the first slot",
        "faults of the compiler, not of words",
    ],
    ["L", "offset register 3 is encoded as 1; f2b is inverted", "faults of the assembler, not of words"],
    [
        "M (I94)",
        "what a stage of a complex function is as bits",
        "the table's format is not known: stages are no numbers here, and reading one is refused",
    ],
];
