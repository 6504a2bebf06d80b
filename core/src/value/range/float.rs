//! Sets of floats. A set consists of at most one interval of magnitudes for each sign, and of any of -0, +0 and NaN.

/// An interval of magnitudes, including both ends. Magnitudes are above zero; the greatest is infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Magnitudes {
    /// The smallest magnitude.
    pub least: f32,
    /// The greatest magnitude.
    pub most: f32,
}

/// The smallest nonzero magnitude.
pub(super) const TINY: f32 = f32::from_bits(1);

impl Magnitudes {
    /// All nonzero magnitudes.
    pub const ALL: Magnitudes = Magnitudes { least: TINY, most: f32::INFINITY };

    fn join(self, other: Magnitudes) -> Magnitudes {
        Magnitudes { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    fn meet(self, other: Magnitudes) -> Option<Magnitudes> {
        let both = Magnitudes { least: self.least.max(other.least), most: self.most.min(other.most) };
        (both.least <= both.most).then_some(both)
    }

    fn contains(self, magnitude: f32) -> bool {
        self.least <= magnitude && magnitude <= self.most
    }
}

/// A set of floats. All NaNs are the same member.
///
/// Zeros do not belong to the intervals, so a set can contain zero but no other values near zero. For example, a set whose magnitudes begin at 2^-126
/// contains no subnormals, and flushing subnormals changes no member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatRange {
    /// The magnitudes of the negative members.
    pub negative: Option<Magnitudes>,
    /// Whether -0 is a member.
    pub minus_zero: bool,
    /// Whether +0 is a member.
    pub plus_zero: bool,
    /// The magnitudes of the positive members.
    pub positive: Option<Magnitudes>,
    /// Whether NaN is a member.
    pub nan: bool,
}

impl FloatRange {
    /// The empty set.
    pub const EMPTY: FloatRange =
        FloatRange { negative: None, minus_zero: false, plus_zero: false, positive: None, nan: false };
    /// NaN alone.
    pub const NAN: FloatRange = FloatRange { nan: true, ..FloatRange::EMPTY };
    /// Both zeros.
    pub const ZEROS: FloatRange = FloatRange { minus_zero: true, plus_zero: true, ..FloatRange::EMPTY };
    /// Every float except NaN.
    pub const NUMBERS: FloatRange =
        FloatRange { negative: Some(Magnitudes::ALL), positive: Some(Magnitudes::ALL), ..FloatRange::ZEROS };
    /// Every float.
    pub const ANYTHING: FloatRange = FloatRange { nan: true, ..FloatRange::NUMBERS };

    /// The set of one float.
    pub fn of(v: f32) -> FloatRange {
        if v.is_nan() { FloatRange::NAN } else { FloatRange::between(v, v) }
    }

    /// The floats from `low` to `high`, where -0 is below +0. Empty if either bound is NaN or if `low` is above `high`.
    pub fn between(low: f32, high: f32) -> FloatRange {
        if low.is_nan() || high.is_nan() || low.total_cmp(&high).is_gt() {
            return FloatRange::EMPTY;
        }
        let span = |least: f32, most: f32| {
            let least = least.max(TINY);
            (least <= most).then_some(Magnitudes { least, most })
        };
        let within = |zero: f32| low.total_cmp(&zero).is_le() && high.total_cmp(&zero).is_ge();
        FloatRange {
            negative: span(-high, -low),
            minus_zero: within(-0.0),
            plus_zero: within(0.0),
            positive: span(low, high),
            nan: false,
        }
    }

    /// Results of one sign with magnitudes from `low` to `high`. If `low` is 0, the zero of that sign is a result, and the other magnitudes begin at
    /// `smallest`. A bound is NaN if the operation gives NaN at that corner; then the set contains only the other bound. It is empty if both are NaN.
    pub(super) fn signed(negative: bool, low: f32, high: f32, smallest: f32) -> FloatRange {
        let (low, high) = match (low.is_nan(), high.is_nan()) {
            (true, true) => return FloatRange::EMPTY,
            (true, false) => (high, high),
            (false, true) => (low, low),
            (false, false) => (low, high),
        };
        let least = if low == 0.0 { smallest.min(high) } else { low };
        let span = (high > 0.0).then_some(Magnitudes { least, most: high });
        let zero = low == 0.0;
        let positive = FloatRange { plus_zero: zero, positive: span, ..FloatRange::EMPTY };
        if negative { positive.negated() } else { positive }
    }

    /// Whether `v` is a member.
    pub fn contains(&self, v: f32) -> bool {
        if v.is_nan() {
            self.nan
        } else if v == 0.0 {
            if v.is_sign_negative() { self.minus_zero } else { self.plus_zero }
        } else {
            let side = if v < 0.0 { self.negative } else { self.positive };
            side.is_some_and(|side| side.contains(v.abs()))
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        *self == FloatRange::EMPTY
    }

    /// The only member, if there is just one.
    pub fn known(&self) -> Option<f32> {
        let candidates = [
            self.nan.then_some(f32::NAN),
            self.minus_zero.then_some(-0.0),
            self.plus_zero.then_some(0.0),
            self.negative.map(|side| -side.least),
            self.positive.map(|side| side.least),
        ];
        let mut members = candidates.into_iter().flatten();
        let (first, second) = (members.next()?, members.next());
        let single = |side: Option<Magnitudes>| side.is_none_or(|side| side.least == side.most);
        (second.is_none() && single(self.negative) && single(self.positive)).then_some(first)
    }

    /// The smallest number, if there is one; +0 stands for either zero.
    pub fn low(&self) -> Option<f32> {
        self.negative
            .map(|side| -side.most)
            .or(self.may_be_zero().then_some(0.0))
            .or(self.positive.map(|side| side.least))
    }

    /// The greatest number, if there is one; -0 stands for either zero.
    pub fn high(&self) -> Option<f32> {
        self.negated().low().map(|low| -low)
    }

    /// Whether a zero is a member.
    pub fn may_be_zero(&self) -> bool {
        self.minus_zero || self.plus_zero
    }

    /// Whether an infinity is a member.
    pub fn may_be_infinite(&self) -> bool {
        self.has_infinity(true) || self.has_infinity(false)
    }

    /// Whether the infinity of this sign is a member.
    pub(super) fn has_infinity(&self, negative: bool) -> bool {
        self.contains(if negative { f32::NEG_INFINITY } else { f32::INFINITY })
    }

    /// Whether the set has a nonzero member below `limit` in magnitude. With a limit of 2^-126 these are subnormals, with 2^-62 the subnormals of
    /// f24.
    pub fn may_be_below(&self, limit: f32) -> bool {
        [self.negative, self.positive].into_iter().flatten().any(|side| side.least < limit)
    }

    /// The smallest set of this form that contains both sets.
    pub fn join(&self, other: &FloatRange) -> FloatRange {
        let either = |a: Option<Magnitudes>, b: Option<Magnitudes>| match (a, b) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        };
        FloatRange {
            negative: either(self.negative, other.negative),
            minus_zero: self.minus_zero || other.minus_zero,
            plus_zero: self.plus_zero || other.plus_zero,
            positive: either(self.positive, other.positive),
            nan: self.nan || other.nan,
        }
    }

    /// The intersection.
    pub fn meet(&self, other: &FloatRange) -> FloatRange {
        let both = |a: Option<Magnitudes>, b: Option<Magnitudes>| a?.meet(b?);
        FloatRange {
            negative: both(self.negative, other.negative),
            minus_zero: self.minus_zero && other.minus_zero,
            plus_zero: self.plus_zero && other.plus_zero,
            positive: both(self.positive, other.positive),
            nan: self.nan && other.nan,
        }
    }

    /// The members with the opposite signs.
    pub fn negated(&self) -> FloatRange {
        FloatRange {
            negative: self.positive,
            minus_zero: self.plus_zero,
            plus_zero: self.minus_zero,
            positive: self.negative,
            nan: self.nan,
        }
    }

    /// The magnitudes of the members.
    pub fn magnitude(&self) -> FloatRange {
        let all = self.join(&self.negated());
        FloatRange { negative: None, minus_zero: false, ..all }
    }

    /// The floats whose magnitude is a member.
    pub(super) fn of_magnitude(&self) -> FloatRange {
        let positive = FloatRange { negative: None, minus_zero: false, ..*self };
        positive.join(&positive.negated())
    }
}
