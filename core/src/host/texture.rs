//! Textures: shape, sampler state, and the source of their texels.
//!
//! Every field may hold any value. Reads use the *effective* shape: each size is at least 1, missing dimensions are 1, a cube is as high as it is
//! wide, and there are 1 to [`Texture::MAX_LEVELS`] levels.

use super::SamplerState;
use serde::{Deserialize, Serialize};

/// The shape of a texture, or of the coordinates of a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// A row of texels, addressed by x.
    One,
    /// A plane, addressed by x and y.
    #[default]
    Two,
    /// A volume, addressed by x, y and z.
    Three,
    /// Six square faces in the order +x -x +y -y +z -z, addressed by a direction.
    Cube,
}

impl Dimension {
    /// The number of coordinates of a read of this dimension: 1, 2 or 3.
    #[inline]
    pub fn coordinates(self) -> usize {
        match self {
            Dimension::One => 1,
            Dimension::Two => 2,
            Dimension::Three | Dimension::Cube => 3,
        }
    }

    /// The number of axes of a texture of this dimension: 1, 2 or 3. A cube has 2, those of a face.
    #[inline]
    pub fn axes(self) -> usize {
        match self {
            Dimension::One => 1,
            Dimension::Two | Dimension::Cube => 2,
            Dimension::Three => 3,
        }
    }
}

/// The source of texels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Texels {
    /// Noise computed from the texel's position, without storage: multiples of 1/256 in [-1, 1]. [`Texture::texel`] defines it.
    Pattern {
        /// Selects the noise.
        seed: u32,
    },
    /// Stored texels, ordered by level, then face, slice, row and x, each ascending. Texels missing at the end are zero; those beyond the shape are
    /// never read.
    Explicit(Vec<[f32; 4]>),
    /// No texels and no filtering: a read at (x, y, z) gives `base + slope * (x, y, z, 0)`, computed by one f32 multiplication and one f32 addition
    /// per component. Coordinates that the texture lacks count as 0. Some tools that record runs return such values for texture reads.
    Ramp {
        /// The value at the origin.
        base: [f32; 4],
        /// The increase of a component per unit of the coordinate of the same name.
        slope: f32,
    },
}

impl Default for Texels {
    fn default() -> Self {
        Texels::Pattern { seed: 0 }
    }
}

/// A texture and its sampler state, which an instruction may override.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Texture {
    /// The shape, which determines how texels are addressed.
    pub dimension: Dimension,
    /// Width, height and depth of level 0 in texels; read through [`Texture::extent`].
    pub size: [u16; 3],
    /// The number of mip levels; read through [`Texture::level_count`].
    pub levels: u8,
    /// Filtering and wrapping.
    #[serde(default)]
    pub state: SamplerState,
    /// The source of texels.
    pub texels: Texels,
}

impl Texture {
    /// The maximum number of effective levels. The last of 16 levels of a texture of the largest size has one texel along each axis, so further
    /// levels would have the same size.
    pub const MAX_LEVELS: u8 = 16;

    /// The number of levels, 1 to [`Texture::MAX_LEVELS`]: `levels` clamped.
    #[inline]
    pub fn level_count(&self) -> u8 {
        self.levels.clamp(1, Self::MAX_LEVELS)
    }

    /// The number of faces: 6 for a cube, else 1.
    #[inline]
    pub fn faces(&self) -> u32 {
        if self.dimension == Dimension::Cube { 6 } else { 1 }
    }

    /// Width, height and depth of a face of `level` in texels, each 1 to 65535: `max(1, size >> level)`, or 1 for axes that the dimension lacks. The
    /// height of a cube's face is its width. A `level` past the last counts as the last.
    #[inline]
    pub fn extent(&self, level: u8) -> [u32; 3] {
        let level = level.min(self.level_count() - 1);
        let [w, h, d] = self.size;
        let [w, h, d] = [size_at(w, level), size_at(h, level), size_at(d, level)];
        match self.dimension {
            Dimension::One => [w, 1, 1],
            Dimension::Two => [w, h, 1],
            Dimension::Three => [w, h, d],
            Dimension::Cube => [w, w, 1],
        }
    }

    /// The texel at integer coordinates. A level, face or coordinate out of range counts as the last.
    ///
    /// [`Texels::Ramp`] has no texels; the result is the value of a read at (x, y, z). [`Texels::Pattern`] is defined as follows. h starts as the
    /// seed. For each word v of level, face, x, y, z and component (0 to 3), in this order, compute
    ///
    /// ```text
    /// h = (h xor v) * 0x9e3779b1 mod 2^32,   h = h xor (h >> 15)
    /// ```
    ///
    /// Then the component is ((h mod 513) - 256) / 256.
    pub fn texel(&self, level: u8, face: u32, x: u32, y: u32, z: u32) -> [f32; 4] {
        let face = self.face(level.min(self.level_count() - 1), face.min(self.faces() - 1));
        let [w, h, d] = face.size;
        let (x, y, z) = (x.min(w - 1), y.min(h - 1), z.min(d - 1));
        match face.store {
            Store::Pattern(noise) => noise.texel(x, y, z),
            Store::Explicit(texels) => texels.texel(x, y, z),
            Store::Ramp(slope) => slope.texel(x, y, z),
        }
    }

    /// Prepares `face` of `level` for reads. Both must exist.
    #[inline]
    pub(super) fn face(&self, level: u8, face: u32) -> Face<'_> {
        let size = self.extent(level);
        let store = match &self.texels {
            Texels::Pattern { seed } => Store::Pattern(Noise(mix(mix(*seed, u32::from(level)), face))),
            Texels::Explicit(texels) => {
                let start = if level == 0 && face == 0 { 0 } else { self.offset(level, face) };
                let start = usize::try_from(start).unwrap_or(usize::MAX);
                let texels = texels.get(start..).unwrap_or_default();
                Store::Explicit(Stored { texels, width: size[0], height: size[1] })
            }
            Texels::Ramp { base, slope } => Store::Ramp(Slope(*base, *slope)),
        };
        Face { size, store }
    }

    /// The number of texels stored before `face` of `level`. It is below 16 * 65535^3, which fits into 64 bits.
    fn offset(&self, level: u8, face: u32) -> u64 {
        let volume = |level| self.extent(level).into_iter().map(u64::from).product::<u64>();
        (0..level).map(volume).sum::<u64>() * u64::from(self.faces()) + u64::from(face) * volume(level)
    }
}

/// The size at a level: `size` halved `level` times, rounded down, at least 1.
#[inline]
fn size_at(size: u16, level: u8) -> u32 {
    (u32::from(size) >> level).max(1)
}

/// One face of one level, prepared for reads.
#[derive(Clone, Copy)]
pub(super) struct Face<'a> {
    /// Width, height and depth in texels: the result of [`Texture::extent`].
    pub(super) size: [u32; 3],
    pub(super) store: Store<'a>,
}

/// The source of a face's texels.
#[derive(Clone, Copy)]
pub(super) enum Store<'a> {
    Pattern(Noise),
    Explicit(Stored<'a>),
    Ramp(Slope),
}

/// Access to texels of a face by integer coordinates within it.
pub(super) trait Texel: Copy {
    fn texel(self, x: u32, y: u32, z: u32) -> [f32; 4];
}

/// The noise's hash of seed, level and face.
#[derive(Clone, Copy)]
pub(super) struct Noise(u32);

impl Texel for Noise {
    fn texel(self, x: u32, y: u32, z: u32) -> [f32; 4] {
        let position_hash = mix(mix(mix(self.0, x), y), z);
        let component = |c: u32| (mix(position_hash, c) % 513) as f32 / 256.0 - 1.0;
        [component(0), component(1), component(2), component(3)]
    }
}

/// The stored texels from a face's first texel to the end of the list. Texels missing at the end are zero.
#[derive(Clone, Copy)]
pub(super) struct Stored<'a> {
    texels: &'a [[f32; 4]],
    width: u32,
    height: u32,
}

impl Texel for Stored<'_> {
    #[inline(always)]
    fn texel(self, x: u32, y: u32, z: u32) -> [f32; 4] {
        let row = u64::from(z) * u64::from(self.height) + u64::from(y);
        let index = row * u64::from(self.width) + u64::from(x);
        match usize::try_from(index).ok().and_then(|i| self.texels.get(i)) {
            Some(texel) => *texel,
            None => [0.0; 4],
        }
    }
}

/// The base and slope of a [`Texels::Ramp`].
#[derive(Clone, Copy)]
pub(super) struct Slope([f32; 4], f32);

impl Texel for Slope {
    fn texel(self, x: u32, y: u32, z: u32) -> [f32; 4] {
        ramp(self.0, self.1, [x as f32, y as f32, z as f32])
    }
}

/// The value of a [`Texels::Ramp`] at `coords`.
#[inline]
pub(super) fn ramp(base: [f32; 4], slope: f32, coords: [f32; 3]) -> [f32; 4] {
    let [x, y, z] = coords;
    [base[0] + slope * x, base[1] + slope * y, base[2] + slope * z, base[3] + slope * 0.0]
}

/// One round of the hash in [`Texture::texel`].
#[inline]
fn mix(h: u32, v: u32) -> u32 {
    let h = (h ^ v).wrapping_mul(0x9e37_79b1);
    h ^ h >> 15
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explicit(dimension: Dimension, size: [u16; 3], levels: u8, count: u16) -> Texture {
        let texels = Texels::Explicit((0..count).map(|i| [f32::from(i), 0.0, 0.0, 1.0]).collect());
        Texture { dimension, size, levels, texels, ..Texture::default() }
    }

    #[test]
    fn explicit_texels_are_ordered_by_level_face_slice_and_row() {
        // 3x2x2 = 12 texels, then level 1 of 1x1x1.
        let volume = explicit(Dimension::Three, [3, 2, 2], 2, 13);
        assert_eq!(volume.texel(0, 0, 2, 0, 0)[0], 2.0);
        assert_eq!(volume.texel(0, 0, 1, 1, 0)[0], 4.0);
        assert_eq!(volume.texel(0, 0, 0, 1, 1)[0], 9.0); // (1 * 2 + 1) * 3
        assert_eq!(volume.texel(1, 0, 0, 0, 0)[0], 12.0);
        // Six faces of 2x2, then six of 1x1; the height is ignored.
        let cube = explicit(Dimension::Cube, [2, 77, 77], 2, 30);
        assert_eq!(cube.texel(0, 3, 1, 1, 0)[0], 15.0); // 3 * 4 + 3
        assert_eq!(cube.texel(1, 5, 0, 0, 0)[0], 29.0); // 24 + 5
    }

    #[test]
    fn missing_texels_read_zero_and_outside_coordinates_read_the_edge() {
        let plane = explicit(Dimension::Two, [2, 2, 9], 1, 3);
        assert_eq!(plane.texel(0, 0, 1, 1, 0), [0.0; 4]);
        assert_eq!(plane.texel(9, 9, u32::MAX, 0, u32::MAX)[0], 1.0);
    }

    #[test]
    fn any_shape_has_an_extent() {
        let empty = Texture { levels: 0, size: [0; 3], ..Texture::default() };
        assert_eq!((empty.level_count(), empty.extent(200)), (1, [1, 1, 1]));
        let huge = Texture {
            dimension: Dimension::Three,
            levels: 255,
            size: [65535, 4, 65535],
            ..Texture::default()
        };
        assert_eq!((huge.level_count(), huge.extent(15), huge.extent(255)), (16, [1, 1, 1], [1, 1, 1]));
        assert_eq!(huge.extent(2), [16383, 1, 16383]);
        let far = Texture { texels: Texels::Explicit(vec![[1.0; 4]]), ..huge };
        assert_eq!(far.texel(15, 0, 0, 0, 0), [0.0; 4]);
    }

    #[test]
    fn the_pattern_follows_its_formula() {
        let t = Texture::default();
        let [x, y, z, _] = t.texel(0, 0, 0, 0, 0);
        // For zeros, h stays 0 through all five words and component 0: -256 / 256.
        assert_eq!(x, -1.0);
        // h = 0x9e3779b1, 0x9e3779b1 >> 15 = 0x13c6e, h = 0x9e3645df = 54 (mod 513).
        assert_eq!(y, (54 - 256) as f32 / 256.0);
        // h = 0x3c6ef362, h >> 15 = 0x78dd, h = 0x3c6e8bbf = 398 (mod 513).
        assert_eq!(z, (398 - 256) as f32 / 256.0);
    }

    #[test]
    fn the_pattern_differs_between_positions_and_stays_in_range() {
        let t = |seed| Texture {
            dimension: Dimension::Three,
            size: [8; 3],
            levels: 4,
            texels: Texels::Pattern { seed },
            ..Texture::default()
        };
        let mut seen = std::collections::HashSet::new();
        for (seed, x, y, z) in (0..2u32).flat_map(|s| (0..512).map(move |i| (s, i & 7, i >> 3 & 7, i >> 6))) {
            let texel = t(seed).texel(0, 0, x, y, z);
            assert!(texel.iter().all(|c| c.abs() <= 1.0 && (c * 256.0).fract() == 0.0));
            seen.insert(texel.map(f32::to_bits));
        }
        assert_eq!(seen.len(), 1024);
    }
}
