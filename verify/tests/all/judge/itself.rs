//! Subjects compared with themselves, on equivalent variants of programs.

use super::{findings, judge, text};
use lockstep_core::isa::IsaId;

fn serve(isa: &str, more: &str) -> String {
    format!("'{}' serve --isa {isa}{more}", env!("CARGO_BIN_EXE_lockstep"))
}

#[test]
fn our_engines_agree_with_themselves() {
    for (isa, engine) in IsaId::ALL.iter().zip(["reference", "executor"].into_iter().cycle()) {
        let folder = tempfile::tempdir().unwrap();
        let subject = serve(isa.name(), &format!(" --engine {engine}"));
        let done = judge(folder.path(), &[&subject, "--self", "--isa", isa.name(), "--count", "64"]);
        assert_eq!(done.status, Some(0), "{isa}: {}{}", done.out, done.err);
        // The reference may not finish up to four of the programs, which are not sent then.
        let sent = done.out.lines().find_map(|line| line.split_once(" cases sent")?.0.parse().ok());
        assert!(sent.is_some_and(|sent: u32| (60..=64).contains(&sent)), "{}", done.out);
    }
}

#[test]
fn variants_detect_exactly_what_depends_on_the_form_of_a_program() {
    for (bug, is_found) in [("one-component-stores-x", true), ("ifg-of-equals", false)] {
        let folder = tempfile::tempdir().unwrap();
        let subject = serve("agal", &format!(" --bug {bug}"));
        let done =
            judge(folder.path(), &[&subject, "--self", "--isa", "agal", "--count", "400", "--most", "1"]);
        assert_eq!(done.status, Some(i32::from(is_found)), "{bug}: {}{}", done.out, done.err);
        if is_found {
            let found = findings(folder.path()).remove(0);
            let report = text(found.join("finding.txt"));
            assert!(
                report.contains("agal-value-split-") && report.contains(", in the original "),
                "{report}"
            );
            assert!(found.join("split.listing").is_file() && !found.join("main.c").is_file());
            // The command in the report and `lockstep reproduce` reproduce the finding.
            assert!(report.contains(" --self "), "{report}");
            let again = judge(
                folder.path(),
                &[&subject, "--self", "--isa", "agal", "--count", "0", &found.display().to_string()],
            );
            assert_eq!(again.status, Some(1), "{}{}", again.out, again.err);
        }
    }
}

#[test]
fn a_subject_that_runs_nothing_cannot_be_compared_with_itself() {
    let folder = tempfile::tempdir().unwrap();
    let subject = format!("python3 -S {} good", super::file("tests/all/judge/bad.py"));
    let done = judge(folder.path(), &[&subject, "--self", "--isa", "agal"]);
    assert!(done.status == Some(2) && done.err.contains("runs no programs"), "{}{}", done.out, done.err);
}
