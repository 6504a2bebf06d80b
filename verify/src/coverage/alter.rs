//! Alters values, and wraps a host to alter the effects of one instruction.

use super::direct_effects::effect_keys;
use lockstep_core::host::{ConcreteHost, Effect, FetchFormat, Host, SampleRequest};
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::value::{Concrete, Freedom};
use std::collections::BTreeSet;

/// The bits to flip: the top bit of the fraction, which affects most numbers, and the top bit of the exponent, which also affects zero.
pub(super) const BITS: [u32; 2] = [22, 30];
/// The bits of [`BITS`] and the sign bit, which alone changes the result of some comparisons.
pub(super) const BITS_AND_SIGN: [u32; 3] = [BITS[0], BITS[1], 31];
/// A flip that gives a greater magnitude than this is replaced by a flip of the first of [`BITS`]: the greater number could become infinite, and
/// infinity times zero would make an unused value look live.
const LARGEST: f32 = 65536.0;

/// Flips a bit of a number; flips the first of [`BITS`] instead if the magnitude of the result would exceed [`LARGEST`].
fn flipped(v: f32, bit: u32) -> f32 {
    let other = f32::from_bits(v.to_bits() ^ 1 << bit);
    if other.abs() <= LARGEST { other } else { f32::from_bits(v.to_bits() ^ 1 << BITS[0]) }
}

/// Returns a value with the bit flipped, for a float as [`flipped`] does it; a truth value is inverted.
pub(super) fn altered(value: &Scalar<Concrete>, bit: u32) -> Scalar<Concrete> {
    match value {
        Scalar::F(v) => Scalar::F(flipped(*v, bit)),
        Scalar::I(v) => Scalar::I(v ^ 1 << bit),
        Scalar::B(v) => Scalar::B(!v),
    }
}

/// A host that forwards every call and flips a bit in selected effects.
pub(super) struct Altering<'a> {
    /// The wrapped host.
    pub(super) inner: ConcreteHost<'a, false>,
    /// The components of effects to alter; an effect without components gets another destination instead.
    pub(super) altered_keys: Option<&'a BTreeSet<VarKey>>,
}

impl Host<Concrete> for Altering<'_> {
    fn input(&mut self, d: &Concrete, lane: usize, slot: u16) -> [f32; 4] {
        self.inner.input(d, lane, slot)
    }

    fn constant(&mut self, d: &Concrete, slot: &i32) -> [f32; 4] {
        self.inner.constant(d, slot)
    }

    fn int_constant(&mut self, d: &Concrete, slot: u16) -> [i32; 4] {
        self.inner.int_constant(d, slot)
    }

    fn bool_constant(&mut self, d: &Concrete, slot: u16) -> bool {
        self.inner.bool_constant(d, slot)
    }

    fn sample(&mut self, d: &Concrete, unit: u8, request: &SampleRequest<f32>) -> [f32; 4] {
        self.inner.sample(d, unit, request)
    }

    fn fetch(&mut self, d: &Concrete, buffer: u8, format: FetchFormat, index: &i32) -> [f32; 4] {
        self.inner.fetch(d, buffer, format, index)
    }

    fn effect(&mut self, d: &Concrete, lane: usize, mut effect: Effect<Concrete>) {
        if let Some(wrong) = self.altered_keys {
            for key in effect_keys(effect.index, effect.mask).filter(|key| wrong.contains(key)) {
                if effect.mask == 0 {
                    effect.index ^= 1;
                } else {
                    let value = &mut effect.values[usize::from(key.component)];
                    *value = flipped(*value, BITS[0]);
                }
            }
        }
        self.inner.effect(d, lane, effect);
    }

    fn record(&mut self, freedom: Freedom, when: &bool) {
        self.inner.record(freedom, when);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_altered_value_differs_and_keeps_its_type() {
        for bit in BITS_AND_SIGN {
            for v in [0.0, -0.0, 1.0, -3.5, LARGEST, f32::MAX, f32::INFINITY, f32::NAN] {
                let Scalar::F(other) = altered(&Scalar::F(v), bit) else { panic!("{v} becomes no float") };
                assert_ne!(other.to_bits(), v.to_bits(), "bit {bit}");
            }
            for v in [0, 1, -1, i32::MIN] {
                assert!(
                    matches!(altered(&Scalar::I(v), bit), Scalar::I(other) if other != v),
                    "{v}, bit {bit}"
                );
            }
            for v in [false, true] {
                assert!(
                    matches!(altered(&Scalar::B(v), bit), Scalar::B(other) if other != v),
                    "{v}, bit {bit}"
                );
            }
        }
    }
}
