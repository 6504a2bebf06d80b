//! Conversion of binary16 numbers.

/// The value of a binary16 number; exact for every input. The result for a NaN is a NaN of either sign and any payload.
pub(super) fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0f32 } else { 1.0 };
    let exponent = u32::from(bits >> 10 & 0x1f);
    let mantissa = u32::from(bits & 0x3ff);
    sign * match exponent {
        // Subnormals are multiples of 2^-24.
        0 => mantissa as f32 * f32::from_bits((127 - 24) << 23),
        31 if mantissa == 0 => f32::INFINITY,
        31 => f32::NAN,
        // The bias is 15 in binary16 and 127 in binary32; the mantissa gains 13 bits.
        e => f32::from_bits((e + 127 - 15) << 23 | mantissa << 13),
    }
}

/// The value of a number with the layout of binary16 but without infinities, NaN and subnormals: exponent 31 is an ordinary exponent, and a subnormal
/// encoding is a zero of the same sign.
pub(super) fn half_finite(bits: u16) -> f32 {
    let (sign, exponent) = (u32::from(bits >> 15) << 31, u32::from(bits >> 10 & 0x1f));
    match exponent {
        0 => f32::from_bits(sign),
        e => f32::from_bits(sign | (e + 127 - 15) << 23 | u32::from(bits & 0x3ff) << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::{half, half_finite};

    #[test]
    fn half_finite_treats_exponent_31_as_an_ordinary_exponent() {
        for bits in 0..=u16::MAX {
            let (e, m) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
            let magnitude = if e == 0 { 0.0 } else { (1.0 + m / 1024.0) * 2f64.powi(e - 15) };
            let got = half_finite(bits);
            assert_eq!(f64::from(got.abs()), magnitude, "{bits:04x}");
            assert_eq!(got.is_sign_negative(), bits >> 15 == 1, "{bits:04x}");
        }
        assert_eq!(half_finite(0x7c00), 65536.0);
        assert_eq!(half_finite(0x7fff), 131_008.0); // (2 - 2^-10) * 2^16
        assert_eq!(half_finite(0x83ff).to_bits(), (-0.0f32).to_bits());
    }

    #[test]
    fn half_follows_ieee_754_for_every_bit_pattern() {
        for bits in 0..=u16::MAX {
            let (e, m) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
            // IEEE 754: m * 2^-24 for subnormals, (1 + m / 2^10) * 2^(e - 15) for normal numbers.
            let magnitude = match e {
                0 => m * 2f64.powi(-24),
                31 if m == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1.0 + m / 1024.0) * 2f64.powi(e - 15),
            };
            let got = half(bits);
            if magnitude.is_nan() {
                assert!(got.is_nan(), "{bits:04x}");
            } else {
                assert_eq!(f64::from(got.abs()), magnitude, "{bits:04x}");
                assert_eq!(got.is_sign_negative(), bits >> 15 == 1, "{bits:04x}");
            }
        }
    }

    #[test]
    fn half_converts_known_values() {
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc000), -2.0);
        assert_eq!(half(0x7bff), 65504.0); // the largest: (2 - 2^-10) * 2^15
        assert_eq!(half(0x3555), 0.33325195); // (1 + 341/1024) / 4 = 1365/4096
    }
}
