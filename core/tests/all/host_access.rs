//! Tests of the properties that an instruction can give a texture read (`Access`), against the sampler's written definition. Expected
//! numbers that are not obvious are derived in comments.

use lockstep_core::host::*;

/// Returns a texture whose texels, in storage order, have these red components.
fn texture(dimension: Dimension, size: [u16; 3], levels: u8, red: &[f32]) -> Texture {
    let texels = Texels::Explicit(red.iter().map(|&r| [r, 1.0, 0.0, 0.0]).collect());
    Texture { dimension, size, levels, state: SamplerState::default(), texels }
}

fn read(t: &Texture, access: Access, coords: [f32; 3], lod: Lod<f32>) -> [f32; 4] {
    sample(t, &SampleRequest { dimension: Dimension::Three, state: None, access, coords, lod })
}

fn ask(result: SampleResult) -> Access {
    Access { result, ..Access::PLAIN }
}

fn row() -> Texture {
    texture(Dimension::One, [4, 1, 1], 1, &[0.0, 1.0, 2.0, 4.0])
}

#[test]
fn coordinates_in_texels_and_their_gradients_count_texels() {
    let access = Access { texels: true, ..Access::PLAIN };
    // 2.5 / 4 = 0.625: texel floor(2.5) = 2.
    assert_eq!(read(&row(), access, [2.5, 9.0, 9.0], Lod::Base)[0], 2.0);
    let linear = Access { mag: Some(Filter::Linear), ..access };
    // q = 3.25 - 0.5 = 2.75: 2 + 0.75 * 2 = 3.5.
    assert_eq!(read(&row(), linear, [3.25, 0.0, 0.0], Lod::Base)[0], 3.5);
    // Gradients count texels too: rho = 4, l = 2; otherwise they would be 16 texels and l = 4.
    let t = texture(Dimension::One, [4, 1, 1], 3, &[0.0; 7]);
    let lod = Lod::Gradient { dx: [4.0, 0.0, 0.0], dy: [0.0; 3], bias: 0.0 };
    assert_eq!(
        read(&t, Access { texels: true, ..ask(SampleResult::Detail) }, [0.0; 3], lod),
        [2.0, 0.0, 0.0, 0.0]
    );
    assert_eq!(read(&t, ask(SampleResult::Detail), [0.0; 3], lod), [4.0, 0.0, 0.0, 0.0]);
}

#[test]
fn half_texels_are_added() {
    let by = |half| Access { half_texels: [half, 0, 0], ..Access::PLAIN };
    // 0.375 is in the middle of texel 1: p = 1.5. Two halves are one texel. With -3 halves, p = 1.5 - 1.5 = 0.
    for (half, red) in [(0, 1.0), (1, 2.0), (2, 2.0), (-1, 1.0), (-2, 0.0), (-3, 0.0), (3, 4.0)] {
        assert_eq!(read(&row(), by(half), [0.375, 0.0, 0.0], Lod::Base)[0], red, "{half}");
    }
    // Along y: the second row.
    let t = texture(Dimension::Two, [1, 2, 1], 1, &[5.0, 6.0]);
    let access = Access { half_texels: [0, 2, 0], ..Access::PLAIN };
    assert_eq!(read(&t, access, [0.5, 0.25, 0.0], Lod::Base)[0], 6.0);
    // An axis that the texture does not have is ignored.
    let access = Access { half_texels: [0, 0, 7], ..Access::PLAIN };
    assert_eq!(read(&t, access, [0.5, 0.25, 0.0], Lod::Base)[0], 5.0);
}

#[test]
fn filters_given_by_the_instruction_replace_those_of_the_texture() {
    let mut t = row();
    t.state.mag = Filter::Linear;
    // p = 1.75: texel 1; q = 1.25: 1 + 0.25 * 1 = 1.25.
    assert_eq!(read(&t, Access::PLAIN, [0.4375, 0.0, 0.0], Lod::Base)[0], 1.25);
    let nearest = Access { mag: Some(Filter::Nearest), ..Access::PLAIN };
    assert_eq!(read(&t, nearest, [0.4375, 0.0, 0.0], Lod::Base)[0], 1.0);
    // The filter `min` applies only if the level of detail is above 0. Levels above 0 are read only if there is a filter between levels.
    let t = texture(Dimension::One, [2, 1, 1], 2, &[0.0, 4.0, 8.0]);
    let detail = Lod::Explicit(1.0);
    assert_eq!(read(&t, Access::PLAIN, [0.5, 0.0, 0.0], detail)[0], 4.0);
    let min = Access { min: Some(Filter::Linear), ..Access::PLAIN };
    assert_eq!(read(&t, min, [0.5, 0.0, 0.0], detail)[0], 2.0);
    let mip = Access { mip: Some(MipFilter::Nearest), ..Access::PLAIN };
    assert_eq!(read(&t, mip, [0.5, 0.0, 0.0], detail)[0], 8.0);
}

#[test]
fn filters_between_slices_are_their_own() {
    let t = texture(Dimension::Three, [2, 1, 2], 1, &[0.0, 4.0, 32.0, 40.0]);
    let at = [0.75, 0.5, 0.5];
    let mag = |plane, slices| Access { mag: plane, volume_mag: slices, ..Access::PLAIN };
    let (nearest, linear) = (Some(Filter::Nearest), Some(Filter::Linear));
    // x: p = 1.5, texel 1, or q = 1, texel 1 alone; z: p = 1, slice 1, or q = 0.5, half of each slice.
    assert_eq!(read(&t, mag(nearest, linear), at, Lod::Base)[0], 22.0);
    assert_eq!(read(&t, mag(linear, nearest), at, Lod::Base)[0], 40.0);
    // x: q = 0.5: 2 and 36, of which the nearest slice is the second.
    assert_eq!(read(&t, mag(linear, nearest), [0.5; 3], Lod::Base)[0], 36.0);
    // If the read has no filter between slices, the texture's filter is used, whatever filter the read has within a slice.
    assert_eq!(read(&t, mag(linear, None), at, Lod::Base)[0], 40.0);
    let mut smooth = t.clone();
    smooth.state.mag = Filter::Linear;
    assert_eq!(read(&smooth, mag(nearest, None), at, Lod::Base)[0], 22.0);
    // Up to a level of detail of 0 `volume_mag` applies, above it `volume_min`.
    let min = Access { volume_min: linear, ..mag(nearest, nearest) };
    assert_eq!(read(&t, min, at, Lod::Explicit(0.0))[0], 40.0);
    assert_eq!(read(&t, min, at, Lod::Explicit(0.5))[0], 22.0);
    // The weights are those of the filters: none along x, half along z.
    let weights = Access { result: SampleResult::Weights, ..mag(nearest, linear) };
    assert_eq!(read(&t, weights, [0.5; 3], Lod::Base), [0.0, 0.0, 0.5, 0.0]);
    // A plane has no slices.
    let plane = texture(Dimension::Two, [2, 1, 1], 1, &[0.0, 4.0]);
    assert_eq!(read(&plane, mag(nearest, linear), [0.5; 3], Lod::Base)[0], 4.0);
}

#[test]
fn gradients_of_a_direction_on_a_face_by_number_are_projected_onto_it() {
    let t = texture(Dimension::Cube, [8, 8, 1], 4, &[0.0; 6 * 85]);
    let access = Access { direction_gradients: true, faces_from_one: true, ..ask(SampleResult::Detail) };
    let detail = |access, at, dx| read(&t, access, at, Lod::Gradient { dx, dy: [0.0; 3], bias: 0.0 })[0];
    // Face 0 is +x: s = -z = 0.5, so du = 0.25, 2 of 8 texels: l = 1. If the gradient were in coordinates on the face, only its x and y would
    // count.
    assert_eq!(detail(access, [1.5, 1.5, 0.0], [0.0, 0.0, -0.5]), 1.0);
    let by_face = Access { direction_gradients: false, ..access };
    assert_eq!(detail(by_face, [1.5, 1.5, 0.0], [0.5, 0.0, 0.0]), 2.0);
    // In the middle of the face nothing moves outward; at u = 0.75, where sc = 0.5, a change of x by 1 gives du = -0.5 * 0.5: 2 texels.
    assert_eq!(detail(access, [1.5, 1.5, 0.0], [1.0, 0.0, 0.0]), f32::NEG_INFINITY);
    assert_eq!(detail(access, [1.75, 1.5, 0.0], [1.0, 0.0, 0.0]), 1.0);
    // The coordinates count texels, the gradient does not: 12 / 8 - 1 = 0.5.
    let counted = Access { texels: true, ..access };
    assert_eq!(detail(counted, [12.0, 12.0, 0.0], [0.0, 0.0, -0.5]), 1.0);
    // Only a cube has faces.
    let plane = texture(Dimension::Two, [8, 8, 1], 4, &[0.0; 85]);
    let lod = Lod::Gradient { dx: [0.5, 0.0, 0.0], dy: [0.0; 3], bias: 0.0 };
    assert_eq!(read(&plane, access, [0.5; 3], lod)[0], 2.0);
}

#[test]
fn face_coordinates_between_one_and_two_are_read_from_the_numbered_face() {
    // Six faces of two by two: face f has values 4 f to 4 f + 3.
    let red: Vec<f32> = (0..24u8).map(f32::from).collect();
    let t = texture(Dimension::Cube, [2, 2, 1], 1, &red);
    let access = Access { faces_from_one: true, ..Access::PLAIN };
    // u = 0.75, v = 0.25 of face 3: row 0, column 1.
    assert_eq!(read(&t, access, [1.75, 1.25, 3.0], Lod::Base)[0], 13.0);
    // Without `faces_from_one`, 1.75 is clamped to the last column and 1.25 to the last row.
    assert_eq!(read(&t, Access::PLAIN, [1.75, 1.25, 3.0], Lod::Base)[0], 15.0);
    // Reads by direction and textures that are not cubes are unaffected.
    let request = SampleRequest {
        dimension: Dimension::Cube,
        state: None,
        access,
        coords: [1.0, 0.1, 0.1],
        lod: Lod::Base,
    };
    assert_eq!(sample(&t, &request), sample(&t, &SampleRequest { access: Access::PLAIN, ..request }));
    assert_eq!(read(&row(), access, [0.375, 0.0, 0.0], Lod::Base)[0], 1.0);
}

#[test]
fn the_level_of_detail_is_not_clamped() {
    let t = texture(Dimension::Two, [8, 8, 1], 2, &[0.0; 80]);
    assert_eq!(read(&t, ask(SampleResult::Detail), [0.0; 3], Lod::Base)[0], 0.0);
    assert_eq!(read(&t, ask(SampleResult::Detail), [0.0; 3], Lod::Explicit(7.5))[0], 7.5);
    assert_eq!(read(&t, ask(SampleResult::Detail), [0.0; 3], Lod::Explicit(f32::NAN))[0], 0.0);
    // A quarter of 8 texels is 2: l = 1, and a bias of -3.
    let lod = Lod::Gradient { dx: [0.0, 0.25, 0.0], dy: [0.0; 3], bias: -3.0 };
    assert_eq!(read(&t, ask(SampleResult::Detail), [0.0; 3], lod), [-2.0, 0.0, 0.0, 0.0]);
}

#[test]
fn weights_of_the_second_texels_are_the_fractions_of_linear_filters() {
    let mut t = texture(Dimension::Two, [4, 2, 1], 3, &[0.0; 11]);
    // Nearest has no weights.
    assert_eq!(read(&t, ask(SampleResult::Weights), [0.4375, 0.5, 0.0], Lod::Base), [0.0; 4]);
    t.state = SamplerState { min: Filter::Linear, mag: Filter::Linear, ..t.state };
    // Level 0: q = 1.75 - 0.5 = 1.25 and 1 - 0.5 = 0.5.
    assert_eq!(read(&t, ask(SampleResult::Weights), [0.4375, 0.5, 0.0], Lod::Base), [0.25, 0.5, 0.0, 0.0]);
    t.state.mip = MipFilter::Linear;
    // l = 1.25: level 1 is 2x1: q = 0.875 - 0.5 = 0.375 and 0.5 - 0.5 = 0.
    let detail = Lod::Explicit(1.25);
    assert_eq!(read(&t, ask(SampleResult::Weights), [0.4375, 0.5, 0.0], detail), [0.375, 0.0, 0.0, 0.25]);
}

#[test]
fn a_texture_given_by_a_formula_supports_only_texel_reads() {
    let texels = Texels::Ramp { base: [1.0; 4], slope: 2.0 };
    let t = Texture { dimension: Dimension::One, size: [4, 1, 1], levels: 1, texels, ..Texture::default() };
    let access = |result| Access { result, texels: true, mag: Some(Filter::Linear), ..Access::PLAIN };
    // The formula uses unmodified coordinates: 1 + 2 * 2.75.
    assert_eq!(read(&t, access(SampleResult::Texel), [2.75, 0.0, 0.0], Lod::Base)[0], 6.5);
    // Weights are those of an ordinary texture: 2.75 / 4 * 4 - 0.5 = 2.25.
    assert_eq!(read(&t, access(SampleResult::Weights), [2.75, 0.0, 0.0], Lod::Base), [0.25, 0.0, 0.0, 0.0]);
}

#[test]
fn the_weight_of_the_border_is_the_share_of_texels_outside() {
    let mut t = texture(Dimension::Two, [2, 2, 1], 1, &[1.0; 4]);
    t.state = SamplerState { mag: Filter::Linear, min: Filter::Linear, wrap: [Wrap::Border; 3], ..t.state };
    // x: q = -0.25: texels -1 and 0, the inside has weight 0.75; y: inside. Share 0.25.
    assert_eq!(read(&t, ask(SampleResult::Border), [0.125, 0.5, 0.0], Lod::Base), [0.25, 0.0, 0.0, 0.0]);
    // Both: 1 - 0.75 * 0.75 = 0.4375.
    assert_eq!(read(&t, ask(SampleResult::Border), [0.125, 0.125, 0.0], Lod::Base)[0], 0.4375);
    assert_eq!(read(&t, ask(SampleResult::Border), [0.5, 0.5, 0.0], Lod::Base)[0], 0.0);
    t.state.wrap = [Wrap::Repeat; 3];
    assert_eq!(read(&t, ask(SampleResult::Border), [0.125, 0.125, 0.0], Lod::Base)[0], 0.0);
}

#[test]
fn sampler_states_are_compared_bit_by_bit() {
    let with = |border: f32, lod_bias: f32| SamplerState {
        border: [border; 4],
        lod_bias,
        ..SamplerState::default()
    };
    assert_eq!(with(f32::NAN, 1.0), with(f32::NAN, 1.0));
    assert_ne!(with(0.0, 1.0), with(-0.0, 1.0));
    assert_ne!(with(1.0, 0.0), with(1.0, -0.0));
}
