//! Shared libraries as subjects: our own engines, and the example in C++.

use super::compiled::library;
use super::{check_clean_over_96, file, finding, judge, text};
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::{Format, IsaId, Syntax};
use std::path::PathBuf;

/// Returns the path of our own engines as a library, which Cargo built together with this test.
pub(super) fn ours() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_BIN_EXE_lockstep")).with_file_name("deps");
    let name = format!("{}lockstep_plugin{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path = folder.join(name);
    assert!(path.is_file(), "{}", path.display());
    path
}

#[test]
fn our_engines_as_a_library_are_clean() {
    // The two engines alternate.
    let turns = IsaId::ALL.iter().zip(["reference", "executor"].into_iter().cycle());
    for (isa, engine) in turns {
        let subject = format!("'{}' {engine}", ours().display());
        check_clean_over_96(&subject, isa, "lockstep, as a library");
    }
}

#[test]
fn an_engine_that_reads_textures_through_the_host_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    // AGAL's reads contain their sampler state; those of Direct3D 9 use the state of the unit.
    for (isa, reads) in [("agal", "mov, tex, ted, tld"), ("d3d9", "mov, dcl, texld, texldl, texldd")] {
        let fragments = format!("stages = ['fragment']\nsupports = 'only {reads}'\n");
        std::fs::write(folder.path().join("reads.toml"), fragments).unwrap();
        let subject = format!("'{}' sampling", ours().display());
        let done =
            judge(folder.path(), &[&subject, "--isa", isa, "--count", "60", "--profile", "reads.toml"]);
        assert_eq!(done.status, Some(0), "{isa}: {}{}", done.out, done.err);
        assert!(done.out.ends_with("clean\n") && !done.out.contains("\n0 cases"), "{}", done.out);
    }
}

#[test]
fn the_example_in_cxx_is_clean_and_its_bug_is_found_and_minimised() {
    let folder = tempfile::tempdir().unwrap();
    let path = library(folder.path(), "examples/subject.cpp", &[]).display().to_string();
    let source = text(file("examples/subject.cpp"));
    assert!(source.lines().count() < 120, "{}", source.lines().count());
    let good = judge(folder.path(), &[&path, "--isa", "d3d9", "--count", "300"]);
    assert_eq!(good.status, Some(0), "{}{}", good.out, good.err);
    assert!(good.out.contains("300 cases sent") && good.out.ends_with("clean\n"), "{}", good.out);
    let bad = judge(folder.path(), &[&format!("{path} legacy"), "--isa", "d3d9", "--count", "300"]);
    assert_eq!(bad.status, Some(1), "{}{}", bad.out, bad.err);
    let found = finding(folder.path());
    assert_eq!(found.file_name().unwrap().to_str(), Some("d3d9-value-output-mul"), "{}", bad.out);
    let case = lockstep::case::Case::from_text(&text(found.join("case.toml"))).expect("a case");
    let program = D3d9::decode(&case.bytes).expect("a program");
    assert_eq!(program.instructions.len(), 1, "{}", D3d9::disassemble(&program));
    assert_eq!(case.env.lanes.len(), 1);
    // Under a profile that declares this multiplication, it is not a bug.
    let profile = "supports = 'only dcl, def, mov, add, mul, min, max, slt, sge; no a.index; no b.index'\n\
                   stages = ['vertex']\nversions = [512]\noptions = { zero_times = 'zero' }\n";
    std::fs::write(folder.path().join("legacy.toml"), profile).unwrap();
    let subject = format!("{path} legacy");
    let told = judge(
        folder.path(),
        &[&subject, "--isa", "d3d9", "--count", "300", "--profile", "legacy.toml", "--findings", "none"],
    );
    assert_eq!(told.status, Some(0), "{}{}", told.out, told.err);
    // The command in the report reproduces the finding, and finds nothing without the bug.
    let report = text(found.join("finding.txt"));
    assert!(report.contains(&format!("lockstep judge '{path} legacy' --isa d3d9 --count 0")), "{report}");
    for (subject, status) in [(format!("{path} legacy"), 1), (path, 0)] {
        let again =
            judge(folder.path(), &[&subject, "--isa", "d3d9", "--count", "0", &found.display().to_string()]);
        assert_eq!(again.status, Some(status), "{}{}", again.out, again.err);
    }
}
