//! Any two choices of an option are told apart by an instance of a lowering rule, so that proofs about the option are about something: an
//! instance has the environment and the facts that the option needs.

#![allow(clippy::expect_used)] // a test that cannot go on fails

use lockstep::case::Case;
use lockstep::engine::{compare, reference};
use lockstep::generate::{Entropy, Generate, around};
use lockstep_core::isa::{Axis, Isa, IsaId};
use lockstep_core::value::Freedom;
use lockstep_core::with_isa;
use std::collections::{BTreeMap, BTreeSet};

/// An option and two of its choices, in the order of the table.
type Pair = (&'static str, &'static str, &'static str);

/// Choices that no instance tells apart, each with the reason. Those that are told apart may not be here.
const NO_INSTANCE: &[(IsaId, Pair, &str)] = &[];

/// Environments in which an instance is run.
const ENVIRONMENTS: u64 = 12;

/// Options about what programs compute; what the validator alone reads changes no outcome.
fn axes<I: Isa>() -> impl Iterator<Item = (usize, &'static Axis)> {
    I::axes().iter().enumerate().filter(|(_, axis)| axis.freedom != Freedom::Strictness)
}

/// Takes from `missing` the choices that a case tells apart, beside these choices of other options.
fn try_on<I: Isa>(case: &Case, beside: &BTreeMap<String, String>, missing: &mut BTreeSet<Pair>) {
    let with = |option: Option<(&str, &str)>| {
        let mut options = beside.clone();
        options.extend(option.map(|(axis, choice)| (axis.to_owned(), choice.to_owned())));
        let case = Case { options, ..case.clone() };
        let resolved = case.resolve::<I>().expect("an instance is a program");
        let outcome = reference(&resolved.context(), &resolved.env);
        let read = resolved.options.take_read();
        (resolved.entry, outcome, read)
    };
    let (entry, _, read) = with(None);
    for (at, axis) in axes::<I>() {
        let is_asked = missing.iter().any(|(name, ..)| *name == axis.name);
        if read >> at & 1 == 0 || beside.contains_key(axis.name) || !is_asked {
            continue;
        }
        let outcomes: Vec<_> = axis.choices.iter().map(|choice| with(Some((axis.name, *choice))).1).collect();
        missing.retain(|(name, a, b)| {
            let of = |choice: &str| axis.choices.iter().position(|c| *c == choice).map(|n| &outcomes[n]);
            let pair = (*name == axis.name).then(|| (of(a), of(b)));
            !matches!(pair, Some((Some(a), Some(b))) if compare(&entry, a, b).is_err())
        });
    }
}

fn told_apart<I: Generate>() {
    let mut missing: BTreeSet<Pair> = BTreeSet::new();
    for (_, axis) in axes::<I>() {
        for (n, a) in axis.choices.iter().enumerate() {
            missing.extend(axis.choices[n + 1..].iter().map(|b| (axis.name, *a, *b)));
        }
    }
    let all = missing.len();
    assert!(all > 0, "{}: there are options", I::ID);
    // Beside the defaults, and where that is not enough beside each other choice of one option: proofs have both.
    let mut besides = vec![BTreeMap::new()];
    besides.extend(axes::<I>().flat_map(|(_, axis)| {
        let choices = axis.choices[1..].iter();
        choices.map(|choice| BTreeMap::from([(axis.name.to_owned(), (*choice).to_owned())]))
    }));
    for beside in besides {
        for form in I::forms() {
            for seed in 0..ENVIRONMENTS {
                if !missing.is_empty() {
                    let case = around::<I>(&mut Entropy::seeded(seed), &form.program);
                    try_on::<I>(&case, &beside, &mut missing);
                }
            }
        }
    }
    println!("{}: instances tell {} of {all} pairs of choices apart", I::ID, all - missing.len());
    let known = NO_INSTANCE.iter().filter(|(isa, ..)| *isa == I::ID);
    let known: BTreeSet<Pair> = known.map(|(_, pair, _)| *pair).collect();
    let unknown: Vec<&Pair> = missing.difference(&known).collect();
    assert!(unknown.is_empty(), "{}: choices that no instance tells apart: {unknown:?}", I::ID);
    let unused: Vec<&Pair> = known.difference(&missing).collect();
    assert!(unused.is_empty(), "{}: listed, and told apart by an instance: {unused:?}", I::ID);
}

#[test]
fn an_instance_of_a_rule_tells_any_two_choices_apart() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => told_apart::<I>());
    }
}
