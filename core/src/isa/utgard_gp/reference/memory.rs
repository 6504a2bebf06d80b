//! Uniforms and temporaries, and pending stores.

use super::{Cx, Lane, LaneContext, UnitResult, Vec4};
use crate::host::Host;
use crate::isa::utgard_gp::options::Choice;
use crate::isa::utgard_gp::program::{Target, Word};
use crate::isa::utgard_gp::source::{ResultOf, Source, StoreSource};
use crate::value::{Domain, FUn, Freedom, IBin, ICmp};

/// Number of slots of the memory shared by uniforms and temporaries.
pub const SLOTS: usize = 512;

/// Cycles until a store to a register can be read.
const REGISTER_LATENCY: u8 = 3;
/// Cycles until a stored temporary can be loaded, and until a new address register value takes effect.
const SLOW_LATENCY: u8 = 4;

/// The destination of a component of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingTarget {
    /// The register with this number.
    Register(u8),
    /// The temporary whose slot is in [`PendingStore::slot`].
    Temporary,
}

/// A pending write of an address register.
#[derive(Clone, Debug)]
pub struct PendingAddress<D: Domain> {
    /// The register's number, 1 to 3.
    pub register: usize,
    /// The value to write, which is a slot number.
    pub value: D::I,
}

/// The stores of one word that have not all arrived.
#[derive(Clone, Debug)]
pub struct PendingStore<D: Domain> {
    /// The index of the word.
    pub word: u32,
    /// The number of cycles from that word to the next word that will run.
    pub age: u8,
    /// For each component, its destination and value.
    pub values: [Option<(PendingTarget, D::F)>; 4],
    /// The slot of the temporary, if a component is stored to a temporary.
    pub slot: D::I,
    /// The address register that was set, and its value.
    pub address: Option<PendingAddress<D>>,
}

impl<D: Domain> PendingStore<D> {
    fn is_empty(&self) -> bool {
        self.address.is_none() && self.values.iter().all(Option::is_none)
    }
}

/// Completes the stores that are due, oldest word first.
pub(super) fn complete_due_stores<D: Domain>(d: &D, lane: &mut Lane<D>) {
    let Lane { pending: flights, registers, memory, address, .. } = lane;
    for entry in flights.iter_mut().rev() {
        let Some(flight) = entry else { continue };
        for (c, value) in flight.values.iter_mut().enumerate() {
            match value {
                Some((PendingTarget::Register(n), v)) if flight.age >= REGISTER_LATENCY => {
                    registers[usize::from(*n & 15)][c] = v.clone();
                    *value = None;
                }
                Some((PendingTarget::Temporary, v)) if flight.age >= SLOW_LATENCY => {
                    store(d, memory, &flight.slot, c, v);
                    *value = None;
                }
                _ => {}
            }
        }
        if let Some(set) = flight.address.take_if(|_| flight.age >= SLOW_LATENCY) {
            address[set.register & 3] = set.value;
        }
        if flight.is_empty() {
            *entry = None;
        }
    }
}

/// Adds a word's stores to the pending ones, and adds `cycles` to the age of all pending stores.
pub(super) fn issue_stores<D: Domain>(lane: &mut Lane<D>, flight: PendingStore<D>, cycles: u8) {
    let is_empty = flight.is_empty();
    if is_empty && lane.pending.iter().all(Option::is_none) {
        return;
    }
    let newest = Some(flight).filter(|_| !is_empty);
    let older = std::mem::replace(&mut lane.pending, [const { None }; 4]).into_iter().flatten();
    for (entry, mut flight) in lane.pending.iter_mut().zip(newest.into_iter().chain(older)) {
        flight.age += cycles;
        *entry = Some(flight);
    }
}

/// Converts an address from float to an integer slot number, as the options select.
fn slot_number<D: Domain, H: Host<D>>(d: &D, host: &mut H, cx: &Cx<'_>, value: &D::F) -> D::I {
    let whole = d.eq(&d.un(FUn::Floor, value), value);
    host.record(Freedom::IndexConversion, &d.not(&whole));
    match cx.options.get(Choice::Address as usize) {
        0 => d.trunc_i(value),
        1 => d.trunc_i(&d.un(FUn::RoundEven, value)),
        _ => d.trunc_i(&d.un(FUn::Floor, value)),
    }
}

/// Maps a slot into range as the options select.
fn in_range<D: Domain, H: Host<D>>(d: &D, host: &mut H, cx: &Cx<'_>, slot: &D::I) -> D::I {
    let last = d.i(SLOTS as i32 - 1);
    let below = d.icmp(ICmp::LtS, slot, &d.i(0));
    let above = d.icmp(ICmp::LtS, &last, slot);
    host.record(Freedom::IndexRange, &d.or(&below, &above));
    match cx.options.get(Choice::AddressRange as usize) {
        0 => slot.clone(),
        1 => d.ibin(IBin::And, slot, &last),
        _ => d.sel_i(&below, &d.i(0), &d.sel_i(&above, &last, slot)),
    }
}

/// Returns the value that the load port reads; zeros if no operand uses the port.
pub(super) fn load<D: Domain, H: Host<D>>(
    d: &D,
    host: &mut H,
    cx: &Cx<'_>,
    lane: &Lane<D>,
    word: &Word,
) -> Vec4<D> {
    let zeros = || std::array::from_fn(|_| d.f(0.0));
    if !word.loads() {
        return zeros();
    }
    let base = d.i(i32::from(word.load.address));
    let slot = match word.load.register() {
        None => base,
        Some(register) => {
            let slot = d.ibin(IBin::Add, &base, &lane.address[register]);
            in_range(d, host, cx, &slot)
        }
    };
    if lane.memory.is_empty() {
        let inside = d.icmp(ICmp::LtU, &slot, &d.i(SLOTS as i32));
        let value = host.constant(d, &slot);
        return value.map(|v| d.sel(&inside, &v, &d.f(0.0)));
    }
    if let Some(known) = d.known_i(&slot) {
        let value = usize::try_from(known).ok().and_then(|slot| lane.memory.get(slot));
        return value.cloned().unwrap_or_else(zeros);
    }
    lane.memory.iter().enumerate().fold(zeros(), |rest, (k, value)| {
        let here = d.icmp(ICmp::Eq, &slot, &d.i(k as i32));
        std::array::from_fn(|c| d.sel(&here, &value[c], &rest[c]))
    })
}

/// Stores a component of a temporary; slots outside the memory are ignored.
fn store<D: Domain>(d: &D, memory: &mut [Vec4<D>], slot: &D::I, c: usize, value: &D::F) {
    if let Some(known) = d.known_i(slot) {
        if let Some(vector) = usize::try_from(known).ok().and_then(|slot| memory.get_mut(slot)) {
            vector[c] = value.clone();
        }
        return;
    }
    for (k, vector) in memory.iter_mut().enumerate() {
        vector[c] = d.sel(&d.icmp(ICmp::Eq, slot, &d.i(k as i32)), value, &vector[c]);
    }
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Sets address register 0, stores varyings, and returns the stores that arrive later.
    pub(super) fn stores(
        &mut self,
        word: &Word,
        results: &[UnitResult<D>; 6],
        lane: &mut Lane<D>,
    ) -> PendingStore<D> {
        let d = self.d;
        let mut address = None;
        if let Some(set) = word.address_set() {
            let value = if set.from_pass {
                results[ResultOf::Pass as usize].number(d)
            } else {
                self.number(Source::decode(word.complex_src, false), &lane.forwarded)
            };
            let value = slot_number(d, self.host, self.cx, &value);
            if set.zero {
                lane.address[0] = value.clone();
            }
            address = set.later.map(|register| PendingAddress { register, value });
        }
        let slot = in_range(d, self.host, self.cx, &lane.address[0]);
        let mut values = [const { None }; 4];
        for (unit, store) in word.store.iter().enumerate() {
            for (k, stored) in store.stored().into_iter().enumerate() {
                let StoreSource::Result(of) = stored else { continue };
                let value = results[of as usize].number(d);
                let c = 2 * unit + k;
                match store.target() {
                    Target::Varying(n) => lane.varyings[usize::from(n & 15)][c] = value,
                    Target::Register(n) => values[c] = Some((PendingTarget::Register(n & 15), value)),
                    Target::Temporary => values[c] = Some((PendingTarget::Temporary, value)),
                    Target::Unknown => {}
                }
            }
        }
        PendingStore { word: lane.pc, age: 0, values, slot, address }
    }

    /// Returns the numeric value of an operand.
    pub(super) fn number(&mut self, source: Source, before: &[super::ForwardedValues<D>; 2]) -> D::F {
        self.operand(source, before, 0.0).number(self.d)
    }

    /// Returns the value of an operand. `identity` is the unit's value for the identity operand.
    pub(super) fn operand(
        &mut self,
        source: Source,
        before: &[super::ForwardedValues<D>; 2],
        identity: f32,
    ) -> UnitResult<D> {
        let at = |c: u8| usize::from(c & 3);
        match source {
            Source::Port0(c) => {
                let value = self.port0[at(c)].clone();
                UnitResult::Number(if self.port0_is_register { self.register(value) } else { value })
            }
            Source::Port1(c) => {
                let value = self.port1[at(c)].clone();
                UnitResult::Number(self.register(value))
            }
            Source::Load(c) => UnitResult::Number(self.load[at(c)].clone()),
            Source::Port0Before(c) => match before[0].port0[at(c)].clone() {
                UnitResult::Number(value) => UnitResult::Number(self.register(value)),
                other => other,
            },
            Source::Result { of, age } => before[usize::from(age > 1)].results[of as usize].clone(),
            Source::Identity => UnitResult::Number(self.d.f(identity)),
            Source::Unused | Source::Unknown(_) => UnitResult::Nothing,
        }
    }

    /// Returns a value read from a register, and records whether it may be that of an unwritten register: 0 or, under an option, NaN.
    fn register(&mut self, value: D::F) -> D::F {
        if self.host.records_freedoms() {
            let d = self.d;
            let unwritten = d.or(&d.eq(&value, &d.f(0.0)), &d.is_nan(&value));
            self.record(Freedom::Unwritten, &unwritten);
        }
        value
    }
}
