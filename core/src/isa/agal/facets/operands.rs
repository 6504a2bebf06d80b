//! Facets of operands: the write mask, and for each source its file and its swizzle or, for a scalar, its component.

use super::site::{at, same, source, with, with_source};
use super::stage::input_file;
use crate::isa::agal::limits::count;
use crate::isa::agal::names::COMPONENTS;
use crate::isa::agal::opcode::{Opcode, Shape};
use crate::isa::agal::program::{File, Program, Source};
use crate::isa::agal::reads::rows;
use crate::isa::facet::{Site, Sited};

const PARTIAL: &str = "partial";
const FULL: &str = "full";
/// The masks: one component, several, or all components of the result.
pub(super) const MASKS: [&str; 6] =
    [COMPONENTS[0], COMPONENTS[1], COMPONENTS[2], COMPONENTS[3], PARTIAL, FULL];
/// x and z, which every result has.
const SEVERAL: u8 = 0b101;

const INPUT: &str = "input";
/// The files of sources. Attributes, varyings and the instance number share one value, because the stage determines which it is.
pub(super) const FILES: [&str; 3] =
    [INPUT, File::PRINTED[File::Constant as usize], File::PRINTED[File::Temporary as usize]];

const IDENTITY: &str = "identity";
const REPLICATED: &str = "replicated";
const PERMUTED: &str = "permuted";
/// The kinds of swizzle: identity, one component replicated, any other.
pub(super) const SWIZZLES: [&str; 3] = [IDENTITY, REPLICATED, PERMUTED];
/// Permutations that move every component, one for each source: wzyx and yzwx.
pub(super) const PERMUTATIONS: [u8; 2] = [0x1b, 0x39];

/// The mask of the components that a result has.
pub(super) fn result_lanes(op: Opcode) -> u8 {
    if op.row().writes_w { 0xf } else { 7 }
}

/// Whether the sources of an operation are scalars.
pub(super) fn is_scalar(op: Opcode) -> bool {
    matches!(op.row().shape, Shape::Compare | Shape::Kill)
}

/// Whether a source may be swizzled.
pub(super) fn is_swizzled(op: Opcode, place: usize) -> bool {
    let is_of_rows = place == 1 && matches!(op.row().shape, Shape::Matrix { .. });
    !is_scalar(op) && !is_of_rows
}

/// The write mask.
pub(super) fn mask(program: &Program, site: Site) -> Vec<&'static str> {
    let Some((token, op)) = at(program, site).filter(|(_, op)| op.has_dest()) else { return Vec::new() };
    let lanes = result_lanes(op);
    vec![match token.dest.mask {
        0 => return Vec::new(),
        mask if mask.is_power_of_two() => COMPONENTS[mask.trailing_zeros() as usize & 3],
        mask if mask & lanes == lanes => FULL,
        _ => PARTIAL,
    }]
}

/// Sets the write mask.
pub(super) fn set_mask(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (_, op) = at(program, site).filter(|(_, op)| op.has_dest())?;
    if mask(program, site).contains(&value) {
        return Some(same(program, site));
    }
    let new = match value {
        PARTIAL => SEVERAL,
        FULL => result_lanes(op),
        one => 1 << COMPONENTS.iter().position(|name| *name == one)?,
    };
    with(program, site, |token| token.dest.mask = new)
}

/// The facet value for the file of a source.
fn file_of(source: &Source) -> Option<&'static str> {
    Some(match File::from_number(source.file)? {
        file @ (File::Constant | File::Temporary) => file.name(),
        File::Attribute | File::Varying | File::Instance => INPUT,
        File::Output | File::Sampler | File::Depth => return None,
    })
}

/// The file of source number `place`.
pub(super) fn file(program: &Program, site: Site, place: usize) -> Vec<&'static str> {
    source(program, site, place).and_then(|(source, _)| file_of(source)).into_iter().collect()
}

/// Changes the file and makes the read direct. The register keeps its number if the file has that many.
pub(super) fn set_file(program: &Program, site: Site, place: usize, value: &str) -> Option<Sited<Program>> {
    let (its, op) = source(program, site, place)?;
    if file_of(its) == Some(value) {
        return Some(same(program, site));
    }
    let file = if value == INPUT { input_file(program.stage) } else { File::from_name(value)? };
    let last = count(program.version, program.stage, file).checked_sub(rows(op, place == 1))?;
    with_source(program, site, place, |source| {
        source.read_directly();
        (source.file, source.number) = (file as u8, source.number.min(last));
    })
}

/// The kind of swizzle of source number `place`.
pub(super) fn swizzle(program: &Program, site: Site, place: usize) -> Vec<&'static str> {
    let swizzled = source(program, site, place).filter(|(_, op)| is_swizzled(*op, place));
    let name = swizzled.map(|(source, _)| match source.swizzle {
        Source::XYZW => IDENTITY,
        _ if source.is_replicated() => REPLICATED,
        _ => PERMUTED,
    });
    name.into_iter().collect()
}

/// Sets its swizzle: the last component replicated, or every component moved.
pub(super) fn set_swizzle(
    program: &Program,
    site: Site,
    place: usize,
    value: &str,
) -> Option<Sited<Program>> {
    let (its, _) = source(program, site, place).filter(|(_, op)| is_swizzled(*op, place))?;
    let new = match value {
        shown if swizzle(program, site, place).contains(&shown) => its.swizzle,
        IDENTITY => Source::XYZW,
        REPLICATED => Source::replicated(its.component(3)),
        _ => PERMUTATIONS[place & 1],
    };
    with_source(program, site, place, |source| source.swizzle = new)
}

/// The component selected by scalar source number `place`.
pub(super) fn scalar_component(program: &Program, site: Site, place: usize) -> Vec<&'static str> {
    let scalar = source(program, site, place).filter(|(_, op)| is_scalar(*op));
    scalar.map(|(source, _)| COMPONENTS[source.component(0)]).into_iter().collect()
}

/// Sets the component, replicated in the swizzle.
pub(super) fn set_scalar_component(
    program: &Program,
    site: Site,
    place: usize,
    value: &str,
) -> Option<Sited<Program>> {
    source(program, site, place).filter(|(_, op)| is_scalar(*op))?;
    let component = COMPONENTS.iter().position(|name| *name == value)?;
    with_source(program, site, place, |source| source.swizzle = Source::replicated(component))
}
