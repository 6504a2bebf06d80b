//! Facets of operands: the write mask, and for each source its register file and its swizzle or, for a scalar source, its component.

use super::site::{at, source, unchanged, with_source, with_token};
use super::stage::input_file;
use crate::isa::agal::limits::count;
use crate::isa::agal::opcode::{Opcode, Shape};
use crate::isa::agal::program::{File, Program, Source};
use crate::isa::agal::reads::rows;
use crate::isa::component::NAMES;
use crate::isa::facet::{Site, Sited};

const PARTIAL: &str = "partial";
const FULL: &str = "full";
/// The values of the facet `mask`: one component, several components, or all components of the result.
pub(super) const MASKS: [&str; 6] = [NAMES[0], NAMES[1], NAMES[2], NAMES[3], PARTIAL, FULL];
/// The mask of x and z, which exist in every result.
const SEVERAL: u8 = 0b101;

const INPUT: &str = "input";
/// The values of the facets for the file of a source. Attributes, varyings and the instance number share the value `input`, because the stage decides
/// which of them exist.
pub(super) const FILES: [&str; 3] =
    [INPUT, File::PRINTED[File::Constant as usize], File::PRINTED[File::Temporary as usize]];

const IDENTITY: &str = "identity";
const REPLICATED: &str = "replicated";
const PERMUTED: &str = "permuted";
/// The kinds of swizzle: identity, one component replicated, any other.
pub(super) const SWIZZLES: [&str; 3] = [IDENTITY, REPLICATED, PERMUTED];
/// Permutations that move every component, one for each source: wzyx and yzwx.
pub(super) const PERMUTATIONS: [u8; 2] = [0x1b, 0x39];

/// Returns the mask of the components that an opcode's result has.
pub(super) fn result_components(op: Opcode) -> u8 {
    if op.row().writes_w { 0xf } else { 7 }
}

/// Whether the sources of an opcode are scalars.
pub(super) fn is_scalar(op: Opcode) -> bool {
    matches!(op.row().shape, Shape::Compare | Shape::Kill)
}

/// Whether source number `operand` has a swizzle facet: it is neither a scalar nor the first row of a matrix, which may not be swizzled.
pub(super) fn is_swizzled(op: Opcode, operand: usize) -> bool {
    let is_matrix = operand == 1 && matches!(op.row().shape, Shape::Matrix { .. });
    !is_scalar(op) && !is_matrix
}

/// Returns the facet value for the write mask.
pub(super) fn mask(program: &Program, site: Site) -> Vec<&'static str> {
    let Some((token, op)) = at(program, site).filter(|(_, op)| op.has_dest()) else { return Vec::new() };
    let components = result_components(op);
    vec![match token.dest.mask {
        0 => return Vec::new(),
        mask if mask.is_power_of_two() => NAMES[mask.trailing_zeros() as usize & 3],
        mask if mask & components == components => FULL,
        _ => PARTIAL,
    }]
}

/// Sets the write mask to that of a facet value.
pub(super) fn set_mask(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (_, op) = at(program, site).filter(|(_, op)| op.has_dest())?;
    if mask(program, site).contains(&value) {
        return Some(unchanged(program, site));
    }
    let new = match value {
        PARTIAL => SEVERAL,
        FULL => result_components(op),
        component => 1 << NAMES.iter().position(|name| *name == component)?,
    };
    with_token(program, site, |token| token.dest.mask = new)
}

/// Returns the facet value for the file of a source; `None` if the file has none.
fn file_of(source: &Source) -> Option<&'static str> {
    Some(match File::from_number(source.file)? {
        file @ (File::Constant | File::Temporary) => file.name(),
        File::Attribute | File::Varying | File::Instance => INPUT,
        File::Output | File::Sampler | File::Depth => return None,
    })
}

/// Returns the facet value for the file of source number `operand`.
pub(super) fn file(program: &Program, site: Site, operand: usize) -> Vec<&'static str> {
    source(program, site, operand).and_then(|(source, _)| file_of(source)).into_iter().collect()
}

/// Changes the file of a source and makes the read direct. The register number is kept if it exists in the new file.
pub(super) fn set_file(program: &Program, site: Site, operand: usize, value: &str) -> Option<Sited<Program>> {
    let (old, op) = source(program, site, operand)?;
    if file_of(old) == Some(value) {
        return Some(unchanged(program, site));
    }
    let file = if value == INPUT { input_file(program.stage) } else { File::from_name(value)? };
    let last = count(program.version, program.stage, file).checked_sub(rows(op, operand == 1))?;
    with_source(program, site, operand, |source| {
        source.read_directly();
        (source.file, source.number) = (file as u8, source.number.min(last));
    })
}

/// Returns the kind of swizzle of source number `operand`.
pub(super) fn swizzle(program: &Program, site: Site, operand: usize) -> Vec<&'static str> {
    let swizzled = source(program, site, operand).filter(|(_, op)| is_swizzled(*op, operand));
    let name = swizzled.map(|(source, _)| match source.swizzle {
        Source::XYZW => IDENTITY,
        _ if source.is_replicated() => REPLICATED,
        _ => PERMUTED,
    });
    name.into_iter().collect()
}

/// Sets the kind of swizzle of a source. `REPLICATED` replicates the last component, and `PERMUTED` moves every component.
pub(super) fn set_swizzle(
    program: &Program,
    site: Site,
    operand: usize,
    value: &str,
) -> Option<Sited<Program>> {
    let (old, _) = source(program, site, operand).filter(|(_, op)| is_swizzled(*op, operand))?;
    let new = match value {
        shown if swizzle(program, site, operand).contains(&shown) => old.swizzle,
        IDENTITY => Source::XYZW,
        REPLICATED => Source::replicated(old.component(3)),
        _ => PERMUTATIONS[operand & 1],
    };
    with_source(program, site, operand, |source| source.swizzle = new)
}

/// Returns the component selected by scalar source number `operand`.
pub(super) fn scalar_component(program: &Program, site: Site, operand: usize) -> Vec<&'static str> {
    let scalar = source(program, site, operand).filter(|(_, op)| is_scalar(*op));
    scalar.map(|(source, _)| NAMES[source.component(0)]).into_iter().collect()
}

/// Sets the component of a scalar source, replicated in the swizzle.
pub(super) fn set_scalar_component(
    program: &Program,
    site: Site,
    operand: usize,
    value: &str,
) -> Option<Sited<Program>> {
    source(program, site, operand).filter(|(_, op)| is_scalar(*op))?;
    let component = NAMES.iter().position(|name| *name == value)?;
    with_source(program, site, operand, |source| source.swizzle = Source::replicated(component))
}
