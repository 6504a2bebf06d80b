//! What a finding's folder says of how it was found, so that it can be asked about again; and asking again.

use super::campaign::Open;
use super::compare::judge;
use super::disagreement::{Class, Disagreement};
use super::door::Trouble;
use super::profile::Profile;
use super::question::prepare;
use super::subject::Ability;
use crate::case::Case;
use lockstep_core::isa::IsaId;
use serde::{Deserialize, Serialize};

/// How a subject is started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct How {
    /// Program or library, and what it is told.
    pub words: Vec<String>,
    /// Seconds of processor time that it may always take for a question.
    pub patience: f64,
    /// How much memory the process that loads a library may take, in MiB.
    pub memory: u64,
    /// Whether it is held against itself.
    #[serde(default)]
    pub itself: bool,
}

/// A finding as `finding.json` has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// As [`super::Found::signature`].
    pub signature: String,
    /// The instruction set.
    pub isa: IsaId,
    /// How the case fails.
    pub class: Class,
    /// What tells it from others of its class.
    pub detail: String,
    /// In a sentence.
    pub message: String,
    /// The opcodes of the program.
    pub opcodes: Vec<String>,
    /// How many cases it stands for.
    pub count: u64,
    /// Whether it failed more than once.
    pub steady: bool,
    /// How many cases come before it.
    pub before: usize,
    /// The subject.
    pub subject: How,
    /// What it claimed.
    pub profile: Profile,
}

/// What asking again comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Again {
    /// It fails as it did.
    Fails(String),
    /// It fails in another way.
    Otherwise(String),
    /// It does not fail.
    Holds,
    /// Nobody can say: the subject does not start, or says that it does not support this.
    Unknown(String),
}

impl Record {
    /// Reads `finding.json`.
    ///
    /// # Errors
    /// In a sentence.
    pub fn from_text(text: &str) -> Result<Record, String> {
        let mut record: Record = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if record.subject.words.is_empty() || !(0.01..=3600.0).contains(&record.subject.patience) {
            return Err("it does not say how the subject is started".to_owned());
        }
        record.profile.check(record.isa)?;
        Ok(record)
    }

    /// Asks a fresh worker about the case, after those before it.
    pub fn again(&self, open: &Open<'_>, abilities: &[Ability], before: &[Case], case: &Case) -> Again {
        let mut door = match open() {
            Ok(door) => door,
            Err(error) => return Again::Unknown(error.to_string()),
        };
        for case in before {
            let Ok(earlier) = prepare(case, &self.profile, abilities) else { continue };
            match door.ask(&earlier.questions) {
                Ok(_) => {}
                Err(trouble) => return self.told(trouble),
            }
        }
        let prepared = match prepare(case, &self.profile, abilities) {
            Ok(prepared) => prepared,
            Err(why) => return Again::Unknown(why.to_string()),
        };
        match door.ask(&prepared.questions) {
            Err(trouble) => self.told(trouble),
            Ok(answers) => match judge(&prepared, &answers, &self.profile) {
                Err(disagreement) => self.told(Trouble::Finding(disagreement)),
                Ok(compared) if compared.unsupported > 0 => {
                    Again::Unknown("the subject says that it does not support this".to_owned())
                }
                Ok(_) => Again::Holds,
            },
        }
    }

    fn told(&self, trouble: Trouble) -> Again {
        let Trouble::Finding(found) = trouble else { return Again::Unknown("interrupted".to_owned()) };
        let was = Disagreement::new(self.class, self.detail.clone(), "");
        let message = format!("{}: {}", found.class.name(), found.message);
        if found.is_like(&was) { Again::Fails(message) } else { Again::Otherwise(message) }
    }
}
