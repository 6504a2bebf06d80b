//! Subjects that translate programs, on a machine with Mesa's software rasteriser. Without the rasteriser, a test checks that the verdict is
//! inconclusive, and leaves a note for `ci/test`.

use super::{Run, file, judge};
use std::path::Path;

/// Judges the translator among the examples; `None` without a rasteriser.
fn translator(folder: &Path, how: &str, arguments: &[&str]) -> Option<Run> {
    let subject = format!("python3 -S {}{how}", file("examples/translator.py"));
    let done = judge(folder, &[&[&subject, "--isa", "agal"], arguments].concat());
    let notes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("without-material");
    let thread = std::thread::current();
    let note = notes.join(format!("{}::{}", env!("CARGO_PKG_NAME"), thread.name().unwrap_or("a thread")));
    let missing = "translations need a software rasteriser";
    if done.status == Some(3) && done.err.contains(missing) {
        std::fs::create_dir_all(&notes)
            .and_then(|()| std::fs::write(note, missing))
            .expect("a note can be left");
        eprintln!("skipped: {}", done.err);
        return None;
    }
    let _ = std::fs::remove_file(note);
    Some(done)
}

#[test]
fn a_right_translator_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    let Some(done) = translator(folder.path(), "", &["--count", "60"]) else { return };
    assert_eq!(done.status, Some(0), "{}{}", done.out, done.err);
    assert!(done.out.contains("60 cases sent") && done.out.ends_with("clean\n"), "{}", done.out);
}

#[test]
fn a_wrong_translation_and_one_that_does_not_compile_are_found() {
    for (how, name) in [(" --bug", "agal-value-output-sge"), (" --broken", "agal-verdict-translation-sub")] {
        let folder = tempfile::tempdir().unwrap();
        let arguments =
            ["--count", "400", "--most", "1", "--without", if how == " --bug" { "sub" } else { "sge" }];
        let Some(done) = translator(folder.path(), how, &arguments) else { return };
        assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
        let found = folder.path().join("lockstep-judged").join(name);
        let report = std::fs::read_to_string(found.join("finding.txt")).expect(&done.out);
        if how == " --broken" {
            assert!(report.contains("does not compile"), "{report}");
        } else {
            let exchange = std::fs::read_to_string(found.join("exchange.json")).unwrap();
            assert!(exchange.contains("greaterThan(") || exchange.contains("float("), "{exchange}");
        }
    }
}

#[test]
fn without_a_rasteriser_the_verdict_is_inconclusive() {
    let folder = tempfile::tempdir().unwrap();
    // This file, which is not a library, is found before the system's library of the same name.
    std::fs::write(folder.path().join("libEGL.so.1"), "no library").unwrap();
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["judge", &format!("python3 -S {}", file("examples/translator.py")), "--isa", "agal"])
        .env("LD_LIBRARY_PATH", folder.path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(3), "{said}");
    assert!(said.contains("inconclusive: translations need a software rasteriser"), "{said}");
    assert!(said.contains("libEGL.so.1"), "{said}");
}
