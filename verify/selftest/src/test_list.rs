//! The list of all tests, each with how it has been seen to fail, if it has: mostly under a planted fault.
//!
//! `verify/selftest/seen.txt` has a line for every test of the workspace: executable, name, and the fault under which the test fails. For a test that
//! no switch can make fail, the line has `by hand:`, the reason, and the change under which the test fails. For a test that has not been seen to fail
//! yet, it has `not yet:` and the reason.

use super::{Error, Fault};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The packages: short name, folder, and the name of the executable of the library's unit tests.
const PACKAGES: [(&str, &str, &str); 5] = [
    ("core", "core", "lockstep_core"),
    ("verify", "verify", "lockstep"),
    ("prove", "verify/prove", "lockstep_prove"),
    ("selftest", "verify/selftest", "lockstep_selftest"),
    ("validate", "verify/validate", "lockstep_validate"),
];
/// The mark in place of a fault's name if no switch makes the test fail.
const BY_HAND: &str = "by hand:";
/// The mark in place of a fault's name if the test has not been seen to fail yet.
const NOT_YET: &str = "not yet:";

/// A test: its executable, prefixed with the package's short name as in `core/all`, and its full name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Test {
    /// The test executable.
    pub executable: String,
    /// The full name of the test.
    pub name: String,
}

impl std::fmt::Display for Test {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.executable, self.name)
    }
}

/// How a test has been seen to fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The test fails under the fault of this name.
    Fault(String),
    /// The test failed under a change made once by hand. The text states why no switch can make the test fail, and describes the change.
    ByHand(String),
    /// The test has not been seen to fail yet; the text states why.
    NotYet(String),
}

/// Reads the list.
///
/// # Errors
/// If the file cannot be read, a line does not have the required form, or a test is listed twice.
pub fn list(path: &Path) -> Result<BTreeMap<Test, Seen>, Error> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
    let mut all = BTreeMap::new();
    let wrong = |line: usize, message: &str| Error::Table {
        path: path.display().to_string(),
        message: format!("line {line}: {message}"),
    };
    for (line, number) in text.lines().zip(1..) {
        let mut parts = line.splitn(3, ' ');
        let (Some(executable), Some(name), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(wrong(number, "expected: executable, test, and a fault or 'by hand:' or 'not yet:'"));
        };
        let seen = match (rest.strip_prefix(BY_HAND), rest.strip_prefix(NOT_YET)) {
            (Some(what), _) if what.len() > 20 => Seen::ByHand(what.trim().to_owned()),
            (_, Some(why)) if why.len() > 20 => Seen::NotYet(why.trim().to_owned()),
            (None, None) if !rest.contains(' ') => Seen::Fault(rest.to_owned()),
            _ => {
                let allowed = "a fault's name, or 'by hand:' or 'not yet:' with more than 20 bytes of text";
                return Err(wrong(number, &format!("after the test, expected {allowed}")));
            }
        };
        let test = Test { executable: executable.to_owned(), name: name.to_owned() };
        if all.insert(test, seen).is_some() {
            return Err(wrong(number, "this test is listed twice"));
        }
    }
    Ok(all)
}

/// Returns the errors of a list as sentences: tests that do not exist or are not listed, faults that do not exist, faults for tests under which no
/// test fails, and faults that name tests that do not exist.
pub fn list_errors(
    listed: &BTreeMap<Test, Seen>,
    existing: &BTreeSet<Test>,
    faults: &[Fault],
) -> Vec<String> {
    let mut all = Vec::new();
    for test in existing.iter().filter(|test| !listed.contains_key(test)) {
        all.push(format!("{test}: not listed. Find a fault under which it fails; `cargo run -p lockstep-selftest -- list` adds it without one"));
    }
    for test in listed.keys().filter(|test| !existing.contains(test)) {
        all.push(format!("{test}: listed, but there is no such test"));
    }
    let names: BTreeSet<&str> = faults.iter().map(|fault| fault.name.as_str()).collect();
    let mut used = BTreeSet::new();
    for (test, seen) in listed {
        if let Seen::Fault(fault) = seen {
            used.insert(fault.as_str());
            if !names.contains(fault.as_str()) {
                all.push(format!("{test}: there is no fault '{fault}'"));
            }
        }
    }
    let idle = faults.iter().filter(|fault| fault.is_for_tests() && !used.contains(fault.name.as_str()));
    all.extend(
        idle.map(|fault| format!("faults/{}.toml: fault '{}' exists only to make tests fail, but seen.txt lists no test that fails under it; list one or remove the fault", fault.table, fault.name)),
    );
    for fault in faults {
        let Some(named) = &fault.test else { continue };
        let is = |test: &Test| {
            named
                .split_once(' ')
                .is_some_and(|(executable, part)| test.executable == executable && test.name.contains(part))
        };
        if !existing.iter().any(is) {
            all.push(format!("fault '{}' names the test '{named}', which does not exist", fault.name));
        }
    }
    all
}

/// Returns the list as text, one line per test in order.
pub fn to_text(listed: &BTreeMap<Test, Seen>) -> String {
    let line = |(test, seen): (&Test, &Seen)| match seen {
        Seen::Fault(fault) => format!("{test} {fault}\n"),
        Seen::ByHand(what) => format!("{test} {BY_HAND} {what}\n"),
        Seen::NotYet(why) => format!("{test} {NOT_YET} {why}\n"),
    };
    listed.iter().map(line).collect()
}

/// Adapts a list to the existing tests: removes tests that no longer exist, and adds new ones without a fault.
pub fn fit(listed: &mut BTreeMap<Test, Seen>, existing: &BTreeSet<Test>) {
    listed.retain(|test, _| existing.contains(test));
    for test in existing {
        let why = || Seen::NotYet("new, and no fault was looked for so far".to_owned());
        listed.entry(test.clone()).or_insert_with(why);
    }
}

/// Rewrites the list at `path` to match the tests of the workspace at `root`.
///
/// # Errors
/// If the list or a source cannot be read, or the list cannot be written.
pub fn rewrite(root: &Path, path: &Path) -> Result<(), Error> {
    let mut listed = list(path)?;
    fit(&mut listed, &tests(root)?);
    std::fs::write(path, to_text(&listed)).map_err(|error| Error::file(path, error))
}

/// Returns all tests of the workspace at `root`, parsed from its sources. Every function that follows `#[test]` is a test. The full name of a test
/// consists of the path of its file, the modules around the test within the file, and the function's name.
///
/// # Errors
/// If a source cannot be read.
pub fn tests(root: &Path) -> Result<BTreeSet<Test>, Error> {
    let mut all = BTreeSet::new();
    for (package, folder, library) in PACKAGES {
        for room in ["src", "tests"] {
            let top = root.join(folder).join(room);
            let mut files = Vec::new();
            sources(&top, &mut files)?;
            for file in files {
                let text = std::fs::read_to_string(&file).map_err(|e| Error::file(&file, e))?;
                let place = file.strip_prefix(&top).unwrap_or(&file).with_extension("");
                let mut modules: Vec<String> =
                    place.iter().map(|part| part.to_string_lossy().into_owned()).collect();
                modules.pop_if(|last| matches!(last.as_str(), "mod" | "lib" | "main"));
                let executable = if room == "src" { library.to_owned() } else { modules.remove(0) };
                for name in test_names(&text, &modules) {
                    all.insert(Test { executable: format!("{package}/{executable}"), name });
                }
            }
        }
    }
    Ok(all)
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry.map_err(|e| Error::file(folder, e))?.path();
        if path.is_dir() {
            sources(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the full names of a file's tests. Modules inside the file are recognised by their indentation, which the formatter guarantees.
fn test_names(text: &str, modules: &[String]) -> Vec<String> {
    let (mut all, mut inside, mut is_test) = (Vec::new(), Vec::<(usize, &str)>::new(), false);
    for line in text.lines() {
        let code = line.trim_start();
        let depth = line.len() - code.len();
        let code = code.trim_start_matches("pub ");
        if code == "}" {
            inside.retain(|(at, _)| *at < depth);
        } else if let Some(name) = code.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(" {")) {
            inside.push((depth, name));
        } else if code == "#[test]" {
            is_test = true;
        } else if let Some((name, _)) = code.strip_prefix("fn ").and_then(|rest| rest.split_once('('))
            && std::mem::take(&mut is_test)
        {
            let path = modules.iter().map(String::as_str).chain(inside.iter().map(|(_, name)| *name));
            all.push(path.chain([name]).collect::<Vec<_>>().join("::"));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    #[test]
    fn every_test_of_the_workspace_is_listed_with_its_fault() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let listed = list(&here.join("seen.txt")).expect("the list is whole");
        let there = super::tests(&root()).expect("sources can be read");
        assert!(there.len() > 600, "{}", there.len());
        let wrong = list_errors(&listed, &there, &read(&here.join("faults")).expect("rows are whole"));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn tests_are_named_by_their_files_and_modules() {
        let text = "#[test]\nfn first() {}\n#[cfg(test)]\nmod tests {\n    mod deep {\n        #[test]\n        #[ignore]\n        \
                    fn second() {}\n        fn helper() {}\n    }\n    #[test]\n    fn third() {}\n}\nproptest! {\n    #[test]\n    \
                    fn fourth(x in 0..3) {}\n}\n";
        let names = test_names(text, &["a".to_owned(), "b".to_owned()]);
        assert_eq!(names, ["a::b::first", "a::b::tests::deep::second", "a::b::tests::third", "a::b::fourth"]);
    }

    #[test]
    fn a_list_round_trips_and_is_formatted() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("seen.txt");
        let mut listed = list(&path).expect("the list is whole");
        assert_eq!(to_text(&listed), std::fs::read_to_string(&path).expect("it was read"));
        let test = |name: &str| Test { executable: "core/x".to_owned(), name: name.to_owned() };
        listed = BTreeMap::from([
            (test("gone"), Seen::ByHand("done".to_owned())),
            (test("stays"), Seen::Fault("f".to_owned())),
        ]);
        let there = BTreeSet::from([test("new"), test("stays")]);
        fit(&mut listed, &there);
        let lines = to_text(&listed);
        let lines: Vec<&str> = lines.lines().collect();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("core/x new not yet: "), "{lines:?}");
        assert_eq!(lines[1], "core/x stays f");
    }

    #[test]
    fn missing_and_superfluous_rows_are_named() {
        let test = |name: &str| Test { executable: "core/x".to_owned(), name: name.to_owned() };
        let fault = |name: &str| -> Fault {
            let text =
                format!("name = '{name}'\nisa = 'all'\nfile = 'f'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'");
            Fault { table: "tests/x".to_owned(), ..toml::from_str(&text).expect("a row") }
        };
        let listed = BTreeMap::from([
            (test("gone"), Seen::Fault("used".to_owned())),
            (test("there"), Seen::Fault("unknown".to_owned())),
        ]);
        let there = BTreeSet::from([test("there"), test("new")]);
        let naming = |test: &str| Fault { test: Some(test.to_owned()), ..fault("used") };
        let faults = [fault("used"), fault("idle"), naming("core/x new"), naming("core/y new")];
        let said = list_errors(&listed, &there, &faults);
        assert_eq!(said.len(), 5, "{said:?}");
        let parts = ["new: not", "gone: listed", "'unknown'", "'idle'", "'core/y new'"];
        for (sentence, part) in said.iter().zip(parts) {
            assert!(sentence.contains(part), "{sentence}: {part}");
        }
    }
}
