//! Exit codes.

use serde::Serialize;

/// The verdict of a run, which determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// Everything checked holds, and something was checked.
    Clean,
    /// A claim does not hold.
    Findings,
    /// The arguments are wrong, an input is unreadable or a tool is missing.
    Usage,
    /// Nothing was checked, the verdict of a proof is unknown, or the run is incomplete.
    Inconclusive,
    /// The revision cannot be judged, so `git bisect run` skips it.
    Skip,
}

impl Exit {
    /// Returns the process's exit code: 0, 1, 2 or 3; 125 for `git bisect run`.
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
