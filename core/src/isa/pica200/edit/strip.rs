//! Reduces a program to one entry: the raw form, with only the descriptors that instructions use.

use super::super::interface::output_mask;
use super::super::opcode::Opcode;
use super::super::program::{Container, Instruction, Program, Raw};
use crate::binary::exact;
use crate::isa::Entry;
use crate::isa::pica200::word::fields;

/// Returns the program of an entry in the raw form; `None` if the result equals the program.
pub fn strip(program: &Program, entry: &Entry) -> Option<Program> {
    let raw = Raw { stage: entry.stage, output_mask: output_mask(entry), start: entry.start };
    let mut stripped = Program { container: Container::Raw(raw), ..program.clone() };
    // `mad` can address only the first rows, so its descriptors come first.
    let ternary = |op| matches!(op, Some(Opcode::Mad | Opcode::Madi));
    let mut kept: Vec<u8> = Vec::new();
    for is_mad in [true, false] {
        for desc in program.code.iter().filter(|i| ternary(i.op()) == is_mad).filter_map(Instruction::desc) {
            if usize::from(desc) < program.descriptors.len() && !kept.contains(&desc) {
                kept.push(desc);
            }
        }
    }
    stripped.descriptors = kept.iter().map(|desc| program.descriptors[usize::from(*desc)]).collect();
    for instruction in &mut stripped.code {
        if let Some(row) = instruction.desc().and_then(|desc| kept.iter().position(|k| *k == desc)) {
            *instruction = instruction.with_field(fields::DESC, exact::<u32, _>(row));
        }
    }
    (stripped != *program).then_some(stripped)
}
