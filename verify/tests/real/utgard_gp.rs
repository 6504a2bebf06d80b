//! Real programs of Utgard GP.

use super::Expected;

/// What is expected of them.
pub(super) const EXPECTED: Expected = Expected { refused: &[], unread: &[] };
