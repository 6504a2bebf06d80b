//! Sources of unknown values, and a shader host that uses them.

use super::logic::{Logic, Truth, Word};
use lockstep_core::host::{Access, Effect, FetchFormat, Host, Lod, SampleRequest};
use lockstep_core::ir::Ty;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::value::{Domain, Freedom};
use std::cell::RefCell;
use std::collections::HashMap;
use z3::ast::{BV, Bool};

/// Provides values from outside the program: terms, numbers of a model, or random numbers. Requests with the same name get the same value.
pub trait Source<D: Domain> {
    /// Returns the unknown with this name.
    fn value(&self, d: &D, ty: Ty, name: &str) -> Scalar<D>;
    /// Applies the uninterpreted function with this name; equal operands give equal results.
    fn call(&self, d: &D, name: &str, operands: &[Scalar<D>]) -> D::F;
}

/// A source whose unknowns are terms.
#[derive(Debug, Default)]
pub struct Terms {
    known: RefCell<HashMap<String, Scalar<Logic>>>,
}

/// Returns the constant with this name.
pub fn constant(ty: Ty, name: &str) -> Scalar<Logic> {
    match ty {
        Ty::F32 => Scalar::F(Word::Term(BV::new_const(name, 32))),
        Ty::I32 => Scalar::I(Word::Term(BV::new_const(name, 32))),
        Ty::Bool => Scalar::B(Truth::Term(Bool::new_const(name))),
    }
}

impl Source<Logic> for Terms {
    fn value(&self, _: &Logic, ty: Ty, name: &str) -> Scalar<Logic> {
        if let Some(value) = self.known.borrow().get(name) {
            return value.clone();
        }
        let value = constant(ty, name);
        self.known.borrow_mut().insert(name.to_owned(), value.clone());
        value
    }

    fn call(&self, d: &Logic, name: &str, operands: &[Scalar<Logic>]) -> Word {
        let operands: Vec<BV> = operands
            .iter()
            .map(|operand| match operand {
                Scalar::F(v) => d.bits(v).term(),
                Scalar::I(v) => v.term(),
                Scalar::B(v) => v.term().ite(&BV::from_u64(1, 32), &BV::from_u64(0, 32)),
            })
            .collect();
        Word::Term(d.apply(name, &operands))
    }
}

/// A host for both machines: inputs and constants are unknowns by name; constant files, textures and buffers are functions of their operands; effects
/// are recorded.
pub struct RecordingHost<'a, D: Domain, S> {
    source: &'a S,
    /// The effects of each lane, in order.
    pub effects: [Vec<Effect<D>>; 4],
}

impl<'a, D: Domain, S: Source<D>> RecordingHost<'a, D, S> {
    /// Makes a host without recorded effects.
    pub fn new(source: &'a S) -> Self {
        RecordingHost { source, effects: [const { Vec::new() }; 4] }
    }

    fn float(&self, d: &D, name: &str) -> D::F {
        self.source.value(d, Ty::F32, name).f(d)
    }

    fn call_components(&self, d: &D, name: &str, operands: &[Scalar<D>]) -> [D::F; 4] {
        ["x", "y", "z", "w"].map(|c| self.source.call(d, &format!("{name}.{c}"), operands))
    }
}

/// Encodes a text as a name that needs no quotes in SMT-LIB. The encoding is injective.
fn smt_name(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            ' ' => plain.push('_'),
            c if c.is_ascii_alphanumeric() || c == '.' => plain.push(c),
            c => {
                plain.push('!');
                plain.push_str(&u32::from(c).to_string());
                plain.push('!');
            }
        }
    }
    plain
}

impl<D: Domain, S: Source<D>> Host<D> for RecordingHost<'_, D, S> {
    fn input(&mut self, d: &D, lane: usize, slot: u16) -> [D::F; 4] {
        std::array::from_fn(|c| self.float(d, &format!("lane{lane}.input{slot}.{c}")))
    }

    fn constant(&mut self, d: &D, slot: &D::I) -> [D::F; 4] {
        self.call_components(d, "constant", &[Scalar::I(slot.clone())])
    }

    fn int_constant(&mut self, d: &D, slot: u16) -> [D::I; 4] {
        std::array::from_fn(|c| self.source.value(d, Ty::I32, &format!("int{slot}.{c}")).i(d))
    }

    fn bool_constant(&mut self, d: &D, slot: u16) -> D::B {
        self.source.value(d, Ty::Bool, &format!("bool{slot}")).b(d)
    }

    fn sample(&mut self, d: &D, unit: u8, request: &SampleRequest<D::F>) -> [D::F; 4] {
        let mut operands: Vec<Scalar<D>> = request.coords.iter().cloned().map(Scalar::F).collect();
        let lod = match &request.lod {
            Lod::Base => "base",
            Lod::Explicit(level) => {
                operands.push(Scalar::F(level.clone()));
                "explicit"
            }
            Lod::Gradient { dx, dy, bias } => {
                operands.extend(dx.iter().chain(dy).chain([bias]).cloned().map(Scalar::F));
                "gradient"
            }
        };
        let access = if request.access == Access::PLAIN { None } else { Some(request.access) };
        let name = format!("sample{unit}.{lod}.{:?}.{:?}.{access:?}", request.dimension, request.state);
        self.call_components(d, &smt_name(&name), &operands)
    }

    fn fetch(&mut self, d: &D, buffer: u8, format: FetchFormat, index: &D::I) -> [D::F; 4] {
        self.call_components(d, &smt_name(&format!("fetch{buffer}.{format:?}")), &[Scalar::I(index.clone())])
    }

    fn effect(&mut self, _: &D, lane: usize, effect: Effect<D>) {
        if let Some(record) = self.effects.get_mut(lane) {
            record.push(effect);
        }
    }

    fn record(&mut self, _: Freedom, _: &D::B) {}
}
