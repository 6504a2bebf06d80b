//! Libraries that misbehave: whatever they do to their process becomes a finding of the right class, and the campaign continues.
#![cfg(target_os = "linux")]

use super::compiled::library;
use super::misbehaviour::{only_finding_of, write_programs};
use super::{findings, judge, text};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns the path of the library, which is compiled once for all tests.
fn bad() -> &'static Path {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = library(folder.path(), "tests/all/judge/bad.cpp", &[]);
        (folder, path)
    });
    &built.1
}

/// Returns the arguments of `judge` for a library that misbehaves as `how` states.
fn arguments(how: &str) -> Vec<String> {
    let patience = if how == "stubborn" { "0.05" } else { "5" };
    let memory = if how == "memory" { "600" } else { "4096" };
    let all = [&format!("{} {how}", bad().display()), "--patience", patience, "--memory", memory];
    all.map(str::to_owned).to_vec()
}

/// Calls a function for each element, several at once, because most of the time is spent waiting for processes.
fn each<T: Sync>(all: &[T], then: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    then(one);
                }
            });
        }
    });
}

#[test]
fn misbehaviour_of_a_library_is_a_minimised_finding_of_its_class() {
    let all = [
        ("exit", "crash-exit7", "about to end"),
        ("exit-in-order", "crash-exit0", "ended with exit status 0"),
        ("abort", "crash-signal6", "was ended by signal 6 (abort)"),
        ("wild", "crash-signal11", "was ended by signal 11 (invalid memory access)"),
        ("throw", "crash-signal6", "was ended by signal 6"),
        ("handler", "crash-exit9", "ended with exit status 9"),
        ("memory", "crash-signal6", "was ended by signal 6"),
        ("failed", "crash-error", "the subject reports a failure: cannot"),
        (
            "rounding",
            "crash-mode",
            "the subject left the floating-point mode changed: the control register is 0x",
        ),
        ("stubborn", "hang-computing", "of processor time"),
        ("past-end", "garbage-answer", "it wrote past the 16384 bytes of 'text'"),
        ("absurd", "garbage-answer", "'encoded' needs 18446744073709551615 bytes"),
        ("ever-more", "garbage-answer", "and was given the 16385 it asked for"),
        ("verdict", "garbage-answer", "it returned 77, which is not a verdict"),
        (
            "instructions",
            "garbage-answer",
            "instruction 0 has 'nonsense', which is not of the form FACET=VALUE",
        ),
        ("run-not", "garbage-answer", "lane 0 was not run"),
        ("run-status", "garbage-answer", "lane 0 has the status 9"),
        ("run-past-end", "garbage-answer", "it wrote past the end of 'status'"),
        ("run-effects", "garbage-answer", "the library announces 18446744073709551615 effects"),
        ("run-effect", "garbage-answer", "effect 0 is of lane 1000000 of 1"),
        ("run-crash", "crash-signal11", "(invalid memory access), in lane 1"),
    ];
    each(&all, |(how, signature, message)| {
        let folder = tempfile::tempdir().unwrap();
        let found = only_finding_of(folder.path(), how, &arguments(how), signature);
        let listing = text(found.join("ours.listing"));
        assert_eq!(listing.matches("sqt").count(), 1, "{how}: {listing}");
        assert!(!listing.contains("mov"), "{how}: {listing}");
        let report = text(found.join("finding.txt")).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(report.contains(message), "{how}: {report}");
    });
}

/// An output that is not written must not pass for a NaN, which the reference may have there.
#[test]
fn an_output_that_a_library_does_not_write_is_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let found = only_finding_of(folder.path(), "run-nothing", &arguments("run-nothing"), "garbage-answer");
    let report = text(found.join("finding.txt"));
    assert!(report.contains("lane 0") && report.contains("is not written"), "{report}");
}

#[test]
fn earlier_questions_that_a_failure_needs_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let found = only_finding_of(folder.path(), "history", &arguments("history"), "crash-exit9-history");
    let before = text(found.join("0000-before.toml"));
    assert!(before.contains("rsq") && !found.join("0001-before.toml").exists(), "{before}");
}

#[test]
fn permitted_behaviour_of_a_library_is_no_finding() {
    // A fault that the library recovers from, printed text that looks like messages, and answers that need larger buffers.
    each(&["leap", "print", "much", ""], |how| {
        let folder = tempfile::tempdir().unwrap();
        write_programs(folder.path());
        let mut all = arguments(how);
        all.extend(["--isa", "agal", "--count", "0", "programs"].map(str::to_owned));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let done = judge(folder.path(), &all);
        assert_eq!(done.status, Some(0), "{how}: {}{}", done.out, done.err);
        assert!(
            done.out.contains("3 programs decoded") && findings(folder.path()).is_empty(),
            "{how}: {}",
            done.out
        );
    });
}

#[test]
fn libraries_that_cannot_be_judged_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let built = |define: &str| {
        let folder = folder.path().join(define.replace('=', ""));
        std::fs::create_dir_all(&folder).unwrap();
        library(&folder, "tests/all/judge/bad.cpp", &[define]).display().to_string()
    };
    std::fs::write(folder.path().join("libtext.so"), "no library").unwrap();
    let rows = [
        (built("ABI=2"), "agal", "it is built for version 2 of lockstep.h, and this is version 1"),
        (built("LANGUAGE=9"), "agal", "it translates to the language 9, which lockstep.h does not have"),
        (built("SHORTER=32"), "agal", "bytes; version 1 requires at least"),
        (built("NAMELESS"), "agal", "it has no function lockstep_subject_v1"),
        (built("NOTHING=1"), "agal", "lockstep_subject_v1 returned a null pointer"),
        ("./libtext.so".to_owned(), "agal", "it does not load"),
        ("./libabsent.so".to_owned(), "agal", "it does not load"),
        (bad().display().to_string(), "d3d9", "bad does not support d3d9; it supports agal"),
        (format!("{} closed", bad().display()), "agal", "the shop is closed"),
        (format!("{} crash-first", bad().display()), "agal", "was ended by signal 11"),
    ];
    each(&rows, |(subject, isa, part)| {
        let done = judge(folder.path(), &[subject, "--isa", isa, "--count", "0"]);
        assert_eq!(done.status, Some(2), "{subject}: {}{}", done.out, done.err);
        let said = done.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(part), "{subject}: {}", done.err);
        assert!(!said.contains("--memory="), "it shows the command of the worker: {said}");
    });
}
