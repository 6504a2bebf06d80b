//! Modifiers that can meet, and those that never do.

use crate::generate::Apart;

/// The kinds of class of which an instruction can belong to two.
pub(super) const TWICE: &[&str] = &[];

/// The modifiers that no instruction of a legal program has together.
pub(super) const APART: &[Apart] = &[
    Apart::new("condition=x", "y", "the condition does not look at y"),
    Apart::new("condition=y", "x", "the condition does not look at x"),
];
