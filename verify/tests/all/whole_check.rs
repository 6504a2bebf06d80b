//! One run of `lockstep check` on everything but proofs, for all tests that look at its output: it takes half a minute of both cores.

use std::process::{Command, Output};
use std::sync::OnceLock;

/// What a run printed and the folder that it wrote its reports to.
pub(crate) struct WholeCheck {
    /// Exit code and both streams.
    pub(crate) output: Output,
    folder: tempfile::TempDir,
}

/// The names of the reports.
const REPORTS: [(&str, &str); 4] =
    [("--json", "r.json"), ("--junit", "r.xml"), ("--sarif", "r.sarif"), ("--html", "r.html")];

impl WholeCheck {
    /// The run, which the first caller waits for.
    pub(crate) fn run() -> &'static WholeCheck {
        static RUN: OnceLock<WholeCheck> = OnceLock::new();
        RUN.get_or_init(|| {
            let folder = tempfile::tempdir().expect("a folder");
            let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
            command.env_remove("LOCKSTEP_LOG").env_remove("LOCKSTEP_CORPORA").env_remove("NO_COLOR");
            command.args(["check", "--no-proofs"]);
            for (option, name) in REPORTS {
                command.arg(option).arg(folder.path().join(name));
            }
            command.arg("--findings").arg(folder.path().join("findings"));
            WholeCheck { output: command.output().expect("the binary runs"), folder }
        })
    }

    /// Standard output.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    /// A report by its name.
    pub(crate) fn report(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).expect("a report")
    }

    /// Whether minimised findings were written.
    pub(crate) fn has_findings(&self) -> bool {
        self.folder.path().join("findings").exists()
    }
}
