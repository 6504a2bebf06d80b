//! Values made wrong, and a host that makes the effects of one instruction wrong.

use super::doing::effect_keys;
use lockstep_core::host::{Bound, Effect, FetchFormat, Host, SampleRequest};
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::value::{Concrete, Freedom};
use std::collections::BTreeSet;

/// The bits tried: the first of the fraction, which most numbers feel, and the first of the exponent, which zeros feel too.
pub(super) const BITS: [u32; 2] = [22, 30];
/// The same and the sign, which a comparison feels that no other bit takes across its border.
pub(super) const BITS_AND_SIGN: [u32; 3] = [BITS[0], BITS[1], 31];
/// Turning a bit over must not make a number greater than this: infinity times zero would say that a lost number was not lost.
const LARGEST: f32 = 65536.0;

/// A number with a bit turned over; with another one where that would make it huge.
fn turned(v: f32, bit: u32) -> f32 {
    let other = f32::from_bits(v.to_bits() ^ 1 << bit);
    if other.abs() <= LARGEST { other } else { f32::from_bits(v.to_bits() ^ 1 << BITS[0]) }
}

/// A value with a bit turned over.
pub(super) fn altered(value: &Scalar<Concrete>, bit: u32) -> Scalar<Concrete> {
    match value {
        Scalar::F(v) => Scalar::F(turned(*v, bit)),
        Scalar::I(v) => Scalar::I(v ^ 1 << bit),
        Scalar::B(v) => Scalar::B(!v),
    }
}

/// A host that passes everything on, and turns a bit over in what it is told to.
pub(super) struct Altering<'a> {
    /// What is behind it.
    pub(super) inner: Bound<'a, false>,
    /// The components of effects to make wrong; an effect in which none counts goes elsewhere.
    pub(super) wrong: Option<&'a BTreeSet<VarKey>>,
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
        if let Some(wrong) = self.wrong {
            for key in effect_keys(effect.index, effect.mask).filter(|key| wrong.contains(key)) {
                if effect.mask == 0 {
                    effect.index ^= 1;
                } else {
                    let value = &mut effect.values[usize::from(key.component)];
                    *value = turned(*value, BITS[0]);
                }
            }
        }
        self.inner.effect(d, lane, effect);
    }

    fn touch(&mut self, freedom: Freedom, when: &bool) {
        self.inner.touch(freedom, when);
    }
}
