//! The mark, which contains the number of the lane being run: a `u32` in a file that worker and host share. The host can read the mark after the
//! worker has crashed.

use super::foreign::{PAGE, Page, write_word};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The environment variable that contains the path of the file.
pub(in crate::judge) const VARIABLE: &str = "LOCKSTEP_MARK";
/// The value for "no lane is being run".
const NONE: u32 = u32::MAX;

/// The mark as the worker accesses it.
pub(super) struct Mark {
    page: Option<Page>,
    /// The memory for the mark if there is no shared page.
    private_mark: u32,
}

impl Mark {
    /// Maps the file that the environment variable names. Without such a file, marks are not visible to the host.
    pub(super) fn from_environment() -> Mark {
        let file = std::env::var_os(VARIABLE)
            .and_then(|path| File::options().read(true).write(true).open(path).ok());
        Mark { page: file.as_ref().and_then(Page::map), private_mark: NONE }
    }

    /// Sets the mark to "no lane is being run".
    pub(super) fn clear(&mut self) {
        match &self.page {
            Some(page) => write_word(page, NONE),
            None => self.private_mark = NONE,
        }
    }

    /// Returns the address at which a library writes the lane number.
    pub(super) fn at(&mut self) -> *mut u32 {
        self.page.as_ref().map_or(&raw mut self.private_mark, |page| page.at().cast::<u32>())
    }
}

/// The mark as the host accesses it: a file. The file's name is removed once the worker has opened the file, so that no file remains after a worker
/// is killed.
pub(in crate::judge) struct Shared {
    file: File,
    path: PathBuf,
    is_named: bool,
}

impl Shared {
    /// Creates a temporary file; `None` if that fails, in which case there are no marks.
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

    /// Removes the file's name. Called when the worker has opened the file, or never will.
    pub(in crate::judge) fn unlink(&mut self) {
        if std::mem::take(&mut self.is_named) {
            // Removing fails if another process has removed the file, which is harmless.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Returns the lane being run, or the one that was being run when the worker ended; `None` if there is none.
    pub(in crate::judge) fn lane(&self) -> Option<u32> {
        let mut word = NONE.to_ne_bytes();
        let mut file = &self.file;
        file.rewind().and_then(|()| file.read_exact(&mut word)).ok()?;
        Some(u32::from_ne_bytes(word)).filter(|lane| *lane != NONE)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The worker may still have the file mapped, so only the name is removed.
        self.unlink();
    }
}
