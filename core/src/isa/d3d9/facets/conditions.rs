//! Facets of conditional execution: predicates, and co-issue with the previous instruction.

use super::super::opcode::{Kind, Opcode};
use super::super::program::{Dest, File, Instruction, Modifier, Program, Source};
use super::kinds::{PredicateComponents, result};
use super::operands::X;
use super::results::{PLAIN, partner_mask};
use super::site;
use crate::isa::facet::{Site, Sited};

fn predicate(program: &Program, site: Site) -> Option<&Source> {
    site::at(program, site)?.0.predicate.as_ref()
}

/// Returns whether a predicated instruction runs where the predicate is true or where it is false.
pub(super) fn condition(program: &Program, site: Site) -> Vec<&'static str> {
    let Some(predicate) = predicate(program, site) else { return Vec::new() };
    vec![CONDITIONS[usize::from(predicate.modifier != 0)]]
}

/// The values of the facet that [`condition`] reads.
pub(super) const CONDITIONS: [&str; 2] = [PLAIN, Modifier::Not.name()];

/// Adds a predicate to the instruction if it has none, and changes the predicate with `edit`.
fn predicated(
    program: &Program,
    site: Site,
    edit: impl FnOnce(&mut Source) -> Option<()>,
) -> Option<Sited<Program>> {
    if !program.version.has_lengths() {
        return None;
    }
    let major = program.version.major;
    site::change(program, site, |i, op| {
        let can = matches!(op.row().kind, Kind::Arithmetic | Kind::Texture);
        i.predicated = u8::from(can);
        // Before 3_0 sincos is a macro of several instructions, so one replicated component must predicate all of them.
        let is_macro = op == Opcode::Sincos && major < 3;
        let plain = Source::register(File::Predicate, 0, if is_macro { X } else { Source::XYZW });
        edit(i.predicate.get_or_insert(plain)).filter(|()| can)
    })
}

/// Makes the instruction run where the predicate is true, or where it is false.
pub(super) fn set_condition(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let not = CONDITIONS.iter().position(|condition| *condition == value)? != 0;
    predicated(program, site, |predicate| {
        if not != (predicate.modifier != 0) {
            predicate.modifier = if not { Modifier::Not } else { Modifier::None } as u8;
        }
        Some(())
    })
}

/// Returns the replicated component of the predicate, or `own` for the identity swizzle.
pub(super) fn predicate_swizzle(program: &Program, site: Site) -> Vec<&'static str> {
    let components = predicate(program, site).and_then(PredicateComponents::of);
    components.into_iter().map(PredicateComponents::name).collect()
}

/// Sets the swizzle of the predicate.
pub(super) fn set_predicate_swizzle(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let swizzle = PredicateComponents::from_name(value)?.swizzle();
    predicated(program, site, |predicate| {
        predicate.swizzle = swizzle;
        Some(())
    })
}

/// Facet value: the second instruction of a co-issued pair.
pub(super) const SECOND: &str = "second";

/// Returns `second` if the instruction is co-issued with the previous one.
pub(super) fn coissue(program: &Program, site: Site) -> Vec<&'static str> {
    site::at(program, site).filter(|(i, _)| i.coissue != 0).map(|_| SECOND).into_iter().collect()
}

/// Co-issues the instruction with an inserted mov that writes the other components, colour or alpha. Only pixel shaders before 2_0 have co-issue.
pub(super) fn set_coissue(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let version = program.version;
    if value != SECOND || !version.is_pixel() || version.major >= 2 {
        return None;
    }
    let (i, op) = site::at(program, site)?;
    if i.coissue != 0 {
        return Some((program.clone(), site));
    }
    if op.row().kind != Kind::Arithmetic {
        return None;
    }
    let (mut made, Site { word, unit }) = site::change(program, site, |i, _| {
        let dest = i.dest.as_mut()?;
        if partner_mask(dest.mask).is_none() {
            dest.mask = 7;
        }
        i.coissue = 1;
        Some(())
    })?;
    let dest = made.instructions.get(word as usize)?.dest?;
    let number = if dest.is(File::Temporary) { dest.number } else { result(version) };
    let mut first = Instruction::new(Opcode::Mov);
    first.dest = Some(Dest::register(File::Temporary, number, partner_mask(dest.mask)?));
    first.sources.push(Source::register(File::Input, 0, Source::XYZW));
    site::insert(&mut made, word, first)?;
    Some((made, Site { word: word + 1, unit }))
}
