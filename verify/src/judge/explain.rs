//! Finds the smallest change of a profile that makes a finding disappear.

use super::compare::judge;
use super::disagreement::Disagreement;
use super::joint_options::OptionInference;
use super::numbers::{Numbers, Policy};
use super::profile::Profile;
use super::question::{Prepared, opcodes, prepare};
use super::subject::{Ability, Answer, Question};
use crate::case::Case;
use lockstep_core::with_isa;
use serde_json::Value;
use std::rc::Rc;

/// The maximum tolerance in units in the last place that is proposed.
const MAX_ULPS: u32 = 1 << 12;

/// A change of a profile that removes a finding.
#[derive(Clone, Debug, PartialEq)]
pub enum Remedy {
    /// No change is needed: the answer is right under the profile.
    Nothing,
    /// The profile needs these option choices, by name.
    Options(Vec<(&'static str, &'static str)>),
    /// The profile needs these tolerances.
    Numbers(Numbers),
    /// The profile must exclude at least one of these opcodes, which are all opcodes of the program; empty if there is no program that can be run.
    Without(Vec<String>),
}

/// A finding loaded from its folder: the case, the profile it was judged under, and the subject's answers.
#[derive(Clone, Debug)]
pub struct StoredFinding {
    /// The case.
    pub case: Case,
    /// The profile.
    pub profile: Profile,
    /// The subject's answers without failures; empty if there is not one answer for each question.
    pub answers: Vec<Answer>,
}

impl StoredFinding {
    /// Parses the content of a finding's folder: the case, and the text of `exchange.json`.
    ///
    /// # Errors
    /// A sentence about the malformed part.
    pub fn from_text(case: Case, exchange: &str) -> Result<StoredFinding, String> {
        let said = |error: serde_json::Error| error.to_string();
        let exchange: Value = serde_json::from_str(exchange).map_err(said)?;
        let mut profile: Profile = match exchange.get("profile") {
            Some(profile) => serde_json::from_value(profile.clone()).map_err(said)?,
            None => {
                let mut plain = Profile::default();
                plain.options.clone_from(&case.options);
                plain
            }
        };
        profile.check(case.isa)?;
        let questions = exchange.get("questions").and_then(Value::as_array).map_or(0, Vec::len);
        let answers = exchange.get("subject").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let answers = answers.iter().map(answer).collect::<Result<Vec<_>, _>>().map_err(said)?;
        let answers =
            if answers.len() == questions { answers.into_iter().flatten().collect() } else { Vec::new() };
        Ok(StoredFinding { case, profile, answers })
    }

    /// Prepares the case with the questions that the subject was asked.
    fn prepared(&self) -> Option<Prepared> {
        let ability = |answer: &Answer| match answer {
            Answer::Decoded(_) => Some(Ability::Decode),
            Answer::Ran(_) => Some(Ability::Run),
            Answer::Traced(_) => Some(Ability::Trace),
            Answer::Translated(_) | Answer::Failed(_) => None,
        };
        // A subject was asked about registers only if it exchanges them.
        let registers = std::iter::once(Ability::Registers);
        let abilities: Vec<Ability> = self.answers.iter().filter_map(ability).chain(registers).collect();
        prepare(&self.case, &self.profile, &abilities).ok()
    }
}

/// Parses an answer; `None` for a failure, since no option or tolerance can remove it.
fn answer(value: &Value) -> serde_json::Result<Option<Answer>> {
    Ok(if value.get("failed").is_some() {
        None
    } else if value.get("steps").is_some() {
        Some(Answer::Traced(serde_json::from_value(value.clone())?))
    } else if value.get("lanes").is_some() {
        Some(Answer::Ran(serde_json::from_value(value.clone())?))
    } else {
        Some(Answer::Decoded(serde_json::from_value(value.clone())?))
    })
}

/// Returns the remedy for each finding. The option choices are consistent across all findings.
pub fn explain(findings: &[StoredFinding]) -> Vec<Remedy> {
    let mut inference: Option<OptionInference> = None;
    let mut explained = Vec::with_capacity(findings.len());
    for finding in findings {
        let Some((prepared, disagreement)) = disagreement(finding) else {
            explained.push(None);
            continue;
        };
        let Some(disagreement) = disagreement else {
            explained.push(Some(Remedy::Nothing));
            continue;
        };
        let inference = inference.get_or_insert_with(|| {
            OptionInference::with_every_option_open(finding.case.isa, &finding.profile)
        });
        let prepared = Rc::new(prepared);
        let by_options =
            inference.record_difference(&prepared, &finding.answers, &disagreement, &finding.profile);
        explained.push(if by_options {
            Some(Remedy::Options(Vec::new()))
        } else {
            numbers(&prepared, finding).map(Remedy::Numbers)
        });
    }
    let mut all = Vec::with_capacity(findings.len());
    for (finding, remedy) in findings.iter().zip(explained) {
        all.push(match remedy {
            // The settings that explain all findings are known only after the loop above, so the choices are computed here.
            Some(Remedy::Options(_)) => Remedy::Options(options(inference.as_ref(), finding)),
            Some(remedy) => remedy,
            None => Remedy::Without(opcodes_of(&finding.case)),
        });
    }
    all
}

/// Returns the disagreement of a finding under its profile; `None` if the answers do not match the questions that would be asked.
fn disagreement(finding: &StoredFinding) -> Option<(Prepared, Option<Disagreement>)> {
    let prepared = finding.prepared()?;
    let asked = |(question, answer): (&Question, &Answer)| {
        matches!(
            (question, answer),
            (Question::Decode(_), Answer::Decoded(_))
                | (Question::Run(_), Answer::Ran(_))
                | (Question::Trace(_), Answer::Traced(_))
        )
    };
    let is_whole = prepared.questions.len() == finding.answers.len()
        && prepared.questions.iter().zip(&finding.answers).all(asked);
    is_whole.then(|| {
        let disagreement = judge(&prepared, &finding.answers, &finding.profile).err();
        (prepared, disagreement)
    })
}

/// Returns the choices that a finding needs, from the settings that explain all findings.
fn options(
    inference: Option<&OptionInference>,
    finding: &StoredFinding,
) -> Vec<(&'static str, &'static str)> {
    let (Some(inference), Some(prepared)) = (inference, finding.prepared()) else { return Vec::new() };
    inference.needed(&prepared, &finding.answers, &finding.profile)
}

/// Returns the smallest tolerance under which the answers are right; `None` if [`MAX_ULPS`] and all policies do not suffice.
fn numbers(prepared: &Prepared, finding: &StoredFinding) -> Option<Numbers> {
    let claimed = finding.profile.numbers;
    let holds = |numbers: Numbers| {
        let mut profile = finding.profile.clone();
        profile.numbers = numbers;
        judge(prepared, &finding.answers, &profile).is_ok()
    };
    let any = Policy::Any;
    let mut least = Numbers {
        ulps: claimed.ulps.max(MAX_ULPS),
        zero_sign: any,
        subnormal: any,
        infinity: any,
        nan: any,
        ..claimed
    };
    if !holds(least) {
        return None;
    }
    let fewer: [fn(&mut Numbers, &Numbers); 4] = [
        |numbers, claimed| numbers.nan = claimed.nan,
        |numbers, claimed| numbers.infinity = claimed.infinity,
        |numbers, claimed| numbers.subnormal = claimed.subnormal,
        |numbers, claimed| numbers.zero_sign = claimed.zero_sign,
    ];
    for put_back in fewer {
        let mut less = least;
        put_back(&mut less, &claimed);
        if holds(less) {
            least = less;
        }
    }
    let (mut low, mut high) = (claimed.ulps, least.ulps);
    while low < high {
        let middle = low.midpoint(high);
        if holds(Numbers { ulps: middle, ..least }) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(Numbers { ulps: high, ..least })
}

fn opcodes_of(case: &Case) -> Vec<String> {
    with_isa!(case.isa, I => case.resolve::<I>().map(|resolved| opcodes(&resolved)).unwrap_or_default())
}

/// Returns a small set of opcodes such that every program, given as the list of its opcodes, contains one of them; empty lists are ignored. The set
/// is found greedily: each step adds the opcode that occurs in most of the remaining programs.
pub fn opcodes_to_exclude<'a>(mut programs: Vec<&'a [String]>) -> Vec<&'a str> {
    let mut chosen = Vec::new();
    programs.retain(|opcodes| !opcodes.is_empty());
    while let Some(first) = programs.first() {
        let count = |opcode: &String| programs.iter().filter(|opcodes| opcodes.contains(opcode)).count();
        let mut all: Vec<&'a String> = programs.iter().flat_map(|opcodes| opcodes.iter()).collect();
        all.sort();
        all.dedup();
        all.sort_by_key(|opcode| std::cmp::Reverse(count(opcode)));
        let best: &'a String = all.first().copied().unwrap_or(&first[0]);
        chosen.push(best.as_str());
        programs.retain(|opcodes| !opcodes.contains(best));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Bits, own_answer};
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::Syntax;
    use lockstep_core::isa::agal::Agal;

    /// Returns a finding of `mov op, va0` in which the subject returned `theirs` for an input of `ours` in x.
    fn changed(ours: f32, theirs: f32) -> StoredFinding {
        let program = Agal::assemble("version 1 vertex\nmov op, va0\n").unwrap();
        let lanes = vec![LaneInput { slots: vec![[ours, 1.0, 2.0, 3.0]] }];
        let case = Case::new::<Agal>(&program, Environment { lanes, fuel: 100, ..Environment::default() });
        let profile = Profile::default();
        let prepared = prepare(&case, &profile, &[Ability::Run]).unwrap();
        let mut answer = own_answer(&prepared.questions[0], &profile.options);
        let Answer::Ran(ran) = &mut answer else { panic!("{answer:?}") };
        ran.lanes[0].outputs.get_mut("op").unwrap()[0] = Some(Bits::from(theirs));
        StoredFinding { case, profile, answers: vec![answer] }
    }

    #[test]
    fn the_least_sufficient_tolerance_is_named() {
        let up = |value: f32, by: u32| f32::from_bits(value.to_bits() + by);
        let exact = Numbers::default();
        let any = Policy::Any;
        let zeros = Numbers { zero_sign: any, ..exact };
        for (first, theirs, remedy) in [
            (5.0, 5.0, Remedy::Nothing),
            (5.0, up(5.0, 3), Remedy::Numbers(Numbers { ulps: 3, ..exact })),
            (5.0, up(5.0, 4096), Remedy::Numbers(Numbers { ulps: 4096, ..exact })),
            (5.0, up(5.0, 4097), Remedy::Without(vec!["mov".to_owned()])),
            (0.0, -0.0, Remedy::Numbers(zeros)),
            (f32::NAN, 1.0, Remedy::Numbers(Numbers { nan: any, ..exact })),
            (f32::INFINITY, f32::MAX, Remedy::Numbers(Numbers { infinity: any, ..exact })),
            (f32::MIN_POSITIVE / 2.0, 0.0, Remedy::Numbers(Numbers { subnormal: any, ..exact })),
            (1.0, f32::NAN, Remedy::Without(vec!["mov".to_owned()])),
        ] {
            assert_eq!(explain(&[changed(first, theirs)]), [remedy], "{first:?} {theirs:?}");
        }
    }

    #[test]
    fn the_most_frequent_opcodes_are_excluded() {
        let programs = ["add mov", "mul mov", "mov", "sub", ""];
        let programs = programs.map(|text| text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let programs =
            programs.iter().map(|opcodes| if opcodes == &[""] { &[][..] } else { opcodes.as_slice() });
        assert_eq!(opcodes_to_exclude(programs.collect()), ["mov", "sub"]);
    }
}
