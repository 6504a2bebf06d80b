//! Compiles the C and C++ sources of these tests and of the examples.

use super::file;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Warnings that a user of the header may enable, as errors.
const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

/// Runs the C++ compiler with the header in its path.
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
pub(super) fn look_at(source: &str, standard: &str) {
    let language = if standard.starts_with("c++") { "c++" } else { "c" };
    compiler(&["-x", language, &format!("-std={standard}"), "-fsyntax-only", &file(source)]);
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

/// Compiles a source to a program and returns its output.
pub(super) fn printed(folder: &Path, source: &str) -> String {
    let path = folder.join("program");
    compiler(&["-std=c++11", "-o", &path.display().to_string(), &file(source)]);
    let done = Command::new(&path).output().expect("it runs");
    assert!(done.status.success());
    String::from_utf8(done.stdout).expect("text")
}
