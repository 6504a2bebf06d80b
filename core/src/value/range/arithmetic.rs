//! Sum, product, quotient, fused multiply-add and fractional part of floats, on sets.
//!
//! A set is split into pieces of one sign: negative numbers, -0, +0, positive numbers. For operands in two given pieces, each operation is monotonic
//! in each operand. So its results are between those at two *corners*; a corner is a pair of ends, one of each piece. Corners whose result is NaN
//! (inf - inf, 0 * inf) are handled separately.

use super::float::{FloatRange, TINY};
use crate::value::FBin;

/// The nonzero members of a set that have one sign, or one of its zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    negative: bool,
    /// The smallest magnitude.
    least: f32,
    /// The greatest magnitude; 0 for a zero.
    most: f32,
}

impl Piece {
    fn is_zero(self) -> bool {
        self.most == 0.0
    }
    fn is_infinite(self) -> bool {
        self.most == f32::INFINITY
    }
    /// Returns the smallest and the greatest member.
    fn ends(self) -> (f32, f32) {
        if self.negative { (-self.most, -self.least) } else { (self.least, self.most) }
    }
    /// Returns a number of which all finite members are multiples.
    fn quantum(self) -> f32 {
        let exponent = (self.least.to_bits() >> 23).clamp(1, 254);
        // This is the unit in the last place for that exponent. For small exponents it is a subnormal.
        if exponent > 23 {
            f32::from_bits((exponent - 23) << 23)
        } else {
            f32::from_bits(1 << (exponent - 1))
        }
    }
}

fn pieces(a: &FloatRange) -> impl Iterator<Item = Piece> + Clone {
    let zero = |is_member: bool, negative| is_member.then_some(Piece { negative, least: 0.0, most: 0.0 });
    let side = |negative| {
        let side = if negative { a.negative } else { a.positive };
        side.map(|side| Piece { negative, least: side.least, most: side.most })
    };
    [side(true), zero(a.minus_zero, true), zero(a.plus_zero, false), side(false)].into_iter().flatten()
}

/// Returns a set with the results of an operation. `same` means that both operands are the same value.
pub(super) fn bin(op: FBin, a: &FloatRange, b: &FloatRange, same: bool) -> FloatRange {
    let operation = match op {
        FBin::Add => sum,
        FBin::Mul => product,
        FBin::Div => quotient,
    };
    let mut all = FloatRange { nan: a.nan || b.nan, ..FloatRange::EMPTY };
    if a.is_empty() || b.is_empty() {
        return FloatRange::EMPTY;
    }
    for x in pieces(a) {
        for y in pieces(b).filter(|y| !same || x == *y) {
            all = all.join(&operation(x, y));
        }
    }
    all
}

fn sum(x: Piece, y: Piece) -> FloatRange {
    let ((x_low, x_high), (y_low, y_high)) = (x.ends(), y.ends());
    let nan = x.negative != y.negative && x.is_infinite() && y.is_infinite();
    let quantum = if x.is_zero() || y.is_zero() { TINY } else { x.quantum().min(y.quantum()) };
    let (low, high) = (x_low + y_low, x_high + y_high);
    FloatRange { nan, ..numbers(low, high, quantum) }
}

/// The numbers from `low` to `high`; nonzero numbers are at least `smallest` in magnitude. A zero strictly between the bounds, or reached by one
/// bound only, is +0: the difference of equal numbers. A bound is NaN if the operation gives NaN at that corner.
fn numbers(low: f32, high: f32, smallest: f32) -> FloatRange {
    let (low, high) = match (low.is_nan(), high.is_nan()) {
        (true, true) => return FloatRange::EMPTY,
        (true, false) => (high, high),
        (false, true) => (low, low),
        (false, false) => (low, high),
    };
    if low > 0.0 || high < 0.0 || low.to_bits() == high.to_bits() {
        return FloatRange::between(low, high);
    }
    let (low_side, high_side) = (-low.min(0.0), high.max(0.0));
    let below = if low_side > 0.0 {
        FloatRange::between(-low_side, -smallest.min(low_side))
    } else {
        FloatRange::EMPTY
    };
    let above = if high_side > 0.0 {
        FloatRange::between(smallest.min(high_side), high_side)
    } else {
        FloatRange::EMPTY
    };
    below.join(&FloatRange::of(0.0)).join(&above)
}

fn product(x: Piece, y: Piece) -> FloatRange {
    let negative = x.negative != y.negative;
    if x.is_zero() || y.is_zero() {
        let nan = x.is_infinite() || y.is_infinite();
        let finite = x.least < f32::INFINITY && y.least < f32::INFINITY;
        let zero = if finite { FloatRange::of(if negative { -0.0 } else { 0.0 }) } else { FloatRange::EMPTY };
        return FloatRange { nan, ..zero };
    }
    FloatRange::signed(negative, x.least * y.least, x.most * y.most, TINY)
}

fn quotient(x: Piece, y: Piece) -> FloatRange {
    let negative = x.negative != y.negative;
    if x.is_zero() && y.is_zero() {
        return FloatRange::NAN;
    }
    let nan = x.is_infinite() && y.is_infinite();
    FloatRange { nan, ..FloatRange::signed(negative, x.least / y.most, x.most / y.least, TINY) }
}

/// Returns a set with the results of `a * b + c`, rounded once. `same` means that `a` and `b` are the same value.
pub(super) fn fma(a: &FloatRange, b: &FloatRange, c: &FloatRange, same: bool) -> FloatRange {
    if a.is_empty() || b.is_empty() || c.is_empty() {
        return FloatRange::EMPTY;
    }
    let mut all = FloatRange { nan: a.nan || b.nan || c.nan, ..FloatRange::EMPTY };
    for x in pieces(a) {
        for y in pieces(b).filter(|y| !same || x == *y) {
            for z in pieces(c) {
                all = all.join(&fused(x, y, z));
            }
        }
    }
    all
}

fn fused(x: Piece, y: Piece, z: Piece) -> FloatRange {
    let negative = x.negative != y.negative;
    let infinite = x.is_infinite() || y.is_infinite();
    if x.is_zero() || y.is_zero() {
        // The product is a zero, or NaN.
        let zero = Piece { negative, least: 0.0, most: 0.0 };
        let finite = x.least < f32::INFINITY && y.least < f32::INFINITY;
        let rest = if finite { sum(zero, z) } else { FloatRange::EMPTY };
        return FloatRange { nan: infinite, ..rest };
    }
    let nan = infinite && z.is_infinite() && negative != z.negative;
    let factor = |magnitude: f32| if negative { -magnitude } else { magnitude };
    let (small, large) = ((factor(x.least), y.least), (factor(x.most), y.most));
    let (lower, upper) = if negative { (large, small) } else { (small, large) };
    let (z_low, z_high) = z.ends();
    let low = lower.0.mul_add(lower.1, z_low);
    let high = upper.0.mul_add(upper.1, z_high);
    if z.is_zero() || z.negative == negative {
        // The product and the summand have the same sign. The sum has it too, and so has the zero to which a tiny sum is rounded.
        let (least, most) = if negative { (-high, -low) } else { (low, high) };
        return FloatRange { nan, ..FloatRange::signed(negative, least.abs(), most.abs(), TINY) };
    }
    let rest = numbers(low, high, TINY);
    // A nonzero sum may be rounded to a zero of its sign.
    let zeros = if rest.may_be_zero() { FloatRange::ZEROS } else { FloatRange::EMPTY };
    FloatRange { nan, ..rest.join(&zeros) }
}

/// Returns a set with the results of `x - floor(x)`. The results are from 0 to 1, including 1, because a difference just below 1 may be rounded up.
pub(super) fn fraction(x: &FloatRange) -> FloatRange {
    let finite = pieces(x).filter(|piece| piece.least < f32::INFINITY);
    let fraction_of = |piece: Piece| {
        let zero = FloatRange::of(0.0);
        if piece.is_zero() { zero } else { zero.join(&FloatRange::between(piece.quantum().min(1.0), 1.0)) }
    };
    let numbers = finite.map(fraction_of).fold(FloatRange::EMPTY, |all, piece| all.join(&piece));
    FloatRange { nan: x.nan || x.may_be_infinite(), ..numbers }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_divisor_is_the_last_place_of_the_smallest_member() {
        for v in [1.0f32, 1.5, 3e-30, f32::MAX, f32::MIN_POSITIVE, 1e-37, 1e-40, TINY] {
            let quantum = Piece { negative: false, least: v, most: f32::INFINITY }.quantum();
            let step = f64::from(v.next_up().min(f32::MAX)) - f64::from(v);
            assert!(step == 0.0 || f64::from(quantum) == step, "{v:e}: {quantum:e}, {step:e}");
        }
    }

    #[test]
    fn members_of_a_piece_have_its_sign() {
        let all: Vec<Piece> = pieces(&FloatRange::ANYTHING).collect();
        assert_eq!(all.iter().map(|piece| piece.negative).collect::<Vec<_>>(), [true, true, false, false]);
        for piece in all {
            let (low, high) = piece.ends();
            assert!(low.is_sign_negative() == piece.negative && high.is_sign_negative() == piece.negative);
        }
    }
}
