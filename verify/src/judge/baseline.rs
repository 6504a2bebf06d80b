//! Baselines: lists of known findings. A gate fails only for findings that its baseline does not list.

use super::disagreement::Class;
use super::triage::Found;
use crate::case::{Case, from_toml};
use serde::{Deserialize, Serialize};

/// A committed list of known findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The known findings.
    #[serde(default, rename = "finding", skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Entry>,
}

/// A known finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The signature, as in [`Found::signature`].
    pub signature: String,
    /// How the case fails.
    pub class: Class,
    /// The result of a manual review: who is at fault. `None` if the finding has not been reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triage: Option<Triage>,
    /// The rule and source that decide who is at fault, or what is still unclear.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The case as text.
    pub case: String,
    /// The cases that have to run before `case`, in order, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The name of the subject, if several subjects were judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// Who is at fault for a known finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Triage {
    /// The subject is at fault.
    Theirs,
    /// Neither side is at fault: the adapter or the subject's text format cannot express the program, or another choice of an option explains the
    /// difference.
    Explained,
    /// The documents do not decide who is at fault.
    Undecided,
}

impl Baseline {
    /// Parses a baseline and checks its cases.
    ///
    /// # Errors
    /// If the text is malformed, with line and column; if two entries are equal or a case does not parse, with the signature of the finding.
    pub fn from_text(text: &str) -> Result<Baseline, String> {
        let baseline: Baseline = from_toml(text)?;
        for (at, entry) in baseline.findings.iter().enumerate() {
            if baseline.findings[..at].contains(entry) {
                return Err(format!("finding {} is listed twice", entry.signature));
            }
            entry.cases().map_err(|error| format!("finding {}: {error}", entry.signature))?;
        }
        Ok(baseline)
    }

    /// Returns the text that [`Baseline::from_text`] reads.
    pub fn to_text(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// Returns the entries for one subject, and those that name no subject.
    #[must_use]
    pub fn for_subject(&self, subject: &str) -> Baseline {
        let applies = |entry: &&Entry| entry.subject.as_deref().is_none_or(|name| name == subject);
        Baseline { findings: self.findings.iter().filter(applies).cloned().collect() }
    }

    /// Whether an entry has the signature and class of this finding.
    pub fn covers(&self, found: &Found) -> bool {
        let key = (&found.signature, found.disagreement.class);
        self.findings.iter().any(|entry| (&entry.signature, entry.class) == key)
    }
}

impl Entry {
    /// Returns the entry for a finding.
    pub fn new(found: &Found) -> Entry {
        Entry {
            signature: found.signature.clone(),
            class: found.disagreement.class,
            triage: None,
            why: String::new(),
            case: found.case.to_text(None),
            before: found.before.iter().map(|case| case.to_text(None)).collect(),
            subject: None,
        }
    }

    /// Returns the cases of this entry in the order in which they run: those in `before`, then `case`.
    ///
    /// # Errors
    /// If one of the cases does not parse.
    pub fn cases(&self) -> Result<Vec<Case>, String> {
        let all = self.before.iter().chain(std::iter::once(&self.case));
        all.map(|text| Case::from_text(text).map_err(|error| error.to_string())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Disagreement;
    use lockstep_core::isa::IsaId;

    fn found(signature: &str, class: Class) -> Found {
        Found {
            signature: signature.to_owned(),
            disagreement: Disagreement { class, detail: "d".to_owned(), message: "m".to_owned() },
            case: Case::bare(IsaId::Agal, &[]),
            opcodes: Vec::new(),
            before: Vec::new(),
            is_deterministic: true,
            is_triaged: true,
            count: 1,
            minimised: 1,
            printed: String::new(),
            traces: None,
            opinions: None,
        }
    }

    #[test]
    fn an_entry_covers_exactly_the_findings_of_its_signature_and_class() {
        let signatures =
            ["agal-value-output-add", "agal-value-output-add+mul", "agal-value-output", "add", ""];
        let classes = [Class::Value, Class::Verdict, Class::Crash];
        let all: Vec<Found> =
            signatures.iter().flat_map(|one| classes.map(|class| found(one, class))).collect();
        for (at, known) in all.iter().enumerate() {
            let baseline = Baseline { findings: vec![Entry::new(known)] };
            let covered: Vec<usize> = (0..all.len()).filter(|other| baseline.covers(&all[*other])).collect();
            assert_eq!(covered, [at], "{} {:?}", known.signature, known.disagreement.class);
        }
        assert!(all.iter().all(|found| !Baseline::default().covers(found)));
    }

    #[test]
    fn an_entry_applies_to_the_subject_that_it_names_or_to_all() {
        let entry = |subject: Option<&str>| Entry {
            subject: subject.map(str::to_owned),
            ..Entry::new(&found("s", Class::Value))
        };
        let baseline = Baseline { findings: vec![entry(None), entry(Some("a")), entry(Some("ab"))] };
        let names = |subject: &str| -> Vec<Option<String>> {
            baseline.for_subject(subject).findings.into_iter().map(|entry| entry.subject).collect()
        };
        assert_eq!(names("a"), [None, Some("a".to_owned())]);
        assert_eq!(names("ab"), [None, Some("ab".to_owned())]);
        assert_eq!(names("b"), [None]);
    }
}
