//! Violations: rules broken by a well-formed program.

use serde::{Deserialize, Serialize};

/// How serious a broken rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The program still has a meaning, and both engines must agree on it.
    Warning,
    /// The program has no meaning; lowering refuses it.
    Error,
}

/// One broken rule at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The rule's number: the vendor's if there is one.
    pub code: u16,
    /// How serious it is.
    pub level: Level,
    /// Instruction, counted from 0; `None` for the program as a whole.
    pub word: Option<u32>,
    /// The error, in English, without the instruction number.
    pub message: String,
    /// The source of the rule, as a citation.
    pub source: &'static str,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(word) = self.word {
            write!(f, "instruction {word}: ")?;
        }
        write!(f, "{} (rule {}, {})", self.message, self.code, self.source)
    }
}
