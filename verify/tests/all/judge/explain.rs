//! `lockstep explain` on findings written by campaigns.

use super::{Run, file, findings, judge};
use std::path::Path;
use std::process::Command;

fn explain(folder: &Path, of: &str) -> Run {
    let done = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["explain", of])
        .current_dir(folder)
        .output()
        .expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { status: done.status.code(), out: text(&done.stdout), err: text(&done.stderr) }
}

/// Judges a subject, checks that `lockstep explain` names `remedy` among the remedies for each of its findings, and judges the subject again under
/// the printed profile. No finding may be left.
fn no_finding_is_left(subject: &str, isa: &str, options: &[&str], remedy: &str) {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&[subject, "--isa", isa, "--count", "400"], options].concat();
    let done = judge(folder.path(), &arguments);
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    let told = explain(folder.path(), "lockstep-judged");
    assert_eq!(told.status, Some(0), "{}{}", told.out, told.err);
    let (sentences, profile) = told.out.split_once("is left:\n").expect("a profile");
    let sentences: Vec<&str> = sentences.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(sentences.len(), findings(folder.path()).len(), "{}", told.out);
    assert!(sentences.iter().all(|line| line.contains(remedy)), "{}", told.out);
    std::fs::write(folder.path().join("mine.toml"), profile).unwrap();
    let again = judge(folder.path(), &[&arguments[..], &["--profile", "mine.toml"]].concat());
    assert_eq!(again.status, Some(0), "{}{}{}", told.out, again.out, again.err);
}

#[test]
fn the_suggested_profile_leaves_no_finding() {
    let bug = format!("'{}' serve --isa agal --bug one-component-stores-x", env!("CARGO_BIN_EXE_lockstep"));
    no_finding_is_left(&bug, "agal", &["--strict-options"], "options: single_mask = \"x\"");
    let bug = format!("'{}' serve --isa pica200 --bug litp-ignored", env!("CARGO_BIN_EXE_lockstep"));
    no_finding_is_left(&bug, "pica200", &["--most", "1"], "no litp");
}

#[test]
fn explain_refuses_what_was_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let none = explain(folder.path(), ".");
    assert!(none.status == Some(2) && none.err.contains("contains no finding"), "{}", none.err);
    let lost = explain(folder.path(), "nowhere");
    assert!(lost.status == Some(2) && lost.err.contains("nowhere"), "{}", lost.err);
    let subject = format!("python3 -S {} --bug", file("examples/subject.py"));
    judge(folder.path(), &[&subject, "--isa", "agal", "--count", "200", "--most", "1"]);
    let found = findings(folder.path())[0].join("exchange.json");
    for broken in [
        "",
        "{\"questions\": [1], \"subject\": [{\"lanes\": 3}]}",
        "{\"profile\": {\"supports\": \"no masc\"}}",
    ] {
        std::fs::write(&found, broken).unwrap();
        let told = explain(folder.path(), "lockstep-judged");
        assert!(
            told.status == Some(2) && told.err.contains("exchange.json"),
            "{broken}: {}{}",
            told.out,
            told.err
        );
    }
}
