//! Checks imports: reference and lowering of an instruction set share only the modules in [`COMMON`], and folders import what
//! `ARCHITECTURE.md` allows.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules that both the reference and the lowering may use: the typed program, the tables, the number domain, and the environment.
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
const LOWERING: &[&str] = &["crate::ir", "crate::isa::lowering", "super::variables"];

/// Returns every path from `crate` or `super` that a source file uses, in `use` declarations or in full, truncated to two segments, or to three for
/// the shared lowering, relative to the instruction set's folder. `folder` is the name of that folder. A `nested` file is in a subfolder of a module
/// and may use that module's items.
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
                (Some(item), _) => format!("super::{item}"),
                (None, Some(sibling)) if nested => format!("super::{sibling}"),
                _ if nested && path.starts_with("super::") => continue,
                _ => path,
            };
            let shared = path.starts_with("crate::isa::lowering");
            let two: Vec<&str> = path.split("::").take(if shared { 3 } else { 2 }).collect();
            // Both use the instruction set's own unit type for the trait.
            if two != ["super", isa] {
                found.insert(two.join("::"));
            }
        }
    }
    found
}

/// Returns the files of a module: `name.rs` and all in `name/`.
fn module_files(folder: &Path, name: &str) -> Vec<PathBuf> {
    let single = folder.join(format!("{name}.rs"));
    let nested = fs::read_dir(folder.join(name))
        .map(|dir| dir.filter_map(|e| Some(e.ok()?.path())).collect::<Vec<_>>());
    single.exists().then_some(single).into_iter().chain(nested.unwrap_or_default()).collect()
}

fn disallowed_imports(folder: &Path, name: &str, allowed: &[&[&str]]) -> Vec<String> {
    let isa = folder.file_name().and_then(|n| n.to_str()).expect("a folder has a name");
    let unit: String = isa.split('_').map(|w| w[..1].to_uppercase() + &w[1..]).collect();
    let files = module_files(folder, name);
    assert!(!files.is_empty(), "{} has no module '{name}'", folder.display());
    let mut disallowed = Vec::new();
    for file in files {
        let source = fs::read_to_string(&file).expect("sources can be read");
        let nested = file.parent() != Some(folder);
        for path in paths(&source, &unit, isa, nested) {
            if !allowed.iter().any(|set| set.contains(&path.as_str())) {
                disallowed.push(format!("{}: {path}", file.display()));
            }
        }
    }
    disallowed
}

#[test]
fn reference_and_lowering_share_nothing_above_the_domain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/isa");
    let mut seen = 0;
    for entry in fs::read_dir(root).expect("the folder of instruction sets") {
        let folder = entry.expect("an entry").path();
        let has_module =
            |name: &str| folder.join(name).exists() || folder.join(format!("{name}.rs")).exists();
        if folder.is_dir() && (has_module("reference") || has_module("lower")) {
            assert_eq!(disallowed_imports(&folder, "reference", &[COMMON]), [""; 0]);
            assert_eq!(disallowed_imports(&folder, "lower", &[COMMON, LOWERING]), [""; 0]);
            seen += 1;
        }
    }
    assert!(seen >= lockstep_core::isa::IsaId::ALL.len());
}

#[test]
fn the_import_check_detects_violations() {
    let source = "use super::{Agal, lower::exits}; use crate::ir::Op;\n// use crate::exec;\nfn f() { super::lower::node() }";
    let found = |source, nested| paths(source, "Agal", "agal", nested).into_iter().collect::<Vec<String>>();
    assert_eq!(found(source, false), ["crate::ir", "super::lower"]);
    let source = "use crate::isa::lowering::Successors; use crate::isa::{Edit, Stage};";
    assert_eq!(found(source, false), ["crate::isa", "crate::isa::lowering"]);
    let source = "use super::{Cx, step}; use super::super::reference::Lane;\nfn f() { crate::isa::agal::lower::node() }";
    assert_eq!(found(source, true), ["super::lower", "super::reference"]);
}

/// Returns the rows about folders of `core/src` in the table of `ARCHITECTURE.md`: the folder and what it may import. A row that allows everything
/// is left out.
fn layers(text: &str) -> Vec<(&str, Vec<&str>)> {
    let row = |line| {
        let [_, folder, _, imports, _] = str::split(line, '|').collect::<Vec<_>>()[..] else { return None };
        let folder = folder.trim().strip_prefix("`core/src/")?.strip_suffix('`')?;
        let named = imports.split('`').skip(1).step_by(2).collect();
        (imports.trim() != "all of the above").then_some((folder, named))
    };
    text.lines().filter_map(row).collect()
}

/// Returns the modules of the crate that a source text names outside comments.
fn modules(source: &str) -> BTreeSet<String> {
    let code =
        source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let name = |at: usize| code[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    code.match_indices("crate::").map(|(at, root)| name(at + root.len())).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

#[test]
fn folders_import_what_the_table_of_the_architecture_allows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("../ARCHITECTURE.md")).expect("the document");
    let layers = layers(&text);
    assert_eq!(
        layers.iter().map(|row| row.0).collect::<Vec<_>>(),
        ["value", "text", "binary", "host", "ir", "exec"]
    );
    for (folder, allowed) in layers {
        let files = sources(&root.join("src").join(folder));
        assert!(!files.is_empty(), "{folder}");
        for file in files {
            for name in modules(&fs::read_to_string(&file).expect("sources can be read")) {
                // Every folder may import the counter of work, because code everywhere counts its work for tests.
                let is_allowed = name == folder || name == "work" || allowed.contains(&&*name);
                assert!(is_allowed, "{} imports `{name}`", file.display());
            }
        }
    }
}

#[test]
fn the_import_table_is_parsed() {
    let table = "| `core/src/a` | x | `b`, and from `c` y |\n| `core/src/d` | x | all of the above |\n| `verify` | x | `core` |";
    assert_eq!(layers(table), [("a", vec!["b", "c"])]);
    let found: Vec<String> =
        modules("// crate::x\nuse crate::b::C;\nfn f() { crate::isa::g() }").into_iter().collect();
    assert_eq!(found, ["b", "isa"]);
}
