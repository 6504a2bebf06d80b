//! What the formats of VERTEX say, as data.

use super::Vertex;

/// What the bits of a format's components mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// Integers, whose sign and scale the fetch says.
    Fields,
    /// binary16.
    Half,
    /// binary32.
    Single,
}

/// Format number, what its bits mean, and the widths of x, y, z and w from the least significant bit up (xenia, mesa: names give
/// widths from the most significant bit down).
type Row = (u8, Numbers, [u8; 4]);

use Numbers::{Fields, Half, Single};

/// The formats that both targets have.
static COMMON: [Row; 32] = [
    (0, Fields, [1, 0, 0, 0]),
    (1, Fields, [1, 0, 0, 0]),
    (2, Fields, [8, 0, 0, 0]),
    (3, Fields, [5, 5, 5, 1]),
    (4, Fields, [5, 6, 5, 0]),
    (5, Fields, [5, 5, 6, 0]),
    (6, Fields, [8, 8, 8, 8]),
    (7, Fields, [10, 10, 10, 2]),
    (8, Fields, [8, 0, 0, 0]),
    (9, Fields, [8, 0, 0, 0]),
    (10, Fields, [8, 8, 0, 0]),
    (14, Fields, [8, 8, 8, 8]),
    (15, Fields, [4, 4, 4, 4]),
    (22, Fields, [8, 24, 0, 0]),
    (24, Fields, [16, 0, 0, 0]),
    (25, Fields, [16, 16, 0, 0]),
    (26, Fields, [16, 16, 16, 16]),
    (27, Fields, [16, 0, 0, 0]),
    (28, Fields, [16, 16, 0, 0]),
    (29, Fields, [16, 16, 16, 16]),
    (30, Half, [16, 0, 0, 0]),
    (31, Half, [16, 16, 0, 0]),
    (32, Half, [16, 16, 16, 16]),
    (33, Fields, [32, 0, 0, 0]),
    (34, Fields, [32, 32, 0, 0]),
    (35, Fields, [32, 32, 32, 32]),
    (36, Single, [32, 0, 0, 0]),
    (37, Single, [32, 32, 0, 0]),
    (38, Single, [32, 32, 32, 32]),
    (51, Fields, [3, 3, 2, 0]),
    (54, Fields, [10, 10, 10, 2]),
    (57, Single, [32, 32, 32, 0]),
];

/// Those of Adreno alone.
static ADRENO: [Row; 4] = [
    (13, Fields, [1, 5, 5, 5]),
    (16, Fields, [8, 8, 8, 0]),
    (21, Fields, [2, 10, 10, 10]),
    (55, Fields, [2, 10, 10, 10]),
];

/// Those of Xenos alone.
static XENOS: [Row; 3] =
    [(16, Fields, [11, 11, 10, 0]), (17, Fields, [10, 11, 11, 0]), (55, Fields, [11, 11, 10, 0])];

impl Vertex {
    /// What the bits of the format mean, and the widths of its components from the least significant bit up; `None` for compressed formats
    /// and numbers without a meaning, which have no components that a fetch of vertices could read.
    pub fn components(&self, version: u32) -> Option<(Numbers, [u8; 4])> {
        let own: &[Row] = if version == super::XENOS { &XENOS } else { &ADRENO };
        let row = own.iter().chain(&COMMON).find(|row| row.0 == self.format)?;
        Some((row.1, row.2))
    }

    /// OFFSET as a number.
    pub fn signed_offset(&self) -> i32 {
        (self.offset << 9) as i32 >> 9
    }

    /// The power of two that values are multiplied by, as a number.
    pub fn exponent(&self) -> i8 {
        (self.exp_adjust << 2) as i8 >> 2
    }

    /// The number of the vertex constant.
    pub fn buffer(&self) -> u8 {
        3 * self.const_index + self.const_sub
    }
}
