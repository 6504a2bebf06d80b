//! Modifiers that never meet in generated programs.

use crate::generate::Apart;

/// The list, besides what facets keep apart.
pub(super) const APART: &[Apart] =
    &[Apart::forms("dest=relative", "mask=none", "what writes nothing has no place to write")];
