//! What VERTEX says in numbers.

use super::super::format::{self, Components};
use super::Vertex;

impl Vertex {
    /// What the bits of the format mean, and the widths of its components from the least significant bit up; `None` for compressed formats
    /// and numbers without a meaning, which have no components that a fetch of vertices could read.
    pub fn components(&self, version: u32) -> Option<Components> {
        format::components(version, self.format)
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
