//! Tests of the sampler and the fetch formats against their written definitions.

use lockstep_core::host::*;
use proptest::prelude::*;

#[test]
fn every_vector_of_the_sampler_holds() {
    let report = check::sampler();
    assert!(report.wrong.is_empty(), "{:#?}", report.wrong);
    assert!(report.vectors > 100 && report.components >= 2 * report.vectors, "{report:?}");
}

#[test]
fn every_vector_of_the_fetch_formats_holds() {
    let report = check::fetches();
    assert!(report.wrong.is_empty(), "{:#?}", report.wrong);
    assert!(report.vectors > 50 && report.components == 4 * report.vectors, "{report:?}");
}

#[test]
fn a_ramp_with_nan_reads_as_nan() {
    let texels = Texels::Ramp { base: [0.0; 4], slope: 1.0 };
    let t = Texture { size: [4; 3], texels, ..Texture::default() };
    let request = SampleRequest {
        dimension: Dimension::Two,
        state: None,
        access: Access::PLAIN,
        coords: [f32::NAN, 0.0, 0.0],
        lod: Lod::Base,
    };
    assert!(sample(&t, &request)[0].is_nan());
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
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    /// Texels and border lie in [-1, 1], and so must every mix of them, even for extreme coordinates, sizes or levels.
    #[test]
    fn any_read_is_between_the_texels(
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
