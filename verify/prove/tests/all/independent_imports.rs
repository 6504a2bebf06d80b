//! Checks the imports of the independent prover: except for the modules in `SHARED`, it uses none of the main prover's.

use std::path::{Path, PathBuf};

/// The modules outside its own that the independent prover may use: mutants, the thread pool of both provers, and planted faults. These modules use
/// no others.
const SHARED: [&str; 3] = ["mutate", "pool", "sabotage"];

/// Returns the paths outside the prover's own modules that a source file uses, in `use` declarations or in full. With `top`, for files directly below
/// the package's root, `super` is the root, too.
fn foreign_paths(source: &str, top: bool) -> Vec<String> {
    let code: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    let roots = ["crate::", "lockstep_prove::", "super::super", "crate as ", "crate self", "#[path"];
    for root in roots.into_iter().chain(top.then_some("super::")) {
        for (at, _) in code.match_indices(root) {
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let path: String = code[at..].chars().take_while(|c| !matches!(c, ';' | '\n')).collect();
            let allowed = path.strip_prefix("crate::").is_some_and(|rest| {
                let first = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next();
                first.is_some_and(|first| SHARED.contains(&first) || first == "independent")
            });
            if !allowed {
                found.push(path);
            }
        }
    }
    found
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut all = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() { all.extend(sources(&path)) } else { all.push(path) }
    }
    all
}

/// Whether the parent of a file's module is the package's root.
fn is_top(root: &Path, file: &Path) -> bool {
    file.parent() == Some(root)
        || file.parent().and_then(Path::parent) == Some(root) && file.ends_with("mod.rs")
}

#[test]
fn the_independent_prover_imports_nothing_of_the_main_prover() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = sources(&root.join("independent"));
    assert!(files.len() >= 10, "{files:?}");
    files.extend(SHARED.map(|module| root.join(format!("{module}.rs"))));
    let tops = files.iter().filter(|file| is_top(&root, file)).count();
    assert_eq!(tops, SHARED.len() + 1, "the module's own file and those that it shares");
    for file in files {
        let source = std::fs::read_to_string(&file).expect("sources can be read");
        assert_eq!(foreign_paths(&source, is_top(&root, &file)), [""; 0], "{}", file.display());
    }
}

#[test]
fn the_import_check_detects_violations() {
    let source = "use crate::term::Terms;\nuse crate::mutate::mutations;\n// use crate::goal\nfn f() { crate::sweep::run() }\n\
                  use super::logic::Logic;\nuse super::super::claims;\nuse crate::{cache, run};\nuse crate::independent::run::run;";
    assert_eq!(
        foreign_paths("use super::term::Terms;\nextern crate self as own;", false),
        ["crate self as own"]
    );
    assert_eq!(foreign_paths("use super::term::Terms;", true), ["super::term::Terms"]);
    assert_eq!(
        foreign_paths(source, false),
        ["crate::term::Terms", "crate::sweep::run() }", "crate::{cache, run}", "super::super::claims"]
    );
}
