//! Refinement: maps a node and the values of its variables to a lane of the reference, and back.

use super::lower::{ControlState, Outline, PendingWord, UnitResultKind, kind};
use super::program::{Program, Target, Word};
use super::reference::{
    Lane, PendingAddress, PendingStore, PendingTarget, SLOTS, UnitResult, stores_temporaries,
};
use super::source::{ResultOf, Source, StoreSource};
use super::variables::{File, result};
use crate::ir::VarKey;
use crate::ir::eval::Scalar;
use crate::isa::{KILLED, State};
use crate::value::Domain;
use smallvec::SmallVec;

/// Returns the destinations of a word's delayed stores. `registers` states whether the word's stores to registers are still pending.
fn store_targets(word: &Word, registers: bool) -> [Option<PendingTarget>; 4] {
    std::array::from_fn(|c| {
        let store = word.store[c / 2];
        match (store.target(), store.stored()[c % 2]) {
            (Target::Register(n), StoreSource::Result(_)) if registers => {
                Some(PendingTarget::Register(n & 15))
            }
            (Target::Temporary, StoreSource::Result(_)) => Some(PendingTarget::Temporary),
            _ => None,
        }
    })
}

/// Returns a result of this kind. `value` is called unless the kind is [`UnitResultKind::Nothing`].
fn unit_result<D: Domain>(kind: UnitResultKind, value: impl FnOnce() -> D::F) -> UnitResult<D> {
    match kind {
        UnitResultKind::Nothing => UnitResult::Nothing,
        UnitResultKind::Number => UnitResult::Number(value()),
        UnitResultKind::LookupResult(op) => UnitResult::LookupResult(op, value()),
        UnitResultKind::Complex2Result => UnitResult::Complex2Result(value()),
        UnitResultKind::Preexp2Result => UnitResult::Preexp2Result(value()),
        UnitResultKind::Logarithm => UnitResult::Logarithm(value()),
    }
}

/// Returns, for each component, whether a word reads it from the previous word's read port 0.
fn reads_before(program: &Program, pc: u32) -> [bool; 4] {
    let mut read = [false; 4];
    for (source, _) in program.words.get(pc as usize).into_iter().flat_map(Word::operands) {
        if let Source::Port0Before(c) = source {
            read[usize::from(c & 3)] = true;
        }
    }
    read
}

/// Returns the lane at a node, given the values of the variables.
pub(super) fn refine<D: Domain>(
    d: &D,
    program: &Program,
    control: &ControlState,
    value: &mut dyn FnMut(VarKey) -> Scalar<D>,
) -> Lane<D> {
    let outline = Outline::of_program(program);
    let mut lane = Lane::new(d, &program.words, control.pc);
    lane.killed = value(KILLED).b(d);
    for (file, bank) in [(File::Register, &mut lane.registers), (File::Varying, &mut lane.varyings)] {
        for (n, register) in bank.iter_mut().enumerate() {
            for (c, component) in register.iter_mut().enumerate() {
                *component = value(file.key(n, c)).f(d);
            }
        }
    }
    if stores_temporaries(&program.words) {
        lane.memory =
            (0..SLOTS).map(|n| std::array::from_fn(|c| value(File::Memory.key(n, c)).f(d))).collect();
    }
    for (n, address) in lane.address.iter_mut().enumerate() {
        *address = value(File::Address.key(0, n)).i(d);
    }
    for (k, past) in control.pending.iter().enumerate().take(lane.pending.len()) {
        let Some(word) = program.words.get(usize::from(past.word)) else { continue };
        let values: [Option<(PendingTarget, D::F)>; 4] = {
            let store_targets = store_targets(word, past.registers);
            std::array::from_fn(|c| {
                store_targets[c].map(|put| (put, value(File::PendingStore.key(k, c)).f(d)))
            })
        };
        let address = word.address_set().and_then(|set| set.later);
        let address = address
            .map(|register| PendingAddress { register, value: value(File::PendingSlot.key(k, 1)).i(d) });
        // If the word stores no temporary, the slot is unused and no variable holds it.
        let stores_temporary = values.iter().flatten().any(|(put, _)| *put == PendingTarget::Temporary);
        let slot = if stores_temporary { value(File::PendingSlot.key(k, 0)).i(d) } else { d.i(0) };
        lane.pending[k] = Some(PendingStore { word: past.word.into(), age: past.age, values, slot, address });
    }
    for age in [1u8, 2] {
        let before = &mut lane.forwarded[usize::from(age > 1)];
        for of in ResultOf::ALL {
            let then = control.pc.checked_sub(age.into());
            let kind =
                then.map_or(UnitResultKind::Nothing, |then| kind(program, &outline, then, of, control.pc));
            before.results[of as usize] = unit_result(kind, || value(result(of, age)).f(d));
        }
    }
    if control.pc > 0 && !outline.is_leader(control.pc) {
        let read = reads_before(program, control.pc);
        for (c, port) in lane.forwarded[0].port0.iter_mut().enumerate().filter(|(c, _)| read[*c]) {
            *port = UnitResult::Number(value(File::Port.key(0, c)).f(d));
        }
    }
    lane
}

/// Returns all values of a lane that later words can observe. For a lane that has ended, these are only the varyings.
pub(super) fn state<D: Domain>(d: &D, program: &Program, ended: bool, lane: &Lane<D>) -> State<D> {
    // Destructured in full, so that adding a field to `Lane` forces an update here.
    let Lane {
        pc,
        registers,
        varyings,
        memory,
        address,
        pending: flight,
        forwarded: before,
        leaders: _,
        killed: _,
    } = lane;
    let mut all = State::<D>::with_capacity(192);
    let vectors = |all: &mut State<D>, file: File, bank: &[[D::F; 4]]| {
        for (n, register) in bank.iter().enumerate() {
            all.extend(register.iter().enumerate().map(|(c, v)| (file.key(n, c), Scalar::F(v.clone()))));
        }
    };
    vectors(&mut all, File::Varying, varyings);
    if ended {
        return all;
    }
    vectors(&mut all, File::Register, registers);
    vectors(&mut all, File::Memory, memory);
    all.extend(address.iter().enumerate().map(|(n, v)| (File::Address.key(0, n), Scalar::I(v.clone()))));
    for (k, flight) in flight.iter().enumerate() {
        let Some(PendingStore { word, age, values, slot, address }) = flight else { continue };
        let control_field = |c: usize, v: u32| (File::PendingDestination.key(k, c), Scalar::I(d.i(v as i32)));
        all.push(control_field(0, *word));
        all.push(control_field(1, (*age).into()));
        let mut destinations = 0u32;
        for (c, value) in values.iter().enumerate() {
            if let Some((put, value)) = value {
                let code = if let PendingTarget::Register(n) = put { u32::from(*n) + 1 } else { 31 };
                destinations |= code << (5 * c);
                all.push((File::PendingStore.key(k, c), Scalar::F(value.clone())));
            }
        }
        all.push(control_field(2, destinations));
        if values.iter().flatten().any(|(put, _)| *put == PendingTarget::Temporary) {
            all.push((File::PendingSlot.key(k, 0), Scalar::I(slot.clone())));
        }
        // The word determines which register is set.
        if let Some(PendingAddress { register: _, value }) = address {
            all.push((File::PendingSlot.key(k, 1), Scalar::I(value.clone())));
        }
    }
    // Only results that the next words can still read are part of the state.
    for age in [1u8, 2] {
        for of in ResultOf::ALL {
            let slot = &before[usize::from(age > 1)].results[of as usize];
            if !matches!(slot, UnitResult::Nothing) {
                all.push((result(of, age), Scalar::F(slot.payload(d))));
            }
        }
    }
    let read = reads_before(program, *pc);
    for (c, port) in before[0].port0.iter().enumerate().filter(|(c, _)| read[*c]) {
        all.push((File::Port.key(0, c), Scalar::F(port.payload(d))));
    }
    all
}

/// Returns the control state of a lane.
pub(super) fn control<D: Domain>(lane: &Lane<D>) -> ControlState {
    let past = |flight: &PendingStore<D>| PendingWord {
        word: flight.word as u16,
        age: flight.age,
        registers: flight.values.iter().flatten().any(|(put, _)| matches!(put, PendingTarget::Register(_))),
    };
    ControlState { pc: lane.pc, pending: lane.pending.iter().flatten().map(past).collect() }
}

/// The fallback tracks the stores of the last four words, newest first. Returns every possible assignment of the words with pending stores to these
/// four positions. A word's age in cycles is at least the number of words executed since that word.
pub(super) fn window_positions(control: &ControlState) -> Vec<SmallVec<[usize; 4]>> {
    let fits = |positions: &SmallVec<[usize; 4]>| {
        let old = |k: usize| usize::from(control.pending[k].age);
        positions.len() == control.pending.len()
            && (0..positions.len()).all(|k| match k.checked_sub(1) {
                None => positions[k] < old(k),
                Some(newer) => positions[k] + old(newer) <= positions[newer] + old(k),
            })
    };
    (0u32..16).map(|set| (0..4).filter(|k| set >> k & 1 == 1).collect()).filter(fits).collect()
}

/// Returns the values of the fallback's variables for pending stores, with the words at the positions of element `encoding` of [`window_positions`].
pub(super) fn fallback_pending<D: Domain>(
    d: &D,
    control: &ControlState,
    lane: &Lane<D>,
    encoding: usize,
) -> State<D> {
    let positions = window_positions(control);
    let mut all = State::<D>::new();
    let int = |v: i32| Scalar::I(d.i(v));
    for entry in 0..4 {
        let index =
            positions.get(encoding).and_then(|positions| positions.iter().position(|at| *at == entry));
        let flight = index.and_then(|k| lane.pending.get(k)?.as_ref());
        for c in 0..4 {
            let value = flight.and_then(|flight| flight.values[c].as_ref());
            let to = value
                .map_or(-1, |(put, _)| if let PendingTarget::Register(n) = put { i32::from(*n) } else { 16 });
            all.push((File::PendingFallbackDestination.key(entry, c), int(to)));
            all.extend(
                value.map(|(_, value)| (File::PendingFallback.key(entry, c), Scalar::F(value.clone()))),
            );
        }
        let address = flight.and_then(|flight| flight.address.as_ref());
        let register = address.map_or(0, |address| address.register as i32);
        all.push((File::PendingFallbackSlot.key(entry, 2), int(register)));
        all.extend(
            address
                .map(|address| (File::PendingFallbackSlot.key(entry, 3), Scalar::I(address.value.clone()))),
        );
        if let Some(flight) = flight {
            all.push((File::PendingFallbackSlot.key(entry, 0), int(flight.age.into())));
            if flight.values.iter().flatten().any(|(put, _)| *put == PendingTarget::Temporary) {
                all.push((File::PendingFallbackSlot.key(entry, 1), Scalar::I(flight.slot.clone())));
            }
        }
    }
    all
}

/// Whether a key is that of a variable for pending stores in the node form.
pub(super) fn is_pending(key: VarKey) -> bool {
    [File::PendingStore, File::PendingSlot, File::PendingDestination]
        .iter()
        .any(|file| key.file == *file as u8)
}

/// Sets the value of a lane for one key of [`state`] or, for [`KILLED`], the lane's kill mark. Keys of [`File::PendingDestination`] are control state
/// and are ignored.
pub(super) fn set_state<D: Domain>(lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
    let (n, c) = (usize::from(key.index), usize::from(key.component));
    let is = |file: File| key.file == file as u8;
    match value {
        Scalar::B(mark) if key == KILLED => lane.killed = mark,
        Scalar::I(value) if is(File::Address) => {
            if let Some(address) = lane.address.get_mut(c) {
                *address = value;
            }
        }
        Scalar::I(value) if is(File::PendingSlot) => {
            if let Some(flight) = lane.pending.get_mut(n).and_then(Option::as_mut) {
                match (c, &mut flight.address) {
                    (0, _) => flight.slot = value,
                    (_, Some(address)) => address.value = value,
                    _ => {}
                }
            }
        }
        Scalar::F(value) => {
            let target = if is(File::Register) {
                lane.registers.get_mut(n).and_then(|r| r.get_mut(c))
            } else if is(File::Varying) {
                lane.varyings.get_mut(n).and_then(|r| r.get_mut(c))
            } else if is(File::Memory) {
                lane.memory.get_mut(n).and_then(|r| r.get_mut(c))
            } else if is(File::PendingStore) {
                let flight = lane.pending.get_mut(n).and_then(Option::as_mut);
                flight.and_then(|f| f.values.get_mut(c)?.as_mut()).map(|(_, v)| v)
            } else if is(File::Result) {
                payload(lane.forwarded.get_mut(n / 6).map(|b| &mut b.results[n % 6]))
            } else if is(File::Port) {
                payload(lane.forwarded[0].port0.get_mut(c))
            } else {
                None
            };
            if let Some(target) = target {
                *target = value;
            }
        }
        _ => {}
    }
}

fn payload<D: Domain>(slot: Option<&mut UnitResult<D>>) -> Option<&mut D::F> {
    match slot? {
        UnitResult::Nothing => None,
        UnitResult::Number(v)
        | UnitResult::LookupResult(_, v)
        | UnitResult::Complex2Result(v)
        | UnitResult::Preexp2Result(v)
        | UnitResult::Logarithm(v) => Some(v),
    }
}
