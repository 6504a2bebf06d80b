//! Compares several subjects and the reference on one case, and names those that differ from the majority.

use super::campaign::Open;
use super::compare::{judge, outcome};
use super::connection::AskError;
use super::disagreement::{Class, Disagreement};
use super::profile::Profile;
use super::question::{Expected, Prepared, prepare};
use super::subject::{Ability, Answer, Decoded, Ran, Verdict};
use crate::case::Case;
use serde::Serialize;

/// The name of the reference among the subjects.
pub const REFERENCE: &str = "the reference";

/// A subject that is compared with other subjects and the reference.
pub struct Party<'a> {
    /// The unique name of the subject.
    pub name: &'a str,
    /// Opens a connection to the subject.
    pub open: &'a Open<'a>,
    /// The subject's profile.
    pub profile: &'a Profile,
    /// The subject's abilities.
    pub abilities: &'a [Ability],
}

/// Parties that gave the same answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The names of the parties.
    pub members: Vec<String>,
    /// A sentence that states how the answer differs from the reference's; `None` for the reference's group.
    pub says: Option<String>,
}

/// The answers of all parties to one case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Opinions {
    /// The parties grouped by answer; the reference's group is first.
    pub groups: Vec<Group>,
    /// The parties that gave no answer, with the reason.
    pub unanswered: Vec<(String, String)>,
}

impl Opinions {
    /// Returns the parties whose answer no other party gave, if more than half of the parties with an answer agree with one another.
    pub fn outliers(&self) -> Vec<&str> {
        let all: usize = self.groups.iter().map(|group| group.members.len()).sum();
        let most = self.groups.iter().map(|group| group.members.len()).max().unwrap_or(0);
        // A single answer contradicts nobody.
        if all < 2 || 2 * most <= all {
            return Vec::new();
        }
        let single = self.groups.iter().filter(|group| group.members.len() == 1);
        single.flat_map(|group| group.members.iter().map(String::as_str)).collect()
    }

    /// Returns report lines: the outliers, the parties with each answer, and the parties that gave none.
    pub fn lines(&self) -> Vec<String> {
        let alone = self.outliers();
        let mut all = vec![match alone.as_slice() {
            [] => "no single party differs from a majority".to_owned(),
            [only] => format!("{only} stands alone"),
            several => format!("{} stand alone, each with a different answer", several.join(" and ")),
        }];
        for Group { members, says } in &self.groups {
            let members = members.join(", ");
            all.push(match says {
                None => format!("{members}: as the reference"),
                Some(says) => format!("{members}: {says}"),
            });
        }
        all.extend(self.unanswered.iter().map(|(name, why)| format!("{name} gives no answer: {why}")));
        all
    }
}

/// Sends the case of a finding to a fresh worker of each party. If the finding is only about decoding, or only about running, only questions of that
/// kind are sent.
pub fn opinions(case: &Case, finding: &Disagreement, parties: &[Party<'_>]) -> Opinions {
    let question_kind = match (finding.class, finding.detail.as_str()) {
        (Class::Value, _) | (Class::Verdict, "run") => Some(Ability::Run),
        (Class::Verdict | Class::Consumed | Class::Instructions, _) => Some(Ability::Decode),
        _ => None,
    };
    let reference = Group { members: vec![REFERENCE.to_owned()], says: None };
    let mut opinions = Opinions { groups: vec![reference], unanswered: Vec::new() };
    let mut keys = vec![String::new()];
    for party in parties {
        let name = party.name.to_owned();
        match opinion(case, question_kind, party) {
            Err(why) => opinions.unanswered.push((name, why)),
            Ok((key, says)) => match keys.iter().position(|known| *known == key) {
                Some(at) => opinions.groups[at].members.push(name),
                None => {
                    keys.push(key);
                    opinions.groups.push(Group { members: vec![name], says: Some(says) });
                }
            },
        }
    }
    opinions
}

/// Returns one party's answer as a key and a sentence, or the reason why it gave none. Equal answers have equal keys; the reference's answer has an
/// empty key.
fn opinion(
    case: &Case,
    question_kind: Option<Ability>,
    party: &Party<'_>,
) -> Result<(String, String), String> {
    let Party { open, profile, abilities, .. } = party;
    // A run is requested together with its steps and registers.
    let beside = [Ability::Trace, Ability::Registers];
    let is_asked = |ability: &Ability| match question_kind {
        Some(Ability::Run) => *ability == Ability::Run || beside.contains(ability),
        Some(kind) => *ability == kind,
        None => true,
    };
    match question_kind {
        Some(kind) if abilities.contains(&kind) => {}
        Some(Ability::Decode) => return Err("it does not decode".to_owned()),
        Some(_) => return Err("it does not run programs".to_owned()),
        None => {}
    }
    let abilities: Vec<Ability> = abilities.iter().copied().filter(is_asked).collect();
    let prepared = prepare(case, profile, &abilities).map_err(|why| why.to_string())?;
    let mut connection = open().map_err(|error| error.to_string())?;
    let answers = match connection.ask(&prepared.questions) {
        Ok(answers) => answers,
        Err(AskError::Interrupted) => return Err("the campaign was interrupted".to_owned()),
        Err(AskError::Finding(found)) => {
            return Ok((format!("{}-{}", found.class.name(), found.detail), found.message));
        }
    };
    if answers.iter().all(is_unsupported) {
        return Err("it does not support this case".to_owned());
    }
    Ok(match judge(&prepared, &answers, profile) {
        Ok(_) => (String::new(), String::new()),
        Err(found) => {
            let keys: Vec<String> = answers.iter().map(|answer| key(&prepared, answer)).collect();
            (keys.join("\n"), found.message)
        }
    })
}

fn is_unsupported(answer: &Answer) -> bool {
    match answer {
        Answer::Decoded(decoded) => decoded.verdict == Verdict::Unsupported,
        Answer::Ran(ran) => ran.verdict == Verdict::Unsupported,
        Answer::Traced(traced) => traced.verdict == Verdict::Unsupported,
        Answer::Translated(translation) => translation.verdict == Verdict::Unsupported,
        Answer::Failed(_) => false,
    }
}

/// Converts an answer to text that is equal for answers of equal meaning: parts that are not compared are omitted.
fn key(prepared: &Prepared, answer: &Answer) -> String {
    match answer {
        Answer::Failed(failure) => format!("{:?}", failure.kind),
        Answer::Translated(translation) => translation.source.clone(),
        Answer::Decoded(decoded) => decoded_key(prepared, decoded),
        Answer::Ran(ran) => {
            prepared.expected.as_ref().map_or_else(String::new, |expected| ran_key(expected, ran))
        }
        Answer::Traced(_) => String::new(),
    }
}

/// Returns the verdict and the first disagreement about the decoded program, as text. The reasons of a rejection are omitted.
fn decoded_key(prepared: &Prepared, decoded: &Decoded) -> String {
    let questions: Vec<_> = prepared.questions.iter().take(1).cloned().collect();
    let alone = Prepared { questions, expected: None, ..prepared.clone() };
    let wrong = judge(&alone, &[Answer::Decoded(decoded.clone())], &Profile::default()).err();
    let wrong = wrong.filter(|found| found.class != Class::Verdict).map(|found| found.message);
    format!("{:?} {wrong:?}", decoded.verdict)
}

/// Returns the verdict and the outcome of every lane as text, or why the answer has no outcome. Numbers are printed so that they can be read back,
/// and every NaN is printed in the same way.
fn ran_key(expected: &Expected, ran: &Ran) -> String {
    match outcome(expected, ran, &Profile::default()) {
        Ok(outcome) => format!("{:?} {:?}", ran.verdict, outcome.lanes),
        Err(found) => format!("{:?} {}", ran.verdict, found.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Bits;
    use lockstep_core::ir::Ty;
    use std::collections::BTreeMap;

    fn opinions(groups: &[&[&str]]) -> Opinions {
        let group = |members: &&[&str]| Group {
            members: members.iter().map(|name| (*name).to_owned()).collect(),
            says: None,
        };
        Opinions { groups: groups.iter().map(group).collect(), unanswered: Vec::new() }
    }

    #[test]
    fn a_party_that_contradicts_a_majority_is_an_outlier() {
        for (groups, alone) in [
            (&[&["r", "a", "b"][..]][..], &[][..]),
            (&[&["r", "a"], &["b"]], &["b"]),
            (&[&["r"], &["a", "b"]], &["r"]),
            (&[&["r", "c", "d"], &["a"], &["b"]], &["a", "b"]),
            (&[&["r", "c"], &["a"], &["b"]], &[]),
            (&[&["r"], &["a"]], &[]),
            (&[&["r"]], &[]),
            (&[], &[]),
            (&[&["r", "a"], &["b", "c"]], &[]),
        ] {
            assert_eq!(opinions(groups).outliers(), alone, "{groups:?}");
        }
    }

    #[test]
    fn runs_that_differ_in_any_part_are_different_opinions() {
        for (prepared, ran) in crate::judge::changed::examples() {
            let expected = prepared.expected.as_ref().expect("a run");
            let mut known = vec![("the run".to_owned(), ran_key(expected, &ran))];
            for (name, other) in crate::judge::changed::changed(&ran) {
                let key = ran_key(expected, &other);
                let like = known.iter().find(|(_, other)| *other == key);
                assert_eq!(like, None, "{name}");
                known.push((name, key));
            }
            // The same numbers, given as final values of control registers.
            let slots = expected.entry.interface.outputs.iter().map(|port| port.slot);
            let registers = slots.map(|slot| (slot, Ty::F32)).collect();
            let expected = &Expected { registers, ..expected.clone() };
            let finals = |ran: &Ran| {
                let mut ran = ran.clone();
                ran.lanes.iter_mut().for_each(|lane| lane.finals = std::mem::take(&mut lane.outputs));
                ran
            };
            assert_eq!(ran_key(expected, &finals(&ran)), known[0].1);
            for (name, other) in crate::judge::changed::changed(&ran) {
                assert_ne!(ran_key(expected, &finals(&other)), known[0].1, "{name}");
            }
        }
    }

    #[test]
    fn final_registers_are_grouped_by_what_is_compared() {
        let [(prepared, ran), _] = crate::judge::changed::examples();
        let expected = prepared.expected.expect("a run");
        let (slot, name) = (expected.entry.interface.outputs[0].slot, &expected.outputs[0]);
        // The output is a control register of this type, and the first lane ends with these bits in each of its components.
        let key_of = |ty: Ty, given: [Option<Bits>; 4], is_defined: bool| {
            let registers = BTreeMap::from([(slot, ty)]);
            let defined = expected.defined.iter().map(|lane| vec![is_defined; lane.len()]).collect();
            let mut ran = ran.clone();
            ran.lanes[0].finals = BTreeMap::from([(name.clone(), given)]);
            ran_key(&Expected { defined, registers, ..expected.clone() }, &ran)
        };
        let defined = |ty: Ty, bits: u32| key_of(ty, [Some(Bits(bits)); 4], true);
        let (minus_one, minus_two) = (u32::MAX, u32::MAX - 1);
        assert_ne!(defined(Ty::I32, minus_one), defined(Ty::I32, minus_two));
        assert_eq!(defined(Ty::F32, minus_one), defined(Ty::F32, minus_two), "both are NaNs");
        assert_eq!(defined(Ty::Bool, 1), defined(Ty::Bool, 2));
        assert_ne!(defined(Ty::Bool, 0), defined(Ty::Bool, 1));
        let undefined = |bits: u32| key_of(Ty::I32, [Some(Bits(bits)); 4], false);
        assert_eq!(undefined(1), undefined(2));
        // The reference's value is used for an omitted component.
        let ours = ran.lanes[0].outputs[name];
        assert_eq!(key_of(Ty::F32, [None; 4], true), key_of(Ty::F32, ours, true));
    }
}
