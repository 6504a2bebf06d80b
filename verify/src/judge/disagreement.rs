//! Disagreements between a subject and the reference, and failures of the subject.

use serde::{Deserialize, Serialize};

/// The classes of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The results of a run differ, such as outputs, effects or the end of a lane.
    Value,
    /// The verdict is wrong: a program was accepted that should be rejected, or the reverse.
    Verdict,
    /// The number of bytes that the decoder consumed differs.
    Consumed,
    /// The decoded instructions differ.
    Instructions,
    /// The process ended, or the subject reported a failure.
    Crash,
    /// There was no answer in time.
    Hang,
    /// The answer is malformed.
    Garbage,
    /// Two answers to the same question differ.
    Inconsistent,
}

impl Class {
    /// Returns the name in signatures and baselines.
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

    /// Returns the meaning of the class as a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Class::Value => "a run's results differ from the reference's",
            Class::Verdict => "the verdict on a program is wrong",
            Class::Consumed => "the number of bytes that belong to the program differs",
            Class::Instructions => "the decoded instructions differ",
            Class::Crash => "the subject ended, or reported a failure",
            Class::Hang => "there is no answer in time",
            Class::Garbage => "the answer does not follow the protocol",
            Class::Inconsistent => "two answers to the same question differ",
        }
    }
}

/// A disagreement between a subject and the reference, or a failure of the subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// The kind of disagreement.
    pub class: Class,
    /// Distinguishes disagreements of the same class and stays the same while a program is minimised: for example the part of an outcome, the facet
    /// or the signal.
    pub detail: String,
    /// A sentence about the disagreement.
    pub message: String,
}

impl Disagreement {
    pub(super) fn new(class: Class, detail: impl Into<String>, message: impl Into<String>) -> Disagreement {
        Disagreement { class, detail: detail.into(), message: message.into() }
    }

    pub(super) fn garbage(message: impl Into<String>) -> Disagreement {
        Disagreement::new(Class::Garbage, "answer", message)
    }

    /// Whether another disagreement has the same class and detail.
    pub fn is_like(&self, other: &Disagreement) -> bool {
        (self.class, &self.detail) == (other.class, &other.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disagreements_of_one_class_and_detail_are_alike_whatever_their_message() {
        let one = Disagreement::new(Class::Value, "output 0", "it is 1.0");
        assert!(one.is_like(&Disagreement::new(Class::Value, "output 0", "it is 2.0")));
        assert!(!one.is_like(&Disagreement::new(Class::Value, "output 1", "it is 1.0")));
        assert!(!one.is_like(&Disagreement::new(Class::Verdict, "output 0", "it is 1.0")));
    }
}
