//! The fallback, word by word: one obligation for each word that lanes come to and each setting of the options that it reads, and one for
//! the beginning.

use super::fallback::Fallback;
use super::lowering::setting_name;
use super::programs::single_changes;
use super::registers::Registers;
use super::{Attempt, Attempting, Fate, Kind, Named, Task, entries, expected, fate, refused};
use crate::claims::Claiming;
use crate::mutate::{Mutation, beginning, drops_in};
use crate::term::Terms;
use lockstep_core::ir::{self, Nodes};
use lockstep_core::isa::{Context, Entry, Isa, Level, Options};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Mutants of the beginning under default options.
const BEGINNINGS: usize = 12;

pub(super) fn tasks<I: Isa>(programs: &[Named]) -> Vec<Task> {
    programs
        .iter()
        .map(|(name, bytes)| {
            let name = format!("{} {} {name}", I::ID, Kind::Fallback.name());
            let bytes = Arc::new(bytes.clone());
            let (again, its_bytes) = (name.clone(), Arc::clone(&bytes));
            Task::new(name.clone(), move |boundaries| attempts::<I>(&name, &bytes, boundaries)).expecting(
                Kind::Fallback,
                move || {
                    I::decode(&its_bytes)
                        .map(|program| expected::changes::<I>(&again, &program, true))
                        .unwrap_or_default()
                },
            )
        })
        .collect()
}

fn attempts<I: Isa>(name: &str, bytes: &[u8], boundaries: &[u32]) -> Vec<Attempt> {
    let program = match I::decode(bytes) {
        Ok(program) => program,
        Err(error) => return vec![refused(Kind::Fallback, name.to_owned(), &error)],
    };
    let mut all = Vec::new();
    for (entry, number) in entries::<I>(&program) {
        of_entry::<I>(&format!("{name}{number}"), &program, &entry, boundaries, &mut all);
    }
    all
}

/// A program lowered both ways, with the options that each word read meanwhile.
struct Lowered<C> {
    fallback: ir::Program,
    nodes: (ir::Program, Nodes<C>),
    reads: BTreeMap<u32, u64>,
}

fn lower<I: Isa>(cx: &Context<'_, I>) -> Result<Lowered<I::Config>, String> {
    if let Some(violation) = I::validate(cx).into_iter().find(|v| v.level == Level::Error) {
        return Err(violation.to_string());
    }
    let nodes = ir::lower_with_nodes(cx).map_err(|error| error.to_string())?;
    let mut reads = BTreeMap::new();
    cx.options.take_read();
    let fallback = ir::lower_by_words(cx, |word| _ = reads.insert(word, cx.options.take_read()));
    Ok(Lowered { fallback: fallback.map_err(|error| error.to_string())?, nodes, reads })
}

fn of_entry<I: Isa>(
    name: &str,
    program: &I::Program,
    entry: &Entry,
    boundaries: &[u32],
    all: &mut Vec<Attempt>,
) {
    let options = Options::new(I::axes());
    let cx: Context<'_, I> = Context { program, entry, options: &options };
    let mut lowered = match lower(&cx) {
        Ok(lowered) => lowered,
        Err(reason) => return all.push(refused(Kind::Fallback, name.to_owned(), &reason)),
    };
    let (d, mut registers) = (Terms::default(), Registers::new(entry));
    let Some(mut simulation) = Fallback::new(&d, cx, &lowered.fallback, &lowered.nodes, &mut registers)
    else {
        return all.push(refused(Kind::Fallback, name.to_owned(), &"no block dispatches"));
    };
    // What is read before the first word is read for the beginning.
    let mut beginning = lowered.reads.values().next().copied().unwrap_or(0);
    options.take_read();
    all.push(start(
        &mut simulation,
        &d,
        &lowered.fallback,
        format!("{name}: beginning"),
        BEGINNINGS,
        boundaries,
    ));
    beginning |= options.take_read();
    for word in simulation.words() {
        let name = named(name, word);
        let span = Attempting::begin(Kind::Fallback, &name);
        let mut attempt = one(&mut simulation, &d, &lowered.fallback, word, name);
        *lowered.reads.entry(word).or_default() |= options.take_read();
        attempt.mutants = mutants(&mut simulation, &d, &lowered.fallback, word, boundaries);
        options.take_read();
        all.push(span.end(attempt));
    }
    let invariant = simulation.into_invariant();
    let every = lowered.reads.values().fold(beginning, |all, one| all | one);
    for other in single_changes::<I>(every) {
        let changed = (0..I::axes().len())
            .filter(|axis| other.peek(*axis) != 0)
            .fold(0, |all, axis| all | 1u64 << axis);
        let cx: Context<'_, I> = Context { program, entry, options: &other };
        let setting = format!("{name}{}", setting_name(&other));
        let lowered_so = match lower(&cx) {
            Ok(lowered) => lowered,
            Err(reason) => {
                all.push(refused(Kind::Fallback, setting, &reason));
                continue;
            }
        };
        let Some(mut so) = Fallback::new(&d, cx, &lowered_so.fallback, &lowered_so.nodes, &mut registers)
        else {
            all.push(refused(Kind::Fallback, setting, &"no block dispatches"));
            continue;
        };
        if beginning & changed != 0 {
            let name = format!("{setting}: beginning");
            all.push(start(&mut so, &d, &lowered_so.fallback, name, 1, boundaries));
        }
        // A word that reads nothing of what has changed is the same word, unless lanes can come to it in other control states.
        let alike = *so.invariant() == invariant;
        for word in so.words() {
            let read = lowered.reads.get(&word).copied().unwrap_or(0);
            if !alike || read & changed != 0 {
                all.push(with_drop(
                    &mut so,
                    &d,
                    &lowered_so.fallback,
                    word,
                    named(&setting, word),
                    boundaries,
                ));
            }
        }
    }
}

/// The name of a word's obligation.
fn named(name: &str, word: u32) -> String {
    format!("{name}: word {word}")
}

fn start<I: Isa>(
    simulation: &mut Fallback<'_, '_, '_, I>,
    d: &Terms,
    program: &ir::Program,
    name: String,
    mutants: usize,
    boundaries: &[u32],
) -> Attempt {
    let span = Attempting::begin(Kind::Fallback, &name);
    let mut claims = Claiming::default();
    simulation.start(d, program, &mut claims);
    let mut attempt = Attempt::new(Kind::Fallback, name, claims.claims(d));
    // The number of the first word, which every one has, and others between.
    let first = simulation.counter();
    let apart = program.vars.len().div_ceil(mutants.max(1)).max(1);
    let others = (0..program.vars.len()).step_by(apart).skip(1).filter(|n| *n != first);
    for mutation in std::iter::once(first).chain(others).filter_map(|n| beginning(program, n)) {
        let mut claims = Claiming::default();
        simulation.start(d, &mutation.apply(program), &mut claims);
        attempt.mutants.push((mutation.name, fate(claims.claims(d), false, boundaries)));
    }
    span.end(attempt)
}

fn one<I: Isa>(
    simulation: &mut Fallback<'_, '_, '_, I>,
    d: &Terms,
    program: &ir::Program,
    word: u32,
    name: String,
) -> Attempt {
    let mut claims = Claiming::default();
    simulation.word(d, program, word, &mut claims);
    Attempt::new(Kind::Fallback, name, claims.claims(d))
}

/// What comes of mutants of a word, up to the first that is noticed: one of its writes is dropped, in each word another one; the write that
/// says where control goes is dropped; another word runs in its place. What numbers do not decide is left to the solver only if nothing is
/// noticed.
fn mutants<I: Isa>(
    simulation: &mut Fallback<'_, '_, '_, I>,
    d: &Terms,
    program: &ir::Program,
    word: u32,
    boundaries: &[u32],
) -> Vec<(String, Fate)> {
    let Some(block) = simulation.block_of(program, word) else { return Vec::new() };
    let drops: Vec<Mutation> = drops_in(program, block).collect();
    let some = (word as usize * 7).checked_rem(drops.len()).and_then(|k| drops.get(k));
    // A mutant is a whole program, which is made when its turn comes.
    let all = some.into_iter().chain(drops.last()).map(Some).chain([None]);
    let mut tried: Vec<(String, Fate)> = Vec::new();
    for mutation in all {
        let (name, mutant) = match mutation {
            Some(mutation) if tried.iter().any(|(other, _)| *other == mutation.name) => continue,
            Some(mutation) => (mutation.name.clone(), mutation.apply(program)),
            None => simulation.elsewhere(program, word),
        };
        let mut claims = Claiming::default();
        simulation.mutant(d, &mutant, word, &mut claims);
        let fate = fate(claims.claims(d), false, boundaries);
        let fate = mutation.into_iter().fold(fate, |fate, mutation| fate.of(mutation, program));
        let refuted = matches!(fate, Fate::Refuted);
        tried.push((name, fate));
        if refuted {
            tried.retain(|(_, fate)| !matches!(fate, Fate::Open(_)));
            break;
        }
    }
    tried
}

/// A word under other options, with a dropped write of it that is missed; where none is found, with what comes of its mutants.
fn with_drop<I: Isa>(
    simulation: &mut Fallback<'_, '_, '_, I>,
    d: &Terms,
    program: &ir::Program,
    word: u32,
    name: String,
    boundaries: &[u32],
) -> Attempt {
    let span = Attempting::begin(Kind::Fallback, &name);
    let mut claims = Claiming::default();
    let missed = simulation.word_and_drop(d, program, word, &mut claims);
    let mut attempt = Attempt::new(Kind::Fallback, name, claims.claims(d));
    attempt.mutants = match missed {
        Some(mutant) => vec![(mutant, Fate::Refuted)],
        None => mutants(simulation, d, program, word, boundaries),
    };
    span.end(attempt)
}
