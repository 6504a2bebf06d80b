//! Exit codes.

use serde::Serialize;

/// What a run comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// Everything looked at holds, and something was looked at.
    Clean,
    /// Something does not hold.
    Findings,
    /// The question was wrong: bad arguments, unreadable input, a missing tool.
    Usage,
    /// No answer: nothing was checked, or a proof is unknown.
    Inconclusive,
    /// `git bisect run` is to skip this revision: it cannot be judged.
    Skip,
}

impl Exit {
    /// The process's exit code: 0, 1, 2, 3; 125 as `git bisect run` has it.
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
