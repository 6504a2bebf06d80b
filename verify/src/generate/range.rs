//! The expected range of a value while a program is being generated, for ordinary inputs, and whether the value differs between lanes.
//!
//! Only the generator's choices depend on these ranges. The ranges prevent numbers from growing to infinity and NaN, which would make all lanes equal
//! and hide the effect of an instruction. So, unlike those of [`lockstep_core::value::range`], these ranges need not contain every result: a quotient
//! by a number near zero may have any size, but usually is moderate. With sound ranges instead, AGAL's generator gave more NaN (6.5 %) and a
//! quarter of the programs per second. The result ranges could be derived from the reference instead of being written by hand: by running one
//! instruction on sets of values from which numbers near zero are removed. Programs are then about as good, but take several times as long to
//! generate; the module of each instruction set states the differences. Utgard GP has no table, since its programs are built backwards and request
//! the values they need. `ci/facets` lists the instruction sets with such a table.

use super::value::ORDINARY;

/// The range of a value for ordinary inputs. Magnitudes beyond `WIDE` are not distinguished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range<const WIDE: u64> {
    pub(super) low: f32,
    pub(super) high: f32,
    /// Whether the value differs between lanes.
    pub(super) varies: bool,
    /// Whether the value is likely to be zero, or one of a few possible values.
    pub(super) discrete: bool,
}

impl<const WIDE: u64> Range<WIDE> {
    const WIDE: f32 = WIDE as f32;
    pub(super) const ZERO: Self = Range { low: 0.0, high: 0.0, varies: false, discrete: true };
    /// The range of a truth value.
    pub(super) const TRUTH: Self = Range { low: 0.0, high: 1.0, varies: false, discrete: true };
    /// The range of an input of a lane.
    pub(super) const INPUT: Self = Range { low: -ORDINARY, high: ORDINARY, varies: true, discrete: false };
    /// The range of a constant.
    pub(super) const CONSTANT: Self = Range { varies: false, ..Self::INPUT };
    /// The range of a number about which nothing is known.
    pub(super) const UNKNOWN: Self =
        Range { low: -Self::WIDE, high: Self::WIDE, varies: true, discrete: true };

    pub(super) fn between(low: f32, high: f32, varies: bool) -> Self {
        Range { low: low.max(-Self::WIDE), high: high.min(Self::WIDE), varies, discrete: false }
    }

    /// Returns a range of either sign, with magnitudes up to `size`.
    pub(super) fn around(size: f32, varies: bool) -> Self {
        Self::between(-size, size, varies)
    }

    /// Returns the greatest magnitude.
    pub(super) fn size(self) -> f32 {
        self.low.abs().max(self.high.abs())
    }

    /// Returns the range of a value that is one of two values. The result varies between lanes only if both ranges do.
    pub(super) fn or(self, other: Self) -> Self {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            varies: self.varies && other.varies,
            discrete: self.discrete || other.discrete,
        }
    }

    pub(super) fn negated(self) -> Self {
        Range { low: -self.high, high: -self.low, ..self }
    }

    pub(super) fn sum(self, other: Self) -> Self {
        Self::between(self.low + other.low, self.high + other.high, self.varies || other.varies)
    }

    pub(super) fn product(self, other: Self) -> Self {
        let (a, b) = (self, other);
        let corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
        let low = corners.into_iter().fold(f32::MAX, f32::min);
        let high = corners.into_iter().fold(f32::MIN, f32::max);
        // If one factor may be zero, the product does not always depend on the other factor.
        let varies = a.varies && !b.discrete || b.varies && !a.discrete;
        Range { discrete: a.discrete || b.discrete, ..Self::between(low, high, varies) }
    }

    /// Returns the range of the larger of two values.
    pub(super) fn larger(self, other: Self) -> Self {
        Self::between(self.low.max(other.low), self.high.max(other.high), self.varies && other.varies)
    }

    /// Returns the range of the smaller of two values.
    pub(super) fn smaller(self, other: Self) -> Self {
        Self::between(self.low.min(other.low), self.high.min(other.high), self.varies && other.varies)
    }
}

/// Returns the hull of a vector's ranges. The hull varies between lanes if the range of a component does.
pub(super) fn hull<const WIDE: u64>(ranges: &[Range<WIDE>]) -> Range<WIDE> {
    let varies = ranges.iter().any(|r| r.varies);
    Range { varies, ..ranges.iter().copied().reduce(Range::or).unwrap_or(Range::ZERO) }
}

/// The range that an operation prefers for an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreferredRange {
    pub(super) low: f32,
    pub(super) high: f32,
    /// Whether zeros should be avoided. Truth values are zero half of the time.
    pub(super) nonzero: bool,
    /// Whether lanes should differ.
    pub(super) varies: bool,
}

impl PreferredRange {
    /// Returns the range of all values with a magnitude up to `size`.
    pub(super) const fn of_size(size: f32) -> PreferredRange {
        PreferredRange { low: -size, high: size, nonzero: false, varies: false }
    }

    /// Returns this range without negative values.
    pub(super) const fn positive(self) -> PreferredRange {
        PreferredRange { low: 0.0, ..self }
    }

    /// Returns this range, but allows values that are equal in all lanes.
    pub(super) fn allow_uniform(self) -> PreferredRange {
        PreferredRange { varies: false, ..self }
    }

    /// Whether the value must not be negative.
    pub(super) fn is_positive(self) -> bool {
        self.low >= 0.0
    }

    pub(super) fn fits<const WIDE: u64>(self, range: Range<WIDE>) -> bool {
        self.low <= range.low
            && range.high <= self.high
            && !(self.nonzero && range.discrete)
            && (!self.varies || range.varies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negated_range_contains_exactly_the_negated_values() {
        let range = Range::<100>::between(-1.0, 3.0, true);
        assert_eq!(range.negated(), Range::<100>::between(-3.0, 1.0, true));
        // Its bounds stay in order, so that numbers can be drawn between them.
        assert!(range.negated().low <= range.negated().high);
        assert_eq!(range.negated().negated(), range);
    }
}
