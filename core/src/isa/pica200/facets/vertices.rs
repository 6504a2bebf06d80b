//! Facets of `setemit`, which sets the properties of the next emitted vertex.

use super::super::program::{Emission, Instruction, Program};
use super::conditions::{number, truth};
use super::site::{at, with_instruction};
use crate::binary::exact;
use crate::isa::facet::{Site, Sited};
use crate::isa::pica200::word::fields;

/// Vertex slots, by number; there are three.
pub(super) const SLOTS: [&str; 3] = ["0", "1", "2"];

fn emission(program: &Program, site: Site) -> Option<(&Instruction, Emission)> {
    match at(program, site)? {
        (_, instruction @ Instruction::Emission(word)) => Some((instruction, *word)),
        _ => None,
    }
}

/// Returns the slot of the vertex.
pub(super) fn slots(program: &Program, site: Site) -> Vec<&'static str> {
    let slot = emission(program, site).and_then(|(_, word)| SLOTS.get(usize::from(word.vtx)));
    slot.copied().into_iter().collect()
}

/// Sets the slot of the vertex.
pub(super) fn set_slot(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (instruction, _) = emission(program, site)?;
    let slot = SLOTS.iter().position(|slot| *slot == value)?;
    with_instruction(program, site, instruction.with_field(fields::VTX, exact::<u32, _>(slot)))
}

/// Returns whether the vertex completes a primitive.
pub(super) fn completes(program: &Program, site: Site) -> Vec<&'static str> {
    emission(program, site).map(|(_, word)| truth(word.prim)).into_iter().collect()
}

/// Sets whether the vertex completes a primitive.
pub(super) fn set_completes(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (instruction, _) = emission(program, site)?;
    with_instruction(program, site, instruction.with_field(fields::PRIM, number(value)?))
}

/// Returns whether the winding order of the primitive is reversed.
pub(super) fn reverses(program: &Program, site: Site) -> Vec<&'static str> {
    emission(program, site).map(|(_, word)| truth(word.winding)).into_iter().collect()
}

/// Sets whether the winding order of the primitive is reversed.
pub(super) fn set_reverses(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (instruction, _) = emission(program, site)?;
    with_instruction(program, site, instruction.with_field(fields::WINDING, number(value)?))
}
