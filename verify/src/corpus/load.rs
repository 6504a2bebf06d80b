//! Loading collections: our corpora, other people's shaders, and the paths that a user names.

use super::read::{read_file, read_named};
use super::walk::{self, Found};
use super::{Collection, Item, ReadError, Skipped, Strictness};
use crate::oracle::caught;
use lockstep_core::isa::IsaId;
use std::path::Path;

/// The folders of one instruction set's corpora that contain files to check, each with whether it must exist.
const CORPUS_FOLDERS: [(&str, bool); 3] = [("programs", true), ("vectors", true), ("regressions", false)];

impl Collection {
    /// Adds the files of a folder. Item names are relative to `root`.
    fn folder(&mut self, root: &Path, folder: &Path, isa: Option<IsaId>, strictness: Strictness) {
        let short = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
        let before = self.items.len() + self.broken.len();
        let Found { files, skipped, broken } = walk::files(folder);
        self.skipped.extend(skipped);
        match strictness {
            Strictness::Foreign => self.skipped.extend(broken.iter().map(skip)),
            Strictness::Own | Strictness::Drawn | Strictness::Given => self.broken.extend(broken),
        }
        for path in files {
            // The list of opcodes without a witness is not an item; a test reads it.
            if path.file_name().is_some_and(|name| name == "unwitnessed.toml") {
                continue;
            }
            let read = caught(|| read_file(&path, isa));
            let read = read.unwrap_or_else(|panic| {
                Err(ReadError::Panic { name: path.display().to_string(), message: panic.to_string() })
            });
            match read {
                Ok(Ok(content)) => {
                    self.items.push(Item { name: short(&path), path, content, strictness });
                }
                Ok(Err(skipped)) => self.skipped.push(skipped),
                // Unreadable files are expected among other people's shaders. A file in a folder that the user names must be readable, unless neither
                // its name nor its content marks it as a Lockstep file.
                Err(error)
                    if strictness == Strictness::Own
                        || strictness == Strictness::Given && error.is_ours(&path) =>
                {
                    self.broken.push(error);
                }
                Err(error) => self.skipped.push(skip(&error)),
            }
        }
        if before == self.items.len() + self.broken.len() && strictness != Strictness::Given {
            self.empty.push(short(folder));
        }
    }
}

/// Turns a read error into a skipped file. The details of the error are omitted if the file is not a Lockstep file.
fn skip(error: &ReadError) -> Skipped {
    let ours = error.is_ours(Path::new(error.name()));
    let reason = match error {
        ReadError::Case { .. } | ReadError::Vectors { .. } if !ours => {
            "a TOML file of another program".to_owned()
        }
        ReadError::Assembly { isa, .. } if !ours => format!("text that does not look like {isa} assembly"),
        _ => {
            let text = error.to_string();
            let rest = text.strip_prefix(error.name()).unwrap_or(&text);
            rest.trim_start_matches([':', ' ']).to_owned()
        }
    };
    Skipped { name: error.name().to_owned(), reason }
}

/// Loads our own corpora below `root` for the given instruction sets.
///
/// An empty file counts as broken, and so does a missing folder of programs or vectors. A missing folder of regressions is skipped.
pub fn load_own(root: &Path, isas: &[IsaId]) -> Collection {
    let mut all = Collection::default();
    for isa in isas {
        for (subfolder, required) in CORPUS_FOLDERS {
            let folder = root.join(isa.name()).join(subfolder);
            if folder.is_dir() {
                all.folder(root, &folder, Some(*isa), Strictness::Own);
                continue;
            }
            let name = folder.strip_prefix(root).unwrap_or(&folder).display().to_string();
            if required {
                all.broken.push(ReadError::NoFolder { name });
            } else {
                all.skipped.push(Skipped { name, reason: "there is no such folder yet".to_owned() });
            }
        }
    }
    all
}

/// Loads other people's shaders for the given instruction sets, from the folders `ISA/open` below `root`.
pub fn load_real(root: Option<&Path>, isas: &[IsaId]) -> Collection {
    let mut all = Collection::default();
    let Some(root) = root else {
        let reason = "no folder is given: use LOCKSTEP_REAL_CORPORA or --real".to_owned();
        all.skipped.push(Skipped { name: "other people's shaders".to_owned(), reason });
        return all;
    };
    for isa in isas {
        let folder = root.join(isa.folder()).join("open");
        if folder.is_dir() {
            all.folder(root, &folder, Some(*isa), Strictness::Foreign);
        } else {
            let reason = "there is no such folder".to_owned();
            all.skipped.push(Skipped { name: folder.display().to_string(), reason });
        }
    }
    all
}

/// Loads the files and folders that the user names; `-` is standard input.
pub fn load_paths<'a>(paths: impl IntoIterator<Item = &'a Path>, isa: Option<IsaId>) -> Collection {
    let mut all = Collection::default();
    for path in paths {
        if path.is_dir() {
            let before = all.items.len() + all.broken.len();
            all.folder(path.parent().unwrap_or(path), path, isa, Strictness::Given);
            if before == all.items.len() + all.broken.len() {
                all.empty.push(path.display().to_string());
            }
            continue;
        }
        let name = path.display().to_string();
        let read = caught(|| read_named(path, isa))
            .unwrap_or_else(|panic| Err(ReadError::Panic { name: name.clone(), message: panic.to_string() }));
        match read {
            Ok(content) => {
                all.items.push(Item { name, path: path.to_owned(), content, strictness: Strictness::Given });
            }
            Err(error) if error.is_ours(path) && !error.is_environment() => all.broken.push(error),
            Err(error) => all.absent.push(error),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how a file in a folder named by the user is treated: checked, unreadable or skipped.
    fn treatment(name: &str, content: &[u8]) -> &'static str {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(&path, content).expect("a file");
        let all = load_paths([folder.path()], None);
        match (all.items.len(), all.broken.len(), all.skipped.len()) {
            (1, 0, 0) => "checked",
            (0, 1, 0) => "unreadable",
            (0, 0, 1) => "skipped",
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn own_items_are_recognised_by_name_and_content() {
        let vector =
            "isa = \"agal\"\n[[vector]]\nname='a'\nsource='s'\nderivation='d'\nprogram='p'\nlane=[]\n";
        for (name, content, expected) in [
            ("x.toml", vector, "checked"),
            // Typos: in a value, in a key, in the heading.
            ("x.toml", &vector.replace("'s'", "'s"), "unreadable"),
            ("x.toml", &vector.replace("source", "sauce"), "unreadable"),
            ("x.toml", &vector.replace("vector", "vektor"), "unreadable"),
            ("x.toml", "isa = \"agal\"\n", "unreadable"),
            ("Cargo.toml", "[package]\nname = \"x\"\nbroken", "skipped"),
            ("x.agal.txt", "version 1 vertex\nmov op, va0\n", "checked"),
            ("x.agal.txt", "version 1 vertex\nmov op, vx0\n", "unreadable"),
            ("x.agal.txt", "hello", "unreadable"),
            ("agal/x.txt", "version 1 vertex\nmov op, vx0\nadd v0, va0, va1\n", "unreadable"),
            ("agal/x.txt", "mov op vx0", "unreadable"),
            ("agal/notes.txt", "These shaders come from a game.\nAdd more of them.\n", "skipped"),
            ("x.txt", "mov op, vx0", "skipped"),
            ("x.txt", "version 1 vertex\nmvo op, va0", "unreadable"),
            ("x.vsh", "vs_2_0\ndcl_position v0\nmov oPos, v0\n", "checked"),
            ("x.asm", "; by hand\nvs_2_0\nmvo oPos, v0\n", "unreadable"),
            ("a.v.pica", ".proc main\nmvo o0, v0\nend\n.end\n", "unreadable"),
            ("x", "LSC1\0", "unreadable"),
            ("notes.md", "hello", "skipped"),
            // Text that could begin raw words of A2xx, and a file of zeros.
            ("output.txt", "fog 10 of 20 days\n", "skipped"),
            ("icon.rc", "fog 10 of 20 days\n", "skipped"),
            ("icon.rgba", &"\0".repeat(64), "skipped"),
            // The form in which Ruffle stores programs.
            (
                "x.agal",
                "// by hand\n&[160,1,0,0,0,161,0,0,0,0,0,0,0,15,3,0,0,0,228,0,0,0,0,0,0,0,0,0,0,0,0]",
                "checked",
            ),
        ] {
            assert_eq!(treatment(name, content.as_bytes()), expected, "{name}: {content}");
        }
        assert_eq!(treatment("x.agal.txt", &[0xff, 0xfe, 0]), "unreadable");
        // If the extension marks a file as binary, the judge reports the decode error.
        for name in ["x.shbin", "x.vso", "x.pso", "x.mbs", "x.SHBIN"] {
            assert_eq!(treatment(name, &[1, 2, 3]), "checked", "{name}");
        }
        assert_eq!(treatment("x.agal", &[1, 2, 3]), "checked");
    }

    #[test]
    fn a_missing_named_file_is_a_usage_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let absent = folder.path().join("x.agal");
        let all = load_paths([absent.as_path(), folder.path()], None);
        assert_eq!((all.absent.len(), all.broken.len(), all.empty.len()), (1, 0, 1));
    }
}
