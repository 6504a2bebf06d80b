//! Logarithm to base 2.

use super::Function;
use super::fixed::{Fixed, INVERSE_ODDS, mul_high, power_of_two};

/// The mantissa field of sqrt(1/2) as binary64; its exponent field is 1022.
const SQRT_HALF_MANTISSA: u64 = 0x0006_a09e_667f_3bcd;

/// log2((1 + s)/(1 - s))/s in powers of s^2, lowest first, for |s| <= 3 - 2 sqrt 2. The polynomial is minimax for the relative error, which is
/// 2^-45.09.
const POLYNOMIAL: [f64; 6] = [
    f64::from_bits(0x40071547652b8251),
    f64::from_bits(0x3feec709dc53c318),
    f64::from_bits(0x3fe2776c29380d1c),
    f64::from_bits(0x3fda61a2e91865a0),
    f64::from_bits(0x3fd47955fcd99c77),
    f64::from_bits(0x3fd21b059a45f160),
];

/// 2 / ln 2 in Q2.126.
pub(super) const TWO_OVER_LN_2: u128 = 0xb8aa3b295c17f0bbbe87fed0691d3e88;

pub(super) struct Log2;

impl Function for Log2 {
    /// If the exponent e is not 0, the magnitude of the result e + log2 m is at least 1/2, and that of log2 m at most 1/2. So cancellation does not
    /// increase the relative error of log2 m.
    const ERROR: f64 = power_of_two(-44);

    #[inline(always)]
    fn estimate(x: f32) -> f64 {
        let x = f64::from(x); // in binary64, where subnormals are normal
        // x = 2^e m with m from sqrt(1/2) to sqrt 2. Then e is 0 for x near 1, and no cancellation occurs there.
        let offset = x.to_bits().wrapping_sub(SQRT_HALF_MANTISSA);
        let m = f64::from_bits((offset & ((1 << 52) - 1)) + (SQRT_HALF_MANTISSA | 1022 << 52));
        // The integer is placed into the low mantissa bits of 2^52, which avoids a conversion. Its bias is 1022.
        let e = f64::from_bits(offset >> 52 | power_of_two(52).to_bits()) - (power_of_two(52) + 1022.0);
        let s = (m - 1.0) / (m + 1.0);
        let z = s * s;
        let p = &POLYNOMIAL;
        let z2 = z * z;
        let q = (p[0] + z * p[1]) + z2 * ((p[2] + z * p[3]) + z2 * (p[4] + z * p[5]));
        let y = e + s * q;
        let y = if x > 0.0 { y } else { f64::NAN };
        let y = if x == 0.0 { f64::NEG_INFINITY } else { y };
        if x == f64::INFINITY { x } else { y }
    }

    /// Valid for a positive finite x.
    fn exact(x: f32) -> Fixed {
        let bits = f64::from(x).to_bits();
        let mut e = (bits >> 52) as i128 - 1023;
        let significand = (bits >> 29 & 0x7f_ffff | 0x80_0000) as u128; // in units of 2^-23
        let mut unit = 1 << 23;
        if significand > 0xb5_04f3 {
            // beyond sqrt 2
            e += 1;
            unit <<= 1;
        }
        // s = (m - 1)/(m + 1) in Q0.128, by long division in two steps.
        let below = significand < unit;
        let (numerator, denominator) = (significand.abs_diff(unit) << 96, significand + unit);
        let (quotient, remainder) = (numerator / denominator, numerator % denominator);
        let s = (quotient << 32) | ((remainder << 32) / denominator);
        let z = mul_high(s, s);
        let sum = INVERSE_ODDS.iter().rev().fold(0, |sum, term| term + mul_high(sum, z)); // atanh(s)/s
        // Q1.127 times Q0.128, then times Q2.126, gives Q3.125. That is shifted to Q10.118, signed, because e may be -149. Powers of two stay exact.
        // No other x has a rational logarithm, so no other result is a tie.
        let log2_m = (mul_high(mul_high(sum, s), TWO_OVER_LN_2) >> 7) as i128;
        let total = (e << 118) + if below { -log2_m } else { log2_m };
        Fixed { negative: total < 0, significand: total.unsigned_abs(), exponent: -118 }
    }

    #[cold]
    #[inline(never)]
    fn fallback(x: f32) -> f32 {
        if x.is_nan() || x < 0.0 {
            return f32::NAN;
        }
        if x == 0.0 {
            return f32::NEG_INFINITY;
        }
        if x == f32::INFINITY {
            return x;
        }
        Self::exact(x).round()
    }
}
