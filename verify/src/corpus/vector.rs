//! Vectors: a program, its inputs and the numbers that must come out, derived from documents.
//!
//! A vector is run on the reference and on the executor at every level of the machine and in both ways of lowering. Expected bits are
//! exact; NaN is NaN whatever its payload; `"any"` is not looked at.

use crate::case::{Case, EntryRef};
use crate::engine::{Executor, Outcome, Tier, reference};
use lockstep_core::host::{Dimension, Environment, LaneInput, SamplerState, Texels, Texture};
use lockstep_core::ir::Mode;
use lockstep_core::isa::{End, Entry, Isa, IsaId, lower};
use lockstep_core::value::{canonical_bits, same};
use lockstep_core::with_isa;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Fuel for a vector's lanes: far more than a page of arithmetic can derive.
const FUEL: u32 = 4096;
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
}

/// A number as vector files write it: an integer or decimal that binary32 holds exactly, `"nan"`, `"inf"`, `"-inf"`, `"-0"`, bits such as
/// `"0x3f800000"`, or `"any"`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawNumber")]
pub enum Number {
    /// This number.
    Exactly(f32),
    /// Not looked at; as an input 0.
    Any,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawNumber {
    Integer(i64),
    Decimal(f64),
    Text(String),
}

impl TryFrom<RawNumber> for Number {
    type Error = String;

    fn try_from(raw: RawNumber) -> Result<Number, String> {
        let exact = |wide: f64| {
            let narrow = wide as f32;
            (f64::from(narrow) == wide)
                .then_some(Number::Exactly(narrow))
                .ok_or_else(|| format!("binary32 does not hold {wide} exactly; write its bits"))
        };
        match raw {
            RawNumber::Integer(v) if v.unsigned_abs() > 1 << 53 => Err(format!("{v} is too large; write its bits")),
            RawNumber::Integer(v) => exact(v as f64),
            RawNumber::Decimal(v) => exact(v),
            RawNumber::Text(text) => match text.as_str() {
                "any" => Ok(Number::Any),
                "nan" => Ok(Number::Exactly(f32::NAN)),
                "inf" => Ok(Number::Exactly(f32::INFINITY)),
                "-inf" => Ok(Number::Exactly(f32::NEG_INFINITY)),
                "-0" => Ok(Number::Exactly(-0.0)),
                bits => bits
                    .strip_prefix("0x")
                    .filter(|digits| digits.len() == 8)
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                    .map(|bits| Number::Exactly(f32::from_bits(bits)))
                    .ok_or_else(|| format!("'{text}' is no number; there are nan, inf, -inf, -0, any and eight digits after 0x")),
            },
        }
    }
}

impl Number {
    fn value(self) -> f32 {
        match self {
            Number::Exactly(v) => v,
            Number::Any => 0.0,
        }
    }
}

/// A texture with given texels.
#[derive(Clone, Debug, PartialEq, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Deserialize)]
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
}

/// A vector.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// Name, unique in its file.
    pub name: String,
    /// Section of the document it rests on.
    pub source: String,
    /// The arithmetic.
    pub derivation: String,
    /// Assembly text.
    pub program: String,
    /// Choices that are not the default.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Constants by slot.
    #[serde(default)]
    pub constants: BTreeMap<u16, [Number; 4]>,
    /// Textures in unit order.
    #[serde(default)]
    pub texture: Vec<TextureForm>,
    /// Lanes; for stages in quads four, or one that stands for all four.
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
    let file: File = toml::from_str(text).map_err(|e| VectorError::Form(e.to_string()))?;
    let isa = file.isa.or(isa).ok_or(VectorError::NoIsa)?;
    if file.vector.is_empty() {
        return Err(VectorError::Empty);
    }
    Ok((isa, file.vector))
}

/// Runs a vector on both engines and gives the number of components that were compared, over all runs.
///
/// # Errors
/// Every disagreement, and anything in the vector that has no meaning, in a sentence each.
pub fn run_vector(isa: IsaId, vector: &Vector) -> Result<u64, Vec<String>> {
    let _span = tracing::debug_span!("vector", name = vector.name).entered();
    with_isa!(isa, I => run_isa::<I>(vector))
}

fn run_isa<I: Isa>(vector: &Vector) -> Result<u64, Vec<String>> {
    let program = I::assemble(&vector.program)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let mut lanes: Vec<&VectorLane> = vector.lane.iter().collect();
    let entry = entry::<I>(&program, &lanes)?;
    let mut case = Case {
        isa: I::ID,
        bytes: I::encode(&program),
        entry: EntryRef::Given(entry.clone()),
        options: vector.options.clone(),
        env: Environment::default(),
    };
    let group = {
        let resolved = case.resolve::<I>().map_err(|e| vec![e.to_string()])?;
        usize::from(I::group(&resolved.context()))
    };
    if group > 1 && lanes.len() == 1 {
        lanes = vec![lanes[0]; group];
    }
    if lanes.is_empty() || !lanes.len().is_multiple_of(group) {
        return Err(vec![format!("{} lanes, but lanes run in groups of {group}", lanes.len())]);
    }
    case.env = environment::<I>(vector, &entry, &lanes)?;
    let resolved = case.resolve::<I>().map_err(|e| vec![e.to_string()])?;
    let cx = resolved.context();

    let mut problems: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut compared = 0;
    let mut look = |engine: String, outcome: &Outcome| match check::<I>(cx.entry, &lanes, outcome) {
        Ok(components) => compared += components,
        Err(found) => found.into_iter().for_each(|p| problems.entry(p).or_default().push(engine.clone())),
    };
    look("reference".to_owned(), &reference(&cx, &resolved.env));
    for mode in [Mode::Nodes, Mode::Fallback] {
        let lowered = lower(&cx, mode).map_err(|e| vec![e.to_string()])?;
        for tier in Tier::available() {
            look(
                format!("executor ({tier}, {mode:?})"),
                &Executor::new(tier).run(cx.entry, &lowered, &resolved.env),
            );
        }
    }
    match (problems.is_empty(), compared) {
        // Both engines usually say the same.
        (false, _) => Err(problems.into_iter().map(|(p, by)| format!("{p} [{}]", by.join(", "))).collect()),
        (true, 0) => Err(vec!["it expects nothing".to_owned()]),
        (true, compared) => Ok(compared),
    }
}

/// The program's own entry with every component of the registers that the vector names among its outputs, written or not.
fn entry<I: Isa>(program: &I::Program, lanes: &[&VectorLane]) -> Result<Entry, Vec<String>> {
    let mut entry = I::entries(program).into_iter().next().ok_or_else(|| vec!["no entry".to_owned()])?;
    for name in lanes.iter().flat_map(|lane| lane.output.keys()) {
        let slot = (0..SLOTS).find(|slot| I::output_name(&entry, *slot) == *name);
        let slot = slot.ok_or_else(|| vec![format!("there is no output '{name}'")])?;
        let outputs = &mut entry.interface.outputs;
        match outputs.iter_mut().find(|port| port.slot == slot) {
            Some(port) => port.mask = 0xf,
            None => return Err(vec![format!("the program does not write '{name}'")]),
        }
    }
    Ok(entry)
}

fn environment<I: Isa>(
    vector: &Vector,
    entry: &Entry,
    lanes: &[&VectorLane],
) -> Result<Environment, Vec<String>> {
    let four = |v: &[Number; 4]| v.map(Number::value);
    let mut env = Environment { fuel: FUEL, effects: 64, ..Environment::default() };
    for (slot, value) in &vector.constants {
        let slot = usize::from(*slot);
        env.constants.resize(env.constants.len().max(slot + 1), [0.0; 4]);
        env.constants[slot] = four(value);
    }
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
            let slot = usize::from(slot.ok_or_else(|| vec![format!("there is no input '{name}'")])?);
            slots.resize(slots.len().max(slot + 1), [0.0; 4]);
            slots[slot] = four(value);
        }
        env.lanes.push(LaneInput { slots });
    }
    Ok(env)
}

fn check<I: Isa>(entry: &Entry, lanes: &[&VectorLane], outcome: &Outcome) -> Result<u64, Vec<String>> {
    let mut problems = Vec::new();
    let mut compared = 0;
    for (l, (lane, got)) in lanes.iter().zip(&outcome.lanes).enumerate() {
        if got.end != End::Finished {
            problems.push(format!("lane {l} ended as {:?}", got.end));
            continue;
        }
        if let Some(killed) = lane.killed {
            compared += 1;
            if killed != got.killed {
                problems.push(format!("lane {l}: killed is {}, must be {killed}", got.killed));
            }
        }
        for (name, expected) in &lane.output {
            for (component, expected) in expected.iter().enumerate() {
                let Number::Exactly(expected) = *expected else { continue };
                let place = component_of::<I>(entry, name, component);
                let Some(value) = place.and_then(|at| got.outputs.get(at)) else {
                    problems
                        .push(format!("lane {l}: the program does not write {name}.{}", letter(component)));
                    continue;
                };
                compared += 1;
                if !same(*value, expected) {
                    problems.push(format!(
                        "lane {l}, {name}.{}: {value:?} (0x{:08x}), must be {expected:?} (0x{:08x})",
                        letter(component),
                        canonical_bits(*value),
                        canonical_bits(expected)
                    ));
                }
            }
        }
    }
    if problems.is_empty() { Ok(compared) } else { Err(problems) }
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

    fn number(text: &str) -> Result<Number, String> {
        #[derive(Deserialize)]
        struct One {
            v: Number,
        }
        toml::from_str::<One>(&format!("v = {text}")).map(|o| o.v).map_err(|e| e.to_string())
    }

    #[test]
    fn numbers_are_exact_or_refused() {
        assert_eq!(number("16777216"), Ok(Number::Exactly(16777216.0)));
        assert_eq!(number("\"0x3f800000\""), Ok(Number::Exactly(1.0)));
        assert_eq!(number("\"any\""), Ok(Number::Any));
        assert!(matches!(number("\"-0\""), Ok(Number::Exactly(v)) if v.to_bits() == 0x8000_0000));
        for wrong in ["16777217", "0.1", "\"0x3f8\"", "\"one\"", "9223372036854775807", "true"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unknown_keys_are_refused() {
        let head = "[[vector]]\nname='a'\nsource='s'\nderivation='d'\nprogram='p'\nlane=[]\n";
        assert!(parse(head, Some(IsaId::Agal)).is_ok());
        let error = parse(&format!("{head}tolerance = 1\n"), Some(IsaId::Agal)).unwrap_err().to_string();
        assert!(error.contains("tolerance"), "{error}");
        assert_eq!(parse("", Some(IsaId::Agal)), Err(VectorError::Empty));
        assert_eq!(parse(head, None), Err(VectorError::NoIsa));
    }
}
