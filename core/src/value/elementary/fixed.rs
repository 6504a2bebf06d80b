//! Unsigned 128-bit fixed-point arithmetic for the fallbacks of the elementary functions.
//!
//! "Qa.b" means a bits before the binary point and b bits after it. Every operation truncates, so a value is accurate to a few units in its last
//! place. The fallbacks need a relative accuracy of about 2^-70 and have 2^-90 or better.

/// 1 in Q1.127.
pub(super) const ONE: u128 = 1 << 127;

/// The high half of the 256-bit product. The product of Qa.b and Q0.128 is in Qa.b.
pub(super) const fn mul_high(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let middle = a1 * b0 + ((a0 * b0) >> 64);
    let carry = a0 * b1 + (middle & LOW);
    a1 * b1 + (middle >> 64) + (carry >> 64)
}

/// 1/n! in Q1.127. The first omitted term is below 2^-107.
pub(super) const INVERSE_FACTORIALS: [u128; 30] = {
    let mut table = [ONE; 30];
    let mut n = 1;
    while n < table.len() {
        table[n] = table[n - 1] / n as u128;
        n += 1;
    }
    table
};

/// 1/(2n + 1) in Q1.127.
pub(super) const INVERSE_ODDS: [u128; 24] = {
    let mut table = [ONE; 24];
    let mut n = 0;
    while n < table.len() {
        table[n] = ONE / (2 * n as u128 + 1);
        n += 1;
    }
    table
};

/// The number `significand` * 2^`exponent`, or its negative. The magnitude is 0 or in the range of normal binary64 numbers.
///
/// An inexact significand must be so close to the true value that no tie of binary32 lies between the two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    pub(super) negative: bool,
    pub(super) significand: u128,
    pub(super) exponent: i32,
}

impl Fixed {
    /// The number rounded to binary32. Zero gives +0.
    pub(super) fn round(self) -> f32 {
        if self.significand == 0 {
            return 0.0;
        }
        let shift = self.significand.leading_zeros();
        let aligned = self.significand << shift;
        // Rounds to odd at 53 bits: the last bit is set if any bit is cut off. The rounding from binary64 to binary32 is then correct, because the
        // last bit shows on which side of a tie the value is. This holds for subnormal results too.
        let odd = (aligned >> 75) as u64 | u64::from(aligned << 53 != 0);
        let magnitude = odd as f64 * power_of_two(self.exponent - shift as i32 + 75);
        (if self.negative { -magnitude } else { magnitude }) as f32
    }
}

/// 2^`exponent`, which must be a normal binary64 number.
pub(super) const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
