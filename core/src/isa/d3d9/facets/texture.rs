//! Facets of texture reads, and of an opcode's control field.

use super::super::opcode::Opcode;
use super::super::program::{Comparison, File, Program, Source};
use super::super::reads::Textures;
use super::super::word::{Control, TextureType};
use super::kinds::SwizzleKind;
use super::operands::{WZYX, X};
use super::{context, site};
use crate::isa::facet::{Site, Sited};

/// The values of the control field of a texture read in 2_0 and later.
pub(super) const READS: [(&str, u8); 3] = Control::VALUES;

/// Returns the value of the control field: a comparison, or how a texture read uses w.
pub(super) fn control(program: &Program, site: Site) -> Vec<&'static str> {
    let Some((i, op)) = site::at(program, site) else { return Vec::new() };
    if op.compares() {
        return Comparison::from_number(i.control).into_iter().map(Comparison::name).collect();
    }
    let reads = op == Opcode::Tex && program.version.major >= 2;
    READS.iter().filter(|(_, number)| reads && *number == i.control).map(|(name, _)| *name).collect()
}

/// Sets the control field: a comparison, or how a texture read uses w.
pub(super) fn set_control(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let major = program.version.major;
    site::change(program, site, |i, op| {
        i.control = if op.compares() {
            Comparison::from_name(value)? as u8
        } else {
            READS.iter().find(|(name, _)| op == Opcode::Tex && major >= 2 && *name == value)?.1
        };
        Some(())
    })
}

/// Returns the sampler operand of a texture read.
fn sampler(program: &Program, site: Site) -> Option<&Source> {
    site::at(program, site)?.0.sources.get(1).filter(|source| source.is(File::Sampler))
}

/// Returns the texture type that the sampler is declared with. `textures` returns the texture types of all declared samplers.
pub(super) fn declared(program: &Program, site: Site, textures: &dyn Fn() -> Textures) -> Vec<&'static str> {
    let Some(sampler) = sampler(program, site) else { return Vec::new() };
    let texture = TextureType::from_number(textures().get(sampler.number));
    texture.filter(|texture| *texture != TextureType::None).into_iter().map(TextureType::name).collect()
}

/// Returns the texture type that the sampler is declared with.
pub(super) fn texture(program: &Program, site: Site) -> Vec<&'static str> {
    declared(program, site, &|| Textures::of(program))
}

/// Changes the texture type in the sampler's declaration. If the sampler is not declared, inserts a declaration at the start of the program.
pub(super) fn set_texture(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let texture = TextureType::from_name(value)?;
    let number = sampler(program, site)?.number;
    let mut made = program.clone();
    if Textures::of(program).get(number) == TextureType::None as u8 {
        site::insert(&mut made, 0, context::sampler(number, texture))?;
        let site = Site { word: site.word + 1, ..site };
        return self::texture(&made, site).contains(&value).then_some((made, site));
    }
    for i in &mut made.instructions {
        if let (Some(Opcode::Dcl), Some(usage), Some(dest)) = (i.op(), &mut i.usage, &i.dest)
            && dest.is(File::Sampler)
            && dest.number == number
        {
            usage.texture = texture as u8;
        }
    }
    Some((made, site))
}

/// Returns the kind of the sampler's swizzle.
pub(super) fn sampler_swizzle(program: &Program, site: Site) -> Vec<&'static str> {
    sampler(program, site).into_iter().map(|sampler| SwizzleKind::of(sampler).name()).collect()
}

/// Gives the sampler's swizzle this kind; a swizzle of this kind stays as it is.
pub(super) fn set_sampler_swizzle(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    sampler(program, site)?;
    let kind = SwizzleKind::from_name(value)?;
    site::change(program, site, |i, _| {
        let source = i.sources.get_mut(1)?;
        if SwizzleKind::of(source) != kind {
            source.swizzle = match kind {
                SwizzleKind::Identity => Source::XYZW,
                SwizzleKind::Replicated => X,
                SwizzleKind::Permuted => WZYX,
            };
        }
        Some(())
    })
}
