//! Searches folders, with limits on depth and on the number of files.

use super::special_files::unreadable;
use super::{ReadError, Skipped};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The maximum depth of nested folders that is searched.
const MAX_DEPTH: usize = 32;
/// The maximum number of files that are considered.
const MAX_FILES: usize = 100_000;

/// The result of searching a folder.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Regular files, sorted by path.
    pub(super) files: Vec<PathBuf>,
    /// Paths left out on purpose.
    pub(super) skipped: Vec<Skipped>,
    /// Paths that could not be read, so that their content is unknown.
    pub(super) broken: Vec<ReadError>,
}

/// Returns every regular file below `root`. Links are followed, a folder that is reached twice is visited once, and omissions are listed.
pub(super) fn files(root: &Path) -> Found {
    let mut walk = Walk { seen: BTreeSet::new(), found: Found::default() };
    walk.folder(root, 0);
    walk.found
}

struct Walk {
    seen: BTreeSet<PathBuf>,
    found: Found,
}

impl Walk {
    fn skip(&mut self, path: &Path, reason: &str) {
        self.found.skipped.push(Skipped { name: path.display().to_string(), reason: reason.to_owned() });
    }

    fn fail(&mut self, path: &Path, error: std::io::Error) {
        self.found.broken.push(ReadError::Io { name: path.display().to_string(), error });
    }

    fn report_limit(&mut self, path: &Path, limit: String) {
        self.found.broken.push(ReadError::Limit { name: path.display().to_string(), limit });
    }

    fn folder(&mut self, folder: &Path, depth: usize) {
        if depth > MAX_DEPTH {
            return self.report_limit(folder, format!("more than {MAX_DEPTH} folders deep"));
        }
        let real = match folder.canonicalize().and_then(|real| Ok((folder.metadata()?, real))) {
            Ok((data, real)) => match unreadable(&data) {
                Some(why) => return self.skip(folder, why),
                None => real,
            },
            Err(error) => return self.fail(folder, error),
        };
        if !self.seen.insert(real) {
            return self.skip(folder, "already visited by another path");
        }
        let entries: std::io::Result<Vec<PathBuf>> = std::fs::read_dir(folder)
            .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect());
        let mut paths = match entries {
            Ok(paths) => paths,
            Err(error) => return self.fail(folder, error),
        };
        paths.sort();
        for path in paths {
            if self.found.files.len() >= MAX_FILES {
                return self.report_limit(folder, format!("more than {MAX_FILES} files"));
            }
            match std::fs::metadata(&path) {
                Ok(data) if data.is_dir() => self.folder(&path, depth + 1),
                Ok(data) => match unreadable(&data) {
                    Some(why) => self.skip(&path, why),
                    None => self.found.files.push(path),
                },
                Err(error) => self.fail(&path, error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_of_links_ends() {
        let root = tempfile::tempdir().expect("a folder");
        let inner = root.path().join("inner");
        std::fs::create_dir(&inner).expect("a folder");
        std::fs::write(inner.join("b"), b"").expect("a file");
        std::fs::write(root.path().join("a"), b"").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path(), inner.join("up")).expect("a link");
        let Found { files, skipped, broken } = files(root.path());
        assert_eq!(files, [root.path().join("a"), inner.join("b")]);
        #[cfg(unix)]
        assert!(skipped.len() == 1 && skipped[0].reason.contains("already visited"), "{skipped:?}");
        #[cfg(not(unix))]
        assert!(skipped.is_empty());
        assert!(broken.is_empty(), "{broken:?}");
    }

    #[test]
    fn depth_is_limited() {
        let root = tempfile::tempdir().expect("a folder");
        let deep = |folders| (0..folders).fold(root.path().to_owned(), |path, _| path.join("d"));
        std::fs::create_dir_all(deep(MAX_DEPTH + 3)).expect("folders");
        let last = deep(MAX_DEPTH).join("x");
        std::fs::write(&last, b"").expect("a file");
        std::fs::write(deep(MAX_DEPTH + 1).join("x"), b"").expect("a file");
        let Found { files, skipped, broken } = files(root.path());
        assert_eq!(files, [last]);
        assert!(skipped.is_empty() && broken.len() == 1, "{broken:?}");
        assert!(broken[0].to_string().contains("32 folders deep"), "{broken:?}");
        assert_eq!(broken[0].name(), deep(MAX_DEPTH + 1).display().to_string());
    }

    #[test]
    #[cfg(unix)]
    fn unreadable_files_fail_and_special_files_are_skipped() {
        use std::os::unix::net::UnixListener;
        let root = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink("nowhere", root.path().join("a.agal")).expect("a link");
        std::os::unix::fs::symlink("/dev/zero", root.path().join("b.agal")).expect("a link");
        let _socket = UnixListener::bind(root.path().join("c.agal")).expect("a socket");
        let Found { files, skipped, broken } = files(root.path());
        assert!(files.is_empty(), "{files:?}");
        assert!(broken.len() == 1 && broken[0].to_string().contains("a.agal"), "{broken:?}");
        let reasons: Vec<&str> = skipped.iter().map(|s| s.reason.as_str()).collect();
        assert_eq!(reasons, ["a device, not a regular file", "a socket, not a regular file"]);
    }
}
