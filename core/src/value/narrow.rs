//! Rounding to a shorter floating-point format. The result is kept as binary32.

/// A shorter format, with its rounding and its result on overflow.
///
/// f24 is the register format of the PICA200: 1 sign bit, 7 exponent bits (bias 63) and 16 mantissa bits. binary32 represents every f24 number
/// exactly, including subnormals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Narrow {
    /// f24, to nearest, ties to even; overflow gives infinity.
    F24Nearest,
    /// f24, toward zero, by truncating the mantissa; overflow, from 2^64 on, gives infinity.
    F24Zero,
    /// f24, toward zero; overflow gives the largest number, as IEEE 754 defines rounding toward zero. Infinities are kept.
    F24ZeroSaturate,
}

impl Narrow {
    /// Every mode.
    pub const ALL: [Narrow; 3] = [Narrow::F24Nearest, Narrow::F24Zero, Narrow::F24ZeroSaturate];
}

/// The largest f24 number: bits 7EFFFF, (2 - 2^-16) * 2^63.
const LARGEST_F24: f32 = f32::from_bits(0x5f7f_ff80);

/// `x` rounded to the format of `mode`. Zeros keep their sign; infinities and NaN are kept.
pub fn narrow(mode: Narrow, x: f32) -> f32 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let wide = f64::from(x.abs());
    let exponent = (wide.to_bits() >> 52) as i32 - 1023;
    // The exponent of the last bit that is kept: 16 below the exponent of `x`, but at least -78, the exponent of the smallest f24 subnormal.
    let last = exponent.max(-62) - 16;
    // Scaling by a power of two is exact, and the result is below 2^17.
    let scaled = wide * power_of_two(-last);
    let whole = match mode {
        // From 2^52 on every number is whole, so the sum is rounded to the nearest whole number, ties to even.
        Narrow::F24Nearest => (scaled + power_of_two(52)) - power_of_two(52),
        Narrow::F24Zero | Narrow::F24ZeroSaturate => f64::from(scaled as u32),
    };
    let rounded = whole * power_of_two(last);
    let magnitude = if rounded < power_of_two(64) {
        rounded as f32
    } else if mode == Narrow::F24ZeroSaturate {
        LARGEST_F24
    } else {
        f32::INFINITY
    };
    magnitude.copysign(x)
}

/// 2 to an exponent from -1022 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes an f24 value directly by the bit layout: sign, exponent of 7 bits with bias 63, mantissa of 16.
    fn decode_f24(bits: u32) -> f32 {
        let sign = if bits >> 23 & 1 == 1 { -1.0f64 } else { 1.0 };
        let exponent = (bits >> 16 & 0x7f) as i32;
        let mantissa = f64::from(bits & 0xffff);
        let magnitude = match exponent {
            0 => mantissa * 2f64.powi(-78),
            0x7f => return if mantissa == 0.0 { (sign * f64::INFINITY) as f32 } else { f32::NAN },
            e => (1.0 + mantissa / 65536.0) * 2f64.powi(e - 63),
        };
        (sign * magnitude) as f32
    }

    #[test]
    fn every_f24_value_is_a_fixed_point_and_neighbours_round_to_it() {
        for bits in 0u32..0x7f0000 {
            let x = decode_f24(bits);
            for mode in Narrow::ALL {
                assert_eq!(narrow(mode, x).to_bits(), x.to_bits(), "{bits:06x}");
            }
            let next = decode_f24(bits + 1);
            if next.is_finite() {
                let middle = f32::midpoint(x, next);
                assert_eq!(narrow(Narrow::F24Zero, middle), x);
                assert_eq!(narrow(Narrow::F24ZeroSaturate, -middle), -x);
                let even = if bits & 1 == 0 { x } else { next };
                assert_eq!(narrow(Narrow::F24Nearest, middle), even, "{bits:06x}");
                assert_eq!(narrow(Narrow::F24Nearest, -middle.next_up()), -next);
            }
        }
    }

    #[test]
    fn special_values_and_values_beyond_the_range_are_narrowed_as_documented() {
        let largest = decode_f24(0x7effff);
        assert_eq!(largest.to_bits(), 0x5f7f_ff80); // (2 - 2^-16) * 2^63, the largest (S1)
        assert_eq!(narrow(Narrow::F24Nearest, f32::MAX), f32::INFINITY);
        assert_eq!(narrow(Narrow::F24Zero, f32::MIN), f32::NEG_INFINITY);
        assert_eq!(narrow(Narrow::F24ZeroSaturate, f32::MIN), -largest);
        assert_eq!(narrow(Narrow::F24ZeroSaturate, f32::INFINITY), f32::INFINITY);
        let beyond = 2f32.powi(64);
        assert_eq!(narrow(Narrow::F24Zero, beyond), f32::INFINITY);
        assert_eq!(narrow(Narrow::F24ZeroSaturate, beyond), largest);
        assert_eq!(narrow(Narrow::F24Zero, beyond.next_down()), largest);
        assert_eq!(narrow(Narrow::F24Nearest, beyond.next_down()), f32::INFINITY);
        assert_eq!(narrow(Narrow::F24Zero, f32::from_bits(1)).to_bits(), 0);
        assert_eq!(narrow(Narrow::F24Nearest, -0.0).to_bits(), (-0.0f32).to_bits());
        assert!(narrow(Narrow::F24Zero, f32::NAN).is_nan());
    }
}
