//! Sets of integers, described by their ends as signed numbers and by known bits.

use super::float::{FloatRange, Magnitudes};
use crate::value::{CANONICAL_NAN, Concrete, Domain, IBin, ICmp};

/// A set of 32-bit integers: the signed numbers from `low` to `high` in which all bits of `must` are set and no bits outside `may`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntRange {
    /// The smallest signed number.
    pub low: i32,
    /// The greatest signed number.
    pub high: i32,
    /// The bits that are set in every member.
    pub must: u32,
    /// The bits that may be set in a member.
    pub may: u32,
}

const SIGN: u32 = 1 << 31;
/// The bits of infinity.
const INFINITY: u32 = 0x7f80_0000;

impl IntRange {
    /// Every integer.
    pub const ANYTHING: IntRange = IntRange { low: i32::MIN, high: i32::MAX, must: 0, may: u32::MAX };

    /// The set of one integer.
    pub fn of(v: i32) -> IntRange {
        IntRange { low: v, high: v, must: v as u32, may: v as u32 }
    }

    /// The signed integers between two numbers, which may be in either order.
    pub fn between(low: i32, high: i32) -> IntRange {
        IntRange { low: low.min(high), high: low.max(high), must: 0, may: u32::MAX }.tightened()
    }

    fn of_bits(must: u32, may: u32) -> IntRange {
        IntRange { must, may, ..IntRange::ANYTHING }.tightened()
    }

    /// The same set, with tighter ends as the known bits imply, and more known bits as the ends imply.
    fn tightened(self) -> IntRange {
        let IntRange { mut low, mut high, mut must, mut may } = self;
        for _ in 0..2 {
            // The smallest number with these bits has the sign bit if it may have it, and no other optional bit. The greatest lacks the sign bit if
            // it may lack it, and has all other optional bits.
            low = low.max((must | may & SIGN) as i32);
            high = high.min((may & !(SIGN & !must)) as i32);
            // All members agree in the bits above the highest bit in which the ends differ.
            let alike = !(u32::MAX.checked_shr((low ^ high).leading_zeros()).unwrap_or(0));
            must |= low as u32 & alike;
            may &= low as u32 | !alike;
        }
        IntRange { low, high, must, may }
    }

    /// Whether `v` is a member.
    pub fn contains(&self, v: i32) -> bool {
        let bits = v as u32;
        self.low <= v && v <= self.high && bits & self.must == self.must && bits & !self.may == 0
    }

    /// The only member, if the ends are equal.
    pub fn known(&self) -> Option<i32> {
        (self.low == self.high).then_some(self.low)
    }

    /// A set that contains both sets. The result may contain other integers, too.
    pub fn join(&self, other: &IntRange) -> IntRange {
        IntRange {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            must: self.must & other.must,
            may: self.may | other.may,
        }
    }

    /// The ends of the smallest interval of unsigned numbers that is known to contain the set.
    fn unsigned(&self) -> (u32, u32) {
        if self.low >= 0 || self.high < 0 { (self.low as u32, self.high as u32) } else { (0, u32::MAX) }
    }

    /// A set with the integers to which the floats truncate; NaN gives 0.
    pub(super) fn truncated(floats: &FloatRange) -> IntRange {
        let numbers =
            floats.low().zip(floats.high()).map(|(low, high)| IntRange::between(low as i32, high as i32));
        let nan = floats.nan.then_some(IntRange::of(0));
        let either = numbers.zip(nan).map(|(a, b)| a.join(&b));
        either.or(numbers).or(nan).unwrap_or(IntRange::ANYTHING)
    }

    /// A set with the floats to which the integers convert.
    pub(super) fn to_float(self) -> FloatRange {
        let side = |least: i64, most: i64| {
            (least <= most).then_some(Magnitudes { least: least as f32, most: most as f32 })
        };
        let (low, high) = (i64::from(self.low), i64::from(self.high));
        FloatRange {
            negative: side((-high).max(1), -low),
            plus_zero: self.contains(0),
            positive: side(low.max(1), high),
            ..FloatRange::EMPTY
        }
    }

    /// A set with the bits of the floats.
    pub(super) fn bits(floats: &FloatRange) -> IntRange {
        let side = |side: Option<Magnitudes>, sign: u32| {
            side.map(|side| {
                let bits = |v: f32| (v.to_bits() | sign) as i32;
                IntRange::between(bits(side.least), bits(side.most))
            })
        };
        let one = |is_member: bool, bits: u32| is_member.then_some(IntRange::of(bits as i32));
        let all = [
            side(floats.negative, SIGN),
            one(floats.minus_zero, SIGN),
            one(floats.plus_zero, 0),
            side(floats.positive, 0),
            one(floats.nan, CANONICAL_NAN),
        ];
        all.into_iter().flatten().reduce(|a, b| a.join(&b)).unwrap_or(IntRange::ANYTHING)
    }

    /// A set with the floats that have these bits.
    pub(super) fn from_bits(self) -> FloatRange {
        let positive = FloatRange { minus_zero: false, ..self.magnitudes(self.low.max(0), self.high) };
        let negative = self.magnitudes(self.low, self.high.min(-1)).negated();
        positive.join(&FloatRange { plus_zero: false, ..negative })
    }

    /// A set with the magnitudes of the members from `low` to `high` as bits of floats. Empty if the two have different signs or `low` is above
    /// `high`.
    fn magnitudes(self, low: i32, high: i32) -> FloatRange {
        if low > high || (low < 0) != (high < 0) {
            return FloatRange::EMPTY;
        }
        let sign = low as u32 & SIGN;
        if self.must & SIGN & !sign != 0 || sign & !self.may != 0 {
            return FloatRange::EMPTY;
        }
        let least = (low as u32 & !SIGN).max(self.must & !SIGN);
        let most = (high as u32 & !SIGN).min(self.may & !SIGN);
        let (first, last) = (least.max(1), most.min(INFINITY));
        let side =
            (first <= last).then(|| Magnitudes { least: f32::from_bits(first), most: f32::from_bits(last) });
        FloatRange { plus_zero: least == 0, positive: side, nan: most > INFINITY, ..FloatRange::EMPTY }
    }
}

pub(super) fn ibin(op: IBin, a: &IntRange, b: &IntRange) -> IntRange {
    if let (Some(a), Some(b)) = (a.known(), b.known()) {
        return IntRange::of(Concrete.ibin(op, &a, &b));
    }
    // The interval between the smallest and the greatest of these numbers, if none of them wraps around; otherwise every integer.
    let ends = |all: &[i64]| {
        let (low, high) = (all.iter().min().copied(), all.iter().max().copied());
        let fits = |v: Option<i64>| v.and_then(|v| i32::try_from(v).ok());
        fits(low).zip(fits(high)).map_or(IntRange::ANYTHING, |(low, high)| IntRange::between(low, high))
    };
    let [a_low, a_high, b_low, b_high] = [a.low, a.high, b.low, b.high].map(i64::from);
    let shift = b.known().map(|b| b as u32 & 31);
    match op {
        IBin::Add => ends(&[a_low + b_low, a_high + b_high]),
        IBin::Sub => ends(&[a_low - b_high, a_high - b_low]),
        IBin::Mul => ends(&[a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high]),
        IBin::And => IntRange::of_bits(a.must & b.must, a.may & b.may).at_most(&[a, b]),
        IBin::Or => IntRange::of_bits(a.must | b.must, a.may | b.may),
        IBin::Xor => {
            let open = (a.may & !a.must) | (b.may & !b.must);
            let set = (a.must ^ b.must) & !open;
            IntRange::of_bits(set, set | open)
        }
        IBin::Shl => shift.map_or(IntRange::ANYTHING, |by| {
            let bits = IntRange::of_bits(a.must << by, a.may << by);
            let whole = ends(&[a_low << by, a_high << by]);
            IntRange { low: bits.low.max(whole.low), high: bits.high.min(whole.high), ..bits }.tightened()
        }),
        IBin::ShrU => match shift {
            Some(0) => *a,
            Some(by) if a.low >= 0 => IntRange::between(a.low >> by, a.high >> by),
            Some(by) => IntRange::of_bits(a.must >> by, a.may >> by),
            None if a.low >= 0 => IntRange::between(0, a.high),
            None => IntRange::ANYTHING,
        },
        IBin::ShrS => match shift {
            Some(by) => IntRange::between(a.low >> by, a.high >> by),
            // A shift moves a number towards 0 or -1, depending on its sign.
            None => IntRange::between(a.low.min(a.low >> 31), a.high.max(a.high >> 31)),
        },
    }
}

impl IntRange {
    /// Removes the numbers above the smallest upper end of the nonnegative operands. A bitwise AND never exceeds a nonnegative operand.
    fn at_most(self, operands: &[&IntRange]) -> IntRange {
        let bound = operands.iter().filter(|o| o.low >= 0).map(|o| o.high).min();
        let high = bound.map_or(self.high, |bound| self.high.min(bound));
        IntRange { high, ..self }.tightened()
    }
}

/// Returns whether the comparison may be true, and whether it may be false.
pub(super) fn icmp(op: ICmp, a: &IntRange, b: &IntRange) -> (bool, bool) {
    match op {
        ICmp::Eq => {
            let conflicting = a.must & !b.may | b.must & !a.may;
            let meet = a.low.max(b.low) <= a.high.min(b.high) && conflicting == 0;
            (meet, a.known().is_none() || a.known() != b.known())
        }
        ICmp::LtS => (a.low < b.high, a.high >= b.low),
        ICmp::LtU => {
            let ((a_low, a_high), (b_low, b_high)) = (a.unsigned(), b.unsigned());
            (a_low < b_high, a_high >= b_low)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets with ends and known bits from small lists, each with the integers of a list that it contains. Sets that contain none are left out.
    fn sets() -> Vec<(IntRange, Vec<i32>)> {
        let numbers = [i32::MIN, i32::MIN + 1, -3, -1, 0, 1, 2, 5, 31, 0x7f80_0000, 0x7fc0_0000, i32::MAX];
        let mut all = Vec::new();
        for (k, &low) in numbers.iter().enumerate() {
            for &high in &numbers[k..] {
                for bits in [IntRange::ANYTHING, IntRange::of_bits(1, u32::MAX), IntRange::of_bits(0, !1)] {
                    let range = IntRange { low, high, ..bits }.tightened();
                    let members: Vec<i32> = numbers
                        .into_iter()
                        .filter(|v| low <= *v && *v <= high && bits.contains(*v))
                        .collect();
                    if !members.is_empty() {
                        all.push((range, members));
                    }
                }
            }
        }
        all
    }

    #[test]
    fn ends_and_bits_tighten_each_other_and_lose_no_member() {
        for (range, members) in sets() {
            assert!(members.iter().all(|v| range.contains(*v)), "{range:?} {members:?}");
        }
        assert_eq!(IntRange::between(8, 11), IntRange { low: 8, high: 11, must: 8, may: 11 });
        assert_eq!(IntRange::of_bits(0, SIGN), IntRange { low: i32::MIN, high: 0, must: 0, may: SIGN });
        assert_eq!(IntRange::of_bits(4, 6), IntRange { low: 4, high: 6, must: 4, may: 6 });
    }
}
