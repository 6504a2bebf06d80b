//! From a coordinate to texels along one axis: steps 6 and 7 of the sampler's definition.

use super::{Filter, Wrap};

/// The texels that a coordinate meets along one axis. `None` is outside, where the border colour stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Taps {
    /// The texel at or below the coordinate.
    pub(super) first: Option<u32>,
    /// The next one; does not matter where `fraction` is 0.
    pub(super) second: Option<u32>,
    /// The weight of `second`, 0 to 1.
    pub(super) fraction: f32,
}

impl Taps {
    /// An axis that the texture lacks.
    pub(super) const FLAT: Taps = Taps::one(Some(0));

    const fn one(first: Option<u32>) -> Taps {
        Taps { first, second: first, fraction: 0.0 }
    }

    /// The texel at `end`: 0 the first, else the second.
    #[inline]
    pub(super) fn at(&self, end: u8) -> Option<u32> {
        if end == 0 { self.first } else { self.second }
    }

    /// The texels for coordinate `u` of an axis of `size` texels, 1 to 65535.
    pub(super) fn new(filter: Filter, wrap: Wrap, u: f32, size: u32) -> Taps {
        let u = if u.is_nan() { 0.0 } else { u };
        let p = u * size as f32;
        match filter {
            Filter::Nearest => Taps::one(place(wrap, p.floor(), 0, size)),
            Filter::Linear => {
                let q = p - 0.5;
                let base = q.floor();
                // Infinity less infinity would be NaN; there is no second texel out there.
                let fraction = if q.is_finite() { q - base } else { 0.0 };
                Taps { first: place(wrap, base, 0, size), second: place(wrap, base, 1, size), fraction }
            }
        }
    }
}

/// The texel that wrapping finds at integer `base + step` of an axis of `size` texels; `base` is integral or infinite.
fn place(wrap: Wrap, base: f32, step: i32, size: u32) -> Option<u32> {
    let n = size as i32;
    // Saturates, and the ends of i32 are far outside any texture.
    let index = (base as i32).saturating_add(step);
    match wrap {
        Wrap::Clamp => Some(index.clamp(0, n - 1) as u32),
        Wrap::Border => (0..n).contains(&index).then_some(index as u32),
        Wrap::Repeat => Some(residue(base, step, n) as u32),
        Wrap::Mirror => {
            let m = residue(base, step, 2 * n);
            Some(if m < n { m } else { 2 * n - 1 - m } as u32)
        }
    }
}

/// `base + step` modulo `period`, exactly, in 0 to `period - 1`; `step` alone where `base` is infinite.
fn residue(base: f32, step: i32, period: i32) -> i32 {
    // The remainder of binary32 numbers is exact; doing it first makes the conversion exact for huge numbers too.
    let small = if base.abs() < 1e9 {
        base as i32
    } else if base.is_finite() {
        (base % period as f32) as i32
    } else {
        0
    };
    (small + step).rem_euclid(period)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [Wrap; 4] = [Wrap::Clamp, Wrap::Repeat, Wrap::Mirror, Wrap::Border];

    fn nearest(u: f32, size: u32) -> [Option<u32>; 4] {
        MODES.map(|wrap| Taps::new(Filter::Nearest, wrap, u, size).first)
    }

    fn linear(u: f32, size: u32) -> [(Option<u32>, Option<u32>, f32); 4] {
        MODES.map(|wrap| {
            let t = Taps::new(Filter::Linear, wrap, u, size);
            (t.first, t.second, t.fraction)
        })
    }

    #[test]
    fn nearest_in_every_mode() {
        // p = 1.2, i = 1: inside.
        assert_eq!(nearest(0.3, 4), [Some(1); 4]);
        // p = -0.4, i = -1; -1 mod 4 = 3; -1 mod 8 = 7 -> 8 - 1 - 7 = 0.
        assert_eq!(nearest(-0.1, 4), [Some(0), Some(3), Some(0), None]);
        // p = 5.2, i = 5; 5 mod 4 = 1; 5 mod 8 = 5 -> 2.
        assert_eq!(nearest(1.3, 4), [Some(3), Some(1), Some(2), None]);
        // p = 4: one is past the end.
        assert_eq!(nearest(1.0, 4), [Some(3), Some(0), Some(3), None]);
        // p = -2.25 * 4 = -9; -9 mod 4 = 3; -9 mod 8 = 7 -> 0.
        assert_eq!(nearest(-2.25, 4), [Some(0), Some(3), Some(0), None]);
    }

    #[test]
    fn linear_in_every_mode() {
        // p = 1, q = 0.5: texels 0 and 1, half each.
        assert_eq!(linear(0.25, 4), [(Some(0), Some(1), 0.5); 4]);
        // q = -0.5: texels -1 and 0.
        assert_eq!(
            linear(0.0, 4),
            [(Some(0), Some(0), 0.5), (Some(3), Some(0), 0.5), (Some(0), Some(0), 0.5), (None, Some(0), 0.5)]
        );
        // q = 3.5: texels 3 and 4; 4 mod 8 = 4 -> 3.
        assert_eq!(
            linear(1.0, 4),
            [(Some(3), Some(3), 0.5), (Some(3), Some(0), 0.5), (Some(3), Some(3), 0.5), (Some(3), None, 0.5)]
        );
        // p = -2.75, q = -3.25: texels -4 and -3, f = 0.75; mod 4: 0 and 1; mod 8: 4 -> 3 and 5 -> 2.
        assert_eq!(
            linear(-0.6875, 4),
            [
                (Some(0), Some(0), 0.75),
                (Some(0), Some(1), 0.75),
                (Some(3), Some(2), 0.75),
                (None, None, 0.75)
            ]
        );
    }

    #[test]
    fn a_fraction_may_round_up_to_one() {
        // q = -2^-25, i = -1, and 1 - 2^-25 lies midway between 1 - 2^-24 and 1: to even.
        assert_eq!(
            linear(0.5 - 2f32.powi(-25), 1)[1..],
            [(Some(0), Some(0), 1.0), (Some(0), Some(0), 1.0), (None, Some(0), 1.0)]
        );
    }

    #[test]
    fn numbers_too_big_for_integers_wrap_exactly() {
        // 3 (2^24 + 2) = 50331654 lies midway between multiples of 4; the even one is 4 * 12582914 = 50331656 = 2 (mod 3).
        // It is 2 (mod 6) as well.
        assert_eq!(nearest(16777218.0, 3), [Some(2), Some(2), Some(2), None]);
        // 3 (2^40 + 2^17) = 2^17 * 25165827; 25165827 needs 25 bits and rounds to 25165828 = 1 (mod 3); 2^17 = 2 (mod 3).
        // So p = 2 (mod 3), and even: 2 (mod 6).
        let u = 2f32.powi(40) + 2f32.powi(17);
        assert_eq!(nearest(u, 3), [Some(2), Some(2), Some(2), None]);
        // -2 mod 3 = 1; -2 mod 6 = 4 -> 6 - 1 - 4 = 1.
        assert_eq!(nearest(-u, 3), [Some(0), Some(1), Some(1), None]);
        // Taking a half off changes nothing at this size, and the weight of the second texel is 0.
        assert_eq!(linear(-u, 3).map(|t| (t.0, t.2)), nearest(-u, 3).map(|t| (t, 0.0)));
    }

    #[test]
    fn what_is_not_finite() {
        assert_eq!(nearest(f32::NAN, 4), nearest(0.0, 4));
        assert_eq!(linear(f32::NAN, 4), linear(0.0, 4));
        let (up, down) = ([Some(3), Some(0), Some(0), None], [Some(0), Some(0), Some(0), None]);
        for (u, want) in [(f32::INFINITY, up), (f32::MAX, up), (f32::NEG_INFINITY, down), (f32::MIN, down)] {
            assert_eq!(nearest(u, 4), want);
            assert_eq!(linear(u, 4).map(|t| (t.0, t.2)), want.map(|t| (t, 0.0)));
        }
        // Finite and huge: whatever the residue is, it is a texel.
        for u in [1e30, -1e30, f32::MAX / 65536.0] {
            for filter in [Filter::Nearest, Filter::Linear] {
                for wrap in MODES {
                    let t = Taps::new(filter, wrap, u, 65535);
                    assert!(t.first.is_none_or(|i| i < 65535) && t.second.is_none_or(|i| i < 65535));
                    assert_eq!(t.fraction, 0.0);
                }
            }
        }
    }
}
