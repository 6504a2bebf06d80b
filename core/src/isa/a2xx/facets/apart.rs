//! Values that never meet.

use crate::isa::facet::Apart;

const ADDRESS: &str = "one bit of a slot says what its constants are relative to";

/// The list.
pub(super) const APART: &[Apart] = &[
    Apart::in_word("a.file=constant_al", "b.file=constant_a0", ADDRESS),
    Apart::in_word("a.file=constant_a0", "b.file=constant_al", ADDRESS),
    Apart::in_word("a.file=constant_al", "c.file=constant_a0", ADDRESS),
    Apart::in_word("a.file=constant_a0", "c.file=constant_al", ADDRESS),
    Apart::in_word("b.file=constant_al", "c.file=constant_a0", ADDRESS),
    Apart::in_word("b.file=constant_a0", "c.file=constant_al", ADDRESS),
];
