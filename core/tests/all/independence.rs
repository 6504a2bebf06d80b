//! Reference and lowering of an instruction set share nothing above `Domain`: checks their imports.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules that both may use: the typed program, the tables, the number domain, and the environment.
const COMMON: &[&str] = &[
    "crate::value",
    "crate::host",
    "crate::isa",
    "super::program",
    "super::opcode",
    "super::options",
    "super::word",
    "super::source",
    "smallvec",
    "std",
];
/// The modules that only the lowering may use.
const LOWERING: &[&str] = &["crate::ir", "super::variables"];

/// Every path that a source file uses in `use` declarations or in full, truncated to two segments, relative to the instruction set's folder. `folder`
/// is the instruction set's; a `nested` file is in a subfolder of a module and may use that module's items.
fn paths(source: &str, isa: &str, folder: &str, nested: bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let code: String =
        source.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join(" ");
    // First expand groups such as super::{a, b::c}.
    let mut text = code;
    while let Some(open) = text.find("super::{") {
        let close = open + text[open..].find("};").expect("a group ends");
        let inside = text[open + 8..close].to_owned();
        let opened: String = inside.split(',').map(|p| format!(" super::{} ;", p.trim())).collect();
        text.replace_range(open..=close, &opened);
    }
    for root in ["crate::", "super::"] {
        for (at, _) in text.match_indices(root) {
            let path: String =
                text[at..].chars().take_while(|c| c.is_alphanumeric() || matches!(c, ':' | '_')).collect();
            if text[..at].ends_with("super::") {
                continue;
            }
            let inside = path.strip_prefix(&format!("crate::isa::{folder}::"));
            let path = match (inside, path.strip_prefix("super::super::")) {
                (Some(room), _) => format!("super::{room}"),
                (None, Some(sibling)) if nested => format!("super::{sibling}"),
                _ if nested && path.starts_with("super::") => continue,
                _ => path,
            };
            let two: Vec<&str> = path.split("::").take(2).collect();
            // Both use the instruction set's own unit type for the trait.
            if two != ["super", isa] {
                found.insert(two.join("::"));
            }
        }
    }
    found
}

/// The files of a module: `room.rs` and all in `room/`.
fn room(folder: &Path, name: &str) -> Vec<PathBuf> {
    let single = folder.join(format!("{name}.rs"));
    let nested = fs::read_dir(folder.join(name))
        .map(|dir| dir.filter_map(|e| Some(e.ok()?.path())).collect::<Vec<_>>());
    single.exists().then_some(single).into_iter().chain(nested.unwrap_or_default()).collect()
}

fn strangers(folder: &Path, name: &str, allowed: &[&[&str]]) -> Vec<String> {
    let isa = folder.file_name().and_then(|n| n.to_str()).expect("a folder has a name");
    let unit: String = isa.split('_').map(|w| w[..1].to_uppercase() + &w[1..]).collect();
    let files = room(folder, name);
    assert!(!files.is_empty(), "{} has no room '{name}'", folder.display());
    let mut strangers = Vec::new();
    for file in files {
        let source = fs::read_to_string(&file).expect("sources can be read");
        let nested = file.parent() != Some(folder);
        for path in paths(&source, &unit, isa, nested) {
            if !allowed.iter().any(|set| set.contains(&path.as_str())) {
                strangers.push(format!("{}: {path}", file.display()));
            }
        }
    }
    strangers
}

#[test]
fn reference_and_lowering_share_nothing_above_the_domain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/isa");
    let mut seen = 0;
    for entry in fs::read_dir(root).expect("the folder of instruction sets") {
        let folder = entry.expect("an entry").path();
        let room = |name: &str| folder.join(name).exists() || folder.join(format!("{name}.rs")).exists();
        if folder.is_dir() && (room("reference") || room("lower")) {
            assert_eq!(strangers(&folder, "reference", &[COMMON]), [""; 0]);
            assert_eq!(strangers(&folder, "lower", &[COMMON, LOWERING]), [""; 0]);
            seen += 1;
        }
    }
    assert!(seen >= lockstep_core::isa::IsaId::ALL.len());
}

#[test]
fn the_watch_sees_what_it_should() {
    let source = "use super::{Agal, lower::exits}; use crate::ir::Op;\n// use crate::exec;\nfn f() { super::lower::node() }";
    let found = |source, nested| paths(source, "Agal", "agal", nested).into_iter().collect::<Vec<String>>();
    assert_eq!(found(source, false), ["crate::ir", "super::lower"]);
    let source = "use super::{Cx, step}; use super::super::reference::Lane;\nfn f() { crate::isa::agal::lower::node() }";
    assert_eq!(found(source, true), ["super::lower", "super::reference"]);
}
