//! Environments: what a program is run in.
//!
//! Most lanes are ordinary, so that results can be told apart; in a good part of environments one or two lanes are full of special
//! values, and in a few everything is.

use super::value::{Spice, value, vector, word};
use super::{BufferNeed, Entropy, LANES, Needs};
use lockstep_core::host::{
    Buffer, Dimension, Environment, Filter, LaneInput, MipFilter, SamplerState, Texels, Texture, Wrap,
};
use lockstep_core::isa::Interface;

/// Fuel of a generated environment, in backward transfers a lane: enough for nested loops, soon spent by endless ones.
const FUEL: u32 = 256;
/// Effects that a generated environment has room for.
const EFFECTS: u32 = 64;
/// The most constants of any file, inputs of a lane and texture units, whatever an interface says.
const MOST: usize = 1024;

/// An environment for a program with this interface and these needs.
pub fn environment(e: &mut Entropy<'_>, interface: &Interface, needs: &Needs) -> Environment {
    let textures = &needs.textures;
    let [hot, warm] = match e.weighted(&[66, 30, 4]) {
        0 => [false, false],
        1 => [false, true],
        _ => [true, true],
    };
    let everywhere = if hot { Spice::Full } else { Spice::None };
    let slots = interface.inputs.iter().map(|port| usize::from(port.slot) + 1).max().unwrap_or(0).min(MOST);
    let special = [e.below(LANES), e.below(LANES)];
    let lanes = (0..LANES).map(|lane| {
        let spice = if warm && special.contains(&lane) { Spice::Full } else { everywhere };
        LaneInput { slots: (0..slots).map(|_| vector(e, spice)).collect() }
    });
    let lanes = lanes.collect();
    let units = textures.iter().map(|(unit, _)| usize::from(*unit) + 1).max().unwrap_or(0).min(MOST);
    let textures = (0..units).map(|unit| {
        let wanted = textures.iter().find(|(u, _)| usize::from(*u) == unit).map(|(_, d)| *d);
        texture(e, wanted, everywhere)
    });
    let textures = textures.collect();
    // A buffer is the same for all lanes, each of which mostly reads a part of its own: a few words out of the ordinary leave most alone.
    let spicy = if hot || warm { Spice::Full } else { Spice::None };
    Environment {
        textures,
        constants: (0..usize::from(interface.constants).min(MOST))
            .map(|_| {
                // A special constant is the same for all lanes, and soon they all are.
                let spice = if e.chance(20) { everywhere } else { Spice::None };
                vector(e, spice)
            })
            .collect(),
        ints: (0..usize::from(interface.ints).min(MOST)).map(|_| integers(e)).collect(),
        bools: (0..usize::from(interface.bools).min(MOST)).map(|_| e.chance(50)).collect(),
        buffers: buffers(e, &needs.buffers, spicy),
        fuel: FUEL,
        effects: EFFECTS,
        lanes,
    }
}

/// Buffers by number, up to the last one needed; those between are empty.
fn buffers(e: &mut Entropy<'_>, needs: &[BufferNeed], spice: Spice) -> Vec<Buffer> {
    let last = needs.iter().map(|need| usize::from(need.number) + 1).max().unwrap_or(0);
    let buffer = |number: usize| {
        let mut same = needs.iter().filter(|need| usize::from(need.number) == number);
        let Some(first) = same.next() else { return Buffer::default() };
        let words = same.map(|need| need.words).fold(first.words, u32::max).min(BufferNeed::MOST_WORDS);
        // Now and then it ends a little early, and what lies beyond is zero.
        let short = if e.chance(10) { e.below(words as usize / 4 + 1) as u32 } else { 0 };
        Buffer { words: (short..words).map(|_| word(e, first.kind, spice)).collect() }
    };
    (0..last.min(BufferNeed::MOST_BUFFERS)).map(buffer).collect()
}

/// Loop counts, starts and steps for the most part.
fn integers(e: &mut Entropy<'_>) -> [i32; 4] {
    std::array::from_fn(|_| match e.weighted(&[80, 15, 5]) {
        0 => e.between(0, 6) as i32 - 1,
        1 => e.between(0, 255) as i32,
        _ => e.bits() as i32,
    })
}

/// A texture, of the wanted dimension in nine cases of ten.
fn texture(e: &mut Entropy<'_>, wanted: Option<Dimension>, spice: Spice) -> Texture {
    const ALL: [Dimension; 4] = [Dimension::Two, Dimension::Cube, Dimension::Three, Dimension::One];
    let dimension = match wanted {
        Some(dimension) if !e.chance(10) => dimension,
        _ => ALL[e.below(ALL.len())],
    };
    let texels = match e.weighted(&[60, 25, 15]) {
        0 => Texels::Pattern { seed: e.bits() as u32 },
        1 => Texels::Ramp { base: vector(e, spice), slope: value(e, spice) },
        _ => Texels::Explicit((0..e.between(4, 32)).map(|_| vector(e, spice)).collect()),
    };
    let size = match texels {
        // As many texels as there are, or nearly.
        Texels::Explicit(_) => [4, 4, 2],
        _ => std::array::from_fn(|_| [64, 16, 33, 7, 1, 256][e.weighted(&[40, 25, 15, 10, 5, 5])]),
    };
    Texture { dimension, size, levels: e.between(1, 6) as u8, state: state(e), texels }
}

fn state(e: &mut Entropy<'_>) -> SamplerState {
    let filter = |e: &mut Entropy<'_>| if e.chance(50) { Filter::Linear } else { Filter::Nearest };
    let wrap = |e: &mut Entropy<'_>| [Wrap::Repeat, Wrap::Clamp][e.below(2)];
    SamplerState {
        min: filter(e),
        mag: filter(e),
        mip: [MipFilter::Linear, MipFilter::Nearest, MipFilter::None][e.below(3)],
        wrap: [wrap(e), wrap(e), wrap(e)],
        max_anisotropy: [1, 1, 2, 4, 16][e.below(5)],
        ..SamplerState::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::host::{FetchFormat, FetchKind, fetch};

    fn made(seed: u64, buffers: Vec<BufferNeed>) -> Vec<Buffer> {
        let needs = Needs { buffers, ..Needs::default() };
        environment(&mut Entropy::seeded(seed), &Interface::default(), &needs).buffers
    }

    #[test]
    fn needed_buffers_are_there_and_bounded() {
        let need = |number, words| BufferNeed { number, words, kind: FetchKind::Float32 };
        for seed in 0..50 {
            let buffers = made(seed, vec![need(2, 40), need(0, u32::MAX), need(2, 80), need(255, 8)]);
            assert_eq!(buffers.len(), BufferNeed::MOST_BUFFERS);
            assert!((768..=1024).contains(&buffers[0].words.len()));
            assert!((60..=80).contains(&buffers[2].words.len()));
            assert!(buffers[1].words.is_empty());
        }
        assert!(made(1, Vec::new()).is_empty());
    }

    #[test]
    fn every_kind_reads_ordinary_numbers_for_the_most_part_and_boundaries_too() {
        for kind in FetchKind::ALL {
            let need = BufferNeed { number: 0, words: 64, kind };
            let (mut ordinary, mut all) = (0, 0);
            let mut seen = std::collections::BTreeSet::new();
            for seed in 0..40 {
                let buffer = &made(seed, vec![need])[0];
                seen.extend(buffer.words.iter().copied());
                let bits = if kind == FetchKind::Float32 || kind == FetchKind::Fixed1616 { 32 } else { 16 };
                let format = FetchFormat::packed(kind, [bits, 0, 0, 0]);
                for index in 0..buffer.words.len() as i32 {
                    let value = fetch(buffer, format, index)[0];
                    ordinary += u32::from(value.is_finite() && value.abs() <= 64.0);
                    all += 1;
                }
            }
            assert!(ordinary * 100 >= all * 80, "{kind:?}: {ordinary} of {all}");
            assert!(
                ordinary < all
                    || matches!(kind, FetchKind::Unorm | FetchKind::Snorm | FetchKind::SnormNoZero)
            );
            for boundary in [0, u32::MAX, 0x8000_0000, 0x7fff_ffff] {
                assert!(seen.contains(&boundary), "{kind:?}: {boundary:#x}");
            }
        }
    }
}
