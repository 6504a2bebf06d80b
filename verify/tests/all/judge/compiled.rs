//! Compiles the C and C++ sources of these tests and of the examples.

use super::file;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Warnings that a user of the header may enable, as errors.
const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

/// Runs the C++ compiler with the header in its include path.
fn compiler(arguments: &[&str]) {
    let header = file("include/lockstep.h");
    let folder = Path::new(&header).parent().expect("a folder").display().to_string();
    let done = Command::new("c++")
        .args(STRICT)
        .args(["-I", &folder])
        .args(arguments)
        .output()
        .expect("a C++ compiler");
    assert!(done.status.success(), "c++ {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Compiles a source, in C or C++ of a given standard, without output.
pub(super) fn check_syntax(source: &str, standard: &str) {
    let language = if standard.starts_with("c++") { "c++" } else { "c" };
    compiler(&["-x", language, &format!("-std={standard}"), "-fsyntax-only", &file(source)]);
}

/// Compiles a finding's `main.c` to a program in a folder, with nothing but the header, and returns the program's path.
pub(super) fn reproducer(folder: &Path, page: &Path) -> PathBuf {
    let header = file("include/lockstep.h");
    let include = Path::new(&header).parent().expect("a folder").to_owned();
    let program = folder.join("again");
    let done = Command::new("cc")
        .args(["-std=c99", "-Wall", "-pedantic", "-Werror"])
        .args([
            "-I".as_ref(),
            include.as_os_str(),
            "-o".as_ref(),
            program.as_os_str(),
            page.as_os_str(),
            "-ldl".as_ref(),
        ])
        .output()
        .expect("a C compiler");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    program
}

/// Compiles a source to a shared library in a folder.
pub(super) fn library(folder: &Path, source: &str, defines: &[&str]) -> PathBuf {
    let path = folder.join("libsubject.so");
    let defines: Vec<String> = defines.iter().map(|define| format!("-D{define}")).collect();
    let (source, output) = (file(source), path.display().to_string());
    let mut arguments = vec!["-std=c++11", "-shared", "-fPIC", "-O1", "-o", &output, &source];
    arguments.extend(defines.iter().map(String::as_str));
    compiler(&arguments);
    path
}

/// The system libraries that our static library needs.
pub(super) const LIBRARIES: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

/// Returns the path of our static library for fuzzers, which Cargo built together with this test. Cargo may add a suffix to the name; the newest file
/// was built from the present sources.
fn static_library() -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_lockstep")).with_file_name("deps");
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let rest = name.strip_prefix("liblockstep_libfuzzer").and_then(|rest| rest.strip_suffix(".a"));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let entries = std::fs::read_dir(&folder).expect("a folder");
    let all = entries.map(|entry| entry.expect("an entry").path()).filter(is_ours);
    let age = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).expect("a time");
    all.max_by_key(age).expect("the static library").display().to_string()
}

/// Returns the arguments that link Z3. Our static library needs Z3 only if it was built for these tests together with the prover.
fn z3() -> Vec<String> {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.z3/z3/lib");
    if !cfg!(feature = "prove") {
        Vec::new()
    } else if fetched.is_dir() {
        let folder = fetched.display();
        vec![format!("-L{folder}"), "-lz3".to_owned(), format!("-Wl,-rpath,{folder}")]
    } else {
        vec!["-lz3".to_owned()]
    }
}

/// Compiles a subject to a fuzzer without libFuzzer: with our static library and driver.
pub(super) fn fuzzer(folder: &Path, source: &str) -> PathBuf {
    let path = folder.join("fuzzer");
    let (source, driver) = (file(source), file("libfuzzer/standalone.cpp"));
    let (output, library) = (path.display().to_string(), static_library());
    let z3 = z3();
    let mut arguments = vec!["-std=c++11", "-O1", "-o", &output, &source, &driver, &library];
    arguments.extend(z3.iter().map(String::as_str).chain(LIBRARIES));
    compiler(&arguments);
    path
}

/// Compiles a subject to a mutator that AFL++ loads.
pub(super) fn afl_mutator(folder: &Path, source: &str) -> PathBuf {
    let path = folder.join("mutator.so");
    let (source, output, library) = (file(source), path.display().to_string(), static_library());
    let mut arguments = vec![
        "-std=c++11",
        "-shared",
        "-fPIC",
        "-O1",
        "-Wl,-u,afl_custom_init",
        "-o",
        &output,
        &source,
        &library,
    ];
    let z3 = z3();
    arguments.extend(z3.iter().map(String::as_str).chain(LIBRARIES));
    compiler(&arguments);
    path
}

/// Compiles a source to a program and returns its output.
pub(super) fn printed(folder: &Path, source: &str) -> String {
    let path = folder.join("program");
    compiler(&["-std=c++11", "-o", &path.display().to_string(), &file(source)]);
    let done = Command::new(&path).output().expect("it runs");
    assert!(done.status.success());
    String::from_utf8(done.stdout).expect("text")
}
