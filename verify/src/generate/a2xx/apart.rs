//! Modifiers that can meet, and those that never do.

use crate::generate::Apart;

/// The kinds of class of which an instruction can belong to two.
pub(super) const TWICE: &[&str] = &[];

/// The modifiers that no instruction of a legal program has together.
pub(super) const APART: &[Apart] = &[
    Apart::new(
        "a.file=constant_a0",
        "b.file=constant_al",
        "one bit of a slot says what its constants are relative to",
    ),
    Apart::new(
        "a.file=constant_al",
        "b.file=constant_a0",
        "one bit of a slot says what its constants are relative to",
    ),
    Apart::new(
        "a.file=constant_a0",
        "c.file=constant_al",
        "one bit of a slot says what its constants are relative to",
    ),
    Apart::new(
        "a.file=constant_al",
        "c.file=constant_a0",
        "one bit of a slot says what its constants are relative to",
    ),
    Apart::new(
        "b.file=constant_a0",
        "c.file=constant_al",
        "one bit of a slot says what its constants are relative to",
    ),
    Apart::new(
        "b.file=constant_al",
        "c.file=constant_a0",
        "one bit of a slot says what its constants are relative to",
    ),
    Apart::new("cnt=none", "serial=on", "a clause without slots has none to wait for"),
    Apart::new("dest=relative", "mask=none", "what writes nothing has no place to write"),
];
