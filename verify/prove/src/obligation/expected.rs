//! Determines the option settings that require obligations, independently of the code that makes the obligations. Every choice is required of every
//! option that the lowering of a program reads, or that the reference reads when it runs the program on concrete values. For the fallback, two
//! choices of different options are also required together if the lowering of some word reads both options. One word of each opcode suffices for
//! such a pair.

use super::pairs::{Choice, Pair, PairsToCover, contains_pair, opcodes};
use super::words::ProgramPoint;
use super::{Obligation, entries};
use crate::report::is_part_of;
use crate::term::Map;
use crate::verdict::Verdict;
use lockstep_core::host::{ConcreteHost, Environment};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{Ty, VarKey};
use lockstep_core::isa::lowering;
use lockstep_core::isa::{
    self, Context, Entry, Isa, LaneState, Level, Lowering, Options, Refinement, Tables,
};
use lockstep_core::value::Concrete;
use std::collections::{BTreeMap, BTreeSet};

/// The values of registers when the reference is run.
const NUMBERS: [f32; 3] = [1.5, 0.0, f32::NEG_INFINITY];

/// A missing obligation.
pub(super) struct MissingObligation {
    /// The name that the obligation would have.
    pub name: String,
    /// Why the obligation is required.
    pub reason: &'static str,
}

/// Returns the expected obligations that are not in `all`. For each entry of a program, an obligation is expected for each setting in which one
/// option is changed. If `words` is true, the obligations are about the words of the fallback, and settings with two changed options are expected,
/// too.
pub(super) fn missing_obligations<I: Isa>(
    name: &str,
    program: &I::Program,
    words: bool,
    all: &[Obligation],
) -> Vec<MissingObligation> {
    let mut lost = Vec::new();
    for (entry, number) in entries::<I>(program) {
        let name = format!("{name}{number}");
        let Some(reads) = reads::<I>(program, &entry, &Options::new(I::option_specs()), words) else {
            continue;
        };
        let changes = changed_names::<I>(&name, reads.all).into_iter().filter(|name| !is_among(name, all));
        let reason = "an option that is read has this setting, and no obligation covers it";
        lost.extend(changes.map(|name| MissingObligation { name, reason }));
        if words {
            lost.extend(missing_pairs::<I>(&name, program, &entry, &reads, all));
        }
    }
    lost
}

/// Whether an obligation has this name, possibly followed by a colon and more text, or was refused as a whole.
fn is_among(name: &str, all: &[Obligation]) -> bool {
    all.iter().any(|obligation| match obligation.name.strip_prefix(name) {
        Some(rest) => rest.is_empty() || rest.starts_with(':'),
        None => {
            matches!(obligation.settled, Some(Verdict::NotApplicable { .. }))
                && is_part_of(name, &obligation.name)
        }
    })
}

/// Returns the obligation names with one option changed, for each choice other than the default of each option in a bit set.
fn changed_names<I: Tables>(name: &str, option_set: u64) -> Vec<String> {
    let read = I::option_specs().iter().enumerate().filter(|(k, _)| option_set >> k & 1 == 1);
    read.flat_map(|(_, a)| a.choices.iter().skip(1).map(move |choice| format!("{name} {}={choice}", a.name)))
        .collect()
}

/// The options that a program reads; for the fallback, only the options that its words read.
struct Reads {
    /// The options by reachable word, and those read before the first word.
    by_point: BTreeMap<ProgramPoint, u64>,
    all: u64,
}

/// Returns the options that the lowering of each word of the fallback reads; empty if the program cannot be lowered under these options.
fn lowering_reads<I: Lowering>(cx: &Context<'_, I>) -> BTreeMap<ProgramPoint, u64> {
    let mut by = BTreeMap::new();
    cx.options.take_read();
    let lowered = lowering::lower_by_words(cx, |word| {
        let read = cx.options.take_read();
        by.entry(ProgramPoint::Initial).or_insert(read);
        by.insert(ProgramPoint::Word(word), read);
    });
    if lowered.is_err() {
        by.clear();
    }
    by
}

/// Returns the options that a program reads under `options`; `None` if the program cannot be lowered under them.
fn reads<I: Refinement>(
    program: &I::Program,
    entry: &Entry,
    options: &Options,
    words: bool,
) -> Option<Reads> {
    let cx: Context<'_, I> = Context { program, entry, options };
    let lowering = if words { lowering_reads(&cx) } else { BTreeMap::new() };
    if words && lowering.is_empty() {
        return None;
    }
    let of = |point: ProgramPoint| lowering.get(&point).copied().unwrap_or(0);
    let (lowered, nodes) = lowering::lower_with_nodes(&cx).ok()?;
    // The options read while lowering words have been recorded by word.
    let read = options.take_read();
    let mut all = if words { 0 } else { read };
    let mut by = BTreeMap::from([(ProgramPoint::Initial, of(ProgramPoint::Initial))]);
    let env = Environment::default();
    let lanes = usize::from(lowered.group.max(1));
    let types: Map<VarKey, Ty> = lowered.vars.iter().map(|var| (var.key, var.ty)).collect();
    // A rule instance has few nodes, but a whole program has many with the same opcode.
    let numbers = if nodes.len() < NUMBERS.len() * 3 { NUMBERS.len() } else { 1 };
    for (_, control) in &nodes {
        for number in &NUMBERS[..numbers] {
            let mut host = ConcreteHost::<false>::new(&env, 0);
            // A register of any type gets the bits of the number.
            let lane: I::Lane<Concrete> = I::refine(&Concrete, &cx, control, &mut |key| {
                Scalar::literal(&Concrete, types.get(&key).copied().unwrap_or(Ty::F32), number.to_bits())
            });
            let mut group = vec![LaneState { lane, fuel: 1, end: None }; lanes];
            isa::run::step(&mut Concrete, &mut host, &cx, &mut group);
        }
        let point = ProgramPoint::Word(I::control_word(control));
        *by.entry(point).or_default() |= options.take_read() | of(point);
    }
    all |= by.values().fold(0, |all, read| all | read);
    Some(Reads { by_point: by, all })
}

/// Returns pairs of choices that are read together at some point but occur together in no obligation about this point, nor about another one with the
/// same opcode.
fn missing_pairs<I: Isa>(
    name: &str,
    program: &I::Program,
    entry: &Entry,
    defaults: &Reads,
    all: &[Obligation],
) -> Vec<MissingObligation> {
    let mut pairs_to_cover = PairsToCover::default();
    for (option, a) in
        I::option_specs().iter().enumerate().filter(|(option, _)| defaults.all >> option & 1 == 1)
    {
        for choice in 1..a.choices.len() as u8 {
            let mut options = Options::new(I::option_specs());
            options.set(option, choice);
            let cx: Context<'_, I> = Context { program, entry, options: &options };
            if I::validate(&cx).iter().any(|v| v.level == Level::Error) {
                continue;
            }
            for (point, read) in lowering_reads(&cx) {
                if defaults.by_point.get(&point).is_some_and(|read| read >> option & 1 == 1) {
                    pairs_to_cover.record_read::<I>(point, (option, choice), read);
                }
            }
        }
    }
    let made = settings_by_point::<I>(name, all);
    let is_made = |point: ProgramPoint, pair: Pair| {
        made.get(&point.to_string()).is_some_and(|all| all.iter().any(|o| contains_pair(o.choices(), pair)))
    };
    let opcodes = opcodes::<I>(program);
    let every =
        || pairs_to_cover.iter().flat_map(|(point, pairs)| pairs.iter().map(move |pair| (point, *pair)));
    let pairs: BTreeSet<Pair> = every().map(|(_, pair)| pair).collect();
    // One obligation for each opcode is enough, at any point of the program.
    let met: BTreeSet<(&str, Pair)> = defaults
        .by_point
        .keys()
        .flat_map(|point| pairs.iter().map(move |pair| (*point, *pair)))
        .filter(|(point, pair)| is_made(*point, *pair))
        .flat_map(|(point, pair)| opcodes(point).into_iter().map(move |opcode| (opcode, pair)))
        .collect();
    let is_lost = |point: ProgramPoint, pair: Pair| {
        let opcodes = opcodes(point);
        !is_made(point, pair) && (opcodes.is_empty() || opcodes.iter().any(|o| !met.contains(&(*o, pair))))
    };
    let reason = "these choices are read together, and no obligation combines them";
    let lost = every().filter(|(point, pair)| is_lost(*point, *pair));
    lost.map(|(point, pair)| MissingObligation {
        name: format!("{name}{}: {point}", pair_name::<I>(pair)),
        reason,
    })
    .collect()
}

fn pair_name<I: Tables>((first, second): Pair) -> String {
    let one = |(option, choice): Choice| {
        let option = &I::option_specs()[option];
        format!(" {}={}", option.name, option.choices[usize::from(choice)])
    };
    one(first) + &one(second)
}

/// Returns the settings of the obligations about one entry of a program, by the point that they are about.
fn settings_by_point<I: Tables>(name: &str, all: &[Obligation]) -> BTreeMap<String, Vec<Options>> {
    let mut made: BTreeMap<String, Vec<Options>> = BTreeMap::new();
    for obligation in all {
        let rest = obligation.name.strip_prefix(name).and_then(|rest| rest.split_once(": "));
        let Some((setting, point)) = rest else { continue };
        let mut options = Options::new(I::option_specs());
        let mut parts = setting.split_whitespace().map(|part| part.split_once('='));
        if parts.all(|part| part.is_some_and(|(option, choice)| options.set_named(option, choice).is_ok())) {
            made.entry(point.to_owned()).or_default().push(options);
        }
    }
    made
}
