//! Real programs of PICA200.

use super::Expected;

/// What is expected of them: nothing is refused, and every file is a program.
pub(super) const EXPECTED: Expected = Expected { refused: &[], unread: &[] };
