//! f24, the number format of registers and uniforms: 1 sign, 7 exponent (bias 63) and 16 mantissa bits.

#![deny(clippy::cast_possible_truncation)]

use super::word::Float;
use crate::binary::Bits;

/// Returns the value of the f24 in the low 24 bits. The conversion is exact, except that every NaN becomes `f32::NAN`.
pub fn from_f24(bits: u32) -> f32 {
    let Float { mantissa, exponent, sign, .. } = Float::from_word(bits);
    let (sign, exponent, mantissa) = (u32::from(sign) << 31, u32::from(exponent), u32::from(mantissa));
    match (exponent, mantissa) {
        (0, m) => {
            // m * 2^-78, in two exact steps.
            let magnitude = m as f32 * f32::from_bits((127 - 78) << 23);
            f32::from_bits(magnitude.to_bits() | sign)
        }
        (0x7f, 0) => f32::from_bits(f32::INFINITY.to_bits() | sign),
        (0x7f, _) => f32::NAN,
        (e, m) => f32::from_bits(sign | (e + 64) << 23 | m << 7),
    }
}

/// Converts `x` to f24, rounding toward zero as assemblers do for constants (S5, S11). Overflow gives the largest finite number, underflow a
/// subnormal or zero. Infinities are kept, and a NaN becomes 7F8000.
pub fn to_f24(x: f32) -> u32 {
    let exponent = (x.to_bits() >> 23 & 0xff) as i32 - 127;
    let mantissa = x.to_bits() & 0x007f_ffff;
    let (exponent, mantissa) = match exponent {
        128 if mantissa != 0 => return join(0, 0x7f, 0x8000),
        128 => (0x7f, 0),
        64.. => (0x7e, 0xffff),
        -62.. => ((exponent + 63) as u32, mantissa >> 7),
        // Subnormal: the hidden bit shifts right by one for each power of two below the smallest normal number.
        -78.. => (0, (mantissa | 0x0080_0000) >> (7 + (-62 - exponent) as u32)),
        _ => (0, 0),
    };
    join(x.to_bits() >> 31, exponent, mantissa)
}

/// Returns the f24 with these fields.
///
/// # Panics
/// If a value does not fit its field.
fn join(sign: u32, exponent: u32, mantissa: u32) -> u32 {
    0u32.with(&Float::sign, &sign).with(&Float::exponent, &exponent).with(&Float::mantissa, &mantissa)
}

#[cfg(test)]
mod tests {
    use super::*;

    // S1, S9: the tables of f24 values, and of their binary32 encodings (S3, pica_types tests).
    #[test]
    fn documented_f24_values_convert_both_ways() {
        for (bits, value) in [
            (0x00_0000, 0.0),
            (0x3f_0000, 1.0),
            (0xbf_0000, -1.0),
            (0x3e_0000, 0.5),
            (0x3d_0000, 0.25),
            (0x40_8000, 3.0),
            (0x45_fffc, 127.996_09),
            (0x7f_0000, f32::INFINITY),
            (0xff_0000, f32::NEG_INFINITY),
        ] {
            assert_eq!(from_f24(bits), value, "{bits:06x}");
            assert_eq!(to_f24(value), bits, "{value}");
        }
        for (bits, single) in [
            (0x80_0000, 0x8000_0000),
            (0x00_0001, 0x1880_0000),
            (0x00_ffff, 0x207f_ff00),
            (0x01_0000, 0x2080_0000),
            (0x7e_ffff, 0x5f7f_ff80u32),
        ] {
            assert_eq!(from_f24(bits).to_bits(), single, "{bits:06x}");
            assert_eq!(to_f24(f32::from_bits(single)), bits, "{single:08x}");
        }
        assert!(from_f24(0x7f_8000).is_nan() && from_f24(0x7f_0001).is_nan());
        assert_eq!(to_f24(f32::NAN), 0x7f_8000);
    }

    #[test]
    fn every_f24_number_round_trips_and_others_are_truncated() {
        for bits in (0..0x100_0000u32).step_by(3).chain(0x7e_ff00..0x7f_0001) {
            let x = from_f24(bits);
            if x.is_nan() {
                continue;
            }
            assert_eq!(to_f24(x), bits, "{bits:06x}");
            if x.is_finite() {
                assert_eq!(to_f24(f32::from_bits(x.to_bits() + 1)), bits, "{bits:06x}: away from zero");
            }
        }
        assert_eq!(to_f24(f32::MAX), 0x7e_ffff);
        assert_eq!(to_f24(-f32::MIN_POSITIVE), 0x80_0000);
    }
}
