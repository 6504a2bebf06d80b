//! Reads of one texture with one sampler state: steps 2 to 8 of the sampler's definition (`sampler.rs`).

use super::cube::FacePoint;
use super::texture::{Face, Store, Texel, ramp};
use super::wrap::{OUTSIDE, Taps};
use super::{Access, Dimension, Filter, Lod, MipFilter, SampleResult, SamplerState, Texels, Texture, Wrap};
use crate::value::elementary::log2;

/// Reads of one texture by one instruction.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) texture: &'a Texture,
    /// The sampler state, with the instruction's own filter between levels if it has one.
    pub(super) state: SamplerState,
    /// The filters for a level of detail above 0, including the instruction's own.
    min: Filters,
    /// The filters for a level of detail of 0 or less, including the instruction's own.
    mag: Filters,
    /// The texture dimension that the instruction assumes.
    pub(super) dimension: Dimension,
    /// The wrap modes of the state; for a cube always clamping.
    pub(super) wrap: [Wrap; 3],
    access: Access,
}

/// The filters within a level.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Filters {
    /// Along x and y.
    pub(super) plane: Filter,
    /// Along z.
    slices: Filter,
}

impl Filters {
    /// Takes the filter of the state, unless `plane` or `slices` replaces it.
    fn new(state: Filter, plane: Option<Filter>, slices: Option<Filter>) -> Filters {
        Filters { plane: plane.unwrap_or(state), slices: slices.unwrap_or(state) }
    }

    /// The filter along an axis.
    fn along(self, axis: usize) -> Filter {
        if axis == 2 { self.slices } else { self.plane }
    }
}

impl<'a> Reader<'a> {
    /// Prepares reads of `texture` with `state` by an instruction that assumes `dimension`.
    #[inline]
    pub(super) fn new(
        texture: &'a Texture,
        state: &SamplerState,
        dimension: Dimension,
        access: Access,
    ) -> Reader<'a> {
        let cube = texture.dimension == Dimension::Cube;
        let wrap = if cube { [Wrap::Clamp; 3] } else { state.wrap };
        let min = Filters::new(state.min, access.min, access.volume_min);
        let mag = Filters::new(state.mag, access.mag, access.volume_mag);
        let state = SamplerState { mip: access.mip.unwrap_or(state.mip), ..*state };
        Reader { texture, state, min, mag, dimension, wrap, access }
    }

    /// Whether step 2 leaves the coordinates unchanged and the read returns a texel.
    #[inline]
    pub(super) fn uses_raw_coordinates(&self) -> bool {
        let Access { result, texels, half_texels, faces_from_one, .. } = self.access;
        let plain = !texels && half_texels == [0; 3];
        result == SampleResult::Texel
            && plain
            && !(faces_from_one && self.texture.dimension == Dimension::Cube)
    }

    /// Returns the result of a read: steps 2 to 8.
    pub(super) fn read(&self, coords: [f32; 3], lod: &Lod<f32>) -> [f32; 4] {
        let coords = leading(coords, self.dimension.coordinates());
        if self.uses_raw_coordinates() {
            return self.texel(coords, lod);
        }
        if self.access.result == SampleResult::Texel {
            return self.texel(self.normalised_coordinates(coords), lod);
        }
        self.query(&self.locate(self.normalised_coordinates(coords)), lod)
    }

    /// Returns the coordinates after step 2.
    fn normalised_coordinates(&self, coords: [f32; 3]) -> [f32; 3] {
        let cube = self.texture.dimension == Dimension::Cube;
        // The formula of a ramp applies only to reads that return a texel.
        let formula =
            matches!(self.texture.texels, Texels::Ramp { .. }) && self.access.result == SampleResult::Texel;
        if cube && self.dimension == Dimension::Cube || formula {
            return coords;
        }
        let size = self.texture.extent(0);
        let axes = self.texture.dimension.axes();
        let mut normalised = coords;
        for (axis, coord) in normalised.iter_mut().enumerate().take(axes) {
            let n = size[axis] as f32;
            if self.access.texels {
                *coord /= n;
            }
            if self.access.half_texels[axis] != 0 {
                *coord += f32::from(self.access.half_texels[axis]) * 0.5 / n;
            }
            if cube && self.access.faces_from_one {
                *coord -= 1.0;
            }
        }
        normalised
    }

    /// The result of a read that does not return a texel.
    fn query(&self, spot: &FacePosition, lod: &Lod<f32>) -> [f32; 4] {
        let detail = self.level_of_detail(spot, lod);
        let detail = if detail.is_nan() { 0.0 } else { detail };
        let (filters, level, fraction) = self.levels(detail);
        let between = self.state.mip == MipFilter::Linear;
        let level = match self.state.mip {
            MipFilter::None => 0,
            MipFilter::Nearest => level + u8::from(fraction >= 0.5),
            MipFilter::Linear => level,
        };
        match self.access.result {
            SampleResult::Weights => {
                let face = self.texture.face(level, spot.face);
                let axes = self.texture.dimension.axes();
                let [x, y, z] = std::array::from_fn(|axis| {
                    if axis < axes { self.taps(filters, axis, spot, &face).fraction } else { 0.0 }
                });
                [x, y, z, if between { fraction } else { 0.0 }]
            }
            SampleResult::Border => {
                let share = |level| self.share_of_border(level, filters, spot);
                let whole =
                    if between { lerp(fraction, share(level), || share(level + 1)) } else { share(level) };
                [whole[0], 0.0, 0.0, 0.0]
            }
            SampleResult::Detail | SampleResult::Texel => [detail, 0.0, 0.0, 0.0],
        }
    }

    /// Returns the filters within a level, the level at or below the level of detail, and the fraction towards the next level: the end of step 4.
    fn levels(&self, detail: f32) -> (Filters, u8, f32) {
        // This comparison and the one below are false for NaN, which makes NaN count as 0.
        let filters = if detail > 0.0 { self.min } else { self.mag };
        let last = self.texture.level_count() - 1;
        let detail = if detail > 0.0 { detail.min(f32::from(last)) } else { 0.0 };
        // The number is at least 0, so the conversion rounds down.
        let level = detail as u8;
        (filters, level, detail - f32::from(level))
    }

    fn texel(&self, coords: [f32; 3], lod: &Lod<f32>) -> [f32; 4] {
        if let Texels::Ramp { base, slope } = self.texture.texels {
            return ramp(base, slope, leading(coords, self.texture.dimension.coordinates()));
        }
        let spot = self.locate(coords);
        if let Some(filters) = self.level_zero_filters(lod) {
            return self.level(0, filters, &spot);
        }
        let (filters, level, fraction) = self.levels(self.level_of_detail(&spot, lod));
        match self.state.mip {
            MipFilter::None => self.level(0, filters, &spot),
            MipFilter::Nearest => self.level(level + u8::from(fraction >= 0.5), filters, &spot),
            MipFilter::Linear => {
                lerp(fraction, self.level(level, filters, &spot), || self.level(level + 1, filters, &spot))
            }
        }
    }

    /// Returns the filters if every level of detail reads level 0 with the same filters.
    #[inline]
    pub(super) fn level_zero_filters<T>(&self, lod: &Lod<T>) -> Option<Filters> {
        let one_level = self.state.mip == MipFilter::None || self.texture.level_count() == 1;
        let only = matches!(lod, Lod::Base) || one_level && self.min == self.mag;
        only.then_some(self.mag)
    }

    /// Returns the face and the coordinates on it: step 3.
    #[inline]
    fn locate(&self, coords: [f32; 3]) -> FacePosition {
        if self.texture.dimension != Dimension::Cube {
            return FacePosition { face: 0, point: None, coords };
        }
        if self.dimension == Dimension::Cube {
            let point = FacePoint::new(coords);
            let [u, v] = point.coords;
            return FacePosition { face: point.face, point: Some(point), coords: [u, v, 0.0] };
        }
        // The conversion to an integer saturates, and converts NaN to 0.
        let face = (coords[2] as u32).min(5);
        let point = self.access.direction_gradients.then(|| FacePoint::on_face(face, [coords[0], coords[1]]));
        FacePosition { face, point, coords }
    }

    /// The level of detail before any clamping; may be NaN.
    fn level_of_detail(&self, spot: &FacePosition, lod: &Lod<f32>) -> f32 {
        match *lod {
            Lod::Base => 0.0,
            Lod::Explicit(level) => level + self.state.lod_bias,
            Lod::Gradient { dx, dy, bias } => {
                let (a, b) = (self.texels_moved(spot, dx), self.texels_moved(spot, dy));
                let rho = if a < b || b.is_nan() { b } else { a };
                (log2(rho) + bias) + self.state.lod_bias
            }
        }
    }

    /// The length of a gradient in texels of level 0.
    fn texels_moved(&self, spot: &FacePosition, step: [f32; 3]) -> f32 {
        let step = leading(step, self.dimension.coordinates());
        let step = spot.point.map_or(step, |point| point.gradient(step));
        let size = self.texture.extent(0);
        let axes = 0..self.texture.dimension.axes();
        let texels = |axis: usize| {
            if self.access.texels && spot.point.is_none() {
                step[axis]
            } else {
                step[axis] * size[axis] as f32
            }
        };
        axes.map(texels).map(|s| s * s).fold(0.0, |sum, s| sum + s).sqrt()
    }

    /// Reads a level: steps 6 to 8.
    fn level(&self, level: u8, filters: Filters, spot: &FacePosition) -> [f32; 4] {
        let face = self.texture.face(level, spot.face);
        let axes = self.texture.dimension.axes();
        let x = self.taps(filters, 0, spot, &face);
        let y = if axes > 1 { self.taps(filters, 1, spot, &face) } else { Taps::FLAT };
        let border = self.state.border;
        if axes > 2 {
            let z = self.taps(filters, 2, spot, &face);
            return match face.store {
                Store::Explicit(texels) => volume([x, y, z], border, texels),
                Store::Pattern(noise) => volume([x, y, z], border, noise),
                Store::Ramp(slope) => volume([x, y, z], border, slope),
            };
        }
        match face.store {
            Store::Explicit(texels) => slice([x, y], border, texels),
            Store::Pattern(noise) => slice([x, y], border, noise),
            Store::Ramp(slope) => slice([x, y], border, slope),
        }
    }

    /// Reads a level, steps 6 to 8, as if every texel were 0 and the border colour 1.
    fn share_of_border(&self, level: u8, filters: Filters, spot: &FacePosition) -> [f32; 4] {
        let face = self.texture.face(level, spot.face);
        let axes = self.texture.dimension.axes();
        let taps =
            std::array::from_fn(
                |axis| {
                    if axis < axes { self.taps(filters, axis, spot, &face) } else { Taps::FLAT }
                },
            );
        volume(taps, [1.0; 4], ZeroTexels)
    }

    #[inline(always)]
    fn taps(&self, filters: Filters, axis: usize, spot: &FacePosition, face: &Face<'_>) -> Taps {
        Taps::new(filters.along(axis), self.wrap[axis], spot.coords[axis], face.size[axis])
    }
}

/// Texels that are all zero.
#[derive(Clone, Copy)]
struct ZeroTexels;

impl Texel for ZeroTexels {
    fn texel(self, _: u32, _: u32, _: u32) -> [f32; 4] {
        [0.0; 4]
    }
}

/// A position on a face.
struct FacePosition {
    face: u32,
    /// The position as a direction. Only present for a cube if gradients are those of a direction.
    point: Option<FacePoint>,
    coords: [f32; 3],
}

/// Returns the first `count` components; the others are 0.
#[inline]
fn leading(v: [f32; 3], count: usize) -> [f32; 3] {
    let [x, y, z] = v;
    [if count > 0 { x } else { 0.0 }, if count > 1 { y } else { 0.0 }, if count > 2 { z } else { 0.0 }]
}

/// Texels with a border colour for the index [`OUTSIDE`].
#[derive(Clone, Copy)]
struct Bordered<T> {
    border: [f32; 4],
    inside: T,
}

impl<T: Texel> Texel for Bordered<T> {
    #[inline(always)]
    fn texel(self, x: u32, y: u32, z: u32) -> [f32; 4] {
        if x == OUTSIDE || y == OUTSIDE || z == OUTSIDE { self.border } else { self.inside.texel(x, y, z) }
    }
}

/// Combines texels along x and y: step 8 without z.
#[inline(always)]
pub(super) fn slice(taps: [Taps; 2], border: [f32; 4], inside: impl Texel) -> [f32; 4] {
    let [x, y] = taps;
    if x.touches_border() || y.touches_border() {
        return rows(x, y, 0, Bordered { border, inside });
    }
    rows(x, y, 0, inside)
}

/// Combines texels along x, y and z: step 8.
fn volume(taps: [Taps; 3], border: [f32; 4], inside: impl Texel) -> [f32; 4] {
    let [x, y, z] = taps;
    let texels = Bordered { border, inside };
    lerp(z.fraction, rows(x, y, z.first, texels), || rows(x, y, z.second, texels))
}

/// Interpolates along y between the rows of slice `z`.
#[inline(always)]
fn rows(x: Taps, y: Taps, z: u32, texels: impl Texel) -> [f32; 4] {
    lerp(y.fraction, row(x, y.first, z, texels), || row(x, y.second, z, texels))
}

/// Interpolates along x between the texels of a row.
#[inline(always)]
fn row(x: Taps, y: u32, z: u32, texels: impl Texel) -> [f32; 4] {
    lerp(x.fraction, texels.texel(x.first, y, z), || texels.texel(x.second, y, z))
}

/// `lerp(a, b(), f)` of the definition: b is not computed if `f` is 0.
#[inline(always)]
fn lerp(f: f32, a: [f32; 4], b: impl FnOnce() -> [f32; 4]) -> [f32; 4] {
    if f == 0.0 {
        return a;
    }
    let b = b();
    // Each component is written out, because the compiler does not always inline `map` on an array.
    [a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1]), a[2] + f * (b[2] - a[2]), a[3] + f * (b[3] - a[3])]
}
