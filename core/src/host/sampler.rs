//! The sampler: one written definition, which serves every instruction set and both engines.
//!
//! All arithmetic is binary32, nearest even, one rounding an operation, in the order written, never contracted.
//! `lerp(a, b, f)` is a where f = 0 (b is then not read), else `a + f * (b - a)`, in each component.
//!
//! 1. **State.** The request's sampler state if it has one, else the texture's; in it, the filters that [`Access`] brings take the place of its
//!    own.
//! 2. **Coordinates.** A request of dimension 1, 2, 3 or cube gives 1, 2, 3 or 3 coordinates and as many components of each gradient;
//!    the others are 0. From here on the *texture's* dimension counts, and what it has no axis for is ignored. A
//!    [`Texels::Ramp`] now answers a read of a texel with its formula, and nothing below applies.
//!
//!    Where coordinates are no direction, and along the axes that the texture has: those that [`Access`] says count texels are divided by
//!    the size of level 0; then `(half texels * 0.5) / size of level 0` is added where half texels are not 0; then, on a cube whose faces
//!    begin at 1, 1 is subtracted from x and y.
//! 3. **Face.** On a cube read as a cube the coordinates are a direction. Its major axis is z where |z| >= |x| and |z| >= |y|, else y where
//!    |y| >= |x|, else x; so ties go to z, then y, and a comparison with NaN fails. The face is the negative one where that
//!    coordinate is < 0.
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
//!    The coordinates on the face are `u = (sc / |ma| + 1) * 0.5` and `v = (tc / |ma| + 1) * 0.5`. A gradient becomes one on the face by the
//!    same columns: with s, t, m those of the gradient vector for the chosen face, `du = (s - (sc / |ma|) * m) / |ma| * 0.5`, dv likewise
//!    from t and tc. The zero direction is on face 4 and its coordinates are NaN, for which see step 6.
//!
//!    A cube read as any other dimension has its face chosen already: x and y are u and v, and z is the number of the face, floored,
//!    0 below 0 and for NaN, 5 above 5. Gradients are then in u and v.
//! 4. **Level of detail.**
//!    * `Base`: l = 0.
//!    * `Explicit(e)`: l = e + lod_bias.
//!    * `Gradient`: each component of dx and dy, unless it counts texels, is multiplied by the size of level 0 along its axis; the length of each is the square root of
//!      the sum, from x on, of the squares; rho is the greater length, NaN if either is; l = (log2(rho) + bias) + lod_bias.
//!
//!    A NaN l is 0. The filter within a level is `mag` where l <= 0 and `min` elsewhere. Then l is clamped to 0 to levels - 1: a texture
//!    with one level still tells `min` from `mag`.
//! 5. **Levels.** Mip filter `None`: level 0. `Nearest`: level floor(l), or the next where l - floor(l) >= 0.5. `Linear`: lerp(level
//!    floor(l), the level after it, l - floor(l)). Each level is read by steps 6 to 8 with the same u, v, w.
//! 6. **Texels along an axis** of n texels. A NaN coordinate is 0. p = u * n.
//!    * `Nearest`: the texel i = floor(p).
//!    * `Linear`: q = p - 0.5, i = floor(q), f = q - i (0 where q is infinite); the texels i and i + 1, the second with weight f.
//! 7. **Wrapping** of an integer i, which may be huge, exactly; where p is infinite i is an integer beyond every other.
//!    * `Clamp`: the nearest of 0 to n - 1. Both axes of a cube's face are clamped whatever the state says.
//!    * `Repeat`: i mod n, 0 or more; 0 for infinite i.
//!    * `Mirror`: m = i mod 2n; m where m < n, else 2n - 1 - m; 0 for infinite i.
//!    * `Border`: i itself inside 0 to n - 1. Elsewhere any read that has this texel for one of its axes is the border colour.
//! 8. **Within a level**: lerp along x between the two texels of a row, then along y between rows, then along z between slices.
//!
//! Anisotropy is not part of the definition: `max_anisotropy` changes nothing.
//!
//! What else [`Answer`] asks for comes from the same steps. The level of detail is that of step 4, 0 for NaN, before it is clamped. The
//! weights are the `f` of step 6 along x, y and z in the level floor(l), or in that of step 5, and 0 for `Nearest` and missing axes; then
//! l - floor(l) between levels, 0 unless the mip filter is `Linear`. The share of the border is what the read would give were all texels 0 and
//! the border colour 1.

use super::{Dimension, Texture, reader::Reader};
use serde::{Deserialize, Serialize};

/// How texels of one level are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// The texel that holds the coordinate.
    #[default]
    Nearest,
    /// The two nearest along each axis, weighted by distance.
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

/// What stands in for texels outside the texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wrap {
    /// The texel at the edge.
    #[default]
    Clamp,
    /// The texture again.
    Repeat,
    /// The texture, every other time reversed.
    Mirror,
    /// The border colour.
    Border,
}

/// How a texture is filtered and wrapped. The default is nearest, level 0 only, clamped, transparent black border, no bias.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SamplerState {
    /// Filter within a level where the level of detail is above 0.
    pub min: Filter,
    /// Filter within a level where the level of detail is 0 or less.
    pub mag: Filter,
    /// Filter between levels.
    pub mip: MipFilter,
    /// Wrapping along x, y and z; faces of a cube are always clamped.
    pub wrap: [Wrap; 3],
    /// The colour of [`Wrap::Border`].
    pub border: [f32; 4],
    /// Levels added to every level of detail except [`Lod::Base`].
    pub lod_bias: f32,
    /// The most samples of anisotropic filtering. Kept for those who read it; filtering here is isotropic whatever it says.
    pub max_anisotropy: u8,
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
    /// This level, which may be fractional.
    Explicit(T),
    /// The level at which a step of one pixel is about one texel.
    Gradient {
        /// Change of the coordinates to the next pixel in x.
        dx: [T; 3],
        /// Change of the coordinates to the next pixel in y.
        dy: [T; 3],
        /// Levels added.
        bias: T,
    },
}

/// What a read asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
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

/// What else an instruction may say of its read. The default says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Access {
    /// What is asked for.
    pub answer: Answer,
    /// Coordinates and their changes count texels of level 0.
    pub texels: bool,
    /// Half texels of level 0 added to the coordinates.
    pub half_texels: [i8; 3],
    /// On a cube read by the number of its face, coordinates on the face go from 1 to 2.
    pub faces_from_one: bool,
    /// In place of the state's filter.
    pub min: Option<Filter>,
    /// In place of the state's filter.
    pub mag: Option<Filter>,
    /// In place of the state's filter.
    pub mip: Option<MipFilter>,
}

impl Access {
    /// Says nothing.
    pub const PLAIN: Access = Access {
        answer: Answer::Texel,
        texels: false,
        half_texels: [0; 3],
        faces_from_one: false,
        min: None,
        mag: None,
        mip: None,
    };
}

/// One read of a texture, on numbers or on terms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleRequest<T> {
    /// What the instruction takes the texture for. [`Dimension::Cube`] suits an instruction that does not say.
    pub dimension: Dimension,
    /// The instruction's own sampler state; `None` takes the texture's.
    pub state: Option<SamplerState>,
    /// What else the instruction says.
    #[serde(default)]
    pub access: Access,
    /// Coordinates; 0 to 1 spans the texture, or a direction for a cube. Those past `dimension` are not looked at.
    pub coords: [T; 3],
    /// The level of detail.
    pub lod: Lod<T>,
}

/// The filtered texel, as the module defines it. Total: no request and no texture makes it panic, allocate or loop for long.
pub fn sample(texture: &Texture, request: &SampleRequest<f32>) -> [f32; 4] {
    let state = request.state.as_ref().unwrap_or(&texture.state);
    Reader::new(texture, state, request.dimension, request.access).read(request.coords, &request.lod)
}
