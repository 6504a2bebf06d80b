//! Real programs of Utgard GP.

use super::Expected;

/// The expectations; no program is refused.
pub(super) const EXPECTED: Expected = Expected { refused: &[], unread: &UNREAD };

const UNREAD: [(&str, &str); 3] = [
    (".lst", "a listing of the program of this name"),
    (".meta", "the compiler's notes for the program of this name"),
    (".vert", "the source of the program of this name"),
];
