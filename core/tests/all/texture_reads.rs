//! Random reads of textures: any texture, state, level of detail and coordinates.

use lockstep_core::host::*;
use proptest::prelude::*;

pub(crate) const LANES: usize = 16;

pub(crate) type Row = [f32; LANES];

/// Draws a coordinate: ordinary, at the limits of integers, or extreme.
pub(crate) fn any_float() -> impl Strategy<Value = f32> {
    let special = prop::sample::select(vec![
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        1e30,
        -1e9,
        16777218.0,
        -8388608.0,
        2147483648.0,
        0.0,
        -0.0,
        0.5,
        1.0,
        1e-45,
    ]);
    prop_oneof![4 => -2.0f32..3.0, 1 => any::<u32>().prop_map(f32::from_bits), 2 => special, 1 => (-64i8..64).prop_map(|n| f32::from(n) / 16.0)]
}

pub(crate) fn row() -> impl Strategy<Value = Row> {
    prop::array::uniform16(any_float())
}

pub(crate) fn state() -> impl Strategy<Value = SamplerState> {
    let filter = || prop::sample::select(vec![Filter::Nearest, Filter::Linear]);
    let mip = prop::sample::select(vec![MipFilter::None, MipFilter::Nearest, MipFilter::Linear]);
    let wrap = || prop::sample::select(vec![Wrap::Clamp, Wrap::Repeat, Wrap::Mirror, Wrap::Border]);
    let lod_bias = prop_oneof![Just(0.0), any_float()];
    (filter(), filter(), mip, [wrap(), wrap(), wrap()], lod_bias).prop_map(
        |(min, mag, mip, wrap, lod_bias)| SamplerState {
            min,
            mag,
            mip,
            wrap,
            border: [1.0, -2.0, f32::INFINITY, 0.5],
            lod_bias,
            max_anisotropy: 4,
        },
    )
}

pub(crate) fn dimension() -> impl Strategy<Value = Dimension> {
    prop::sample::select(vec![
        Dimension::One,
        Dimension::Two,
        Dimension::Two,
        Dimension::Three,
        Dimension::Cube,
    ])
}

/// Draws texels: a stored list, often too short, with infinities, NaNs and negative zeros; noise; or a ramp.
pub(crate) fn texels() -> impl Strategy<Value = Texels> {
    let stored = (0..400u16).prop_map(|count| {
        let value = |i: u16| match i % 23 {
            0 => f32::INFINITY,
            1 => f32::NAN,
            2 => -0.0,
            _ => f32::from(i) / 8.0 - 20.0,
        };
        Texels::Explicit((0..count).map(|i| [value(i), f32::from(i), -f32::from(i), value(i + 7)]).collect())
    });
    let noise = any::<u32>().prop_map(|seed| Texels::Pattern { seed });
    let ramp = any_float().prop_map(|slope| Texels::Ramp { base: [0.5, 1.0, -1.0, 0.0], slope });
    prop_oneof![4 => stored, 2 => noise, 1 => ramp]
}

prop_compose! {
    pub(crate) fn texture()(
        dimension in dimension(), size in [any_size(), any_size(), any_size()], levels in 0..6u8, state in state(), texels in texels(),
    ) -> Texture {
        Texture { dimension, size, levels, state, texels }
    }
}

pub(crate) fn any_size() -> impl Strategy<Value = u16> {
    prop_oneof![8 => 0..12u16, 1 => Just(u16::MAX), 1 => any::<u16>()]
}

/// Draws an access, usually the plain one.
pub(crate) fn access() -> impl Strategy<Value = Access> {
    let result = prop::sample::select(vec![
        SampleResult::Texel,
        SampleResult::Texel,
        SampleResult::Detail,
        SampleResult::Weights,
        SampleResult::Border,
    ]);
    let filter = prop::option::of(prop::sample::select(vec![Filter::Nearest, Filter::Linear]));
    let mip =
        prop::option::of(prop::sample::select(vec![MipFilter::None, MipFilter::Nearest, MipFilter::Linear]));
    let filters = [filter.clone(), filter.clone(), filter.clone(), filter];
    let other = (result, any::<[bool; 3]>(), [-3..3i8, -3..3i8, -3..3i8], filters, mip).prop_map(
        |(result, [texels, faces_from_one, direction_gradients], half_texels, filters, mip)| {
            let [min, mag, volume_min, volume_mag] = filters;
            Access {
                result,
                texels,
                half_texels,
                faces_from_one,
                min,
                mag,
                mip,
                volume_min,
                volume_mag,
                direction_gradients,
            }
        },
    );
    prop_oneof![2 => Just(Access::PLAIN), 1 => other]
}
