//! Subjects that list their steps: findings name the first step that differs.

use super::library::ours;
use super::{findings, judge, text};

/// Judges a subject with a known bug. Returns the report of the first finding, and the traces in the finding's folder.
fn found(subject: &str) -> (String, serde_json::Value) {
    let folder = tempfile::tempdir().unwrap();
    let done = judge(
        folder.path(),
        &[subject, "--isa", "agal", "--most", "1", "--count", "400", "--strict-options"],
    );
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    let first = findings(folder.path()).into_iter().min().expect("a finding");
    let traces = text(first.join("traces.json"));
    (text(first.join("finding.txt")), serde_json::from_str(&traces).unwrap())
}

#[test]
fn a_finding_names_the_first_differing_step_of_processes_and_libraries() {
    let served =
        format!("'{}' serve --isa agal --bug one-component-stores-x", env!("CARGO_BIN_EXE_lockstep"));
    let loaded = format!("'{}' bug one-component-stores-x", ours().display());
    for subject in [served, loaded] {
        let (report, traces) = found(&subject);
        let step =
            report.lines().find(|line| line.contains("first step")).unwrap_or_else(|| panic!("{report}"));
        assert!(step.contains("step 0, instruction 0"), "{report}");
        for side in ["reference", "subject"] {
            let word = traces.pointer(&format!("/{side}/steps/0/0/word"));
            assert_eq!(word.and_then(serde_json::Value::as_u64), Some(0), "{subject}: {traces}");
        }
        assert_ne!(traces["reference"]["steps"], traces["subject"]["steps"]);
    }
}
