//! Reproducing findings, for people and for `git bisect run`; and the content of a finding's folder.

use super::compiled::reproducer;
use super::library::ours;
use super::{file, judge, text};
use std::path::Path;
use std::process::Command;

/// Runs `lockstep reproduce`. Returns the exit status and all output.
fn reproduce(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .arg("reproduce")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code().expect("no signal"), text(&done.stdout) + &text(&done.stderr))
}

/// Returns the folder of a finding about our PICA200 engine, judged as a library with a known bug.
fn found(folder: &Path) -> std::path::PathBuf {
    let subject = format!("'{}' bug litp-ignored", ours().display());
    let done = judge(folder, &[&subject, "--isa", "pica200", "--count", "400", "--most", "1"]);
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    // One round of programs can produce several findings about the bug. The tests use this one.
    let found = folder.join("lockstep-judged/pica200-value-output-litp");
    assert!(found.is_dir(), "{}", done.out);
    found
}

#[test]
fn reproduce_has_the_exit_codes_of_git_bisect() {
    let folder = tempfile::tempdir().unwrap();
    let at = found(folder.path()).display().to_string();
    let library = format!("'{}'", ours().display());
    let subject = |arguments: &str| format!("{library} {arguments}");
    for (arguments, plain, bisected) in [
        (None, 1, 1),
        (Some(subject("reference")), 0, 0),
        (Some(subject("executor")), 0, 0),
        (Some(subject("bug litp-ignored")), 1, 1),
        // This subject does not support PICA200.
        (Some(format!("python3 -S {} good", file("tests/all/judge/bad.py"))), 2, 125),
        (Some("./nothing-there".to_owned()), 2, 125),
        (Some("false".to_owned()), 2, 125),
        (Some(subject("bug no-such-bug")), 2, 125),
    ] {
        let mut words = vec![at.as_str()];
        if let Some(subject) = &arguments {
            words.extend(["--subject", subject.as_str()]);
        }
        let (status, said) = reproduce(folder.path(), &words);
        assert_eq!(status, plain, "{arguments:?}: {said}");
        words.push("--bisect");
        let (status, said) = reproduce(folder.path(), &words);
        assert_eq!(status, bisected, "{arguments:?}: {said}");
    }
    // A case of our own oracles, and a path that does not exist.
    let case = format!("{at}/case.toml");
    assert_eq!(reproduce(folder.path(), &["--bisect", &case]).0, 0);
    assert_eq!(reproduce(folder.path(), &["--bisect", "nothing-there"]).0, 125);
    assert_eq!(reproduce(folder.path(), &["nothing-there"]).0, 2);
    assert_eq!(reproduce(folder.path(), &["--bisect", &folder.path().display().to_string()]).0, 125);
    std::fs::write(Path::new(&at).join("finding.json"), "{").unwrap();
    let (status, said) = reproduce(folder.path(), &[&at]);
    assert!(status == 2 && said.contains("finding.json: "), "{said}");
}

#[test]
fn a_failure_of_another_class_is_skipped_by_git_bisect() {
    let folder = tempfile::tempdir().unwrap();
    let found = found(folder.path());
    let record = text(found.join("finding.json")).replace("\"class\": \"value\"", "\"class\": \"verdict\"");
    std::fs::write(found.join("finding.json"), record).unwrap();
    let at = found.display().to_string();
    let (status, said) = reproduce(folder.path(), &[&at]);
    assert!(status == 1 && said.contains("FAILS in another way"), "{said}");
    assert_eq!(reproduce(folder.path(), &[&at, "--bisect"]).0, 125);
}

#[test]
fn the_folder_of_a_finding_is_complete_and_has_a_reproducer_in_c() {
    let folder = tempfile::tempdir().unwrap();
    let found = found(folder.path());
    for name in [
        "case.toml",
        "program.bytes",
        "request.jsonl",
        "exchange.json",
        "ours.listing",
        "sources.txt",
        "main.c",
        "finding.json",
        "finding.txt",
    ] {
        assert!(found.join(name).is_file(), "{name}");
    }
    let sources = text(found.join("sources.txt"));
    assert!(sources.starts_with("litp: ") && sources.contains("3dbrew.org"), "{sources}");
    let exchange: serde_json::Value = serde_json::from_str(&text(found.join("exchange.json"))).unwrap();
    let asked = exchange["questions"].as_array().expect("questions").len();
    assert!(asked > 0 && exchange["reference"].as_array().map(Vec::len) == Some(asked), "{exchange}");
    // `main.c` compiles with only the header. Its program shows the difference with the bug, and none without the bug.
    let page = found.join("main.c");
    let lines = text(&page).lines().count();
    assert!(lines < 260, "{lines}");
    let program = reproducer(folder.path(), &page);
    let library = ours().display().to_string();
    for (arguments, status, says) in [
        (&[library.as_str(), "bug", "litp-ignored"][..], 1, "not as the reference"),
        (&[library.as_str(), "reference"], 0, "as the reference"),
        (&[library.as_str(), "executor"], 0, "as the reference"),
        (&[library.as_str(), "bug", "none"], 2, ""),
        (&["./none.so"], 2, ""),
        (&[], 2, ""),
    ] {
        let done = Command::new(&program).args(arguments).output().expect("it runs");
        let said = String::from_utf8_lossy(&done.stdout);
        assert_eq!(done.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(said.trim_end().ends_with(says), "{said}");
    }
}
