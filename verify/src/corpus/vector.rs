//! Vectors: a program, its inputs and the numbers that must come out, derived from documents.
//!
//! A vector is run on the reference and on the executor at every level of the machine and in both ways of lowering. Expected bits are
//! exact, or a range; NaN is NaN whatever its payload; `"any"` is not looked at. Where there are alternatives the lanes come to one of them as a whole.

use super::number::Number;
use crate::case::{Case, EntryRef, from_toml};
use crate::engine::{Executor, Outcome, Tier, reference, together};
use crate::oracle::caught;
use lockstep_core::host::{
    Buffer, Dimension, EffectRecord, Environment, LaneInput, SamplerState, Texels, Texture,
};
use lockstep_core::ir::Mode;
use lockstep_core::isa::{End, Entry, Isa, IsaId, lower};
use lockstep_core::text::count;
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Fuel for a vector's lanes: far more than a page of arithmetic can derive.
const FUEL: u32 = 4096;
/// Effects that a vector's lanes have room for.
const ROOM: u32 = 64;
/// Slots tried when a register's name is looked for.
const SLOTS: u16 = 64;

/// Why a file holds no vectors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VectorError {
    /// Not TOML, or not these keys; the message has line and column.
    #[error("{0}")]
    Form(String),
    /// Neither the file nor its path says which instruction set this is.
    #[error("which instruction set? Say so with `isa = \"NAME\"` at the head, or by the folder")]
    NoIsa,
    /// There is none in it.
    #[error("the file holds no vector")]
    Empty,
    /// A vector that is none; the line on which it begins.
    #[error("at line {line}: vector '{name}': {message}")]
    Vector {
        /// From 1.
        line: usize,
        /// Its name.
        name: String,
        /// What is wrong.
        message: String,
    },
}

/// A texture with given texels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextureForm {
    /// Shape.
    pub dimension: Dimension,
    /// Texels of level 0 along each axis.
    pub size: [u16; 3],
    /// Number of levels.
    pub levels: u8,
    /// Texels in the order of [`Texels::Explicit`].
    pub explicit: Vec<[Number; 4]>,
    /// Sampler state for instructions that bring none.
    #[serde(default)]
    pub state: SamplerState,
}

/// One lane of a vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorLane {
    /// Input registers by name.
    #[serde(default)]
    pub input: BTreeMap<String, [Number; 4]>,
    /// Expected output registers by name.
    #[serde(default)]
    pub output: BTreeMap<String, [Number; 4]>,
    /// The expected kill mark, if it matters.
    pub killed: Option<bool>,
    /// How the lane must end; finished, if nothing is said. What a lane that hangs or runs out of fuel leaves behind is not looked at.
    pub end: Option<End>,
    /// The expected effects, all of them in order, if they matter.
    pub effects: Option<Vec<VectorEffect>>,
}

/// An expected effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorEffect {
    /// Where it goes, as [`Isa::effect_name`] says it.
    pub name: String,
    /// What goes there; `"any"` where the effect has no component.
    pub values: [Number; 4],
}

/// A buffer with given words: each the bits of a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferForm {
    /// Words from address 0 up.
    pub words: Vec<Number>,
}

/// A vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// Name, unique in its file.
    pub name: String,
    /// Section of the document it rests on.
    pub source: String,
    /// The arithmetic; may be left out of what a device was seen to do.
    #[serde(default)]
    pub derivation: String,
    /// What was seen to do this: a console, a card with its driver, a program with its version.
    pub device: Option<String>,
    /// When, as YYYY-MM-DD.
    pub date: Option<String>,
    /// Assembly text.
    pub program: String,
    /// Choices that are not the default.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Constants by slot.
    #[serde(default)]
    pub constants: BTreeMap<u16, [Number; 4]>,
    /// Which entry; the program's first, if nothing is said.
    #[serde(default)]
    pub entry: EntryRef,
    /// Integer constants by slot.
    #[serde(default)]
    pub ints: BTreeMap<u16, [i32; 4]>,
    /// Boolean constants by slot.
    #[serde(default)]
    pub bools: BTreeMap<u16, bool>,
    /// Buffers in order of their numbers.
    #[serde(default)]
    pub buffer: Vec<BufferForm>,
    /// Backward transfers that a lane may make, for vectors about running out.
    pub fuel: Option<u32>,
    /// Effects that a lane has room for, for vectors about that.
    pub room: Option<u32>,
    /// Textures in unit order.
    #[serde(default)]
    pub texture: Vec<TextureForm>,
    /// Lanes; for stages in quads four, or one that stands for all four.
    pub lane: Vec<VectorLane>,
    /// What may come out instead of what the lanes say.
    #[serde(default)]
    pub alternative: Vec<Alternative>,
}

/// Something else that the lanes of a vector may come to, all of them together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// Why that is right, too.
    pub why: String,
    /// As many lanes as the vector has; without inputs.
    pub lane: Vec<VectorLane>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    isa: Option<IsaId>,
    #[serde(default)]
    vector: Vec<Vector>,
}

/// Reads a vector file. `isa` is what the path says, which the file may overrule.
pub(super) fn parse(text: &str, isa: Option<IsaId>) -> Result<(IsaId, Vec<Vector>), VectorError> {
    let file: File = from_toml(text).map_err(VectorError::Form)?;
    let isa = file.isa.or(isa).ok_or(VectorError::NoIsa)?;
    if file.vector.is_empty() {
        return Err(VectorError::Empty);
    }
    for (n, vector) in file.vector.iter().enumerate() {
        let twin = file.vector[..n].iter().any(|other| other.name == vector.name);
        let message =
            if twin { Some("there are two of this name".to_owned()) } else { senseless_fields(vector) };
        if let Some(message) = message {
            let line = line_of(text, n).unwrap_or(1);
            return Err(VectorError::Vector { line, name: vector.name.clone(), message });
        }
    }
    Ok((isa, file.vector))
}

/// The line, from 1, on which the `n`-th vector of a file begins.
pub(super) fn line_of(text: &str, n: usize) -> Option<usize> {
    let mut heads = text.lines().zip(1..).filter(|(line, _)| line.trim() == "[[vector]]");
    heads.nth(n).map(|(_, line)| line)
}

/// What is wrong with the fields of a vector, whatever its program is.
pub(super) fn senseless_fields(vector: &Vector) -> Option<String> {
    let is_empty = |text: &str| text.trim().is_empty();
    if is_empty(&vector.name) || is_empty(&vector.source) {
        return Some("it needs a name and a source".to_owned());
    }
    if is_empty(&vector.derivation) && vector.device.as_deref().is_none_or(is_empty) {
        return Some("it needs a derivation, or the device that was seen to do it".to_owned());
    }
    if let Some(date) = vector.date.as_deref().filter(|date| !is_date(date)) {
        return Some(format!("date: '{date}' is no day; days are written YYYY-MM-DD"));
    }
    vector.alternative.iter().zip(1..).find_map(|(alternative, n)| {
        let at = format!("alternative {n}:");
        if is_empty(&alternative.why) {
            Some(format!("{at} it needs a reason, `why`"))
        } else if alternative.lane.len() != vector.lane.len() {
            let lanes = count(alternative.lane.len(), "lane");
            Some(format!("{at} it has {lanes}, and the vector {}", vector.lane.len()))
        } else if alternative.lane.iter().any(|lane| !lane.input.is_empty()) {
            Some(format!("{at} the inputs are those of the vector's lanes"))
        } else {
            None
        }
    })
}

/// Whether a text is a day.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let number = |part: &str, digits: usize| {
        let plain = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| part.parse::<u32>().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// How a vector does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorFailure {
    /// The opcodes of its program, in alphabetical order, joined by `+`; empty if it has none.
    pub opcodes: String,
    /// The first component that is wrong, such as `op.w`; `end`, `killed` or `effects` for those; `program` where nothing was run.
    pub component: String,
    /// The lane that it is in, if one is.
    pub lane: Option<usize>,
    /// Every disagreement, and anything in the vector that has no meaning, in a sentence each.
    pub problems: Vec<String>,
    /// Whether the reference is among those that do otherwise.
    pub contradicts: bool,
}

/// Something wrong: at which component, and in a sentence.
type Problem = (String, String);

/// Runs a vector on both engines and gives the number of components that were compared, over all runs.
///
/// # Errors
/// If it does not hold, cannot be run, or running it panics.
pub fn run_vector(isa: IsaId, vector: &Vector) -> Result<u64, VectorFailure> {
    let _span = tracing::debug_span!("vector", name = vector.name).entered();
    let failure = |(found, contradicts): (Vec<Problem>, bool)| VectorFailure {
        contradicts,
        opcodes: caught(|| with_isa!(isa, I => opcodes_of::<I>(vector))).unwrap_or_default(),
        component: found.first().map_or_else(String::new, |(component, _)| component.clone()),
        lane: found.first().and_then(|(_, problem)| lane_of(problem)),
        problems: found.into_iter().map(|(_, problem)| problem).collect(),
    };
    match caught(|| with_isa!(isa, I => run_isa::<I>(vector))) {
        Ok(Ok(components)) => Ok(components),
        Ok(Err(found)) => Err(failure(found)),
        Err(panic) => Err(failure((vec![(PANIC.to_owned(), panic.to_string())], false))),
    }
}

/// A vector as a case. Of the outputs only those components stay that some lane of the vector expects a number in.
///
/// # Errors
/// Anything in the vector that has no meaning, in a sentence each.
pub fn vector_case(isa: IsaId, vector: &Vector) -> Result<Case, Vec<String>> {
    let prepared = with_isa!(isa, I => prepared::<I>(vector));
    let (mut case, _) =
        prepared.map_err(|found| found.into_iter().map(|(_, problem)| problem).collect::<Vec<_>>())?;
    if let EntryRef::Given(entry) = &mut case.entry {
        let names: Vec<String> = with_isa!(isa, I => {
            entry.interface.outputs.iter().map(|port| I::output_name(entry, port.slot)).collect()
        });
        for (port, name) in entry.interface.outputs.iter_mut().zip(&names) {
            let others = vector.alternative.iter().flat_map(|alternative| &alternative.lane);
            let expected = vector.lane.iter().chain(others).filter_map(|lane| lane.output.get(name));
            let looked_at = |numbers: &[Number; 4]| {
                (0..4).filter(|c| numbers[*c] != Number::Any).fold(0u8, |mask, c| mask | 1 << c)
            };
            port.mask &= expected.fold(0, |mask, numbers| mask | looked_at(numbers));
        }
        entry.interface.outputs.retain(|port| port.mask != 0);
    }
    Ok(case)
}

/// The lane that a problem begins with.
fn lane_of(problem: &str) -> Option<usize> {
    let rest = problem.strip_prefix("lane ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The component of a vector that was not run.
pub(super) const PROGRAM: &str = "program";
/// The component of a vector on which something panics.
pub(super) const PANIC: &str = "panic";

fn senseless(problem: &impl ToString) -> Vec<Problem> {
    vec![(PROGRAM.to_owned(), problem.to_string())]
}

fn opcodes_of<I: Isa>(vector: &Vector) -> String {
    let Ok(program) = I::assemble(&vector.program) else { return String::new() };
    let case = Case {
        entry: vector.entry.clone(),
        options: vector.options.clone(),
        ..Case::bare(I::ID, &I::encode(&program))
    };
    crate::finding::opcodes::<I>(&case).into_iter().collect::<Vec<_>>().join("+")
}

/// A list of lanes, as many as are run.
pub(super) type Way<'a> = Vec<&'a VectorLane>;

/// The case that a vector describes, and what its lanes may come to: what they say, then the alternatives; a lane that stands for a group is there
/// as often as that.
pub(super) fn prepared<I: Isa>(vector: &Vector) -> Result<(Case, Vec<Way<'_>>), Vec<Problem>> {
    let program = I::assemble(&vector.program)
        .map_err(|errors| errors.iter().flat_map(senseless).collect::<Vec<_>>())?;
    let mut lanes: Vec<&VectorLane> = vector.lane.iter().collect();
    let mut case = Case {
        entry: vector.entry.clone(),
        options: vector.options.clone(),
        ..Case::bare(I::ID, &I::encode(&program))
    };
    let entry = case.entry::<I>(&program).map_err(|e| senseless(&e))?;
    let others = vector.alternative.iter().flat_map(|alternative| &alternative.lane);
    let all: Way<'_> = lanes.iter().copied().chain(others).collect();
    let entry = with_outputs::<I>(entry, &all)?;
    case.entry = EntryRef::Given(entry.clone());
    let group = {
        let resolved = case.resolve::<I>().map_err(|e| senseless(&e))?;
        usize::from(I::group(&resolved.context()))
    };
    if group > 1 && lanes.len() == 1 {
        lanes = vec![lanes[0]; group];
    }
    if lanes.is_empty() || !lanes.len().is_multiple_of(group) {
        return Err(senseless(&format!(
            "{}, but lanes run in groups of {group}",
            count(lanes.len(), "lane")
        )));
    }
    case.env = environment::<I>(vector, &entry, &lanes)?;
    case.list_inputs::<I>().map_err(|e| senseless(&e))?;
    let ran = lanes.len();
    // One that stands for a group does so here, too.
    let others =
        vector.alternative.iter().map(|alternative| alternative.lane.iter().cycle().take(ran).collect());
    Ok((case, std::iter::once(lanes).chain(others).collect()))
}

/// What each engine makes of a case, the reference first.
fn outcomes<I: Isa>(case: &Case) -> Result<Vec<(String, Outcome)>, Vec<Problem>> {
    let resolved = case.resolve::<I>().map_err(|e| senseless(&e))?;
    let cx = resolved.context();
    let mut all = vec![(REFERENCE.to_owned(), reference(&cx, &resolved.env))];
    let modes = [Mode::Nodes, Mode::Fallback];
    for mode in modes.into_iter().filter(|mode| *mode == Mode::Nodes || I::has_fallback(&cx)) {
        let lowered = lower(&cx, mode).map_err(|e| senseless(&e))?;
        for tier in Tier::available() {
            let outcome = Executor::new(tier).run(cx.entry, &lowered, &resolved.env);
            all.push((format!("executor ({tier}, {mode:?})"), outcome));
        }
    }
    Ok(all)
}

/// What the reference is called in sentences.
const REFERENCE: &str = "reference";

/// The number of components that were compared; else what is wrong, and whether the reference has it.
fn run_isa<I: Isa>(vector: &Vector) -> Result<u64, (Vec<Problem>, bool)> {
    let ours = |found| (found, false);
    let (case, ways) = prepared::<I>(vector).map_err(ours)?;
    let outcomes = outcomes::<I>(&case).map_err(ours)?;
    let EntryRef::Given(entry) = &case.entry else { return Err(ours(senseless(&"it has no entry"))) };
    let mut first = None;
    // One and the same alternative has to hold for every engine.
    for way in &ways {
        let (compared, problems) = look::<I>(entry, way, &outcomes);
        match (problems.is_empty(), compared) {
            (true, 0) => return Err(ours(senseless(&"it expects nothing"))),
            (true, compared) => return Ok(compared),
            (false, _) => drop(first.get_or_insert(problems)),
        }
    }
    let problems = first.unwrap_or_default();
    let is_reference = problems.iter().any(|(_, by)| by.iter().any(|engine| engine == REFERENCE));
    let others = ways.len() - 1;
    let nor = if others == 0 { String::new() } else { format!(", nor is it {}", alternatives(others)) };
    // Both engines usually say the same.
    let said = problems.into_iter().map(|((component, p), by)| {
        let by = if by.len() == outcomes.len() { "every engine".to_owned() } else { together(&by) };
        (component, format!("{p} ({by}){nor}"))
    });
    Err((said.collect(), is_reference))
}

fn alternatives(others: usize) -> String {
    if others == 1 { "the alternative".to_owned() } else { format!("one of {others} alternatives") }
}

/// How many components of all outcomes were compared, and what is wrong, each with the engines that have it.
fn look<I: Isa>(
    entry: &Entry,
    lanes: &[&VectorLane],
    outcomes: &[(String, Outcome)],
) -> (u64, Vec<(Problem, Vec<String>)>) {
    let mut problems: Vec<(Problem, Vec<String>)> = Vec::new();
    let mut compared = 0;
    for (engine, outcome) in outcomes {
        match check::<I>(entry, lanes, outcome) {
            Ok(components) => compared += components,
            Err(found) => {
                for problem in found {
                    match problems.iter_mut().find(|(known, _)| *known == problem) {
                        Some((_, by)) => by.push(engine.clone()),
                        None => problems.push((problem, vec![engine.clone()])),
                    }
                }
            }
        }
    }
    (compared, problems)
}

/// An entry with every component of the registers that the vector names among its outputs, written or not.
fn with_outputs<I: Isa>(mut entry: Entry, lanes: &[&VectorLane]) -> Result<Entry, Vec<Problem>> {
    for name in lanes.iter().flat_map(|lane| lane.output.keys()) {
        let slot = (0..SLOTS).find(|slot| I::output_name(&entry, *slot) == *name);
        let slot = slot.ok_or_else(|| senseless(&format!("there is no output '{name}'")))?;
        let outputs = &mut entry.interface.outputs;
        match outputs.iter_mut().find(|port| port.slot == slot) {
            Some(port) => port.mask = 0xf,
            None => return Err(senseless(&format!("the program does not write '{name}'"))),
        }
    }
    Ok(entry)
}

/// Puts a value into a file, which grows with zeros as far as that takes.
fn put<T: Clone + Default>(file: &mut Vec<T>, slot: u16, value: T) {
    let slot = usize::from(slot);
    file.resize(file.len().max(slot + 1), T::default());
    file[slot] = value;
}

/// What of the inputs is a range.
fn range_among_inputs(vector: &Vector, lanes: &[&VectorLane]) -> Option<String> {
    let is_range = |v: &[Number]| v.iter().any(|number| matches!(number, Number::Between(..)));
    let constants = vector.constants.iter().map(|(slot, v)| (format!("constant {slot}"), v.as_slice()));
    let buffers = vector.buffer.iter().enumerate().map(|(n, b)| (format!("buffer {n}"), b.words.as_slice()));
    let texels = vector.texture.iter().enumerate().flat_map(|(n, texture)| {
        texture.explicit.iter().map(move |v| (format!("texture {n}"), v.as_slice()))
    });
    let inputs = lanes.iter().enumerate().flat_map(|(l, lane)| {
        lane.input.iter().map(move |(name, v)| (format!("lane {l}, {name}"), v.as_slice()))
    });
    let mut all = constants.chain(buffers).chain(texels).chain(inputs);
    all.find(|(_, v)| is_range(v)).map(|(what, _)| what)
}

fn environment<I: Isa>(
    vector: &Vector,
    entry: &Entry,
    lanes: &[&VectorLane],
) -> Result<Environment, Vec<Problem>> {
    let four = |v: &[Number; 4]| v.map(Number::value);
    if let Some(what) = range_among_inputs(vector, lanes) {
        return Err(senseless(&format!("{what}: a range is no input")));
    }
    let (fuel, effects) = (vector.fuel.unwrap_or(FUEL), vector.room.unwrap_or(ROOM));
    let mut env = Environment { fuel, effects, ..Environment::default() };
    for (slot, value) in &vector.constants {
        put(&mut env.constants, *slot, four(value));
    }
    for (slot, value) in &vector.ints {
        put(&mut env.ints, *slot, *value);
    }
    for (slot, value) in &vector.bools {
        put(&mut env.bools, *slot, *value);
    }
    let words = |b: &BufferForm| b.words.iter().map(|word| word.value().to_bits()).collect();
    env.buffers = vector.buffer.iter().map(|b| Buffer { words: words(b) }).collect();
    env.textures = vector
        .texture
        .iter()
        .map(|t| Texture {
            dimension: t.dimension,
            size: t.size,
            levels: t.levels,
            state: t.state,
            texels: Texels::Explicit(t.explicit.iter().map(four).collect()),
        })
        .collect();
    for lane in lanes {
        let mut slots = Vec::new();
        for (name, value) in &lane.input {
            let slot = (0..SLOTS).find(|slot| I::input_name(entry, *slot) == *name);
            let slot = usize::from(slot.ok_or_else(|| senseless(&format!("there is no input '{name}'")))?);
            slots.resize(slots.len().max(slot + 1), [0.0; 4]);
            slots[slot] = four(value);
        }
        env.lanes.push(LaneInput { slots });
    }
    Ok(env)
}

pub(super) fn check<I: Isa>(
    entry: &Entry,
    lanes: &[&VectorLane],
    outcome: &Outcome,
) -> Result<u64, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut compared = 0;
    for (l, (lane, got)) in lanes.iter().zip(&outcome.lanes).enumerate() {
        let end = lane.end.unwrap_or(End::Finished);
        compared += u64::from(lane.end.is_some());
        if got.end != end {
            problems
                .push(("end".to_owned(), format!("lane {l} ended as {:?}, must end as {end:?}", got.end)));
            continue;
        }
        if matches!(end, End::OutOfFuel | End::Hung) {
            continue;
        }
        if let Some(expected) = &lane.effects {
            let found = effects::<I>(entry, expected, &got.effects);
            compared += found.0;
            problems.extend(found.1.into_iter().map(|(at, p)| (at, format!("lane {l}, {p}"))));
        }
        if let Some(killed) = lane.killed {
            compared += 1;
            if killed != got.killed {
                let problem = format!("lane {l}: killed is {}, must be {killed}", got.killed);
                problems.push(("killed".to_owned(), problem));
            }
        }
        for (name, expected) in &lane.output {
            for (component, expected) in expected.iter().enumerate() {
                if *expected == Number::Any {
                    continue;
                }
                let place = component_of::<I>(entry, name, component);
                let at = format!("{name}.{}", letter(component));
                let Some(value) = place.and_then(|at| got.outputs.get(at)) else {
                    let problem = format!("lane {l}: the program does not write {at}");
                    problems.push((at, problem));
                    continue;
                };
                compared += 1;
                if expected.is_met_by(*value) == Some(false) {
                    let problem = format!("lane {l}, {at}: {}", wrong(*value, *expected));
                    problems.push((at, problem));
                }
            }
        }
    }
    if problems.is_empty() { Ok(compared) } else { Err(problems) }
}

fn wrong(value: f32, expected: Number) -> String {
    format!("{}, must be {}", Number::Exactly(value).shown(), expected.shown())
}

/// How much of a lane's effects was compared, and what is wrong with them.
fn effects<I: Isa>(entry: &Entry, expected: &[VectorEffect], got: &[EffectRecord]) -> (u64, Vec<Problem>) {
    let mut problems = Vec::new();
    // The number of effects is something to compare, too: there may be none.
    let mut compared = 1;
    if expected.len() != got.len() {
        let problem = format!("{}, must be {}", count(got.len(), "effect"), expected.len());
        problems.push(("effects".to_owned(), problem));
    }
    for (at, (expected, got)) in expected.iter().zip(got).enumerate() {
        let name = I::effect_name(entry, got.kind, got.index);
        if name != expected.name {
            let problem = format!("effect {at}: {name}, must be {}", expected.name);
            problems.push((expected.name.clone(), problem));
            continue;
        }
        for (component, expected) in expected.values.iter().enumerate() {
            if *expected == Number::Any {
                continue;
            }
            compared += 1;
            let value = got.components().find(|(c, _)| usize::from(*c) == component);
            let component = format!("{name}.{}", letter(component));
            let place = format!("effect {at}, {component}");
            match value {
                None => problems.push((component, format!("{place}: the effect has no such component"))),
                Some((_, value)) if expected.is_met_by(value) == Some(false) => {
                    problems.push((component, format!("{place}: {}", wrong(value, *expected))));
                }
                Some(_) => {}
            }
        }
    }
    (compared, problems)
}

fn letter(component: usize) -> char {
    ['x', 'y', 'z', 'w'].get(component).copied().unwrap_or('?')
}

/// Where the component of a named output stands in a lane's outputs.
fn component_of<I: Isa>(entry: &Entry, name: &str, component: usize) -> Option<usize> {
    let mut components = entry.interface.components();
    components.position(|(slot, c)| usize::from(c) == component && I::output_name(entry, slot) == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::LaneOutcome;

    #[test]
    fn unknown_keys_are_refused() {
        let head = "[[vector]]\nname='a'\nsource='s'\nderivation='d'\nprogram='p'\nlane=[]\n";
        assert!(parse(head, Some(IsaId::Agal)).is_ok());
        let error = parse(&format!("{head}tolerance = 1\n"), Some(IsaId::Agal)).unwrap_err().to_string();
        assert!(error.contains("tolerance"), "{error}");
        assert_eq!(parse("", Some(IsaId::Agal)), Err(VectorError::Empty));
        assert_eq!(parse(head, None), Err(VectorError::NoIsa));
    }

    #[test]
    fn effects_are_held_against_name_order_number_and_components() {
        let entry = Entry {
            stage: lockstep_core::isa::Stage::Vertex,
            start: 0,
            version: 1,
            interface: lockstep_core::isa::Interface::default(),
            extra: [0; 4],
        };
        let lane: VectorLane = toml::from_str(
            "end = \"effects_full\"\neffects = [{ name = \"effect 1.7\", values = [1, \"any\", \"nan\", \"any\"] }]",
        )
        .unwrap();
        let record = |index, mask, x| EffectRecord { kind: 1, index, mask, values: [x, 5.0, f32::NAN, 0.0] };
        let look = |end, effects: Vec<EffectRecord>| {
            let lanes = vec![LaneOutcome { end, killed: false, outputs: Vec::new(), effects }];
            let outcome = Outcome { lanes, freedoms: lockstep_core::value::FreedomSet::default() };
            check::<lockstep_core::isa::agal::Agal>(&entry, &[&lane], &outcome)
        };
        let full = End::EffectsFull;
        // The end, the number of effects, two components.
        assert_eq!(look(full, vec![record(7, 0b111, 1.0)]), Ok(4));
        let wrong = |end, effects: Vec<EffectRecord>| {
            let found = look(end, effects).unwrap_err();
            found.into_iter().map(|(_, problem)| problem).collect::<Vec<_>>().join("; ")
        };
        assert!(wrong(full, vec![record(7, 0b111, 2.0)]).contains("effect 1.7.x"));
        assert!(wrong(full, vec![record(8, 0b111, 1.0)]).contains("effect 1.8, must be effect 1.7"));
        assert!(wrong(full, vec![record(7, 0b011, 1.0)]).contains("no such component"));
        assert!(wrong(full, vec![]).contains("0 effects, must be 1"));
        assert!(wrong(End::Finished, vec![record(7, 0b111, 1.0)]).contains("must end as EffectsFull"));
    }

    #[test]
    fn vectors_set_integers_booleans_buffers_and_limits() {
        let text = "[[vector]]\nname='a'\nsource='s'\nderivation='d'\nprogram='p'\nlane=[]\nentry={own=1}\nfuel=3\nroom=5\n\
                    ints={2=[1,-2,3,4]}\nbools={1=true}\n[[vector.buffer]]\nwords=[1.5, '0xdeadbeef']\n";
        let (_, vectors) = parse(text, Some(IsaId::Agal)).unwrap();
        let program = lockstep_core::isa::agal::Agal::assemble("version 1 vertex\nmov op, va0\n").unwrap();
        let entry = lockstep_core::isa::agal::Agal::entries(&program).remove(0);
        let env = environment::<lockstep_core::isa::agal::Agal>(&vectors[0], &entry, &[]).unwrap();
        assert_eq!((env.fuel, env.effects, &vectors[0].entry), (3, 5, &EntryRef::Own(1)));
        assert_eq!((env.ints, env.bools), (vec![[0; 4], [0; 4], [1, -2, 3, 4]], vec![false, true]));
        assert_eq!(env.buffers, [Buffer { words: vec![1.5f32.to_bits(), 0xdead_beef] }]);
    }

    #[test]
    fn numbers_are_read_exactly_or_refused() {
        let read = |number: &str| {
            let text = format!("words = [{number}]");
            toml::from_str::<BufferForm>(&text).map(|form| form.words[0].value().to_bits()).ok()
        };
        let held = [
            ("0", 0),
            ("1", 0x3f80_0000),
            ("-2.5", 0xc020_0000),
            ("16777216", 0x4b80_0000),
            ("1e38", 0),
            ("'inf'", 0x7f80_0000),
            ("'-inf'", 0xff80_0000),
            ("'-0'", 0x8000_0000),
            ("'any'", 0),
            ("'0x00000001'", 1),
            ("'0xdeadbeef'", 0xdead_beef),
            ("'0xDEADBEEF'", 0xdead_beef),
        ];
        for (number, bits) in held.into_iter().filter(|(number, _)| *number != "1e38") {
            assert_eq!(read(number), Some(bits), "{number}");
        }
        assert!(read("'nan'").is_some_and(|bits| f32::from_bits(bits).is_nan()));
        // No binary32 is 0.1, 1/3, 2^24 + 1, or 10^38; bits have eight digits.
        for number in [
            "0.1",
            "0.3333333333333333",
            "16777217",
            "1e38",
            "1e-60",
            "1e300",
            "9007199254740993",
            "9223372036854775807",
            "'0x1'",
            "'0x3f8000'",
            "'0x0000000001'",
            "'0x'",
            "'3f800000'",
            "'0x3f80000g'",
            "'one'",
            "''",
            "true",
        ] {
            assert_eq!(read(number), None, "{number}");
        }
    }

    #[test]
    fn a_vector_holds_only_if_it_expects_something_and_marks_are_looked_at_both_ways() {
        let holds = |lane: &str, kills: &str| {
            let text = format!(
                "[[vector]]\nname='a'\nsource='s'\nderivation='d'\n\
                 program='version 1 fragment\nsub ft0, fc0, v0\nkil ft0.x\nmov oc, v0'\nconstants={{0=[{kills},0,0,0]}}\n[[vector.lane]]\n{lane}\n"
            )
            .replace("program='", "program=\"\"\"").replace("v0'\nconstants", "v0\n\"\"\"\nconstants");
            let (isa, vectors) = parse(&text, Some(IsaId::Agal)).unwrap();
            run_vector(isa, &vectors[0]).map_err(|failure| failure.component)
        };
        for (constant, is_killed) in [("1", false), ("-1", true)] {
            for expected in [false, true] {
                let result = holds(&format!("killed = {expected}"), constant);
                assert_eq!(result.is_ok(), expected == is_killed, "{expected}, {constant}: {result:?}");
                assert!(result.is_ok_and(|n| n > 0) || expected != is_killed);
            }
        }
        for nothing in ["", "output = {}", "output = { oc = ['any', 'any', 'any', 'any'] }"] {
            assert_eq!(holds(nothing, "1"), Err(PROGRAM.to_owned()), "{nothing}");
        }
    }
}
