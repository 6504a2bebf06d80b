//! Every bit of every word by name. Decoder, encoder, edits, the printed manual and the layout proofs read these tables.

use crate::binary::Use::{Choice, Number, Reserved, Signed};
use crate::binary::{Field, Layout};

const SHEET: &str = "SEED, MSTOK, HDR";

/// The first word of a program.
pub static VERSION: Layout = Layout {
    name: "version",
    bits: 32,
    source: SHEET,
    fields: &[
        Field::new("minor", 0, 8, Number),
        Field::new("major", 8, 8, Number),
        Field::new("stage", 16, 16, Choice(&[(0xfffe, "vertex"), (0xffff, "pixel")])),
    ],
};

/// The first word of an instruction.
pub static INSTRUCTION: Layout = Layout {
    name: "instruction",
    bits: 32,
    source: SHEET,
    fields: &[
        Field::new("opcode", 0, 16, Number),
        Field::new("control", 16, 8, Number),
        Field::new("length", 24, 4, Number),
        Field::new("predicated", 28, 1, Number),
        Field::new("zero29", 29, 1, Reserved),
        Field::new("coissue", 30, 1, Number),
        Field::new("zero31", 31, 1, Reserved),
    ],
};

/// The first word of a comment.
pub static COMMENT: Layout = Layout {
    name: "comment",
    bits: 32,
    source: SHEET,
    fields: &[
        Field::new("opcode", 0, 16, Choice(&[(0xfffe, "comment")])),
        Field::new("length", 16, 15, Number),
        Field::new("zero31", 31, 1, Reserved),
    ],
};

/// A destination.
pub static DEST: Layout = Layout {
    name: "destination",
    bits: 32,
    source: SHEET,
    fields: &[
        Field::new("number", 0, 11, Number),
        Field::new("type_high", 11, 2, Number),
        Field::new("relative", 13, 1, Number),
        Field::new("zero14", 14, 2, Reserved),
        Field::new("mask", 16, 4, Number),
        Field::new("modifier", 20, 4, Number),
        Field::new("shift", 24, 4, Signed),
        Field::new("type_low", 28, 3, Number),
        Field::new("one31", 31, 1, Number),
    ],
};

/// A source, also a relative address and a predicate.
pub static SOURCE: Layout = Layout {
    name: "source",
    bits: 32,
    source: SHEET,
    fields: &[
        Field::new("number", 0, 11, Number),
        Field::new("type_high", 11, 2, Number),
        Field::new("relative", 13, 1, Number),
        Field::new("zero14", 14, 2, Reserved),
        Field::new("swizzle", 16, 8, Number),
        Field::new("modifier", 24, 4, Choice(MODIFIERS)),
        Field::new("type_low", 28, 3, Number),
        Field::new("one31", 31, 1, Number),
    ],
};

/// The usage word of dcl.
pub static USAGE: Layout = Layout {
    name: "usage",
    bits: 32,
    source: SHEET,
    fields: &[
        Field::new("usage", 0, 5, Choice(USAGES)),
        Field::new("zero5", 5, 11, Reserved),
        Field::new("index", 16, 4, Number),
        Field::new("zero20", 20, 7, Reserved),
        Field::new("texture", 27, 4, Choice(TEXTURES)),
        Field::new("one31", 31, 1, Number),
    ],
};

/// Source modifiers.
const MODIFIERS: &[(u64, &str)] = &[
    (0, "none"),
    (1, "neg"),
    (2, "bias"),
    (3, "biasneg"),
    (4, "bx2"),
    (5, "bx2neg"),
    (6, "comp"),
    (7, "x2"),
    (8, "x2neg"),
    (9, "dz"),
    (10, "dw"),
    (11, "abs"),
    (12, "absneg"),
    (13, "not"),
];

/// Usages of inputs and outputs, in order of their numbers.
pub const USAGES: &[(u64, &str)] = &[
    (0, "position"),
    (1, "blendweight"),
    (2, "blendindices"),
    (3, "normal"),
    (4, "psize"),
    (5, "texcoord"),
    (6, "tangent"),
    (7, "binormal"),
    (8, "tessfactor"),
    (9, "positiont"),
    (10, "color"),
    (11, "fog"),
    (12, "depth"),
    (13, "sample"),
];

/// Texture types of samplers.
pub const TEXTURES: &[(u64, &str)] = &[(0, "none"), (1, "1d"), (2, "2d"), (3, "cube"), (4, "volume")];

/// All of them.
pub static LAYOUTS: [Layout; 6] = [VERSION, INSTRUCTION, COMMENT, DEST, SOURCE, USAGE];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_tile_their_words() {
        for layout in &LAYOUTS {
            assert!(layout.tiles(), "{}", layout.name);
        }
    }
}
