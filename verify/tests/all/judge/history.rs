//! Subjects whose failures depend on earlier questions, and campaigns that end during triage.

use super::{file, finding, findings, judge, text};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn bad(how: &str) -> String {
    format!("python3 -S {} {how}", file("tests/all/judge/bad.py"))
}

fn write(folder: &Path, name: &str, program: &str) {
    std::fs::create_dir_all(folder.join("programs")).unwrap();
    std::fs::write(folder.join("programs").join(name), program).unwrap();
}

#[test]
fn a_subject_that_dies_after_some_questions_is_one_finding_with_its_history() {
    let folder = tempfile::tempdir().unwrap();
    for (number, op) in ["mov", "rcp", "rsq", "abs", "neg", "frc", "exp", "log", "sin", "cos", "sat", "mov"]
        .iter()
        .enumerate()
    {
        let name = format!("{number:02}.agal.txt");
        write(folder.path(), &name, &format!("version 1 vertex\n{op} op, va0.{}\n", ["x", "y"][number / 11]));
    }
    let done = judge(folder.path(), &[&bad("count"), "--isa", "agal", "--count", "0", "programs"]);
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    assert!(done.out.contains("12 cases sent"), "{}", done.out);
    let found = finding(folder.path());
    let name = found.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("agal-crash-exit9-history-"), "{name}\n{}", done.out);
    // The subject ends at the fifth question, so the finding needs any four earlier questions.
    assert!(
        found.join("0003-before.toml").exists() && !found.join("0004-before.toml").exists(),
        "{}",
        done.out
    );
    let shown = format!("{:>6}  {name}", 2);
    assert!(done.out.contains(&shown), "{shown}\n{}", done.out);
}

#[test]
fn a_superfluous_answer_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "only.agal.txt", "version 1 vertex\nsqt op, va0\n");
    let done = judge(folder.path(), &[&bad("twice"), "--isa", "agal", "--count", "0", "programs"]);
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    assert!(done.out.contains("1 case sent"), "{}", done.out);
    let name = finding(folder.path()).file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name.starts_with("agal-garbage-id-"), "{name}");
}

#[test]
fn workers_that_fail_to_restart_leave_summary_and_suspect() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "1.agal.txt", "version 1 vertex\nmov op, va0\n");
    write(folder.path(), "2.agal.txt", "version 1 vertex\nsqt op, va0\n");
    let done = judge(folder.path(), &[&bad("second"), "--isa", "agal", "--count", "0", "programs"]);
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    assert!(done.err.contains("no further worker starts"), "{}", done.err);
    assert!(done.out.contains("2 cases sent") && done.out.contains("interrupted"), "{}", done.out);
    let met = finding(folder.path());
    assert_eq!(
        met.file_name().unwrap().to_str(),
        Some("agal-crash-exit7-history-sqt-as-met"),
        "{}",
        done.out
    );
}

#[test]
#[cfg(unix)]
fn a_campaign_killed_during_triage_leaves_the_suspect() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "long.agal.txt", "version 1 vertex\nmov vt0, va0\nmov vt1, vt0\nsqt op, vt1\n");
    let arguments = ["--isa", "agal", "--count", "0", "--patience", "0.5", "programs"];
    let subject = bad("compute");
    let mut child = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["judge", &subject])
        .args(arguments)
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    let met = loop {
        if let [only] = findings(folder.path()).as_slice() {
            break only.clone();
        }
        assert!(Instant::now() < until, "no suspect");
        std::thread::sleep(Duration::from_millis(5));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(met.file_name().unwrap().to_str().unwrap().ends_with("-as-met"), "{met:?}");
    assert!(text(met.join("finding.txt")).contains("it has not been replayed or minimised"));
    assert!(text(met.join("ours.listing")).contains("mov vt1, vt0"));
    // The folder of the untriaged suspect reproduces the finding, and the second run removes its own record of the suspect after triage.
    let again = met.display().to_string();
    let done = judge(
        folder.path(),
        &[&subject, "--isa", "agal", "--count", "0", "--patience", "0.5", "--findings", "again", &again],
    );
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    let left: Vec<_> =
        std::fs::read_dir(folder.path().join("again")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().any(|name| name == "agal-hang-computing-sqt"), "{left:?}");
    assert!(!left.iter().any(|name| name.to_str().unwrap().ends_with("-as-met")), "{left:?}");
}
