//! Real programs of Utgard GP.

use super::Expected;

/// The expectations.
pub(super) const EXPECTED: Expected = Expected { refused: &[], unread: &UNREAD };

const UNREAD: [(&str, &str); 3] = [
    (".lst", "a listing of the program of this name"),
    (".meta", "what the compiler said of the program of this name"),
    (".vert", "what the program of this name was compiled from"),
];
