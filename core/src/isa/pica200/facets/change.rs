//! An instruction, and a program with another in its place.

use super::super::edit::{sound, with_row};
use super::super::opcode::Opcode;
use super::super::program::{Descriptor, DescriptorRow, Instruction, Program};
use crate::isa::facet::{Site, Sited};

/// The instruction of a site, if its opcode has a meaning.
pub(super) fn at(program: &Program, site: Site) -> Option<(Opcode, &Instruction)> {
    let instruction = program.code.get(site.word as usize).filter(|_| site.unit == 0)?;
    Some((instruction.op()?, instruction))
}

/// The opcode of a site, by name.
pub(super) fn opcode(program: &Program, site: Site) -> Option<&'static str> {
    at(program, site).map(|(op, _)| op.row().mnemonic)
}

/// The same with its descriptor, if it has one and that is in the table.
pub(super) fn described(program: &Program, site: Site) -> Option<(Opcode, &Instruction, &Descriptor)> {
    let (op, instruction) = at(program, site)?;
    Some((op, instruction, program.descriptor(instruction)?))
}

/// The program with another instruction at a site.
pub(super) fn with_instruction(
    program: &Program,
    site: Site,
    instruction: Instruction,
) -> Option<Sited<Program>> {
    let mut made = program.clone();
    *made.code.get_mut(site.word as usize)? = instruction;
    Some((sound(made)?, site))
}

/// The program in which the instruction at a site has another descriptor, and all others have their own; `None` if the table has no room for it.
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
    let made = with_row(program.clone(), site.word as usize, DescriptorRow { descriptor, ..*row })?;
    Some((sound(made)?, site))
}
