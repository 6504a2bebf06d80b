//! Modifiers that never meet in generated programs.

use crate::generate::Apart;

/// The list, besides what facets keep apart.
pub(super) const APART: &[Apart] = &[
    Apart::forms(
        "direction=backward",
        "condition=postlog2",
        "generated loops count, and postlog2 takes no count",
    ),
    Apart::forms(
        "direction=itself",
        "condition=mov",
        "a generated word that branches to itself clamps what it counts",
    ),
];
