//! 2^x.

use super::Function;
use super::fixed::{Fixed, INVERSE_FACTORIALS, mul_high, power_of_two};

/// Adding this to a binary64 below 2^51 in magnitude rounds that number to an integer. The low bits of the sum contain the integer in two's
/// complement.
const TO_INTEGER: f64 = 6755399441055744.0; // 1.5 * 2^52

/// (2^r - 1)/r on [-1/2, 1/2], lowest power first. The polynomial p is minimax for the error of 1 + r p(r) relative to 2^r, which is 2^-40.16. The
/// constant 1 is exact, so integers give exact powers.
const POLYNOMIAL: [f64; 8] = [
    f64::from_bits(0x3fe62e42fef89d1f),
    f64::from_bits(0x3fcebfbdff8ede85),
    f64::from_bits(0x3fac6b08dced33e0),
    f64::from_bits(0x3f83b2ab5ed6fbeb),
    f64::from_bits(0x3f55d874d071297a),
    f64::from_bits(0x3f2430aa882edb6e),
    f64::from_bits(0x3ef00d85337a9218),
    f64::from_bits(0x3eb61c4f0876a323),
];

/// ln 2 in Q0.128.
pub(super) const LN_2: u128 = 0xb17217f7d1cf79abc9e3b39803f2f6af;

pub(super) struct Exp2;

impl Function for Exp2 {
    const ERROR: f64 = power_of_two(-40);

    #[inline(always)]
    fn estimate(x: f32) -> f64 {
        // Beyond +-160 both bounds of the enclosure overflow to infinity or underflow to 0. The comparisons are false for NaN, so NaN is kept.
        let x = if x > 160.0 { 160.0 } else { x };
        let x = if x < -160.0 { -160.0 } else { x };
        let x = f64::from(x);
        let shifted = x + TO_INTEGER;
        let r = x - (shifted - TO_INTEGER); // exact
        let p = &POLYNOMIAL;
        // Terms are added in pairs, which shortens the chains of dependent operations.
        let r2 = r * r;
        let low = (p[0] + r * p[1]) + r2 * (p[2] + r * p[3]);
        let high = (p[4] + r * p[5]) + r2 * (p[6] + r * p[7]);
        let mantissa = 1.0 + r * (low + (r2 * r2) * high);
        // The power of two is multiplied, not added to the exponent, because a multiplication keeps NaN.
        mantissa * f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52))
    }

    /// Valid for |x| < 256.
    fn exact(x: f32) -> Fixed {
        // Q9.118, signed. The conversion truncates bits only if |x| is below 2^-95, where they do not affect the result. Integers stay exact. 2^x is
        // rational only for integers x, so only those results can be ties.
        let x = (f64::from(x) * power_of_two(118)) as i128;
        let exponent = (x >> 118) as i32;
        let fraction = (x as u128) << 10;
        let t = mul_high(fraction, LN_2);
        let sum = INVERSE_FACTORIALS.iter().rev().fold(0, |sum, term| term + mul_high(sum, t));
        Fixed { negative: false, significand: sum, exponent: exponent - 127 }
    }

    #[cold]
    #[inline(never)]
    fn fallback(x: f32) -> f32 {
        if x.is_nan() {
            return x;
        }
        if x >= 128.0 {
            return f32::INFINITY;
        }
        if x <= -150.0 {
            return 0.0; // 2^-150 itself is the tie between 0 and the least subnormal, and 0 is even
        }
        Self::exact(x).round()
    }
}
