//! The sampler for a row of lanes at once. The steps are performed by the same functions as for one lane; decisions that do not depend on the lane
//! are made once for the row.

use super::reader::{Reader, slice};
use super::texture::{Face, Store};
use super::wrap::Taps;
use super::{Dimension, Filter, Lod, SampleRequest, Texels, Texture, Wrap};

/// Reads a texture in each of `lanes` (one bit per lane; at most 64 lanes) and stores component c of lane l in `out[c][l]`. Lane l's request consists
/// of element l of each row in `request`, and its result is that of [`super::sample`]. The contents of `out` for other lanes are unspecified
/// afterwards.
pub fn sample_rows<const N: usize>(
    texture: &Texture,
    request: &SampleRequest<&[f32; N]>,
    lanes: u64,
    out: &mut [[f32; N]; 4],
) {
    let state = request.state.as_ref().unwrap_or(&texture.state);
    let reader = Reader::new(texture, state, request.dimension, request.access);
    let plain = matches!(texture.dimension, Dimension::One | Dimension::Two)
        && matches!(texture.texels, Texels::Explicit(_))
        && reader.uses_raw_coordinates();
    match reader.level_zero_filters(&request.lod) {
        Some(filters) if plain => plane(&reader, filters.plane, request.coords, lanes, out),
        _ => each(lanes, out, |lane| {
            let at = |row: [&[f32; N]; 3]| row.map(|row| row[lane]);
            let lod = match request.lod {
                Lod::Base => Lod::Base,
                Lod::Explicit(level) => Lod::Explicit(level[lane]),
                Lod::Gradient { dx, dy, bias } => Lod::Gradient { dx: at(dx), dy: at(dy), bias: bias[lane] },
            };
            reader.read(at(request.coords), &lod)
        }),
    }
}

/// Calls `read` for each lane whose bit is set in `lanes`, and stores the results in `out`.
#[inline(always)]
fn each<const N: usize>(lanes: u64, out: &mut [[f32; N]; 4], read: impl Fn(usize) -> [f32; 4]) {
    for lane in 0..N {
        if lanes >> (lane & 63) & 1 == 1 {
            let texel = read(lane);
            for (row, value) in out.iter_mut().zip(texel) {
                row[lane] = value;
            }
        }
    }
}

/// Reads the lanes from level 0 of a one- or two-dimensional texture with stored texels, with the same filter along both axes.
fn plane<const N: usize>(
    reader: &Reader<'_>,
    filter: Filter,
    coords: [&[f32; N]; 3],
    lanes: u64,
    out: &mut [[f32; N]; 4],
) {
    let Face { size, store: Store::Explicit(texels) } = reader.texture.face(0, 0) else { return };
    let border = reader.state.border;
    let axes = reader.texture.dimension.axes().min(reader.dimension.coordinates());
    let mut x = TapRow::FLAT;
    x.fill(filter, reader.wrap[0], coords[0], size[0]);
    let mut y = TapRow::FLAT;
    if reader.texture.dimension.axes() > 1 {
        // A coordinate that the request lacks is 0.
        let missing = [0.0; N];
        y.fill(filter, reader.wrap[1], if axes > 1 { coords[1] } else { &missing }, size[1]);
    }
    each(lanes, out, |lane| slice([x.at(lane), y.at(lane)], border, texels));
}

/// The [`Taps`] of a row of coordinates.
struct TapRow<const N: usize> {
    first: [u32; N],
    second: [u32; N],
    fraction: [f32; N],
}

impl<const N: usize> TapRow<N> {
    /// The taps along an axis that the texture does not have: texel 0.
    const FLAT: TapRow<N> = TapRow { first: [0; N], second: [0; N], fraction: [0.0; N] };

    #[inline(always)]
    fn at(&self, lane: usize) -> Taps {
        Taps { first: self.first[lane], second: self.second[lane], fraction: self.fraction[lane] }
    }

    /// Sets the taps of all lanes.
    fn fill(&mut self, filter: Filter, wrap: Wrap, coords: &[f32; N], size: u32) {
        // Each combination has a loop of its own, which the compiler can vectorise.
        macro_rules! lanes {
            ($taps:path, $filter:expr, $wrap:expr) => {
                for lane in 0..N {
                    let taps = $taps($filter, $wrap, coords[lane], size);
                    self.first[lane] = taps.first;
                    self.second[lane] = taps.second;
                    self.fraction[lane] = taps.fraction;
                }
            };
        }
        // All coordinates are checked without early exit, which lets the compiler vectorise this loop too.
        let near = || coords.iter().fold(true, |near, &u| near & Taps::is_near(u, size));
        match (filter, wrap) {
            (Filter::Nearest, Wrap::Clamp) => lanes!(Taps::new, Filter::Nearest, Wrap::Clamp),
            (Filter::Nearest, Wrap::Border) => lanes!(Taps::new, Filter::Nearest, Wrap::Border),
            (Filter::Nearest, Wrap::Repeat) if near() => lanes!(Taps::near, Filter::Nearest, Wrap::Repeat),
            (Filter::Nearest, Wrap::Mirror) if near() => lanes!(Taps::near, Filter::Nearest, Wrap::Mirror),
            (Filter::Linear, Wrap::Clamp) => lanes!(Taps::new, Filter::Linear, Wrap::Clamp),
            (Filter::Linear, Wrap::Border) => lanes!(Taps::new, Filter::Linear, Wrap::Border),
            (Filter::Linear, Wrap::Repeat) if near() => lanes!(Taps::near, Filter::Linear, Wrap::Repeat),
            (Filter::Linear, Wrap::Mirror) if near() => lanes!(Taps::near, Filter::Linear, Wrap::Mirror),
            _ => lanes!(Taps::new, filter, wrap),
        }
    }
}
