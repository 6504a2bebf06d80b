//! The host of a shader (inputs, constants, textures, buffers) whose values are unknowns.

use crate::term::{B, F, I, Term, Terms, Ty};
use lockstep_core::host::{Access, Effect, Environment, FetchFormat, Host, Lod, SampleRequest};
use lockstep_core::value::{Domain, Freedom};
use std::collections::BTreeSet;

/// Inputs are unknowns; constants, textures and buffers are unknown functions of everything passed to them; effects are recorded.
///
/// A constant file is a function of the slot: the result of an out-of-range read is a property of the file and equal on both sides. Integer and
/// Boolean constants, which control loops and branches, may be concrete instead.
#[derive(Clone, Debug, Default)]
pub struct SymbolicHost<'a> {
    /// The effects that each lane recorded, in order.
    pub effects: [Vec<Effect<Terms>>; 4],
    /// The environment with concrete control constants; `None` if they are unknowns. Slots outside it are 0 and false.
    pub environment: Option<&'a Environment>,
    /// The control constants that were read from `environment`.
    pub read: ControlReads,
    /// The number of effects of each lane, recorded or not.
    effect_counts: [usize; 4],
    /// The number of effects of each lane whose condition is known to be false.
    infeasible_counts: [usize; 4],
}

/// The integer and Boolean (control) constants that a run has read.
#[derive(Clone, Debug, Default)]
pub struct ControlReads {
    ints: BTreeSet<u16>,
    bools: BTreeSet<u16>,
}

impl ControlReads {
    /// Adds the constants that another run read.
    pub fn extend(&mut self, other: &ControlReads) {
        self.ints.extend(&other.ints);
        self.bools.extend(&other.bools);
    }

    /// Whether two environments have equal values for all constants in this set.
    pub fn agree(&self, a: &Environment, b: &Environment) -> bool {
        self.ints.iter().all(|slot| int(a, *slot) == int(b, *slot))
            && self.bools.iter().all(|slot| truth(a, *slot) == truth(b, *slot))
    }
}

fn int(environment: &Environment, slot: u16) -> [i32; 4] {
    environment.ints.get(usize::from(slot)).copied().unwrap_or_default()
}

fn truth(environment: &Environment, slot: u16) -> bool {
    environment.bools.get(usize::from(slot)).copied().unwrap_or_default()
}

impl<'a> SymbolicHost<'a> {
    /// Makes a host with concrete control constants.
    pub fn with_environment(environment: &'a Environment) -> Self {
        SymbolicHost { environment: Some(environment), ..SymbolicHost::default() }
    }

    /// Returns the number of effects of a lane, including impossible ones; `None` if an effect is neither recorded nor known to be impossible.
    pub fn effect_count(&self, lane: usize) -> Option<usize> {
        (self.effect_counts[lane] == self.effects[lane].len() + self.infeasible_counts[lane])
            .then_some(self.effect_counts[lane])
    }
}

fn component(c: usize) -> char {
    ['x', 'y', 'z', 'w'][c & 3]
}

impl Host<Terms> for SymbolicHost<'_> {
    fn input(&mut self, d: &Terms, lane: usize, slot: u16) -> [F; 4] {
        std::array::from_fn(|c| d.input(lane, slot, c))
    }

    fn constant(&mut self, d: &Terms, slot: &I) -> [F; 4] {
        ["constant.x", "constant.y", "constant.z", "constant.w"].map(|name| d.apply_f(name, [slot.0]))
    }

    fn int_constant(&mut self, d: &Terms, slot: u16) -> [I; 4] {
        if let Some(environment) = self.environment {
            self.read.ints.insert(slot);
            return int(environment, slot).map(|v| d.i(v));
        }
        std::array::from_fn(|c| d.unknown_i(&format!("int{slot}.{}", component(c))))
    }

    fn bool_constant(&mut self, d: &Terms, slot: u16) -> B {
        if let Some(environment) = self.environment {
            self.read.bools.insert(slot);
            return d.b(truth(environment, slot));
        }
        d.unknown_b(&format!("bool{slot}"))
    }

    fn sample(&mut self, d: &Terms, unit: u8, request: &SampleRequest<F>) -> [F; 4] {
        // Everything in the request that is not a value is part of the function's name.
        let mut operands: Vec<Term> = request.coords.iter().map(|f| f.0).collect();
        let lod = match &request.lod {
            Lod::Base => "base",
            Lod::Explicit(level) => {
                operands.push(level.0);
                "explicit"
            }
            Lod::Gradient { dx, dy, bias } => {
                operands.extend(dx.iter().chain(dy).map(|f| f.0));
                operands.push(bias.0);
                "gradient"
            }
        };
        let mut what = format!("sample{unit} {:?} {:?} {lod}", request.dimension, request.state);
        if request.access != Access::PLAIN {
            what = format!("{what} {:?}", request.access);
        }
        std::array::from_fn(|c| d.apply_f(&format!("{what}.{}", component(c)), operands.iter().copied()))
    }

    fn fetch(&mut self, d: &Terms, buffer: u8, format: FetchFormat, index: &I) -> [F; 4] {
        std::array::from_fn(|c| d.apply_f(&format!("fetch{buffer} {format:?}.{}", component(c)), [index.0]))
    }

    fn effect(&mut self, d: &Terms, lane: usize, mut effect: Effect<Terms>) {
        if let Some(count) = self.effect_counts.get_mut(lane) {
            *count += 1;
        }
        // An effect that cannot happen is not recorded.
        if d.known_b(&effect.when) == Some(false) {
            if let Some(infeasible_counts) = self.infeasible_counts.get_mut(lane) {
                *infeasible_counts += 1;
            }
            return;
        }
        // Components outside the mask are not compared.
        for (c, value) in effect.values.iter_mut().enumerate() {
            if effect.mask >> c & 1 == 0 {
                *value = d.f(0.0);
            }
        }
        if let Some(record) = self.effects.get_mut(lane) {
            record.push(effect);
        }
    }

    fn record(&mut self, _: Freedom, _: &B) {}
}

/// Returns an unknown with the type of an IR variable.
pub fn unknown(d: &Terms, ty: lockstep_core::ir::Ty, name: &str) -> lockstep_core::ir::eval::Scalar<Terms> {
    use lockstep_core::ir::{Ty as V, eval::Scalar};
    match ty {
        V::F32 => Scalar::F(d.unknown_f(name)),
        V::I32 => Scalar::I(d.unknown_i(name)),
        V::Bool => Scalar::B(d.unknown_b(name)),
    }
}

/// Returns the unknown that is the value of a lane's register before a step. Such an unknown is requested often, so each arena builds its name only
/// once. Registers with the same lane, key and type share the unknown.
pub fn register(
    d: &Terms,
    ty: lockstep_core::ir::Ty,
    lane: usize,
    key: lockstep_core::ir::VarKey,
    name: impl FnOnce() -> String,
) -> lockstep_core::ir::eval::Scalar<Terms> {
    use lockstep_core::ir::{Ty as V, eval::Scalar};
    let place = |ty: u32| {
        (
            1 << 31 | ty << 8 | lane as u32,
            u32::from(key.file) << 16 | u32::from(key.index),
            key.component.into(),
        )
    };
    match ty {
        V::F32 => Scalar::F(F(d.arena_mut().unknown_at(place(0), Ty::F, name))),
        V::I32 => Scalar::I(I(d.arena_mut().unknown_at(place(1), Ty::I, name))),
        V::Bool => Scalar::B(B(d.arena_mut().unknown_at(place(2), Ty::B, name))),
    }
}

/// Returns the type and the term of a value.
pub fn term(value: &lockstep_core::ir::eval::Scalar<Terms>) -> (Ty, Term) {
    use lockstep_core::ir::eval::Scalar;
    match value {
        Scalar::F(v) => (Ty::F, v.0),
        Scalar::I(v) => (Ty::I, v.0),
        Scalar::B(v) => (Ty::B, v.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_agree_where_their_constants_were_read() {
        let with = |ints: &[i32], bools: &[bool]| Environment {
            ints: ints.iter().map(|v| [*v; 4]).collect(),
            bools: bools.to_vec(),
            ..Environment::default()
        };
        let first = with(&[1, 2], &[true]);
        let mut host = SymbolicHost::with_environment(&first);
        let d = Terms::default();
        host.int_constant(&d, 1);
        host.bool_constant(&d, 3);
        assert!(host.read.agree(&first, &with(&[7, 2], &[false])), "the constants that differ were not read");
        assert!(!host.read.agree(&first, &with(&[1, 3], &[true])));
        assert!(
            !host.read.agree(&first, &with(&[1, 2], &[true, false, false, true])),
            "missing constants are false"
        );
        let mut all = ControlReads::default();
        assert!(all.agree(&first, &with(&[], &[])));
        all.extend(&host.read);
        assert!(!all.agree(&first, &with(&[], &[])));
    }
}
