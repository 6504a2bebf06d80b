//! Rows of faults.

use super::Error;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// How the text of a row stands for a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Both texts are expressions of one type: `(if on { with } else { find })`.
    #[default]
    Expression,
    /// `with` takes the place of `find` and has the switch in it, written `{planted}`, which is a condition.
    Text,
}

/// A change of a source file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// File, from the top of the workspace.
    pub file: String,
    /// What stands there. Once, unless `nth` says which.
    pub find: String,
    /// Which occurrence of `find`, counted from 1.
    #[serde(default)]
    pub nth: Option<usize>,
    /// What stands there when the fault is on.
    pub with: String,
    /// How the two make a switch.
    #[serde(default)]
    pub form: Form,
}

/// A fault.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Unique name.
    pub name: String,
    /// Instruction set whose programs are to show it, or `all`.
    pub isa: String,
    /// File, from the top of the workspace.
    pub file: String,
    /// What stands there. Once, unless `nth` says which.
    pub find: String,
    /// Which occurrence of `find`, counted from 1.
    #[serde(default)]
    pub nth: Option<usize>,
    /// What stands there when the fault is on.
    pub with: String,
    /// How the two make a switch.
    #[serde(default)]
    pub form: Form,
    /// What changes with it elsewhere: the same mistake in the other engine, mostly.
    #[serde(default)]
    pub also: Vec<Change>,
    /// What is wrong then, in a sentence.
    pub breaks: String,
    /// What a finding has to name for it to be about this fault, mostly a mnemonic; several are alternatives. Empty where a finding has nothing to name.
    #[serde(default)]
    pub expect: Vec<String>,
    /// What a marked instruction has in its opcodes or its text, where that is not what `expect` says; several are alternatives.
    #[serde(default)]
    pub marks: Vec<String>,
    /// Why a finding marks another instruction. One that marks the right one after all fails.
    #[serde(default)]
    pub mismarked: Option<String>,
    /// The public bug that it re-enacts, with where that is written.
    #[serde(default)]
    pub source: Option<String>,
    /// Whether it was written before any gate was looked at.
    #[serde(default)]
    pub blind: bool,
    /// The test that sees it, where no run of the command line can: a test executable and a part of its tests' names, as in
    /// `verify/all cli::run_`.
    #[serde(default)]
    pub test: Option<String>,
    /// The gate that has to see it at the latest, which is asked first: `programs`, `bodies`, `proofs` or `tests`. Absent while nothing is known to, and in tables for tests.
    #[serde(default)]
    pub by: Option<String>,
    /// How the gate that sees it ends, if not with findings: `unreadable`, `inconclusive`, `crash` or `hang`. One that ends otherwise fails.
    #[serde(default)]
    pub ends: Option<String>,
    /// Why what is found need not name what `expect` says. One that names it after all fails.
    #[serde(default)]
    pub unnamed: Option<String>,
    /// Why nothing needs to see it. One that is seen after all fails.
    #[serde(default)]
    pub reason: Option<String>,
    /// The table that it stands in, without ending: a room; `tests/ROOM` for those that are there so that tests are seen to fail.
    #[serde(skip)]
    pub room: String,
}

/// The folder beside the tables of rooms, and what the rooms of its tables begin with.
const OF_TESTS: &str = "tests";

impl Fault {
    /// Whether it is there so that tests are seen to fail by it.
    pub fn is_for_tests(&self) -> bool {
        self.room.starts_with(OF_TESTS)
    }

    /// Whether a gate has to find it by a finding that need not name anything, and nothing says why.
    fn leaves_open_what_is_named(&self) -> bool {
        let finds = self.by.as_deref().is_some_and(|by| by != "tests");
        finds && self.expect.is_empty() && self.marks.is_empty() && self.unnamed.is_none()
    }

    /// All changes that it makes.
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

/// Every fault of a folder, by table and in the order of rows, those for tests last. Numbers of faults are places in this list, from 1.
///
/// # Errors
/// If a table cannot be read, two faults have one name, or what a gate is to find need name nothing.
pub fn read(folder: &Path) -> Result<Vec<Fault>, Error> {
    let mut all = tables(folder, "")?;
    let of_tests = folder.join(OF_TESTS);
    if of_tests.is_dir() {
        all.extend(tables(&of_tests, "tests/")?);
    }
    let mut names = BTreeSet::new();
    for fault in &all {
        if !names.insert(fault.name.as_str()) {
            return Err(Error::row(fault, "there are two of this name"));
        }
        if fault.leaves_open_what_is_named() {
            return Err(Error::row(
                fault,
                "it says neither what a finding names nor why none names anything",
            ));
        }
    }
    Ok(all)
}

fn tables(folder: &Path, room: &str) -> Result<Vec<Fault>, Error> {
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
        let room = format!("{room}{stem}");
        all.extend(table.fault.into_iter().map(|f| Fault { room: room.clone(), ..f }));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_gate_finds_names_something_or_has_a_reason() {
        let open = |row: &str| {
            let head = "name = 'n'\nisa = 'all'\nfile = 'f'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n";
            toml::from_str::<Fault>(&format!("{head}{row}")).unwrap().leaves_open_what_is_named()
        };
        assert!(open("by = 'programs'") && open("by = 'bodies'") && open("by = 'proofs'"));
        assert!(!open("by = 'tests'") && !open(""));
        assert!(!open("by = 'programs'\nexpect = ['mov']") && !open("by = 'programs'\nmarks = ['mov']"));
        assert!(!open("by = 'programs'\nunnamed = 'a header'"));
    }
}
