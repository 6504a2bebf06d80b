//! Facets of destinations: role, write mask, index, result modifier and shift.

use super::super::opcode::{Mask, Opcode};
use super::super::program::{Dest, Instruction, Modifier, Program, Version};
use super::super::word::{ResultModifier, Shift};
use super::kinds::{MaskKind, Role, result as temporary};
use super::operands::{index_name, relative};
use super::site;
use crate::isa::facet::{Site, Sited};

/// The facet value of a result without modifiers.
pub(super) const PLAIN: &str = "plain";

/// The roles that a destination can have.
pub(super) const ROLES: [Role; 7] =
    [Role::Temporary, Role::Output, Role::Texture, Role::Address, Role::Predicate, Role::Input, Role::Depth];

fn dest(program: &Program, site: Site) -> Option<(&Dest, Opcode)> {
    let (i, op) = site::at(program, site)?;
    Some((i.dest.as_ref()?, op))
}

/// Returns the destination, except for texkill, which reads it instead of writing it.
fn result_of(program: &Program, site: Site) -> Option<&Dest> {
    dest(program, site).filter(|(_, op)| *op != Opcode::Texkill).map(|(dest, _)| dest)
}

fn change(
    program: &Program,
    site: Site,
    edit: impl FnOnce(&mut Dest, Opcode) -> Option<()>,
) -> Option<Sited<Program>> {
    site::change(program, site, |i, op| edit(i.dest.as_mut()?, op))
}

/// Returns the role of the destination.
pub(super) fn role(program: &Program, site: Site) -> Vec<&'static str> {
    let role = dest(program, site).and_then(|(dest, _)| Role::of(program.version, dest.file));
    role.into_iter().map(Role::name).collect()
}

/// Changes the destination to a register with another role. a0 of vs_1_1 has only component x.
pub(super) fn set_role(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (version, role) = (program.version, Role::from_name(value)?);
    change(program, site, |dest, _| {
        if Role::of(version, dest.file) != Some(role) {
            let number = match role {
                Role::Temporary => temporary(version),
                Role::Texture => 1,
                _ => 0,
            };
            let register = Dest::register(role.file(version)?, number, dest.mask);
            let mask = if role == Role::Address && version.major < 2 { 1 } else { dest.mask };
            *dest = Dest { mask, modifier: dest.modifier, shift: dest.shift, ..register };
        }
        Some(())
    })
}

/// Returns the kind of the write mask.
pub(super) fn mask(program: &Program, site: Site) -> Vec<&'static str> {
    let written = dest(program, site).and_then(|(dest, _)| MaskKind::of(dest.mask));
    written.into_iter().map(MaskKind::name).collect()
}

/// Sets the write mask. If the instruction is the second of a co-issued pair, the first one's mask becomes w for a mask within xyz, and xyz for w.
pub(super) fn set_mask(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (version, written) = (program.version, MaskKind::from_name(value)?);
    if mask(program, site).contains(&written.name()) {
        return Some((program.clone(), site));
    }
    let (mut made, at) = site::change(program, site, |i, op| {
        let mask = match written {
            MaskKind::Partial => partial(i, op, version),
            MaskKind::Full => 15,
            one => 1 << one as u8,
        };
        i.dest.as_mut()?.mask = mask;
        Some(())
    })?;
    let coissued = made.instructions.get(at.word as usize).filter(|i| i.coissue != 0);
    if let Some(left) = coissued.and_then(|i| partner_mask(i.dest.as_ref()?.mask))
        && let Some(first) = at.word.checked_sub(1).and_then(|k| made.instructions.get_mut(k as usize))
        && let Some(dest) = &mut first.dest
    {
        dest.mask = left;
    }
    Some((made, at))
}

/// Returns the write mask for the other instruction of a co-issued pair: w, or xyz if `mask` is w. `None` if `mask` includes w and another component.
pub(super) fn partner_mask(mask: u8) -> Option<u8> {
    match mask {
        8 => Some(7),
        _ if mask & 8 == 0 => Some(8),
        _ => None,
    }
}

/// Returns the instruction's mask if it is of the kind `partial`, otherwise one of that kind that the opcode allows.
fn partial(i: &Instruction, op: Opcode, version: Version) -> u8 {
    match (i.dest, op.row().mask) {
        (Some(dest), _) if MaskKind::of(dest.mask) == Some(MaskKind::Partial) => dest.mask,
        (_, Mask::Exactly(mask) | Mask::Within(mask)) if mask != 15 => mask,
        (_, Mask::SineCosine) => 3,
        _ if op == Opcode::Frc && version.major == 1 => 3,
        _ if i.sources.first().is_some_and(|source| source.modifier == Modifier::Dw as u8) => 3,
        _ => 7,
    }
}

/// Returns the index register that is added to the destination's number.
pub(super) fn index(program: &Program, site: Site) -> Vec<&'static str> {
    let relative = dest(program, site).map(|(dest, _)| &dest.relative);
    relative.and_then(index_name).into_iter().collect()
}

/// Sets the index register of the destination. Only outputs of vertex shaders of 3_0 and later can be indexed, so another destination is replaced by
/// output 0.
pub(super) fn set_index(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let version = program.version;
    if version.is_pixel() || version.major < 3 {
        return None;
    }
    change(program, site, |dest, _| {
        let file = Role::Output.file(version)?;
        if !dest.is(file) {
            (dest.file, dest.number) = (file as u8, 0);
        }
        if index_name(&dest.relative) != Some(value) {
            dest.relative = relative(version, value)?;
        }
        Some(())
    })
}

/// Returns the modifiers of the result.
pub(super) fn result(program: &Program, site: Site) -> Vec<&'static str> {
    let Some(dest) = result_of(program, site) else { return Vec::new() };
    if dest.modifier == 0 {
        return vec![PLAIN];
    }
    ResultModifier::VALUES.iter().filter(|(_, bit)| dest.modifier & bit != 0).map(|(name, _)| *name).collect()
}

/// Sets a single result modifier and removes all others.
pub(super) fn set_result(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    result_of(program, site)?;
    let bits =
        if value == PLAIN { 0 } else { ResultModifier::VALUES.iter().find(|(name, _)| *name == value)?.1 };
    change(program, site, |dest, _| {
        dest.modifier = bits;
        Some(())
    })
}

/// Returns the name of the factor by which the shift multiplies the result.
pub(super) fn shift(program: &Program, site: Site) -> Vec<&'static str> {
    let Some(dest) = result_of(program, site) else { return Vec::new() };
    Shift::VALUES.iter().filter(|(_, value)| *value == dest.shift).map(|(name, _)| *name).collect()
}

/// Sets the result shift; only pixel shaders before 2_0 have it.
pub(super) fn set_shift(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    result_of(program, site).filter(|_| program.version.is_pixel() && program.version.major < 2)?;
    let (_, bits) = Shift::VALUES.iter().find(|(name, _)| *name == value)?;
    change(program, site, |dest, _| {
        dest.shift = *bits;
        Some(())
    })
}
