//! Tolerances: which numbers count as equal to the reference's.

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
        let difference = (f64::from(ours) - f64::from(theirs)).abs();
        difference <= self.absolute
            || difference <= self.relative * f64::from(ours).abs()
            || order(ours).abs_diff(order(theirs)) <= u64::from(self.ulps)
    }
}

/// Returns the rank of a number in ascending order; both zeros have rank 0.
fn order(value: f32) -> i64 {
    let magnitude = i64::from(value.to_bits() & 0x7fff_ffff);
    if value.is_sign_negative() { -magnitude } else { magnitude }
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
