//! One read after another of a texture with one sampler state: steps 2 to 8 of the sampler's definition.

use super::cube::Place;
use super::texture::{Face, Store, pattern, ramp, stored};
use super::wrap::{OUTSIDE, Taps};
use super::{Dimension, Filter, Lod, MipFilter, SamplerState, Texels, Texture, Wrap};
use crate::value::elementary::log2;

/// What reads of a texture have in common.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) texture: &'a Texture,
    pub(super) state: &'a SamplerState,
    /// What the instruction takes the texture for.
    pub(super) dimension: Dimension,
    /// As the state says, except on a cube.
    pub(super) wrap: [Wrap; 3],
}

impl<'a> Reader<'a> {
    /// Reads of `texture` by an instruction of this dimension in `state`.
    #[inline]
    pub(super) fn new(texture: &'a Texture, state: &'a SamplerState, dimension: Dimension) -> Reader<'a> {
        let cube = texture.dimension == Dimension::Cube;
        let wrap = if cube { [Wrap::Clamp; 3] } else { state.wrap };
        Reader { texture, state, dimension, wrap }
    }

    /// The filtered texel.
    pub(super) fn read(&self, coords: [f32; 3], lod: &Lod<f32>) -> [f32; 4] {
        let coords = leading(coords, self.dimension.coordinates());
        if let Texels::Ramp { base, slope } = self.texture.texels {
            return ramp(base, slope, leading(coords, self.texture.dimension.coordinates()));
        }
        let spot = self.spot(coords);
        let state = self.state;
        if let Some(filter) = self.only_filter(lod) {
            return self.level(0, filter, &spot);
        }
        let detail = self.detail(&spot, lod);
        // False for NaN, as is the clamp below: NaN stands for 0.
        let filter = if detail > 0.0 { state.min } else { state.mag };
        let last = self.texture.level_count() - 1;
        let detail = if detail > 0.0 { detail.min(f32::from(last)) } else { 0.0 };
        // At least 0, so this is the floor.
        let level = detail as u8;
        let fraction = detail - f32::from(level);
        match state.mip {
            MipFilter::None => self.level(0, filter, &spot),
            MipFilter::Nearest => self.level(level + u8::from(fraction >= 0.5), filter, &spot),
            MipFilter::Linear => lerp(fraction, |step| self.level(level + step, filter, &spot)),
        }
    }

    /// The filter if, whatever the level of detail, all is read from level 0 with that one.
    #[inline]
    pub(super) fn only_filter<T>(&self, lod: &Lod<T>) -> Option<Filter> {
        let one_level = self.state.mip == MipFilter::None || self.texture.level_count() == 1;
        let only = matches!(lod, Lod::Base) || one_level && self.state.min == self.state.mag;
        only.then_some(self.state.mag)
    }

    /// Step 3.
    #[inline]
    fn spot(&self, coords: [f32; 3]) -> Spot {
        if self.texture.dimension != Dimension::Cube {
            return Spot { face: 0, place: None, coords };
        }
        if self.dimension == Dimension::Cube {
            let place = Place::new(coords);
            let [u, v] = place.coords;
            return Spot { face: place.face, place: Some(place), coords: [u, v, 0.0] };
        }
        // Saturates, and takes NaN to 0.
        Spot { face: (coords[2] as u32).min(5), place: None, coords }
    }

    /// The level of detail before any clamping; may be NaN.
    fn detail(&self, spot: &Spot, lod: &Lod<f32>) -> f32 {
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
    fn texels_moved(&self, spot: &Spot, step: [f32; 3]) -> f32 {
        let step = leading(step, self.dimension.coordinates());
        let step = spot.place.map_or(step, |place| place.gradient(step));
        let size = self.texture.extent(0);
        let axes = 0..self.texture.dimension.axes();
        axes.map(|axis| step[axis] * size[axis] as f32).map(|s| s * s).fold(0.0, |sum, s| sum + s).sqrt()
    }

    /// Steps 6 to 8.
    #[inline]
    fn level(&self, level: u8, filter: Filter, spot: &Spot) -> [f32; 4] {
        let face = self.texture.face(level, spot.face);
        let border = self.state.border;
        let taps = |axis: usize| Taps::new(filter, self.wrap[axis], spot.coords[axis], face.size[axis]);
        match self.texture.dimension {
            Dimension::One => mix_on(face, [taps(0), Taps::FLAT, Taps::FLAT], border),
            Dimension::Two | Dimension::Cube => mix_on(face, [taps(0), taps(1), Taps::FLAT], border),
            Dimension::Three => mix_on(face, [taps(0), taps(1), taps(2)], border),
        }
    }
}

/// Step 8 on a face, wherever its texels come from.
#[inline(always)]
fn mix_on(face: Face<'_>, taps: [Taps; 3], border: [f32; 4]) -> [f32; 4] {
    let size = face.size;
    match face.store {
        Store::Explicit(texels) => mix(taps, border, |x, y, z| stored(texels, size, x, y, z)),
        Store::Pattern(place) => mix(taps, border, |x, y, z| pattern(place, x, y, z)),
        Store::Ramp(base, slope) => {
            mix(taps, border, |x, y, z| ramp(base, slope, [x as f32, y as f32, z as f32]))
        }
    }
}

/// A place on a face.
struct Spot {
    face: u32,
    /// For a cube read as a cube.
    place: Option<Place>,
    coords: [f32; 3],
}

/// The first `count` components; the others 0.
#[inline]
fn leading(v: [f32; 3], count: usize) -> [f32; 3] {
    [0, 1, 2].map(|axis| if axis < count { v[axis] } else { 0.0 })
}

/// Step 8: the texels that three axes meet, weighted.
#[inline(always)]
pub(super) fn mix(taps: [Taps; 3], border: [f32; 4], texel: impl Fn(u32, u32, u32) -> [f32; 4]) -> [f32; 4] {
    let [x, y, z] = taps;
    if x.reaches_out() || y.reaches_out() || z.reaches_out() {
        return along_axes(taps, |x, y, z| {
            if x == OUTSIDE || y == OUTSIDE || z == OUTSIDE { border } else { texel(x, y, z) }
        });
    }
    along_axes(taps, texel)
}

/// The texels that three axes meet, along x, then y, then z.
#[inline(always)]
fn along_axes([x, y, z]: [Taps; 3], texel: impl Fn(u32, u32, u32) -> [f32; 4]) -> [f32; 4] {
    lerp(z.fraction, |k| lerp(y.fraction, |j| lerp(x.fraction, |i| texel(x.at(i), y.at(j), z.at(k)))))
}

/// `lerp(end(0), end(1), f)` of the definition: the far end is not asked for where `f` is 0.
#[inline(always)]
fn lerp(f: f32, mut end: impl FnMut(u8) -> [f32; 4]) -> [f32; 4] {
    let a = end(0);
    if f == 0.0 {
        return a;
    }
    let b = end(1);
    [0, 1, 2, 3].map(|c| a[c] + f * (b[c] - a[c]))
}
