//! Modifiers that can meet, and those that never do.

use crate::generate::Apart;

/// The kinds of class of which an instruction can belong to two.
pub(super) const TWICE: &[&str] = &[];

/// The modifiers that no instruction of a generated program has together, besides those that its facets keep apart.
pub(super) const APART: &[Apart] =
    &[Apart::forms("dest=relative", "mask=none", "what writes nothing has no place to write")];
