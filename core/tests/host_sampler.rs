//! The sampler against its written definition. Every expected number is worked out in a comment from the definition.

use lockstep_core::host::*;
use proptest::prelude::*;

/// A texture whose texels, in storage order, have these red components; green is 1.
fn texture(dimension: Dimension, size: [u16; 3], levels: u8, red: &[f32]) -> Texture {
    let texels = Texels::Explicit(red.iter().map(|&r| [r, 1.0, 0.0, 0.0]).collect());
    Texture { dimension, size, levels, state: SamplerState::default(), texels }
}

fn linear() -> SamplerState {
    SamplerState { min: Filter::Linear, mag: Filter::Linear, ..SamplerState::default() }
}

/// The red component of a read of `t` as its own dimension.
fn red(t: &Texture, state: SamplerState, coords: [f32; 3], lod: Lod<f32>) -> f32 {
    sample(
        t,
        &SampleRequest { dimension: t.dimension, state: Some(state), access: Access::PLAIN, coords, lod },
    )[0]
}

fn base(t: &Texture, state: SamplerState, coords: [f32; 3]) -> f32 {
    red(t, state, coords, Lod::Base)
}

/// Square, 8 texels wide, four levels; level l is all l.
fn by_level(dimension: Dimension) -> Texture {
    let faces = if dimension == Dimension::Cube { 6 } else { 1 };
    let texels: Vec<f32> =
        [(64, 0.0), (16, 1.0), (4, 2.0), (1, 3.0)].iter().flat_map(|&(n, l)| vec![l; n * faces]).collect();
    texture(dimension, [8, 8, 1], 4, &texels)
}

#[test]
fn nearest_takes_the_texel_that_holds_the_coordinate() {
    let t = texture(Dimension::Two, [4, 2, 1], 1, &[0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0]);
    // floor(0.7 * 4) = 2, floor(0.5 * 2) = 1.
    assert_eq!(base(&t, SamplerState::default(), [0.7, 0.5, 0.0]), 12.0);
    // Wrapping is by axis: x = floor(-1) -> 3 repeated, y = floor(2.5) = 2, mod 4 = 2 -> 1 mirrored.
    let state = SamplerState { wrap: [Wrap::Repeat, Wrap::Mirror, Wrap::Clamp], ..SamplerState::default() };
    assert_eq!(base(&t, state, [-0.25, 1.25, 0.0]), 13.0);
}

#[test]
fn bilinear_goes_along_rows_first() {
    let t = texture(Dimension::Two, [2, 2, 1], 1, &[0.0, 1.0, 2.0, 4.0]);
    // q = 0.75, 0.25. Rows: 0 + 0.75 * 1 = 0.75 and 2 + 0.75 * 2 = 3.5; 0.75 + 0.25 * 2.75 = 1.4375.
    assert_eq!(base(&t, linear(), [0.625, 0.375, 0.0]), 1.4375);
    let t = texture(Dimension::Two, [2, 2, 1], 1, &[1e8, 1.0, -1e8, 1.0]);
    // The order shows in the rounding: floats near 1e8 are 8 apart, so 1 - 1e8 is -1e8 and 1 + 1e8 is 1e8. The rows are 5e7 and
    // -5e7, and halfway between them is 0. Columns first would be 0 and 1, and halfway 0.5.
    assert_eq!(base(&t, linear(), [0.5, 0.5, 0.0]), 0.0);
}

#[test]
fn trilinear_in_a_volume() {
    // 2x1x2: slices (0, 1) and (8, 16).
    let t = texture(Dimension::Three, [2, 1, 2], 1, &[0.0, 1.0, 8.0, 16.0]);
    // x: q = 0.5; y: q = 0, one texel; z: p = 1.25, q = 0.75. Slices: 0.5 and 12; 0.5 + 0.75 * 11.5 = 9.125.
    assert_eq!(base(&t, linear(), [0.5, 0.5, 0.625]), 9.125);
    // z wraps by its own mode: p = 2, q = 1.5: slices 1 and 2 -> 0. 12 + 0.5 * (0.5 - 12) = 6.25.
    let state = SamplerState { wrap: [Wrap::Clamp, Wrap::Clamp, Wrap::Repeat], ..linear() };
    assert_eq!(base(&t, state, [0.5, 0.5, 1.0]), 6.25);
}

#[test]
fn texels_of_no_weight_are_not_read() {
    let t = texture(Dimension::One, [2, 1, 1], 1, &[1.0, f32::INFINITY]);
    // p = 0.5, q = 0, f = 0: were the second texel read, 0 * inf would give NaN.
    assert_eq!(base(&t, linear(), [0.25, 0.0, 0.0]), 1.0);
}

#[test]
fn border_colour() {
    let t = texture(Dimension::Two, [2, 2, 1], 1, &[1.0; 4]);
    let border = [3.0, 5.0, 7.0, 9.0];
    let state = SamplerState { wrap: [Wrap::Border; 3], border, ..SamplerState::default() };
    let read = |state, coords| {
        let request = SampleRequest {
            dimension: Dimension::Two,
            state: Some(state),
            access: Access::PLAIN,
            coords,
            lod: Lod::Base,
        };
        sample(&t, &request)
    };
    assert_eq!(read(state, [0.5, 1.0, 0.0]), border); // y = 2 is outside
    assert_eq!(read(state, [0.5, 0.5, 0.0]), [1.0, 1.0, 0.0, 0.0]);
    let state = SamplerState { min: Filter::Linear, mag: Filter::Linear, ..state };
    // x: q = -0.5: border and texel 0; y: q = 0. 3 + 0.5 * (1 - 3) = 2, 5 - 2 = 3, 7 - 3.5, 9 - 4.5.
    assert_eq!(read(state, [0.0, 0.25, 0.0]), [2.0, 3.0, 3.5, 4.5]);
}

#[test]
fn levels_by_number() {
    let t = texture(Dimension::One, [4, 1, 1], 3, &[0.0, 0.0, 0.0, 0.0, 10.0, 10.0, 20.0]);
    let read = |mip, l| {
        let state = SamplerState { mip, ..SamplerState::default() };
        red(&t, state, [0.5, 0.0, 0.0], Lod::Explicit(l))
    };
    for (l, nearest, linear) in [
        (-3.0, 0.0, 0.0),
        (0.25, 0.0, 2.5),
        (0.5f32.next_down(), 0.0, 5.0), // 0.49999997 * 10 = 4.9999997, a tie to even between 4.9999995 and 5
        (0.5, 10.0, 5.0),
        (1.25, 10.0, 12.5),
        (1.5, 20.0, 15.0),
        (2.0, 20.0, 20.0),
        (99.0, 20.0, 20.0),
        (f32::INFINITY, 20.0, 20.0),
        (f32::NEG_INFINITY, 0.0, 0.0),
        (f32::NAN, 0.0, 0.0),
    ] {
        assert_eq!(read(MipFilter::None, l), 0.0, "{l}");
        assert_eq!(read(MipFilter::Nearest, l), nearest, "{l}");
        assert!((read(MipFilter::Linear, l) - linear).abs() < 1e-6, "{l}");
    }
    // A level is addressed by its own size: of the two texels 10 and 30, floor(0.5 * 2) = 1 is the second.
    let two = texture(Dimension::One, [4, 1, 1], 2, &[0.0, 1.0, 2.0, 3.0, 10.0, 30.0]);
    let state = SamplerState { mip: MipFilter::Nearest, ..SamplerState::default() };
    assert_eq!(red(&two, state, [0.5, 0.0, 0.0], Lod::Explicit(1.0)), 30.0);
    assert_eq!(red(&two, state, [0.25, 0.0, 0.0], Lod::Explicit(1.0)), 10.0);
    let state = SamplerState { mip: MipFilter::Linear, lod_bias: 1.0, ..SamplerState::default() };
    assert_eq!(red(&t, state, [0.5, 0.0, 0.0], Lod::Explicit(0.25)), 12.5);
    assert_eq!(red(&t, state, [0.5, 0.0, 0.0], Lod::Base), 0.0); // no bias
}

#[test]
fn magnification_ends_at_level_zero() {
    let t = texture(Dimension::One, [2, 1, 1], 1, &[0.0, 1.0]);
    let state = SamplerState { min: Filter::Linear, lod_bias: 0.0, ..SamplerState::default() };
    let read = |lod| red(&t, state, [0.5, 0.0, 0.0], lod);
    // Nearest: floor(1) = 1 gives 1. Linear: q = 0.5 gives 0.5.
    assert_eq!(read(Lod::Base), 1.0);
    assert_eq!(read(Lod::Explicit(0.0)), 1.0);
    assert_eq!(read(Lod::Explicit(f32::NAN)), 1.0);
    // One level only, and still minified.
    assert_eq!(read(Lod::Explicit(0.001)), 0.5);
}

#[test]
fn levels_by_gradient() {
    let t = by_level(Dimension::Two);
    let state = SamplerState { mip: MipFilter::Nearest, ..SamplerState::default() };
    let read = |dx, dy, bias| red(&t, state, [0.5; 3], Lod::Gradient { dx, dy, bias });
    let none = [0.0; 3];
    // 0.5 * 8 = 4 texels, log2 = 2.
    assert_eq!(read([0.5, 0.0, 0.0], none, 0.0), 2.0);
    assert_eq!(read(none, [0.0, 0.5, 0.0], 0.0), 2.0);
    // 3 and 4 texels are 5, log2(5) = 2.32; with bias 0.5, 2.82.
    assert_eq!(read([0.375, 0.5, 0.0], [0.125, 0.0, 0.0], 0.0), 2.0);
    assert_eq!(read([0.375, 0.5, 0.0], [0.125, 0.0, 0.0], 0.5), 3.0);
    // 1024 texels: past the last level; with bias -9, log2 = 1.
    assert_eq!(read([128.0, 0.0, 0.0], none, 0.0), 3.0);
    assert_eq!(read([128.0, 0.0, 0.0], none, -9.0), 1.0);
    // A plane has no third axis.
    assert_eq!(read([0.125, 0.0, 99.0], none, 0.0), 0.0);
    // log2(0) = -inf; infinity is clamped; NaN on either side is level 0.
    assert_eq!(read(none, none, 0.0), 0.0);
    assert_eq!(read([f32::INFINITY, 0.0, 0.0], none, 0.0), 3.0);
    assert_eq!(read([f32::NAN, 0.0, 0.0], [0.5; 3], 0.0), 0.0);
    assert_eq!(read([0.5; 3], [0.0, f32::NAN, 0.0], 0.0), 0.0);
    // A request of one dimension has gradients of one component.
    let lod = Lod::Gradient { dx: [0.125, 0.5, 0.0], dy: none, bias: 0.0 };
    let request = SampleRequest {
        dimension: Dimension::One,
        state: Some(state),
        access: Access::PLAIN,
        coords: [0.5; 3],
        lod,
    };
    assert_eq!(sample(&t, &request)[0], 0.0);
    let biased = SamplerState { lod_bias: 1.0, ..state };
    assert_eq!(red(&t, biased, [0.5; 3], Lod::Gradient { dx: [0.5, 0.0, 0.0], dy: none, bias: -2.0 }), 1.0);
}

#[test]
fn gradients_are_in_texels_of_each_axis() {
    // 8x2: levels of 16, 4 (4x1), 2, 1 texels.
    let texels: Vec<f32> =
        [(16, 0.0), (4, 1.0), (2, 2.0), (1, 3.0)].iter().flat_map(|&(n, l)| vec![l; n]).collect();
    let t = texture(Dimension::Two, [8, 2, 1], 4, &texels);
    let state = SamplerState { mip: MipFilter::Nearest, ..SamplerState::default() };
    let read = |dx| red(&t, state, [0.5; 3], Lod::Gradient { dx, dy: [0.0; 3], bias: 0.0 });
    assert_eq!(read([1.0, 0.0, 0.0]), 3.0); // 8 texels
    assert_eq!(read([0.0, 1.0, 0.0]), 1.0); // 2 texels
}

#[test]
fn cube_faces() {
    // One texel a face, worth its number.
    let t = texture(Dimension::Cube, [1, 1, 1], 1, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    for (face, direction) in [
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(base(&t, SamplerState::default(), direction), face as f32);
    }
    // Faces of four texels: (2, 1, -0.5) is face 0 at (0.625, 0.25), texel (1, 0), number 1;
    // (1, -0.5, -2) is face 5 at (0.25, 0.625), texel (0, 1), number 5 * 4 + 2.
    let numbers: Vec<f32> = (0..24u8).map(f32::from).collect();
    let t = texture(Dimension::Cube, [2, 2, 1], 1, &numbers);
    assert_eq!(base(&t, SamplerState::default(), [2.0, 1.0, -0.5]), 1.0);
    assert_eq!(base(&t, SamplerState::default(), [1.0, -0.5, -2.0]), 22.0);
    // The zero direction: face 4, both coordinates 0.
    assert_eq!(base(&t, SamplerState::default(), [0.0; 3]), 16.0);
    // No wrapping at the rim: (1, 0, -1 + tiny) is face 0 at u near 1, v = 0.5. x: q = 1.5 - tiny, texels 1 and 2 -> 1;
    // y: q = 0.5, rows 0 and 1: halfway between texels 1 and 3.
    let state = SamplerState { wrap: [Wrap::Repeat; 3], ..linear() };
    assert_eq!(base(&t, state, [1.0, 0.0, -0.9999]), 2.0);
}

#[test]
fn cube_gradients_move_on_the_face() {
    let t = by_level(Dimension::Cube);
    let state = SamplerState { mip: MipFilter::Nearest, ..SamplerState::default() };
    // Face 0, s = 2, t = m = 0: du = 2 / 2 * 0.5 = 0.5, of 8 texels 4, level 2.
    let lod = Lod::Gradient { dx: [0.0, 0.0, -2.0], dy: [0.0; 3], bias: 0.0 };
    assert_eq!(red(&t, state, [2.0, 1.0, -0.5], lod), 2.0);
    // Straight outward from the centre of a face nothing moves: level 0.
    let lod = Lod::Gradient { dx: [9.0, 0.0, 0.0], dy: [0.0; 3], bias: 0.0 };
    assert_eq!(red(&t, state, [2.0, 0.0, 0.0], lod), 0.0);
}

#[test]
fn a_cube_whose_face_is_chosen_already() {
    let numbers: Vec<f32> = (0..24u8).map(f32::from).collect();
    let t = texture(Dimension::Cube, [2, 2, 1], 1, &numbers);
    let read = |dimension, coords| {
        sample(&t, &SampleRequest { dimension, state: None, access: Access::PLAIN, coords, lod: Lod::Base })
            [0]
    };
    for (z, face) in
        [(3.9, 3.0), (5.0, 5.0), (77.0, 5.0), (f32::INFINITY, 5.0), (-1.0, 0.0), (-0.5, 0.0), (f32::NAN, 0.0)]
    {
        // Texel (1, 1) of the face.
        assert_eq!(read(Dimension::Three, [0.75, 0.5, z]), face * 4.0 + 3.0);
    }
    assert_eq!(read(Dimension::Two, [0.75, 0.5, 3.0]), 3.0);
    // Gradients are those of u and v: 0.5 of 8 texels.
    let t = by_level(Dimension::Cube);
    let state = Some(SamplerState { mip: MipFilter::Nearest, ..SamplerState::default() });
    let lod = Lod::Gradient { dx: [0.5, 0.0, 99.0], dy: [0.0; 3], bias: 0.0 };
    assert_eq!(
        sample(
            &t,
            &SampleRequest {
                dimension: Dimension::Three,
                state,
                access: Access::PLAIN,
                coords: [0.5; 3],
                lod
            }
        )[0],
        2.0
    );
}

#[test]
fn the_texture_decides_how_it_is_addressed() {
    let t = texture(Dimension::Two, [2, 2, 1], 1, &[0.0, 1.0, 2.0, 3.0]);
    let read = |dimension| {
        sample(
            &t,
            &SampleRequest {
                dimension,
                state: None,
                access: Access::PLAIN,
                coords: [0.75, 0.75, f32::NAN],
                lod: Lod::Base,
            },
        )[0]
    };
    assert_eq!(read(Dimension::Two), 3.0);
    assert_eq!(read(Dimension::Three), 3.0);
    assert_eq!(read(Dimension::Cube), 3.0);
    assert_eq!(read(Dimension::One), 1.0); // y is missing: 0
}

#[test]
fn the_instructions_state_comes_before_the_textures() {
    let mut t = texture(Dimension::One, [2, 1, 1], 1, &[0.0, 1.0]);
    t.state = linear();
    let read = |state| {
        sample(
            &t,
            &SampleRequest {
                dimension: Dimension::One,
                state,
                access: Access::PLAIN,
                coords: [0.5, 0.0, 0.0],
                lod: Lod::Base,
            },
        )[0]
    };
    assert_eq!(read(None), 0.5);
    assert_eq!(read(Some(SamplerState::default())), 1.0);
}

#[test]
fn ramps_answer_without_filtering() {
    let ramp = |dimension, base, slope| Texture {
        dimension,
        size: [4, 4, 4],
        levels: 3,
        state: linear(),
        texels: Texels::Ramp { base, slope },
    };
    let read = |t: &Texture, dimension, coords| {
        sample(
            t,
            &SampleRequest { dimension, state: None, access: Access::PLAIN, coords, lod: Lod::Explicit(2.0) },
        )
    };
    let base = [1.0, 2.0, 3.0, 4.0];
    for (dimension, want) in [
        (Dimension::One, [2.0, 2.0, 3.0, 4.0]),
        (Dimension::Two, [2.0, 4.0, 3.0, 4.0]),
        (Dimension::Three, [2.0, 4.0, 7.0, 4.0]),
        (Dimension::Cube, [2.0, 4.0, 7.0, 4.0]),
    ] {
        assert_eq!(read(&ramp(dimension, base, 0.5), Dimension::Three, [2.0, 4.0, 8.0]), want);
        assert_eq!(read(&ramp(Dimension::Cube, base, 0.5), dimension, [2.0, 4.0, 8.0]), want);
    }
    // Two roundings: (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 rounds to 1 + 2^-11 (a tie, to even), which cancels. One rounding
    // would leave 2^-24.
    let x = 1.0 + 2f32.powi(-12);
    let t = ramp(Dimension::Two, [-1.0 - 2f32.powi(-11), 0.0, 0.0, 0.0], x);
    assert_eq!(read(&t, Dimension::Two, [x, 0.0, 0.0])[0], 0.0);
    assert!(read(&t, Dimension::Two, [f32::NAN, 0.0, 0.0])[0].is_nan());
}

fn any_float() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits),
        -4.0f32..4.0,
        Just(f32::NAN),
        Just(1e30),
        Just(f32::INFINITY)
    ]
}

prop_compose! {
    fn any_state()(
        filters in (any::<bool>(), any::<bool>()), mip in 0..3, wrap in prop::array::uniform3(0..4), lod_bias in any_float(),
        max_anisotropy in any::<u8>(),
    ) -> SamplerState {
        let filter = |linear| if linear { Filter::Linear } else { Filter::Nearest };
        SamplerState {
            min: filter(filters.0),
            mag: filter(filters.1),
            mip: [MipFilter::None, MipFilter::Nearest, MipFilter::Linear][mip as usize],
            wrap: wrap.map(|w: i32| [Wrap::Clamp, Wrap::Repeat, Wrap::Mirror, Wrap::Border][w as usize]),
            border: [1.0, -1.0, 0.5, 0.0],
            lod_bias,
            max_anisotropy,
        }
    }
}

fn any_dimension() -> impl Strategy<Value = Dimension> {
    prop::sample::select(vec![Dimension::One, Dimension::Two, Dimension::Three, Dimension::Cube])
}

fn any_size() -> impl Strategy<Value = u16> {
    prop_oneof![Just(0), Just(1), Just(u16::MAX), 2u16..9, any::<u16>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// Texels and border lie in [-1, 1], and so must every mix of them: a wild coordinate, size or level must not show.
    #[test]
    fn any_read_of_any_texture_is_a_mix_of_its_texels(
        dimensions in (any_dimension(), any_dimension()), size in prop::array::uniform3(any_size()), levels in any::<u8>(),
        seed in any::<u32>(), state in any_state(), own in any::<bool>(), coords in prop::array::uniform3(any_float()),
        dx in prop::array::uniform3(any_float()), dy in prop::array::uniform3(any_float()), level in any_float(), which in 0..3,
    ) {
        let texels = Texels::Pattern { seed };
        let t = Texture { dimension: dimensions.0, size, levels, state, texels };
        let lod = match which {
            0 => Lod::Base,
            1 => Lod::Explicit(level),
            _ => Lod::Gradient { dx, dy, bias: level },
        };
        let request = SampleRequest { dimension: dimensions.1, state: own.then_some(state), access: Access::PLAIN, coords, lod };
        for c in sample(&t, &request) {
            prop_assert!(c.abs() <= 1.0 + 1e-6, "{c}");
        }
    }
}
