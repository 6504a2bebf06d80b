//! Real programs of the A2xx.

use super::Expected;

/// The expectations: nothing is refused, and every file is a program.
pub(super) const EXPECTED: Expected = Expected { refused: &[], unread: &[] };
