//! Access to the instruction at a site, and its replacement.

use super::super::edit::{if_decodable, with_descriptor_row};
use super::super::opcode::Opcode;
use super::super::program::{Descriptor, DescriptorRow, Instruction, Program};
use crate::isa::facet::{Site, Sited};

/// Returns the instruction at a site, if its opcode is known.
pub(super) fn at(program: &Program, site: Site) -> Option<(Opcode, &Instruction)> {
    let instruction = program.code.get(site.word as usize).filter(|_| site.unit == 0)?;
    Some((instruction.op()?, instruction))
}

/// Returns the name of the opcode at a site.
pub(super) fn opcode(program: &Program, site: Site) -> Option<&'static str> {
    at(program, site).map(|(op, _)| op.row().mnemonic)
}

/// Returns the instruction at a site with its descriptor, if it has one in the table.
pub(super) fn described(program: &Program, site: Site) -> Option<(Opcode, &Instruction, &Descriptor)> {
    let (op, instruction) = at(program, site)?;
    Some((op, instruction, program.descriptor(instruction)?))
}

/// Returns the program with the instruction at a site replaced.
pub(super) fn with_instruction(
    program: &Program,
    site: Site,
    instruction: Instruction,
) -> Option<Sited<Program>> {
    let mut made = program.clone();
    *made.code.get_mut(site.word as usize)? = instruction;
    Some((if_decodable(made)?, site))
}

/// Returns the program with the descriptor of the instruction at a site replaced; other instructions keep their descriptors. `None` if the
/// instruction has no descriptor, or the table has no room for another one.
pub(super) fn with_descriptor(
    program: &Program,
    site: Site,
    descriptor: Descriptor,
) -> Option<Sited<Program>> {
    let (_, instruction) = at(program, site)?;
    let row = program.descriptors.get(usize::from(instruction.desc()?))?;
    if row.descriptor == descriptor {
        return Some((program.clone(), site));
    }
    let made =
        with_descriptor_row(program.clone(), site.word as usize, DescriptorRow { descriptor, ..*row })?;
    Some((if_decodable(made)?, site))
}
