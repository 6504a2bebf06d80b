//! The host over sets of values. Each read returns a set that contains the values that any group of the environment reads.

use super::{ConcreteHost, Effect, Environment, FetchFormat, Host, SampleRequest};
use crate::value::range::{FloatRange, IntRange, Ranged, Ranges, TruthRange};
use crate::value::{Concrete, Domain, Freedom};

/// A [`Host`] over an [`Environment`] for one group that represents all groups: each lane reads a set that contains the values that the lanes at the
/// same position of all groups read. Constants are exact, and so are texture and buffer reads whose operands are single values; other reads of these
/// may give any value.
///
/// Effects are recorded in the order in which they are passed, without a limit, including those that may not happen.
#[derive(Clone, Debug)]
pub struct RangeHost<'a> {
    environment: &'a Environment,
    group: usize,
    effects: Vec<(usize, Effect<Ranges>)>,
}

impl<'a> RangeHost<'a> {
    /// A host for groups of `group` lanes; 0 counts as 1.
    pub fn new(environment: &'a Environment, group: usize) -> RangeHost<'a> {
        RangeHost { environment, group: group.max(1), effects: Vec::new() }
    }

    /// The effects that lanes may have, each with the lane's number in the group.
    pub fn effects(&self) -> &[(usize, Effect<Ranges>)] {
        &self.effects
    }

    /// The same effects, to be changed.
    pub fn effects_mut(&mut self) -> &mut [(usize, Effect<Ranges>)] {
        &mut self.effects
    }

    /// The environment's textures and buffers.
    fn exact(&self) -> ConcreteHost<'_, false> {
        ConcreteHost::new(self.environment, 0)
    }
}

const ZEROS: [f32; 4] = [0.0; 4];

/// The smallest sets that contain the components of all vectors: one set for each component.
fn hull<'a>(d: &Ranges, vectors: impl Iterator<Item = &'a [f32; 4]>) -> [Ranged; 4] {
    let mut all = [FloatRange::EMPTY; 4];
    for vector in vectors {
        for (set, v) in all.iter_mut().zip(vector) {
            *set = set.join(&FloatRange::of(*v));
        }
    }
    all.map(|set| d.new_value(set))
}

fn anything(d: &Ranges) -> [Ranged; 4] {
    std::array::from_fn(|_| d.new_value(FloatRange::ANYTHING))
}

impl Host<Ranges> for RangeHost<'_> {
    fn input(&mut self, d: &Ranges, lane: usize, slot: u16) -> [Ranged; 4] {
        // Groups are always whole: lanes beyond the last have inputs of zero.
        let lanes = &self.environment.lanes;
        let numbers = (lane..lanes.len().max(1).next_multiple_of(self.group)).step_by(self.group);
        let input = |number: usize| lanes.get(number).and_then(|lane| lane.slots.get(usize::from(slot)));
        hull(d, numbers.map(|number| input(number).unwrap_or(&ZEROS)))
    }

    fn constant(&mut self, d: &Ranges, slot: &IntRange) -> [Ranged; 4] {
        let constants = &self.environment.constants;
        let named = constants.iter().enumerate().filter(|(k, _)| slot.contains(*k as i32));
        let beyond = slot.low < 0 || i64::from(slot.high) >= constants.len() as i64;
        hull(d, named.map(|(_, vector)| vector).chain(beyond.then_some(&ZEROS)))
    }

    fn int_constant(&mut self, _: &Ranges, slot: u16) -> [IntRange; 4] {
        self.environment.ints.get(usize::from(slot)).copied().unwrap_or_default().map(IntRange::of)
    }

    fn bool_constant(&mut self, _: &Ranges, slot: u16) -> TruthRange {
        TruthRange::of(self.environment.bools.get(usize::from(slot)).copied().unwrap_or_default())
    }

    fn sample(&mut self, d: &Ranges, unit: u8, request: &SampleRequest<Ranged>) -> [Ranged; 4] {
        let known = request.try_map(|value| d.known_f(value));
        known
            .map_or_else(|| anything(d), |known| self.exact().sample(&Concrete, unit, &known).map(|v| d.f(v)))
    }

    fn fetch(&mut self, d: &Ranges, buffer: u8, format: FetchFormat, index: &IntRange) -> [Ranged; 4] {
        let known = d.known_i(index);
        known.map_or_else(
            || anything(d),
            |index| self.exact().fetch(&Concrete, buffer, format, &index).map(|v| d.f(v)),
        )
    }

    fn effect(&mut self, _: &Ranges, lane: usize, effect: Effect<Ranges>) {
        if effect.when.yes {
            self.effects.push((lane, effect));
        }
    }

    fn record(&mut self, _: Freedom, _: &TruthRange) {}
}
