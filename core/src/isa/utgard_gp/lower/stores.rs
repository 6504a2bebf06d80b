//! Lowers stores: those to varyings at once, those to registers, temporaries and address registers when they are due.

use super::{ControlState, Cx, File, Outline, WordOutcome, float, int, register};
use crate::ir::{Array, Builder, Op, Ty, Value};
use crate::isa::utgard_gp::program::{Program, Store, Target, Word};
use crate::isa::utgard_gp::source::StoreSource;
use crate::value::{BBin, IBin, ICmp};
use smallvec::SmallVec;

/// Cycles until a register store can be read.
const REGISTERS: u8 = 3;
/// Cycles until a store to a temporary or an address register can be read.
const SLOW: u8 = 4;
/// Number of slots of the memory.
const SLOTS: u32 = 512;

/// A word with pending stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PendingWord {
    /// The index of the word.
    pub word: u16,
    /// The number of cycles since the word ran.
    pub age: u8,
    /// Whether the word's stores to registers are still pending.
    pub registers: bool,
}

fn has_store(word: &Word, wanted: impl Fn(Store) -> bool) -> bool {
    word.store.iter().any(|s| {
        s.stores_any() && wanted(*s) && s.stored().iter().any(|s| matches!(s, StoreSource::Result(_)))
    })
}

fn has_registers(word: &Word) -> bool {
    has_store(word, |s| matches!(s.target(), Target::Register(_)))
}

fn has_slow(word: &Word) -> bool {
    has_store(word, |s| s.target() == Target::Temporary)
        || word.address_set().is_some_and(|set| set.later.is_some())
}

impl PendingWord {
    /// Returns the delayed stores of a word right after it; `None` if it has none.
    pub(super) fn of(pc: u32, word: &Word) -> Option<PendingWord> {
        let registers = has_registers(word);
        (registers || has_slow(word)).then_some(PendingWord { word: pc as u16, age: 0, registers })
    }

    pub(super) fn aged_by(self, cycles: u8) -> PendingWord {
        PendingWord { age: self.age + cycles, ..self }
    }

    /// Returns the stores that remain after all due stores have arrived; `None` if none remain.
    pub(super) fn after_due_stores(self, program: &Program) -> Option<PendingWord> {
        let registers = self.registers && self.age < REGISTERS;
        let slow = self.age < SLOW && program.words.get(usize::from(self.word)).is_some_and(has_slow);
        (registers || slow).then_some(PendingWord { registers, ..self })
    }
}

/// Whether a word stores a temporary.
pub(super) fn stores_temporary(word: &Word) -> bool {
    word.store.iter().any(|s| s.temporary != 0 && s.stores_any())
}

/// Returns the array that holds a component of the memory.
pub fn memory(component: usize) -> Array {
    Array(component as u32)
}

pub(super) fn declare(b: &mut Builder) {
    for component in 0..4 {
        b.uniforms(File::Memory as u8, component, SLOTS);
    }
}

/// Returns the target of each component of a word's stores, if the target is a register or a temporary.
pub(super) fn targets(word: &Word) -> [Option<Target>; 4] {
    std::array::from_fn(|c| {
        let store = word.store[c / 2];
        let stored = matches!(store.stored()[c % 2], StoreSource::Result(_));
        Some(store.target()).filter(|t| stored && matches!(t, Target::Register(_) | Target::Temporary))
    })
}

fn value_of(word: &Word, results: &[Option<Value>; 6], c: usize, b: &mut Builder) -> Option<Value> {
    match word.store[c / 2].stored()[c % 2] {
        StoreSource::Result(of) => Some(number_or_nan(results[of as usize], b)),
        _ => None,
    }
}

/// Returns a result as a number; NaN if there is none.
fn number_or_nan(value: Option<Value>, b: &mut Builder) -> Value {
    value.unwrap_or_else(|| b.f(f32::NAN))
}

/// Lowers stores to varyings, which take effect at once.
pub(super) fn varyings(word: &Word, results: &[Option<Value>; 6], b: &mut Builder) {
    for c in 0..4 {
        if let Target::Varying(n) = word.store[c / 2].target()
            && let Some(value) = value_of(word, results, c, b)
        {
            let var = float(b, File::Varying.key(usize::from(n & 15), c));
            b.write(var, value);
        }
    }
}

/// The pending stores of one word: four values, the slot of temporaries, the value of an address register.
#[derive(Clone, Copy, Default)]
pub(super) struct PendingStore {
    values: [Option<Value>; 4],
    slot: Option<Value>,
    address: Option<Value>,
}

/// Completes the stores that are due, oldest word first. Returns the remaining stores, newest word first.
pub(super) fn complete_due_stores(
    cx: &Cx<'_>,
    control: &ControlState,
    b: &mut Builder,
) -> SmallVec<[PendingStore; 4]> {
    let mut rest: SmallVec<[PendingStore; 4]> = SmallVec::new();
    for (k, past) in control.pending.iter().enumerate().rev() {
        let Some(word) = cx.program.words.get(usize::from(past.word)) else { continue };
        let mut flight = PendingStore::default();
        let (registers_due, slow_due) = (past.age >= REGISTERS, past.age >= SLOW);
        let mut slot = None;
        for (c, target) in targets(word).into_iter().enumerate() {
            let here = float(b, File::PendingStore.key(k, c));
            match target {
                Some(Target::Register(n)) if past.registers => {
                    let value = b.read(here);
                    if registers_due {
                        let var = register(cx, b, usize::from(n & 15), c);
                        b.write(var, value);
                    } else {
                        flight.values[c] = Some(value);
                    }
                }
                Some(Target::Temporary) => {
                    let value = b.read(here);
                    let index = int(b, File::PendingSlot.key(k, 0));
                    let index = b.read(index);
                    slot = Some(index);
                    if slow_due {
                        b.op(Op::Store(memory(c)), &[index, value]);
                    } else {
                        flight.values[c] = Some(value);
                    }
                }
                _ => {}
            }
        }
        flight.slot = slot;
        if let Some(n) = word.address_set().and_then(|set| set.later) {
            let var = int(b, File::PendingSlot.key(k, 1));
            let value = b.read(var);
            if slow_due {
                let var = int(b, File::Address.key(0, n));
                b.write(var, value);
            } else {
                flight.address = Some(value);
            }
        }
        if past.after_due_stores(cx.program).is_some() {
            rest.insert(0, flight);
        }
    }
    rest
}

/// Adds a word's stores to the pending ones, in front of those of older words.
pub(super) fn issue_stores(
    word: &Word,
    done: &WordOutcome,
    older: SmallVec<[PendingStore; 4]>,
    b: &mut Builder,
) {
    let mut all: SmallVec<[PendingStore; 5]> = SmallVec::new();
    if has_registers(word) || has_slow(word) {
        let mut flight =
            PendingStore { address: done.address.map(|(_, value)| value), ..PendingStore::default() };
        for (c, target) in targets(word).into_iter().enumerate() {
            if let Some(target) = target {
                flight.values[c] = value_of(word, &done.results, c, b);
                if target == Target::Temporary {
                    flight.slot = done.slot;
                }
            }
        }
        all.push(flight);
    }
    all.extend(older);
    for (k, flight) in all.into_iter().enumerate().take(4) {
        for (c, value) in flight.values.into_iter().enumerate() {
            if let Some(value) = value {
                let var = float(b, File::PendingStore.key(k, c));
                b.write(var, value);
            }
        }
        for (c, value) in [flight.slot, flight.address].into_iter().enumerate() {
            if let Some(value) = value {
                let var = int(b, File::PendingSlot.key(k, c));
                b.write(var, value);
            }
        }
    }
}

// The fallback keeps the stores of the last four words, newest first, each with its age. The destination is -1 for none, 0 to 15 for a register, 16
// for the memory.

const NOWHERE: i32 = -1;
const TO_MEMORY: i32 = 16;
const AGE: usize = 0;
const SLOT: usize = 1;
const ADDRESS: usize = 2;
const ADDRESS_VALUE: usize = 3;

fn destination_var(b: &mut Builder, k: usize, c: usize) -> crate::ir::Var {
    b.var(File::PendingFallbackDestination.key(k, c), Ty::I32, NOWHERE as u32)
}

fn read_int(b: &mut Builder, k: usize, component: usize) -> Value {
    let var = int(b, File::PendingFallbackSlot.key(k, component));
    b.read(var)
}

fn write_int(b: &mut Builder, k: usize, component: usize, value: Value) {
    let var = int(b, File::PendingFallbackSlot.key(k, component));
    b.write(var, value);
}

/// Completes the stores that are due.
pub(super) fn complete_due_stores_fallback(cx: &Cx<'_>, outline: &Outline, b: &mut Builder) {
    let Outline { memory: has_memory, registers: written, addresses, .. } = *outline;
    for k in (0..4).rev() {
        let age = read_int(b, k, AGE);
        let due = |b: &mut Builder, latency: u8| {
            let limit = b.i(i32::from(latency) - 1);
            b.icmp(ICmp::LtS, limit, age)
        };
        let (registers_due, slow_due) = (due(b, REGISTERS), due(b, SLOW));
        let nowhere = b.i(NOWHERE);
        for (c, written) in written.into_iter().enumerate() {
            let destination = destination_var(b, k, c);
            let code = b.read(destination);
            let value = float(b, File::PendingFallback.key(k, c));
            let value = b.read(value);
            for n in (0..16).filter(|n| written >> n & 1 == 1) {
                let number = b.i(n);
                let same = b.icmp(ICmp::Eq, code, number);
                let hit = b.logic(BBin::And, registers_due, same);
                let var = register(cx, b, n as usize, c);
                let old = b.read(var);
                let new = b.sel(hit, value, old);
                b.write(var, new);
            }
            let limit = b.i(TO_MEMORY);
            let is_register = b.icmp(ICmp::LtU, code, limit);
            let arrived = b.logic(BBin::And, registers_due, is_register);
            let mut left = b.sel_i(arrived, nowhere, code);
            if has_memory {
                let same = b.icmp(ICmp::Eq, code, limit);
                let hit = b.logic(BBin::And, slow_due, same);
                let slot = read_int(b, k, SLOT);
                let index = b.sel_i(hit, slot, nowhere);
                b.op(Op::Store(memory(c)), &[index, value]);
                left = b.sel_i(hit, nowhere, left);
            }
            b.write(destination, left);
        }
        if addresses & 0b1110 != 0 {
            let (address, value) = (read_int(b, k, ADDRESS), read_int(b, k, ADDRESS_VALUE));
            for n in (1..4).filter(|n| addresses >> n & 1 == 1) {
                let number = b.i(n);
                let same = b.icmp(ICmp::Eq, address, number);
                let hit = b.logic(BBin::And, slow_due, same);
                let var = int(b, File::Address.key(0, n as usize));
                let old = b.read(var);
                let new = b.sel_i(hit, value, old);
                b.write(var, new);
            }
            let none = b.i(0);
            let left = b.sel_i(slow_due, none, address);
            write_int(b, k, ADDRESS, left);
        }
    }
}

/// Adds a word's stores and advances the age of all pending ones: by 1 cycle, or by `cycles` if the word's branch is taken.
pub(super) fn issue_store_fallback(word: &Word, done: &WordOutcome, cycles: u8, b: &mut Builder) {
    let one = b.i(1);
    let passed = match done.taken {
        Some(taken) => {
            let more = b.i(cycles.into());
            b.sel_i(taken, more, one)
        }
        None => one,
    };
    for k in (1..4).rev() {
        for c in 0..4 {
            let (from, var) =
                (float(b, File::PendingFallback.key(k - 1, c)), float(b, File::PendingFallback.key(k, c)));
            let value = b.read(from);
            b.write(var, value);
            let (from, var) = (destination_var(b, k - 1, c), destination_var(b, k, c));
            let value = b.read(from);
            b.write(var, value);
        }
        for component in [SLOT, ADDRESS, ADDRESS_VALUE] {
            let value = read_int(b, k - 1, component);
            write_int(b, k, component, value);
        }
        let age = read_int(b, k - 1, AGE);
        let age = b.ibin(IBin::Add, age, passed);
        write_int(b, k, AGE, age);
    }
    for (c, target) in targets(word).into_iter().enumerate() {
        let code = match target {
            Some(Target::Register(n)) => i32::from(n & 15),
            Some(_) => TO_MEMORY,
            None => NOWHERE,
        };
        let (destination, code) = (destination_var(b, 0, c), b.i(code));
        b.write(destination, code);
        if target.is_some()
            && let Some(value) = value_of(word, &done.results, c, b)
        {
            let var = float(b, File::PendingFallback.key(0, c));
            b.write(var, value);
        }
    }
    write_int(b, 0, AGE, passed);
    if let Some(slot) = done.slot {
        write_int(b, 0, SLOT, slot);
    }
    let (number, value) = done.address.map_or((0, None), |(n, value)| (n as i32, Some(value)));
    let number = b.i(number);
    write_int(b, 0, ADDRESS, number);
    if let Some(value) = value {
        write_int(b, 0, ADDRESS_VALUE, value);
    }
}
