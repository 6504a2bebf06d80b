//! Tolerances: which numbers count as equal to the reference's.

use lockstep_core::value::range::{FloatRange, Magnitudes};
use lockstep_core::value::same;
use serde::{Deserialize, Serialize};

/// The allowed difference between a subject's number and the reference's: a finite number within any one of the three limits is accepted. NaNs are
/// always equal to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Numbers {
    /// The largest difference in units in the last place.
    pub ulps: u32,
    /// The largest difference relative to the reference's number.
    pub relative: f64,
    /// The largest absolute difference.
    pub absolute: f64,
    /// Whether zeros of different sign count as equal.
    pub zero_sign: Policy,
    /// Whether a subnormal number and a zero count as equal.
    pub subnormal: Policy,
    /// Whether an infinity and the largest finite number of the same sign count as equal.
    pub infinity: Policy,
    /// Whether any value is accepted where the reference has NaN.
    pub nan: Policy,
}

/// Whether a certain kind of difference is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The difference is not accepted.
    #[default]
    Exact,
    /// The difference is accepted.
    Any,
}

impl Numbers {
    /// Checks that the limits are finite and not negative.
    ///
    /// # Errors
    /// A sentence about the wrong limit.
    pub fn check(&self) -> Result<(), String> {
        for (name, limit) in [("relative", self.relative), ("absolute", self.absolute)] {
            if !limit.is_finite() || limit < 0.0 {
                return Err(format!("{name} is {limit}; it must be finite and not negative"));
            }
        }
        Ok(())
    }

    /// Returns the tolerance with the larger limits and the more permissive policies of the two.
    #[must_use]
    pub fn wider(&self, other: &Numbers) -> Numbers {
        let either = |a, b| if a == Policy::Any { a } else { b };
        Numbers {
            ulps: self.ulps.max(other.ulps),
            relative: self.relative.max(other.relative),
            absolute: self.absolute.max(other.absolute),
            zero_sign: either(self.zero_sign, other.zero_sign),
            subnormal: either(self.subnormal, other.subnormal),
            infinity: either(self.infinity, other.infinity),
            nan: either(self.nan, other.nan),
        }
    }

    /// Whether `theirs` is accepted where the reference has `ours`.
    pub fn accept(&self, ours: f32, theirs: f32) -> bool {
        if same(ours, theirs) {
            return true;
        }
        if ours.is_nan() {
            return self.nan == Policy::Any;
        }
        if theirs.is_nan() {
            return false;
        }
        if ours == 0.0 && theirs == 0.0 {
            return self.zero_sign == Policy::Any;
        }
        if ours.is_infinite() || theirs.is_infinite() {
            let largest = |v: f32| v.abs() == f32::MAX;
            return self.infinity == Policy::Any
                && ours.signum() == theirs.signum()
                && (largest(ours) || largest(theirs));
        }
        let tiny = |v: f32| v == 0.0 || v.is_subnormal();
        if self.subnormal == Policy::Any && tiny(ours) && tiny(theirs) && (ours == 0.0 || theirs == 0.0) {
            return true;
        }
        self.is_near(ours, theirs)
    }

    /// Whether a finite number is within one of the three limits.
    fn is_near(&self, ours: f32, theirs: f32) -> bool {
        let difference = (f64::from(ours) - f64::from(theirs)).abs();
        difference <= self.absolute
            || difference <= self.relative * f64::from(ours).abs()
            || order(ours).abs_diff(order(theirs)) <= u64::from(self.ulps)
    }

    /// Returns a set with every number that is accepted where the reference has a member of `range`.
    pub(super) fn widen(&self, range: &FloatRange) -> FloatRange {
        if range.nan && self.nan == Policy::Any {
            return FloatRange::ANYTHING;
        }
        let near = |side: Option<Magnitudes>| {
            side.map_or(FloatRange::EMPTY, |magnitudes| self.near_positive(magnitudes))
        };
        let zeros = if range.may_be_zero() { self.near_zero() } else { FloatRange::EMPTY };
        range.join(&zeros).join(&near(range.positive)).join(&near(range.negative).negated())
    }

    /// Returns the numbers accepted where the reference has any zero. Without a policy, they do not include a zero.
    fn near_zero(&self) -> FloatRange {
        let largest_subnormal = f32::MIN_POSITIVE.next_down();
        let subnormal = if self.subnormal == Policy::Any { largest_subnormal } else { 0.0 };
        let most = self.furthest(0.0, 1).max(subnormal);
        let is_any = self.zero_sign == Policy::Any;
        FloatRange { minus_zero: is_any, plus_zero: is_any, ..FloatRange::between(-most, most) }
    }

    /// Returns a set with the numbers accepted where the reference has a positive number with one of these magnitudes.
    fn near_positive(&self, side: Magnitudes) -> FloatRange {
        let mut all = FloatRange::EMPTY;
        if side.least <= f32::MAX {
            let most = side.most.min(f32::MAX);
            // A relative limit above 1 reaches furthest down from the largest number.
            let low = self.furthest(side.least, -1).min(self.furthest(most, -1));
            // A zero within the limits may have either sign.
            let low = if low == 0.0 { -0.0 } else { low };
            all = FloatRange::between(low, self.furthest(most, 1));
        }
        if self.subnormal == Policy::Any && side.least < f32::MIN_POSITIVE {
            all = all.join(&FloatRange::ZEROS);
        }
        if self.infinity == Policy::Any && side.most >= f32::MAX {
            all = all.join(&FloatRange::between(f32::MAX, f32::INFINITY));
        }
        all
    }

    /// Returns the last finite number that is within one of the three limits of `ours`: above it if `direction` is 1, below it if it is -1.
    fn furthest(&self, ours: f32, direction: i64) -> f32 {
        // Where products are rounded, a number between the ends of an interval may have a limit beyond those of the ends.
        let limits = Numbers { relative: self.relative * (1.0 + 4096.0 * f64::EPSILON), ..*self };
        let number = |distance: i64| at_order(order(ours) + direction * distance);
        let (mut near, mut far) = (0, order(f32::MAX) - direction * order(ours) + 1);
        while far - near > 1 {
            let middle = i64::midpoint(near, far);
            if limits.is_near(ours, number(middle)) {
                near = middle;
            } else {
                far = middle;
            }
        }
        number(near)
    }
}

/// Returns the rank of a number in ascending order; both zeros have rank 0.
fn order(value: f32) -> i64 {
    let magnitude = i64::from(value.to_bits() & 0x7fff_ffff);
    if value.is_sign_negative() { -magnitude } else { magnitude }
}

/// Returns the number of a rank: the inverse of [`order`], with +0 for rank 0.
fn at_order(rank: i64) -> f32 {
    let magnitude = f32::from_bits(rank.unsigned_abs() as u32);
    if rank < 0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: f32 = f32::from_bits(1);

    #[test]
    fn without_a_policy_only_equal_bits_and_nans_are_equal() {
        let exact = Numbers::default();
        let above = f32::from_bits(1f32.to_bits() + 1);
        for (ours, theirs) in [
            (0.0, -0.0),
            (1.0, above),
            (TINY, 0.0),
            (f32::INFINITY, f32::MAX),
            (f32::NAN, 1.0),
            (1.0, f32::NAN),
        ] {
            assert!(!exact.accept(ours, theirs), "{ours} {theirs}");
            assert!(exact.accept(ours, ours) && exact.accept(theirs, theirs));
        }
        assert!(exact.accept(f32::NAN, f32::from_bits(0xffc0_0001)));
    }

    #[test]
    fn each_policy_takes_what_it_names_and_nothing_else() {
        let plain = Numbers::default();
        let any = Policy::Any;
        let above = f32::from_bits(1f32.to_bits() + 3);
        // Each row has a tolerance, a pair that it accepts, and a pair that it rejects.
        let rows: [(Numbers, (f32, f32), (f32, f32)); 7] = [
            (Numbers { zero_sign: any, ..plain }, (0.0, -0.0), (0.0, TINY)),
            (Numbers { subnormal: any, ..plain }, (TINY, 0.0), (TINY, f32::MIN_POSITIVE)),
            (Numbers { infinity: any, ..plain }, (f32::INFINITY, f32::MAX), (f32::INFINITY, f32::MIN)),
            (Numbers { nan: any, ..plain }, (f32::NAN, 3.0), (3.0, f32::NAN)),
            (Numbers { ulps: 3, ..plain }, (1.0, above), (1.0, f32::from_bits(above.to_bits() + 1))),
            (Numbers { relative: 0.5, ..plain }, (2.0, 3.0), (2.0, 3.125)),
            (Numbers { absolute: 0.5, ..plain }, (20.0, 20.5), (20.0, 20.75)),
        ];
        for (numbers, (ours, theirs), (far, away)) in rows {
            assert!(numbers.accept(ours, theirs), "{numbers:?}");
            assert!(!numbers.accept(far, away), "{numbers:?}");
            assert!(!plain.accept(ours, theirs), "{numbers:?}");
        }
    }

    #[test]
    fn units_in_the_last_place_are_counted_across_zero() {
        let numbers = Numbers { ulps: 2, ..Numbers::default() };
        assert!(numbers.accept(TINY, -TINY) && !numbers.accept(TINY, -f32::from_bits(2)));
    }

    #[test]
    fn negative_and_nonfinite_limits_are_rejected() {
        for wrong in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Numbers { relative: wrong, ..Numbers::default() }.check().is_err());
            assert!(Numbers { absolute: wrong, ..Numbers::default() }.check().is_err());
        }
    }

    /// Returns all pairs of some zeros, subnormals, neighbours and special numbers.
    fn pairs() -> impl Iterator<Item = (f32, f32)> {
        let above = f32::from_bits(1f32.to_bits() + 1);
        let all = [
            0.0,
            -0.0,
            TINY,
            2.0 * TINY,
            3.0 * TINY,
            -TINY,
            f32::MIN_POSITIVE,
            1.0,
            above,
            1.5,
            f32::MAX,
            f32::INFINITY,
            -f32::INFINITY,
            f32::NAN,
        ];
        all.into_iter().flat_map(move |ours| all.into_iter().map(move |theirs| (ours, theirs)))
    }

    /// Returns tolerances of each kind, and some that combine kinds.
    fn tolerances() -> Vec<Numbers> {
        let plain = Numbers::default();
        let any = Policy::Any;
        let single = [
            plain,
            Numbers { ulps: 2, ..plain },
            Numbers { relative: 1e-6, ..plain },
            Numbers { relative: 1.5, ..plain },
            Numbers { absolute: 1e-44, ..plain },
            Numbers { absolute: 0.75, ..plain },
            Numbers { zero_sign: any, ..plain },
            Numbers { subnormal: any, ..plain },
            Numbers { infinity: any, ..plain },
            Numbers { nan: any, ..plain },
        ];
        single.iter().flat_map(|one| single.map(|other| one.wider(&other))).collect()
    }

    #[test]
    fn a_widened_set_has_the_numbers_accepted_for_its_members() {
        let negated = |(ours, theirs): (f32, f32)| [(ours, theirs), (-ours, theirs)];
        let pairs: Vec<(f32, f32)> = pairs().flat_map(negated).collect();
        for numbers in tolerances() {
            for (ours, theirs) in &pairs {
                let widened = numbers.widen(&FloatRange::of(*ours));
                let accepts = numbers.accept(*ours, *theirs);
                assert_eq!(widened.contains(*theirs), accepts, "{numbers:?}: {ours:?} {theirs:?}");
                // The same number as a member of a set with others.
                for (end, _) in &pairs {
                    let set =
                        FloatRange::between(ours.min(*end), ours.max(*end)).join(&FloatRange::of(*ours));
                    let widened = numbers.widen(&set);
                    assert!(!accepts || widened.contains(*theirs), "{numbers:?}: {set:?} {theirs:?}");
                    assert_eq!(widened.join(&set), widened, "{numbers:?}: {set:?}");
                }
            }
        }
    }

    #[test]
    fn the_furthest_number_is_the_last_within_the_limits() {
        for numbers in tolerances() {
            for (ours, _) in pairs().filter(|(ours, _)| ours.is_finite()) {
                for direction in [-1, 1] {
                    let last = numbers.furthest(ours, direction);
                    let beyond = at_order(order(last) + direction);
                    assert!(numbers.is_near(ours, last), "{numbers:?}: {ours:?}");
                    assert!(beyond.is_infinite() || !numbers.is_near(ours, beyond), "{numbers:?}: {ours:?}");
                }
            }
        }
    }

    #[test]
    fn subnormals_within_the_limits_are_accepted_whether_they_may_be_zero_or_not() {
        for subnormal in [Policy::Exact, Policy::Any] {
            let numbers = Numbers { ulps: 1, subnormal, ..Numbers::default() };
            assert!(numbers.accept(TINY, 2.0 * TINY) && !numbers.accept(TINY, 3.0 * TINY), "{subnormal:?}");
            assert_eq!(numbers.accept(3.0 * TINY, 0.0), subnormal == Policy::Any);
        }
    }

    #[test]
    fn the_wider_of_two_tolerances_accepts_what_either_accepts() {
        let plain = Numbers::default();
        let any = Policy::Any;
        let all = [
            Numbers { ulps: 3, ..plain },
            Numbers { relative: 0.5, ..plain },
            Numbers { absolute: 0.5, ..plain },
            Numbers { zero_sign: any, ..plain },
            Numbers { subnormal: any, ..plain },
            Numbers { infinity: any, ..plain },
            Numbers { nan: any, ..plain },
        ];
        for one in all {
            assert_eq!((one.wider(&plain), plain.wider(&one)), (one, one));
            for other in all {
                let both = one.wider(&other);
                assert_eq!(both, other.wider(&one));
                // The wider tolerance already includes each of the two.
                assert_eq!((both.wider(&one), both.wider(&other)), (both, both), "{one:?} {other:?}");
                assert_eq!(both == one, one == other);
                for (ours, theirs) in pairs() {
                    let either = one.accept(ours, theirs) || other.accept(ours, theirs);
                    assert!(both.accept(ours, theirs) || !either, "{one:?} {other:?}: {ours:?} {theirs:?}");
                }
            }
        }
    }
}
