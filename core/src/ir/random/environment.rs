//! Random environments. All files, textures and buffers may contain edge cases.

use super::numbers::{NANS, float, int};
use super::source::Source;
use crate::host::{
    Access, Buffer, Dimension, Environment, Filter, LaneInput, MipFilter, SampleResult, SamplerState, Texels,
    Texture, Wrap,
};

/// The lanes that have inputs of their own. The other lanes share one set of inputs and therefore never diverge from each other.
#[derive(Clone, Copy)]
enum OwnInputs {
    All,
    None,
    /// Lanes with this bit set in their number. Bit b selects the upper half of each group of 2^(b + 1) lanes: bit 5 selects the upper half of each
    /// block of 64.
    Bit(usize),
    /// Lanes with this bit clear in their number.
    NotBit(usize),
    /// Only the lane with this number.
    One(usize),
}

impl OwnInputs {
    fn draw(r: &mut Source<'_>, lanes: usize) -> OwnInputs {
        match r.below(8) {
            0..3 => OwnInputs::All,
            3 => OwnInputs::None,
            4 => OwnInputs::One(r.below(lanes.max(1) as u32) as usize),
            5 => OwnInputs::Bit(5),
            6 => OwnInputs::NotBit(5),
            _ if r.one_in(2) => OwnInputs::Bit(r.below(5) as usize),
            _ => OwnInputs::NotBit(r.below(5) as usize),
        }
    }

    fn has(self, lane: usize) -> bool {
        match self {
            OwnInputs::All => true,
            OwnInputs::None => false,
            OwnInputs::Bit(bit) => lane >> bit & 1 == 1,
            OwnInputs::NotBit(bit) => lane >> bit & 1 == 0,
            OwnInputs::One(one) => lane == one,
        }
    }
}

fn vec4(r: &mut Source<'_>) -> [f32; 4] {
    std::array::from_fn(|_| f32::from_bits(float(r)))
}

/// A random sampler state.
pub(super) fn state(r: &mut Source<'_>) -> SamplerState {
    let wraps = [Wrap::Clamp, Wrap::Repeat, Wrap::Mirror, Wrap::Border];
    // NaN is replaced by 0.25.
    let colour = |r: &mut Source<'_>| Some(f32::from_bits(float(r))).filter(|c| !c.is_nan()).unwrap_or(0.25);
    SamplerState {
        min: r.pick(&[Filter::Nearest, Filter::Linear]),
        mag: r.pick(&[Filter::Nearest, Filter::Linear]),
        mip: r.pick(&[MipFilter::None, MipFilter::Nearest, MipFilter::Linear]),
        wrap: [r.pick(&wraps), r.pick(&wraps), r.pick(&wraps)],
        border: [colour(r), -0.0, 1e-45, 0.1],
        ..SamplerState::default()
    }
}

/// Random properties of an instruction's texture read.
pub(super) fn access(r: &mut Source<'_>) -> Access {
    Access {
        result: r.pick(&[
            SampleResult::Texel,
            SampleResult::Detail,
            SampleResult::Weights,
            SampleResult::Border,
        ]),
        texels: r.one_in(3),
        half_texels: std::array::from_fn(|_| if r.one_in(2) { r.below(9) as i8 - 4 } else { 0 }),
        faces_from_one: r.one_in(3),
        min: r.pick(&[None, Some(Filter::Nearest), Some(Filter::Linear)]),
        mag: r.pick(&[None, Some(Filter::Nearest), Some(Filter::Linear)]),
        mip: r.pick(&[None, Some(MipFilter::None), Some(MipFilter::Nearest), Some(MipFilter::Linear)]),
        volume_min: r.pick(&[None, Some(Filter::Nearest), Some(Filter::Linear)]),
        volume_mag: r.pick(&[None, Some(Filter::Nearest), Some(Filter::Linear)]),
        direction_gradients: r.one_in(3),
    }
}

fn texture(r: &mut Source<'_>) -> Texture {
    let small = r.one_in(3);
    let most = if small { 4 } else { 20 };
    Texture {
        dimension: r.pick(&[Dimension::Two, Dimension::One, Dimension::Three, Dimension::Cube]),
        size: [r.below(most) as u16, r.below(most) as u16, r.below(4) as u16],
        levels: r.below(4) as u8,
        state: state(r),
        texels: if small {
            Texels::Explicit((0..r.below(24)).map(|_| vec4(r)).collect())
        } else {
            Texels::Pattern { seed: r.bits() }
        },
    }
}

fn buffer(r: &mut Source<'_>) -> Buffer {
    let word = |r: &mut Source<'_>| if r.one_in(8) { r.pick(&NANS) } else { r.bits() };
    Buffer { words: (0..16).map(|_| word(r)).collect() }
}

/// Returns a random environment for `lanes` lanes. The environment has constant files that may be shorter than programs access, little fuel, and a
/// low limit on effects. Lanes with inputs of their own may diverge from the others. All lanes, no lane, one lane, or the lanes with one bit of
/// their number set or clear have inputs of their own.
pub fn environment(r: &mut Source<'_>, lanes: usize) -> Environment {
    let slots = r.below(5) as usize;
    let input = |r: &mut Source<'_>| LaneInput { slots: (0..slots).map(|_| vec4(r)).collect() };
    let own = OwnInputs::draw(r, lanes);
    let shared = input(r);
    Environment {
        constants: (0..r.below(6)).map(|_| vec4(r)).collect(),
        ints: (0..r.below(3)).map(|_| std::array::from_fn(|_| int(r))).collect(),
        bools: (0..r.below(3)).map(|_| r.one_in(2)).collect(),
        textures: (0..r.below(3)).map(|_| texture(r)).collect(),
        buffers: (0..r.below(3)).map(|_| buffer(r)).collect(),
        fuel: r.below(12),
        effects: r.below(5),
        lanes: (0..lanes).map(|lane| if own.has(lane) { input(r) } else { shared.clone() }).collect(),
    }
}
