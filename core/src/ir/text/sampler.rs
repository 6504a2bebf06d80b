//! Sampler declarations in the text form.

use super::line::{Line, Result};
use super::names::{DIMENSIONS, FILTERS, LODS, MIP_FILTERS, RESULT_KINDS, WRAPS, name};
use super::print::Float;
use crate::host::{Access, SamplerState, Wrap};
use crate::ir::program::SamplerDecl;
use std::fmt::{self, Formatter};

/// Prints the part of the line after `sampler s0`, and the line break.
pub(super) fn print(f: &mut Formatter<'_>, decl: &SamplerDecl) -> fmt::Result {
    let (dimension, lod) = (name(DIMENSIONS, &decl.dimension), name(LODS, &decl.lod));
    write!(f, "unit {} {dimension} {lod}", decl.unit)?;
    let Some(state) = &decl.state else {
        f.write_str(" bound")?;
        return print_access(f, &decl.access);
    };
    write!(f, " min {} mag {}", name(FILTERS, &state.min), name(FILTERS, &state.mag))?;
    write!(f, " mip {}", name(MIP_FILTERS, &state.mip))?;
    let [x, y, z] = state.wrap.map(|wrap| name(WRAPS, &wrap));
    write!(f, " wrap {x} {y} {z}")?;
    let [r, g, b, a] = state.border.map(|c| Float(c.to_bits()));
    write!(f, " border {r} {g} {b} {a}")?;
    write!(f, " bias {} anisotropy {}", Float(state.lod_bias.to_bits()), state.max_anisotropy)?;
    print_access(f, &decl.access)
}

/// Prints the access properties, if they differ from [`Access::PLAIN`], and the line break.
fn print_access(f: &mut Formatter<'_>, access: &Access) -> fmt::Result {
    let Access {
        result,
        texels,
        half_texels,
        faces_from_one,
        min,
        mag,
        mip,
        volume_min,
        volume_mag,
        direction_gradients,
    } = access;
    if *access != Access::PLAIN {
        write!(f, " access {}", name(RESULT_KINDS, result))?;
    }
    if *texels {
        f.write_str(" texels")?;
    }
    if *half_texels != [0; 3] {
        let [x, y, z] = half_texels;
        write!(f, " offset {x} {y} {z}")?;
    }
    if *faces_from_one {
        f.write_str(" faces_from_one")?;
    }
    let filters =
        [("own_min", min), ("own_mag", mag), ("own_volume_min", volume_min), ("own_volume_mag", volume_mag)];
    for (word, filter) in filters {
        if let Some(filter) = filter {
            write!(f, " {word} {}", name(FILTERS, filter))?;
        }
    }
    if let Some(filter) = mip {
        write!(f, " own_mip {}", name(MIP_FILTERS, filter))?;
    }
    if *direction_gradients {
        f.write_str(" direction_gradients")?;
    }
    f.write_str("\n")
}

/// Reads the access properties; without the word `access`, they are [`Access::PLAIN`].
fn parse_access(line: &mut Line<'_>) -> Result<Access> {
    let mut access = Access::PLAIN;
    if !line.take_word("access") {
        return Ok(access);
    }
    access.result = line.named(RESULT_KINDS, "a kind of result")?;
    access.texels = line.take_word("texels");
    if line.take_word("offset") {
        for axis in &mut access.half_texels {
            *axis = line.number()?;
        }
    }
    access.faces_from_one = line.take_word("faces_from_one");
    for (word, filter) in [
        ("own_min", &mut access.min),
        ("own_mag", &mut access.mag),
        ("own_volume_min", &mut access.volume_min),
        ("own_volume_mag", &mut access.volume_mag),
    ] {
        if line.take_word(word) {
            *filter = Some(line.named(FILTERS, "a filter")?);
        }
    }
    if line.take_word("own_mip") {
        access.mip = Some(line.named(MIP_FILTERS, "a filter")?);
    }
    access.direction_gradients = line.take_word("direction_gradients");
    Ok(access)
}

/// Reads the part of the line after `sampler s0`.
pub(super) fn parse(line: &mut Line<'_>) -> Result<SamplerDecl> {
    line.keyword("unit")?;
    let unit = line.number()?;
    let dimension = line.named(DIMENSIONS, "a dimension")?;
    let lod = line.named(LODS, "a level of detail")?;
    if line.take_word("bound") {
        return Ok(SamplerDecl { unit, dimension, state: None, access: parse_access(line)?, lod });
    }
    line.keyword("min")?;
    let min = line.named(FILTERS, "a filter")?;
    line.keyword("mag")?;
    let mag = line.named(FILTERS, "a filter")?;
    line.keyword("mip")?;
    let mip = line.named(MIP_FILTERS, "a filter")?;
    line.keyword("wrap")?;
    let mut wrap = [Wrap::Clamp; 3];
    for axis in &mut wrap {
        *axis = line.named(WRAPS, "a wrap mode")?;
    }
    line.keyword("border")?;
    let mut border = [0.0; 4];
    for component in &mut border {
        *component = f32::from_bits(line.float()?);
    }
    line.keyword("bias")?;
    let lod_bias = f32::from_bits(line.float()?);
    line.keyword("anisotropy")?;
    let max_anisotropy = line.number()?;
    let state = SamplerState { min, mag, mip, wrap, border, lod_bias, max_anisotropy };
    Ok(SamplerDecl { unit, dimension, state: Some(state), access: parse_access(line)?, lod })
}
