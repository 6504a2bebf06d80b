//! Replaces infinities, NaN, subnormal numbers, -0 and extreme magnitudes by ordinary numbers.

use lockstep_core::host::Environment;
use serde::{Deserialize, Serialize};

/// The set of numbers used as inputs and constants of programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inputs {
    /// Any binary32 value may occur.
    #[default]
    Any,
    /// Only +0 and magnitudes from 1/8 to below 16 occur.
    Ordinary,
}

/// The smallest and the largest biased exponent of ordinary numbers.
const EXPONENTS: [u32; 2] = [127 - 3, 127 + 3];

/// Replaces the constants and inputs that are not ordinary numbers: clamps their exponents to the range, and replaces -0 by +0.
pub(super) fn ordinary(mut env: Environment) -> Environment {
    for vector in env.constants.iter_mut().chain(env.lanes.iter_mut().flat_map(|lane| lane.slots.iter_mut()))
    {
        *vector = vector.map(make_ordinary);
    }
    env
}

fn make_ordinary(value: f32) -> f32 {
    if value == 0.0 {
        return 0.0;
    }
    let bits = value.to_bits();
    let [least, most] = EXPONENTS;
    let exponent = (bits >> 23 & 0xff).clamp(least, most);
    f32::from_bits(bits & !(0xff << 23) | exponent << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_numbers_stay_and_others_become_ordinary() {
        for same in [0.0, 1.0, -2.5, 0.15, 15.5, -0.125] {
            assert_eq!(make_ordinary(same).to_bits(), f32::to_bits(same));
        }
        for other in [f32::INFINITY, f32::NAN, f32::MAX, 1e-40, -1e-45, 16.0, -0.1, f32::MIN_POSITIVE] {
            let made = make_ordinary(other);
            assert!((0.125..16.0).contains(&made.abs()), "{other} gives {made}");
            assert_eq!(made.is_sign_negative(), other.is_sign_negative());
            assert_eq!(make_ordinary(made).to_bits(), made.to_bits());
        }
        assert_eq!(make_ordinary(-0.0).to_bits(), 0);
    }
}
