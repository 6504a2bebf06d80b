//! Facets of results: the register file, and the components that are written.

use super::super::opcode::MaskRule;
use super::super::program::{Program, Target, reverse};
use super::super::registers::File;
use super::site::{described, with_descriptor, with_instruction};
use crate::isa::component::NAMES;
use crate::isa::facet::{Site, Sited};
use crate::isa::pica200::word::fields;

/// Register files of results.
pub(super) const FILES: [&str; 2] = [File::Output.name(), File::Temporary.name()];
/// The registers that setters of the register file choose.
const TARGETS: [Target; 2] = [Target::Output(0), RESULT];
/// The temporary of [`TARGETS`].
pub(super) const RESULT: Target = Target::Temporary(2);

/// The values of the facets of write masks: one component, `xy` for `mova`, another mask that is not full, or the full mask.
pub(super) const MASKS: [&str; 7] = [NAMES[0], NAMES[1], NAMES[2], NAMES[3], "xy", "partial", "full"];
/// A mask for each of [`MASKS`], bit 0 = x.
const BITS: [u8; 7] = [1, 2, 4, 8, 3, 6, 15];

/// Returns the kind of a mask, bit 0 = x; `None` if the operation has no mask, or the mask is zero.
fn kind(mask: u8, rule: MaskRule) -> Option<&'static str> {
    let known = |mask: u8| BITS.iter().position(|bits| *bits == mask).map(|at| MASKS[at]);
    match rule {
        MaskRule::Unused => None,
        // z and w of the mask have no effect.
        MaskRule::Address => known(mask & 3),
        MaskRule::Components | MaskRule::Broadcast if mask == 0 => None,
        MaskRule::Components | MaskRule::Broadcast => {
            known(mask).filter(|kind| *kind != "xy").or(Some("partial"))
        }
    }
}

/// Returns the kind of an instruction's write mask.
pub(super) fn masks(program: &Program, site: Site) -> Vec<&'static str> {
    let kind = described(program, site).and_then(|(op, _, d)| kind(d.write_mask(), op.row().mask));
    kind.into_iter().collect()
}

/// Sets a write mask of the given kind.
pub(super) fn set_mask(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (op, _, descriptor) = described(program, site)?;
    let rule = op.row().mask;
    if kind(descriptor.write_mask(), rule) == Some(value) {
        return Some((program.clone(), site));
    }
    let bits = BITS.into_iter().find(|bits| kind(*bits, rule) == Some(value))?;
    let mut descriptor = *descriptor;
    descriptor.mask = reverse(bits);
    with_descriptor(program, site, descriptor)
}

fn file(target: Target) -> &'static str {
    FILES[usize::from(matches!(target, Target::Temporary(_)))]
}

/// Returns the register file of the result.
pub(super) fn files(program: &Program, site: Site) -> Vec<&'static str> {
    let target = described(program, site).and_then(|(_, instruction, _)| instruction.dst());
    target.map(file).into_iter().collect()
}

/// Sets the register file of the result.
pub(super) fn set_file(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (_, instruction, _) = described(program, site)?;
    if file(instruction.dst()?) == value {
        return Some((program.clone(), site));
    }
    let target = TARGETS.into_iter().find(|target| file(*target) == value)?;
    with_instruction(program, site, instruction.with_field(fields::DST, target.number().into()))
}
