//! Test material that is not part of the project: other people's shaders, listings and runs. The tests look for this material in `../shared/corpora`
//! next to the checkout.
//!
//! A test without its material checks nothing. Such a test passes, but leaves a note with its name, so that `ci/test` can report the missing
//! material.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder in which tests without material leave their notes: one file per test, named by the package and the test. It contains the paths of the
/// missing folders. `ci/test` empties it first.
const NOTES: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/without-material");

/// Returns the folder `name` of the material if it exists. Otherwise leaves a note with the name of the current test.
pub(crate) fn material(name: &str) -> Option<PathBuf> {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpora");
    material_in(&corpora, name, Path::new(NOTES))
}

/// As [`material`], with all paths given.
pub(crate) fn material_in(corpora: &Path, name: &str, notes: &Path) -> Option<PathBuf> {
    let folder = corpora.join(name);
    let thread = std::thread::current();
    let note = notes.join(format!("{}::{}", env!("CARGO_PKG_NAME"), thread.name().unwrap_or("a thread")));
    if folder.is_dir() {
        return Some(folder);
    }
    let missing = format!("../shared/corpora/{name}");
    let noted = fs::read_to_string(&note).unwrap_or_default();
    if !noted.lines().any(|line| line == missing) {
        let all = format!("{noted}{missing}\n");
        fs::create_dir_all(notes).and_then(|()| fs::write(&note, all)).expect("a note can be left");
    }
    eprintln!("skipped: {missing} is not there");
    None
}
