//! `lockstep judge` and `lockstep serve`, as a person uses them.

mod bad_library;
mod baseline;
mod compiled;
mod example;
mod header;
mod history;
mod library;
mod misbehaviour;
mod ourselves;
mod protocol;
mod summary;
mod usage;

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run came to.
pub(super) struct Run {
    /// Exit status.
    pub(super) status: Option<i32>,
    /// Standard output.
    pub(super) out: String,
    /// Standard error.
    pub(super) err: String,
}

/// Runs `lockstep judge` in a folder.
pub(super) fn judge(folder: &Path, arguments: &[&str]) -> Run {
    let done = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .arg("judge")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { status: done.status.code(), out: text(&done.stdout), err: text(&done.stderr) }
}

/// A file of these tests or of the examples.
pub(super) fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    assert!(path.is_file(), "{}", path.display());
    path.display().to_string()
}

/// The folders of findings that a run wrote.
pub(super) fn findings(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder.join("lockstep-judged")) else { return Vec::new() };
    let mut all: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect();
    all.sort();
    all
}

/// The only finding of a run.
pub(super) fn finding(folder: &Path) -> PathBuf {
    match findings(folder).as_slice() {
        [only] => only.clone(),
        all => panic!("{all:?}"),
    }
}

/// A file's text.
pub(super) fn text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
