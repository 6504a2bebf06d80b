//! The registers and source components that an instruction reads.

use super::opcode::{Opcode, Row, Shape, SourceComponents};
use super::program::{File, Source, Token};
use super::word::Dimension;

/// A register that an instruction may read, with the components read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// Register file number.
    pub(super) file: u8,
    /// Register number; `None` for an indexed read.
    pub(super) number: Option<u16>,
    /// Components read; bit 0 is x.
    pub(super) mask: u8,
}

/// Returns the source components, after swizzling, that an instruction with write mask `mask` reads under default options. `dimension` is that of the
/// texture, as encoded in samplers.
pub fn source_mask(row: &Row, mask: u8, dimension: u8) -> u8 {
    match (row.shape, row.sources_read) {
        (Shape::Compare | Shape::Kill, _) => 1,
        (Shape::Marker, _) => 0,
        // Two coordinates for 2d textures, three for the others.
        (Shape::Texture, _) if dimension == Dimension::Plane as u8 => 3,
        (Shape::Texture, _) => 7,
        (_, SourceComponents::Own) => mask,
        (_, SourceComponents::First(n)) => (1 << n) - 1,
        // x depends on y and z, y on z and x, z on x and y.
        (_, SourceComponents::Cross) => {
            (if mask & 1 != 0 { 6 } else { 0 })
                | (if mask & 2 != 0 { 5 } else { 0 })
                | if mask & 4 != 0 { 3 } else { 0 }
        }
        (_, SourceComponents::None) => 0,
    }
}

/// Returns the source components of a token, after swizzling, that are read under default options or, with `any`, under at least one combination of
/// options.
fn needed(token: &Token, op: Opcode, any: bool) -> u8 {
    if any && matches!(op.row().shape, Shape::Compare | Shape::Kill) {
        return 15;
    }
    // By option, an instruction with a single-component mask writes the x component of the result to that component.
    let one = any && token.dest.mask.is_power_of_two();
    // A missing sampler is an error; three coordinates are assumed then.
    let dimension = token.sampler().map_or(Dimension::Cube as u8, |sampler| sampler.dimension);
    source_mask(op.row(), token.dest.mask | u8::from(one), dimension)
}

/// Returns the register components that a source reads if its swizzled components in `mask` are needed.
fn components(source: &Source, mask: u8) -> u8 {
    (0..4).filter(|c| mask >> c & 1 != 0).fold(0, |mask, c| mask | 1 << source.component(c))
}

/// Returns the number of consecutive registers that the first or second source reads: 1, or the number of rows for a matrix.
pub(super) fn rows(op: Opcode, is_second: bool) -> u16 {
    match op.row().shape {
        Shape::Matrix { rows, .. } if is_second => u16::from(rows),
        _ => 1,
    }
}

/// Calls `each` for every register that a token reads under default options, including index registers but not samplers.
pub(super) fn reads(token: &Token, each: impl FnMut(Read)) {
    reads_by(token, false, each);
}

/// Calls `each` for every register that a token reads under at least one combination of options; otherwise like [`reads`].
pub(super) fn reads_under_any_options(token: &Token, each: impl FnMut(Read)) {
    reads_by(token, true, each);
}

fn reads_by(token: &Token, any: bool, mut each: impl FnMut(Read)) {
    let Some(op) = token.op() else { return };
    let source_mask = needed(token, op, any);
    for (k, source) in token.sources().enumerate() {
        let mask = components(source, source_mask);
        if source.indirect != 0 {
            each(Read {
                file: source.index_file,
                number: Some(source.number),
                mask: 1 << (source.index_component & 3),
            });
            each(Read { file: source.file, number: None, mask });
        } else if mask != 0 {
            for row in 0..rows(op, k == 1) {
                each(Read { file: source.file, number: source.number.checked_add(row), mask });
            }
        }
    }
}

/// Whether a file number is that of `expected`.
pub(super) fn is_file(file: u8, expected: File) -> bool {
    file == expected as u8
}
