//! Operations with one float operand, on sets.
//!
//! All operations except sine and cosine are monotonic on each side of zero, and rounding is monotonic. So the results for the ends of an interval
//! are the ends of the interval of results.

use super::float::{FloatRange, Magnitudes, TINY};
use crate::value::{Concrete, Domain, FUn};

/// The smallest subnormal of f24.
const TINY_F24: f32 = f32::from_bits((127 - 78) << 23);
/// A number just below pi/2. From 0 up to it, the sine increases and the cosine decreases.
const QUARTER: f32 = 1.57;
const BEFORE_ONE: f32 = 1.0 - f32::EPSILON / 2.0;

pub(super) fn un(op: FUn, a: &FloatRange) -> FloatRange {
    let f = |v: f32| Concrete.un(op, &v);
    let zeros = |result: FloatRange| {
        if a.may_be_zero() { result } else { FloatRange::EMPTY }
    };
    let kept = a.meet(&FloatRange::ZEROS);
    let numbers = match op {
        FUn::Neg => return a.negated(),
        FUn::Abs => return a.magnitude(),
        FUn::Sqrt => {
            let root = map_magnitudes(a, &f, f32::MIN_POSITIVE);
            let nan = FloatRange { nan: a.negative.is_some(), ..FloatRange::EMPTY };
            FloatRange { negative: None, minus_zero: false, ..root }.join(&nan).join(&kept)
        }
        FUn::Floor | FUn::Trunc | FUn::RoundEven => map_magnitudes(a, &f, 1.0).join(&kept),
        FUn::Narrow(_) => map_magnitudes(a, &f, TINY_F24).join(&kept),
        FUn::Exp2 => {
            let below = a.negative.map(|side| FloatRange::signed(false, f(-side.most), f(-side.least), TINY));
            let above = a.positive.map(|side| FloatRange::signed(false, f(side.least), f(side.most), TINY));
            [below, above].into_iter().flatten().fold(zeros(FloatRange::of(1.0)), |all, side| all.join(&side))
        }
        FUn::Log2 => {
            let of_zero = zeros(FloatRange::of(f32::NEG_INFINITY));
            let nan = FloatRange { nan: a.negative.is_some(), ..FloatRange::EMPTY };
            a.positive.map_or(FloatRange::EMPTY, logarithms).join(&of_zero).join(&nan)
        }
        FUn::Sin => {
            let side = |side: Magnitudes, negative: bool| {
                if side.most <= QUARTER {
                    FloatRange::signed(negative, f(side.least), f(side.most), TINY)
                } else {
                    sines_and_cosines(side)
                }
            };
            let negative = a.negative.map(|s| side(s, true));
            let positive = a.positive.map(|s| side(s, false));
            [negative, positive].into_iter().flatten().fold(kept, |all, side| all.join(&side))
        }
        FUn::Cos => {
            let side = |side: Magnitudes| {
                if side.most <= QUARTER {
                    FloatRange::between(f(side.most), f(side.least))
                } else {
                    sines_and_cosines(side)
                }
            };
            let all = [a.negative, a.positive].into_iter().flatten().map(side);
            all.fold(zeros(FloatRange::of(1.0)), |all, side| all.join(&side))
        }
    };
    FloatRange { nan: numbers.nan || a.nan, ..numbers }
}

/// The results of `f` for the nonzero numbers of a set. `f` must keep signs and be monotonic on each side of zero. Nonzero results are at least
/// `smallest` in magnitude.
fn map_magnitudes(a: &FloatRange, f: &impl Fn(f32) -> f32, smallest: f32) -> FloatRange {
    let side = |side: Option<Magnitudes>, negative: bool| {
        side.map_or(FloatRange::EMPTY, |side| {
            let image = |v: f32| f(if negative { -v } else { v }).abs();
            FloatRange::signed(negative, image(side.least), image(side.most), smallest)
        })
    };
    side(a.negative, true).join(&side(a.positive, false))
}

/// The logarithms of positive numbers. Only 1 has the logarithm zero, which is +0.
fn logarithms(side: Magnitudes) -> FloatRange {
    let f = |v: f32| Concrete.un(FUn::Log2, &v);
    let part = |least: f32, most: f32| {
        if least <= most { FloatRange::between(f(least), f(most)) } else { FloatRange::EMPTY }
    };
    let one = if side.least <= 1.0 && 1.0 <= side.most { FloatRange::of(0.0) } else { FloatRange::EMPTY };
    let below = part(side.least, side.most.min(BEFORE_ONE));
    let above = part(side.least.max(1.0 + f32::EPSILON), side.most);
    one.join(&below).join(&above)
}

/// A set with the sines and cosines of all angles with these magnitudes: -1 to 1, and NaN for infinity.
fn sines_and_cosines(side: Magnitudes) -> FloatRange {
    let finite = if side.least < f32::INFINITY { FloatRange::between(-1.0, 1.0) } else { FloatRange::EMPTY };
    FloatRange { nan: side.most == f32::INFINITY, ..finite }
}
