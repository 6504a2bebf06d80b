//! Descriptors, which instructions share.

use super::super::opcode::Format;
use super::super::program::{DESCRIPTORS, DescriptorRow, Instruction, Program};
use super::shift::grow_descriptors;
use crate::isa::pica200::word::fields;

/// Descriptors that `mad` can name.
const TERNARY_ROWS: usize = 32;

/// How many descriptors an instruction can name.
fn reach(instruction: &Instruction) -> usize {
    match instruction.op().map(|op| op.row().format) {
        Some(Format::Ternary | Format::TernaryInverse) => TERNARY_ROWS,
        _ => DESCRIPTORS,
    }
}

/// Gives an instruction, which has a descriptor in the table, another: one that is there, its own if nobody shares it, or a new one. `None` if
/// there is no room for it within reach, or others name the new one already, which is not there.
pub(in super::super) fn with_row(mut program: Program, at: usize, row: DescriptorRow) -> Option<Program> {
    let instruction = *program.code.get(at)?;
    let own = instruction.desc()?;
    let there = program.descriptors.iter().take(reach(&instruction)).position(|known| *known == row);
    let shared = program.code.iter().filter(|i| i.desc() == Some(own)).count() > 1;
    let number = match there {
        Some(number) => number,
        None if !shared => {
            *program.descriptors.get_mut(usize::from(own))? = row;
            usize::from(own)
        }
        None => {
            let number = program.descriptors.len();
            // Who names a row that is not there would have one.
            let is_named = program.code.iter().any(|i| i.desc().map(usize::from) == Some(number));
            if number >= reach(&instruction) || is_named {
                return None;
            }
            program = grow_descriptors(program, row);
            number
        }
    };
    program.code[at] = instruction.with_field(fields::DESC, number as u32);
    Some(program)
}
