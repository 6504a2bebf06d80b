//! Every command of the README runs, and the picture of a run is what a run looks like.
//!
//! The README marks its commands by the fence: `sh` blocks are run here, line by line, in a folder of their own beside a copy of nothing but
//! `corpora`; `sh stage` blocks take minutes, so their lines have to stand in a script that continuous integration runs.

#![allow(clippy::expect_used)] // helpers of tests are tests

#[path = "../../core/tests/material/mod.rs"]
mod material;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository is there")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The contents of the README's fenced blocks that begin with this line after the three back quotes.
fn blocks(fence: &str) -> Vec<String> {
    let readme = read("README.md");
    let mut found: Vec<String> = Vec::new();
    let mut inside = None;
    for line in readme.lines() {
        match (line.strip_prefix("```"), inside) {
            (Some(info), None) => {
                inside = Some(info == fence);
                if info == fence {
                    found.push(String::new());
                }
            }
            (Some(_), Some(_)) => inside = None,
            (None, Some(true)) => {
                if let Some(block) = found.last_mut() {
                    *block += line;
                    *block += "\n";
                }
            }
            (None, _) => {}
        }
    }
    assert_eq!(inside, None, "a block of the README does not end");
    found
}

/// The command lines of blocks: without empty lines and comments.
fn commands(fence: &str) -> Vec<String> {
    let lines = blocks(fence).concat();
    lines.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).map(str::to_owned).collect()
}

/// Runs a command line as a person would who has `lockstep` on the path.
fn shell(line: &str, folder: &Path) -> Output {
    // Whatever the binary under test is called.
    let tools = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_lockstep"), tools.path().join("lockstep"))
        .expect("a link");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(tools.path().to_owned()).chain(std::env::split_paths(&path)));
    Command::new("bash")
        .args(["-euo", "pipefail", "-c", line])
        .current_dir(folder)
        .env("PATH", path.expect("the path can be extended"))
        .output()
        .expect("bash runs")
}

#[test]
fn every_short_command_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(root().join("corpora"), folder.path().join("corpora")).expect("a link");
    let commands = commands("sh");
    assert!(commands.len() >= 6, "the README shows how to use the tool: {commands:?}");
    for line in commands {
        let output = shell(&line, folder.path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}\n{}\n{said}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn every_long_command_is_a_stage_of_continuous_integration() {
    let scripts: Vec<String> = [".ci/run", "ci/test", "ci/nightly"].map(read).into();
    for line in commands("sh stage") {
        let command = line.split_whitespace().next().unwrap_or_default();
        if command.starts_with("ci/") {
            let metadata =
                std::fs::metadata(root().join(command)).unwrap_or_else(|error| panic!("{command}: {error}"));
            let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
            assert!(mode & 0o111 != 0, "{command} is not executable");
        }
        let runs = |script: &String| {
            let lines = script.lines().map(str::trim).filter(|l| !l.starts_with('#'));
            lines.into_iter().any(|l| l == line || l.ends_with(&format!(" {line}")))
        };
        assert!(scripts.iter().any(runs), "no script of continuous integration has the line '{line}'");
    }
}

#[test]
fn no_other_block_holds_commands() {
    let known = ["sh", "sh stage", "text"];
    let readme = read("README.md");
    let fences = readme.lines().filter_map(|l| l.strip_prefix("```")).filter(|info| !info.is_empty());
    for info in fences {
        assert!(known.contains(&info), "'{info}' blocks are not tested");
    }
    assert_eq!(commands("sh stage")[..2], ["ci/check", "ci/test"], "the two commands come first");
}

/// A run as the tool prints it.
struct Shown {
    /// The heads of the table.
    heads: Vec<String>,
    /// What its rows begin with, and their other words.
    rows: BTreeMap<String, Vec<String>>,
    /// All of it.
    text: String,
}

/// Counts of a row, by their heads up to where proofs begin.
const COUNTS: [&str; 10] =
    ["programs", "decoded", "bytes", "text", "run", "refused", "lanes", "components", "rewritten", "vectors"];

impl Shown {
    /// The words of a line, whatever rules are drawn around them.
    fn words(line: &str) -> Vec<String> {
        let is_rule = |c: char| ('\u{2500}'..='\u{257f}').contains(&c);
        line.split(|c: char| c.is_whitespace() || is_rule(c))
            .filter(|w| !w.is_empty())
            .map(str::to_owned)
            .collect()
    }

    fn new(text: &str) -> Shown {
        let is_head = |line: &&str| Shown::words(line).first().is_some_and(|word| word == "ISA");
        let mut lines = text.lines().skip_while(|line| !is_head(line));
        let heads = lines.next().map(Shown::words).unwrap_or_default();
        let body = lines.take_while(|line| !line.trim().is_empty() && !line.contains(": "));
        let row = |line| {
            let mut words = Shown::words(line).into_iter();
            words.next().map(|name| (name, words.collect()))
        };
        Shown { heads, rows: body.filter_map(row).collect(), text: text.to_owned() }
    }

    /// A count of a row.
    fn count(&self, row: &str, head: &str) -> u64 {
        let at = COUNTS.iter().position(|count| *count == head).expect("a count");
        let word = self.rows.get(row).and_then(|words| words.get(at));
        word.and_then(|w| w.parse().ok()).unwrap_or_else(|| panic!("{row} has no {head}:\n{}", self.text))
    }

    /// The numbers of a row's proofs that are not part of another: `12 , 3 cached, 4 bounded` are 16.
    fn proofs(&self, row: &str) -> u64 {
        let words = &self.rows[row][COUNTS.len()..self.rows[row].len() - 1];
        let number = |at: usize| words[at].trim_end_matches(',').parse().unwrap_or(0);
        let is_part = |at: usize| words.get(at + 1).is_some_and(|word| word.starts_with("cached"));
        (0..words.len()).filter(|at| !is_part(*at)).map(number).sum()
    }

    /// The first number behind these words.
    fn behind(&self, words: &str) -> u64 {
        let rest = self.text.split_once(words).map(|(_, rest)| rest.trim_start()).unwrap_or_default();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or_else(|_| panic!("there is no number behind '{words}':\n{}", self.text))
    }
}

/// The picture of a run in the README.
fn picture() -> Shown {
    let pictures = blocks("text");
    let picture = pictures.iter().find(|p| p.contains("check")).expect("the README shows a run of check");
    Shown::new(picture)
}

#[test]
fn the_picture_of_a_run_is_what_a_run_looks_like() {
    let picture = picture();
    // Without proofs, and wide enough that no head is broken over two lines.
    let output = shell("COLUMNS=200 lockstep check --no-proofs", &root());
    let now = Shown::new(&String::from_utf8_lossy(&output.stdout));
    assert!(
        now.heads.len() > 5 && now.rows.len() == lockstep_core::isa::IsaId::ALL.len() + 1,
        "{}",
        now.text
    );
    assert_eq!(picture.heads, now.heads, "{}", now.text);
    assert_eq!(picture.rows.keys().collect::<Vec<_>>(), now.rows.keys().collect::<Vec<_>>());
    // Numbers are those of now, if there are the same programs.
    let material = lockstep_core::isa::IsaId::ALL
        .iter()
        .all(|isa| material::material(&format!("{}/open", isa.folder())).is_some());
    for row in now.rows.keys().filter(|row| material || *row == "shared") {
        let counts = |shown: &Shown| COUNTS.map(|head| (head, shown.count(row, head)));
        assert_eq!(
            counts(&picture),
            counts(&now),
            "{row}: the picture in the README is of another state\n{}",
            now.text
        );
    }
    assert!(!material || picture.behind("\nrefused:") == now.behind("\nrefused:"), "{}", now.text);
}

#[test]
fn the_numbers_of_the_picture_go_together() {
    let picture = picture();
    let (mut refused, mut proofs) = (0, picture.proofs("shared"));
    for isa in lockstep_core::isa::IsaId::ALL {
        let row = isa.name();
        let count = |head| picture.count(row, head);
        for head in COUNTS.into_iter().filter(|head| *head != "refused") {
            assert!(count(head) > 0, "{row}: no {head}");
        }
        for head in ["decoded", "bytes", "text"] {
            assert_eq!(count(head), count("programs"), "{row}: {head}");
        }
        assert_eq!(count("run") + count("refused"), count("programs"), "{row}");
        assert!(count("rewritten") <= count("components") && count("lanes") < count("components"), "{row}");
        assert!(picture.proofs(row) > 1000, "{row}: {} proofs", picture.proofs(row));
        assert_eq!(picture.rows[row].last().map(String::as_str), Some("0"), "{row}: findings");
        refused += count("refused");
        proofs += picture.proofs(row);
    }
    assert_eq!(picture.behind("\nrefused:"), refused);
    // The last line about proofs counts all of them.
    let total = picture.text.lines().find(|line| line.contains(" obligations, ")).expect("obligations");
    let total = total.split_whitespace().find_map(|word| word.parse::<u64>().ok());
    assert_eq!(total, Some(proofs), "obligations");
    assert!(picture.text.contains("\nclean in "), "{}", picture.text);
}
