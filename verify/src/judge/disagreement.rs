//! How a subject disagrees, or fails.

use serde::{Deserialize, Serialize};

/// The kinds of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A run leaves something else behind.
    Value,
    /// Something is accepted or rejected that should not be.
    Verdict,
    /// Another number of bytes belongs to the program.
    Consumed,
    /// The instructions are others.
    Instructions,
    /// The process ended, or said that it failed.
    Crash,
    /// There was no answer in time.
    Hang,
    /// The answer is none.
    Garbage,
    /// The same question got two answers.
    Inconsistent,
}

impl Class {
    /// As signatures and baselines have it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Value => "value",
            Class::Verdict => "verdict",
            Class::Consumed => "consumed",
            Class::Instructions => "instructions",
            Class::Crash => "crash",
            Class::Hang => "hang",
            Class::Garbage => "garbage",
            Class::Inconsistent => "inconsistent",
        }
    }

    /// In a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Class::Value => "a run leaves something else behind than on the reference",
            Class::Verdict => "something is accepted or rejected that should not be",
            Class::Consumed => "another number of bytes belongs to the program",
            Class::Instructions => "the decoded instructions are others",
            Class::Crash => "the subject ends, or says that it failed",
            Class::Hang => "there is no answer in time",
            Class::Garbage => "the answer is not what the protocol asks for",
            Class::Inconsistent => "the same question gets two answers",
        }
    }
}

/// One disagreement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// Its kind.
    pub class: Class,
    /// What tells it from others of its kind and does not change while a program is made smaller: the part of an outcome, the facet, the signal.
    pub detail: String,
    /// In a sentence.
    pub message: String,
}

impl Disagreement {
    pub(super) fn new(class: Class, detail: impl Into<String>, message: impl Into<String>) -> Disagreement {
        Disagreement { class, detail: detail.into(), message: message.into() }
    }

    pub(super) fn garbage(message: impl Into<String>) -> Disagreement {
        Disagreement::new(Class::Garbage, "answer", message)
    }

    /// Whether another one is of the same kind.
    pub fn is_like(&self, other: &Disagreement) -> bool {
        (self.class, &self.detail) == (other.class, &other.detail)
    }
}
