//! Changes of descriptors, which instructions may share.

use super::super::opcode::Format;
use super::super::program::{DESCRIPTORS, DescriptorRow, Instruction, Program};
use super::shift::append_descriptor;
use crate::binary::exact;
use crate::isa::pica200::word::fields;

/// The number of descriptors that `mad` can address.
const TERNARY_ROWS: usize = 32;

/// Returns the number of descriptors that an instruction can address.
fn descriptor_limit(instruction: &Instruction) -> usize {
    match instruction.op().map(|op| op.row().format) {
        Some(Format::Ternary | Format::TernaryInverse) => TERNARY_ROWS,
        _ => DESCRIPTORS,
    }
}

/// Gives an instruction the descriptor `row`: selects an equal row, changes the instruction's row if no other instruction uses it, or appends a row.
/// Returns `None` if the instruction has no descriptor, its own row would be changed but does not exist, the appended row would be out of range, or
/// an instruction already refers to the number of the appended row.
pub(in super::super) fn with_descriptor_row(
    mut program: Program,
    at: usize,
    row: DescriptorRow,
) -> Option<Program> {
    let instruction = *program.code.get(at)?;
    let own = instruction.desc()?;
    let equal =
        program.descriptors.iter().take(descriptor_limit(&instruction)).position(|known| *known == row);
    let shared = program.code.iter().filter(|i| i.desc() == Some(own)).count() > 1;
    let number = match equal {
        Some(number) => number,
        None if !shared => {
            *program.descriptors.get_mut(usize::from(own))? = row;
            usize::from(own)
        }
        None => {
            let number = program.descriptors.len();
            // If an instruction already refers to the number of the new row, which does not exist yet, adding the row would give that instruction a
            // descriptor.
            let is_named = program.code.iter().any(|i| i.desc().map(usize::from) == Some(number));
            if number >= descriptor_limit(&instruction) || is_named {
                return None;
            }
            program = append_descriptor(program, row);
            number
        }
    };
    program.code[at] = instruction.with_field(fields::DESC, exact::<u32, _>(number));
    Some(program)
}
