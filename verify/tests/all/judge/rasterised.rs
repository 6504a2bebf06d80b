//! Subjects that translate programs, on a machine with Mesa's software rasteriser. Without the rasteriser, each of these tests only checks that the
//! verdict is inconclusive, and leaves a note for `ci/test`.

use super::compiled::library;
use super::{Run, file, judge};
use std::path::Path;

/// Judges a translator; `None` without a rasteriser.
fn translator(folder: &Path, name: &str, how: &str, arguments: &[&str]) -> Option<Run> {
    judged(folder, &format!("python3 -S {}{how}", file(name)), arguments)
}

/// Judges a subject that translates AGAL; `None` without a rasteriser.
fn judged(folder: &Path, subject: &str, arguments: &[&str]) -> Option<Run> {
    let done = judge(folder, &[&[subject, "--isa", "agal"], arguments].concat());
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

/// Translators to GLSL, WGSL and SPIR-V, from the examples and from these tests.
const GLSL: &str = "examples/translator.py";
const WGSL: &str = "examples/translator_wgsl.py";
const SPIRV: &str = "tests/all/judge/spirv.py";

/// Judges a translator without a bug.
fn check_clean(name: &str) {
    let folder = tempfile::tempdir().unwrap();
    let Some(done) = translator(folder.path(), name, "", &["--count", "60"]) else { return };
    assert_eq!(done.status, Some(0), "{}{}", done.out, done.err);
    let sent =
        done.out.split(" cases sent").next().and_then(|head| head.rsplit('\n').next()?.parse::<u32>().ok());
    assert!(sent.is_some_and(|sent| sent > 50) && done.out.ends_with("clean\n"), "{}", done.out);
}

/// Judges the translator `name` with the planted bug `how`, and without the opcodes in `without`. Returns the report and the exchange of the finding
/// named `finding`; `None` without a rasteriser.
fn found(name: &str, how: &str, without: &str, finding: &str) -> Option<[String; 2]> {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--count", "400", "--most", "1", "--without", without];
    let done = translator(folder.path(), name, how, &arguments)?;
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    let found = folder.path().join("lockstep-judged").join(finding);
    let read = |file: &str| std::fs::read_to_string(found.join(file)).expect(&done.out);
    Some([read("finding.txt"), read("exchange.json")])
}

#[test]
fn a_correct_translator_is_clean() {
    check_clean(GLSL);
}

#[test]
fn a_correct_translator_to_wgsl_is_clean() {
    check_clean(WGSL);
}

#[test]
fn a_correct_translator_to_spirv_is_clean() {
    check_clean(SPIRV);
}

#[test]
fn a_wrong_translation_and_one_that_does_not_compile_are_found() {
    if let Some([_, exchange]) = found(GLSL, " --bug", "sub", "agal-value-output-sge") {
        assert!(exchange.contains("greaterThan(") || exchange.contains("float("), "{exchange}");
    }
    if let Some([report, _]) = found(GLSL, " --broken", "sge", "agal-verdict-translation-sub") {
        assert!(report.contains("does not compile"), "{report}");
    }
}

#[test]
fn a_wrong_translation_to_wgsl_and_one_that_does_not_compile_are_found() {
    if let Some([_, exchange]) = found(WGSL, " --bug", "sub", "agal-value-output-sge") {
        assert!(exchange.contains("select("), "{exchange}");
    }
    if let Some([report, _]) = found(WGSL, " --broken", "sge", "agal-verdict-translation-sub") {
        assert!(report.contains("does not compile") && report.contains("wgsl:"), "{report}");
    }
}

#[test]
fn a_wrong_translation_to_spirv_and_one_that_does_not_compile_are_found() {
    if let Some([_, exchange]) = found(SPIRV, " --bug", "add", "agal-value-output-mul") {
        // The module's bytes are shown.
        assert!(exchange.contains("03022307"), "{exchange}");
    }
    if let Some([report, _]) = found(SPIRV, " --broken", "add", "agal-verdict-translation-mov") {
        assert!(report.contains("does not compile: word "), "{report}");
    }
}

#[test]
fn a_binding_that_opengl_does_not_have_is_a_malformed_answer() {
    if let Some([report, _]) = found(SPIRV, " --far", "add", "agal-garbage-answer-mov") {
        let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("OpenGL reports error 0x501 for a block at binding 5000"), "{report}");
    }
}

#[test]
fn a_library_may_translate_to_wgsl() {
    let folder = tempfile::tempdir().unwrap();
    let path = library(folder.path(), "tests/all/judge/wgsl.cpp", &[]).display().to_string();
    for (arguments, status) in [("", 0), (" negate", 1)] {
        let subject = format!("{path}{arguments}");
        let Some(done) = judged(folder.path(), &subject, &["--count", "40", "--most", "1"]) else { return };
        assert_eq!(done.status, Some(status), "{}{}", done.out, done.err);
        assert!(!done.out.contains("\n0 cases"), "{}", done.out);
    }
}

#[test]
fn a_translation_in_an_undeclared_language_is_a_malformed_answer() {
    if let Some([report, _]) = found(SPIRV, " --other", "add", "agal-garbage-answer-mov") {
        let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains("the translation is in wgsl, and the subject said that all are in spirv"),
            "{report}"
        );
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
