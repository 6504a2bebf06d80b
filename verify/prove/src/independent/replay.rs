//! Runs both machines, the reference and the IR evaluator, on numbers from a model or from a random source.

use super::agree::{Pair, Part};
use super::outside::{Source, constant};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{self, Ty};
use lockstep_core::isa::{Refinement, Syntax};
use lockstep_core::value::{Concrete, canonical_bits};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use z3::ast::{Ast, BV, Bool};
use z3::{FuncDecl, Model, Sort};

/// An example on which the two machines differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The part of the obligation: the initial state, or a block and the lanes that run it.
    pub part: String,
    /// The lane.
    pub lane: usize,
    /// The value that differs.
    pub what: String,
    /// The reference's value.
    pub reference: String,
    /// The lowered program's value.
    pub lowered: String,
    /// The unknowns with a non-zero value: name and value.
    pub inputs: Vec<(String, String)>,
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, lane {}: {}", self.part, self.lane, self.what)?;
        writeln!(f, " is {} in the reference and {} in the lowered program", self.reference, self.lowered)?;
        self.inputs.iter().try_for_each(|(name, value)| writeln!(f, "  {name} = {value}"))
    }
}

fn scalar(ty: Ty, bits: u32) -> Scalar<Concrete> {
    match ty {
        Ty::F32 => Scalar::F(f32::from_bits(bits)),
        Ty::I32 => Scalar::I(bits as i32),
        Ty::Bool => Scalar::B(bits != 0),
    }
}

fn bits(value: &Scalar<Concrete>) -> u32 {
    match value {
        Scalar::F(v) => canonical_bits(*v),
        Scalar::I(v) => *v as u32,
        Scalar::B(v) => u32::from(*v),
    }
}

fn show(value: &Scalar<Concrete>) -> String {
    match value {
        Scalar::F(v) => format!("{v:?} (0x{:08x})", v.to_bits()),
        Scalar::I(v) => format!("{v} (0x{v:08x})"),
        Scalar::B(v) => v.to_string(),
    }
}

/// A source of the numbers in a model.
pub struct FromModel<'a>(pub &'a Model);

impl Source<Concrete> for FromModel<'_> {
    fn value(&self, _: &Concrete, ty: Ty, name: &str) -> Scalar<Concrete> {
        let value = match constant(ty, name) {
            Scalar::F(v) | Scalar::I(v) => self.0.eval(&v.term(), true).and_then(|v| v.as_u64()),
            Scalar::B(v) => self.0.eval(&v.term(), true).and_then(|v| v.as_bool()).map(u64::from),
        };
        scalar(ty, value.unwrap_or(0) as u32)
    }

    fn call(&self, _: &Concrete, name: &str, operands: &[Scalar<Concrete>]) -> f32 {
        let word = Sort::bitvector(32);
        let domain: Vec<&Sort> = operands.iter().map(|_| &word).collect();
        let operands: Vec<BV> = operands.iter().map(|v| BV::from_u64(bits(v).into(), 32)).collect();
        let operands: Vec<&dyn Ast> = operands.iter().map(|a| a as &dyn Ast).collect();
        let result = FuncDecl::new(name, &domain, &word).apply(&operands).as_bv();
        let value = result.and_then(|call| self.0.eval(&call, true)).and_then(|v| v.as_u64());
        f32::from_bits(value.unwrap_or(0) as u32)
    }
}

/// A source of random numbers: many are special values and many are equal.
pub struct RandomSource(pub u64);

/// Mixes two 64-bit values into one.
fn mix(a: u64, b: u64) -> u64 {
    let mut x = a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2 {
        x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    x ^ x >> 32
}

/// Hashes a text with a seed.
pub fn hash(seed: u64, text: &str) -> u64 {
    text.bytes().fold(mix(seed, 1), |sum, byte| mix(sum, byte.into()))
}

const SPECIAL: [f32; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    1.5,
    -2.5,
    3.0,
    255.0,
    1e-3,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MIN_POSITIVE,
    1e-40,
    -1e-42,
    f32::MAX,
    f32::MIN,
    2.168_404_3e-19, // 2^-62
    8_388_609.0,
    -1e20,
    0.333_333_34,
];

/// Returns a number of this type for a well-mixed 64-bit value.
fn draw(ty: Ty, word: u64) -> u32 {
    let any = (word >> 32) as u32;
    match ty {
        Ty::Bool => any & 1,
        Ty::I32 => match word % 8 {
            0 => any,
            1 => (any % 7) as i32 as u32,
            2 => (any % 64).wrapping_neg(),
            _ => any % 40,
        },
        Ty::F32 => match word % 8 {
            0 | 1 => SPECIAL[any as usize % SPECIAL.len()].to_bits(),
            2 => any,
            3 => ((any % 17) as f32 - 8.0).to_bits(),
            // Of medium size, with a random mantissa.
            _ => any & 0x807f_ffff | (120 + (word >> 8 & 15) as u32) << 23,
        },
    }
}

impl Source<Concrete> for RandomSource {
    fn value(&self, _: &Concrete, ty: Ty, name: &str) -> Scalar<Concrete> {
        scalar(ty, draw(ty, hash(self.0, name)))
    }

    fn call(&self, _: &Concrete, name: &str, operands: &[Scalar<Concrete>]) -> f32 {
        let word = operands.iter().fold(hash(self.0, name), |sum, v| mix(sum, bits(v).into()));
        f32::from_bits(draw(Ty::F32, word))
    }
}

/// A source that records the values that another source provides. Without the other source it replays the record, with 0 for all other unknowns.
struct Recording<'a, S> {
    source: Option<&'a S>,
    recorded: RefCell<BTreeMap<String, (Ty, u32)>>,
}

impl<S: Source<Concrete>> Recording<'_, S> {
    fn get(&self, ty: Ty, name: String, value: impl Fn(&S) -> Scalar<Concrete>) -> Scalar<Concrete> {
        if let Some((ty, bits)) = self.recorded.borrow().get(&name) {
            return scalar(*ty, *bits);
        }
        let value = self.source.map_or_else(|| scalar(ty, 0), value);
        self.recorded.borrow_mut().insert(name, (ty, bits(&value)));
        value
    }
}

impl<S: Source<Concrete>> Source<Concrete> for Recording<'_, S> {
    fn value(&self, d: &Concrete, ty: Ty, name: &str) -> Scalar<Concrete> {
        self.get(ty, name.to_owned(), |source| source.value(d, ty, name))
    }

    fn call(&self, d: &Concrete, name: &str, operands: &[Scalar<Concrete>]) -> f32 {
        let shown: Vec<String> = operands.iter().map(|v| format!("0x{:x}", bits(v))).collect();
        let name_of_call = format!("{name}({})", shown.join(", "));
        self.get(Ty::F32, name_of_call, |source| Scalar::F(source.call(d, name, operands))).f(d)
    }
}

/// Returns the first difference of the two machines on these inputs.
fn difference<I: Syntax + Refinement, S: Source<Concrete>>(
    pair: &Pair<'_, I>,
    program: &ir::Program,
    parts: &[Part],
    source: &S,
) -> Option<(Part, Example)> {
    parts.iter().find_map(|part| {
        let claims = pair.claims(&mut Concrete, source, program, *part);
        let claim = claims.into_iter().find(|claim| !claim.holds)?;
        let [reference, lowered] = match &claim.sides {
            Some(sides) => sides.each_ref().map(show),
            None => ["one".to_owned(), "another".to_owned()],
        };
        let what = pair.name(claim.subject);
        let inputs = Vec::new();
        Some((*part, Example { part: part.to_string(), lane: claim.lane, what, reference, lowered, inputs }))
    })
}

/// A source that records the unknowns requested from another source, as terms that equate each with its value.
pub struct RecordedUnknowns<'a, S> {
    source: &'a S,
    known: RefCell<BTreeMap<String, Bool>>,
}

impl<'a, S> RecordedUnknowns<'a, S> {
    /// Makes an empty record.
    pub fn new(source: &'a S) -> Self {
        RecordedUnknowns { source, known: RefCell::default() }
    }

    /// Returns the recorded equations.
    pub fn values(&self) -> Vec<Bool> {
        self.known.borrow().values().cloned().collect()
    }
}

impl<S: Source<Concrete>> Source<Concrete> for RecordedUnknowns<'_, S> {
    fn value(&self, d: &Concrete, ty: Ty, name: &str) -> Scalar<Concrete> {
        let value = self.source.value(d, ty, name);
        let word = BV::from_u64(bits(&value).into(), 32);
        let known = match constant(ty, name) {
            Scalar::F(v) | Scalar::I(v) => v.term().eq(&word),
            Scalar::B(v) => v.term().eq(Bool::from_bool(bits(&value) != 0)),
        };
        self.known.borrow_mut().insert(name.to_owned(), known);
        value
    }

    fn call(&self, d: &Concrete, name: &str, operands: &[Scalar<Concrete>]) -> f32 {
        self.source.call(d, name, operands)
    }
}

/// Whether the two machines differ on these inputs.
pub fn differ<I: Syntax + Refinement, S: Source<Concrete>>(
    pair: &Pair<'_, I>,
    program: &ir::Program,
    parts: &[Part],
    source: &S,
) -> bool {
    parts.iter().any(|part| pair.claims(&mut Concrete, source, program, *part).iter().any(|c| !c.holds))
}

/// Returns an example on which the two machines differ: the inputs of `source`, each set to 0 if the machines still differ then. `None` if the
/// machines agree on the inputs of `source`.
pub fn replay<I: Syntax + Refinement, S: Source<Concrete>>(
    pair: &Pair<'_, I>,
    program: &ir::Program,
    parts: &[Part],
    source: &S,
) -> Option<Example> {
    let first = Recording { source: Some(source), recorded: RefCell::default() };
    let (part, _) = difference(pair, program, parts, &first)?;
    let mut known: Recording<'_, S> = Recording { source: None, recorded: first.recorded };
    let names: Vec<String> = known.recorded.borrow().keys().cloned().collect();
    for name in names {
        let before = known.recorded.borrow().clone();
        match known.recorded.get_mut().get_mut(&name) {
            Some((_, value)) if *value != 0 => *value = 0,
            _ => continue,
        }
        if difference(pair, program, &[part], &known).is_none() {
            known.recorded = RefCell::new(before);
        }
    }
    let (_, mut example) = difference(pair, program, &[part], &known)?;
    let inputs = known.recorded.into_inner().into_iter().filter(|(_, (_, bits))| *bits != 0);
    example.inputs = inputs.map(|(name, (ty, bits))| (name, show(&scalar(ty, bits)))).collect();
    Some(example)
}

#[cfg(test)]
mod tests {
    use super::*;
    use z3::{SatResult, Solver};

    #[test]
    fn a_model_gives_each_unknown_its_value_and_0_to_the_others() {
        let solver = Solver::new();
        let words = [(Ty::F32, "f", 0xbfc0_0000u32), (Ty::I32, "i", 7)];
        for (ty, name, value) in words {
            if let Scalar::F(v) | Scalar::I(v) = constant(ty, name) {
                solver.assert(v.term().eq(BV::from_u64(value.into(), 32)));
            }
        }
        for (name, value) in [("yes", true), ("no", false)] {
            if let Scalar::B(v) = constant(Ty::Bool, name) {
                solver.assert(v.term().eq(Bool::from_bool(value)));
            }
        }
        assert_eq!(solver.check(), SatResult::Sat);
        let model = solver.get_model().unwrap();
        let read = |ty, name| bits(&FromModel(&model).value(&Concrete, ty, name));
        for (ty, name, value) in words {
            assert_eq!(read(ty, name), value, "{name}");
        }
        let known = ["yes", "no", "another"].map(|name| read(Ty::Bool, name));
        assert_eq!(known, [1, 0, 0]);
        assert_eq!(read(Ty::I32, "another"), 0);
    }
}
