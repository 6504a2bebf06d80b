//! Limits of the hardware, and the exports of each stage.

use super::word::Buffer;
use crate::isa::Stage;
use std::ops::RangeInclusive;

/// Maximum depth of nested calls, and of nested loops (sources mesa and xenia, evidence M).
pub const MAX_NESTING: u8 = 4;
/// Maximum number of slots of a program, including those that hold clauses (source mesa, evidence M).
pub const MAX_SLOTS: usize = 384;
/// The highest slot that EXEC of Adreno can address: its address has 9 bits (source fd-hdr).
pub const ADRENO_ADDR: u16 = 511;
/// The highest SIZE of ALLOC in xenia's three-bit field.
pub const HIGHEST_SIZE: u8 = 7;

/// A range of export numbers and its meaning.
#[derive(Clone, Debug)]
pub struct Export {
    /// The only stage with these exports; `None` if every stage has them.
    pub stage: Option<Stage>,
    /// The export numbers.
    pub numbers: RangeInclusive<u8>,
    /// The buffer that ALLOC reserves for these exports.
    pub buffer: Buffer,
    /// The name that listings print in a comment.
    pub name: Option<&'static str>,
}

const fn for_stage(
    stage: Stage,
    numbers: RangeInclusive<u8>,
    buffer: Buffer,
    name: Option<&'static str>,
) -> Export {
    Export { stage: Some(stage), numbers, buffer, name }
}

/// The lowest export number of a vertex shader that belongs to the position buffer.
pub const POSITION: u8 = 62;

/// The documented exports.
pub static EXPORTS: [Export; 7] = [
    Export { stage: None, numbers: 32..=37, buffer: Buffer::Memory, name: None },
    for_stage(Stage::Vertex, 0..=15, Buffer::Parameters, None),
    for_stage(Stage::Vertex, POSITION..=POSITION, Buffer::Position, Some("gl_Position")),
    for_stage(Stage::Vertex, 63..=63, Buffer::Position, Some("gl_PointSize")),
    for_stage(Stage::Fragment, 0..=0, Buffer::Parameters, Some("gl_FragColor")),
    for_stage(Stage::Fragment, 1..=3, Buffer::Parameters, None),
    for_stage(Stage::Fragment, 61..=61, Buffer::None, None),
];

/// Returns the documented meaning of an export; `None` if it is undocumented. Any stage other than fragment counts as vertex.
pub fn export(stage: Stage, number: u8) -> Option<&'static Export> {
    let fragment = |stage: Stage| stage == Stage::Fragment;
    let here = |row: &&Export| row.stage.is_none_or(|of| fragment(of) == fragment(stage));
    EXPORTS.iter().filter(here).find(|row| row.numbers.contains(&number))
}

/// Returns the number of the buffer that ALLOC reserves for an export; `None` if the export is undocumented.
pub fn export_buffer(stage: Stage, number: u8) -> Option<u8> {
    export(stage, number).map(|row| row.buffer as u8)
}
