//! Numeric values of VERTEX fields.

use super::super::format::{self, Components};
use super::Vertex;

impl Vertex {
    /// The components of the fetch's format on the given version; `None` for compressed formats and undefined numbers, which a vertex fetch cannot
    /// read.
    pub fn components(&self, version: u32) -> Option<Components> {
        format::components(version, self.format)
    }

    /// OFFSET, sign-extended.
    pub fn signed_offset(&self) -> i32 {
        (self.offset << 9) as i32 >> 9
    }

    /// The exponent of the power of two that scales values, sign-extended.
    pub fn exponent(&self) -> i8 {
        (self.exp_adjust << 2) as i8 >> 2
    }

    /// The number of the vertex constant.
    pub fn buffer(&self) -> u8 {
        3 * self.const_index + self.const_sub
    }
}
