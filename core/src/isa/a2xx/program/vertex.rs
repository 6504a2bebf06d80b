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
        Vertex::offset.signed(self.offset.into()) as i32
    }

    /// The exponent of the power of two that scales values, sign-extended.
    pub fn exponent(&self) -> i8 {
        Vertex::exp_adjust.signed(self.exp_adjust.into()) as i8
    }

    /// The number of the vertex constant.
    pub fn buffer(&self) -> u8 {
        3 * self.const_index + self.const_sub
    }
}
