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
