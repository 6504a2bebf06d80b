//! Notes and exclusions printed in the manual: consequences of definitions, and behaviour of sources that no option covers.

use crate::isa::manual::Exclusion;

/// Consequences of definitions, and open questions.
pub(super) static NOTES: &[&str] = &[
    "The accuracy of rcp, rsqrt, exp2 and log2 is not known: they are correctly rounded here (rsqrt is 1 / sqrt(a), with each step rounded), and a \
     subject's profile states its deviation.",
    "No simulator and no hardware test of this processor is public: facts that compiler output does not show are based on documents alone.",
    "An MBS (`MBS1`) with a vertex program is read for its words and prefetch; files of that form are not written.",
    "A load with offset 0 or 4 to 6, which no document explains, is refused if an operand reads the loaded value, and is ignored otherwise.",
    "Facts that words do not encode are directives in assembly text, one number each. `.prefetch N`: the last word that reads an attribute. \
     `.uniforms N`: slots from 0 on that hold the program's own uniforms. `.viewport_scale N` and `.viewport_offset N`: the uniform slots in whose \
     x, y and z the driver stores scale and offset of the viewport; `position_transform` reads these slots, and has no effect unless both are \
     given. `.position N` and `.point_size N`: the varyings that hold the position (by default varying 0, if it is stored) and the point size, \
     which `point_size_transform` needs. `.literals N` and `.literal BITS ...`: literal constants, four in a slot from uniform slot N on.",
    "If a file with bare words has a sibling of the same name that ends in `.meta`, the compiler's notes in it are read as such facts. `dis` prints \
     them as directives (with a note), and `asm` of that text writes the container, because bare words cannot hold them; its words are those of the \
     file.",
    "The position and the point size can be transformed by the program, as in compiled programs, by a step after it (`position_transform`, \
     `point_size_transform`), or by a macro in assembly text. ARM's clamp(size, P.x, P.y) * P.z is a macro only: the slot in which a driver stores \
     P is undocumented.",
];

/// Behaviour of a listed source that no option covers: source, behaviour, reason.
pub(super) static EXCLUSIONS: &[Exclusion] = &[
    [
        "SEED",
        "each word loads and stores only one register",
        "Mesa's words, which run on hardware, have two of each",
    ],
    [
        "SEED",
        "load offset 0 may be address register 0",
        "a guess of SEED; such a load is refused if an operand reads it",
    ],
    [
        "M",
        "no register stores in the last two words of a block",
        "a precaution of the compiler: ARM's code stores in these words",
    ],
    [
        "M optimize.c",
        "-(c ? a : b) loses its sign; matrix varyings land in the first slot",
        "bugs in the compiler, not in the hardware",
    ],
    ["L", "offset register 3 is encoded as 1; f2b is inverted", "bugs in the compiler, not in the hardware"],
    [
        "M (I94)",
        "the bit representation of a stage of a complex function",
        "the format of the lookup table is unknown: stages are not numbers here, and reading one as a number is refused",
    ],
];
