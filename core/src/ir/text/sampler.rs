//! Sampler declarations in the text form.

use super::line::{Line, Result};
use super::names::{DIMENSIONS, FILTERS, LODS, MIP_FILTERS, WRAPS, name};
use super::print::Float;
use crate::host::{SamplerState, Wrap};
use crate::ir::program::SamplerDecl;
use std::fmt::{self, Formatter};

/// Prints what follows `sampler s0`, and the end of the line.
pub(super) fn print(f: &mut Formatter<'_>, decl: &SamplerDecl) -> fmt::Result {
    let (dimension, lod) = (name(DIMENSIONS, &decl.dimension), name(LODS, &decl.lod));
    write!(f, "unit {} {dimension} {lod}", decl.unit)?;
    let Some(state) = &decl.state else {
        return f.write_str(" bound\n");
    };
    write!(f, " min {} mag {}", name(FILTERS, &state.min), name(FILTERS, &state.mag))?;
    write!(f, " mip {}", name(MIP_FILTERS, &state.mip))?;
    let [x, y, z] = state.wrap.map(|wrap| name(WRAPS, &wrap));
    write!(f, " wrap {x} {y} {z}")?;
    let [r, g, b, a] = state.border.map(|c| Float(c.to_bits()));
    write!(f, " border {r} {g} {b} {a}")?;
    writeln!(f, " bias {} anisotropy {}", Float(state.lod_bias.to_bits()), state.max_anisotropy)
}

/// Reads what follows `sampler s0`.
pub(super) fn parse(line: &mut Line<'_>) -> Result<SamplerDecl> {
    line.keyword("unit")?;
    let unit = line.number()?;
    let dimension = line.named(DIMENSIONS, "a dimension")?;
    let lod = line.named(LODS, "a level of detail")?;
    if line.take_word("bound") {
        return Ok(SamplerDecl { unit, dimension, state: None, lod });
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
        *axis = line.named(WRAPS, "a way of wrapping")?;
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
    Ok(SamplerDecl { unit, dimension, state: Some(state), lod })
}
