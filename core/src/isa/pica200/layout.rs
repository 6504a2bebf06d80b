//! Every bit of every PICA200 word: instructions by format, operand descriptors, and the values of constants.
//!
//! Layouts are constants, not statics, so that the compiler knows the shifts in the decoder wherever it is inlined.

use crate::binary::Use::{Choice, Number, Reserved};
use crate::binary::{Field, Layout, Use};

const FORMATS: &str = "S1";

/// Where a uniform's number gets an addend from.
pub const INDEX: Use = Choice(&[(0, "none"), (1, "a0.x"), (2, "a0.y"), (3, "aL")]);
/// What a comparison of `cmp` asks.
const OPERATOR: Use = Choice(&[(0, "=="), (1, "!="), (2, "<"), (3, "<="), (4, ">"), (5, ">=")]);
/// How the two tests of a condition combine.
const CONDITION: Use = Choice(&[(0, "x or y"), (1, "x and y"), (2, "x"), (3, "y")]);

/// Format 0.
pub const PLAIN: Layout = Layout {
    name: "format 0",
    bits: 32,
    source: FORMATS,
    fields: &[Field::new("ignored", 0, 26, Reserved), Field::new("opcode", 26, 6, Number)],
};

/// Format 1.
pub const BINARY: Layout = Layout {
    name: "format 1",
    bits: 32,
    source: FORMATS,
    fields: &[
        Field::new("desc", 0, 7, Number),
        Field::new("src2", 7, 5, Number),
        Field::new("src1", 12, 7, Number),
        Field::new("idx", 19, 2, INDEX),
        Field::new("dst", 21, 5, Number),
        Field::new("opcode", 26, 6, Number),
    ],
};

/// Format 1i.
pub const BINARY_INVERSE: Layout = Layout {
    name: "format 1i",
    bits: 32,
    source: FORMATS,
    fields: &[
        Field::new("desc", 0, 7, Number),
        Field::new("src2", 7, 7, Number),
        Field::new("src1", 14, 5, Number),
        Field::new("idx", 19, 2, INDEX),
        Field::new("dst", 21, 5, Number),
        Field::new("opcode", 26, 6, Number),
    ],
};

/// Format 1u.
pub const UNARY: Layout = Layout {
    name: "format 1u",
    bits: 32,
    source: FORMATS,
    fields: &[
        Field::new("desc", 0, 7, Number),
        Field::new("unused", 7, 5, Reserved),
        Field::new("src1", 12, 7, Number),
        Field::new("idx", 19, 2, INDEX),
        Field::new("dst", 21, 5, Number),
        Field::new("opcode", 26, 6, Number),
    ],
};

/// Format 1c. Its opcode field is one bit shorter.
pub const COMPARE: Layout = Layout {
    name: "format 1c",
    bits: 32,
    source: FORMATS,
    fields: &[
        Field::new("desc", 0, 7, Number),
        Field::new("src2", 7, 5, Number),
        Field::new("src1", 12, 7, Number),
        Field::new("idx", 19, 2, INDEX),
        Field::new("cmpy", 21, 3, OPERATOR),
        Field::new("cmpx", 24, 3, OPERATOR),
        Field::new("opcode", 27, 5, Number),
    ],
};

/// Format 2.
pub const CONDITIONAL: Layout = Layout {
    name: "format 2",
    bits: 32,
    source: FORMATS,
    fields: &[
        Field::new("num", 0, 8, Number),
        Field::new("unused", 8, 2, Reserved),
        Field::new("dst", 10, 12, Number),
        Field::new("condop", 22, 2, CONDITION),
        Field::new("refy", 24, 1, Number),
        Field::new("refx", 25, 1, Number),
        Field::new("opcode", 26, 6, Number),
    ],
};

/// Format 3.
pub const UNIFORM: Layout = Layout {
    name: "format 3",
    bits: 32,
    source: FORMATS,
    fields: &[
        Field::new("num", 0, 8, Number),
        Field::new("unused", 8, 2, Reserved),
        Field::new("dst", 10, 12, Number),
        Field::new("id", 22, 4, Number),
        Field::new("opcode", 26, 6, Number),
    ],
};

/// Format 4.
pub const EMISSION: Layout = Layout {
    name: "format 4",
    bits: 32,
    source: FORMATS,
    fields: &[
        Field::new("unused", 0, 22, Reserved),
        Field::new("winding", 22, 1, Number),
        Field::new("prim", 23, 1, Number),
        Field::new("vtx", 24, 2, Number),
        Field::new("opcode", 26, 6, Number),
    ],
};

/// Format 5. Its opcode field is three bits shorter.
pub const TERNARY: Layout = Layout {
    name: "format 5",
    bits: 32,
    source: FORMATS,
    fields: &[
        Field::new("desc", 0, 5, Number),
        Field::new("src3", 5, 5, Number),
        Field::new("src2", 10, 7, Number),
        Field::new("src1", 17, 5, Number),
        Field::new("idx", 22, 2, INDEX),
        Field::new("dst", 24, 5, Number),
        Field::new("opcode", 29, 3, Number),
    ],
};

/// Format 5i, likewise.
pub const TERNARY_INVERSE: Layout = Layout {
    name: "format 5i",
    bits: 32,
    source: FORMATS,
    fields: &[
        Field::new("desc", 0, 5, Number),
        Field::new("src3", 5, 7, Number),
        Field::new("src2", 12, 5, Number),
        Field::new("src1", 17, 5, Number),
        Field::new("idx", 22, 2, INDEX),
        Field::new("dst", 24, 5, Number),
        Field::new("opcode", 29, 3, Number),
    ],
};

/// A word whose opcode has no known meaning.
pub const UNKNOWN: Layout = Layout {
    name: "unknown",
    bits: 32,
    source: FORMATS,
    fields: &[Field::new("bits", 0, 26, Number), Field::new("opcode", 26, 6, Number)],
};

/// An operand descriptor.
pub const DESCRIPTOR: Layout = Layout {
    name: "descriptor",
    bits: 32,
    source: "S1",
    fields: &[
        Field::new("mask", 0, 4, Number),
        Field::new("negate1", 4, 1, Number),
        Field::new("select1", 5, 8, Number),
        Field::new("negate2", 13, 1, Number),
        Field::new("select2", 14, 8, Number),
        Field::new("negate3", 22, 1, Number),
        Field::new("select3", 23, 8, Number),
        Field::new("flag", 31, 1, Reserved),
    ],
};

/// A component of a float constant in a file: an f24 in the low bits.
pub const FLOAT: Layout = Layout {
    name: "float component",
    bits: 32,
    source: "S2",
    fields: &[
        Field::new("mantissa", 0, 16, Number),
        Field::new("exponent", 16, 7, Number),
        Field::new("sign", 23, 1, Number),
        Field::new("zero", 24, 8, Reserved),
    ],
};

/// The first word of an integer constant in a file.
pub const INTEGER: Layout = Layout {
    name: "integer constant",
    bits: 32,
    source: "S2",
    fields: &[
        Field::new("x", 0, 8, Number),
        Field::new("y", 8, 8, Number),
        Field::new("z", 16, 8, Number),
        Field::new("w", 24, 8, Number),
    ],
};

/// The first word of a Boolean constant in a file.
pub const BOOLEAN: Layout = Layout {
    name: "boolean constant",
    bits: 32,
    source: "S2",
    fields: &[Field::new("value", 0, 1, Number), Field::new("zero", 1, 31, Reserved)],
};

/// All of them.
pub static LAYOUTS: [Layout; 15] = [
    PLAIN,
    BINARY,
    BINARY_INVERSE,
    UNARY,
    COMPARE,
    CONDITIONAL,
    UNIFORM,
    EMISSION,
    TERNARY,
    TERNARY_INVERSE,
    UNKNOWN,
    DESCRIPTOR,
    FLOAT,
    INTEGER,
    BOOLEAN,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_tiles_its_word() {
        for layout in &LAYOUTS {
            assert!(layout.tiles(), "{}", layout.name);
        }
    }
}
