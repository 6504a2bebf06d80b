//! Every command of the README runs, and the output it shows has the form and the numbers of a real run.
//!
//! The README marks its commands by the fence: `sh` blocks are run here, line by line, in an otherwise empty folder with a copy of `corpora`; `sh
//! stage` blocks take minutes, so their lines have to be in a script that continuous integration runs.

use crate::material;
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

/// Runs a command line in a shell with `lockstep` on the path.
fn shell(line: &str, folder: &Path) -> Output {
    // The binary under test may have another name.
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
    assert!(commands.len() >= 6, "too few commands in the README: {commands:?}");
    for line in commands {
        let output = shell(&line, folder.path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}\n{}\n{said}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn every_configuration_is_read() {
    let blocks = blocks("toml");
    assert!(!blocks.is_empty(), "the README shows a configuration");
    for block in blocks {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("lockstep.toml"), &block).expect("a file");
        std::fs::write(folder.path().join("p.agal.txt"), "version 1 vertex\nmov op, va0\n").expect("a file");
        let output = shell("lockstep check p.agal.txt && lockstep validate p.agal.txt", folder.path());
        assert!(output.status.success(), "{block}\n{}", String::from_utf8_lossy(&output.stderr));
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
    let known = ["sh", "sh stage", "text", "toml"];
    let readme = read("README.md");
    let fences = readme.lines().filter_map(|l| l.strip_prefix("```")).filter(|info| !info.is_empty());
    for info in fences {
        assert!(known.contains(&info), "'{info}' blocks are not tested");
    }
    assert_eq!(commands("sh stage")[..2], ["ci/check", "ci/test"], "the two commands do not come first");
}

/// A run as the tool prints it.
struct Shown {
    /// The table of programs, and that of proofs if there is one.
    tables: Vec<Counts>,
    /// All of it.
    text: String,
}

/// A printed table.
struct Counts {
    /// The headings of its columns, except for the first.
    heads: Vec<String>,
    /// The names of its rows, and their numbers.
    rows: BTreeMap<String, Vec<u64>>,
}

/// Counts of a row in the table of programs.
const COUNTS: [&str; 8] = ["programs", "run", "refused", "lanes", "compared", "vectors", "rules", "findings"];

impl Counts {
    fn count(&self, row: &str, head: &str) -> u64 {
        let at = self.heads.iter().position(|known| known == head);
        let number = at.and_then(|at| self.rows.get(row).and_then(|numbers| numbers.get(at)));
        *number.unwrap_or_else(|| panic!("{row} has no {head}: {:?}", self.heads))
    }
}

impl Shown {
    fn new(text: &str) -> Shown {
        let is_rule = |c: char| ('\u{2500}'..='\u{257f}').contains(&c);
        let mut tables: Vec<Counts> = Vec::new();
        for line in text.lines().filter(|line| !line.contains(is_rule)) {
            let mut words = line.split_whitespace();
            let Some(first) = words.next() else { continue };
            if first == "ISA" {
                tables.push(Counts { heads: words.map(str::to_owned).collect(), rows: BTreeMap::new() });
            } else if let Some(table) = tables.last_mut() {
                let numbers: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
                let numbers = numbers.filter(|numbers| numbers.len() == table.heads.len());
                table.rows.extend(numbers.map(|numbers| (first.to_owned(), numbers)));
            }
        }
        assert!(!tables.is_empty(), "there is no table:\n{text}");
        Shown { tables, text: text.to_owned() }
    }

    /// A number of a row in the table of programs.
    fn count(&self, row: &str, head: &str) -> u64 {
        self.tables[0].count(row, head)
    }

    /// The obligations of a row, whatever their verdicts.
    fn proofs(&self, row: &str) -> u64 {
        let table = self.tables.get(1).unwrap_or_else(|| panic!("there are no proofs:\n{}", self.text));
        table.rows.get(row).unwrap_or_else(|| panic!("{row} has no proofs:\n{}", self.text)).iter().sum()
    }

    /// The first number after these words.
    fn behind(&self, words: &str) -> u64 {
        let rest = self.text.split_once(words).map(|(_, rest)| rest.trim_start()).unwrap_or_default();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or_else(|_| panic!("there is no number behind '{words}':\n{}", self.text))
    }
}

/// The output shown in the README.
fn picture() -> Shown {
    let pictures = blocks("text");
    let picture = pictures.iter().find(|p| p.contains("check")).expect("the README shows a run of check");
    Shown::new(picture)
}

#[test]
fn the_picture_of_a_run_is_what_a_run_looks_like() {
    let picture = picture();
    let output = shell("lockstep check --no-proofs", &root());
    let now = Shown::new(&String::from_utf8_lossy(&output.stdout));
    let rows = |shown: &Shown| shown.tables[0].rows.keys().cloned().collect::<Vec<_>>();
    assert_eq!(now.tables[0].heads, COUNTS, "{}", now.text);
    assert_eq!(rows(&now).len(), lockstep_core::isa::IsaId::ALL.len() + 1, "{}", now.text);
    assert_eq!(picture.tables[0].heads, COUNTS, "the output in the README has another form");
    assert_eq!(rows(&picture), rows(&now));
    assert!(now.text.lines().all(|line| !line.contains('\u{2500}') || line.chars().count() <= 80));
    // The numbers are compared with the current ones if the same programs are present.
    let material = lockstep_core::isa::IsaId::ALL
        .iter()
        .all(|isa| material::material(&format!("{}/open", isa.folder())).is_some());
    for row in rows(&now).iter().filter(|row| material || *row == "shared") {
        let counts = |shown: &Shown| COUNTS.map(|head| (head, shown.count(row, head)));
        assert_eq!(
            counts(&picture),
            counts(&now),
            "{row}: the output in the README is outdated\n{}",
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
        for head in ["programs", "run", "lanes", "compared", "vectors"] {
            assert!(count(head) > 0, "{row}: no {head}");
        }
        assert_eq!(count("run") + count("refused"), count("programs"), "{row}");
        assert!(count("lanes") < count("compared"), "{row}");
        assert!(picture.proofs(row) > 1000, "{row}: {} proofs", picture.proofs(row));
        assert_eq!(count("findings"), 0, "{row}");
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
