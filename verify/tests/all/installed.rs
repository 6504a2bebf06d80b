//! The program without its checkout, as `cargo install --path verify` leaves it: everything the verbs need is embedded.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs the program in an empty folder, with the user's caches in another.
fn run(folder: &Path, caches: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(arguments)
        .current_dir(folder)
        .env("LOCKSTEP_CORPORA", "embedded")
        .env("LOCKSTEP_REAL_CORPORA", folder.join("absent"))
        .env("XDG_CACHE_HOME", caches)
        .env_remove("LOCKSTEP_LOG")
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Adds the files below a folder to `found`, with paths relative to `root`.
fn files(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(root, &path, found);
        } else {
            found.push(path.strip_prefix(root).expect("below it").to_owned());
        }
    }
}

#[test]
fn the_main_job_runs_on_embedded_corpora() {
    let here = tempfile::tempdir().expect("a folder");
    let caches = tempfile::tempdir().expect("a folder");
    for _ in 0..2 {
        // The second time, the copy exists.
        let output =
            run(here.path(), caches.path(), &["check", "--isa", "agal", "--no-proofs", "--seeds", "1"]);
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        assert!(printed(&output).contains("agal"), "{}", printed(&output));
    }
    let copies: Vec<_> = caches.path().join("lockstep").read_dir().expect("a folder").collect();
    assert_eq!(copies.len(), 1, "not exactly one copy: {copies:?}");
    let copy = copies[0].as_ref().expect("an entry").path();
    let mut found = Vec::new();
    files(&copy, &copy, &mut found);
    assert!(found.len() > 500, "{} files", found.len());
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora");
    for file in found.iter().filter(|file| !file.starts_with("proofs")) {
        let [ours, theirs] = [&checkout, &copy].map(|root| std::fs::read(root.join(file)).expect("a file"));
        assert!(ours == theirs, "{} differs", file.display());
    }
    assert!(found.iter().any(|file| file.ends_with("proofs/cache.jsonl")));
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let here = tempfile::tempdir().expect("a folder");
    let blocked = here.path().join("file");
    std::fs::write(&blocked, "no folder").expect("a file");
    let output = run(here.path(), &blocked, &["check", "--isa", "agal", "--no-proofs"]);
    assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
    assert!(printed(&output).contains(&blocked.display().to_string()), "{}", printed(&output));
}

#[test]
fn missing_corpora_are_named() {
    let here = tempfile::tempdir().expect("a folder");
    for verb in ["check", "prove"] {
        let absent = here.path().join("absent");
        let output = run(
            here.path(),
            here.path(),
            &[verb, "--corpora", absent.to_str().expect("a name"), "--isa", "agal"],
        );
        let printed = printed(&output);
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert!(
            printed.contains(absent.to_str().expect("a name")) && printed.contains("LOCKSTEP_CORPORA"),
            "{printed}"
        );
    }
}
