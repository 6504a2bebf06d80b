//! The example subjects in the documents give the output that the documents show, with a minimised finding.

use super::{file, finding, judge, text};
use crate::readme::documents;
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::{Format, Syntax};
use std::process::Command;

fn example(bug: &str) -> String {
    format!("python3 -S {}{bug}", file("examples/subject.py"))
}

#[test]
fn the_example_without_its_bug_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    let done = judge(folder.path(), &[&example(""), "--isa", "agal", "--count", "120"]);
    assert_eq!(done.status, Some(0), "{}{}", done.out, done.err);
    assert!(done.out.contains("120 cases sent") && done.out.ends_with("clean\n"), "{}", done.out);
    assert!(!folder.path().join("lockstep-judged").exists());
}

#[test]
fn the_bug_of_the_example_becomes_one_finding_of_one_instruction() {
    let folder = tempfile::tempdir().unwrap();
    let done = judge(folder.path(), &[&example(" --bug"), "--isa", "agal", "--count", "160"]);
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    let found = finding(folder.path());
    assert_eq!(found.file_name().unwrap().to_str(), Some("agal-value-output-sge"), "{}", done.out);
    let case = lockstep::case::Case::from_text(&text(found.join("case.toml"))).expect("a case");
    let program = Agal::decode(&case.bytes).expect("a program");
    assert_eq!(program.tokens.len(), 1, "{}", Agal::disassemble(&program));
    assert_eq!(case.env.lanes.len(), 1);
    assert_eq!(std::fs::read(found.join("program.bytes")).unwrap(), case.bytes);
    assert_eq!(text(found.join("ours.listing")), Agal::disassemble(&program));
    let exchange: serde_json::Value = serde_json::from_str(&text(found.join("exchange.json"))).expect("JSON");
    let side = |side: &str| exchange[side][1]["lanes"][0]["outputs"].clone();
    assert!(side("reference").is_object() && side("reference") != side("subject"), "{exchange}");
    // The command in the report reproduces the finding, and finds nothing once the bug is gone.
    let report = text(found.join("finding.txt"));
    let again = report.lines().find_map(|line| line.trim().strip_prefix("again")).expect("a command").trim();
    assert!(again.starts_with("lockstep judge 'python3 -S ") && again.contains(" --count 0 "), "{again}");
    let path = found.display().to_string();
    for (bug, status) in [(" --bug", 1), ("", 0)] {
        let done = judge(folder.path(), &[&example(bug), "--isa", "agal", "--count", "0", &path]);
        assert_eq!(done.status, Some(status), "{}{}", done.out, done.err);
        assert!(done.out.contains("1 case sent"), "{}", done.out);
    }
}

#[test]
#[cfg(unix)]
fn the_documents_show_the_printed_output() {
    let blocks: Vec<String> = documents().iter().flat_map(|document| document.blocks("text")).collect();
    let folder = tempfile::tempdir().unwrap();
    let sources = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::os::unix::fs::symlink(sources, folder.path().join("verify")).unwrap();
    let mut commands = Vec::new();
    for part in blocks.iter().flat_map(|block| block.split("$ ").skip(1)) {
        let (command, printed) = part.split_once('\n').expect("a command with what it prints");
        // The module `readme` compares the output of `check`.
        if command == "lockstep check" {
            continue;
        }
        let (program, rest) = command.split_once(' ').expect("a command");
        commands.push(program);
        if program == "c++" {
            let done =
                Command::new(program).args(rest.split_whitespace()).current_dir(folder.path()).output();
            assert!(done.is_ok_and(|done| done.status.success()), "{command}");
            continue;
        }
        let rest = rest.strip_prefix("judge '").expect("judge with a quoted subject");
        let (subject, rest) = rest.split_once('\'').expect("a quoted subject");
        let mut arguments = vec![subject];
        arguments.extend(rest.split_whitespace());
        let done = judge(folder.path(), &arguments);
        assert_eq!(done.out.trim_end(), printed.trim_end(), "{command}\n{}", done.err);
    }
    assert_eq!(commands, ["lockstep", "lockstep", "c++", "lockstep"]);
}
