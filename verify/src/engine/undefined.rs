//! Determines whether results depend on the contents of registers before the first instruction.

use super::{Difference, compare, reference_with};
use crate::case::Resolved;
use lockstep_core::host::Environment;
use lockstep_core::ir::Ty;
use lockstep_core::isa::registers::registers;
use lockstep_core::isa::{Context, Entry, Format, Legality, Refinement, Register, port_mask};

/// Returns a copy of an entry and its environment in which all components of the registers that `which` selects have initial values. Components that
/// had none get the value that `value` returns for the number of the lane, the slot, the component and the type.
pub fn with_register_values<I: Format>(
    (entry, env): (&Entry, &Environment),
    which: impl Fn(&Register) -> bool,
    value: impl Fn(usize, u16, usize, Ty) -> f32,
) -> (Entry, Environment) {
    let (mut entry, mut env) = (entry.clone(), env.clone());
    let all: Vec<_> = registers::<I>(&entry).filter(|(_, register)| which(register)).collect();
    for (slot, register) in all {
        let given = port_mask(&mut entry.interface.inputs, slot);
        let missing = register.mask() & !*given;
        *given |= missing;
        for (number, lane) in env.lanes.iter_mut().enumerate() {
            let values = lane.slot_mut(slot).iter_mut().enumerate();
            for (c, place) in values.filter(|(c, _)| missing >> c & 1 == 1) {
                *place = value(number, slot, c, register.ty);
            }
        }
    }
    (entry, env)
}

/// Runs a legal program twice on the reference: with the given initial registers, and with other contents in all registers that have no initial value.
/// Returns the first difference of the outputs, effects, kill marks and ends; `None` if there is none. Final values of registers are not compared.
///
/// An unwritten register contains what an earlier program left in it, so a difference means that the program depends on an undefined value.
pub fn undefined_dependence<I: Legality + Refinement>(resolved: &Resolved<I>) -> Option<Difference> {
    let mut plain = resolved.entry.clone();
    plain.interface.outputs.retain(|port| !I::REGISTER_SLOTS.contains(&port.slot));
    let (entry, env) = with_register_values::<I>((&plain, &resolved.env), |_| true, other_value);
    let run = |entry: &Entry, env: &Environment| {
        reference_with::<I, false>(&Context { entry, ..resolved.context() }, env)
    };
    let (before, after) = (run(&plain, &resolved.env), run(&entry, &env));
    compare(&plain, &before, &after).err().map(|difference| *difference)
}

/// Returns a value that is not zero: a number that all formats can represent, a small integer, or true.
fn other_value(lane: usize, slot: u16, component: usize, ty: Ty) -> f32 {
    let number = 1.0 + ((lane + 2 * component + usize::from(slot)) % 8) as f32;
    match ty {
        Ty::F32 => number + 0.25,
        Ty::I32 => number,
        Ty::Bool => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use lockstep_core::host::LaneInput;
    use lockstep_core::isa::Isa;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::d3d9::D3d9;

    /// Whether a program depends on the initial contents of registers if it runs in two lanes, with the first input 1 in one and 2 in the other.
    fn depends<I: Isa>(text: &str) -> bool {
        let program = I::assemble(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let lanes = [1.0, 2.0].map(|x| LaneInput { slots: vec![[x; 4]] }).to_vec();
        let case = Case::new::<I>(&program, Environment { lanes, fuel: 8, ..Environment::default() });
        undefined_dependence::<I>(&case.resolve::<I>().unwrap()).is_some()
    }

    #[test]
    fn a_register_that_one_path_or_predicate_leaves_unwritten_is_noticed() {
        let agal = |inside: &str| {
            depends::<Agal>(&format!("version 2 vertex\nmov vt1, va0\n{inside}\nmov op, vt0\n"))
        };
        assert!(agal("ife va0.x, vc0.x\nmov vt0, va0\neif"), "no lane takes the branch");
        assert!(!agal("ife va0.x, va0.x\nmov vt0, va0\neif"), "every lane takes it");
        assert!(!agal("mov vt0, va0") && agal("mov vt0.xyz, va0"));
        let d3d9 = |inside: &str| {
            depends::<D3d9>(&format!("vs_2_x\ndcl_position v0\nsetp_gt p0, v0, c0\n{inside}\nmov oPos, r0\n"))
        };
        assert!(d3d9("(!p0) mov r0, v0") && !d3d9("(p0) mov r0, v0") && !d3d9("mov r0, v0"));
    }
}
