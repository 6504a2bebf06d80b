//! Modifiers that can meet, and those that never do.

use crate::generate::Apart;

/// The kinds of class of which an instruction can belong to two.
pub(super) const TWICE: &[&str] = &["index", "index.component", "overlap", "special"];

/// The modifiers that no instruction of a legal program has together, besides those that its facets keep apart.
pub(super) const APART: &[Apart] = &[
    Apart::new("overlap=none", "overlap", "none stands for no other"),
    Apart::new("special=none", "special", "none stands for no other"),
];
