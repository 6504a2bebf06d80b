//! Searches for the option settings under which a vector that contradicts the reference would hold.

use super::prepared::prepared;
use super::running::check;
use super::{Vector, VectorFailure};
use crate::case::{Case, EntryRef};
use crate::engine::reference;
use crate::oracle::caught;
use lockstep_core::isa::{Isa, IsaId, OptionSpec};
use lockstep_core::with_isa;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of settings tried for a vector.
const MAX_SETTINGS: usize = 4096;
/// The maximum number of options changed together.
const MAX_CHANGED_OPTIONS: usize = 8;

/// A contradiction between a vector and the reference's result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contradiction {
    /// The settings with the fewest changes under which the vector holds: each changed option with its choice.
    pub satisfied_by: Vec<Vec<(&'static str, &'static str)>>,
    /// Whether the search stopped at the limit of settings.
    pub is_capped: bool,
}

/// Returns the contradiction in a vector that does not hold. `None` if the reference agrees with the vector, or nothing was run.
pub fn contradiction(isa: IsaId, vector: &Vector, failure: &VectorFailure) -> Option<Contradiction> {
    if !failure.contradicts {
        return None;
    }
    let found = caught(|| with_isa!(isa, I => search::<I>(vector)));
    Some(found.unwrap_or_default())
}

/// Returns a sentence that names the choices under which a vector would hold.
pub fn sentence(contradiction: &Contradiction) -> String {
    let choices = |setting: &Vec<(&str, &str)>| {
        let all: Vec<String> =
            setting.iter().map(|(name, choice)| format!("{name} = \"{choice}\"")).collect();
        all.join(" and ")
    };
    let all: Vec<String> = contradiction.satisfied_by.iter().map(choices).collect();
    let capped = if contradiction.is_capped { ", of those that were tried" } else { "" };
    if all.is_empty() {
        format!("no choice of options would satisfy it{capped}")
    } else {
        format!("{} would satisfy it", all.join(", or "))
    }
}

/// An option setting: the index of each changed option, with its choice.
type Setting = BTreeMap<usize, u8>;

/// Tries settings of the options that the reference reads, those with the fewest changes first.
fn search<I: Isa>(vector: &Vector) -> Contradiction {
    let specs = I::option_specs();
    let mut found = Contradiction::default();
    let mut tried = 0;
    let mut level = BTreeSet::from([Setting::new()]);
    for changes in 0..=MAX_CHANGED_OPTIONS {
        let mut next = BTreeSet::new();
        for setting in level {
            if tried >= MAX_SETTINGS {
                found.is_capped = true;
                break;
            }
            tried += 1;
            let Some((holds, read)) = run_under::<I>(vector, specs, &setting) else { continue };
            if holds {
                found.satisfied_by.push(named(specs, &setting));
            } else if changes < MAX_CHANGED_OPTIONS {
                next.extend(further(vector, specs, &setting, read));
            } else {
                found.is_capped = true;
            }
        }
        if !found.satisfied_by.is_empty() {
            found.is_capped = false;
            break;
        }
        level = next;
    }
    found
}

fn named(specs: &'static [OptionSpec], setting: &Setting) -> Vec<(&'static str, &'static str)> {
    setting
        .iter()
        .map(|(option, choice)| (specs[*option].name, specs[*option].choices[usize::from(*choice)]))
        .collect()
}

/// Returns the settings that change one more option, among the options that were read.
fn further<'a>(
    vector: &'a Vector,
    specs: &'static [OptionSpec],
    setting: &'a Setting,
    read: u64,
) -> impl Iterator<Item = Setting> + 'a {
    let open =
        (0..specs.len()).filter(move |option| read >> option & 1 == 1 && !setting.contains_key(option));
    open.flat_map(move |option| {
        let chosen = vector.options.get(specs[option].name).map_or(specs[option].choices[0], String::as_str);
        let choices = specs[option].choices.iter().enumerate().filter(move |(_, choice)| **choice != chosen);
        choices.map(move |(choice, _)| {
            let mut longer = setting.clone();
            longer.insert(option, choice as u8);
            longer
        })
    })
}

/// Returns whether the reference agrees with a vector under a setting, and a bit set of the options it read. `None` if the vector cannot be run with
/// that setting.
fn run_under<I: Isa>(
    vector: &Vector,
    specs: &'static [OptionSpec],
    setting: &Setting,
) -> Option<(bool, u64)> {
    let (case, ways) = prepared::<I>(vector).ok()?;
    let options = setting.iter().map(|(option, choice)| {
        let option = &specs[*option];
        (option.name.to_owned(), option.choices[usize::from(*choice)].to_owned())
    });
    let case = Case { options: case.options.clone().into_iter().chain(options).collect(), ..case };
    let resolved = case.resolve::<I>().ok().filter(crate::case::Resolved::is_legal)?;
    resolved.options.take_read();
    let outcome = reference(&resolved.context(), &resolved.env);
    let read = resolved.options.take_read();
    let EntryRef::Given(entry) = &case.entry else { return None };
    let holds = ways.iter().any(|way| check::<I>(entry, way, &outcome).is_ok());
    Some((holds, read))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::run_vector;

    /// Returns the sentence for an AGAL vector that has this fragment program and these lanes.
    fn agal_sentence(program: &str, lanes: &str) -> Option<String> {
        let text = format!(
            "[[vector]]\nname='a'\nsource='s'\nderivation='d'\nprogram=\"\"\"\nversion 1 fragment\n{program}\n\"\"\"\n{lanes}"
        );
        let (isa, vectors) = crate::corpus::vector::parse(&text, Some(IsaId::Agal)).unwrap();
        let failure = run_vector(isa, &vectors[0]).err()?;
        contradiction(isa, &vectors[0], &failure).map(|found| sentence(&found))
    }

    #[test]
    fn the_choices_that_would_satisfy_a_vector_are_named() {
        let pow = |numbers: &str| {
            let lanes = "[[vector.lane]]\ninput = { v0 = [0, 'inf', 1, 0], v1 = [0, 0, 'inf', 2] }\n";
            agal_sentence("pow oc, v0, v1", &format!("{lanes}output = {{ oc = {numbers} }}\n"))
        };
        // Expected results under the defaults, under one choice, under another choice, and under no choice of any option.
        assert_eq!(pow("['nan', 'nan', 'nan', 0]"), None);
        let only = |choice: &str| Some(format!("{choice} would satisfy it"));
        assert_eq!(pow("[1, 1, 'nan', 0]"), only("pow_zero_exponent = \"one\""));
        assert_eq!(pow("[1, 1, 1, 0]"), only("zero_times = \"zero\""));
        assert_eq!(pow("[1, 1, 1, 7]"), Some("no choice of options would satisfy it".to_owned()));
    }

    #[test]
    fn another_choice_of_an_option_that_the_vector_sets_is_tried() {
        let lanes = "options = { reciprocal_zero = 'infinity' }\n[[vector.lane]]\ninput = { v0 = [0, 0, 1, 4] }\n\
                     output = { oc = ['0x7f7fffff', '0x7f7fffff', 1, 0.25] }\n";
        let told = agal_sentence("rcp oc, v0", lanes);
        assert_eq!(told.as_deref(), Some("reciprocal_zero = \"max\" would satisfy it"));
    }

    #[test]
    fn choices_are_combined_if_one_does_not_suffice() {
        let lanes = "[[vector.lane]]\ninput = { v0 = [0, 0, 1, 4] }\n\
                     output = { oc = ['0x7f7fffff', '0x7f7fffff', 1, 0.5] }\n";
        let told = agal_sentence("rcp ft0, v0\nrsq ft0.yw, v0\nmov oc, ft0", lanes);
        let both = "reciprocal_zero = \"max\" and rsq_zero = \"max\" would satisfy it";
        assert_eq!(told.as_deref(), Some(both));
    }
}
