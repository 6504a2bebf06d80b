//! Modifiers that can meet, and those that never do.

use crate::generate::Apart;

/// The kinds of class of which an instruction can belong to two.
pub(super) const TWICE: &[&str] = &["overlap"];

/// The modifiers that no instruction of a generated program has together, besides those that the facets keep apart.
pub(super) const APART: &[Apart] = &[Apart::new("overlap=none", "overlap", "none stands for no other")];
