//! Compares a subject with itself: equivalent variants of a program must have the same results.
//!
//! A wrapper around the subject's connection asks about a program and its variants. If all answers are equal, it returns the reference's answer,
//! because correctness is not tested here. Otherwise it reports which variant's answer differs.

use super::connection::{AskError, Connection};
use super::ours::{case_of, own_answer};
use super::profile::Profile;
use super::question::prepare;
use super::subject::{
    Ability, Answer, Bits, Failure, FailureKind, Hello, LaneData, Question, Ran, RunData, Verdict,
};
use crate::metamorphic::{Kind, variants};
use lockstep_core::value::canonical_bits;

/// A connection to a subject that is compared with itself.
pub struct SelfComparison {
    inner: Box<dyn Connection>,
    hello: Hello,
    profile: Profile,
}

impl SelfComparison {
    /// Wraps the connection to a subject that runs programs.
    pub fn new(inner: Box<dyn Connection>, profile: Profile) -> SelfComparison {
        let hello = Hello { abilities: vec![Ability::Run], ..inner.hello().clone() };
        SelfComparison { inner, hello, profile }
    }

    /// Returns the questions about the variants of a run that are within the profile.
    fn variant_questions(&self, run: &RunData) -> Vec<(Kind, Question)> {
        let case = case_of(run, &self.profile.options);
        let question = |case| prepare(&case, &self.profile, &[Ability::Run]).ok()?.questions.pop();
        variants(&case).into_iter().filter_map(|(kind, case)| Some((kind, question(case)?))).collect()
    }
}

impl Connection for SelfComparison {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn ask(&mut self, questions: &[Question]) -> Result<Vec<Answer>, AskError> {
        let mut all = Vec::new();
        let mut groups = Vec::with_capacity(questions.len());
        for question in questions {
            let variants = match question {
                Question::Run(run) => self.variant_questions(run),
                Question::Decode(_) | Question::Trace(_) | Question::Translate(_) => Vec::new(),
            };
            all.push(question.clone());
            let (kinds, others): (Vec<Kind>, Vec<Question>) = variants.into_iter().unzip();
            all.extend(others);
            groups.push(kinds);
        }
        let answers = self.inner.ask(&all)?;
        let mut rest = answers.into_iter();
        let profile = &self.profile;
        let judged = questions.iter().zip(groups).map(|(question, kinds)| {
            let first = rest.next();
            let others: Vec<(Kind, Answer)> = kinds.into_iter().zip(rest.by_ref()).collect();
            match first {
                Some(first) => verdict(question, first, &others, profile),
                None => Answer::Failed(reported_failure("there is no answer".to_owned())),
            }
        });
        Ok(judged.collect())
    }

    fn printed(&self) -> String {
        self.inner.printed()
    }

    fn close(&mut self) -> Option<super::Disagreement> {
        self.inner.close()
    }
}

fn reported_failure(message: String) -> Failure {
    Failure { kind: FailureKind::Reported, message }
}

/// Returns the first answer if the program was not run, a failure that names the variant if a variant's answer differs, and otherwise the reference's
/// answer.
fn verdict(question: &Question, original: Answer, others: &[(Kind, Answer)], profile: &Profile) -> Answer {
    let Answer::Ran(original) = original else { return original };
    if original.verdict != Verdict::Accepted {
        return Answer::Ran(original);
    }
    for (kind, other) in others {
        let difference = match other {
            // If a variant fails but the program does not, their results differ.
            Answer::Failed(failure) => Some(format!("it fails: {}", failure.message)),
            Answer::Ran(other) if other.verdict == Verdict::Unsupported => None,
            Answer::Ran(other) => difference(&original, other),
            Answer::Decoded(_) | Answer::Traced(_) | Answer::Translated(_) => None,
        };
        if let Some(difference) = difference {
            let message = format!("{}, {difference}", kind.meaning());
            return Answer::Failed(Failure { kind: FailureKind::SelfComparison(kind.name()), message });
        }
    }
    own_answer(question, &profile.options)
}

/// Returns the first difference between two runs of one subject.
fn difference(original: &Ran, variant: &Ran) -> Option<String> {
    if variant.verdict != original.verdict {
        return Some("it is refused".to_owned());
    }
    if original.lanes.len() != variant.lanes.len() {
        return Some("the number of lanes differs".to_owned());
    }
    let mut lanes = original.lanes.iter().zip(&variant.lanes).enumerate();
    lanes.find_map(|(number, (a, b))| lane_difference(a, b).map(|what| format!("lane {number}, {what}")))
}

fn lane_difference(a: &LaneData, b: &LaneData) -> Option<String> {
    if a.status != b.status {
        return Some(format!("it ends as {:?}, the original as {:?}", b.status, a.status));
    }
    if a.killed != b.killed {
        return Some(format!("killed is {}, in the original {}", b.killed, a.killed));
    }
    for (name, before) in &a.outputs {
        let after = b.outputs.get(name).copied().unwrap_or_default();
        for (component, (before, after)) in before.iter().zip(after).enumerate() {
            if canonical(*before) != canonical(after) {
                let letter = lockstep_core::isa::component::LETTERS[component];
                return Some(format!(
                    "{name}.{letter}: {}, in the original {}",
                    shown(after),
                    shown(*before)
                ));
            }
        }
    }
    let effects = |lane: &LaneData| -> Vec<_> {
        lane.effects.iter().map(|effect| (effect.kind, effect.index, effect.bits.map(canonical))).collect()
    };
    let (before, after) = (effects(a), effects(b));
    let place = before.iter().zip(&after).position(|(a, b)| a != b);
    place
        .or_else(|| (before.len() != after.len()).then(|| before.len().min(after.len())))
        .map(|place| format!("effect {place} differs"))
}

fn canonical(bits: Option<Bits>) -> Option<u32> {
    bits.map(|bits| canonical_bits(bits.value()))
}

fn shown(bits: Option<Bits>) -> String {
    bits.map_or_else(|| "nothing".to_owned(), |bits| format!("{:?} (0x{:08x})", bits.value(), bits.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::changed::{changed, examples};

    #[test]
    fn a_variant_that_differs_in_any_part_is_a_difference() {
        for (_, ran) in examples() {
            assert_eq!(difference(&ran, &ran), None);
            for (name, other) in changed(&ran) {
                // Either of the two may be the original.
                assert!(difference(&ran, &other).is_some() && difference(&other, &ran).is_some(), "{name}");
            }
            let fewer = Ran { lanes: ran.lanes[..1].to_vec(), ..ran.clone() };
            let refused = Ran { verdict: Verdict::Rejected, ..ran.clone() };
            for other in [fewer, refused] {
                assert!(difference(&ran, &other).is_some(), "{other:?}");
            }
        }
    }
}
