//! What the machine has room for, and which exports a stage has.

use crate::isa::Stage;

/// Calls within calls, and loops within loops (mesa, xenia M).
pub const DEEPEST: u8 = 4;
/// Most slots of a program, those of clauses among them (mesa M).
pub const MOST_SLOTS: usize = 384;
/// The highest slot that EXEC of Adreno names: its address has 9 bits (fd-hdr).
pub const ADRENO_ADDR: u16 = 511;
/// The highest SIZE of ALLOC in xenia's three bits.
pub const HIGHEST_SIZE: u8 = 7;

/// What an export is for, as ALLOC counts: 1 position, 2 parameters or pixel colours, 3 memory, 0 none of them.
pub fn export_buffer(stage: Stage, number: u8) -> Option<u8> {
    match (stage == Stage::Fragment, number) {
        (_, 32..=37) => Some(3),
        (false, 0..=15) | (true, 0..=3) => Some(2),
        (false, 62 | 63) => Some(1),
        (true, 61) => Some(0),
        _ => None,
    }
}
