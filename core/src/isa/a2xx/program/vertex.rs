//! Fields of fetches as numbers: signed fields, the format's components, and the vertex constant.

use super::super::format::{self, Components};
use super::{Texture, Vertex};
use crate::binary::Field;

/// Returns a number as the contents of a field in two's complement.
///
/// # Panics
/// If the number does not fit the field.
fn twos_complement<T: TryFrom<u64>>(field: &Field, number: i64) -> T {
    let bits = number as u64 & (u64::MAX >> (u64::BITS - u32::from(field.width)));
    assert_eq!(field.signed(bits), number, "{number} does not fit '{}'", field.name);
    let Ok(bits) = T::try_from(bits) else { panic!("{bits} does not fit the type of '{}'", field.name) };
    bits
}

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

    /// Sets OFFSET.
    ///
    /// # Panics
    /// If the offset does not fit the field.
    pub fn set_signed_offset(&mut self, offset: i32) {
        self.offset = twos_complement(&Vertex::offset, offset.into());
    }

    /// Returns the exponent of the power of two that scales values, sign-extended.
    pub fn exponent(&self) -> i8 {
        Vertex::exp_adjust.signed(self.exp_adjust.into()) as i8
    }

    /// Sets the exponent of the power of two that scales values.
    ///
    /// # Panics
    /// If the exponent does not fit the field.
    pub fn set_exponent(&mut self, exponent: i8) {
        self.exp_adjust = twos_complement(&Vertex::exp_adjust, exponent.into());
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn signed_numbers_are_read_as_set_and_never_truncated() {
        let mut vertex = Vertex::default();
        for exponent in -32..32 {
            vertex.set_exponent(exponent);
            assert_eq!(vertex.exponent(), exponent);
        }
        for offset in [-(1 << 22), -4, -1, 0, 1, (1 << 22) - 1] {
            vertex.set_signed_offset(offset);
            assert_eq!(Vertex::from_word(vertex.to_word()).signed_offset(), offset);
        }
        for exponent in [-33, 32] {
            assert!(catch_unwind(|| Vertex::default().set_exponent(exponent)).is_err());
        }
        for offset in [-(1 << 22) - 1, 1 << 22] {
            assert!(catch_unwind(|| Vertex::default().set_signed_offset(offset)).is_err());
        }
    }
}
