//! Decoded numbers of the fields of fetches.

use super::super::format::{self, Components};
use super::{Texture, Vertex};

impl Vertex {
    /// Returns the components of the fetch's format on the given version. `None` for compressed formats and undefined numbers, which a vertex fetch
    /// cannot read.
    pub fn components(&self, version: u32) -> Option<Components> {
        format::components(version, self.format)
    }

    /// Returns OFFSET, sign-extended.
    pub fn signed_offset(&self) -> i32 {
        Vertex::offset.signed(self.offset.into()) as i32
    }

    /// Returns the exponent of the power of two that scales values, sign-extended.
    pub fn exponent(&self) -> i8 {
        Vertex::exp_adjust.signed(self.exp_adjust.into()) as i8
    }

    /// Returns the number of the vertex constant.
    pub fn buffer(&self) -> u8 {
        3 * self.const_index + self.const_sub
    }
}

impl Texture {
    /// Returns the level-of-detail bias in sixteenths, sign-extended.
    pub fn sixteenths(&self) -> i8 {
        Texture::lod_bias.signed(self.lod_bias.into()) as i8
    }

    /// Returns the coordinate offsets in half texels, sign-extended.
    pub fn half_texels(&self) -> [i8; 3] {
        [
            Texture::offset_x.signed(self.offset_x.into()) as i8,
            Texture::offset_y.signed(self.offset_y.into()) as i8,
            Texture::offset_z.signed(self.offset_z.into()) as i8,
        ]
    }
}
