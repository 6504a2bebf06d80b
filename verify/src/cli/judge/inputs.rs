//! The inputs of a campaign: files, cases, a baseline.

use crate::case::Case;
use crate::cli::{Failure, Output, diagnostic, input, interrupt};
use crate::corpus::load_paths;
use crate::judge::{AskError, Baseline, Connection, Entry, Hello, Profile, StartError, judge, prepare};
use lockstep_core::isa::IsaId;
use std::path::{Path, PathBuf};

/// The result of checking a baseline.
#[derive(Default)]
pub(super) struct BaselineCheck {
    /// The entries that still fail in the recorded class.
    pub(super) failing: Vec<Entry>,
    /// The signatures of entries that no longer fail, or fail in another class.
    pub(super) passing: Vec<String>,
    /// The entries that were not checked, because they are outside of the profile or the run was interrupted.
    pub(super) unchecked: Vec<Entry>,
}

pub(super) fn read<T>(path: &Path, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, Failure> {
    let text = input::text(path)?;
    parse(&text).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

/// Returns the case files of a finding's folder, in order; other files in it contain the same program. Any other path is returned unchanged.
fn cases_of_finding(path: &Path) -> Vec<PathBuf> {
    if !path.join("finding.txt").is_file() || !path.join("case.toml").is_file() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).into_iter().flatten();
    let mut cases: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    cases.sort();
    cases
}

/// Reads the cases in files and folders.
pub(super) fn collect(paths: &[PathBuf], isa: IsaId, out: &mut Output) -> Result<Vec<Case>, Failure> {
    let paths: Vec<PathBuf> = paths.iter().flat_map(|path| cases_of_finding(path)).collect();
    let all = load_paths(paths.iter().map(PathBuf::as_path), Some(isa));
    for error in all.broken.iter().chain(&all.absent) {
        out.error(&diagnostic::read_error(error, out.errors_coloured()))?;
    }
    if let Some(error) = all.broken.first().or(all.absent.first()) {
        return Err(Failure::Usage(format!("{} cannot be judged", error.name())));
    }
    if let Some(folder) = all.empty.first() {
        return Err(Failure::Usage(format!("{folder} contains nothing to judge")));
    }
    if let Some(item) = all.items.iter().find(|item| item.content.isa() != isa) {
        return Err(Failure::Usage(format!("{} is {}, not {isa}", item.path.display(), item.content.isa())));
    }
    Ok(all.items.iter().flat_map(|item| item.content.cases(0..1)).collect())
}

/// Runs the cases of a baseline and returns which entries still fail.
pub(super) fn check_baseline(
    baseline: &Baseline,
    open: &dyn Fn() -> Result<Box<dyn Connection>, StartError>,
    profile: &Profile,
    hello: &Hello,
) -> Result<BaselineCheck, StartError> {
    let mut known = BaselineCheck::default();
    for entry in &baseline.findings {
        if interrupt::is_interrupted() {
            known.unchecked.push(entry.clone());
            continue;
        }
        // The cases were parsed before, so parsing them again cannot fail.
        let cases = entry.cases().unwrap_or_default();
        let (mut connection, mut fails, mut asked) = (open()?, false, false);
        for case in &cases {
            let Ok(prepared) = prepare(case, profile, &hello.abilities) else {
                asked = false;
                continue;
            };
            // Earlier cases only prepare the failure; the last case is the one that fails.
            asked = true;
            let class = match connection.ask(&prepared.questions) {
                Ok(answers) => judge(&prepared, &answers, profile).err().map(|found| found.class),
                Err(AskError::Finding(found)) => Some(found.class),
                Err(AskError::Interrupted) => None,
            };
            fails = class == Some(entry.class);
            if class.is_some() {
                break;
            }
        }
        if fails {
            known.failing.push(entry.clone());
        } else if !asked || interrupt::is_interrupted() {
            known.unchecked.push(entry.clone());
        } else {
            known.passing.push(entry.signature.clone());
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Ability, Answer, Class, Disagreement, Question};

    /// A subject that fails in one way.
    struct Failing(Class);

    impl Connection for Failing {
        fn hello(&self) -> &Hello {
            unreachable!("nobody asks who it is")
        }

        fn ask(&mut self, _: &[Question]) -> Result<Vec<Answer>, AskError> {
            let (detail, message) = ("d".to_owned(), "m".to_owned());
            Err(AskError::Finding(Disagreement { class: self.0, detail, message }))
        }

        fn printed(&self) -> String {
            String::new()
        }
    }

    #[test]
    fn an_entry_still_fails_only_if_its_case_fails_in_the_same_class() {
        let classes = [
            Class::Value,
            Class::Verdict,
            Class::Consumed,
            Class::Instructions,
            Class::Crash,
            Class::Hang,
            Class::Garbage,
            Class::Inconsistent,
        ];
        let case = Case::bare(IsaId::Agal, &[1, 2, 3]).to_text(None);
        let hello = Hello {
            protocol: 1,
            name: "s".to_owned(),
            version: String::new(),
            isas: vec!["agal".to_owned()],
            abilities: vec![Ability::Decode],
            profile: None,
            language: crate::judge::Language::default(),
        };
        for listed in classes {
            for seen in classes {
                let entry = Entry {
                    signature: "s".to_owned(),
                    class: listed,
                    triage: None,
                    why: String::new(),
                    case: case.clone(),
                    before: Vec::new(),
                    subject: None,
                };
                let baseline = Baseline { findings: vec![entry.clone()] };
                let open = || -> Result<Box<dyn Connection>, StartError> { Ok(Box::new(Failing(seen))) };
                let Ok(checked) = check_baseline(&baseline, &open, &Profile::default(), &hello) else {
                    panic!("it starts")
                };
                let (failing, passing) = if listed == seen {
                    (vec![entry], Vec::new())
                } else {
                    (Vec::new(), vec!["s".to_owned()])
                };
                assert_eq!((checked.failing, checked.passing), (failing, passing), "{listed:?} {seen:?}");
                assert!(checked.unchecked.is_empty());
            }
        }
    }
}
