//! `lockstep judge` and `lockstep serve` from the command line.

mod again;
mod bad_library;
mod baseline;
mod bugs;
mod compiled;
mod example;
mod explain;
mod header;
mod history;
mod inexact;
mod itself;
mod library;
mod linked;
mod misbehaviour;
mod ourselves;
mod protocol;
mod rasterised;
mod registers;
mod several;
mod summary;
mod traces;
mod usage;

use lockstep_core::isa::IsaId;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The result of running `lockstep judge`.
pub(super) struct Run {
    /// The exit status.
    pub(super) status: Option<i32>,
    /// The standard output.
    pub(super) out: String,
    /// The standard error.
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

/// Judges a correct subject over 96 cases. Fails unless `named` is printed, all cases are sent, and nothing is found.
pub(super) fn check_clean_over_96(subject: &str, isa: &IsaId, named: &str) {
    let folder = tempfile::tempdir().unwrap();
    let done = judge(folder.path(), &[subject, "--isa", isa.name(), "--count", "96"]);
    assert_eq!(done.status, Some(0), "{subject}, {isa}: {}{}", done.out, done.err);
    assert!(done.out.contains(named), "{}", done.out);
    // Seven of eight cases are programs. Each program has eight lanes and is decoded. The others break a rule or cannot be decoded, or, rarely, are legal.
    let decoded = done.out.split_once(" programs decoded").and_then(|(before, _)| before.rsplit(' ').next());
    let decoded: u32 = decoded.and_then(|count| count.parse().ok()).unwrap_or(0);
    assert!(done.out.contains("96 cases sent") && (84..=88).contains(&decoded), "{}", done.out);
    let lanes = done.out.lines().find_map(|line| {
        let (_, rest) = line.split_once("cases sent, ")?;
        rest.split(' ').next()?.parse::<u64>().ok()
    });
    assert!(lanes.is_some_and(|lanes| lanes >= 70 * 8), "{subject}, {isa}: {}", done.out);
}

/// Returns the path of a file of the package, such as a source of these tests or of the examples.
pub(super) fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    assert!(path.is_file(), "{}", path.display());
    path.display().to_string()
}

/// Returns the folders of findings that a run wrote.
pub(super) fn findings(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder.join("lockstep-judged")) else { return Vec::new() };
    // A folder has a hidden name while it is written.
    let is_hidden =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let mut all: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir() && !is_hidden(path))
        .collect();
    all.sort();
    all
}

/// Returns the folder of the only finding of a run.
pub(super) fn finding(folder: &Path) -> PathBuf {
    match findings(folder).as_slice() {
        [only] => only.clone(),
        all => panic!("{all:?}"),
    }
}

/// Returns a file's text.
pub(super) fn text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
