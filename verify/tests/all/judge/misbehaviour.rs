//! Subjects that misbehave: each kind of misbehaviour becomes a finding of its class, and the campaign continues.

use super::{file, finding, judge, text};
use std::path::{Path, PathBuf};

/// The programs that are judged. The subject misbehaves at the second one.
const PROGRAMS: [(&str, &str); 3] = [
    ("1.agal.txt", "version 1 vertex\nrsq op, va0\n"),
    ("2.agal.txt", "version 1 vertex\nmov vt0, va0\nsqt op, vt0\n"),
    ("3.agal.txt", "version 1 vertex\nmov op, va0\n"),
];

/// Writes the programs into the folder `programs`.
pub(super) fn write_programs(folder: &Path) {
    for (name, program) in PROGRAMS {
        std::fs::create_dir_all(folder.join("programs")).unwrap();
        std::fs::write(folder.join("programs").join(name), program).unwrap();
    }
}

/// Judges a subject that misbehaves as `how` states. Returns its finding, whose signature must have the prefix `signature`.
fn found(folder: &Path, how: &str, signature: &str) -> PathBuf {
    let subject = format!("python3 -S {} {how}", file("tests/all/judge/bad.py"));
    let patience = if ["compute", "wait", "empty"].contains(&how) { "0.1" } else { "5" };
    only_finding_of(folder, how, &[subject, "--patience".to_owned(), patience.to_owned()], signature)
}

/// Judges a subject that misbehaves at the second of the programs. Returns its finding, whose signature must have the prefix `signature`. `how`
/// describes the subject in messages.
pub(super) fn only_finding_of(folder: &Path, how: &str, arguments: &[String], signature: &str) -> PathBuf {
    write_programs(folder);
    let mut all: Vec<&str> = arguments.iter().map(String::as_str).collect();
    all.extend(["--isa", "agal", "--count", "0", "programs"]);
    let done = judge(folder, &all);
    assert_eq!(done.status, Some(1), "{how}: {}{}", done.out, done.err);
    assert!(done.out.contains("3 cases sent"), "{how}: {}", done.out);
    let found = finding(folder);
    let name = found.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name.starts_with(&format!("agal-{signature}-")), "{how}: {name}\n{}", done.out);
    assert!(!name.contains("once"), "{how}: {name}");
    found
}

#[test]
fn every_misbehaviour_is_a_minimised_finding_of_its_class() {
    let all = [
        ("exit", "crash-exit7"),
        ("signal", "crash-signal11"),
        ("error", "crash-error"),
        ("compute", "hang-computing"),
        ("wait", "hang-waiting"),
        ("garbage", "garbage-answer"),
        ("deep", "garbage-answer"),
        ("long", "garbage-flood"),
        ("close", "garbage-closed"),
        ("other", "garbage-id"),
        ("twice", "garbage-id"),
        ("no-number", "garbage-answer"),
        ("no-field", "garbage-answer"),
        ("old", "garbage-answer"),
    ];
    // Several threads are used because most of the time is spent waiting for processes.
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((how, signature)) =
                    all.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    let folder = tempfile::tempdir().unwrap();
                    let found = found(folder.path(), how, signature);
                    let listing = text(found.join("ours.listing"));
                    assert_eq!(listing.matches("sqt").count(), 1, "{how}: {listing}");
                    assert!(!listing.contains("mov"), "{how}: {listing}");
                }
            });
        }
    });
}

#[test]
fn a_flood_of_empty_lists_is_garbage() {
    let folder = tempfile::tempdir().unwrap();
    let found = found(folder.path(), "empty", "garbage-answer");
    assert!(text(found.join("finding.txt")).contains("the answer is an empty list"));
}

#[test]
fn runs_of_the_wrong_size_or_without_numbers_are_garbage() {
    for (how, part) in [
        ("lanes", "1000 lanes in the answer"),
        ("bits", "is not the bits of a number"),
        ("nothing", "has no value for op."),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let found = found(folder.path(), how, "garbage-answer");
        let report = text(found.join("finding.txt"));
        assert!(report.contains(part), "{how}: {report}");
    }
}

#[test]
fn the_end_of_a_subjects_output_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let found_by = |how: &str, signature: &str| {
        let folder = folder.path().join(how);
        std::fs::create_dir_all(&folder).unwrap();
        text(found(&folder, how, signature).join("finding.txt"))
    };
    assert!(found_by("exit", "crash-exit7").contains("printed    about to end"));
    let report = found_by("print", "crash-exit5");
    assert!(report.contains("bytes omitted)") && report.len() < 20_000, "{}", report.len());
}

#[test]
fn a_finding_that_needs_earlier_programs_says_which() {
    let folder = tempfile::tempdir().unwrap();
    let found = found(folder.path(), "history", "crash-exit9-history");
    let before = text(found.join("0000-before.toml"));
    assert!(before.contains("rsq") && !found.join("0001-before.toml").exists(), "{before}");
    assert!(text(found.join("case.toml")).contains("sqt"));
    // The whole folder reproduces the finding; its last case alone does not.
    let subject = format!("python3 -S {} history", file("tests/all/judge/bad.py"));
    let again = |path: PathBuf| {
        let path = path.display().to_string();
        judge(folder.path(), &[&subject, "--isa", "agal", "--count", "0", &path]).status
    };
    assert_eq!(again(found.clone()), Some(1));
    let again_alone = judge(
        folder.path(),
        &[&subject, "--isa", "agal", "--count", "0", &PROGRAMS[1].0.replace('2', "programs/2")],
    );
    assert_eq!(again_alone.status, Some(0), "{}{}", again_alone.out, again_alone.err);
}

#[test]
fn a_nondeterministic_subject_is_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let found = found(folder.path(), "fickle", "inconsistent-answer");
    assert!(text(found.join("finding.txt")).contains("the same question got two answers"));
}

#[test]
#[cfg(target_os = "linux")]
fn processes_that_a_subject_started_are_ended_with_it() {
    for how in ["fork", "away"] {
        nothing_is_left_of(how);
    }
}

#[cfg(target_os = "linux")]
fn nothing_is_left_of(how: &str) {
    let folder = tempfile::tempdir().unwrap();
    let found = found(folder.path(), how, "crash-exit3");
    assert!(found.is_dir());
    let script = file("tests/all/judge/bad.py");
    let mark = folder.path().display().to_string();
    // Every process of this run works in this folder.
    let left: Vec<String> = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let command = std::fs::read(path.join("cmdline")).ok()?;
            let folder = std::fs::read_link(path.join("cwd")).ok()?;
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            // A zombie has no command line.
            (command.contains(&script) && folder.display().to_string() == mark).then_some(command)
        })
        .collect();
    assert!(left.is_empty(), "{how}: {left:?}");
}
