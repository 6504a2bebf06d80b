//! One run of `lockstep check` on everything. All tests that examine its output share the run, because it takes half a minute on two cores.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The environment variable that names the folder of an existing run, such as that of `ci/test`: its output, exit status and reports.
const MADE: &str = "LOCKSTEP_WHOLE_CHECK";

/// A finished run of `lockstep check`.
pub(crate) struct WholeCheck {
    /// The exit status.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) text: String,
    folder: PathBuf,
}

/// The options for reports, each with the name of its file.
const REPORTS: [(&str, &str); 4] =
    [("--json", "r.json"), ("--junit", "r.xml"), ("--sarif", "r.sarif"), ("--html", "r.html")];

impl WholeCheck {
    /// Returns the run. The first call makes it, without proofs, unless [`MADE`] names one; every call waits until it has ended.
    pub(crate) fn run() -> &'static WholeCheck {
        static RUN: OnceLock<WholeCheck> = OnceLock::new();
        RUN.get_or_init(|| match std::env::var_os(MADE) {
            Some(folder) => WholeCheck::made(Path::new(&folder)),
            None => WholeCheck::make(),
        })
    }

    fn make() -> WholeCheck {
        // The folder is kept, since no test of the process is known to be the last.
        let folder = tempfile::tempdir().expect("a folder").keep();
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        command.env_remove("LOCKSTEP_LOG").env_remove("LOCKSTEP_CORPORA").env_remove("NO_COLOR");
        command.args(["check", "--no-proofs"]);
        for (option, name) in REPORTS {
            command.arg(option).arg(folder.join(name));
        }
        command.arg("--findings").arg(folder.join("findings"));
        let output = command.output().expect("the binary runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        WholeCheck { status: output.status.code().expect("no signal"), text, folder }
    }

    fn made(folder: &Path) -> WholeCheck {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a run");
        let status = read("status").trim().parse().expect("an exit status");
        WholeCheck { status, text: read("text"), folder: folder.to_owned() }
    }

    /// Returns the text of the report in the file with this name, one of [`REPORTS`].
    pub(crate) fn report(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).expect("a report")
    }

    /// Whether minimised findings were written.
    pub(crate) fn has_findings(&self) -> bool {
        self.folder.join("findings").exists()
    }
}
