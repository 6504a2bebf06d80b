//! Tests of subjects linked into a fuzzer: C++ sources with our static library and the driver that replaces libFuzzer.
#![cfg(target_os = "linux")]

use super::compiled::fuzzer;
use super::{file, findings, text};
use lockstep::case::Case;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::{Format, Syntax};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Returns the path of a fuzzer built from a source. Each fuzzer is built once for all tests.
fn built(source: &'static str) -> &'static Path {
    static BUILT: [OnceLock<(tempfile::TempDir, PathBuf)>; 2] = [OnceLock::new(), OnceLock::new()];
    let place = &BUILT[usize::from(source == BAD)];
    let built = place.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = fuzzer(folder.path(), source);
        (folder, path)
    });
    &built.1
}

const EXAMPLE: &str = "examples/subject.cpp";
const BAD: &str = "tests/all/judge/bad.cpp";

/// A run of a fuzzer: its exit status, `None` after a signal, and its standard error.
struct Fuzzed {
    status: Option<i32>,
    said: String,
}

/// Runs a fuzzer in a folder, with additional environment variables.
fn fuzz(source: &'static str, folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Fuzzed {
    let done = Command::new(built(source))
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .expect("it runs");
    Fuzzed { status: done.status.code(), said: String::from_utf8_lossy(&done.stderr).into_owned() }
}

/// Returns the numbers in the last line of counts: inputs, cases asked about, lanes, components, programs decoded.
fn counts(said: &str) -> Vec<u64> {
    let line =
        said.lines().rfind(|line| line.contains("components compared")).unwrap_or_else(|| panic!("{said}"));
    line.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
}

const LEGACY: [(&str, &str); 2] =
    [("LOCKSTEP_ARGUMENTS", "legacy"), ("LOCKSTEP_FINDINGS", "lockstep-judged")];

#[test]
fn a_correct_subject_stays_clean_and_nearly_every_input_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let done = fuzz(EXAMPLE, folder.path(), &[], &["-runs=600", "-seed=3"]);
    assert_eq!(done.status, Some(0), "{}", done.said);
    assert!(done.said.starts_with("lockstep: example 1, decode and run\n"), "{}", done.said);
    let counts = counts(&done.said);
    let [inputs, asked, lanes, components, decoded] = counts[..] else { panic!("{counts:?}") };
    assert_eq!(inputs, 600);
    assert!(asked >= 560 && decoded >= 500 && lanes >= 500 && components >= lanes, "{}", done.said);
    assert!(!folder.path().join("crash-input").exists());
}

#[test]
fn a_faulty_subject_is_found_and_minimised_and_the_saved_input_replays() {
    let folder = tempfile::tempdir().unwrap();
    let done = fuzz(EXAMPLE, folder.path(), &LEGACY, &["-runs=2000"]);
    assert_eq!(done.status, None, "{}", done.said);
    for part in
        ["finding d3d9-value-output-mul\n", "  what       lane 0, ", "mul ", "input saved to crash-input"]
    {
        assert!(done.said.contains(part), "{part}: {}", done.said);
    }
    assert!(counts(&done.said)[1] > 0, "{}", done.said);
    // There is one folder, with a case of one instruction and one lane and with a file `main.c` for the library alone.
    let all = findings(folder.path());
    let [found] = &all[..] else { panic!("{all:?}") };
    assert_eq!(found.file_name().unwrap().to_str(), Some("d3d9-value-output-mul"));
    let case = Case::from_text(&text(found.join("case.toml"))).expect("a case");
    let program = D3d9::decode(&case.bytes).expect("a program");
    assert_eq!((program.instructions.len(), case.env.lanes.len()), (1, 1), "{}", D3d9::disassemble(&program));
    assert_eq!(std::fs::read(found.join("input")).unwrap(), case.to_bytes());
    assert!(
        text(found.join("main.c")).contains("d3d9-value-output-mul") && !found.join("finding.json").exists()
    );
    // The minimised input, its text form and the saved input fail with the bug and do not fail without it.
    let report = text(found.join("finding.txt"));
    let again = format!("LOCKSTEP_ARGUMENTS=legacy {} lockstep-judged/", built(EXAMPLE).display());
    assert!(report.contains(&again) && report.contains("/input\n"), "{report}");
    let small = |name: &str| found.join(name).display().to_string();
    for input in [small("input"), small("case.toml"), "crash-input".to_owned()] {
        let failing = fuzz(EXAMPLE, folder.path(), &LEGACY[..1], &[&input]);
        assert_eq!(failing.status, None, "{input}: {}", failing.said);
        assert!(failing.said.contains("finding d3d9-value-output-mul\n"), "{input}: {}", failing.said);
        std::fs::rename(folder.path().join("crash-input"), folder.path().join("kept")).unwrap();
        let clean = fuzz(EXAMPLE, folder.path(), &[], &[&input.replace("crash-input", "kept")]);
        assert_eq!((clean.status, counts(&clean.said)[1]), (Some(0), 1), "{input}: {}", clean.said);
        std::fs::rename(folder.path().join("kept"), folder.path().join("crash-input")).unwrap();
    }
}

#[test]
fn a_floating_point_mode_that_a_linked_subject_leaves_changed_is_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let done = fuzz(BAD, folder.path(), &[("LOCKSTEP_ARGUMENTS", "rounding")], &["-runs=4000"]);
    assert_eq!(done.status, None, "{}", done.said);
    assert!(done.said.contains("finding agal-crash-mode-sqt\n"), "{}", done.said);
    assert!(done.said.contains("the subject left the floating-point mode changed"), "{}", done.said);
}

#[test]
fn a_crash_of_a_linked_subject_leaves_its_input_and_the_program_can_be_shown() {
    let folder = tempfile::tempdir().unwrap();
    let wild = [("LOCKSTEP_ARGUMENTS", "wild"), ("LOCKSTEP_SHOW", "1")];
    let done = fuzz(BAD, folder.path(), &wild, &["-runs=4000", "-artifact_prefix=./"]);
    assert!(done.status.is_none() && done.said.ends_with("input saved to ./crash-input\n"), "{}", done.said);
    let (_, last) = done.said.rsplit_once("lockstep: asks about\n").expect("a program");
    assert!(last.contains("sqt "), "{last}");
    let again = fuzz(BAD, folder.path(), &wild, &["crash-input"]);
    assert!(again.status.is_none() && again.said.contains("sqt "), "{}", again.said);
}

#[test]
fn unusable_subjects_inside_a_fuzzer_exit_with_2() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wrong.toml"), "supports = 'only movv'").unwrap();
    let narrow = "supports = 'only mov'\nstages = ['vertex']\nversions = [512]\n";
    std::fs::write(folder.path().join("narrow.toml"), narrow).unwrap();
    for (name, value, part) in [
        ("LOCKSTEP_ISA", "agal", "LOCKSTEP_ISA is agal, which the subject does not support"),
        ("LOCKSTEP_PROFILE", "wrong.toml", "wrong.toml: 'supports'"),
        ("LOCKSTEP_PROFILE", "absent.toml", "LOCKSTEP_PROFILE: absent.toml: "),
        ("LOCKSTEP_MINIMIZE", "no", "LOCKSTEP_MINIMIZE is 0 or 1, not 'no'"),
    ] {
        let done = fuzz(EXAMPLE, folder.path(), &[(name, value)], &["-runs=10"]);
        assert_eq!(done.status, Some(2), "{name}: {}", done.said);
        assert!(done.said.contains(part), "{part}: {}", done.said);
    }
    let closed = fuzz(BAD, folder.path(), &[("LOCKSTEP_ARGUMENTS", "closed")], &["-runs=10"]);
    assert!(closed.status == Some(2) && closed.said.contains("the shop is closed"), "{}", closed.said);
    // A profile named by an environment variable replaces the subject's own profile. The subject is not asked about programs outside of the profile.
    let profile = [("LOCKSTEP_PROFILE", "narrow.toml"), ("LOCKSTEP_SHOW", "1")];
    let narrowed = fuzz(EXAMPLE, folder.path(), &profile, &["-runs=60"]);
    assert_eq!(narrowed.status, Some(0), "{}", narrowed.said);
    assert!(narrowed.said.contains("mov ") && !narrowed.said.contains("mul "), "{}", narrowed.said);
}

#[test]
fn the_mutator_for_afl_stays_inside_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let mutator = super::compiled::afl_mutator(folder.path(), EXAMPLE);
    let script = "
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
pointer, size = ctypes.c_void_p, ctypes.c_size_t
library.afl_custom_init.restype, library.afl_custom_init.argtypes = pointer, [pointer, ctypes.c_uint]
library.afl_custom_fuzz.restype = size
library.afl_custom_fuzz.argtypes = [pointer, ctypes.c_char_p, size, ctypes.POINTER(pointer), ctypes.c_char_p, size, size]
library.afl_custom_deinit.restype, library.afl_custom_deinit.argtypes = None, [pointer]
state, data, before = library.afl_custom_init(None, 7), b'a', None
for number in range(80):
    out = pointer()
    length = library.afl_custom_fuzz(state, data, len(data), ctypes.byref(out), before, len(before or b''), 4096)
    before, data = data, ctypes.string_at(out, length)
    open('case-%02d' % number, 'wb').write(data)
library.afl_custom_deinit(state)
";
    let done = Command::new("python3")
        .args(["-S", "-c", script])
        .arg(&mutator)
        .current_dir(folder.path())
        .output()
        .expect("Python runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let names: Vec<String> = (0..80).map(|number| format!("case-{number:02}")).collect();
    let mut different: Vec<Vec<u8>> =
        names.iter().map(|name| std::fs::read(folder.path().join(name)).unwrap()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let done = fuzz(EXAMPLE, folder.path(), &[], &names);
    assert!(done.status == Some(0) && counts(&done.said)[1] >= 76, "{}", done.said);
    different.sort();
    different.dedup();
    assert!(different.len() >= 60, "{} of 80 mutations differ", different.len());
}

#[test]
fn the_documented_command_is_that_of_the_driver() {
    // The command at the head of the driver is the one in the documentation, and the tests build with its libraries.
    let driver = text(file("libfuzzer/standalone.cpp"));
    let command = driver.lines().find_map(|line| line.strip_prefix("//     ")).expect("a command");
    assert!(text(file("../docs/libfuzzer.md")).contains(command), "{command}");
    assert!(command.ends_with(&super::compiled::LIBRARIES.join(" ")), "{command}");
}
