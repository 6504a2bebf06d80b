//! Material that is not part of the project: other people's shaders, listings and runs, in `../shared/corpora` beside the checkout and nowhere else.
//!
//! A test whose material is not there can show nothing. It passes, but leaves a note of its name, from which `ci/test` says what then rests on
//! nothing.

use std::fs;
use std::path::{Path, PathBuf};

/// Where tests without material leave their notes: a file a test, named by the package and the test. The content is the folder
/// that is missing.
const NOTES: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/without-material");

/// The folder `name` of the material, if it is there. If not, that is noted under the name of the test that asks.
pub(crate) fn material(name: &str) -> Option<PathBuf> {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpora");
    look(&corpora, name, Path::new(NOTES))
}

/// As [`material`], with all places given.
pub(crate) fn look(corpora: &Path, name: &str, notes: &Path) -> Option<PathBuf> {
    let folder = corpora.join(name);
    let thread = std::thread::current();
    let note = notes.join(format!("{}::{}", env!("CARGO_PKG_NAME"), thread.name().unwrap_or("a thread")));
    if folder.is_dir() {
        // One of an earlier run.
        let _ = fs::remove_file(note);
        return Some(folder);
    }
    let missing = format!("../shared/corpora/{name}");
    fs::create_dir_all(notes).and_then(|()| fs::write(&note, &missing)).expect("a note can be left");
    eprintln!("skipped: {missing} is not there");
    None
}
