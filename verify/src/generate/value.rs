//! Values for inputs, constants and buffers of generated environments.

use super::Entropy;
use lockstep_core::host::FetchKind;

/// Whether special values may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extremes {
    /// Ordinary numbers, small integers, fractions, zeros and subnormals: finite, with a magnitude of at most [`ORDINARY`].
    None,
    /// All values: two in three as for `None`, the others special values, any bit patterns or numbers of widely varying magnitude.
    Full,
}

/// The maximum magnitude of an ordinary value. Programs are generated for inputs of this size.
pub(super) const ORDINARY: f32 = 8.0;

/// The values that arithmetic, comparisons and conversions treat differently from their neighbours.
const SPECIAL: [f32; 26] = [
    0.0,
    -0.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1e-45,
    -1e-45,
    1.175_494_2e-38, // the largest subnormal
    8_388_607.5,     // the last fraction below 2^23
    8_388_608.0,     // 2^23: from here on every number is an integer
    16_777_215.0,
    16_777_216.0, // 2^24: from here on not every integer is representable
    2_147_483_520.0,
    2_147_483_648.0, // 2^31: does not fit a signed integer
    -2_147_483_648.0,
    -2_147_483_904.0,
    4_294_967_296.0, // 2^32
    1.0,
    -1.0,
    0.999_999_94,
    1.000_000_1,
    1.844_674_4e19, // 2^64: its square overflows
];

/// Draws a value.
pub(super) fn value(e: &mut Entropy<'_>, extremes: Extremes) -> f32 {
    if extremes == Extremes::Full && e.below(3) == 0 {
        return match e.weighted(&[70, 15, 15]) {
            0 => SPECIAL[e.below(SPECIAL.len())],
            // Any bit pattern; the magnitude is below 2^-64 or above 2^64 in half of all cases.
            1 => f32::from_bits(e.bits() as u32),
            _ => ((e.bits() as i32) as f32) * 2f32.powi(e.between(0, 160) as i32 - 80),
        };
    }
    match e.weighted(&[30, 35, 17, 16, 1, 1]) {
        // Between 0 and 1, as coordinates and colours are.
        0 => e.below(1 << 16) as f32 / 65536.0,
        // Between -8 and 8, mostly with a long fraction.
        1 => (e.bits() as i32) as f32 / 2f32.powi(31) * ORDINARY,
        // An integer, which is mostly in range as an index.
        2 => e.between(0, 10) as f32 - 2.0,
        // A fraction that stays exact through several operations.
        3 => (e.between(0, 64) as f32 - 32.0) / 8.0,
        4 => [0.0, -0.0][e.below(2)],
        _ => f32::from_bits(e.below(1 << 23) as u32 | (e.below(2) as u32) << 31),
    }
}

/// Draws four values.
pub(super) fn vector(e: &mut Entropy<'_>, extremes: Extremes) -> [f32; 4] {
    std::array::from_fn(|_| value(e, extremes))
}

/// Words with fields at the ends of their ranges.
const BOUNDARIES: [u32; 12] = [
    0,
    u32::MAX,
    0x8000_0000,
    0x7fff_ffff,
    0x8000_8000,
    0x7fff_7fff,
    0x8080_8080,
    0x7f7f_7f7f,
    0x0001_0001,
    0x7c00_fc00, // both infinities, as halves
    0x7e00_03ff, // a NaN and the largest subnormal, as halves
    0x7f80_0000, // infinity
];

/// Draws a word of a buffer whose words are usually read as this kind.
pub(super) fn word(e: &mut Entropy<'_>, kind: FetchKind, extremes: Extremes) -> u32 {
    if extremes == Extremes::Full && e.chance(15) {
        return BOUNDARIES[e.below(BOUNDARIES.len())];
    }
    match kind {
        FetchKind::Float32 => value(e, extremes).to_bits(),
        FetchKind::Float16 | FetchKind::Float16Finite => {
            let half = |e: &mut Entropy<'_>| {
                let is_special = extremes == Extremes::Full && e.chance(25);
                // Biased exponents 9 to 17, bias 15: magnitudes between 1/64 and 8. The lowest and the highest exponent have meanings of their own.
                let exponent = if is_special { [0, 31][e.below(2)] } else { e.between(9, 17) as u32 };
                // Without a fraction, the lowest and the highest exponent give zeros and infinities, which would otherwise hardly ever occur.
                let fraction = if is_special && e.chance(50) { 0 } else { e.below(1024) as u32 };
                let sign = e.below(2) as u32;
                sign << 15 | exponent << 10 | fraction
            };
            half(e) | half(e) << 16
        }
        FetchKind::Unorm | FetchKind::Snorm | FetchKind::SnormNoZero => e.bits() as u32,
        // In half of all cases small as one 32-bit number, otherwise as two 16-bit numbers; of either sign if signed.
        FetchKind::Uint => e.below(16) as u32 | if e.chance(50) { 0 } else { (e.below(16) as u32) << 16 },
        FetchKind::Sint => {
            let small = e.between(0, 16) as i32 - 8;
            let upper = if e.chance(50) { small >> 16 } else { e.between(0, 16) as i32 - 8 };
            (small as u32 & 0xffff) | (upper as u32) << 16
        }
        FetchKind::Fixed1616 => (value(e, Extremes::None) * 65536.0) as i32 as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::FpCategory;

    #[test]
    fn ordinary_values_are_finite_and_small_and_the_others_reach_every_category() {
        let mut e = Entropy::seeded(5);
        assert!((0..10_000).map(|_| value(&mut e, Extremes::None)).all(|v| v.abs() <= ORDINARY));
        let mut seen = std::collections::HashSet::new();
        for _ in 0..10_000 {
            let v = value(&mut e, Extremes::Full);
            seen.insert((v.classify() as u8, v.is_sign_negative() && !v.is_nan()));
        }
        for category in [FpCategory::Zero, FpCategory::Subnormal, FpCategory::Normal, FpCategory::Infinite] {
            assert!(seen.contains(&(category as u8, false)) && seen.contains(&(category as u8, true)));
        }
        assert!(seen.contains(&(FpCategory::Nan as u8, false)));
    }

    #[test]
    fn the_ends_of_every_range_and_every_special_value_are_drawn() {
        let mut e = Entropy::seeded(6);
        let ordinary: std::collections::HashSet<u32> =
            (0..40_000).map(|_| value(&mut e, Extremes::None).to_bits()).collect();
        // Integers from -2 to 8, eighths from -4 to 4, both zeros, a fraction just below 1, and numbers near -8 and 8.
        for whole in -2i8..=8 {
            assert!(ordinary.contains(&f32::from(whole).to_bits()), "{whole}");
        }
        for eighths in -32i8..=32 {
            assert!(ordinary.contains(&(f32::from(eighths) / 8.0).to_bits()), "{eighths} eighths");
        }
        assert!(ordinary.contains(&(-0.0f32).to_bits()));
        let values = || ordinary.iter().map(|bits| f32::from_bits(*bits));
        assert!(
            values().any(|v| v > 0.99 && v < 1.0) && values().any(|v| v < -7.9) && values().any(|v| v > 7.9)
        );
        let special: std::collections::HashSet<u32> =
            (0..40_000).map(|_| value(&mut e, Extremes::Full).to_bits()).collect();
        for v in SPECIAL {
            assert!(special.contains(&v.to_bits()), "{v}");
        }
    }
}
