//! Faults in files that tests read. A build cannot contain a switch for them, so the files are changed while tests run, in a copy of the tree.

use super::{Error, Fault, Form};
use std::path::{Path, PathBuf};

/// The files that a fault has changed, with their original content; `None` for a file that the fault created. Dropping this value restores them.
#[derive(Debug, Default)]
pub struct Changed(Vec<(PathBuf, Option<String>)>);

impl Drop for Changed {
    fn drop(&mut self) {
        // Restores the last change first, as a file may have several changes. A file that cannot be restored is repaired when the copy is next made.
        for (path, text) in self.0.drain(..).rev() {
            let _ = match text {
                Some(text) => std::fs::write(path, text),
                None => std::fs::remove_file(path),
            };
        }
    }
}

/// Applies the changes of form [`Form::File`] of a fault to the copy at `root`.
///
/// # Errors
/// If a file cannot be read or written, or does not contain the text to replace.
pub fn change(root: &Path, fault: &Fault) -> Result<Changed, Error> {
    let mut changed = Changed::default();
    for change in fault.changes().into_iter().filter(|change| change.form == Form::File) {
        let path = root.join(&change.file);
        let error = |source| Error::file(&path, source);
        let (before, after) = if change.find.is_empty() {
            (None, change.with)
        } else {
            let before = std::fs::read_to_string(&path).map_err(error)?;
            let at = before.match_indices(&change.find).map(|(at, _)| at).nth(change.nth.unwrap_or(1) - 1);
            let at = at.ok_or_else(|| Error::row(fault, format!("its text is not in {}", change.file)))?;
            let mut after = before.clone();
            after.replace_range(at..at + change.find.len(), &change.with);
            (Some(before), after)
        };
        std::fs::write(&path, after).map_err(error)?;
        changed.0.push((path, before));
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_changed_and_restored() {
        let folder = std::env::temp_dir().join(format!("lockstep-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (old, new) = (folder.join("old.md"), folder.join("new.md"));
        std::fs::write(&old, "one two one").expect("a file");
        let row = "name = 'n'\nisa = 'all'\nfile = 'old.md'\nfind = 'one'\nnth = 2\nwith = 'three'\nform = 'file'\nbreaks = 'b'\n\
                   [[also]]\nfile = 'new.md'\nfind = ''\nwith = 'four'\nform = 'file'\n\
                   [[also]]\nfile = 'old.md'\nfind = 'two'\nwith = '2'\nform = 'file'\n\
                   [[also]]\nfile = 'none.rs'\nfind = 'switched'\nwith = 'x'";
        let fault: Fault = toml::from_str(row).expect("a row");
        let read = |path: &Path| std::fs::read_to_string(path).ok();
        let changed = change(&folder, &fault).expect("both files");
        assert_eq!(read(&old).as_deref(), Some("one 2 three"));
        assert_eq!(read(&new).as_deref(), Some("four"));
        drop(changed);
        assert_eq!(read(&old).as_deref(), Some("one two one"));
        assert_eq!(read(&new), None);
        // If one change fails, the earlier ones are undone.
        let fault = Fault { file: "other.md".to_owned(), ..fault };
        assert!(change(&folder, &fault).is_err());
        assert_eq!(read(&new), None);
        std::fs::remove_dir_all(folder).expect("gone");
    }
}
