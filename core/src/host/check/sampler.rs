//! Reads of textures, with results computed by hand from the definition of the sampler.

use crate::host::{
    Access, Dimension, Filter, Lod, MipFilter, SampleRequest, SamplerState, Texels, Texture, Wrap,
};
use Dimension::{Cube, One, Three, Two};

/// A texture read, with its expected result.
#[derive(Clone, Debug)]
pub struct SamplerVector {
    /// Why `expected` is the result: a calculation or a rule.
    pub why: &'static str,
    /// The texture to read.
    pub texture: Texture,
    /// The request.
    pub request: SampleRequest<f32>,
    /// The expected first components of the result.
    pub expected: Vec<f32>,
}

/// Collects vectors.
struct Rows {
    all: Vec<SamplerVector>,
}

impl Rows {
    fn read(
        &mut self,
        why: &'static str,
        texture: &Texture,
        (dimension, state): (Dimension, Option<SamplerState>),
        (coords, lod): ([f32; 3], Lod<f32>),
        expected: &[f32],
    ) {
        let request = SampleRequest { dimension, state, access: Access::PLAIN, coords, lod };
        self.all.push(SamplerVector { why, texture: texture.clone(), request, expected: expected.to_vec() });
    }

    /// Adds a read of level 0 with the texture's own dimension; checks the red component.
    fn base(&mut self, why: &'static str, t: &Texture, state: SamplerState, coords: [f32; 3], red: f32) {
        self.read(why, t, (t.dimension, Some(state)), (coords, Lod::Base), &[red]);
    }

    /// Adds a read at (0.5, 0.5, 0.5); checks the red component.
    fn middle(&mut self, why: &'static str, t: &Texture, state: SamplerState, lod: Lod<f32>, red: f32) {
        self.read(why, t, (t.dimension, Some(state)), ([0.5; 3], lod), &[red]);
    }
}

/// A texture whose texels, in storage order, have these red components; green is 1.
fn texture(dimension: Dimension, size: [u16; 3], levels: u8, red: &[f32]) -> Texture {
    let texels = Texels::Explicit(red.iter().map(|&r| [r, 1.0, 0.0, 0.0]).collect());
    Texture { dimension, size, levels, state: SamplerState::default(), texels }
}

/// A texture of 8x8 texels with four levels; the red component of every texel of level l is l.
fn by_level(dimension: Dimension) -> Texture {
    let faces = if dimension == Cube { 6 } else { 1 };
    let texels: Vec<f32> =
        [(64, 0.0), (16, 1.0), (4, 2.0), (1, 3.0)].iter().flat_map(|&(n, l)| vec![l; n * faces]).collect();
    texture(dimension, [8, 8, 1], 4, &texels)
}

const PLAIN: SamplerState = SamplerState {
    min: Filter::Nearest,
    mag: Filter::Nearest,
    mip: MipFilter::None,
    wrap: [Wrap::Clamp; 3],
    border: [0.0; 4],
    lod_bias: 0.0,
    max_anisotropy: 1,
};
const LINEAR: SamplerState = SamplerState { min: Filter::Linear, mag: Filter::Linear, ..PLAIN };
const MIP_NEAREST: SamplerState = SamplerState { mip: MipFilter::Nearest, ..PLAIN };
const MIP_LINEAR: SamplerState = SamplerState { mip: MipFilter::Linear, ..PLAIN };

fn gradient(dx: [f32; 3], dy: [f32; 3], bias: f32) -> Lod<f32> {
    Lod::Gradient { dx, dy, bias }
}

/// Returns the vectors that [`super::sampler()`] checks.
pub fn sampler_vectors() -> Vec<SamplerVector> {
    let mut rows = Rows { all: Vec::new() };
    wrapping(&mut rows);
    filters(&mut rows);
    borders(&mut rows);
    levels(&mut rows);
    gradients(&mut rows);
    cubes(&mut rows);
    shapes(&mut rows);
    rows.all
}

fn wrapping(rows: &mut Rows) {
    let t = texture(Two, [4, 2, 1], 1, &[0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0]);
    rows.base("floor(0.7 * 4) = 2, floor(0.5 * 2) = 1", &t, PLAIN, [0.7, 0.5, 0.0], 12.0);
    let mixed = SamplerState { wrap: [Wrap::Repeat, Wrap::Mirror, Wrap::Clamp], ..PLAIN };
    let why = "each axis has its own wrap mode: x = floor(-1) repeats to 3; y = floor(2.5) mirrors to 1";
    rows.base(why, &t, mixed, [-0.25, 1.25, 0.0], 13.0);
    // Reads beyond each edge of the texture, on each axis, with each wrap mode.
    for (wrap, left, right) in [
        (Wrap::Clamp, 0.0, 3.0),
        (Wrap::Repeat, 3.0, 0.0),
        (Wrap::Mirror, 0.0, 3.0),
        (Wrap::Border, 9.0, 9.0),
    ] {
        let state = SamplerState { wrap: [wrap, Wrap::Clamp, Wrap::Clamp], border: [9.0; 4], ..PLAIN };
        rows.base("x = -1 is texel 0, 3, 0 or the border", &t, state, [-0.25, 0.0, 0.0], left);
        rows.base("x = 4 is texel 3, 0, 3 or the border", &t, state, [1.0, 0.0, 0.0], right);
    }
    for (wrap, above, below) in [
        (Wrap::Clamp, 1.0, 11.0),
        (Wrap::Repeat, 11.0, 1.0),
        (Wrap::Mirror, 1.0, 11.0),
        (Wrap::Border, 9.0, 9.0),
    ] {
        let state = SamplerState { wrap: [Wrap::Clamp, wrap, Wrap::Clamp], border: [9.0; 4], ..PLAIN };
        rows.base("y = -1 is row 0, 1, 0 or the border", &t, state, [0.25, -0.5, 0.0], above);
        rows.base("y = 2 is row 1, 0, 1 or the border", &t, state, [0.25, 1.0, 0.0], below);
        rows.base(
            "y = -3 is row 0, 1, 1 or the border",
            &t,
            state,
            [0.25, -1.5, 0.0],
            match wrap {
                Wrap::Clamp => 1.0,
                Wrap::Repeat | Wrap::Mirror => 11.0,
                Wrap::Border => 9.0,
            },
        );
    }
    rows.base("a coordinate far outside is clamped", &t, PLAIN, [1e30, -1e30, 0.0], 3.0);
    rows.base("far outside in the other directions, too", &t, PLAIN, [-1e30, 1e30, 0.0], 10.0);
}

fn filters(rows: &mut Rows) {
    let t = texture(Two, [2, 2, 1], 1, &[0.0, 1.0, 2.0, 4.0]);
    let why = "q = 0.75, 0.25; rows 0 + 0.75 * 1 and 2 + 0.75 * 2 = 3.5; 0.75 + 0.25 * 2.75";
    rows.base(why, &t, LINEAR, [0.625, 0.375, 0.0], 1.4375);
    let t = texture(Two, [2, 2, 1], 1, &[1e8, 1.0, -1e8, 1.0]);
    let why = "floats near 1e8 are 8 apart: the rows are 5e7 and -5e7; columns first would be 0 and 1";
    rows.base(why, &t, LINEAR, [0.5, 0.5, 0.0], 0.0);
    let t = texture(Three, [2, 1, 2], 1, &[0.0, 1.0, 8.0, 16.0]);
    let why = "x: q = 0.5; z: q = 0.75; slices 0.5 and 12; 0.5 + 0.75 * 11.5";
    rows.base(why, &t, LINEAR, [0.5, 0.5, 0.625], 9.125);
    let state = SamplerState { wrap: [Wrap::Clamp, Wrap::Clamp, Wrap::Repeat], ..LINEAR };
    let why = "z wraps by its own mode: q = 1.5, slices 1 and 0; 12 + 0.5 * (0.5 - 12)";
    rows.base(why, &t, state, [0.5, 0.5, 1.0], 6.25);
    let t = texture(One, [2, 1, 1], 1, &[1.0, f32::INFINITY]);
    rows.base("q = 0: were the second texel read, 0 * inf would be NaN", &t, LINEAR, [0.25, 0.0, 0.0], 1.0);
    let t = texture(One, [2, 1, 1], 1, &[0.0, 1.0]);
    let state = SamplerState { min: Filter::Linear, ..PLAIN };
    for (why, lod, red) in [
        ("the base level magnifies: floor(1) = 1", Lod::Base, 1.0),
        ("an explicit level of 0 magnifies", Lod::Explicit(0.0), 1.0),
        ("an explicit level of NaN magnifies", Lod::Explicit(f32::NAN), 1.0),
        ("an explicit level above 0 minifies: q = 0.5", Lod::Explicit(0.001), 0.5),
    ] {
        rows.read(why, &t, (One, Some(state)), ([0.5, 0.0, 0.0], lod), &[red]);
    }
}

fn borders(rows: &mut Rows) {
    let t = texture(Two, [2, 2, 1], 1, &[1.0; 4]);
    let border = [3.0, 5.0, 7.0, 9.0];
    let state = SamplerState { wrap: [Wrap::Border; 3], border, ..PLAIN };
    rows.read("y = 2 is outside", &t, (Two, Some(state)), ([0.5, 1.0, 0.0], Lod::Base), &border);
    rows.read("inside", &t, (Two, Some(state)), ([0.5, 0.5, 0.0], Lod::Base), &[1.0, 1.0, 0.0, 0.0]);
    let state = SamplerState { min: Filter::Linear, mag: Filter::Linear, ..state };
    let why = "x: q = -0.5, half of the border and half of texel 0; y: q = 0";
    rows.read(why, &t, (Two, Some(state)), ([0.0, 0.25, 0.0], Lod::Base), &[2.0, 3.0, 3.5, 4.5]);
}

fn levels(rows: &mut Rows) {
    let t = texture(One, [4, 1, 1], 3, &[0.0, 0.0, 0.0, 0.0, 10.0, 10.0, 20.0]);
    for (l, nearest, linear) in [
        (-3.0, 0.0, 0.0),
        (0.25, 0.0, 2.5),
        (0.5, 10.0, 5.0),
        (1.25, 10.0, 12.5),
        (1.5, 20.0, 15.0),
        (2.0, 20.0, 20.0),
        (99.0, 20.0, 20.0),
        (f32::INFINITY, 20.0, 20.0),
        (f32::NEG_INFINITY, 0.0, 0.0),
        (f32::NAN, 0.0, 0.0),
    ] {
        rows.middle("without a mip filter, level 0 is read", &t, PLAIN, Lod::Explicit(l), 0.0);
        rows.middle("the nearest level, halves rounded up", &t, MIP_NEAREST, Lod::Explicit(l), nearest);
        rows.middle("the two levels, interpolated", &t, MIP_LINEAR, Lod::Explicit(l), linear);
    }
    let two = texture(One, [4, 1, 1], 2, &[0.0, 1.0, 2.0, 3.0, 10.0, 30.0]);
    for (x, red) in [(0.5, 30.0), (0.25, 10.0)] {
        let why = "a level is addressed by its own size: of two texels, floor(2 x)";
        rows.read(why, &two, (One, Some(MIP_NEAREST)), ([x, 0.0, 0.0], Lod::Explicit(1.0)), &[red]);
    }
    let state = SamplerState { lod_bias: 1.0, ..MIP_LINEAR };
    rows.middle("level 0.25 with a bias of 1", &t, state, Lod::Explicit(0.25), 12.5);
    rows.middle("the base level has no bias", &t, state, Lod::Base, 0.0);
    let state = SamplerState { lod_bias: -1.0, ..MIP_LINEAR };
    rows.middle("level 1.25 with a bias of -1", &t, state, Lod::Explicit(1.25), 2.5);
    let mixed = texture(Two, [2, 2, 1], 2, &[0.0, 1.0, 2.0, 4.0, 100.0]);
    let state = SamplerState { min: Filter::Linear, ..MIP_LINEAR };
    let why = "level 0 filtered is (0 + 1 + 2 + 4) / 4 = 1.75; a quarter of the way to 100";
    rows.middle(why, &mixed, state, Lod::Explicit(0.25), 26.3125);
}

fn gradients(rows: &mut Rows) {
    let t = by_level(Two);
    let none = [0.0; 3];
    for (why, dx, dy, bias, red) in [
        ("0.5 * 8 = 4 texels, log2 = 2", [0.5, 0.0, 0.0], none, 0.0, 2.0),
        ("the same along y", none, [0.0, 0.5, 0.0], 0.0, 2.0),
        ("the length of (3, 4) texels is 5, log2(5) = 2.32", [0.375, 0.5, 0.0], [0.125, 0.0, 0.0], 0.0, 2.0),
        ("log2(5) + a bias of 0.5 = 2.82", [0.375, 0.5, 0.0], [0.125, 0.0, 0.0], 0.5, 3.0),
        ("1024 texels are past the last level", [128.0, 0.0, 0.0], none, 0.0, 3.0),
        ("log2(1024) + a bias of -9 = 1", [128.0, 0.0, 0.0], none, -9.0, 1.0),
        ("a 2D texture has no third axis", [0.125, 0.0, 99.0], none, 0.0, 0.0),
        ("log2(0) = -inf", none, none, 0.0, 0.0),
        ("infinity is clamped", [f32::INFINITY, 0.0, 0.0], none, 0.0, 3.0),
        ("NaN in x is level 0", [f32::NAN, 0.0, 0.0], [0.5; 3], 0.0, 0.0),
        ("NaN in y is level 0", [0.5; 3], [0.0, f32::NAN, 0.0], 0.0, 0.0),
    ] {
        rows.middle(why, &t, MIP_NEAREST, gradient(dx, dy, bias), red);
    }
    let lod = gradient([0.125, 0.5, 0.0], none, 0.0);
    let why = "a 1D request uses only the first component of its gradients";
    rows.read(why, &t, (One, Some(MIP_NEAREST)), ([0.5; 3], lod), &[0.0]);
    let biased = SamplerState { lod_bias: 1.0, ..MIP_NEAREST };
    let why = "log2 = 2, bias of the state 1, bias of the read -2";
    rows.middle(why, &t, biased, gradient([0.5, 0.0, 0.0], none, -2.0), 1.0);
    // 8x2: levels of 16, 4 (4x1), 2, 1 texels.
    let texels: Vec<f32> =
        [(16, 0.0), (4, 1.0), (2, 2.0), (1, 3.0)].iter().flat_map(|&(n, l)| vec![l; n]).collect();
    let t = texture(Two, [8, 2, 1], 4, &texels);
    rows.middle("8 texels along x", &t, MIP_NEAREST, gradient([1.0, 0.0, 0.0], none, 0.0), 3.0);
    rows.middle("2 texels along y", &t, MIP_NEAREST, gradient([0.0, 1.0, 0.0], none, 0.0), 1.0);
    let t = by_level(Cube);
    let why = "face 0, s = 2, t = m = 0 (see step 3): du = 2 / 2 * 0.5, which is 4 of 8 texels";
    let lod = gradient([0.0, 0.0, -2.0], none, 0.0);
    rows.read(why, &t, (Cube, Some(MIP_NEAREST)), ([2.0, 1.0, -0.5], lod), &[2.0]);
    let why = "a step straight outward from the centre of a face does not move the position";
    let lod = gradient([9.0, 0.0, 0.0], none, 0.0);
    rows.read(why, &t, (Cube, Some(MIP_NEAREST)), ([2.0, 0.0, 0.0], lod), &[0.0]);
    let lod = gradient([0.5, 0.0, 99.0], none, 0.0);
    let why = "a read by face number uses the gradients of u and v";
    rows.read(why, &t, (Three, Some(MIP_NEAREST)), ([0.5; 3], lod), &[2.0]);
}

fn cubes(rows: &mut Rows) {
    let t = texture(Cube, [1, 1, 1], 1, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    for (face, direction) in [
        (0.0, [1.0, 0.0, 0.0]),
        (1.0, [-1.0, 0.0, 0.0]),
        (2.0, [0.0, 1.0, 0.0]),
        (3.0, [0.0, -1.0, 0.0]),
        (4.0, [0.0, 0.0, 1.0]),
        (5.0, [0.0, 0.0, -1.0]),
    ] {
        rows.base("faces in the order +x -x +y -y +z -z", &t, PLAIN, direction, face);
    }
    let numbers: Vec<f32> = (0..24u8).map(f32::from).collect();
    let t = texture(Cube, [2, 2, 1], 1, &numbers);
    rows.base("face 0 at (0.625, 0.25), texel (1, 0)", &t, PLAIN, [2.0, 1.0, -0.5], 1.0);
    rows.base("face 5 at (0.25, 0.625), texel (0, 1): 5 * 4 + 2", &t, PLAIN, [1.0, -0.5, -2.0], 22.0);
    rows.base("no direction: face 4, both coordinates 0", &t, PLAIN, [0.0; 3], 16.0);
    let state = SamplerState { wrap: [Wrap::Repeat; 3], ..LINEAR };
    let why = "no wrapping at the edge of a face: u near 1, v = 0.5, halfway between texels 1 and 3";
    rows.base(why, &t, state, [1.0, 0.0, -0.9999], 2.0);
    for (z, face) in
        [(3.9, 3.0), (5.0, 5.0), (77.0, 5.0), (f32::INFINITY, 5.0), (-1.0, 0.0), (-0.5, 0.0), (f32::NAN, 0.0)]
    {
        let why = "z is the number of the face: its texel (1, 1)";
        rows.read(why, &t, (Three, None), ([0.75, 0.5, z], Lod::Base), &[face * 4.0 + 3.0]);
    }
    rows.read("a 2D read of a cube is on face 0", &t, (Two, None), ([0.75, 0.5, 3.0], Lod::Base), &[3.0]);
}

fn shapes(rows: &mut Rows) {
    let t = texture(Two, [2, 2, 1], 1, &[0.0, 1.0, 2.0, 3.0]);
    for (dimension, red) in [(Two, 3.0), (Three, 3.0), (Cube, 3.0), (One, 1.0)] {
        let why = "the texture's dimension determines the axes; a missing y is 0";
        rows.read(why, &t, (dimension, None), ([0.75, 0.75, f32::NAN], Lod::Base), &[red]);
    }
    let mut t = texture(One, [2, 1, 1], 1, &[0.0, 1.0]);
    t.state = LINEAR;
    rows.read("the texture's state", &t, (One, None), ([0.5, 0.0, 0.0], Lod::Base), &[0.5]);
    rows.read("overridden by the instruction", &t, (One, Some(PLAIN)), ([0.5, 0.0, 0.0], Lod::Base), &[1.0]);
    let ramp = |dimension, base, slope| Texture {
        dimension,
        size: [4; 3],
        levels: 3,
        state: LINEAR,
        texels: Texels::Ramp { base, slope },
    };
    for (dimension, expected) in [
        (One, [2.0, 2.0, 3.0, 4.0]),
        (Two, [2.0, 4.0, 3.0, 4.0]),
        (Three, [2.0, 4.0, 7.0, 4.0]),
        (Cube, [2.0, 4.0, 7.0, 4.0]),
    ] {
        let at = ([2.0, 4.0, 8.0], Lod::Explicit(2.0));
        let base = [1.0, 2.0, 3.0, 4.0];
        let why = "a ramp is base + 0.5 * coordinate, without filtering";
        rows.read(why, &ramp(dimension, base, 0.5), (Three, None), at, &expected);
        rows.read(why, &ramp(Cube, base, 0.5), (dimension, None), at, &expected);
    }
    let x = 1.0 + 1.0 / 4096.0;
    let t = ramp(Two, [-1.0 - 1.0 / 2048.0, 0.0, 0.0, 0.0], x);
    let why = "two roundings: (1 + 2^-12)^2 rounds to 1 + 2^-11, which cancels; one would leave 2^-24";
    rows.read(why, &t, (Two, None), ([x, 0.0, 0.0], Lod::Base), &[0.0]);
}
