//! Tests of the first and the last lines that `judge` prints.

use super::{file, finding, judge, text};
use lockstep::case::Case;
use lockstep_core::host::Environment;
use lockstep_core::isa::Syntax;
use lockstep_core::isa::d3d9::D3d9;

fn bad(how: &str) -> String {
    format!("python3 -S {} {how}", file("tests/all/judge/bad.py"))
}

#[test]
fn a_subject_that_supports_nothing_is_not_clean() {
    let folder = tempfile::tempdir().unwrap();
    let done = judge(folder.path(), &[&bad("refuse"), "--isa", "agal", "--count", "40"]);
    assert_eq!(done.status, Some(3), "{}{}", done.out, done.err);
    assert!(done.out.contains("unsupported, or rejected as the profile allows"), "{}", done.out);
    assert!(done.out.ends_with("nothing was compared\n"), "{}", done.out);
}

#[test]
fn names_of_subjects_stay_on_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let done = judge(folder.path(), &[&bad("names"), "--isa", "agal", "--count", "0"]);
    assert!(done.out.starts_with("bad one 1 2: agal, decode\n"), "{}", done.out);
}

/// Returns the standard error of a run that ends with a usage error and prints nothing on standard output.
fn refused(folder: &std::path::Path, option: &str, value: &str) -> String {
    let done = judge(folder, &[&bad("good"), "--isa", "agal", "--count", "8", option, value]);
    assert_eq!(done.status, Some(2), "{}{}", done.out, done.err);
    assert_eq!(done.out, "");
    done.err
}

#[test]
fn a_baseline_of_another_set_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let program = D3d9::assemble("vs_2_0\nmov oPos, c0\n").expect("a program");
    let case = Case::new::<D3d9>(&program, Environment::default()).to_text(None);
    let text = format!("[[finding]]\nsignature = 'x'\nclass = 'value'\ncase = \'\'\'\n{case}\'\'\'\n");
    std::fs::write(folder.path().join("other.toml"), text).unwrap();
    let said = refused(folder.path(), "--baseline", "other.toml");
    assert!(said.contains("the baseline's x is d3d9, not agal"), "{said}");
}

#[test]
fn a_findings_folder_that_cannot_be_created_is_refused_at_startup() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let said = refused(folder.path(), "--findings", "file/below");
    assert!(said.contains("file/below: Not a directory"), "{said}");
}

#[test]
fn the_command_of_a_finding_names_another_findings_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.agal.txt"), "version 1 vertex\nsqt op, va0\n").unwrap();
    let done = judge(folder.path(), &[&bad("exit"), "--isa", "agal", "--count", "0", "p.agal.txt"]);
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    let report = text(finding(folder.path()).join("finding.txt"));
    let again = report.lines().find_map(|line| line.trim().strip_prefix("again ")).expect("a command");
    let words: Vec<&str> = again.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "--findings").expect("a folder");
    assert_ne!(words[at + 1], "lockstep-judged", "{again}");
}
