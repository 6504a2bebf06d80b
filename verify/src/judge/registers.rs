//! Initial and final registers in questions and answers. Registers are identified by name, kept separate from inputs and outputs, and have values of
//! the register's own type.
//!
//! In a case these registers are ports with slots of their own ([`lockstep_core::isa::registers`]), whose values are floats. A subject receives and
//! returns 32 bits instead: those of a float, of an integer, or 0 or 1 for a truth value.

use super::question::letters;
use super::subject::{Bits, Components, LaneData, RunData};
use crate::case::{EntryRef, Resolved};
use crate::engine::{Outcome, reference_with, with_register_values};
use lockstep_core::host::LaneInput;
use lockstep_core::ir::Ty;
use lockstep_core::isa::registers::{register, registers, without_registers};
use lockstep_core::isa::{Entry, Format, Isa, Port, Register, port_mask};
use std::collections::BTreeMap;

/// Values of registers by name; `None` for components without a value.
pub(super) type Values = BTreeMap<String, [Option<Bits>; 4]>;

/// Returns the bits that a subject receives for a component of a register, given the value of the component's port.
pub(super) fn component_bits(ty: Ty, value: f32) -> Bits {
    match ty {
        Ty::F32 => Bits::from(value),
        // The conversion saturates and gives 0 for NaN, as the port does.
        Ty::I32 => Bits(value as i32 as u32),
        Ty::Bool => Bits(u32::from(value != 0.0)),
    }
}

/// Returns the value of a component's port, given the bits that a subject uses for the component.
pub(super) fn port_value(ty: Ty, bits: Bits) -> f32 {
    match ty {
        Ty::F32 => bits.value(),
        Ty::I32 => bits.0 as i32 as f32,
        Ty::Bool => f32::from(u8::from(bits.0 != 0)),
    }
}

/// Whether any port of an entry is an initial or final value of a register.
pub(super) fn has_any<I: Format>(entry: &Entry) -> bool {
    let interface = &entry.interface;
    interface.inputs.iter().chain(&interface.outputs).any(|port| register::<I>(entry, port.slot).is_some())
}

/// Iterates over the components of a register that a port exchanges.
fn components(port: Port, register: &Register) -> impl Iterator<Item = usize> + use<> {
    let mask = port.mask & register.mask();
    (0..4usize).filter(move |c| mask >> c & 1 == 1)
}

/// Returns the initial registers of a lane.
pub(super) fn initial<I: Format>(entry: &Entry, lane: &LaneInput) -> Values {
    let ports = entry.interface.inputs.iter();
    let given = ports.filter_map(|port| Some((*port, register::<I>(entry, port.slot)?)));
    let value = |(port, register): (Port, Register)| {
        let slot = lane.slots.get(usize::from(port.slot)).copied().unwrap_or_default();
        let mut bits = [None; 4];
        components(port, &register).for_each(|c| bits[c] = Some(component_bits(register.ty, slot[c])));
        (register.name, bits)
    };
    given.map(value).collect()
}

/// Returns the control registers whose final values a subject is asked for: those with a defined value in some lane, as computed by [`defined`].
pub(super) fn compared_finals<I: Format>(
    entry: &Entry,
    defined: &[Vec<bool>],
) -> BTreeMap<String, Components> {
    let mut masks: BTreeMap<String, u8> = BTreeMap::new();
    for (at, (slot, component)) in entry.interface.components().enumerate() {
        let is_defined = defined.iter().any(|lane| lane.get(at) == Some(&true));
        if let Some(register) = register::<I>(entry, slot).filter(|_| is_defined) {
            *masks.entry(register.name.clone()).or_default() |= 1 << component & register.mask();
        }
    }
    masks.into_iter().map(|(name, mask)| (name, letters(mask))).collect()
}

/// Adds the registers of a question to an entry, as ports, and the initial values to its lanes.
pub(super) fn add<I: Isa>(run: &RunData, entry: &mut Entry, lanes: &mut [LaneInput]) {
    let known: Vec<(u16, Register)> = registers::<I>(entry).collect();
    for (slot, register) in &known {
        for (given, lane) in run.initial.iter().zip(lanes.iter_mut()) {
            let Some(bits) = given.get(&register.name) else { continue };
            for (c, bits) in bits.iter().enumerate().take(register.components.len()) {
                if let Some(bits) = bits {
                    lane.slot_mut(*slot)[c] = port_value(register.ty, *bits);
                    *port_mask(&mut entry.interface.inputs, *slot) |= 1 << c;
                }
            }
        }
        if let Some(letters) = run.finals.get(&register.name).filter(|_| register.is_control) {
            let mask = "xyzw".chars().enumerate().filter(|(_, letter)| letters.contains(*letter));
            let mask = mask.map(|(c, _)| 1 << c).sum::<u8>() & register.mask();
            if mask != 0 {
                *port_mask(&mut entry.interface.outputs, *slot) |= mask;
            }
        }
    }
}

/// An initial value that differs from what programs usually compute: as an integer it is beyond all addresses, and as a truth value it is true.
const PROBE: f32 = 8193.0;

/// Returns for each lane which compared components have a defined value, in the order of the entry's ports. The final value of a register is
/// undefined if it depends on a control register to which the case gives no initial value. This is tested by running the case again with other values
/// in such control registers: a final value that changes is undefined.
pub(super) fn defined<I: Isa>(resolved: &Resolved<I>, outcome: &Outcome) -> Vec<Vec<bool>> {
    let entry = &resolved.entry;
    let is_final: Vec<bool> =
        entry.interface.components().map(|(slot, _)| register::<I>(entry, slot).is_some()).collect();
    let all = |lane: &crate::engine::LaneOutcome| vec![true; lane.outputs.len()];
    if !is_final.contains(&true) {
        return outcome.lanes.iter().map(all).collect();
    }
    let changed = with_other_values(resolved);
    let changed = reference_with::<I, false>(&changed.context(), &changed.env);
    let lane = |(lane, other): (&crate::engine::LaneOutcome, &crate::engine::LaneOutcome)| {
        let values = lane.outputs.iter().zip(&other.outputs).zip(&is_final);
        let same = |a: f32, b: f32| lane.end == other.end && a.to_bits() == b.to_bits();
        values.map(|((a, b), is_final)| !is_final || same(*a, *b)).collect()
    };
    outcome.lanes.iter().zip(&changed.lanes).map(lane).collect()
}

/// Returns a case in which the control registers without an initial value begin with [`PROBE`].
pub(super) fn with_other_values<I: Isa>(resolved: &Resolved<I>) -> Resolved<I> {
    let sent = (&resolved.entry, &resolved.env);
    let (entry, env) = with_register_values::<I>(sent, |register| register.is_control, |_, _, _, _| PROBE);
    Resolved {
        program: resolved.program.clone(),
        entry,
        options: resolved.options.clone(),
        env,
        limits: resolved.limits,
    }
}

/// Removes the components of final registers that are undefined from the lanes of an answer.
pub(super) fn leave_out_undefined<I: Isa>(resolved: &Resolved<I>, outcome: &Outcome, lanes: &mut [LaneData]) {
    let entry = &resolved.entry;
    for (lane, defined) in lanes.iter_mut().zip(defined(resolved, outcome)) {
        for ((slot, component), is_defined) in entry.interface.components().zip(defined) {
            let register = register::<I>(entry, slot).filter(|_| !is_defined);
            if let Some(values) = register.and_then(|register| lane.finals.get_mut(&register.name)) {
                values[usize::from(component & 3)] = None;
            }
        }
    }
}

/// Returns the number of the program's own entry to which a case's entry is equal apart from ports of registers; `None` if there is none, or if the
/// case contains an entry without such ports.
pub(super) fn own_number<I: Format>(program: &I::Program, reference: &EntryRef) -> Option<u16> {
    match reference {
        EntryRef::Own(number) => Some(*number),
        EntryRef::Given(given) if has_any::<I>(given) => {
            EntryRef::own_number(&I::entries(program), &without_registers::<I>(given))
        }
        EntryRef::Given(_) => None,
    }
}
