//! Every choice of every option makes an instance of a lowering rule or a program of the corpora behave differently from the default. Otherwise
//! proofs about the option would be vacuous, because no instance would have the properties that the option affects.
//!
//! The entire state of a lane is compared, step by step, as in proofs. Options that only the validator reads change no step.

use lockstep::case::Case;
use lockstep::corpus::{Content, load_own, own_corpora};
use lockstep::generate::{Entropy, Generate};
use lockstep_core::host::{ConcreteHost, Environment};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::run::{start, step};
use lockstep_core::isa::{Context, Isa, IsaId, Refinement};
use lockstep_core::value::{Concrete, Freedom};
use lockstep_core::with_isa;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// An option and one of its choices.
type Choice = (&'static str, &'static str);

/// Choices that no rule instance and no program of the corpora distinguishes from the default, each with the reason. No other choices may
/// be listed.
const NO_INSTANCE: &[(IsaId, Choice, &str)] = &[];

/// Choices that matter only together with a choice of another option.
const ONLY_TOGETHER: &[(IsaId, &str, Choice)] = &[
    // If zero times infinity is zero, the formula of `pow` results in 1 for exponent 0, as the other choice of `pow_zero` does.
    (IsaId::D3d9, "pow_zero", ("zero_times", "ieee")),
];

/// Numbers for which choices differ: NaNs, extremes, ties, and numbers with many significant bits. Proofs are about all numbers.
const NUMBERS: [f32; 20] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    0.0,
    -0.0,
    1e-40,
    -1e-40,
    // Their products underflow.
    1e-30,
    -1e-30,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    1.000_000_1,
    3.333_333_3,
    -1.234_567_9,
    0.1,
    130.0,
    1000.0,
];

/// The numbers of the environments in which an instance is run, at each of its entries. A few suffice for most choices, so every instance is run in
/// a few before any is run in many.
const ROUNDS: [std::ops::Range<u64>; 3] = [0..4, 4..16, 16..64];
/// The maximum number of steps of a run: instances are short, and some loop for ever.
const STEPS: usize = 64;

/// Returns a hash of the entire state of all lanes after each step of a run.
fn trace<I: Refinement>(cx: &Context<'_, I>, env: &Environment) -> u64 {
    let mut hash = DefaultHasher::new();
    let group = usize::from(I::group(cx)).min(env.lanes.len());
    let (mut d, mut host) = (Concrete, ConcreteHost::<false>::new(env, 0));
    let mut running = start::<I, _, _>(&d, &mut host, cx, group, env.fuel);
    for _ in 0..STEPS {
        let going = |r: &lockstep_core::isa::LaneState<I::Lane<Concrete>>| {
            r.end.is_none() && I::position(cx, &r.lane).is_some()
        };
        if !running.iter().any(going) {
            break;
        }
        step::<I, _, _>(&mut d, &mut host, cx, &mut running);
        for (l, lane) in running.iter().enumerate() {
            (format!("{:?}", lane.end), lane.fuel, I::killed(&lane.lane)).hash(&mut hash);
            for (key, value) in I::state(&Concrete, cx, &lane.lane) {
                let bits = match value {
                    Scalar::F(v) => v.to_bits(),
                    Scalar::I(v) => v as u32,
                    Scalar::B(v) => u32::from(v),
                };
                (key, bits).hash(&mut hash);
            }
            format!("{:?}", host.records(l)).hash(&mut hash);
        }
    }
    hash.finish()
}

/// Puts numbers of [`NUMBERS`], with either sign, into every second environment. Every fourth environment contains at most three of them and nothing
/// else, because otherwise sums of zeros would be rare.
fn with_numbers(mut case: Case, k: usize) -> Case {
    if k % 2 == 1 {
        let mut e = Entropy::seeded(k as u64);
        let few: Vec<f32> = (0..2 + e.below(2)).map(|_| NUMBERS[e.below(NUMBERS.len())]).collect();
        let (all, share): (&[f32], _) = if k % 4 == 3 { (&few, 100) } else { (&NUMBERS, 50) };
        let inputs = case.env.lanes.iter_mut().flat_map(|lane| &mut lane.slots);
        for value in inputs.chain(&mut case.env.constants).flatten() {
            if e.chance(share) {
                let number = all[e.below(all.len())];
                *value = if e.chance(25) { -number } else { number };
            }
        }
        // Fetched words may be any bits.
        for word in case.env.buffers.iter_mut().flat_map(|buffer| &mut buffer.words) {
            *word = e.bits() as u32;
        }
    }
    case
}

/// Whether a case reads an option that has a choice in `missing`.
fn reads_missing_option<I: Isa>(case: &Case, missing: &BTreeSet<Choice>) -> bool {
    let resolved = case.resolve::<I>().unwrap();
    trace(&resolved.context(), &resolved.env);
    let read = resolved.options.take_read();
    I::option_specs()
        .iter()
        .enumerate()
        .any(|(at, option)| read >> at & 1 == 1 && missing.iter().any(|c| c.0 == option.name))
}

/// Removes from `missing` the choices that change the trace of a case, where `beside` has the choices of other options.
fn try_on<I: Isa>(case: &Case, beside: &BTreeMap<String, String>, missing: &mut BTreeSet<Choice>) {
    let with = |choice: Option<Choice>| {
        let mut options = beside.clone();
        options.extend(choice.map(|(option, choice)| (option.to_owned(), choice.to_owned())));
        let resolved = Case { options, ..case.clone() }.resolve::<I>().unwrap();
        let trace = trace(&resolved.context(), &resolved.env);
        (trace, resolved.options.take_read())
    };
    let (usual, read) = with(None);
    let is_read = |option: &str| {
        I::option_specs().iter().position(|a| a.name == option).is_some_and(|at| read >> at & 1 == 1)
    };
    missing.retain(|choice| {
        !is_read(choice.0) || beside.contains_key(choice.0) || with(Some(*choice)).0 == usual
    });
}

/// Describes the choices that no instance distinguishes from the default, and the choices that [`NO_INSTANCE`] lists needlessly.
fn undistinguished_choices<I: Generate>() -> Vec<String> {
    let specs = || I::option_specs().iter().filter(|option| option.freedom != Freedom::Strictness);
    let all: BTreeSet<Choice> =
        specs().flat_map(|option| option.choices[1..].iter().map(|choice| (option.name, *choice))).collect();
    assert!(!all.is_empty(), "{}: no options", I::ID);
    let mut missing = all.clone();
    let own = load_own(&own_corpora(None).unwrap(), &[I::ID]).items;
    let own = own.iter().filter_map(|item| Some(item.content.program()?.to_vec()));
    let programs: Vec<Vec<u8>> =
        rule_instances::<I>().iter().map(|instance| I::encode(&instance.program)).chain(own).collect();
    let try_all = |beside: &BTreeMap<String, String>, missing: &mut BTreeSet<Choice>| {
        for round in ROUNDS {
            for bytes in &programs {
                if missing.is_empty() {
                    return;
                }
                let program = Content::Program { isa: I::ID, bytes: bytes.clone() };
                if program.cases(0..1).iter().any(|case| reads_missing_option::<I>(case, missing)) {
                    let cases = program.cases(round.clone()).into_iter().zip(round.start as usize..);
                    cases.for_each(|(case, k)| try_on::<I>(&with_numbers(case, k), beside, missing));
                }
            }
        }
    };
    try_all(&BTreeMap::new(), &mut missing);
    for (_, option, (other, choice)) in ONLY_TOGETHER.iter().filter(|(isa, ..)| *isa == I::ID) {
        let beside = BTreeMap::from([((*other).to_owned(), (*choice).to_owned())]);
        let (mut selected, rest) = missing.into_iter().partition(|(name, _)| name == option);
        assert!(!BTreeSet::is_empty(&selected), "{}: {option} matters with the defaults", I::ID);
        try_all(&beside, &mut selected);
        missing = rest;
        missing.extend(selected);
    }
    println!(
        "{}: instances tell {} of {} choices from the default",
        I::ID,
        all.len() - missing.len(),
        all.len()
    );
    let known = NO_INSTANCE.iter().filter(|(isa, ..)| *isa == I::ID);
    let known: BTreeSet<Choice> = known.map(|(_, choice, _)| *choice).collect();
    let unknown: Vec<&Choice> = missing.difference(&known).collect();
    let unused: Vec<&Choice> = known.difference(&missing).collect();
    let is_wrong =
        |what: &str, all: &[&Choice]| (!all.is_empty()).then(|| format!("{}: {what}: {all:?}", I::ID));
    let unknown = is_wrong("choices that no instance tells from the default", &unknown);
    unknown.into_iter().chain(is_wrong("listed, and told from the default by an instance", &unused)).collect()
}

#[test]
fn rule_instances_distinguish_each_choice_from_the_default() {
    let wrong: Vec<String> =
        IsaId::ALL.iter().flat_map(|&isa| with_isa!(isa, I => undistinguished_choices::<I>())).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
