//! Violations: rules broken by a well-formed program.

use serde::{Deserialize, Serialize};

/// The severity of a rule violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The program still has a meaning, and reference and executor must agree on it.
    Warning,
    /// The program has no meaning, so it is not lowered.
    Error,
}

/// One violation of a rule, at one instruction or by the whole program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The rule's number: the vendor's if there is one, otherwise Lockstep's own.
    pub code: u16,
    /// The severity of the violation.
    pub level: Level,
    /// Instruction, counted from 0; `None` for the program as a whole.
    pub word: Option<u32>,
    /// The error message, without the instruction number.
    pub message: String,
    /// The source of the rule, as a citation.
    pub source: &'static str,
}

/// Sorts violations by instruction, those of one instruction by rule, and those of one rule by message. Violations of the program as a whole come first.
pub(crate) fn sort(violations: &mut [Violation]) {
    // An unstable sort needs no memory.
    violations.sort_unstable_by(|a, b| (a.word, a.code, &a.message).cmp(&(b.word, b.code, &b.message)));
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(word) = self.word {
            write!(f, "instruction {word}: ")?;
        }
        write!(f, "{} (rule {}, {})", self.message, self.code, self.source)
    }
}
