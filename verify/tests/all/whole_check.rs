//! One run of `lockstep check` on everything except proofs. All tests that examine its output share the run, because it takes half a minute on two
//! cores.

use std::process::{Command, Output};
use std::sync::OnceLock;

/// The output of a run, and the folder of its reports.
pub(crate) struct WholeCheck {
    /// The exit code, standard output and standard error.
    pub(crate) output: Output,
    folder: tempfile::TempDir,
}

/// The options for reports, each with the name of its file.
const REPORTS: [(&str, &str); 4] =
    [("--json", "r.json"), ("--junit", "r.xml"), ("--sarif", "r.sarif"), ("--html", "r.html")];

impl WholeCheck {
    /// Returns the run. The first call starts the run, and every call waits until it has ended.
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

    /// Returns standard output as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    /// Returns the text of the report with this name.
    pub(crate) fn report(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).expect("a report")
    }

    /// Whether minimised findings were written.
    pub(crate) fn has_findings(&self) -> bool {
        self.folder.path().join("findings").exists()
    }
}
