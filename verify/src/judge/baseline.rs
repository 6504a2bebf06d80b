//! Baselines: findings that are known. A gate fails only for others.

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
    /// By which rule of which source, or what is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The case as text.
    pub case: String,
    /// The cases before it that it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The subject that it is of, where several were judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// Whose fault a known finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Triage {
    /// The subject's.
    Theirs,
    /// Nobody's: what the adapter or the subject's words cannot say, or a liberty.
    Explained,
    /// Documents do not tell.
    Undecided,
}

impl Baseline {
    /// Reads a baseline, with the cases in it.
    ///
    /// # Errors
    /// In a sentence, with line and column or the finding whose case is none.
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

    /// What of it is about a subject, or about any.
    #[must_use]
    pub fn about(&self, subject: &str) -> Baseline {
        let is_about = |entry: &&Entry| entry.subject.as_deref().is_none_or(|of| of == subject);
        Baseline { findings: self.findings.iter().filter(is_about).cloned().collect() }
    }

    /// Whether a finding is known: of the same name and class.
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

    /// The cases before it, and its own at last.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn cases(&self) -> Result<Vec<Case>, String> {
        let all = self.before.iter().chain(std::iter::once(&self.case));
        all.map(|text| Case::from_text(text).map_err(|error| error.to_string())).collect()
    }
}
