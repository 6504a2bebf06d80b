//! Sine and cosine.

use super::fixed::{Fixed, INVERSE_FACTORIALS, ONE, mul_high, power_of_two};
use super::reduction::turns;
use super::{Function, bounds};

/// Adding this to a binary64 below 2^51 in magnitude rounds that number to an integer. The low bits of the sum contain the integer in two's
/// complement.
const TO_INTEGER: f64 = 6755399441055744.0; // 1.5 * 2^52

/// The largest |x| that the enclosure handles. Up to this |x|, twice the number of half turns has at most 20 bits.
const LIMIT: f32 = 1_048_576.0;

/// 1/pi rounded to binary64. It is only used to select the multiple of pi to subtract.
const INVERSE_PI: f64 = f64::from_bits(0x3fd45f306dc9c883);

/// pi in three parts. The first two have at most 33 significant bits each, so a product with a factor of at most 20 bits is exact. The sum of the
/// parts differs from pi by less than 2^-121.
pub(super) const PI_PARTS: [f64; 3] = [
    f64::from_bits(0x400921fb54400000),
    f64::from_bits(0x3de0b4611a600000),
    f64::from_bits(0x3bb3198a2e037073),
];

/// (sin(r)/r - 1)/r^2 in powers of r^2, lowest first, for |r| <= pi/2. The polynomial is minimax for the error relative to sin r: 2^-43.73.
const POLYNOMIAL: [f64; 6] = [
    f64::from_bits(0xbfc5555555547140),
    f64::from_bits(0x3f81111110a55956),
    f64::from_bits(0xbf2a019fd5951de9),
    f64::from_bits(0x3ec71dcf84c18105),
    f64::from_bits(0xbe5ae03f84e0f6b8),
    f64::from_bits(0x3de52dbed4f314a3),
];

/// [`Function::ERROR`] of both functions.
const ERROR: f64 = power_of_two(-43);

/// pi/4 rounded to binary64.
const PI_OVER_4: f64 = f64::from_bits(0x3fe921fb54442d18);

/// pi in Q2.126.
pub(super) const PI: u128 = 0xc90fdaa22168c234c4c6628b80dc1cd1;

/// A quarter turn in Q0.128 turns, and a quarter of a half turn (pi/4) in Q0.128 half turns.
const QUARTER: u128 = 1 << 126;

/// sin r for |r| <= pi/2, with a relative error below [`ERROR`].
#[inline(always)]
fn sine(r: f64) -> f64 {
    let z = r * r;
    let p = &POLYNOMIAL;
    let z2 = z * z;
    let q = (p[0] + z * p[1]) + z2 * ((p[2] + z * p[3]) + z2 * (p[4] + z * p[5]));
    r * (1.0 + z * q) // in this form -0 stays -0
}

/// x - h pi. If |x| is at most [`LIMIT`] and 2h is an integer, x is never so close to h pi that the rounding of the third part affects the result.
#[inline(always)]
fn reduce(x: f64, h: f64) -> f64 {
    ((x - h * PI_PARTS[0]) - h * PI_PARTS[1]) - h * PI_PARTS[2]
}

/// Returns `bounds` if |x| <= [`LIMIT`], where the enclosure is valid, otherwise the whole range of a sine.
#[inline(always)]
fn within_limit(x: f32, bounds: (f32, f32)) -> (f32, f32) {
    let valid = x.abs() <= LIMIT;
    (if valid { bounds.0 } else { -1.0 }, if valid { bounds.1 } else { 1.0 })
}

/// -`x` if the lowest bit of `odd` is 1, otherwise `x`.
#[inline(always)]
fn negate_if_odd(x: f64, odd: u64) -> f64 {
    f64::from_bits(x.to_bits() ^ odd << 63)
}

/// Folds an angle in Q0.128 turns into the first quarter turn. Returns whether the sine of the angle is negative, and the angle in Q0.128 half turns
/// whose sine has the same magnitude.
fn fold(turns: u128) -> (bool, u128) {
    let half_turns = turns << 1;
    (turns >= ONE, half_turns.min(half_turns.wrapping_neg()))
}

/// The sine of an angle in Q0.128 turns. The angle must be accurate to 2^-127 and at least 2^-40 away from a whole number of half turns.
fn sine_of_turns(turns: u128) -> f32 {
    let (negative, half_turns) = fold(turns);
    // The binary64 polynomial is tried first. It is several times as fast, and seldom insufficient for large arguments.
    let (low, high) = bounds(sine(half_turns as f64 * (power_of_two(-126) * PI_OVER_4)), ERROR);
    if low.to_bits() == high.to_bits() {
        if negative { -low } else { low }
    } else {
        exact_sine_of_turns(turns).round()
    }
}

/// The same as [`sine_of_turns`], but always in fixed point.
fn exact_sine_of_turns(turns: u128) -> Fixed {
    let (negative, half_turns) = fold(turns);
    // Up to pi/4 the sine is computed directly, beyond that as the cosine of the difference to pi/2. The angle is in radians in Q0.128.
    let cosine = half_turns > QUARTER;
    let angle = mul_high(if cosine { ONE - half_turns } else { half_turns }, PI) << 2;
    let z = mul_high(angle, angle);
    let series = INVERSE_FACTORIALS.iter().skip(usize::from(!cosine)).step_by(2).rev();
    // The signs alternate, and each term exceeds the sum of all terms that follow it, so no intermediate result is negative.
    let sum = series.fold(0, |sum, term| term - mul_high(sum, z));
    Fixed { negative, significand: if cosine { sum } else { mul_high(sum, angle) }, exponent: -127 }
}

pub(super) struct Sin;

impl Function for Sin {
    const ERROR: f64 = ERROR;

    #[inline(always)]
    fn estimate(x: f32) -> f64 {
        let wide = f64::from(x);
        let shifted = wide * INVERSE_PI + TO_INTEGER;
        let r = reduce(wide, shifted - TO_INTEGER);
        sine(negate_if_odd(r, shifted.to_bits()))
    }

    #[inline(always)]
    fn enclose(x: f32) -> (f32, f32) {
        within_limit(x, bounds(Self::estimate(x), ERROR))
    }

    /// Valid for a finite |x| of at least 2^-13.
    fn exact(x: f32) -> Fixed {
        let sine = exact_sine_of_turns(turns(x));
        Fixed { negative: sine.negative != (x < 0.0), ..sine }
    }

    #[cold]
    #[inline(never)]
    fn fallback(x: f32) -> f32 {
        if !x.is_finite() {
            return f32::NAN;
        }
        if x.abs() <= power_of_two(-13) as f32 {
            return x; // x^3/6 is below a quarter of an ulp
        }
        let magnitude = sine_of_turns(turns(x));
        if x < 0.0 { -magnitude } else { magnitude }
    }
}

pub(super) struct Cos;

impl Function for Cos {
    const ERROR: f64 = ERROR;

    /// cos x = sin(x + pi/2). For x = r + (n + 1/2) pi this is -sin r if n is even and sin r if n is odd.
    #[inline(always)]
    fn estimate(x: f32) -> f64 {
        let wide = f64::from(x);
        let shifted = (wide * INVERSE_PI - 0.5) + TO_INTEGER;
        let r = reduce(wide, (shifted - TO_INTEGER) + 0.5);
        sine(negate_if_odd(r, !shifted.to_bits()))
    }

    #[inline(always)]
    fn enclose(x: f32) -> (f32, f32) {
        within_limit(x, bounds(Self::estimate(x), ERROR))
    }

    /// Valid for a finite |x| of at least 2^-13.
    fn exact(x: f32) -> Fixed {
        exact_sine_of_turns(turns(x).wrapping_add(QUARTER))
    }

    #[cold]
    #[inline(never)]
    fn fallback(x: f32) -> f32 {
        if !x.is_finite() {
            return f32::NAN;
        }
        if x.abs() <= power_of_two(-13) as f32 {
            return 1.0; // x^2/2 is below a quarter of the ulp under 1
        }
        sine_of_turns(turns(x).wrapping_add(QUARTER))
    }
}
