//! Compares a subject's answers with the reference.

use super::decoded::compare_decoded;
use super::disagreement::{Class, Disagreement};
use super::inexact::Grade;
use super::numbers::Numbers;
use super::profile::{self, Profile};
use super::propagated::compare_sets;
use super::question::{Expected, Prepared};
use super::registers::port_value;
use super::subject::{Answer, Bits, Failure, FailureKind, LaneStatus, Ran, Traced, Verdict};
use super::traced::{Registers, follow};
use crate::engine::{LaneOutcome, Outcome, OutcomePart, compare};
use lockstep_core::host::EffectRecord;
use lockstep_core::ir::Ty;
use lockstep_core::isa::{End, Isa, Syntax};
use lockstep_core::text::count;
use lockstep_core::value::FreedomSet;
use lockstep_core::with_isa;

/// Counts of what was compared for one case or for several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// The number of lanes that were run and compared.
    pub lanes: u64,
    /// The number of output components that were compared.
    pub components: u64,
    /// Whether a decoder's answer was compared.
    pub decoded: bool,
    /// The number of questions that the subject answered with "unsupported", or with a rejection that the profile allows.
    pub unsupported: u64,
    /// The number of lanes that were run but not compared, because they depend on results that may differ from the reference's.
    pub undecided: u64,
}

impl std::ops::AddAssign for Compared {
    fn add_assign(&mut self, other: Compared) {
        self.lanes += other.lanes;
        self.components += other.components;
        self.decoded |= other.decoded;
        self.unsupported += other.unsupported;
        self.undecided += other.undecided;
    }
}

/// Compares the answers to a case with the reference, in the order of its questions.
///
/// # Errors
/// The first disagreement.
pub fn judge(prepared: &Prepared, answers: &[Answer], profile: &Profile) -> Result<Compared, Disagreement> {
    if answers.len() != prepared.questions.len() {
        let (asked, given) = (prepared.questions.len(), answers.len());
        return Err(Disagreement::garbage(format!("{} for {asked} questions", count(given, "answer"))));
    }
    let mut compared = Compared::default();
    let traced = answers.iter().find_map(|answer| match answer {
        Answer::Traced(traced) if traced.verdict == Verdict::Accepted => Some(traced),
        _ => None,
    });
    for answer in answers {
        compared += match answer {
            Answer::Failed(failure) => return Err(failed(failure)),
            Answer::Decoded(decoded) => {
                with_isa!(prepared.case.isa, I => compare_decoded::<I>(prepared, decoded, profile))?
            }
            // The translation's run is compared, not the translation itself.
            Answer::Translated(_) => continue,
            Answer::Ran(ran) => {
                let Some(expected) = &prepared.expected else { continue };
                match ran.verdict {
                    Verdict::Accepted => with_isa!(prepared.case.isa, I => match traced {
                        Some(traced) => compare_traced::<I>(prepared, expected, ran, traced, profile),
                        None => compare_run::<I>(expected, ran, profile),
                    })?,
                    Verdict::Rejected if may_refuse(prepared, profile) => {
                        Compared { unsupported: 1, ..Compared::default() }
                    }
                    Verdict::Rejected => {
                        let why = ran.message.as_deref().unwrap_or("no reason is given");
                        let message = format!("a legal program is rejected when run: {why}");
                        return Err(Disagreement::new(Class::Verdict, "run", message));
                    }
                    Verdict::Unsupported => Compared { unsupported: 1, ..Compared::default() },
                }
            }
            // A trace is compared together with its run.
            Answer::Traced(_) => Compared::default(),
        };
    }
    Ok(compared)
}

/// Compares a run with a reference run that follows the subject's trace.
fn compare_traced<I: Isa>(
    prepared: &Prepared,
    expected: &Expected,
    ran: &Ran,
    traced: &Traced,
    profile: &Profile,
) -> Result<Compared, Disagreement> {
    let resolved = prepared.case.resolve::<I>();
    let resolved = resolved.map_err(|error| Disagreement::garbage(error.to_string()))?;
    let followed = follow(&resolved, profile, &traced.steps, Registers::Named)?;
    let grade = Grade::Within(followed.numbers);
    compare_run::<I>(&Expected { outcome: followed.outcome, grade, ..expected.clone() }, ran, profile)
}

/// Whether the profile allows the subject to reject the program.
fn may_refuse(prepared: &Prepared, profile: &Profile) -> bool {
    prepared.status.is_doubtful() && profile.invalid.doubtful != profile::Expected::Accepted
}

/// Converts a failure to a disagreement.
fn failed(Failure { kind, message }: &Failure) -> Disagreement {
    match kind {
        FailureKind::Reported => {
            let message = format!("the subject reports a failure: {message}");
            Disagreement::new(Class::Crash, "error", message)
        }
        FailureKind::Mode => {
            let message = format!("the subject left the floating-point mode changed: {message}");
            Disagreement::new(Class::Crash, "mode", message)
        }
        FailureKind::NotCompiled => Disagreement::new(Class::Verdict, "translation", message.clone()),
        FailureKind::SelfComparison(kind) => Disagreement::new(Class::Value, *kind, message.clone()),
        FailureKind::MalformedAnswer => Disagreement::garbage(format!("the answer is malformed: {message}")),
    }
}

/// Compares a run with the reference's outcome.
pub(super) fn compare_run<I: Syntax>(
    expected: &Expected,
    ran: &Ran,
    profile: &Profile,
) -> Result<Compared, Disagreement> {
    let ours = &expected.outcome;
    let theirs = outcome(expected, ran, profile)?;
    if matches!(expected.grade, Grade::Undecided | Grade::Traced) {
        return Ok(Compared { undecided: ours.lanes.len() as u64, ..Compared::default() });
    }
    if let Grade::Propagated(sets) = &expected.grade {
        return compare_sets::<I>(expected, sets, &profile.numbers, &theirs);
    }
    match compare(&expected.entry, ours, &theirs) {
        Ok(statistics) => {
            let lanes = ours.lanes.len() as u64;
            Ok(Compared { lanes, components: statistics.components, ..Compared::default() })
        }
        Err(difference) => {
            let detail = match difference.place {
                OutcomePart::End => "end",
                OutcomePart::Kill => "kill",
                OutcomePart::Output { slot, .. } if expected.registers.contains_key(&slot) => "register",
                OutcomePart::Output { .. } => "output",
                OutcomePart::Effect { .. } => "effect",
            };
            let place = difference.place.name::<I>(&expected.entry);
            let message = format!(
                "lane {}, {place}: {}, the reference has {}",
                difference.lane, difference.right, difference.left
            );
            Err(Disagreement::new(Class::Value, detail, message))
        }
    }
}

/// Converts a subject's run to an outcome. Numbers within the profile's tolerance are replaced by the reference's.
pub(super) fn outcome(expected: &Expected, ran: &Ran, profile: &Profile) -> Result<Outcome, Disagreement> {
    let (asked, given) = (expected.outcome.lanes.len(), ran.lanes.len());
    if asked != given {
        let message = format!("{} in the answer, {asked} in the question", count(given, "lane"));
        return Err(Disagreement::garbage(message));
    }
    let numbers = match expected.grade {
        Grade::Within(numbers) => numbers,
        // The sets include the tolerances.
        Grade::Propagated(_) => Numbers::default(),
        Grade::Exact | Grade::Traced | Grade::Undecided => profile.numbers,
    };
    let accepted = |ours: f32, theirs: f32| if numbers.accept(ours, theirs) { ours } else { theirs };
    let mut lanes = Vec::with_capacity(asked);
    for (number, (ours, lane)) in expected.outcome.lanes.iter().zip(&ran.lanes).enumerate() {
        let end = match lane.status {
            LaneStatus::Finished => End::Finished,
            LaneStatus::OutOfFuel => End::OutOfFuel,
            LaneStatus::Trap => End::Hung,
        };
        let mut outputs = Vec::with_capacity(ours.outputs.len());
        let ports = expected.entry.interface.outputs.iter().zip(&expected.outputs);
        // The outputs of a lane that did not finish are not compared.
        for (port, name) in ports.filter(|_| end == End::Finished) {
            for component in (0..4usize).filter(|c| port.mask >> c & 1 == 1) {
                if let (Some(ty), Some(ours)) =
                    (expected.registers.get(&port.slot), ours.outputs.get(outputs.len()))
                {
                    let is_defined = expected.defined.get(number).and_then(|lane| lane.get(outputs.len()));
                    let given = lane.finals.get(name).and_then(|register| register[component]);
                    let given =
                        given.filter(|_| is_defined != Some(&false)).map(|bits| port_value(*ty, bits));
                    // A register that is undefined or not offered is not compared: the reference's value is used.
                    outputs.push(match given {
                        Some(theirs) if *ty == Ty::F32 => accepted(*ours, theirs),
                        Some(theirs) => theirs,
                        None => *ours,
                    });
                    continue;
                }
                let given = lane.outputs.get(name).and_then(|register| register[component]);
                if let (None, true, Some(ours)) = (given, lane.killed, ours.outputs.get(outputs.len())) {
                    // A discarded fragment need not have outputs: for a missing one, the reference's value is used.
                    outputs.push(*ours);
                    continue;
                }
                let Some(Bits(bits)) = given else {
                    let letter = lockstep_core::isa::component::LETTERS[component];
                    let message = format!("lane {number} has no value for {name}.{letter}");
                    return Err(Disagreement::garbage(message));
                };
                let theirs = f32::from_bits(bits);
                outputs.push(ours.outputs.get(outputs.len()).map_or(theirs, |ours| accepted(*ours, theirs)));
            }
        }
        let effects = lane.effects.iter().enumerate().map(|(at, effect)| {
            let mut record =
                EffectRecord { kind: effect.kind, index: effect.index, mask: 0, values: [0.0; 4] };
            let ours = ours.effects.get(at);
            for (component, bits) in effect.bits.iter().enumerate() {
                if let Some(bits) = bits {
                    let theirs = bits.value();
                    record.mask |= 1 << component;
                    record.values[component] =
                        ours.map_or(theirs, |ours| accepted(ours.values[component], theirs));
                }
            }
            record
        });
        lanes.push(LaneOutcome { end, killed: lane.killed, outputs, effects: effects.collect() });
    }
    Ok(Outcome { lanes, freedoms: FreedomSet::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::judge::changed::{changed, examples};
    use crate::judge::{Ability, prepare};
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::agal::Agal;

    #[test]
    fn every_part_of_a_run_is_compared() {
        for (prepared, ran) in examples() {
            let judged = |ran: &Ran| judge(&prepared, &[Answer::Ran(ran.clone())], &Profile::default());
            assert!(judged(&ran).is_ok_and(|compared| compared.lanes == 2));
            for (name, other) in changed(&ran) {
                assert_eq!(judged(&other).map_err(|found| found.class), Err(Class::Value), "{name}");
            }
            // An answer without a component of an output of a lane is malformed.
            for lane in 0..ran.lanes.len() {
                for (name, register) in &ran.lanes[lane].outputs {
                    for component in (0..4).filter(|component| register[*component].is_some()) {
                        let mut other = ran.clone();
                        other.lanes[lane].outputs.get_mut(name).unwrap()[component] = None;
                        let class = judged(&other).map_err(|found| found.class);
                        assert_eq!(class, Err(Class::Garbage), "lane {lane}: {name}.{component}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_run_may_be_refused_only_if_the_program_is_doubtful_and_the_profile_allows_it() {
        use profile::Expected::{Accepted, Any, Rejected};
        for (body, is_doubtful) in [("mov op, va0\n", false), ("mov op, vt0\n", true)] {
            for (doubtful, is_allowed) in [(Any, true), (Rejected, true), (Accepted, false)] {
                let mut profile = Profile::default();
                profile.invalid.doubtful = doubtful;
                let program = Agal::assemble(&format!("version 1 vertex\n{body}")).unwrap();
                let lanes = vec![LaneInput { slots: vec![[1.0; 4]] }];
                let env = Environment { lanes, fuel: 9, ..Environment::default() };
                let prepared = prepare(&Case::new::<Agal>(&program, env), &profile, &[Ability::Run]);
                let Ok(prepared) = prepared else { panic!("{body} is not asked") };
                let message = Some("no".to_owned());
                let refused = Ran { verdict: Verdict::Rejected, lanes: Vec::new(), message };
                let judged = judge(&prepared, &[Answer::Ran(refused)], &profile);
                if is_doubtful && is_allowed {
                    assert_eq!(
                        judged,
                        Ok(Compared { unsupported: 1, ..Compared::default() }),
                        "{doubtful:?}"
                    );
                } else {
                    assert_eq!(
                        judged.map_err(|found| found.class),
                        Err(Class::Verdict),
                        "{body} {doubtful:?}"
                    );
                }
            }
        }
    }
}
