//! Every command in the documents runs, the output that the documents show has the form and the numbers of a real run, and every link in the
//! documents leads to an existing file or heading.
//!
//! The documents are the Markdown files at the top of the repository and in `docs`. The fence of a block states how the block is tested. `sh` blocks
//! are run here, line by line, in a folder that is empty except for a link to `corpora`. `sh stage` blocks take minutes, so each of their lines must
//! be in a script that continuous integration runs. `toml` blocks are configurations, which are read here. `text` blocks show output; a block that
//! begins with a command is compared with the output of the command, here or in `judge::example`. A block of any other kind names the test that runs
//! it: its fence has the language, the word `in`, and the path of a source file that names the document.

use crate::material;
use crate::whole_check::WholeCheck;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository is there")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A document: its path from the top of the repository, and its text.
pub(crate) struct Document {
    path: String,
    text: String,
}

/// Returns the documents in a folder of the repository, ordered by name.
fn documents_in(folder: &str) -> Vec<Document> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter(|name| Path::new(name).extension().is_some_and(|e| e == "md")).collect();
    names.sort();
    let path = |name| if folder.is_empty() { name } else { format!("{folder}/{name}") };
    names.into_iter().map(path).map(|path| Document { text: read(&path), path }).collect()
}

/// Returns all documents: first those at the top of the repository, then those in `docs`.
pub(crate) fn documents() -> Vec<Document> {
    let (top, docs) = (documents_in(""), documents_in("docs"));
    assert!(top.iter().any(|document| document.path == README), "the README is at the top");
    assert!(!docs.is_empty(), "there are documents in docs");
    top.into_iter().chain(docs).collect()
}

const README: &str = "README.md";

impl Document {
    fn at(path: &str) -> Document {
        Document { path: path.to_owned(), text: read(path) }
    }

    /// Returns the lines outside fenced blocks, and the blocks. Each block consists of the text after the three back quotes and the content.
    fn parts(&self) -> (Vec<&str>, Vec<(&str, String)>) {
        let (mut lines, mut blocks) = (Vec::new(), Vec::<(&str, String)>::new());
        let mut is_inside = false;
        for line in self.text.lines() {
            match line.trim_start().strip_prefix("```") {
                Some(info) if !is_inside => {
                    blocks.push((info, String::new()));
                    is_inside = true;
                }
                Some(_) => is_inside = false,
                None if is_inside => {
                    if let Some((_, block)) = blocks.last_mut() {
                        *block += line;
                        *block += "\n";
                    }
                }
                None => lines.push(line),
            }
        }
        assert!(!is_inside, "{}: a block does not end", self.path);
        (lines, blocks)
    }

    /// Returns the contents of the blocks with this fence.
    pub(crate) fn blocks(&self, fence: &str) -> Vec<String> {
        let blocks = self.parts().1.into_iter();
        blocks.filter(|(info, _)| *info == fence).map(|(_, block)| block).collect()
    }

    /// Returns the lines of the blocks with this fence, without empty lines and comments.
    fn commands(&self, fence: &str) -> Vec<String> {
        let lines = self.blocks(fence).concat();
        lines
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty() && !l.starts_with('#'))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the targets of the document's links.
    fn links(&self) -> Vec<String> {
        let mut found = Vec::new();
        for line in self.parts().0 {
            // Every second part between back quotes is code.
            let prose: String = line.split('`').step_by(2).collect();
            let targets =
                prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
            found.extend(targets);
        }
        found
    }

    /// Returns the anchors of the document's headings: lower case, with hyphens for spaces, without punctuation.
    fn anchors(&self) -> BTreeSet<String> {
        let lines = self.parts().0.into_iter();
        let headings =
            lines.filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        headings
            .map(|heading| heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-"))
            .collect()
    }
}

/// Runs a command line in a shell with `lockstep` on the path.
fn shell(line: &str, folder: &Path) -> Output {
    // A link named `lockstep` is needed because the binary under test may have another name.
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
    let mut count = 0;
    for document in documents() {
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(root().join("corpora"), folder.path().join("corpora")).expect("a link");
        for line in document.commands("sh") {
            let output = shell(&line, folder.path());
            let path = &document.path;
            let said = String::from_utf8_lossy(&output.stderr);
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{path}: {line}\n{printed}\n{said}");
            count += 1;
        }
    }
    assert!(count >= 14, "too few commands in the documents: {count}");
}

#[test]
fn every_configuration_is_read() {
    let blocks: Vec<String> = documents().iter().flat_map(|document| document.blocks("toml")).collect();
    assert!(!blocks.is_empty(), "a document shows a configuration");
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
    let lines: Vec<String> = documents().iter().flat_map(|document| document.commands("sh stage")).collect();
    assert!(lines.len() >= 9, "too few commands in the documents: {lines:?}");
    for line in lines {
        let command = line.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
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

/// Beginnings of commands whose output a test compares with a document: the tests that use [`shown_run`], and `judge::example`.
const COMPARED: [&str; 3] = ["lockstep check\n", "lockstep judge '", "c++ "];

#[test]
fn no_other_block_contains_commands() {
    for document in documents() {
        let path = &document.path;
        for (info, block) in document.parts().1 {
            // A source file may run the block if the fence names the source file and the source file names the document.
            let runs = |source: &str| read(source).contains(path.as_str());
            let is_run = info.split_once(" in ").is_some_and(|(_, source)| runs(source));
            let is_known = ["sh", "sh stage", "text", "toml"].contains(&info) || is_run;
            assert!(is_known, "{path}: '{info}' blocks are not tested");
            for line in block.lines().filter(|_| info == "text") {
                let Some(command) = line.strip_prefix("$ ") else { continue };
                let is_compared = COMPARED.iter().any(|begin| format!("{command}\n").starts_with(begin));
                assert!(is_compared, "{path}: the output of '{command}' is not tested");
            }
        }
    }
    let commands = Document::at(README).commands("sh stage");
    assert_eq!(commands, ["ci/check", "ci/test"], "the README has the two commands");
}

/// Returns for each link of a document a text for messages, the file, and the heading if the link names one. Links to other sites are left out.
fn destinations(document: &Document) -> Vec<(String, PathBuf, Option<String>)> {
    let top = root();
    let (here, mut found) = (top.join(&document.path), Vec::new());
    for link in document.links().into_iter().filter(|link| !link.contains("://")) {
        let (path, heading) =
            link.split_once('#').map_or((link.as_str(), None), |(p, h)| (p, Some(h.to_owned())));
        let file = if path.is_empty() { here.clone() } else { here.with_file_name("").join(path) };
        found.push((format!("{}: {link}", document.path), file, heading));
    }
    found
}

#[test]
fn every_link_leads_to_a_file_or_heading_that_exists() {
    let others = ["verify/PROTOCOL.md", "corpora/README.md"].map(Document::at);
    let mut count = 0;
    for document in documents().iter().chain(&others) {
        for (link, file, heading) in destinations(document) {
            count += 1;
            let file = file.canonicalize().unwrap_or_else(|error| panic!("{link}: {error}"));
            let path =
                file.strip_prefix(root()).unwrap_or_else(|_| panic!("{link} leads out of the repository"));
            if let Some(heading) = heading {
                let anchors = Document::at(&path.to_string_lossy()).anchors();
                assert!(anchors.contains(&heading), "{link}: the headings are {anchors:?}");
            }
        }
    }
    assert!(count >= 20, "too few links in the documents: {count}");
}

#[test]
fn the_readme_links_every_document() {
    let readme = Document::at(README);
    let linked: BTreeSet<PathBuf> =
        destinations(&readme).into_iter().filter_map(|(_, file, _)| file.canonicalize().ok()).collect();
    for document in documents().iter().filter(|document| document.path != README) {
        assert!(linked.contains(&root().join(&document.path)), "the README has no link to {}", document.path);
    }
}

#[test]
fn the_finding_shown_is_what_check_prints() {
    let shown = Document::at("docs/findings.md").blocks("text").concat();
    // The vector of the finding that is shown, with a wrong number.
    let vectors = read("corpora/d3d9/vectors/arithmetic.toml");
    let vector = vectors.split("\n[[vector]]").find(|vector| vector.contains("name = \"interpolation\""));
    let vector = vector.expect("the vector").replace("oPos = [7, ", "oPos = [8, ");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("lrp.toml"), format!("[[vector]]{vector}")).expect("a file");
    let output = shell("lockstep check lrp.toml --isa d3d9 --no-proofs", folder.path());
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(1) && printed.contains(&format!("\n\n{shown}")), "{printed}");
}

/// The output of `lockstep check`, parsed.
struct Shown {
    /// The table of programs, and the table of proofs if there is one.
    tables: Vec<Counts>,
    /// The entire text.
    text: String,
}

/// A printed table.
struct Counts {
    /// The column headings, except for the first.
    heads: Vec<String>,
    /// The names of the rows, each with its numbers.
    rows: BTreeMap<String, Vec<u64>>,
}

/// The column headings of the table of programs, except for the first.
const COLUMNS: [&str; 8] =
    ["programs", "run", "refused", "lanes", "compared", "vectors", "rules", "findings"];

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

    /// Returns a number of a row in the table of programs.
    fn count(&self, row: &str, head: &str) -> u64 {
        self.tables[0].count(row, head)
    }

    /// Returns the number of obligations of a row, with any verdict.
    fn proofs(&self, row: &str) -> u64 {
        let table = self.tables.get(1).unwrap_or_else(|| panic!("there are no proofs:\n{}", self.text));
        table.rows.get(row).unwrap_or_else(|| panic!("{row} has no proofs:\n{}", self.text)).iter().sum()
    }

    /// Returns the first number after these words.
    fn number_after(&self, words: &str) -> u64 {
        let rest = self.text.split_once(words).map(|(_, rest)| rest.trim_start()).unwrap_or_default();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or_else(|_| panic!("there is no number after '{words}':\n{}", self.text))
    }
}

/// Returns the output of `lockstep check` shown in the documents: the README has its tables, and `docs/using.md` the rest.
fn shown_run() -> Shown {
    let begins = |path: &str, begin: &str| {
        let blocks = Document::at(path).blocks("text");
        let block = blocks.into_iter().find(|block| block.starts_with(begin));
        block.unwrap_or_else(|| panic!("{path} shows no run of check"))
    };
    let tables = begins(README, "$ lockstep check\n");
    let rest = begins("docs/using.md", "broken rules: ");
    Shown::new(&format!("{tables}\n{rest}"))
}

#[test]
fn the_shown_run_has_the_form_of_a_real_run() {
    let shown_run = shown_run();
    let now = Shown::new(&WholeCheck::run().text);
    let rows = |shown: &Shown| shown.tables[0].rows.keys().cloned().collect::<Vec<_>>();
    assert_eq!(now.tables[0].heads, COLUMNS, "{}", now.text);
    assert_eq!(rows(&now).len(), lockstep_core::isa::IsaId::ALL.len() + 1, "{}", now.text);
    assert_eq!(shown_run.tables[0].heads, COLUMNS, "the output in the documents has another form");
    assert_eq!(rows(&shown_run), rows(&now));
    assert!(now.text.lines().all(|line| !line.contains('\u{2500}') || line.chars().count() <= 80));
    // The shown numbers count programs outside the project, so they can only be compared where those programs are present.
    let material = lockstep_core::isa::IsaId::ALL
        .iter()
        .all(|isa| material::material(&format!("{}/open", isa.folder())).is_some());
    for row in rows(&now).iter().filter(|row| material || *row == "shared") {
        let counts = |shown: &Shown| COLUMNS.map(|head| (head, shown.count(row, head)));
        assert_eq!(
            counts(&shown_run),
            counts(&now),
            "{row}: the output in the documents is outdated\n{}",
            now.text
        );
    }
    assert!(
        !material || shown_run.number_after("\nrefused:") == now.number_after("\nrefused:"),
        "{}",
        now.text
    );
}

#[test]
fn the_numbers_of_the_shown_run_are_consistent() {
    let shown_run = shown_run();
    let (mut refused, mut proofs) = (0, shown_run.proofs("shared"));
    for isa in lockstep_core::isa::IsaId::ALL {
        let row = isa.name();
        let count = |head| shown_run.count(row, head);
        for head in ["programs", "run", "lanes", "compared", "vectors"] {
            assert!(count(head) > 0, "{row}: no {head}");
        }
        assert_eq!(count("run") + count("refused"), count("programs"), "{row}");
        assert!(count("lanes") < count("compared"), "{row}");
        assert!(shown_run.proofs(row) > 1000, "{row}: {} proofs", shown_run.proofs(row));
        assert_eq!(count("findings"), 0, "{row}");
        refused += count("refused");
        proofs += shown_run.proofs(row);
    }
    assert_eq!(shown_run.number_after("\nrefused:"), refused);
    // One line states the sum of the obligations of all rows.
    let total = shown_run.text.lines().find(|line| line.contains(" obligations, ")).expect("obligations");
    let total = total.split_whitespace().find_map(|word| word.parse::<u64>().ok());
    assert_eq!(total, Some(proofs), "obligations");
    // The ledger, with which every run of the proofs is compared, has the same numbers.
    let mut listed: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    let ledger = std::fs::read_to_string(root().join("corpora/proofs/ledger.tsv")).expect("the ledger");
    for line in ledger.lines().skip(1).filter(|line| !line.starts_with("shared domain check\t")) {
        let whose = line.split(' ').next().unwrap_or_default();
        let numbers: Vec<u64> = line.split('\t').skip(1).map(|n| n.parse().expect("a number")).collect();
        let sums = listed.entry(whose).or_default();
        sums[0] += numbers[0];
        sums[1] += numbers[2];
    }
    for (whose, [obligations, _]) in &listed {
        assert_eq!(shown_run.proofs(whose), *obligations, "{whose}: obligations in the ledger");
    }
    assert_eq!(
        shown_run.number_after(" obligations,"),
        listed.values().map(|[_, claims]| claims).sum::<u64>(),
        "claims"
    );
    assert!(shown_run.text.contains("\nclean in "), "{}", shown_run.text);
}
