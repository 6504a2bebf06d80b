//! Tests of judging several subjects on the same cases: the report names the subject that disagrees with the others.

use super::{judge, text};
use std::path::{Path, PathBuf};

/// Returns the command line of our engine for AGAL, with a known bug or without one.
fn serve(bug: &str) -> String {
    let bug = if bug.is_empty() { String::new() } else { format!(" --bug {bug}") };
    format!("'{}' serve --isa agal{bug}", env!("CARGO_BIN_EXE_lockstep"))
}

/// Judges several subjects, with `--strict-options`, because other choices of options would explain the bugs.
fn run(folder: &Path, subjects: &[&str], more: &[&str]) -> super::Run {
    let subjects: Vec<String> = subjects.iter().map(|bug| serve(bug)).collect();
    let mut arguments = vec![subjects[0].as_str(), "--isa", "agal", "--count", "60", "--strict-options"];
    for subject in &subjects[1..] {
        arguments.extend(["--also", subject.as_str()]);
    }
    arguments.extend(more);
    judge(folder, &arguments)
}

/// Returns the findings of a run, each with the folder name of its subject.
fn findings(folder: &Path) -> Vec<(String, PathBuf)> {
    let dirs = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).expect("a folder");
        let mut all: Vec<PathBuf> =
            entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
        all.sort();
        all
    };
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let subjects = dirs(&folder.join("lockstep-judged"));
    subjects.iter().flat_map(|one| dirs(one).into_iter().map(|path| (name(one), path))).collect()
}

const BUG: &str = "one-component-stores-x";

#[test]
fn a_finding_names_the_subject_that_differs_from_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let done = run(folder.path(), &["", BUG, ""], &[]);
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    let found = findings(folder.path());
    assert!(!found.is_empty() && found.iter().all(|(of, _)| *of == found[0].0), "{found:?}");
    for (_, path) in &found {
        let report = text(path.join("finding.txt"));
        let squeezed = report.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(squeezed.contains("opinions lockstep reference stands alone"), "{report}");
        let others = "the reference, lockstep executor, lockstep executor (2): as the reference";
        assert!(squeezed.contains(others), "{report}");
        assert!(squeezed.contains("lockstep reference: lane 0, "), "{report}");
        let opinions: serde_json::Value = serde_json::from_str(&text(path.join("opinions.json"))).unwrap();
        assert_eq!(opinions["groups"][0]["members"].as_array().map(Vec::len), Some(3), "{opinions}");
    }
    // Each subject has its own summary, over the same cases.
    assert_eq!(done.out.matches("60 cases sent").count(), 3, "{}", done.out);
    assert_eq!(done.out.matches("\nclean\n").count(), 2, "{}", done.out);
    // A known finding of one subject does not excuse the same finding of another.
    let known = ["--baseline", "lockstep-judged/baseline.toml", "--findings", "again"];
    let again = run(folder.path(), &["", BUG, ""], &known);
    assert_eq!(again.status, Some(0), "{}{}", again.out, again.err);
    let other = run(folder.path(), &[BUG, BUG], &known);
    assert_eq!(other.status, Some(1), "{}{}", other.out, other.err);
}

#[test]
fn if_all_subjects_agree_the_reference_is_the_one_that_differs() {
    let folder = tempfile::tempdir().unwrap();
    let done = run(folder.path(), &[BUG, BUG], &["--most", "1"]);
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    let found = findings(folder.path());
    assert!(!found.is_empty(), "{}", done.out);
    for (_, path) in &found {
        assert!(text(path.join("finding.txt")).contains("the reference stands alone"), "{path:?}");
    }
    // With two different bugs, the subject whose bug shows is the one that differs: the other subject and the reference are the majority.
    let folder = tempfile::tempdir().unwrap();
    let done = run(folder.path(), &[BUG, "kil-of-any-component"], &["--most", "1"]);
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    let lines: Vec<String> =
        findings(folder.path()).iter().map(|(_, path)| text(path.join("finding.txt"))).collect();
    assert!(lines.iter().any(|text| text.contains("stands alone")), "{lines:?}");
}

#[test]
fn only_what_is_inside_of_all_profiles_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.toml"), "versions = [1]\nsupports = 'only mov, add'").unwrap();
    let done = run(folder.path(), &["", ""], &["--profile", "p.toml", "--also", "nothing-there"]);
    assert_eq!(done.status, Some(2), "{}{}", done.out, done.err);
    let done = run(folder.path(), &["", ""], &["--profile", "p.toml"]);
    assert_eq!(done.status, Some(0), "{}{}", done.out, done.err);
    assert_eq!(done.out.matches("60 cases sent").count(), 2, "{}", done.out);
    assert!(!done.out.contains("outside of the profile"), "{}", done.out);
}
