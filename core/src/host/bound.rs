//! The host over a concrete environment.

use super::{
    Buffer, Effect, EffectRecord, Environment, FetchFormat, Host, SampleRequest, fetch::fetch, sample,
};
use crate::value::{Concrete, Freedom, FreedomSet};

/// The result of reading a texture unit without a texture.
pub const NO_TEXTURE: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Used for a missing buffer. A missing buffer reads as an empty one, so removing empty buffers from the end of an environment changes no result.
static NO_BUFFER: Buffer = Buffer { words: Vec::new() };

/// A [`Host`] over an [`Environment`] for one group of up to four lanes, the first of which is lane `base` of the environment.
///
/// Out-of-range reads return zeros, except that a missing texture reads (0, 0, 0, 1) and a missing buffer reads as an empty one. Lanes above 3 have
/// no inputs and no record. With `TRACK` the host collects each [`Freedom`] (a point that documents leave open) that the run
/// records; without `TRACK`, [`Host::record`] does nothing.
#[derive(Clone, Debug)]
pub struct ConcreteHost<'a, const TRACK: bool> {
    environment: &'a Environment,
    base: usize,
    records: [Vec<EffectRecord>; 4],
    overflow: [bool; 4],
    freedoms: FreedomSet,
}

impl<'a, const TRACK: bool> ConcreteHost<'a, TRACK> {
    /// A host for the lanes from `base` on, with nothing recorded.
    pub fn new(environment: &'a Environment, base: usize) -> Self {
        ConcreteHost {
            environment,
            base,
            records: [const { Vec::new() }; 4],
            overflow: [false; 4],
            freedoms: FreedomSet::default(),
        }
    }

    /// Clears all results and moves to the lanes from `base` on. The memory of the records is reused.
    pub fn restart(&mut self, base: usize) {
        self.base = base;
        self.records.iter_mut().for_each(Vec::clear);
        self.overflow = [false; 4];
        self.freedoms = FreedomSet::default();
    }

    /// The environment.
    pub fn environment(&self) -> &'a Environment {
        self.environment
    }

    /// The effects of `lane` (0 to 3 within the group) in order; at most as many as the environment allows.
    pub fn records(&self, lane: usize) -> &[EffectRecord] {
        self.records.get(lane).map_or(&[], Vec::as_slice)
    }

    /// Returns the effects of all four lanes.
    pub fn into_records(self) -> [Vec<EffectRecord>; 4] {
        self.records
    }

    /// Whether an effect of `lane` (0 to 3 within the group) was dropped because the lane already had as many as the environment allows.
    pub fn overflowed(&self, lane: usize) -> bool {
        self.overflow.get(lane).copied().unwrap_or_default()
    }

    /// The Freedoms recorded so far; always empty without `TRACK`.
    pub fn freedoms(&self) -> FreedomSet {
        self.freedoms
    }
}

/// `slice[index]`, or the default if out of range.
#[inline(always)]
fn at<T: Copy + Default>(slice: &[T], index: usize) -> T {
    slice.get(index).copied().unwrap_or_default()
}

impl<const TRACK: bool> Host<Concrete> for ConcreteHost<'_, TRACK> {
    #[inline]
    fn input(&mut self, _: &Concrete, lane: usize, slot: u16) -> [f32; 4] {
        if lane >= 4 {
            return [0.0; 4];
        }
        let lane = self.base.checked_add(lane).and_then(|lane| self.environment.lanes.get(lane));
        lane.map_or([0.0; 4], |lane| at(&lane.slots, slot.into()))
    }

    #[inline]
    fn constant(&mut self, _: &Concrete, slot: &i32) -> [f32; 4] {
        usize::try_from(*slot).map_or([0.0; 4], |slot| at(&self.environment.constants, slot))
    }

    #[inline]
    fn int_constant(&mut self, _: &Concrete, slot: u16) -> [i32; 4] {
        at(&self.environment.ints, slot.into())
    }

    #[inline]
    fn bool_constant(&mut self, _: &Concrete, slot: u16) -> bool {
        at(&self.environment.bools, slot.into())
    }

    #[inline]
    fn sample(&mut self, _: &Concrete, unit: u8, request: &SampleRequest<f32>) -> [f32; 4] {
        let texture = self.environment.textures.get(usize::from(unit));
        if TRACK {
            let other = texture.is_some_and(|texture| texture.dimension != request.dimension);
            self.freedoms.record(Freedom::TextureDimension, other);
        }
        texture.map_or(NO_TEXTURE, |texture| sample(texture, request))
    }

    #[inline]
    fn fetch(&mut self, _: &Concrete, buffer: u8, format: FetchFormat, index: &i32) -> [f32; 4] {
        fetch(self.environment.buffers.get(usize::from(buffer)).unwrap_or(&NO_BUFFER), format, *index)
    }

    fn effect(&mut self, _: &Concrete, lane: usize, effect: Effect<Concrete>) {
        if !effect.when {
            return;
        }
        let (Some(records), Some(overflow)) = (self.records.get_mut(lane), self.overflow.get_mut(lane))
        else {
            return;
        };
        if records.len() as u64 >= u64::from(self.environment.effects) {
            *overflow = true;
            return;
        }
        let Effect { when: _, kind, index, mask, mut values } = effect;
        for (component, value) in values.iter_mut().enumerate() {
            if mask >> component & 1 == 0 {
                *value = 0.0;
            }
        }
        records.push(EffectRecord { kind, index, mask, values });
    }

    #[inline(always)]
    fn record(&mut self, freedom: Freedom, when: &bool) {
        if TRACK {
            self.freedoms.record(freedom, *when);
        }
    }

    #[inline(always)]
    fn records_freedoms(&self) -> bool {
        TRACK
    }
}
