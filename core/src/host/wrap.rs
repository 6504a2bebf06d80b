//! Maps a coordinate to texels along one axis: steps 6 and 7 of the sampler's definition.
//!
//! The code is branch-free, which lets the compiler vectorise loops over a row of coordinates. The only exceptions are the wrap modes `Repeat`
//! and `Mirror` in [`Taps::new`]; [`Taps::near`] handles them without branches.

use super::{Filter, Wrap};

/// The texels for a coordinate along one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Taps {
    /// The index of the texel at or below the coordinate, after wrapping, or [`OUTSIDE`].
    pub(super) first: u32,
    /// The index of the next texel, after wrapping, or [`OUTSIDE`]. Not used if `fraction` is 0.
    pub(super) second: u32,
    /// The weight of `second`, 0 to 1.
    pub(super) fraction: f32,
}

/// The index that represents the border colour. No texel's index has the highest bit set.
pub(super) const OUTSIDE: u32 = u32::MAX;

impl Taps {
    /// The taps along an axis that the texture does not have: texel 0.
    pub(super) const FLAT: Taps = Taps::single(0);

    #[inline(always)]
    const fn single(first: u32) -> Taps {
        Taps { first, second: first, fraction: 0.0 }
    }

    /// Whether at least one of the two texels is outside the texture.
    #[inline(always)]
    pub(super) fn touches_border(&self) -> bool {
        (self.first | self.second) >> 31 != 0
    }

    /// The texels for coordinate `u` of an axis of `size` texels, 1 to 65535.
    #[inline(always)]
    pub(super) fn new(filter: Filter, wrap: Wrap, u: f32, size: u32) -> Taps {
        Taps::find::<false>(filter, wrap, u, size)
    }

    /// Whether [`Taps::near`] may be used for this coordinate.
    #[inline(always)]
    pub(super) fn is_near(u: f32, size: u32) -> bool {
        (u * size as f32).abs() < NEAR_END / 2.0
    }

    /// Returns the result of [`Taps::new`] without branches, for a coordinate for which [`Taps::is_near`] is true.
    #[inline(always)]
    pub(super) fn near(filter: Filter, wrap: Wrap, u: f32, size: u32) -> Taps {
        Taps::find::<true>(filter, wrap, u, size)
    }

    #[inline(always)]
    fn find<const NEAR: bool>(filter: Filter, wrap: Wrap, u: f32, size: u32) -> Taps {
        let u = if u.is_nan() { 0.0 } else { u };
        let p = u * size as f32;
        match filter {
            Filter::Nearest => Taps::single(wrap_index::<NEAR>(wrap, floor(p), 0, size)),
            Filter::Linear => {
                let q = p - 0.5;
                let base = floor(q);
                // Infinity minus infinity would be NaN; an infinite coordinate has no second texel.
                let fraction = if q.is_finite() { q - base } else { 0.0 };
                Taps {
                    first: wrap_index::<NEAR>(wrap, base, 0, size),
                    second: wrap_index::<NEAR>(wrap, base, 1, size),
                    fraction,
                }
            }
        }
    }
}

/// The largest integer not above `q`, which must not be NaN. Zeros keep their sign. Unlike `f32::floor`, it calls no function on processors without a
/// rounding instruction.
#[inline(always)]
fn floor(q: f32) -> f32 {
    // 2^23: all greater numbers are integers, and adding it rounds smaller numbers to the nearest integer.
    const INTEGERS: f32 = 8_388_608.0;
    let magnitude = q.abs();
    let nearest = ((magnitude + INTEGERS) - INTEGERS).copysign(q);
    let below = if nearest > q { nearest - 1.0 } else { nearest };
    if magnitude < INTEGERS { below } else { q }
}

/// Converts an integral number from 0 to 65535 to an integer, which is the low bits of its sum with 2^23.
#[inline(always)]
fn integer(v: f32) -> u32 {
    (v + 8_388_608.0).to_bits() & 0xffff
}

/// Returns the texel for the integer `base + step` on an axis of `size` texels, after wrapping. `base` is integral or infinite, `step` 0 or 1. With
/// `NEAR` the caller guarantees that the magnitude of the sum is below [`NEAR_END`].
#[inline(always)]
fn wrap_index<const NEAR: bool>(wrap: Wrap, base: f32, step: u8, size: u32) -> u32 {
    // The sum is exact below 2^24. Larger numbers are outside any texture, whether rounded or not.
    let index = base + f32::from(step);
    let last = (size - 1) as f32;
    let inside = if index > 0.0 { index } else { 0.0 };
    let inside = if inside < last { inside } else { last };
    match wrap {
        Wrap::Clamp => integer(inside),
        Wrap::Border => {
            if inside == index {
                integer(inside)
            } else {
                OUTSIDE
            }
        }
        Wrap::Repeat if NEAR => integer(near_residue(index, size as f32)),
        Wrap::Repeat if inside == index => integer(inside),
        Wrap::Repeat => residue(base, step, size as i32) as u32,
        Wrap::Mirror if NEAR => {
            let n = size as f32;
            let m = near_residue(index, 2.0 * n);
            integer(if m < n { m } else { 2.0 * n - 1.0 - m })
        }
        Wrap::Mirror if inside == index => integer(inside),
        Wrap::Mirror => {
            let n = size as i32;
            let m = residue(base, step, 2 * n);
            if m < n { m as u32 } else { (2 * n - 1 - m) as u32 }
        }
    }
}

/// Integers below this magnitude are *near*: the result of [`near_residue`] for them is exact.
const NEAR_END: f32 = 4_194_304.0;

/// `index` modulo `period` (at most 2^17), from 0 to `period - 1`, for a near `index`.
#[inline(always)]
fn near_residue(index: f32, period: f32) -> f32 {
    // The quotient may be off by one because of rounding. The product and both sums are integers below 2^24, so they are exact.
    let times = floor(index / period);
    let rest = index - times * period;
    let rest = if rest < 0.0 { rest + period } else { rest };
    if rest < period { rest } else { rest - period }
}

/// `base + step` modulo `period`, exactly, from 0 to `period - 1`; `step` alone if `base` is infinite.
fn residue(base: f32, step: u8, period: i32) -> i32 {
    // The remainder of binary32 numbers is exact. For huge numbers it is computed first and then converted to an integer.
    let small = if base.abs() < 1e9 {
        base as i32
    } else if base.is_finite() {
        (base % period as f32) as i32
    } else {
        0
    };
    (small + i32::from(step)).rem_euclid(period)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [Wrap; 4] = [Wrap::Clamp, Wrap::Repeat, Wrap::Mirror, Wrap::Border];

    fn texel(number: u32) -> Option<u32> {
        (number != OUTSIDE).then_some(number)
    }

    fn nearest(u: f32, size: u32) -> [Option<u32>; 4] {
        MODES.map(|wrap| texel(Taps::new(Filter::Nearest, wrap, u, size).first))
    }

    fn linear(u: f32, size: u32) -> [(Option<u32>, Option<u32>, f32); 4] {
        MODES.map(|wrap| {
            let t = Taps::new(Filter::Linear, wrap, u, size);
            (texel(t.first), texel(t.second), t.fraction)
        })
    }

    #[test]
    fn nearest_texels_in_every_wrap_mode() {
        // p = 1.2, i = 1: inside.
        assert_eq!(nearest(0.3, 4), [Some(1); 4]);
        // p = -0.4, i = -1; -1 mod 4 = 3; -1 mod 8 = 7 -> 8 - 1 - 7 = 0.
        assert_eq!(nearest(-0.1, 4), [Some(0), Some(3), Some(0), None]);
        // p = 5.2, i = 5; 5 mod 4 = 1; 5 mod 8 = 5 -> 2.
        assert_eq!(nearest(1.3, 4), [Some(3), Some(1), Some(2), None]);
        // p = 4, i = 4: just past the end.
        assert_eq!(nearest(1.0, 4), [Some(3), Some(0), Some(3), None]);
        // p = -2.25 * 4 = -9; -9 mod 4 = 3; -9 mod 8 = 7 -> 0.
        assert_eq!(nearest(-2.25, 4), [Some(0), Some(3), Some(0), None]);
    }

    #[test]
    fn linear_texels_and_weights_in_every_wrap_mode() {
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
        // Subtracting a half changes nothing at this magnitude, and the weight of the second texel is 0.
        assert_eq!(linear(-u, 3).map(|t| (t.0, t.2)), nearest(-u, 3).map(|t| (t, 0.0)));
    }

    #[test]
    fn non_finite_and_huge_coordinates_select_valid_texels() {
        assert_eq!(nearest(f32::NAN, 4), nearest(0.0, 4));
        assert_eq!(linear(f32::NAN, 4), linear(0.0, 4));
        let (up, down) = ([Some(3), Some(0), Some(0), None], [Some(0), Some(0), Some(0), None]);
        for (u, index) in [(f32::INFINITY, up), (f32::MAX, up), (f32::NEG_INFINITY, down), (f32::MIN, down)] {
            assert_eq!(nearest(u, 4), index);
            assert_eq!(linear(u, 4).map(|t| (t.0, t.2)), index.map(|t| (t, 0.0)));
        }
        // Finite and huge: the texels must exist or be outside, and the weight of the second is 0.
        for u in [1e30, -1e30, f32::MAX / 65536.0] {
            for filter in [Filter::Nearest, Filter::Linear] {
                for wrap in MODES {
                    let t = Taps::new(filter, wrap, u, 65535);
                    assert!([t.first, t.second].into_iter().all(|i| i < 65535 || i == OUTSIDE));
                    assert_eq!(t.fraction, 0.0);
                }
            }
        }
    }

    #[test]
    fn floor_is_the_largest_integer_not_above() {
        let mut state = 1u32;
        let edges =
            [0.0, 0.5, 1.0, 1.5, 2.5, 4194303.5, 8388607.5, 8388608.0, 1e30, f32::INFINITY, f32::MAX, 1e-45];
        let random = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from_bits(state)
        });
        for v in edges.into_iter().chain(random.filter(|v| !v.is_nan()).take(200_000)) {
            for v in [v, -v, v.next_down(), v.next_up()].into_iter().filter(|v| !v.is_nan()) {
                assert_eq!(floor(v), v.floor(), "{v:e}");
            }
        }
    }

    #[test]
    fn near_returns_the_same_taps_as_new() {
        let edge = NEAR_END / 2.0;
        let mut state = 1u32;
        let random = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from_bits(state)
        });
        let coords =
            [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 6.99, -7.01, edge.next_down(), -edge.next_down(), 1e-45];
        for u in coords.into_iter().chain(random.take(20_000)) {
            for size in [1, 2, 3, 7, 64, 1000, 4095, 32768, 65535] {
                let u = if u.abs() < 1.0 { u } else { u / size as f32 };
                for (filter, wrap) in
                    [Filter::Nearest, Filter::Linear].into_iter().flat_map(|f| MODES.map(|w| (f, w)))
                {
                    if Taps::is_near(u, size) {
                        let (near, any) =
                            (Taps::near(filter, wrap, u, size), Taps::new(filter, wrap, u, size));
                        assert_eq!(near, any, "{filter:?} {wrap:?} {u:e} {size}");
                    }
                }
            }
        }
    }
}
