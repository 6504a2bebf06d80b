//! Tests report missing material: the helper that all tests use leaves a note, and no test looks for material by itself.

use crate::material;
use std::fs;
use std::path::Path;

#[test]
fn every_missing_folder_is_noted_even_if_others_exist() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("material_notes");
    let _ = fs::remove_dir_all(&place);
    let (corpora, notes) = (place.join("corpora"), place.join("notes"));
    // The same name one level up does not count.
    fs::create_dir_all(place.join("isa")).expect("a folder");
    assert_eq!(material::material_in(&corpora, "isa", &notes), None);
    let note =
        notes.join("lockstep-core::material_notes::every_missing_folder_is_noted_even_if_others_exist");
    let noted = || fs::read_to_string(&note).expect("a note");
    assert_eq!(noted(), "../shared/corpora/isa\n");
    fs::create_dir_all(corpora.join("other")).expect("a folder");
    assert_eq!(material::material_in(&corpora, "other", &notes), Some(corpora.join("other")));
    assert_eq!(noted(), "../shared/corpora/isa\n", "another folder does not replace it");
    assert_eq!(material::material_in(&corpora, "isa", &notes), None);
    assert_eq!(material::material_in(&corpora, "third", &notes), None);
    assert_eq!(noted(), "../shared/corpora/isa\n../shared/corpora/third\n");
}

/// Collects the Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path.display().to_string());
        }
    }
}

#[test]
fn every_test_locates_material_through_the_helper() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in [
        "core/src",
        "core/tests",
        "core/examples",
        "core/benches",
        "verify/src",
        "verify/tests",
        "verify/benches",
        "verify/plugin",
        "verify/prove/src",
        "verify/prove/tests",
        "verify/selftest/src",
        "fuzz/fuzz_targets",
        "fuzz/src",
    ] {
        sources(&root.join(folder), &mut files);
    }
    // Written in two pieces, otherwise this line would match, too.
    let place = ["shared", "/corpora"].concat();
    let code = |line: &str| !line.trim_start().starts_with("//");
    let mut lines = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).expect("a source file");
        let found = text.lines().filter(|line| code(line) && line.contains(&place));
        lines.extend(found.map(|line| format!("{file}: {}", line.trim())));
    }
    let allowed = ["core/tests/all/material_notes.rs", "core/tests/all/material.rs", "verify/src/corpus/"];
    for file in allowed {
        assert!(lines.iter().any(|line| line.contains(file)), "{file} does not need to be allowed");
    }
    lines.retain(|line| !allowed.iter().any(|file| line.contains(file)));
    assert!(files.len() > 300 && lines.is_empty(), "{} files\n{}", files.len(), lines.join("\n"));
    let asks = |file: &&String| fs::read_to_string(file).expect("a source file").contains("material(");
    assert!(files.iter().filter(asks).count() > 12, "tests use the helper");
}
