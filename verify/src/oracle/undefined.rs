//! Part of the validity oracle: no result depends on an undefined value, unless the validator reports a rule that says so.
//!
//! A register that no instruction has written holds whatever the program before left in it. A validator finds reads of such registers by an analysis of
//! all paths. Here the same question is put to the reference, which knows nothing of this analysis: it runs the program twice, with other contents of
//! all registers before the first instruction. The results must be the same.

use super::Failure;
use crate::case::Resolved;
use crate::engine::{compare, reference_with};
use lockstep_core::host::Environment;
use lockstep_core::ir::Ty;
use lockstep_core::isa::registers::registers;
use lockstep_core::isa::{Context, Entry, Isa, Violation, port_mask};

/// Compares two runs that differ in what registers hold before the first instruction. `None` if the results are the same, or if one of the violations is
/// of a rule that leaves values undefined.
pub(super) fn check<I: Isa>(resolved: &Resolved<I>, violations: &[Violation]) -> Option<Failure> {
    if violations.iter().any(|violation| I::leaves_undefined(violation.code)) {
        return None;
    }
    let mut plain = resolved.entry.clone();
    // Control registers that nothing writes are undefined at the end, too.
    plain.interface.outputs.retain(|port| !I::REGISTER_SLOTS.contains(&port.slot));
    let (mut entry, mut env) = (plain.clone(), resolved.env.clone());
    for (slot, register) in registers::<I>(&plain) {
        let given = port_mask(&mut entry.interface.inputs, slot);
        let left = register.mask() & !*given;
        *given |= left;
        fill(&mut env, slot, left, register.ty);
    }
    let run = |entry: &Entry, env: &Environment| {
        reference_with::<I, false>(&Context { entry, ..resolved.context() }, env)
    };
    let (before, after) = (run(&plain, &resolved.env), run(&entry, &env));
    compare(&plain, &before, &after).err().map(|difference| {
        let between = "registers that hold zero / that hold something else at the start, although no rule says that a value is undefined";
        Failure::runs::<I>(&plain, between, *difference)
    })
}

/// Gives the components of a register in `mask` other contents than zero in every lane: numbers that all formats can represent, small integers, truth
/// values of both kinds.
fn fill(env: &mut Environment, slot: u16, mask: u8, ty: Ty) {
    for (lane, input) in env.lanes.iter_mut().enumerate() {
        let values = input.slot_mut(slot).iter_mut().enumerate();
        for (c, value) in values.filter(|(c, _)| mask >> c & 1 == 1) {
            let number = 1.0 + ((lane + 2 * c + usize::from(slot)) % 8) as f32;
            *value = match ty {
                Ty::F32 => number + 0.25,
                Ty::I32 => number,
                Ty::Bool => ((lane + c + 1) % 2) as f32,
            };
        }
    }
}
