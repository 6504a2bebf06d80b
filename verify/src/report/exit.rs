//! Exit codes.

use serde::Serialize;

/// The verdict of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// Everything checked holds, and something was checked.
    Clean,
    /// Something does not hold.
    Findings,
    /// Bad arguments, unreadable input or a missing tool.
    Usage,
    /// Nothing was checked, or a proof is unknown.
    Inconclusive,
    /// Tells `git bisect run` to skip this revision: it cannot be judged.
    Skip,
}

impl Exit {
    /// The process's exit code: 0, 1, 2, 3; 125 for `git bisect run`.
    pub fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Inconclusive => 3,
            Exit::Skip => 125,
        }
    }
}
