//! The sampler: the definition of a texture read. The references, the IR evaluator and the executor use it for all instruction sets with texture
//! reads.
//!
//! All arithmetic is binary32. Each operation rounds once, to nearest even. The order of operations is the order written, and no operations are
//! contracted to a fused multiply-add. `lerp(a, b, f)` is a if f = 0, in which case b is not read; otherwise it is `a + f * (b - a)` in each
//! component.
//!
//! 1. **State.** The request's sampler state is used if it has one, otherwise the texture's. Filters given by [`Access`] replace those of the state.
//! 2. **Coordinates.** A request of dimension 1, 2, 3 or cube has 1, 2, 3 or 3 coordinates and as many components in each gradient; the other
//!    coordinates and components are 0. From here on the *texture's* dimension counts, and coordinates for axes that the texture lacks are ignored.
//!    For a [`Texels::Ramp`](super::Texels::Ramp) the result of a texel read is given by the formula there, and nothing below applies.
//!
//!    Coordinates that are not a direction are then changed along the axes that the texture has, in this order. Coordinates that count texels (see
//!    [`Access`]) are divided by the size of level 0. `(half texels * 0.5) / size of level 0` is added if half texels are not 0. On a cube whose face
//!    coordinates begin at 1, 1 is subtracted from x and y.
//! 3. **Face.** If a cube is read by a request of dimension cube, the coordinates are a direction. The major axis is z if |z| >= |x| and |z| >= |y|,
//!    else y if |y| >= |x|, else x. Ties therefore select z before y, and y before x. A comparison with NaN is false. The face is the negative one of
//!    the major axis if the coordinate on that axis is < 0, otherwise the positive one.
//!
//!    | face | sc | tc | \|ma\| |
//!    |---|---|---|---|
//!    | 0 +x | -z | -y | x |
//!    | 1 -x | z | -y | -x |
//!    | 2 +y | x | z | y |
//!    | 3 -y | x | -z | -y |
//!    | 4 +z | x | -y | z |
//!    | 5 -z | -x | -y | -z |
//!
//!    The coordinates on the face are `u = (sc / |ma| + 1) * 0.5` and `v = (tc / |ma| + 1) * 0.5`. A gradient is mapped to the face by the same
//!    columns. Let s, t and m be the values of the columns sc, tc and |ma| for the gradient vector and the chosen face. Then
//!    `du = (s - (sc / |ma|) * m) / |ma| * 0.5`, and dv is computed likewise from t and tc. The zero direction is on face 4, and its coordinates are
//!    NaN (see step 6).
//!
//!    If a cube is read by a request of any other dimension, the request selects the face: x and y are u and v, and z is the number of the face,
//!    rounded down, 0 if z is negative or NaN, 5 if z is above 5. Gradients are then in u and v. If [`Access::direction_gradients`] is set, they are
//!    instead gradients of a direction, and are mapped to that face as above with |ma| = 1, sc = 2u - 1 and tc = 2v - 1.
//! 4. **Level of detail.**
//!    * `Base`: l = 0.
//!    * `Explicit(e)`: l = e + lod_bias.
//!    * `Gradient`: each component of dx and dy is multiplied by the size of level 0 along its axis, unless it counts texels already (gradients of a
//!      direction never do). The length of each gradient is the square root of the sum of the squares, added in the order x, y, z. rho is the greater
//!      length, or NaN if either is NaN. l = (log2(rho) + bias) + lod_bias.
//!
//!    If l is NaN, it becomes 0. The filter within a level is `mag` if l <= 0, else `min`. Along z the filter is the access's `volume_mag` or
//!    `volume_min` if given, otherwise the state's `mag` or `min`; the access's `mag` and `min` do not apply along z. Then l is clamped to 0 to
//!    levels - 1. Since the filter is selected before l is clamped, a texture with one level still distinguishes `min` from `mag`.
//! 5. **Levels.** Mip filter `None` reads level 0. `Nearest` reads level floor(l), or the next level if l - floor(l) >= 0.5. `Linear` gives
//!    lerp(level floor(l), the next level, l - floor(l)). Each level is read by steps 6 to 8 with the same u, v, w.
//! 6. **Texels along an axis** of n texels. A NaN coordinate becomes 0. p = u * n.
//!    * `Nearest`: the texel i = floor(p).
//!    * `Linear`: q = p - 0.5, i = floor(q), f = q - i (0 if q is infinite); the texels i and i + 1, the second with weight f.
//! 7. **Wrapping** of an integer i. The calculation is exact even if i is huge. If p is infinite, so is i.
//!    * `Clamp`: i clamped to 0 to n - 1. Both axes of a cube's face are clamped regardless of the state.
//!    * `Repeat`: i mod n, 0 or more; 0 for infinite i.
//!    * `Mirror`: m = i mod 2n; m if m < n, else 2n - 1 - m; 0 for infinite i.
//!    * `Border`: i itself if it is in 0 to n - 1. A texel whose i is outside that range on any axis has the border colour.
//! 8. **Within a level**, the texels are combined by lerp along x between the two texels of a row, then along y between rows, then along z between
//!    slices.
//!
//! Anisotropy is not part of the definition: `max_anisotropy` has no effect.
//!
//! The other kinds of [`SampleResult`] are computed by the same steps. The level of detail is that of step 4 before it is clamped, 0 for NaN. The
//! first three weights are the `f` of step 6 along x, y and z, 0 for the filter `Nearest` and for missing axes. They belong to level floor(l) if the
//! mip filter is `Linear`, otherwise to the level that step 5 reads. The fourth weight is l - floor(l), or 0 unless the mip filter is `Linear`. The
//! share of the border is the result of the read if the border colour were 1 and all texels 0.

use super::{Dimension, Texture, reader::Reader};
use serde::{Deserialize, Serialize};

/// How texels within one level are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// The texel that contains the coordinate.
    #[default]
    Nearest,
    /// The two nearest texels along each axis, weighted by distance.
    Linear,
}

/// How levels are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MipFilter {
    /// Level 0 only.
    #[default]
    None,
    /// The nearest level.
    Nearest,
    /// The two nearest levels, weighted by distance.
    Linear,
}

/// How a texel outside the texture is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wrap {
    /// The texel at the edge.
    #[default]
    Clamp,
    /// The texture repeats.
    Repeat,
    /// The texture repeats, mirrored every other time.
    Mirror,
    /// The border colour.
    Border,
}

/// Filtering and wrapping of a texture. The default is nearest, level 0 only, clamped, transparent black border, no bias.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct SamplerState {
    /// Filter within a level if the level of detail is above 0.
    pub min: Filter,
    /// Filter within a level if the level of detail is 0 or less.
    pub mag: Filter,
    /// Filter between levels.
    pub mip: MipFilter,
    /// Wrapping along x, y and z; faces of a cube are always clamped.
    pub wrap: [Wrap; 3],
    /// The colour of [`Wrap::Border`].
    pub border: [f32; 4],
    /// Added to every level of detail except [`Lod::Base`], in levels.
    pub lod_bias: f32,
    /// The maximum number of samples of anisotropic filtering. This field has no effect: the sampler always filters isotropically.
    pub max_anisotropy: u8,
}

/// Numbers are compared bit by bit: states that differ in the sign of a zero are different, and a NaN equals itself.
impl PartialEq for SamplerState {
    fn eq(&self, other: &SamplerState) -> bool {
        let key = |state: &SamplerState| {
            let SamplerState { min, mag, mip, wrap, border, lod_bias, max_anisotropy } = *state;
            (min, mag, mip, wrap, border.map(f32::to_bits), lod_bias.to_bits(), max_anisotropy)
        };
        key(self) == key(other)
    }
}

impl Default for SamplerState {
    fn default() -> Self {
        SamplerState {
            min: Filter::Nearest,
            mag: Filter::Nearest,
            mip: MipFilter::None,
            wrap: [Wrap::Clamp; 3],
            border: [0.0; 4],
            lod_bias: 0.0,
            max_anisotropy: 1,
        }
    }
}

/// The level of detail of a read. Levels are counted from 0, the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lod<T> {
    /// Level 0 and the `mag` filter, with no bias.
    #[default]
    Base,
    /// The given level, which may be fractional.
    Explicit(T),
    /// The level at which one pixel is about one texel.
    Gradient {
        /// Change of the coordinates to the next pixel in x.
        dx: [T; 3],
        /// Change of the coordinates to the next pixel in y.
        dy: [T; 3],
        /// A bias, added to the level.
        bias: T,
    },
}

/// The kind of result of a texture read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleResult {
    /// The filtered texel.
    #[default]
    Texel,
    /// The level of detail, then zeros.
    Detail,
    /// The weights of the second texel along x, y and z, and of the second level.
    Weights,
    /// The share of the border colour, then zeros.
    Border,
}

/// Properties that an instruction can give a texture read, in addition to coordinates and level of detail. The default is [`Access::PLAIN`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Access {
    /// The kind of result.
    pub result: SampleResult,
    /// Whether coordinates and gradients count texels of level 0.
    pub texels: bool,
    /// Offsets of the coordinates, in half texels of level 0.
    pub half_texels: [i8; 3],
    /// Whether coordinates on the face range from 1 to 2, for a cube read by face number.
    pub faces_from_one: bool,
    /// Replaces the state's `min` along x and y.
    pub min: Option<Filter>,
    /// Replaces the state's `mag` along x and y.
    pub mag: Option<Filter>,
    /// Replaces the state's filter between levels.
    pub mip: Option<MipFilter>,
    /// Replaces the state's `min` along z, between the slices of a volume.
    pub volume_min: Option<Filter>,
    /// Replaces the state's `mag` along z, between the slices of a volume.
    pub volume_mag: Option<Filter>,
    /// Whether gradients are those of a direction, for a cube read by face number.
    pub direction_gradients: bool,
}

impl Access {
    /// A read that returns the filtered texel, with the filters and the coordinates unmodified.
    pub const PLAIN: Access = Access {
        result: SampleResult::Texel,
        texels: false,
        half_texels: [0; 3],
        faces_from_one: false,
        min: None,
        mag: None,
        mip: None,
        volume_min: None,
        volume_mag: None,
        direction_gradients: false,
    };
}

/// One read of a texture. `T` is the type of the operands: numbers, or terms of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleRequest<T> {
    /// The texture dimension that the instruction assumes. Use [`Dimension::Cube`] for an instruction that does not specify one.
    pub dimension: Dimension,
    /// The instruction's own sampler state; `None` uses the texture's.
    pub state: Option<SamplerState>,
    /// The properties that the instruction gives the read.
    #[serde(default)]
    pub access: Access,
    /// The coordinates: a position, where 0 to 1 spans the texture unless [`Access::texels`] is set, or a direction for a cube. Components that
    /// `dimension` does not use are ignored.
    pub coords: [T; 3],
    /// The level of detail.
    pub lod: Lod<T>,
}

impl<T> SampleRequest<T> {
    /// Returns the request with each operand converted; `None` if an operand has no conversion.
    pub fn try_map<U>(&self, convert: impl Fn(&T) -> Option<U>) -> Option<SampleRequest<U>> {
        let vector = |[x, y, z]: &[T; 3]| Some([convert(x)?, convert(y)?, convert(z)?]);
        let lod = match &self.lod {
            Lod::Base => Lod::Base,
            Lod::Explicit(level) => Lod::Explicit(convert(level)?),
            Lod::Gradient { dx, dy, bias } => {
                Lod::Gradient { dx: vector(dx)?, dy: vector(dy)?, bias: convert(bias)? }
            }
        };
        let coords = vector(&self.coords)?;
        Some(SampleRequest { dimension: self.dimension, state: self.state, access: self.access, coords, lod })
    }
}

/// Returns the result of a read, as the module defines it. Never panics or allocates memory, and takes bounded time for every request and texture.
pub fn sample(texture: &Texture, request: &SampleRequest<f32>) -> [f32; 4] {
    let state = request.state.as_ref().unwrap_or(&texture.state);
    Reader::new(texture, state, request.dimension, request.access).read(request.coords, &request.lod)
}
