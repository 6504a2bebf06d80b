//! Facets of operands: the write mask, and of each source its file, its swizzle or, of a scalar, its component.

use super::header::input_file;
use super::tokens::{at, same, source, with, with_source};
use crate::isa::agal::limits::count;
use crate::isa::agal::names::COMPONENTS;
use crate::isa::agal::opcode::{Opcode, Shape};
use crate::isa::agal::program::{File, Program, Source};
use crate::isa::agal::reads::rows;
use crate::isa::facet::{Site, Sited};

const PARTIAL: &str = "partial";
const FULL: &str = "full";
/// The masks: one component, several, or all that the result has.
pub(super) const MASKS: [&str; 6] =
    [COMPONENTS[0], COMPONENTS[1], COMPONENTS[2], COMPONENTS[3], PARTIAL, FULL];
/// x and z, which every result has.
const SEVERAL: u8 = 0b101;

const INPUT: &str = "input";
/// The files of sources. What comes in from outside is one value, for the stage says which file that is.
pub(super) const FILES: [&str; 3] =
    [INPUT, File::PRINTED[File::Constant as usize], File::PRINTED[File::Temporary as usize]];

const IDENTITY: &str = "identity";
const REPLICATED: &str = "replicated";
const PERMUTED: &str = "permuted";
/// How a source's components stand: each in its place, one in all places, any other way.
pub(super) const SWIZZLES: [&str; 3] = [IDENTITY, REPLICATED, PERMUTED];
/// Permutations that let every lane read another component, by the place of the source: wzyx and yzwx.
pub(super) const PERMUTATIONS: [u8; 2] = [0x1b, 0x39];

/// The components that a result has.
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

/// Lets another mask be written.
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

/// The file that a source is read from.
fn file_of(source: &Source) -> Option<&'static str> {
    Some(match File::from_number(source.file)? {
        file @ (File::Constant | File::Temporary) => file.name(),
        File::Attribute | File::Varying | File::Instance => INPUT,
        File::Output | File::Sampler | File::Depth => return None,
    })
}

/// The file of the source at a place.
pub(super) fn file(program: &Program, site: Site, place: usize) -> Vec<&'static str> {
    source(program, site, place).and_then(|(source, _)| file_of(source)).into_iter().collect()
}

/// Reads it from another file, directly. The register keeps its number where the file has so many.
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

/// How the components of the source at a place stand.
pub(super) fn swizzle(program: &Program, site: Site, place: usize) -> Vec<&'static str> {
    let swizzled = source(program, site, place).filter(|(_, op)| is_swizzled(*op, place));
    let name = swizzled.map(|(source, _)| match source.swizzle {
        Source::XYZW => IDENTITY,
        _ if source.is_replicated() => REPLICATED,
        _ => PERMUTED,
    });
    name.into_iter().collect()
}

/// Sets its swizzle: the last component in all places, or every component in another place.
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

/// The component that the scalar at a place is.
pub(super) fn scalar_component(program: &Program, site: Site, place: usize) -> Vec<&'static str> {
    let scalar = source(program, site, place).filter(|(_, op)| is_scalar(*op));
    scalar.map(|(source, _)| COMPONENTS[source.component(0)]).into_iter().collect()
}

/// Sets the component, named in all four places.
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
