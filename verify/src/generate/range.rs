//! What is known of a value while a program is being built: where it lies if the inputs are ordinary, and whether lanes differ by it.
//!
//! Only the generator's taste depends on this. It keeps numbers from running off to infinity and NaN, which would make all lanes alike and hide what
//! an instruction did. So these are no sets that hold every result, as [`lockstep_core::value::range`] computes them: near zero a quotient may be
//! anything, and mostly it is not. With such sets instead, AGAL's generator gave 6.5 % NaN instead of 3.9 and a quarter of the programs a second.
//! Rows of results can be had from the reference: run through one instruction, in the domain of ranges freed of what is next to zero. Programs are then about
//! as good, and take several times as long to draw; what each set would lose is said beside its rows. Utgard GP has none: its programs are made from their
//! end to their beginning, and ask what a value should be. `ci/facets` has the list.

use super::value::ORDINARY;

/// Where a value lies, for ordinary inputs. What lies beyond `WIDE` in magnitude is not told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range<const WIDE: u64> {
    pub(super) low: f32,
    pub(super) high: f32,
    /// Whether lanes can be told apart by it.
    pub(super) varies: bool,
    /// Whether it is likely to be zero or one of few values.
    pub(super) discrete: bool,
}

impl<const WIDE: u64> Range<WIDE> {
    const WIDE: f32 = WIDE as f32;
    pub(super) const ZERO: Self = Range { low: 0.0, high: 0.0, varies: false, discrete: true };
    /// A truth value.
    pub(super) const TRUTH: Self = Range { low: 0.0, high: 1.0, varies: false, discrete: true };
    /// An input of a lane.
    pub(super) const INPUT: Self = Range { low: -ORDINARY, high: ORDINARY, varies: true, discrete: false };
    /// A constant.
    pub(super) const CONSTANT: Self = Range { varies: false, ..Self::INPUT };
    /// What is only known to be a number.
    pub(super) const UNKNOWN: Self =
        Range { low: -Self::WIDE, high: Self::WIDE, varies: true, discrete: true };

    pub(super) fn between(low: f32, high: f32, varies: bool) -> Self {
        Range { low: low.max(-Self::WIDE), high: high.min(Self::WIDE), varies, discrete: false }
    }

    /// No larger than `size`, of either sign.
    pub(super) fn around(size: f32, varies: bool) -> Self {
        Self::between(-size, size, varies)
    }

    /// The greatest magnitude.
    pub(super) fn size(self) -> f32 {
        self.low.abs().max(self.high.abs())
    }

    /// Either of two values; nobody knows which, so it varies only if both do.
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
        // Zero times anything says nothing about it.
        let varies = a.varies && !b.discrete || b.varies && !a.discrete;
        Range { discrete: a.discrete || b.discrete, ..Self::between(low, high, varies) }
    }

    /// The larger of two values.
    pub(super) fn larger(self, other: Self) -> Self {
        Self::between(self.low.max(other.low), self.high.max(other.high), self.varies && other.varies)
    }

    /// The smaller of two values.
    pub(super) fn smaller(self, other: Self) -> Self {
        Self::between(self.low.min(other.low), self.high.min(other.high), self.varies && other.varies)
    }
}

/// The ranges of a vector as one, which varies if a component does.
pub(super) fn hull<const WIDE: u64>(ranges: &[Range<WIDE>]) -> Range<WIDE> {
    let varies = ranges.iter().any(|r| r.varies);
    Range { varies, ..ranges.iter().copied().reduce(Range::or).unwrap_or(Range::ZERO) }
}

/// What an operation would like its operand to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Want {
    pub(super) low: f32,
    pub(super) high: f32,
    /// Whether zeros would do harm: truth values are zero every other time.
    pub(super) whole: bool,
    /// Whether lanes should differ.
    pub(super) varies: bool,
}

impl Want {
    /// Anything no larger than `size`.
    pub(super) const fn of_size(size: f32) -> Want {
        Want { low: -size, high: size, whole: false, varies: false }
    }

    /// The same, but no less than zero.
    pub(super) const fn positive(self) -> Want {
        Want { low: 0.0, ..self }
    }

    /// The same, though lanes be alike.
    pub(super) fn alike(self) -> Want {
        Want { varies: false, ..self }
    }

    /// Whether it has to be no less than zero.
    pub(super) fn is_positive(self) -> bool {
        self.low >= 0.0
    }

    pub(super) fn fits<const WIDE: u64>(self, range: Range<WIDE>) -> bool {
        self.low <= range.low
            && range.high <= self.high
            && !(self.whole && range.discrete)
            && (!self.varies || range.varies)
    }
}
