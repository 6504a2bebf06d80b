//! Redirects a result to the register or export that a later slot writes, for minimisation.

use super::super::program::{Alu, Program, Slot};
use crate::isa::edit::distinct_changes;

/// The register that one half of a slot writes, or the export of both halves.
#[derive(Clone, Copy, PartialEq)]
struct Destination {
    number: u8,
    is_relative: u8,
    is_export: u8,
}

/// Returns the programs in which one half of slot `from` writes to the destination of one half of slot `to` and keeps its write mask. Empty if one
/// of the two is not an ALU slot, or if nothing would change.
///
/// A slot exports both of its results or neither. If only one of the two slots exports, the other half of `from` no longer writes anything. If both
/// export, the other half is redirected as well.
pub fn redirected(program: &Program, from: u32, to: u32) -> Vec<Program> {
    let (Some((k, at, Slot::Alu(writer))), Some((_, _, Slot::Alu(later)))) =
        (slot(program, from), slot(program, to))
    else {
        return Vec::new();
    };
    let destinations = [(later.vmask, vector(later)), (later.smask, scalar(later))];
    let destinations = destinations.into_iter().filter(|(mask, _)| *mask != 0);
    let moved = destinations.flat_map(|(_, to)| [with_vector(*writer, to), with_scalar(*writer, to)]);
    let edited = |moved| {
        let mut edited = program.clone();
        edited.shaders[k].slots[at] = Slot::Alu(moved);
        edited
    };
    distinct_changes(writer, moved.flatten()).into_iter().map(edited).collect()
}

/// Returns a slot with the index of its shader and its index among the slots of the shader; `None` for a clause, or if there is no such word.
pub(super) fn slot(program: &Program, word: u32) -> Option<(usize, usize, &Slot)> {
    let (k, at) = program.locate(word)?;
    let shader = &program.shaders[k];
    let at = at.checked_sub(shader.clauses.len())?;
    Some((k, at, shader.slots.get(at)?))
}

/// Returns the destination of the vector result.
fn vector(alu: &Alu) -> Destination {
    let is_relative = if alu.export == 0 { alu.vdest_rel } else { 0 };
    Destination { number: alu.vdest, is_relative, is_export: alu.export }
}

/// Returns the destination of the scalar result.
fn scalar(alu: &Alu) -> Destination {
    let own = Destination { number: alu.sdest, is_relative: alu.sdest_rel, is_export: 0 };
    if alu.export == 0 { own } else { vector(alu) }
}

/// Returns the slot with another destination for its vector result; `None` if it writes none.
fn with_vector(alu: Alu, to: Destination) -> Option<Alu> {
    let moved = Alu { vdest: to.number, vdest_rel: to.is_relative, export: to.is_export, ..alu };
    let alone = Alu { smask: 0, sdest: 0, sdest_rel: 0, ..moved };
    (alu.vmask != 0).then_some(if to.is_export == alu.export { moved } else { alone })
}

/// Returns the slot with another destination for its scalar result; `None` if it writes none.
fn with_scalar(alu: Alu, to: Destination) -> Option<Alu> {
    let vmask = if to.is_export == alu.export { alu.vmask } else { 0 };
    let moved = if to.is_export == 0 {
        Alu { sdest: to.number, sdest_rel: to.is_relative, export: 0, vmask, ..alu }
    } else {
        Alu { vdest: to.number, vdest_rel: 0, sdest: 0, sdest_rel: 0, export: 1, vmask, ..alu }
    };
    (alu.smask != 0).then_some(moved)
}

#[cfg(test)]
mod tests {
    use crate::isa::a2xx::A2xx;
    use crate::isa::{Edits, Syntax};

    #[test]
    fn a_result_is_redirected_to_the_register_of_a_later_one() {
        let read = |first: &str| {
            let text = format!(
                ".a2xx fragment\nEXEC ADDR(0x1) CNT(0x3)\n{first}\n  ALU: MULv R3 = R1, R1\n  ALU: MAXv export0 = R3, R3\nEXEC_END ADDR(0x0) CNT(0x0)\n"
            );
            A2xx::assemble(&text).unwrap()
        };
        let program = read("  ALU: ADDv R1.xy__ = R0, R0\n       ADDs R2.z = R0.x");
        // Two clauses, then the slots.
        let other_register = [
            read("  ALU: ADDv R3.xy__ = R0, R0\n       ADDs R2.z = R0.x"),
            read("  ALU: ADDv R1.xy__ = R0, R0\n       ADDs R3.z = R0.x"),
        ];
        assert_eq!(A2xx::redirected(&program, 2, 3), other_register);
        let exports: Vec<String> = A2xx::redirected(&program, 2, 4).iter().map(A2xx::disassemble).collect();
        assert_eq!(exports.len(), 2);
        assert!(exports[0].contains("ADDv\texport0.xy__ = R0, R0"), "{}", exports[0]);
        assert!(exports[1].contains("ADDs\texport0.__z_ = R0.xxxx"), "{}", exports[1]);
        // In an export, the bit of a relative scalar result would fill the components that are not written.
        let relative = read("  ALU: ADDv R1.xy__ = R0, R0\n       ADDs R[aL+2].z = R0.x");
        let export = A2xx::disassemble(&A2xx::redirected(&relative, 2, 4)[0]);
        assert!(export.contains("ADDv\texport0.xy__ = R0, R0"), "{export}");
        // A clause, the same register, or no such slot.
        for (from, to) in [(0, 2), (2, 0), (3, 3), (2, 5), (5, 2)] {
            assert!(A2xx::redirected(&program, from, to).is_empty(), "{from} {to}");
        }
    }
}
