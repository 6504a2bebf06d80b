//! Values that never meet.

use crate::isa::facet::Apart;

/// The list.
pub(super) const APART: &[Apart] = &[
    Apart::in_word("condition=x", "y", "the condition does not look at y"),
    Apart::in_word("condition=y", "x", "the condition does not look at x"),
];
