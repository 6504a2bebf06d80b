//! The limits of each version: the number of registers in each file, and the number of instructions.

use super::program::File;
use crate::isa::Stage;

/// The limits of one version.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The version number in the header.
    pub version: u32,
    /// Maximum number of instructions.
    pub instructions: u32,
    /// Number of registers of each file in vertex programs, indexed by [`File`].
    pub vertex: [u16; 8],
    /// Number of registers of each file in fragment programs, indexed by [`File`].
    pub fragment: [u16; 8],
}

/// The limits of each version, in ascending order from version 1.
///
/// Sources: SEED for versions 1 to 3, with GCL and MINI3 for the four outputs of fragment programs of version 2 and later; MINI3 and ERR 3805 for
/// version 4, whose only documented fact is that vertex programs have four samplers.
pub static LIMITS: [Limits; 4] = [
    //                               va   c    t   o  v   s   d  i
    Limits {
        version: 1,
        instructions: 200,
        vertex: [8, 128, 8, 1, 8, 0, 0, 0],
        fragment: [0, 28, 8, 1, 8, 8, 0, 0],
    },
    Limits {
        version: 2,
        instructions: 1024,
        vertex: [8, 250, 26, 1, 10, 0, 0, 0],
        fragment: [0, 64, 26, 4, 10, 16, 1, 0],
    },
    Limits {
        version: 3,
        instructions: 2048,
        vertex: [16, 250, 26, 1, 10, 0, 0, 1],
        fragment: [0, 200, 26, 4, 10, 16, 1, 0],
    },
    Limits {
        version: 4,
        instructions: 2048,
        vertex: [16, 250, 26, 1, 10, 4, 0, 1],
        fragment: [0, 200, 26, 4, 10, 16, 1, 0],
    },
];

/// Returns the limits of a version. For versions that do not exist, returns those of the last version.
pub fn limits(version: u32) -> &'static Limits {
    LIMITS.iter().find(|l| l.version == version).unwrap_or(&LIMITS[LIMITS.len() - 1])
}

/// Returns the number of registers of a file.
pub fn count(version: u32, stage: Stage, file: File) -> u16 {
    let limits = limits(version);
    let row = if stage == Stage::Fragment { &limits.fragment } else { &limits.vertex };
    row[file as usize]
}
