//! An environment for a program that came without one.

use lockstep_core::host::{Dimension, Environment, LaneInput, Texels, Texture};
use lockstep_core::isa::Entry;

/// Numbers that shaders meet at borders.
const CORNERS: [u32; 12] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4b00_0001,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
];

/// A sequence of words (splitmix64): the same on every machine.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Even seeds keep to quarters in [-4, 4]; odd ones mix in small whole numbers, fine fractions and corners.
    fn number(&mut self, plain: bool) -> f32 {
        let word = self.next();
        match if plain { 0 } else { word % 8 } {
            0..=3 => ((word >> 32) % 33) as f32 / 4.0 - 4.0,
            4 => ((word >> 32) % 16) as f32,
            5 | 6 => ((word >> 40) as f32 / 8_388_608.0 - 1.0) * 4.0,
            _ => f32::from_bits(CORNERS[(word >> 32) as usize % CORNERS.len()]),
        }
    }

    fn four(&mut self, plain: bool) -> [f32; 4] {
        std::array::from_fn(|_| self.number(plain))
    }
}

/// The environment of `seed` for an entry: eight lanes, everything the entry can reach filled.
pub fn sample(entry: &Entry, seed: u64) -> Environment {
    let mut words = Words(seed);
    let plain = seed.is_multiple_of(2);
    let slots = entry.interface.inputs.iter().map(|port| usize::from(port.slot) + 1).max().unwrap_or(0);
    let units = entry.interface.samplers.iter().map(|unit| usize::from(*unit) + 1).max().unwrap_or(0);
    Environment {
        constants: (0..entry.interface.constants).map(|_| words.four(plain)).collect(),
        ints: (0..entry.interface.ints).map(|_| std::array::from_fn(|_| (words.next() % 5) as i32)).collect(),
        bools: (0..entry.interface.bools).map(|_| words.next() % 2 == 1).collect(),
        textures: (0..units)
            .map(|unit| Texture {
                dimension: if unit % 3 == 2 { Dimension::Cube } else { Dimension::Two },
                size: [8, 4, 1],
                levels: 3,
                texels: Texels::Pattern { seed: words.next() as u32 },
                ..Texture::default()
            })
            .collect(),
        fuel: 256,
        effects: 64,
        lanes: (0..8).map(|_| LaneInput { slots: (0..slots).map(|_| words.four(plain)).collect() }).collect(),
        ..Environment::default()
    }
}
