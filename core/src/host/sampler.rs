//! The sampler: one written definition for every instruction set and both engines.
//!
//! All arithmetic is binary32, nearest even, one rounding per operation, in the order written, never contracted. `lerp(a, b, f)` is a if f = 0 (then
//! b is not read), else `a + f * (b - a)`, in each component.
//!
//! 1. **State.** The request's sampler state if it has one, else the texture's. Filters given by [`Access`] replace those of the state.
//! 2. **Coordinates.** A request of dimension 1, 2, 3 or cube gives 1, 2, 3 or 3 coordinates and as many components of each gradient;
//!    the others are 0. From here on the *texture's* dimension counts, and coordinates for axes that it lacks are ignored. For a
//!    [`Texels::Ramp`] the result of a texel read is its formula, and nothing below applies.
//!
//!    Where coordinates are not a direction, and along the axes that the texture has: coordinates that count texels (see [`Access`]) are
//!    divided by the size of level 0; then `(half texels * 0.5) / size of level 0` is added if half texels are not 0; then, on a cube whose
//!    face coordinates begin at 1, 1 is subtracted from x and y.
//! 3. **Face.** On a cube read as a cube the coordinates are a direction. Its major axis is z if |z| >= |x| and |z| >= |y|, else y if
//!    |y| >= |x|, else x; so ties select z, then y, and a comparison with NaN fails. The face is the negative one if that
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
//!    The coordinates on the face are `u = (sc / |ma| + 1) * 0.5` and `v = (tc / |ma| + 1) * 0.5`. A gradient is mapped to the face by the
//!    same columns: with s, t, m those of the gradient vector for the chosen face, `du = (s - (sc / |ma|) * m) / |ma| * 0.5`, dv likewise
//!    from t and tc. The zero direction is on face 4 and its coordinates are NaN, for which see step 6.
//!
//!    For a cube read with any other dimension the request selects the face: x and y are u and v, and z is the number of the face, floored,
//!    0 below 0 and for NaN, 5 above 5. Gradients are then in u and v; or, if the access says so, those of a direction, mapped to that face as
//!    above with |ma| = 1, sc = 2u - 1 and tc = 2v - 1.
//! 4. **Level of detail.**
//!    * `Base`: l = 0.
//!    * `Explicit(e)`: l = e + lod_bias.
//!    * `Gradient`: each component of dx and dy, unless it counts texels (gradients of a direction never do), is multiplied by the size of level 0 along its axis; the length of each is the square root of
//!      the sum, from x on, of the squares; rho is the greater length, NaN if either is; l = (log2(rho) + bias) + lod_bias.
//!
//!    A NaN l is 0. The filter within a level is `mag` if l <= 0, else `min`; along z it is the access's `volume_mag` or `volume_min`, or
//!    else the state's `mag` or `min`, whatever the access has within a slice. Then l is clamped to 0 to levels - 1: a texture
//!    with one level still distinguishes `min` from `mag`.
//! 5. **Levels.** Mip filter `None`: level 0. `Nearest`: level floor(l), or the next where l - floor(l) >= 0.5. `Linear`: lerp(level
//!    floor(l), the level after it, l - floor(l)). Each level is read by steps 6 to 8 with the same u, v, w.
//! 6. **Texels along an axis** of n texels. A NaN coordinate is 0. p = u * n.
//!    * `Nearest`: the texel i = floor(p).
//!    * `Linear`: q = p - 0.5, i = floor(q), f = q - i (0 where q is infinite); the texels i and i + 1, the second with weight f.
//! 7. **Wrapping** of an integer i, which may be huge, exactly; where p is infinite i is an integer beyond every other.
//!    * `Clamp`: the nearest of 0 to n - 1. Both axes of a cube's face are clamped whatever the state says.
//!    * `Repeat`: i mod n, 0 or more; 0 for infinite i.
//!    * `Mirror`: m = i mod 2n; m if m < n, else 2n - 1 - m; 0 for infinite i.
//!    * `Border`: i itself inside 0 to n - 1. Otherwise a read with this texel on any of its axes gives the border colour.
//! 8. **Within a level**: lerp along x between the two texels of a row, then along y between rows, then along z between slices.
//!
//! Anisotropy is not part of the definition: `max_anisotropy` has no effect.
//!
//! The other kinds of [`Answer`] are computed by the same steps. The level of detail is that of step 4, 0 for NaN, before it is clamped. The weights
//! are the `f` of step 6 along x, y and z in the level floor(l), or in that of step 5, and 0 for `Nearest` and missing axes; then l - floor(l)
//! between levels, 0 unless the mip filter is `Linear`. The share of the border is the result of the read as if the border colour were 1 and all
//! texels 0.

use super::{Dimension, Texture, reader::Reader};
use serde::{Deserialize, Serialize};

/// The combination of texels within one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// The texel that contains the coordinate.
    #[default]
    Nearest,
    /// The two nearest along each axis, weighted by distance.
    Linear,
}

/// The combination of levels.
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

/// The replacement for texels outside the texture.
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Levels added to every level of detail except [`Lod::Base`].
    pub lod_bias: f32,
    /// The maximum number of samples of anisotropic filtering. Stored only; filtering here is always isotropic.
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
    /// The level at which one pixel is about one texel.
    Gradient {
        /// Change of the coordinates to the next pixel in x.
        dx: [T; 3],
        /// Change of the coordinates to the next pixel in y.
        dy: [T; 3],
        /// Added to the level.
        bias: T,
    },
}

/// The kind of result of a read.
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

/// Further properties of an instruction's read. The default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Access {
    /// The kind of result.
    pub answer: Answer,
    /// Whether coordinates and gradients count texels of level 0.
    pub texels: bool,
    /// Offsets of the coordinates, in half texels of level 0.
    pub half_texels: [i8; 3],
    /// Whether coordinates on the face range from 1 to 2, for a cube read by face number.
    pub faces_from_one: bool,
    /// Replaces the state's filter within a slice.
    pub min: Option<Filter>,
    /// Replaces the state's filter within a slice.
    pub mag: Option<Filter>,
    /// Replaces the state's filter.
    pub mip: Option<MipFilter>,
    /// Replaces the state's `min` between the slices of a volume.
    pub volume_min: Option<Filter>,
    /// Replaces the state's `mag` between the slices of a volume.
    pub volume_mag: Option<Filter>,
    /// Whether gradients are those of a direction, for a cube read by face number.
    pub direction_gradients: bool,
}

impl Access {
    /// No further properties.
    pub const PLAIN: Access = Access {
        answer: Answer::Texel,
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

/// One read of a texture, on numbers or on terms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleRequest<T> {
    /// The texture dimension that the instruction assumes. Use [`Dimension::Cube`] for an instruction that does not specify one.
    pub dimension: Dimension,
    /// The instruction's own sampler state; `None` uses the texture's.
    pub state: Option<SamplerState>,
    /// Further properties of the read.
    #[serde(default)]
    pub access: Access,
    /// Coordinates; 0 to 1 spans the texture, or a direction for a cube. Those beyond `dimension` are ignored.
    pub coords: [T; 3],
    /// The level of detail.
    pub lod: Lod<T>,
}

/// The filtered texel, as the module defines it. Total: for all requests and textures it does not panic, allocate or loop for long.
pub fn sample(texture: &Texture, request: &SampleRequest<f32>) -> [f32; 4] {
    let state = request.state.as_ref().unwrap_or(&texture.state);
    Reader::new(texture, state, request.dimension, request.access).read(request.coords, &request.lod)
}
