//! The mark of the lane being run: a `u32` in a file that worker and host share, which survives the worker.

use super::foreign::{PAGE, Page, write_word};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The environment variable that holds the file's path.
pub(in crate::judge) const VARIABLE: &str = "LOCKSTEP_MARK";
/// The value for "no lane is being run".
const NONE: u32 = u32::MAX;

/// The worker's side.
pub(super) struct Mark {
    page: Option<Page>,
    /// The mark when there is no page.
    instead: u32,
}

impl Mark {
    /// The mark in the file that the environment names; without one, marks are lost.
    pub(super) fn from_environment() -> Mark {
        let file = std::env::var_os(VARIABLE)
            .and_then(|path| File::options().read(true).write(true).open(path).ok());
        Mark { page: file.as_ref().and_then(Page::map), instead: NONE }
    }

    /// Marks that no lane is being run.
    pub(super) fn clear(&mut self) {
        match &self.page {
            Some(page) => write_word(page, NONE),
            None => self.instead = NONE,
        }
    }

    /// The address at which a library writes the lane.
    pub(super) fn at(&mut self) -> *mut u32 {
        self.page.as_ref().map_or(&raw mut self.instead, |page| page.at().cast::<u32>())
    }
}

/// The host's side: the file. It has a name only until the worker has opened it, so that nothing remains after a worker is killed.
pub(in crate::judge) struct Shared {
    file: File,
    path: PathBuf,
    is_named: bool,
}

impl Shared {
    /// A new temporary file; `None` if it cannot be created, in which case marks are lost.
    pub(in crate::judge) fn create() -> Option<Shared> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("lockstep-mark-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let file = File::options().read(true).write(true).create_new(true).open(&path).ok()?;
        let shared = Shared { file, path, is_named: true };
        shared.file.set_len(PAGE as u64).ok()?;
        Some(shared)
    }

    pub(in crate::judge) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the name: the worker has opened the file, or never will.
    pub(in crate::judge) fn unname(&mut self) {
        if std::mem::take(&mut self.is_named) {
            // The file may have been removed by another process.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// The lane being run, or that was being run when the worker ended.
    pub(in crate::judge) fn lane(&self) -> Option<u32> {
        let mut word = NONE.to_ne_bytes();
        let mut file = &self.file;
        file.rewind().and_then(|()| file.read_exact(&mut word)).ok()?;
        Some(u32::from_ne_bytes(word)).filter(|lane| *lane != NONE)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The worker may still have the file mapped: it remains without a name.
        self.unname();
    }
}
