//! Mutation and crossover of cases, for structure-aware fuzzing.
//!
//! Seven mutations in ten change the program by an [`lockstep_core::isa::Edit`] or by splicing in part of a new program, two change
//! the environment, one changes raw bytes.

use super::environment::lacks;
use super::value::{Extremes, value};
use super::{Entropy, Generate, ProgramRequest, environment};
use crate::case::Case;
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::{Context, Edit, Edits, Entry, Isa, Level, Options, Tables};
use lockstep_core::with_isa;

/// A program of more than this many bytes, and larger than the original, is not changed further. The last change may exceed the limit.
const MAX_PROGRAM_SIZE: usize = 16 << 10;

/// The maximum number of changes tried for one mutation.
const ATTEMPTS: usize = 8;

/// The maximum number of edits drawn until one applies. In some programs hardly any edit applies.
const DRAWS: usize = 256;

/// A case with cached facts about its program, so that they need not be computed again.
pub struct Mutant<I: Isa> {
    /// The case.
    pub case: Case,
    /// The case's program, if it has been decoded successfully.
    pub program: Option<I::Program>,
    /// How the program runs, if that has been determined.
    pub runs: Option<Runs>,
}

/// How a case runs its program: the entry, the options, and whether the program is legal.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The entry of the case.
    pub entry: Entry,
    /// The options of the case.
    pub options: Options,
    /// Whether no rule at error level is violated.
    pub is_legal: bool,
}

impl Runs {
    /// Determines how a case runs a program; `None` if the entry or an option does not exist.
    fn of<I: Isa>(case: &Case, program: &I::Program) -> Option<Runs> {
        Runs::with::<I>(case, program, case.options::<I>().ok()?)
    }

    fn with<I: Isa>(case: &Case, program: &I::Program, options: Options) -> Option<Runs> {
        let entry = case.entry::<I>(program).ok()?;
        let violations = I::validate(&Context { program, entry: &entry, options: &options });
        let is_legal = violations.iter().all(|violation| violation.level < Level::Error);
        Some(Runs { entry, options, is_legal })
    }
}

impl<I: Isa> Mutant<I> {
    /// Returns a mutant for a case, with its program if it decodes.
    pub fn decoded(case: Case) -> Mutant<I> {
        let program = I::decode(&case.bytes).ok();
        Mutant { case, program, runs: None }
    }

    /// Whether the program can be run: it decodes, entry and options exist, and no rule at error level is violated.
    pub fn is_legal(&mut self) -> bool {
        if self.program.is_none() {
            self.program = I::decode(&self.case.bytes).ok();
        }
        if self.runs.is_none() {
            self.runs = self.program.as_ref().and_then(|program| Runs::of::<I>(&self.case, program));
        }
        self.runs.as_ref().is_some_and(|runs| runs.is_legal)
    }
}

/// Returns a case that differs slightly from this one. Whatever the case contains, the result is a case of the same instruction set.
pub fn mutate(case: &Case, e: &mut Entropy<'_>) -> Case {
    with_isa!(case.isa, I => {
        child::<I>(&mut Mutant::decoded(case.clone()), e).case
    })
}

/// Mutates a case as [`mutate`] does, but reuses the cached facts about the parent's program and returns those about the mutant's.
pub fn child<I: Generate>(parent: &mut Mutant<I>, e: &mut Entropy<'_>) -> Mutant<I> {
    match e.weighted(&[70, 20, 10]) {
        0 => {
            let changed = mutate_program(parent, e);
            changed.unwrap_or_else(|| from_bytes(mutate_bytes(&parent.case, e)))
        }
        1 => Mutant {
            case: mutate_environment::<I>(&parent.case, e),
            program: parent.program.clone(),
            runs: parent.runs.clone(),
        },
        _ => from_bytes(mutate_bytes(&parent.case, e)),
    }
}

fn from_bytes<I: Isa>(case: Case) -> Mutant<I> {
    Mutant { case, program: None, runs: None }
}

/// Returns a case with parts of both cases; `None` if they cannot be combined.
pub fn crossover(a: &Case, b: &Case, e: &mut Entropy<'_>) -> Option<Case> {
    if a.isa != b.isa {
        return None;
    }
    with_isa!(a.isa, I => {
        let (left, right) = (I::decode(&a.bytes).ok()?, I::decode(&b.bytes).ok()?);
        let program = <I as Generate>::splice(e, &left, &right)?;
        let mut case = a.with_program::<I>(&program);
        if let (Ok(entry), Ok(options)) = (case.entry::<I>(&program), case.options::<I>()) {
            fill::<I>(&mut case, &program, &entry, &options, e);
        }
        Some(case)
    })
}

/// Returns the case with a changed program; `None` if the program does not decode, no edit applies or no change was accepted.
fn mutate_program<I: Generate>(parent: &mut Mutant<I>, e: &mut Entropy<'_>) -> Option<Mutant<I>> {
    let is_legal = parent.is_legal();
    let Mutant { case, program, runs } = parent;
    let mut program = program.clone()?;
    let options = case.options::<I>().ok();
    let mut changed = false;
    // Mutants should mostly be runnable, so legal programs are kept legal three times out of four.
    let keep = is_legal && !e.chance(25);
    // How the current program runs, if known.
    let mut runs = runs.clone();
    // Returns how an edited program runs; `None` if it must be legal and is not.
    let accepted = |edited: &I::Program| match &options {
        Some(options) if keep => {
            let runs = Runs::with::<I>(case, edited, options.clone());
            runs.filter(|runs| runs.is_legal).map(Some)
        }
        _ => Some(None),
    };
    let mut wanted = e.between(1, 3);
    for _ in 0..ATTEMPTS {
        if wanted == 0 {
            break;
        }
        if changed && I::encode(&program).len() > MAX_PROGRAM_SIZE.max(case.bytes.len()) {
            break;
        }
        if e.chance(15) {
            let entry = runs.as_ref().map(|runs| runs.entry.clone());
            let entry = entry.or_else(|| case.entry::<I>(&program).ok());
            let request = ProgramRequest {
                stage: entry.as_ref().map(|entry| entry.stage),
                version: entry.map(|entry| entry.version),
                size: Some(4),
                ..ProgramRequest::default()
            };
            let fresh = I::program(e, &request);
            let (a, b) = if e.chance(50) { (&program, &fresh) } else { (&fresh, &program) };
            if let Some(spliced) = I::splice(e, a, b)
                && let Some(now) = accepted(&spliced)
            {
                (program, runs) = (spliced, now);
                changed = true;
                wanted -= 1;
                continue;
            }
        }
        let (edit, edited) = any_edit::<I>(&program, e)?;
        let edited = match edit {
            // A field that has a simplifying edit can also be given any other value.
            Edit::Field { at, field, .. } if e.chance(60) => {
                let value = if e.chance(50) { e.below(16) as u64 } else { e.bits() };
                with_field::<I>(&program, at, field, value)
            }
            _ => Some(edited),
        };
        if let Some(edited) = edited
            && let Some(now) = accepted(&edited)
        {
            (program, runs) = (edited, now);
            changed = true;
            wanted -= 1;
        }
    }
    let mut case = changed.then(|| case.with_program::<I>(&program))?;
    match &runs {
        Some(runs) => fill::<I>(&mut case, &program, &runs.entry, &runs.options, e),
        None => {
            if let (Ok(entry), Some(options)) = (case.entry::<I>(&program), &options) {
                fill::<I>(&mut case, &program, &entry, options, e);
            }
        }
    }
    Some(Mutant { case, program: Some(program), runs })
}

/// Returns an applicable edit, and the edited program. Each applicable edit of [`Edits::edits`] is equally likely. `None` if no applicable edit was
/// found.
pub fn any_edit<I: Edits>(program: &I::Program, e: &mut Entropy<'_>) -> Option<(Edit, I::Program)> {
    let count = I::edit_count(program);
    (0..DRAWS).find_map(|_| {
        let edit = I::edit_at(program, e.below(count))?;
        Some((edit, I::apply(program, &edit)?))
    })
}

/// Sets a field to the low bits of a value. Tries the widths of all fields in the set's layouts, and 64 bits, the widest first.
fn with_field<I: Tables + Edits>(
    program: &I::Program,
    at: u32,
    field: u16,
    value: u64,
) -> Option<I::Program> {
    let fields = I::layouts().iter().flat_map(|layout| layout.fields);
    let widths = fields.fold(1u128 << u64::BITS, |widths, field| widths | 1 << field.width);
    let mut tried = None;
    (1..=u64::BITS).rev().filter(|width| widths >> width & 1 == 1).find_map(|width| {
        let value = value & (u64::MAX >> (u64::BITS - width));
        let is_new = tried.replace(value) != Some(value);
        is_new.then(|| I::apply(program, &Edit::Field { at, field, value })).flatten()
    })
}

/// Generates an environment for the case's own program, entry and options; `None` if the case does not resolve.
fn generate_environment<I: Generate>(case: &Case, e: &mut Entropy<'_>) -> Option<Environment> {
    let resolved = case.resolve::<I>().ok()?;
    Some(environment(&mut e.fork(), &resolved.entry.interface, &I::needs(&resolved.context())))
}

/// Adds to the environment the resources that the case's program may read and the environment lacks.
fn fill<I: Generate>(
    case: &mut Case,
    program: &I::Program,
    entry: &Entry,
    options: &Options,
    e: &mut Entropy<'_>,
) {
    let needs = I::needs(&Context { program, entry, options });
    if !lacks(&case.env, &entry.interface, &needs) {
        return;
    }
    let fresh = environment(&mut e.fork(), &entry.interface, &needs);
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

/// Appends the elements of `new` whose index is at least the length of `old`.
fn extend<T>(old: &mut Vec<T>, new: Vec<T>) {
    let there = old.len();
    old.extend(new.into_iter().skip(there));
}

fn mutate_environment<I: Generate>(case: &Case, e: &mut Entropy<'_>) -> Case {
    let mut case = case.clone();
    for _ in 0..e.between(1, 4) {
        let env = &mut case.env;
        let extremes = if e.chance(50) { Extremes::Full } else { Extremes::None };
        match e.weighted(&[38, 28, 10, 5, 5, 10, 4]) {
            0 => {
                let lane = e.below(env.lanes.len());
                if let Some(LaneInput { slots }) = env.lanes.get_mut(lane) {
                    change(e, slots, extremes);
                }
            }
            1 => change(e, &mut env.constants, extremes),
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
                    let bits = if e.chance(50) { value(e, extremes).to_bits() } else { e.bits() as u32 };
                    if let Some(word) = buffer.words.get_mut(word) {
                        *word = bits;
                    }
                }
            }
            _ => {
                if let Some(fresh) = generate_environment::<I>(&case, e) {
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

/// Sets one component of one vector to another value, or the whole vector to one value.
fn change(e: &mut Entropy<'_>, vectors: &mut [[f32; 4]], extremes: Extremes) {
    let at = e.below(vectors.len());
    let new = value(e, extremes);
    if let Some(vector) = vectors.get_mut(at) {
        if e.chance(10) { *vector = [new; 4] } else { vector[e.below(4)] = new }
    }
}

/// Makes one to four changes: flips a bit, sets a byte, or removes or duplicates a run of up to 24 bytes.
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
                if bytes.len() < MAX_PROGRAM_SIZE {
                    let run = bytes[at..end].to_vec();
                    bytes.splice(at..at, run);
                }
            }
        }
    }
    Case { bytes, ..case.clone() }
}
