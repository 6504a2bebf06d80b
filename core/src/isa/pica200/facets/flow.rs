//! Facets of control flow: the direction of a jump, and whether a branch has a second arm.

use super::super::opcode::{Format, Opcode};
use super::super::program::{Instruction, MEMORY, Program};
use super::conditions::{number, truth};
use super::site::{at, with_instruction};
use crate::isa::facet::{Site, Sited};
use crate::isa::pica200::word::fields;

/// The direction of a jump; a jump to itself is backward.
pub(super) const DIRECTIONS: [&str; 2] = ["forward", "backward"];

/// The only form of an opcode without other facets.
pub(super) const FORMS: [&str; 1] = ["plain"];

fn jump(program: &Program, site: Site) -> Option<(&Instruction, u32)> {
    let (op, instruction) = at(program, site)?;
    let (dst, _) = instruction.flow().filter(|_| matches!(op, Opcode::Jmpc | Opcode::Jmpu))?;
    Some((instruction, dst.into()))
}

/// Returns the direction of a jump.
pub(super) fn directions(program: &Program, site: Site) -> Vec<&'static str> {
    jump(program, site).map(|(_, dst)| DIRECTIONS[usize::from(dst <= site.word)]).into_iter().collect()
}

/// Gives a jump the other direction: forward over the next word, or back to the previous word (at word 0, to itself). A jump that has the direction
/// already is not changed.
pub(super) fn set_direction(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (instruction, _) = jump(program, site)?;
    if directions(program, site).contains(&value) {
        return Some((program.clone(), site));
    }
    let dst = match DIRECTIONS.iter().position(|direction| *direction == value)? {
        0 => site.word.checked_add(2)?,
        _ => site.word.saturating_sub(1),
    };
    if dst >= MEMORY {
        return None;
    }
    with_instruction(program, site, instruction.with_field(fields::DST, dst))
}

fn branch(program: &Program, site: Site) -> Option<(&Instruction, u8)> {
    let (op, instruction) = at(program, site)?;
    let (_, num) = instruction.flow().filter(|_| matches!(op, Opcode::Ifc | Opcode::Ifu))?;
    Some((instruction, num))
}

/// Returns whether a branch has a second arm.
pub(super) fn arms(program: &Program, site: Site) -> Vec<&'static str> {
    branch(program, site).map(|(_, num)| truth(num)).into_iter().collect()
}

/// Removes the second arm, or makes it at least one word long.
pub(super) fn set_arm(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (instruction, num) = branch(program, site)?;
    let wanted = number(value)?;
    let num = if wanted == 1 { u32::from(num.max(1)) } else { 0 };
    with_instruction(program, site, instruction.with_field(fields::NUM, num))
}

/// Returns the form of an instruction whose opcode has no other facets.
pub(super) fn forms(program: &Program, site: Site) -> Vec<&'static str> {
    let is_plain = at(program, site).is_some_and(|(op, _)| {
        op.row().format == Format::Plain || matches!(op, Opcode::Call | Opcode::Callu | Opcode::Loop)
    });
    if is_plain { FORMS.to_vec() } else { Vec::new() }
}

/// Accepts only the form that the instruction already has.
pub(super) fn set_form(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    forms(program, site).contains(&value).then(|| (program.clone(), site))
}
