//! The rows of planted faults: each is a change of files that makes the product or one of its tests wrong.

use super::Error;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// How a row's texts `find` and `with` are combined into code with a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Both texts are expressions of one type: `(if on { with } else { find })`.
    #[default]
    Expression,
    /// `with` replaces `find` and contains the switch, written `{planted}`, as a condition.
    Text,
    /// `with` replaces `find` in the file while tests run. This form is for files that tests read at run time, such as documents, corpora and
    /// sources; see [`super::change`]. If `find` is empty, the file must not exist, and it is created.
    File,
}

/// A change of one file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The file, relative to the top of the workspace.
    pub file: String,
    /// The text to replace. It occurs exactly once, unless `nth` is given.
    pub find: String,
    /// Which occurrence of `find`, counted from 1.
    #[serde(default)]
    pub nth: Option<usize>,
    /// The replacement when the fault is on.
    pub with: String,
    /// How `find` and `with` are combined.
    #[serde(default)]
    pub form: Form,
}

/// A planted fault.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Unique name.
    pub name: String,
    /// The instruction set whose programs reveal the fault, or `all`.
    pub isa: String,
    /// The file, relative to the top of the workspace.
    pub file: String,
    /// The text to replace. It occurs exactly once, unless `nth` is given.
    pub find: String,
    /// Which occurrence of `find`, counted from 1.
    #[serde(default)]
    pub nth: Option<usize>,
    /// The replacement when the fault is on.
    pub with: String,
    /// How `find` and `with` are combined.
    #[serde(default)]
    pub form: Form,
    /// Further changes that belong to the fault, usually the same mistake in the other engine (reference or executor).
    #[serde(default)]
    pub also: Vec<Change>,
    /// The effect of the fault as a sentence.
    pub breaks: String,
    /// What a finding about this fault must name, usually a mnemonic. If there are several, one of them suffices. Empty if a finding need not name
    /// anything.
    #[serde(default)]
    pub expect: Vec<String>,
    /// Texts of which one must occur in the opcodes or in the listing line of an instruction that a finding marks. If empty, those of `expect` are
    /// used.
    #[serde(default)]
    pub marks: Vec<String>,
    /// Why a finding marks an instruction other than the faulty one. If a finding nevertheless marks the faulty instruction, this is reported as a
    /// deviation.
    #[serde(default)]
    pub mismarked: Option<String>,
    /// The public bug that the fault reproduces, and where that bug is documented.
    #[serde(default)]
    pub source: Option<String>,
    /// Whether the author wrote the fault without reading the code of any gate: see `first.md`.
    #[serde(default)]
    pub blind: bool,
    /// The test that detects the fault, if no command-line run can: a test executable and a part of its tests' names, as in `verify/all cli::run_`.
    #[serde(default)]
    pub test: Option<String>,
    /// The gate that must detect the fault: `programs`, `bodies`, `proofs` or `tests`. This gate is run first. If only another gate detects the
    /// fault, this is reported as a deviation. Absent if no such gate is known, and in tables for tests.
    #[serde(default)]
    pub by: Option<String>,
    /// How the detecting gate ends if it does not end with findings: `unreadable`, `inconclusive`, `crash` or `hang`. Any other end is then reported
    /// as a deviation.
    #[serde(default)]
    pub ends: Option<String>,
    /// Why a finding need not name one of `expect`. If a finding nevertheless names one, this is reported as a deviation.
    #[serde(default)]
    pub unnamed: Option<String>,
    /// Why the fault is in the code of tests and not in the product. Must be absent for a fault in the product.
    #[serde(default)]
    pub of_tests: Option<String>,
    /// Why no gate needs to detect the fault. If a gate nevertheless detects it, this is reported as a deviation.
    #[serde(default)]
    pub reason: Option<String>,
    /// The name of the fault's table without the file extension; `tests/NAME` for faults that exist to make tests fail.
    #[serde(skip)]
    pub table: String,
}

/// The subfolder for tables of faults for tests, and the prefix of the names of these tables.
const TESTS_FOLDER: &str = "tests";

impl Fault {
    /// Whether the fault exists to make tests fail.
    pub fn is_for_tests(&self) -> bool {
        self.table.starts_with(TESTS_FOLDER)
    }

    /// Whether the row requires a finding, but neither states text of the finding (`expect`, `marks`) nor why it names nothing (`unnamed`).
    fn lacks_expectation(&self) -> bool {
        let finds = self.by.as_deref().is_some_and(|by| by != "tests");
        finds && self.expect.is_empty() && self.marks.is_empty() && self.unnamed.is_none()
    }

    /// Whether the fault is in the code of tests without a reason of more than 20 bytes, or in the product with a reason.
    fn is_misplaced(&self) -> bool {
        let in_tests = self.changes().iter().any(|change| change.file.contains("/tests/"));
        match &self.of_tests {
            Some(reason) => !in_tests || reason.len() <= 20,
            None => in_tests,
        }
    }

    /// Returns all changes of the fault.
    pub fn changes(&self) -> Vec<Change> {
        let Fault { file, find, nth, with, form, .. } = self.clone();
        std::iter::once(Change { file, find, nth, with, form }).chain(self.also.iter().cloned()).collect()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    fault: Vec<Fault>,
}

/// Reads all faults of a folder, ordered by table and row, with those for tests last. The number of a fault is its position in this list, from 1.
///
/// # Errors
/// If a table cannot be read; if two faults have the same name; if a fault is in the code of tests without a reason, or in the product with such a
/// reason; if a fault requires a finding, but gives neither a name that the finding contains nor a reason why it contains none.
pub fn read(folder: &Path) -> Result<Vec<Fault>, Error> {
    let mut all = tables(folder, "")?;
    let of_tests = folder.join(TESTS_FOLDER);
    if of_tests.is_dir() {
        all.extend(tables(&of_tests, "tests/")?);
    }
    let mut names = BTreeSet::new();
    for fault in &all {
        if !names.insert(fault.name.as_str()) {
            return Err(Error::row(fault, "there are two faults with this name"));
        }
        if fault.is_misplaced() {
            let message = "faults of tests need 'of_tests' with over 20 bytes, others must not have it";
            return Err(Error::row(fault, message));
        }
        if fault.lacks_expectation() {
            return Err(Error::row(
                fault,
                "a finding is required, but the row has none of 'expect', 'marks' and 'unnamed'",
            ));
        }
    }
    Ok(all)
}

fn tables(folder: &Path, prefix: &str) -> Result<Vec<Fault>, Error> {
    let entries = std::fs::read_dir(folder).map_err(|e| Error::file(folder, e))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| Error::file(folder, e))?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut all: Vec<Fault> = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|e| Error::file(&path, e))?;
        let table: Table = toml::from_str(&text)
            .map_err(|e| Error::Table { path: path.display().to_string(), message: e.to_string() })?;
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let name = format!("{prefix}{stem}");
        all.extend(table.fault.into_iter().map(|f| Fault { table: name.clone(), ..f }));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_require_a_finding_state_its_text_or_a_reason() {
        let open = |row: &str| {
            let head = "name = 'n'\nisa = 'all'\nfile = 'f'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n";
            toml::from_str::<Fault>(&format!("{head}{row}")).unwrap().lacks_expectation()
        };
        assert!(open("by = 'programs'") && open("by = 'bodies'") && open("by = 'proofs'"));
        assert!(!open("by = 'tests'") && !open(""));
        assert!(!open("by = 'programs'\nexpect = ['mov']") && !open("by = 'programs'\nmarks = ['mov']"));
        assert!(!open("by = 'programs'\nunnamed = 'a header'"));
    }

    #[test]
    fn faults_in_the_code_of_tests_have_a_reason() {
        let misplaced = |file: &str, rest: &str| {
            let row = format!(
                "name = 'n'\nisa = 'all'\nfile = '{file}'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n{rest}"
            );
            toml::from_str::<Fault>(&row).unwrap().is_misplaced()
        };
        let reason = "of_tests = 'the comparison under test is in this file'";
        assert!(!misplaced("core/src/x.rs", "") && misplaced("core/src/x.rs", reason));
        assert!(misplaced("core/src/x.rs", "of_tests = 'so'"));
        assert!(misplaced("core/tests/all/x.rs", "") && misplaced("core/tests/all/x.rs", "of_tests = 'so'"));
        assert!(!misplaced("core/tests/all/x.rs", reason));
    }

    /// There are at least 150 faults of the product. At least a third of these are [`Fault::blind`], and `first.md` records which gate first detected
    /// each of them.
    #[test]
    fn a_third_of_the_faults_of_the_product_are_blind_and_recorded() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let all = read(&here.join("faults")).unwrap();
        let product: Vec<&Fault> = all.iter().filter(|fault| !fault.is_for_tests()).collect();
        let blind = product.iter().filter(|fault| fault.blind).count();
        assert!(product.len() >= 150 && blind * 3 >= product.len(), "{blind} of {}", product.len());
        let recorded = std::fs::read_to_string(here.join("first.md")).unwrap();
        let headings = recorded.lines().filter_map(|line| line.strip_prefix("## ")?.split_once(" of "));
        let rows =
            headings.map(|(_, rest)| rest.split(' ').next().unwrap_or_default().parse::<usize>().unwrap());
        let gone =
            recorded.lines().filter_map(|line| line.strip_prefix("Gone with the code that they changed: "));
        let gone = gone.flat_map(|names| names.split(", ")).count();
        assert_eq!(rows.sum::<usize>() - gone, all.iter().filter(|fault| fault.blind).count(), "first.md");
    }
}
