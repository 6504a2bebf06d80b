//! Initial registers, and final control registers, for cases that have none.

use super::value::Extremes;
use super::{Entropy, Generate, representable_vector};
use crate::case::{Case, EntryRef};
use lockstep_core::ir::Ty;
use lockstep_core::isa::registers::registers;
use lockstep_core::isa::{Port, Register, port_mask};

/// Returns the case with an entry of its own, which sets some registers of every lane before the first instruction and compares all control
/// registers after the last one. `None` if the case does not resolve to a program and an entry, or if no register is added.
///
/// Registers that are inputs already keep their values, so the case differs from the original only in registers.
pub fn with_registers<I: Generate>(e: &mut Entropy<'_>, case: &Case) -> Option<Case> {
    let resolved = case.resolve::<I>().ok()?;
    let narrow = I::needs(&resolved.context()).narrow;
    let (mut entry, mut env) = (resolved.entry.clone(), case.env.clone());
    for (slot, register) in registers::<I>(&resolved.entry) {
        if register.is_control {
            add(&mut entry.interface.outputs, slot, register.mask());
        }
        let mask = if e.chance(70) { register.mask() } else { e.below(16) as u8 & register.mask() };
        if mask == 0 || !add(&mut entry.interface.inputs, slot, mask) {
            continue;
        }
        for lane in &mut env.lanes {
            *lane.slot_mut(slot) = match register.ty {
                Ty::F32 => representable_vector(e, narrow, Extremes::None),
                Ty::I32 => integers(e, &register),
                Ty::Bool => std::array::from_fn(|_| f32::from(u8::from(e.chance(50)))),
            };
        }
    }
    let is_changed = entry != resolved.entry;
    is_changed.then(|| Case { entry: EntryRef::Given(entry), env, ..case.clone() })
}

/// Adds a port, unless there is one with this slot. Returns whether it was added.
fn add(ports: &mut Vec<Port>, slot: u16, mask: u8) -> bool {
    let there = port_mask(ports, slot);
    let is_new = *there == 0;
    if is_new {
        *there = mask;
    }
    is_new
}

/// Returns values of integer registers, usually indices near those of a register file.
fn integers(e: &mut Entropy<'_>, register: &Register) -> [f32; 4] {
    let mut values = [0.0; 4];
    for value in values.iter_mut().take(register.components.len()) {
        *value = match e.weighted(&[75, 20, 5]) {
            0 => e.between(0, 12) as f32 - 4.0,
            1 => e.between(0, 511) as f32 - 255.0,
            _ => (e.bits() as i32) as f32,
        };
    }
    values
}
