//! Baselines: the known findings. A gate fails only for findings outside its baseline.

use super::disagreement::Class;
use super::triage::Found;
use crate::case::{Case, from_toml};
use serde::{Deserialize, Serialize};

/// A committed list of known findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The findings.
    #[serde(default, rename = "finding", skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Entry>,
}

/// A known finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// As [`Found::signature`].
    pub signature: String,
    /// How the case fails.
    pub class: Class,
    /// Whose fault it is, if somebody has looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triage: Option<Triage>,
    /// The rule and source that decide it, or what is still unclear.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The case as text.
    pub case: String,
    /// The cases that have to run before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The subject it belongs to, where several were judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// Whose fault a known finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Triage {
    /// The subject's fault.
    Theirs,
    /// Nobody's fault: the adapter or the subject's text format cannot express it, or another choice of an option explains it.
    Explained,
    /// The documents do not decide it.
    Undecided,
}

impl Baseline {
    /// Reads a baseline, with the cases in it.
    ///
    /// # Errors
    /// A sentence, with line and column or the finding whose case does not parse.
    pub fn from_text(text: &str) -> Result<Baseline, String> {
        let baseline: Baseline = from_toml(text)?;
        for (at, entry) in baseline.findings.iter().enumerate() {
            if baseline.findings[..at].contains(entry) {
                return Err(format!("finding {} is there twice", entry.signature));
            }
            entry.cases().map_err(|error| format!("finding {}: {error}", entry.signature))?;
        }
        Ok(baseline)
    }

    /// The text that [`Baseline::from_text`] reads.
    pub fn to_text(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// The entries about one subject, and those that name none.
    #[must_use]
    pub fn about(&self, subject: &str) -> Baseline {
        let is_about = |entry: &&Entry| entry.subject.as_deref().is_none_or(|of| of == subject);
        Baseline { findings: self.findings.iter().filter(is_about).cloned().collect() }
    }

    /// Whether a finding is known: one of the same signature and class is listed.
    pub fn covers(&self, found: &Found) -> bool {
        let what = (&found.signature, found.disagreement.class);
        self.findings.iter().any(|entry| (&entry.signature, entry.class) == what)
    }
}

impl Entry {
    /// The entry of a finding.
    pub fn of(found: &Found) -> Entry {
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

    /// The cases that run before it, then its own.
    ///
    /// # Errors
    /// If one of the cases does not parse.
    pub fn cases(&self) -> Result<Vec<Case>, String> {
        let all = self.before.iter().chain(std::iter::once(&self.case));
        all.map(|text| Case::from_text(text).map_err(|error| error.to_string())).collect()
    }
}
