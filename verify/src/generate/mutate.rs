//! Mutation and crossover of cases, for fuzzers that understand what they mutate.
//!
//! Seven mutations in ten change the program by an [`lockstep_core::isa::Edit`] or by splicing in part of a fresh one, two change the
//! environment, one changes raw bytes.

use super::value::{Spice, value};
use super::{Entropy, Generate, Wish, environment};
use crate::case::Case;
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::{Context, Edit, Isa, Level};
use lockstep_core::with_isa;

/// Mutated cases have programs of at most this many bytes, unless the original was longer.
const LONGEST: usize = 16 << 10;

/// Edits tried for one mutation.
const ATTEMPTS: usize = 8;

/// A case a little different from this one. Whatever the case holds, the result is a case of the same instruction set.
pub fn mutate(case: &Case, e: &mut Entropy<'_>) -> Case {
    with_isa!(case.isa, I => {
        match e.weighted(&[70, 20, 10]) {
            0 => mutate_program::<I>(case, e).unwrap_or_else(|| mutate_bytes(case, e)),
            1 => mutate_environment::<I>(case, e),
            _ => mutate_bytes(case, e),
        }
    })
}

/// A case with parts of both; `None` if they do not go together.
pub fn crossover(a: &Case, b: &Case, e: &mut Entropy<'_>) -> Option<Case> {
    if a.isa != b.isa {
        return None;
    }
    with_isa!(a.isa, I => {
        let (left, right) = (I::decode(&a.bytes).ok()?, I::decode(&b.bytes).ok()?);
        let mut case = a.with_program::<I>(&<I as Generate>::splice(e, &left, &right)?);
        fill::<I>(&mut case, e);
        Some(case)
    })
}

/// The case around a changed program, or `None` where the program cannot be decoded or nothing fits.
fn mutate_program<I: Generate>(case: &Case, e: &mut Entropy<'_>) -> Option<Case> {
    let mut program = I::decode(&case.bytes).ok()?;
    let mut changed = false;
    // Mutants are mostly there to be run: what was legal is kept so, three times out of four.
    let keep = is_legal::<I>(case, &program) && !e.chance(25);
    let mut wanted = e.between(1, 3);
    for _ in 0..ATTEMPTS {
        if wanted == 0 {
            break;
        }
        if I::encode(&program).len() > LONGEST.max(case.bytes.len()) {
            break;
        }
        if e.chance(15) {
            let entry = case.entry::<I>(&program).ok();
            let wish = Wish {
                stage: entry.as_ref().map(|entry| entry.stage),
                version: entry.map(|entry| entry.version),
                size: Some(4),
                ..Wish::default()
            };
            let fresh = I::program(e, &wish);
            let (a, b) = if e.chance(50) { (&program, &fresh) } else { (&fresh, &program) };
            if let Some(spliced) = I::splice(e, a, b)
                && (!keep || is_legal::<I>(case, &spliced))
            {
                program = spliced;
                changed = true;
                wanted -= 1;
                continue;
            }
        }
        let edits = I::edits(&program);
        let edited = match e.pick(&edits)? {
            // A field that can be made simpler can also be made anything else.
            Edit::Field { at, field, .. } if e.chance(60) => {
                let value = if e.chance(50) { e.below(16) as u64 } else { e.bits() };
                with_field::<I>(&program, *at, *field, value)
            }
            edit => I::apply(&program, edit),
        };
        if let Some(edited) = edited
            && (!keep || is_legal::<I>(case, &edited))
        {
            program = edited;
            changed = true;
            wanted -= 1;
        }
    }
    let mut case = changed.then(|| case.with_program::<I>(&program))?;
    fill::<I>(&mut case, e);
    Some(case)
}

/// The program with a field changed to so many of a value's lowest bits as fit it: the widths that fields have are tried, the widest first.
fn with_field<I: Isa>(program: &I::Program, at: u32, field: u16, value: u64) -> Option<I::Program> {
    let fields = I::layouts().iter().flat_map(|layout| layout.fields);
    let widths = fields.fold(1u128 << u64::BITS, |widths, field| widths | 1 << field.width);
    let mut tried = None;
    (1..=u64::BITS).rev().filter(|width| widths >> width & 1 == 1).find_map(|width| {
        let value = value & (u64::MAX >> (u64::BITS - width));
        let is_new = tried.replace(value) != Some(value);
        is_new.then(|| I::apply(program, &Edit::Field { at, field, value })).flatten()
    })
}

/// Whether a program has no error-level violation, entered and read as the case says.
fn is_legal<I: Isa>(case: &Case, program: &I::Program) -> bool {
    let (Ok(entry), Ok(options)) = (case.entry::<I>(program), case.options::<I>()) else { return false };
    let violations = I::validate(&Context { program, entry: &entry, options: &options });
    violations.iter().all(|violation| violation.level < Level::Error)
}

/// An environment for the case's own program, entry and choices, if it has them.
fn surroundings<I: Generate>(case: &Case, e: &mut Entropy<'_>) -> Option<Environment> {
    let resolved = case.resolve::<I>().ok()?;
    Some(environment(&mut e.fork(), &resolved.entry.interface, &I::needs(&resolved.context())))
}

/// Gives the environment what the program may have come to read and is not there yet.
fn fill<I: Generate>(case: &mut Case, e: &mut Entropy<'_>) {
    let Some(fresh) = surroundings::<I>(case, e) else { return };
    let Environment { constants, ints, bools, textures, buffers, lanes, .. } = fresh;
    extend(&mut case.env.constants, constants);
    extend(&mut case.env.ints, ints);
    extend(&mut case.env.bools, bools);
    extend(&mut case.env.textures, textures);
    for (n, new) in buffers.into_iter().enumerate() {
        match case.env.buffers.get_mut(n) {
            Some(old) => extend(&mut old.words, new.words),
            None => case.env.buffers.push(new),
        }
    }
    for (old, new) in case.env.lanes.iter_mut().zip(lanes) {
        extend(&mut old.slots, new.slots);
    }
}

/// Adds the end of `new` that `old` does not reach.
fn extend<T>(old: &mut Vec<T>, new: Vec<T>) {
    let there = old.len();
    old.extend(new.into_iter().skip(there));
}

fn mutate_environment<I: Generate>(case: &Case, e: &mut Entropy<'_>) -> Case {
    let mut case = case.clone();
    for _ in 0..e.between(1, 4) {
        let env = &mut case.env;
        let spice = if e.chance(50) { Spice::Full } else { Spice::None };
        match e.weighted(&[38, 28, 10, 5, 5, 10, 4]) {
            0 => {
                let lane = e.below(env.lanes.len());
                if let Some(LaneInput { slots }) = env.lanes.get_mut(lane) {
                    change(e, slots, spice);
                }
            }
            1 => change(e, &mut env.constants, spice),
            2 => {
                let (from, to) = (e.below(env.lanes.len()), e.below(env.lanes.len()));
                if let Some(lane) = env.lanes.get(from).cloned() {
                    env.lanes[to] = lane;
                }
            }
            3 => {
                let at = e.below(env.ints.len());
                let (component, value) = (e.below(4), e.bits() as i32);
                if let Some(ints) = env.ints.get_mut(at) {
                    ints[component] = if e.chance(50) { value & 7 } else { value };
                }
            }
            4 => {
                let at = e.below(env.bools.len());
                if let Some(bool) = env.bools.get_mut(at) {
                    *bool = !*bool;
                }
            }
            6 => {
                let at = e.below(env.buffers.len());
                if let Some(buffer) = env.buffers.get_mut(at) {
                    let word = e.below(buffer.words.len());
                    let bits = if e.chance(50) { value(e, spice).to_bits() } else { e.bits() as u32 };
                    if let Some(word) = buffer.words.get_mut(word) {
                        *word = bits;
                    }
                }
            }
            _ => {
                if let Some(fresh) = surroundings::<I>(&case, e) {
                    match e.weighted(&[40, 10, 50]) {
                        0 => case.env.textures = fresh.textures,
                        1 => case.env.buffers = fresh.buffers,
                        _ => case.env = fresh,
                    }
                }
            }
        }
    }
    case
}

/// Gives one component of one vector another value, or the whole vector one value.
fn change(e: &mut Entropy<'_>, vectors: &mut [[f32; 4]], spice: Spice) {
    let at = e.below(vectors.len());
    let new = value(e, spice);
    if let Some(vector) = vectors.get_mut(at) {
        if e.chance(10) { *vector = [new; 4] } else { vector[e.below(4)] = new }
    }
}

/// Bits turned, bytes set, runs removed or doubled.
fn mutate_bytes(case: &Case, e: &mut Entropy<'_>) -> Case {
    let mut bytes = case.bytes.clone();
    for _ in 0..e.between(1, 4) {
        if bytes.is_empty() {
            bytes.extend(e.bytes(32));
            continue;
        }
        let at = e.below(bytes.len());
        match e.weighted(&[45, 25, 15, 15]) {
            0 => bytes[at] ^= 1 << e.below(8),
            1 => bytes[at] = e.bits() as u8,
            2 => {
                let end = (at + e.between(1, 24)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + e.between(1, 24)).min(bytes.len());
                if bytes.len() < LONGEST {
                    let run = bytes[at..end].to_vec();
                    bytes.splice(at..at, run);
                }
            }
        }
    }
    Case { bytes, ..case.clone() }
}
