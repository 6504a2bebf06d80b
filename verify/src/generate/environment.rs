//! Environments: what a program is run in.
//!
//! Most lanes are ordinary, so that results can be told apart; in a good part of environments one or two lanes are full of special
//! values, and in a few everything is.

use super::value::{Spice, value, vector};
use super::{Entropy, LANES, Needs};
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
    Environment {
        textures: textures.collect(),
        constants: (0..usize::from(interface.constants).min(MOST))
            .map(|_| {
                // A special constant is the same for all lanes, and soon they all are.
                let spice = if e.chance(20) { everywhere } else { Spice::None };
                vector(e, spice)
            })
            .collect(),
        ints: (0..usize::from(interface.ints).min(MOST)).map(|_| integers(e)).collect(),
        bools: (0..usize::from(interface.bools).min(MOST)).map(|_| e.chance(50)).collect(),
        buffers: buffers(e, &needs.buffers, everywhere),
        fuel: FUEL,
        effects: EFFECTS,
        lanes,
    }
}

/// Buffers up to the last that is wanted. Memory is numbers for the most part: most formats read any bits as something ordinary, and binary32
/// does not.
fn buffers(e: &mut Entropy<'_>, wanted: &[(u8, usize)], spice: Spice) -> Vec<Buffer> {
    let count = wanted.iter().map(|(number, _)| usize::from(*number) + 1).max().unwrap_or(0);
    let words = |number: usize| {
        let sizes = wanted.iter().filter(|(n, _)| usize::from(*n) == number).map(|(_, words)| *words);
        sizes.max().unwrap_or(0).min(MOST)
    };
    (0..count)
        .map(|number| {
            let numbers = e.chance(60);
            let word =
                |e: &mut Entropy<'_>| if numbers { value(e, spice).to_bits() } else { e.bits() as u32 };
            Buffer { words: (0..words(number)).map(|_| word(e)).collect() }
        })
        .collect()
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

    #[test]
    fn wanted_buffers_hold_something_and_others_nothing() {
        let needs = Needs { buffers: vec![(3, 17), (1, 4), (3, 9), (0, usize::MAX)], ..Needs::default() };
        let env = environment(&mut Entropy::seeded(5), &Interface::default(), &needs);
        let lengths: Vec<usize> = env.buffers.iter().map(|b| b.words.len()).collect();
        assert_eq!(lengths, [MOST, 4, 0, 17]);
        assert!(env.buffers[3].words.iter().any(|word| *word != 0));
    }
}
