//! Notes and exclusions printed in the manual: consequences of definitions, and behaviour of sources that no option covers.

use crate::isa::manual::Exclusion;

/// Consequences of definitions, and open questions.
pub(super) static NOTES: &[&str] = &[
    "The accuracy of rcp, rsqrt, exp2 and log2 is not known: they are correctly rounded here (of rsqrt 1 / sqrt, a rounding for each), and a subject's \
     profile says how far it strays.",
    "No simulator of this processor is public, and no test of hardware: what is not in a compiler's output rests on documents alone.",
    "An MBS (`MBS1`) with a vertex program is read for its words and prefetch; files of that form are not written.",
    "A load by offset 0 or 4 to 6, which no document explains, is refused where something reads what is loaded, and is nothing elsewhere.",
    "Facts that words do not hold are directives of the text, a number each. `.prefetch N`: the last word that reads an attribute. `.uniforms N`: slots from 0 \
     on that hold the program's own uniforms. `.viewport_scale N` and `.viewport_offset N`: the uniform slots in whose x, y and z the driver puts scale and offset \
     of the viewport; `position_transform` reads them there, and does nothing unless both are said. `.position N` and `.point_size N`: the varyings that are the \
     position, 0 where nothing says so and something is stored there, and the point size, which `point_size_transform` needs. `.literals N` and `.literal BITS ...`: literal constants, four in a \
     slot from uniform slot N on.",
    "Notes of a compiler in a file of the same name that ends in `.meta` beside bare words are read as such facts. `dis` prints them as directives (and says so), and \
     `asm` of that text writes the container, for bare words cannot hold them: its words are those of the file.",
    "The position may be transformed by the program, as compilers do, by a step after it (`position_transform`), or by a macro of the text; the point size \
     likewise. ARM's clamp(size, P.x, P.y) * P.z is a macro only: no source says where a driver puts P.",
];

/// Behaviour of a listed source that no option covers: source, behaviour, reason.
pub(super) static EXCLUSIONS: &[Exclusion] = &[
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
