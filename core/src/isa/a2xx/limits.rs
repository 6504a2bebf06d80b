//! What the machine has room for, and which exports a stage has.

use super::word::Buffer;
use crate::isa::Stage;
use std::ops::RangeInclusive;

/// Calls within calls, and loops within loops (mesa, xenia M).
pub const DEEPEST: u8 = 4;
/// Most slots of a program, those of clauses among them (mesa M).
pub const MOST_SLOTS: usize = 384;
/// The highest slot that EXEC of Adreno names: its address has 9 bits (fd-hdr).
pub const ADRENO_ADDR: u16 = 511;
/// The highest SIZE of ALLOC in xenia's three bits.
pub const HIGHEST_SIZE: u8 = 7;

/// What exports of some numbers are.
#[derive(Clone, Debug)]
pub struct Export {
    /// The stage that has them; `None` if each has.
    pub stage: Option<Stage>,
    /// Their numbers.
    pub numbers: RangeInclusive<u8>,
    /// What ALLOC reserves for them.
    pub buffer: Buffer,
    /// What listings note beside one of them.
    pub name: Option<&'static str>,
}

const fn of(stage: Stage, numbers: RangeInclusive<u8>, buffer: Buffer, name: Option<&'static str>) -> Export {
    Export { stage: Some(stage), numbers, buffer, name }
}

/// The lowest export of a vertex shader that is its position or beside it.
pub const POSITION: u8 = 62;

/// The exports that documents know.
pub static EXPORTS: [Export; 7] = [
    Export { stage: None, numbers: 32..=37, buffer: Buffer::Memory, name: None },
    of(Stage::Vertex, 0..=15, Buffer::Parameters, None),
    of(Stage::Vertex, POSITION..=POSITION, Buffer::Position, Some("gl_Position")),
    of(Stage::Vertex, 63..=63, Buffer::Position, Some("gl_PointSize")),
    of(Stage::Fragment, 0..=0, Buffer::Parameters, Some("gl_FragColor")),
    of(Stage::Fragment, 1..=3, Buffer::Parameters, None),
    of(Stage::Fragment, 61..=61, Buffer::None, None),
];

/// What an export is; `None` if documents do not know it. A stage that is no fragment's is a vertex's.
pub fn export(stage: Stage, number: u8) -> Option<&'static Export> {
    let fragment = |stage: Stage| stage == Stage::Fragment;
    let here = |row: &&Export| row.stage.is_none_or(|of| fragment(of) == fragment(stage));
    EXPORTS.iter().filter(here).find(|row| row.numbers.contains(&number))
}

/// What ALLOC reserves for an export, as it counts.
pub fn export_buffer(stage: Stage, number: u8) -> Option<u8> {
    export(stage, number).map(|row| row.buffer as u8)
}
