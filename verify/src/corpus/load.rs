//! Collections: our corpora, other people's shaders, and what a person names.

use super::{Collection, Item, ReadError, Skipped, Standing, read_file, read_named, walk};
use lockstep_core::isa::IsaId;
use std::path::Path;

/// The folders of one instruction set's corpora that hold things to check, and whether there has to be one.
const ROOMS: [(&str, bool); 3] = [("programs", true), ("vectors", true), ("regressions", false)];

fn add(to: &mut Collection, root: &Path, path: &Path, isa: Option<IsaId>, standing: Standing) {
    let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
    match read_file(path, isa) {
        Ok(Ok(content)) => to.items.push(Item { name, path: path.to_owned(), content, standing }),
        Ok(Err(skipped)) => to.skipped.push(skipped),
        Err(error) if standing == Standing::Own => to.broken.push(error),
        Err(error) => to.skipped.push(Skipped { name, reason: error.to_string() }),
    }
}

/// Our own corpora below `root`, of the given instruction sets.
///
/// A file that holds nothing is broken, and so is an absent folder of programs or vectors; an absent folder of regressions is skipped.
pub fn load_own(root: &Path, isas: &[IsaId]) -> Collection {
    let mut all = Collection::default();
    for isa in isas {
        for (room, needed) in ROOMS {
            let folder = root.join(isa.name()).join(room);
            if !folder.is_dir() {
                let name = folder.strip_prefix(root).unwrap_or(&folder).display().to_string();
                if needed {
                    all.broken.push(ReadError::NoFolder { name });
                } else {
                    all.skipped.push(Skipped { name, reason: "there is no such folder yet".to_owned() });
                }
                continue;
            }
            let (files, skipped) = walk::files(&folder);
            all.skipped.extend(skipped);
            for path in files {
                add(&mut all, root, &path, Some(*isa), Standing::Own);
            }
        }
    }
    all
}

/// Other people's shaders: `ISA/open` below `root`, of the given instruction sets.
pub fn load_real(root: Option<&Path>, isas: &[IsaId]) -> Collection {
    let mut all = Collection::default();
    let Some(root) = root else {
        let reason = "the folder is not there (LOCKSTEP_REAL_CORPORA may name it)".to_owned();
        all.skipped.push(Skipped { name: "../shared/corpora".to_owned(), reason });
        return all;
    };
    for isa in isas {
        let folder = root.join(isa.folder()).join("open");
        if !folder.is_dir() {
            let reason = "there is no such folder".to_owned();
            all.skipped.push(Skipped { name: folder.display().to_string(), reason });
            continue;
        }
        let (files, skipped) = walk::files(&folder);
        all.skipped.extend(skipped);
        for path in files {
            add(&mut all, root, &path, Some(*isa), Standing::Foreign);
        }
    }
    all
}

/// Files and folders that a person named; `-` is standard input.
pub fn load_paths<'a>(paths: impl IntoIterator<Item = &'a Path>, isa: Option<IsaId>) -> Collection {
    let mut all = Collection::default();
    for path in paths {
        if path.is_dir() {
            let (files, skipped) = walk::files(path);
            all.skipped.extend(skipped);
            for file in files {
                add(&mut all, path.parent().unwrap_or(path), &file, isa, Standing::Foreign);
            }
            continue;
        }
        match read_named(path, isa) {
            Ok(content) => {
                let name = path.display().to_string();
                all.items.push(Item { name, path: path.to_owned(), content, standing: Standing::Foreign });
            }
            Err(error) => all.broken.push(error),
        }
    }
    all
}
