//! Folders, with a limit on everything.

use super::Skipped;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folders nested deeper than this are skipped.
const MAX_DEPTH: usize = 32;
/// Files beyond this number are skipped, as one entry.
const MAX_FILES: usize = 100_000;

/// Every regular file below `root`, sorted by path. Links are followed, a folder reached twice is visited once, and what is left out is named.
pub(super) fn files(root: &Path) -> (Vec<PathBuf>, Vec<Skipped>) {
    let mut walk = Walk { seen: BTreeSet::new(), files: Vec::new(), skipped: Vec::new() };
    walk.folder(root, 0);
    (walk.files, walk.skipped)
}

struct Walk {
    seen: BTreeSet<PathBuf>,
    files: Vec<PathBuf>,
    skipped: Vec<Skipped>,
}

impl Walk {
    fn skip(&mut self, path: &Path, reason: impl Into<String>) {
        self.skipped.push(Skipped { name: path.display().to_string(), reason: reason.into() });
    }

    fn folder(&mut self, folder: &Path, depth: usize) {
        if depth > MAX_DEPTH {
            return self.skip(folder, format!("more than {MAX_DEPTH} folders deep"));
        }
        let real = match folder.canonicalize() {
            Ok(real) => real,
            Err(error) => return self.skip(folder, error.to_string()),
        };
        if !self.seen.insert(real) {
            return self.skip(folder, "already visited by another way");
        }
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.skip(folder, error.to_string()),
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if self.files.len() >= MAX_FILES {
                return self.skip(folder, format!("more than {MAX_FILES} files"));
            }
            match std::fs::metadata(&path) {
                Ok(data) if data.is_dir() => self.folder(&path, depth + 1),
                Ok(data) if data.is_file() => self.files.push(path),
                Ok(_) => self.skip(&path, "not a regular file"),
                Err(error) => self.skip(&path, error.to_string()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_of_links_ends() {
        let root = tempfile::tempdir().expect("a folder");
        let inner = root.path().join("inner");
        std::fs::create_dir(&inner).expect("a folder");
        std::fs::write(inner.join("b"), b"").expect("a file");
        std::fs::write(root.path().join("a"), b"").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path(), inner.join("up")).expect("a link");
        let (files, skipped) = files(root.path());
        assert_eq!(files, [root.path().join("a"), inner.join("b")]);
        #[cfg(unix)]
        assert!(skipped.len() == 1 && skipped[0].reason.contains("already visited"), "{skipped:?}");
        #[cfg(not(unix))]
        assert!(skipped.is_empty());
    }

    #[test]
    fn depth_is_limited() {
        let root = tempfile::tempdir().expect("a folder");
        let deep = |folders| (0..folders).fold(root.path().to_owned(), |path, _| path.join("d"));
        std::fs::create_dir_all(deep(MAX_DEPTH + 3)).expect("folders");
        let last = deep(MAX_DEPTH).join("x");
        std::fs::write(&last, b"").expect("a file");
        std::fs::write(deep(MAX_DEPTH + 1).join("x"), b"").expect("a file");
        let (files, skipped) = files(root.path());
        assert_eq!(files, [last]);
        assert!(skipped.len() == 1 && skipped[0].reason.contains("32 folders deep"), "{skipped:?}");
        assert_eq!(skipped[0].name, deep(MAX_DEPTH + 1).display().to_string());
    }
}
