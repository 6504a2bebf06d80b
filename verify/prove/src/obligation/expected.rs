//! The settings of options that there must be obligations about, worked out apart from what makes these: every choice of every option that a program's
//! lowering reads, or its reference on numbers; and of its fallback any two choices of options that a word's lowering reads together,
//! once for each opcode.

use super::pairs::{Choice, Meetings, Pair, meet, opcodes};
use super::words::Place;
use super::{Attempt, entries};
use crate::term::Map;
use crate::verdict::Verdict;
use lockstep_core::host::{Bound, Environment};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{self, Ty, VarKey};
use lockstep_core::isa::{self, Context, Entry, Isa, Level, Options, Running};
use lockstep_core::value::Concrete;
use std::collections::{BTreeMap, BTreeSet};

/// What registers hold when the reference is run.
const NUMBERS: [f32; 3] = [1.5, 0.0, f32::NEG_INFINITY];

/// An obligation that there is not.
pub(super) struct Lost {
    /// What it would be called.
    pub name: String,
    /// Why there has to be one.
    pub reason: &'static str,
}

/// The obligations that are not among `all` and have to be: about a program, from each of its entries, with one option changed; if they are
/// about its `words`, also with two.
pub(super) fn lost<I: Isa>(name: &str, program: &I::Program, words: bool, all: &[Attempt]) -> Vec<Lost> {
    let mut lost = Vec::new();
    for (entry, number) in entries::<I>(program) {
        let name = format!("{name}{number}");
        let Some(reads) = reads::<I>(program, &entry, &Options::new(I::axes()), words) else { continue };
        let changes = changes::<I>(&name, reads.all).into_iter().filter(|name| !is_among(name, all));
        let reason = "an option that is read has this setting, and there is no such obligation";
        lost.extend(changes.map(|name| Lost { name, reason }));
        if words {
            lost.extend(lost_pairs::<I>(&name, program, &entry, &reads, all));
        }
    }
    lost
}

/// Whether an obligation has a name, or one that goes on behind a colon; or is refused altogether.
fn is_among(name: &str, all: &[Attempt]) -> bool {
    all.iter().any(|attempt| match attempt.name.strip_prefix(name) {
        Some(rest) => rest.is_empty() || rest.starts_with(':'),
        None => {
            matches!(attempt.settled, Some(Verdict::NotApplicable { .. }))
                && name.starts_with(attempt.name.as_str())
        }
    })
}

/// Names with one option changed, for each of these options and of its choices.
fn changes<I: Isa>(name: &str, axes: u64) -> Vec<String> {
    let read = I::axes().iter().enumerate().filter(|(k, _)| axes >> k & 1 == 1);
    read.flat_map(|(_, a)| a.choices.iter().skip(1).map(move |choice| format!("{name} {}={choice}", a.name)))
        .collect()
}

/// What a program's words read: the fallback's, if they are asked for.
struct Reads {
    /// By word that lanes come to, and before the first.
    by: BTreeMap<Place, u64>,
    all: u64,
}

/// What the fallback's words read while they are lowered: nothing if the program has no meaning under these options.
fn lowering_reads<I: Isa>(cx: &Context<'_, I>) -> BTreeMap<Place, u64> {
    let mut by = BTreeMap::new();
    cx.options.take_read();
    let lowered = ir::lower_by_words(cx, |word| {
        let read = cx.options.take_read();
        by.entry(Place::Beginning).or_insert(read);
        by.insert(Place::Word(word), read);
    });
    if lowered.is_err() {
        by.clear();
    }
    by
}

/// `None` if the program has no meaning under these options.
fn reads<I: Isa>(program: &I::Program, entry: &Entry, options: &Options, words: bool) -> Option<Reads> {
    let cx: Context<'_, I> = Context { program, entry, options };
    let lowering = if words { lowering_reads(&cx) } else { BTreeMap::new() };
    if words && lowering.is_empty() {
        return None;
    }
    let of = |place: Place| lowering.get(&place).copied().unwrap_or(0);
    let (lowered, nodes) = ir::lower_with_nodes(&cx).ok()?;
    // Of words, what they read has been noted by word.
    let read = options.take_read();
    let mut all = if words { 0 } else { read };
    let mut by = BTreeMap::from([(Place::Beginning, of(Place::Beginning))]);
    let env = Environment::default();
    let lanes = usize::from(lowered.group.max(1));
    let types: Map<VarKey, Ty> = lowered.vars.iter().map(|var| (var.key, var.ty)).collect();
    // A rule is a few nodes; in a program one opcode is at many.
    let numbers = if nodes.len() < NUMBERS.len() * 3 { NUMBERS.len() } else { 1 };
    for (_, config) in &nodes {
        for number in &NUMBERS[..numbers] {
            let mut host = Bound::<false>::new(&env, 0);
            // Whatever type a register is of, it gets the number.
            let lane: I::Lane<Concrete> = I::refine(&Concrete, &cx, config, &mut |key| {
                Scalar::literal(&Concrete, types.get(&key).copied().unwrap_or(Ty::F32), number.to_bits())
            });
            let mut group = vec![Running { lane, fuel: 1, end: None }; lanes];
            isa::run::step(&mut Concrete, &mut host, &cx, &mut group);
        }
        let place = Place::Word(I::config_word(config));
        *by.entry(place).or_default() |= options.take_read() | of(place);
    }
    all |= by.values().fold(0, |all, read| all | read);
    Some(Reads { by, all })
}

/// Settings of two options that something reads together and that meet in no obligation about it.
fn lost_pairs<I: Isa>(
    name: &str,
    program: &I::Program,
    entry: &Entry,
    defaults: &Reads,
    all: &[Attempt],
) -> Vec<Lost> {
    let mut meetings = Meetings::default();
    for (axis, a) in I::axes().iter().enumerate().filter(|(axis, _)| defaults.all >> axis & 1 == 1) {
        for choice in 1..a.choices.len() as u8 {
            let mut options = Options::new(I::axes());
            options.set(axis, choice);
            let cx: Context<'_, I> = Context { program, entry, options: &options };
            if I::validate(&cx).iter().any(|v| v.level == Level::Error) {
                continue;
            }
            for (place, read) in lowering_reads(&cx) {
                if defaults.by.get(&place).is_some_and(|read| read >> axis & 1 == 1) {
                    meetings.read::<I>(place, (axis, choice), read);
                }
            }
        }
    }
    let made = made::<I>(name, all);
    let is_made = |place: Place, pair: Pair| {
        made.get(&place.to_string()).is_some_and(|all| all.iter().any(|o| meet(o.choices(), pair)))
    };
    let opcodes = opcodes::<I>(program);
    let every = || meetings.iter().flat_map(|(place, pairs)| pairs.iter().map(move |pair| (place, *pair)));
    let pairs: BTreeSet<Pair> = every().map(|(_, pair)| pair).collect();
    // Once for each opcode is enough, wherever in the program it is.
    let met: BTreeSet<(&str, Pair)> = defaults
        .by
        .keys()
        .flat_map(|place| pairs.iter().map(move |pair| (*place, *pair)))
        .filter(|(place, pair)| is_made(*place, *pair))
        .flat_map(|(place, pair)| opcodes(place).into_iter().map(move |opcode| (opcode, pair)))
        .collect();
    let is_lost = |place: Place, pair: Pair| {
        let opcodes = opcodes(place);
        !is_made(place, pair) && (opcodes.is_empty() || opcodes.iter().any(|o| !met.contains(&(*o, pair))))
    };
    let reason = "these choices are read together, and meet in no obligation";
    let lost = every().filter(|(place, pair)| is_lost(*place, *pair));
    lost.map(|(place, pair)| Lost { name: format!("{name}{}: {place}", text::<I>(pair)), reason }).collect()
}

fn text<I: Isa>((first, second): Pair) -> String {
    let one = |(axis, choice): Choice| {
        let axis = &I::axes()[axis];
        format!(" {}={}", axis.name, axis.choices[usize::from(choice)])
    };
    one(first) + &one(second)
}

/// The settings of the obligations about a program from one of its entries, by what they are about.
fn made<I: Isa>(name: &str, all: &[Attempt]) -> BTreeMap<String, Vec<Options>> {
    let mut made: BTreeMap<String, Vec<Options>> = BTreeMap::new();
    for attempt in all {
        let rest = attempt.name.strip_prefix(name).and_then(|rest| rest.split_once(": "));
        let Some((setting, place)) = rest else { continue };
        let mut options = Options::new(I::axes());
        let mut parts = setting.split_whitespace().map(|part| part.split_once('='));
        if parts.all(|part| part.is_some_and(|(axis, choice)| options.set_named(axis, choice).is_ok())) {
            made.entry(place.to_owned()).or_default().push(options);
        }
    }
    made
}
