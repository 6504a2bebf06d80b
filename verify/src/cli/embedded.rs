//! The project's corpora embedded in this program, for use without a checkout of the repository.

use super::Failure;
use crate::corpus;
use include_dir::Dir;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs, io};

/// The word that selects the embedded copy where a folder is expected.
const EMBEDDED_NAME: &str = "embedded";

static EMBEDDED: OnceLock<&'static Dir<'static>> = OnceLock::new();

/// Registers the corpora that were built into this program.
pub(super) fn register_corpora(corpora: &'static Dir<'static>) {
    // Setting fails only on a second call in one process, which occurs only in tests, with the same data.
    let _ = EMBEDDED.set(corpora);
}

/// Returns the folder of the project's corpora: the one given as an argument or by `LOCKSTEP_CORPORA`, otherwise that of a checkout, otherwise the
/// embedded copy, unpacked to the user's cache. The embedded copy is also used if `embedded` is given.
pub(super) fn own_corpora(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let named = given.map(Path::to_owned).or_else(|| env::var_os(corpus::OWN_VARIABLE).map(PathBuf::from));
    if named.as_deref() == Some(Path::new(EMBEDDED_NAME)) {
        return unpacked_corpora();
    }
    match (corpus::own_corpora(given), named) {
        (Some(folder), _) => Ok(folder),
        (None, Some(named)) => Err(Failure::Usage(format!(
            "there are no corpora at {}; give --corpora DIR or {} ('{EMBEDDED_NAME}' is the copy in this program). PATHs are checked without corpora",
            named.display(),
            corpus::OWN_VARIABLE
        ))),
        (None, None) => unpacked_corpora(),
    }
}

fn unpacked_corpora() -> Result<PathBuf, Failure> {
    let none = || {
        Failure::Usage(
            "this program was built without corpora; give their folder with --corpora DIR".to_owned(),
        )
    };
    let embedded = EMBEDDED.get().ok_or_else(none)?;
    let folder = caches().join("lockstep").join(format!("corpora-{:016x}", fingerprint(embedded)));
    unpack(embedded, &folder).map_err(|error| Failure::Io(folder.display().to_string(), error))?;
    Ok(folder)
}

/// Returns the user's cache folder.
fn caches() -> PathBuf {
    let named =
        |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
    named("XDG_CACHE_HOME")
        .or_else(|| named("LOCALAPPDATA"))
        .or_else(|| named("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(env::temp_dir)
}

fn fingerprint(folder: &Dir<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    visit(folder, &mut |path, bytes| {
        (path, bytes).hash(&mut hasher);
        Ok(())
    })
    .map_or(0, |()| hasher.finish())
}

/// Calls `act` on every file below a folder.
fn visit<'a>(folder: &Dir<'a>, act: &mut dyn FnMut(&'a Path, &'a [u8]) -> io::Result<()>) -> io::Result<()> {
    for file in folder.files() {
        act(file.path(), file.contents())?;
    }
    folder.dirs().try_for_each(|inner| visit(inner, act))
}

/// Unpacks all files to `target`. The folder is created completely or not at all.
fn unpack(folder: &Dir<'_>, target: &Path) -> io::Result<()> {
    if target.is_dir() {
        return Ok(());
    }
    let parent = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let part = target.with_extension(std::process::id().to_string());
    let _ = fs::remove_dir_all(&part);
    let put = visit(folder, &mut |path, bytes| {
        let file = part.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&part))?;
        fs::write(file, bytes)
    });
    let moved = put.and_then(|()| fs::rename(&part, target));
    if moved.is_err() {
        let _ = fs::remove_dir_all(&part);
    }
    // The move also fails if another process has unpacked the files first, which is harmless.
    if target.is_dir() { Ok(()) } else { moved }
}
