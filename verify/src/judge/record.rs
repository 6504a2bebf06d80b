//! The record of a finding in its folder, from which the finding is reproduced.

use super::campaign::Open;
use super::compare::judge;
use super::connection::AskError;
use super::disagreement::{Class, Disagreement};
use super::profile::Profile;
use super::question::prepare;
use super::subject::Ability;
use crate::case::Case;
use lockstep_core::isa::IsaId;
use serde::{Deserialize, Serialize};

/// The command and limits with which a subject is started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubjectCommand {
    /// The program or library with its arguments.
    pub words: Vec<String>,
    /// The least limit on processor time per question, in seconds; the limit grows with the subject's median time.
    pub patience: f64,
    /// The memory limit of the worker that loads a library, in MiB.
    pub memory: u64,
    /// Whether the subject is compared with itself.
    #[serde(default)]
    pub itself: bool,
}

/// A finding as stored in `finding.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The signature, as in [`super::Found::signature`].
    pub signature: String,
    /// The instruction set.
    pub isa: IsaId,
    /// How the case fails.
    pub class: Class,
    /// Distinguishes the disagreement from others of its class.
    pub detail: String,
    /// A sentence about the disagreement.
    pub message: String,
    /// The opcodes of the program.
    pub opcodes: Vec<String>,
    /// The number of cases in which the finding occurred.
    pub count: u64,
    /// Whether the case failed again when repeated.
    pub is_deterministic: bool,
    /// The number of earlier cases that have to be run before the case of the finding.
    pub before: usize,
    /// How the subject is started.
    pub subject: SubjectCommand,
    /// The subject's profile.
    pub profile: Profile,
}

/// The result of reproducing a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reproduction {
    /// The case fails in the same way.
    Fails(String),
    /// The case fails in a different way.
    Otherwise(String),
    /// The case does not fail.
    Holds,
    /// The result is undecided, for example because the subject does not start or answers "unsupported".
    Unknown(String),
}

impl Record {
    /// Parses `finding.json`.
    ///
    /// # Errors
    /// A sentence about the malformed part.
    pub fn from_text(text: &str) -> Result<Record, String> {
        let mut record: Record = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if record.subject.words.is_empty() || !(0.01..=3600.0).contains(&record.subject.patience) {
            return Err("'subject' has no words, or its patience is not from 0.01 to 3600 seconds".to_owned());
        }
        record.profile.check(record.isa)?;
        Ok(record)
    }

    /// Sends the earlier cases and then the case to a fresh worker, and judges the answers.
    pub fn reproduce(
        &self,
        open: &Open<'_>,
        abilities: &[Ability],
        before: &[Case],
        case: &Case,
    ) -> Reproduction {
        let mut connection = match open() {
            Ok(connection) => connection,
            Err(error) => return Reproduction::Unknown(error.to_string()),
        };
        for case in before {
            let Ok(earlier) = prepare(case, &self.profile, abilities) else { continue };
            match connection.ask(&earlier.questions) {
                Ok(_) => {}
                Err(trouble) => return self.reproduction_of(trouble),
            }
        }
        let prepared = match prepare(case, &self.profile, abilities) {
            Ok(prepared) => prepared,
            Err(why) => return Reproduction::Unknown(why.to_string()),
        };
        match connection.ask(&prepared.questions) {
            Err(trouble) => self.reproduction_of(trouble),
            Ok(answers) => match judge(&prepared, &answers, &self.profile) {
                Err(disagreement) => self.reproduction_of(AskError::Finding(disagreement)),
                Ok(compared) if compared.unsupported > 0 => {
                    Reproduction::Unknown("the subject does not support this case".to_owned())
                }
                Ok(_) => Reproduction::Holds,
            },
        }
    }

    fn reproduction_of(&self, trouble: AskError) -> Reproduction {
        let AskError::Finding(found) = trouble else {
            return Reproduction::Unknown("interrupted".to_owned());
        };
        let was = Disagreement::new(self.class, self.detail.clone(), "");
        let message = format!("{}: {}", found.class.name(), found.message);
        if found.is_like(&was) { Reproduction::Fails(message) } else { Reproduction::Otherwise(message) }
    }
}
