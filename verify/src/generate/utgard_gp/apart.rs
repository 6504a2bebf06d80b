//! Modifiers that can meet, and those that never do.

use crate::generate::Apart;

/// The kinds of class of which an instruction can belong to two.
pub(super) const TWICE: &[&str] = &["a", "b", "form", "component", "components", "sign", "source", "unit"];

/// The modifiers that no word of a generated program has together, besides those that its facets keep apart.
pub(super) const APART: &[Apart] = &[
    Apart::new("a=attribute", "a=register0", "port 0 reads an attribute or a register"),
    Apart::new("b=attribute", "b=register0", "port 0 reads an attribute or a register"),
    Apart::new("a=attribute.1", "a=register0.1", "port 0 reads an attribute or a register"),
    Apart::new("b=attribute.1", "b=register0.1", "port 0 reads an attribute or a register"),
    Apart::new("b=complex.1", "b", "only a select takes this there, and a word has one"),
    Apart::new("components=x", "components=y", "a store unit has one set of components"),
    Apart::new("components=x", "components=xy", "a store unit has one set of components"),
    Apart::new("components=y", "components=xy", "a store unit has one set of components"),
    Apart::new("components=z", "components=w", "a store unit has one set of components"),
    Apart::new("components=z", "components=zw", "a store unit has one set of components"),
    Apart::new("components=w", "components=zw", "a store unit has one set of components"),
    Apart::new("unit=mul1 beside complex2", "unit", "complex2 takes the first unit"),
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
