//! Checks the sampler against a second implementation of its definition: the steps in the module documentation of `core/src/host/sampler.rs`, one
//! function per step or two, one read at a time, with nothing computed in advance. The texture, the state, the level of detail and the coordinates
//! are arbitrary.

use crate::texture_reads::*;
use lockstep_core::host::*;
use lockstep_core::value::{elementary::log2, same};
use proptest::prelude::*;

/// The data that all steps of the definition share.
struct Read<'a> {
    texture: &'a Texture,
    /// The sampler state of the read: that of the request if it has one, otherwise the texture's,
    /// with the filter between levels that the access gives.
    state: SamplerState,
    access: Access,
    /// Whether the coordinates are a direction from the centre of a cube.
    direction: bool,
    coords: [f32; 3],
    lod: Lod<f32>,
}

/// The two texels along one axis that are mixed (`None` for the border), and the weight of the second.
#[derive(Clone, Copy)]
struct AxisTexels {
    texels: [Option<u64>; 2],
    weight: f32,
}

impl AxisTexels {
    /// An axis that the texture does not have.
    const MISSING: AxisTexels = AxisTexels { texels: [Some(0); 2], weight: 0.0 };
}

/// The source of texels.
#[derive(Clone, Copy)]
enum TexelSource {
    Texture,
    /// Every texel is 0 and the border is 1, which gives the weight of the border.
    Border,
}

fn count(dimension: Dimension) -> usize {
    match dimension {
        Dimension::One => 1,
        Dimension::Two => 2,
        Dimension::Three | Dimension::Cube => 3,
    }
}

/// Returns the number of axes of a texture, for a cube of a face.
fn axes(dimension: Dimension) -> usize {
    if dimension == Dimension::Cube { 2 } else { count(dimension) }
}

fn first(v: [f32; 3], count: usize) -> [f32; 3] {
    std::array::from_fn(|k| if k < count { v[k] } else { 0.0 })
}

fn lerp(a: [f32; 4], b: impl FnOnce() -> [f32; 4], f: f32) -> [f32; 4] {
    if f == 0.0 {
        return a;
    }
    let b = b();
    std::array::from_fn(|c| {
        let part = f * (b[c] - a[c]);
        a[c] + part
    })
}

/// Returns sc, tc and |ma| for a vector, from the table in step 3 of the definition.
fn on_face(face: usize, v: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = v;
    [[-z, -y, x], [z, -y, -x], [x, z, y], [x, -z, -y], [x, -y, z], [-x, -y, -z]][face]
}

/// Returns the texel to which the integer `whole + more` wraps along an axis of `n` texels; `None` for the border.
fn wrapped(wrap: Wrap, whole: f64, more: f64, n: f64) -> Option<u64> {
    let within = |period: f64| (whole.rem_euclid(period) + more).rem_euclid(period);
    let i = whole + more;
    match wrap {
        Wrap::Clamp => Some(i.clamp(0.0, n - 1.0) as u64),
        Wrap::Border => (i >= 0.0 && i <= n - 1.0).then_some(i as u64),
        Wrap::Repeat | Wrap::Mirror if whole.is_infinite() => Some(0),
        Wrap::Repeat => Some(within(n) as u64),
        Wrap::Mirror => {
            let m = within(2.0 * n);
            Some(if m < n { m } else { 2.0 * n - 1.0 - m } as u64)
        }
    }
}

impl Read<'_> {
    fn levels(&self) -> u8 {
        self.texture.levels.clamp(1, 16)
    }

    /// Returns the size along each axis.
    fn size(&self, level: u8) -> [u64; 3] {
        let [w, h, d] = self.texture.size.map(|n| u64::from(n >> level.min(15)).max(1));
        match self.texture.dimension {
            Dimension::One => [w, 1, 1],
            Dimension::Two => [w, h, 1],
            Dimension::Three => [w, h, d],
            Dimension::Cube => [w, w, 1],
        }
    }

    /// Steps 1 and 2.
    fn new<'a>(texture: &'a Texture, request: &SampleRequest<f32>) -> Read<'a> {
        let mut state = request.state.unwrap_or(texture.state);
        let access = request.access;
        state.mip = access.mip.unwrap_or(state.mip);
        let given = count(request.dimension);
        let lod = match request.lod {
            Lod::Gradient { dx, dy, bias } => {
                Lod::Gradient { dx: first(dx, given), dy: first(dy, given), bias }
            }
            other => other,
        };
        let cube = texture.dimension == Dimension::Cube;
        let direction = cube && request.dimension == Dimension::Cube;
        let coords = first(request.coords, given);
        let mut read = Read { texture, state, access, direction, coords, lod };
        let formula = matches!(texture.texels, Texels::Ramp { .. }) && access.result == SampleResult::Texel;
        if !direction && !formula {
            let size = read.size(0);
            for (axis, n) in size.into_iter().enumerate().take(axes(texture.dimension)) {
                let n = n as f32;
                if access.texels {
                    read.coords[axis] /= n;
                }
                if access.half_texels[axis] != 0 {
                    read.coords[axis] += f32::from(access.half_texels[axis]) * 0.5 / n;
                }
                if cube && access.faces_from_one {
                    read.coords[axis] -= 1.0;
                }
            }
        }
        read
    }

    /// Step 3: returns the face, and the coordinates and the gradient on this face.
    fn face(&self, gradient: [f32; 3]) -> (u64, [f32; 3], [f32; 3]) {
        if self.texture.dimension != Dimension::Cube {
            return (0, self.coords, gradient);
        }
        if !self.direction {
            let [u, v, face] = self.coords;
            let face = if face >= 5.0 {
                5
            } else if face >= 1.0 {
                face.floor() as u64
            } else {
                0
            };
            let moved = if self.access.direction_gradients {
                let [s, t, m] = on_face(face as usize, gradient);
                let step = |change: f32, at: f32| (change - (2.0 * at - 1.0) * m) * 0.5;
                [step(s, u), step(t, v), 0.0]
            } else {
                gradient
            };
            return (face, [u, v, 0.0], moved);
        }
        let [x, y, z] = self.coords;
        let (axis, major) = if z.abs() >= x.abs() && z.abs() >= y.abs() {
            (2, z)
        } else if y.abs() >= x.abs() {
            (1, y)
        } else {
            (0, x)
        };
        let face = 2 * axis + usize::from(major < 0.0);
        let [sc, tc, ma] = on_face(face, self.coords);
        let [s, t, m] = on_face(face, gradient);
        let place = |c: f32| (c / ma + 1.0) * 0.5;
        let step = |c: f32, change: f32| (change - (c / ma) * m) / ma * 0.5;
        (face as u64, [place(sc), place(tc), 0.0], [step(sc, s), step(tc, t), 0.0])
    }

    /// Returns the level of detail of step 4 before it is clamped; 0 for NaN.
    fn detail(&self) -> f32 {
        let l = match self.lod {
            Lod::Base => 0.0,
            Lod::Explicit(level) => level + self.state.lod_bias,
            Lod::Gradient { dx, dy, bias } => {
                let length = |gradient| {
                    let (_, _, moved) = self.face(gradient);
                    let size = self.size(0);
                    let mut sum = 0.0f32;
                    for axis in 0..axes(self.texture.dimension) {
                        let on_cube = self.texture.dimension == Dimension::Cube;
                        let direction = self.direction || on_cube && self.access.direction_gradients;
                        let counted = self.access.texels && !direction;
                        let texels = if counted { moved[axis] } else { moved[axis] * size[axis] as f32 };
                        sum += texels * texels;
                    }
                    sum.sqrt()
                };
                let (x, y) = (length(dx), length(dy));
                let rho = if x.is_nan() || y.is_nan() { f32::NAN } else { x.max(y) };
                (log2(rho) + bias) + self.state.lod_bias
            }
        };
        if l.is_nan() { 0.0 } else { l }
    }

    /// Steps 6 and 7 for one axis of `n` texels and the coordinate `u`.
    fn along(&self, filter: Filter, axis: usize, u: f32, n: u64) -> AxisTexels {
        let wrap = match self.texture.dimension {
            Dimension::Cube => Wrap::Clamp,
            _ => self.state.wrap[axis],
        };
        let p = if u.is_nan() { 0.0 } else { u } * n as f32;
        let texel = |whole: f32, more| wrapped(wrap, f64::from(whole), more, n as f64);
        match filter {
            Filter::Nearest => AxisTexels { texels: [texel(p.floor(), 0.0); 2], weight: 0.0 },
            Filter::Linear => {
                let q = p - 0.5;
                let weight = if q.is_infinite() { 0.0 } else { q - q.floor() };
                AxisTexels { texels: [texel(q.floor(), 0.0), texel(q.floor(), 1.0)], weight }
            }
        }
    }

    /// Steps 6 and 7 for the existing axes, each with its filter.
    fn around(&self, level: u8, filters: [Filter; 3]) -> [AxisTexels; 3] {
        let (_, at, _) = self.face([0.0; 3]);
        let size = self.size(level);
        std::array::from_fn(|axis| {
            if axis < axes(self.texture.dimension) {
                self.along(filters[axis], axis, at[axis], size[axis])
            } else {
                AxisTexels::MISSING
            }
        })
    }

    /// Returns the texel at these positions, or the border colour if one of them is `None`.
    fn texel(&self, level: u8, [x, y, z]: [Option<u64>; 3], from: TexelSource) -> [f32; 4] {
        let (Some(x), Some(y), Some(z)) = (x, y, z) else {
            return if matches!(from, TexelSource::Border) { [1.0; 4] } else { self.state.border };
        };
        let (face, _, _) = self.face([0.0; 3]);
        match (from, &self.texture.texels) {
            (TexelSource::Border, _) => [0.0; 4],
            (TexelSource::Texture, Texels::Explicit(texels)) => {
                let volume = |level| self.size(level).iter().product::<u64>();
                let faces = if self.texture.dimension == Dimension::Cube { 6 } else { 1 };
                let [w, h, _] = self.size(level);
                let before: u64 = (0..level).map(|l| volume(l) * faces).sum::<u64>() + face * volume(level);
                let at = before + (z * h + y) * w + x;
                texels.get(at as usize).copied().unwrap_or_default()
            }
            _ => self.texture.texel(level, face as u32, x as u32, y as u32, z as u32),
        }
    }

    /// Step 8: mixes the texels of one level along x, y and z.
    fn within(&self, level: u8, filters: [Filter; 3], from: TexelSource) -> [f32; 4] {
        let [x, y, z] = self.around(level, filters);
        let row = |k: usize, j: usize| {
            let at = |i: usize| self.texel(level, [x.texels[i], y.texels[j], z.texels[k]], from);
            lerp(at(0), || at(1), x.weight)
        };
        let slice = |k: usize| lerp(row(k, 0), || row(k, 1), y.weight);
        lerp(slice(0), || slice(1), z.weight)
    }

    /// Returns the result of the read.
    fn answer(&self) -> [f32; 4] {
        if let (Texels::Ramp { base, slope }, SampleResult::Texel) =
            (&self.texture.texels, self.access.result)
        {
            let [x, y, z] = first(self.coords, count(self.texture.dimension));
            let at = [x, y, z, 0.0];
            return std::array::from_fn(|c| {
                let rise = slope * at[c];
                base[c] + rise
            });
        }
        let detail = self.detail();
        let (state, plane, slices) = if detail <= 0.0 {
            (self.state.mag, self.access.mag, self.access.volume_mag)
        } else {
            (self.state.min, self.access.min, self.access.volume_min)
        };
        let plane = plane.unwrap_or(state);
        let filters = [plane, plane, slices.unwrap_or(state)];
        let l = detail.clamp(0.0, f32::from(self.levels() - 1));
        let (below, part) = (l.floor() as u8, l - l.floor());
        let level = match self.state.mip {
            MipFilter::None => 0,
            MipFilter::Nearest if part >= 0.5 => below + 1,
            MipFilter::Nearest | MipFilter::Linear => below,
        };
        let part = if self.state.mip == MipFilter::Linear { part } else { 0.0 };
        let read =
            |from| lerp(self.within(level, filters, from), || self.within(level + 1, filters, from), part);
        match self.access.result {
            SampleResult::Texel => read(TexelSource::Texture),
            SampleResult::Detail => [detail, 0.0, 0.0, 0.0],
            SampleResult::Border => [read(TexelSource::Border)[0], 0.0, 0.0, 0.0],
            SampleResult::Weights => {
                let [x, y, z] = self.around(level, filters).map(|along| along.weight);
                [x, y, z, part]
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_read_equals_the_definition(
        texture in texture(), own in prop::option::of(state()), dimension in dimension(), kind in 0..3, access in access(),
        numbers in prop::array::uniform10(any_float()),
    ) {
        let three = |at: usize| [numbers[at], numbers[at + 1], numbers[at + 2]];
        let lod = match kind {
            0 => Lod::Base,
            1 => Lod::Explicit(numbers[3]),
            _ => Lod::Gradient { dx: three(3), dy: three(6), bias: numbers[9] },
        };
        let request = SampleRequest { dimension, state: own, access, coords: three(0), lod };
        let expected = Read::new(&texture, &request).answer();
        let actual = sample(&texture, &request);
        for c in 0..4 {
            prop_assert!(same(expected[c], actual[c]), "component {c}: {} for {}", actual[c], expected[c]);
        }
    }
}

/// Step 4: the squares of a gradient's components are added in the order x, y, z. Near a length of 1 the level of detail shows each bit of the
/// length.
#[test]
fn the_squares_of_a_gradient_are_added_in_the_order_of_axes() {
    let texture = Texture { dimension: Dimension::Three, size: [1; 3], ..Texture::default() };
    let access = Access { result: SampleResult::Detail, ..Access::PLAIN };
    let level = |sum: f32| log2(sum.sqrt());
    let mut differing = [0; 2];
    let near = |n: u16| 0.55 + f32::from(n) / 301.0;
    for (i, j, k) in (0..12).flat_map(|i| (0..12).flat_map(move |j| (0..12).map(move |k| (i, j, k)))) {
        let step = [near(i), near(j), near(k)];
        let [x, y, z] = step.map(|v| v * v);
        let expected = level((x + y) + z);
        for (other, count) in [(z + y) + x, (x + z) + y].into_iter().zip(&mut differing) {
            *count += u32::from(level(other).to_bits() != expected.to_bits());
        }
        for (dx, dy) in [(step, [0.0; 3]), ([0.0; 3], step)] {
            let lod = Lod::Gradient { dx, dy, bias: 0.0 };
            let request =
                SampleRequest { dimension: Dimension::Three, state: None, access, coords: [0.0; 3], lod };
            assert_eq!(sample(&texture, &request)[0].to_bits(), expected.to_bits(), "{step:?}");
        }
    }
    assert!(differing.iter().all(|count| *count > 100), "other orders give other levels: {differing:?}");
}
