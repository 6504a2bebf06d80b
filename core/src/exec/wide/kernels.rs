//! Kernels: the effect of an instruction on the first `N` numbers of its rows.
//!
//! Kernels are plain loops of fixed length over rows that do not overlap. The compiler vectorises each for the features of the function into which it
//! is inlined. Each computes what [`crate::value::Domain`] defines, for all numbers; [`crate::exec::check`] tests the equality.

use crate::exec::WIDTH;
use crate::value::{canonical_bits, elementary};

type R = [u32; WIDTH];

#[inline(always)]
fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

#[inline(always)]
fn t(truth: bool) -> u32 {
    0u32.wrapping_sub(u32::from(truth))
}

macro_rules! kernels {
    ($($name:ident($($row:ident),+) = $result:expr;)*) => {
        $(#[inline(always)]
        #[allow(clippy::too_many_arguments)] // one argument for each row
        pub(super) fn $name<const N: usize>(d: &mut R, $($row: &R),+) {
            for i in 0..N {
                $(let $row = $row[i];)+
                d[i] = $result;
            }
        })*
    };
}

kernels! {
    copy(a) = a;
    neg(a) = a ^ 0x8000_0000;
    abs(a) = a & 0x7fff_ffff;
    sqrt(a) = f(a).sqrt().to_bits();
    floor(a) = f(a).floor().to_bits();
    trunc(a) = f(a).trunc().to_bits();
    round_even(a) = f(a).round_ties_even().to_bits();
    narrow_nearest(a) = narrow_nearest_bits(a);
    narrow_zero(a) = narrow_zero_bits(a, INFINITY);
    narrow_zero_saturate(a) = narrow_zero_bits(a, LARGEST);
    flush(a) = flush_bits(a);
    flush_f24(a) = if (a & 0x7fff_ffff).wrapping_sub(1) < 0x207f_ffff { 0 } else { a };
    flush_f24_unsigned(a) = if a & 0x7fff_ffff < 0x2080_0000 { 0 } else { a };
    flush_sign(a) = if a & 0x7fff_ffff == 0 { 0 } else { a };
    round_f24(a) = round_f24_of(f(a)).to_bits();
    trunc_i(a) = f(a) as i32 as u32;
    to_f(a) = (a as i32 as f32).to_bits();
    bits(a) = canonical_bits(f(a));
    not(a) = !a;
    add(a, b) = (f(a) + f(b)).to_bits();
    sub(a, b) = (f(a) - f(b)).to_bits();
    mul(a, b) = (f(a) * f(b)).to_bits();
    div(a, b) = (f(a) / f(b)).to_bits();
    min(a, b) = if f(a) < f(b) { a } else { b };
    max(a, b) = if f(b) < f(a) { a } else { b };
    mulz_inf(a, b) = mulz_inf_of(f(a), f(b)).to_bits();
    mulz(a, b) = if (f(a) == 0.0) | (f(b) == 0.0) { 0 } else { (f(a) * f(b)).to_bits() };
    lt(a, b) = t(f(a) < f(b));
    le(a, b) = t(f(a) <= f(b));
    eq(a, b) = t(f(a) == f(b));
    ieq(a, b) = t(a == b);
    ilts(a, b) = t((a as i32) < (b as i32));
    iltu(a, b) = t(a < b);
    iadd(a, b) = a.wrapping_add(b);
    isub(a, b) = a.wrapping_sub(b);
    imul(a, b) = a.wrapping_mul(b);
    and(a, b) = a & b;
    or(a, b) = a | b;
    xor(a, b) = a ^ b;
    shl(a, b) = a.wrapping_shl(b);
    shru(a, b) = a.wrapping_shr(b);
    shrs(a, b) = (a as i32).wrapping_shr(b) as u32;
    fma(a, b, c) = f(a).mul_add(f(b), f(c)).to_bits();
    select(a, b, c) = a & b | !a & c;
    mul_add(a, b, c) = (f(a) * f(b) + f(c)).to_bits();
    mul_sub(a, b, c) = (f(a) * f(b) - f(c)).to_bits();
    neg_mul_add(a, b, c) = (f(c) - f(a) * f(b)).to_bits();
    clamp(a, b, c) = {
        let m = if f(b) < f(a) { a } else { b };
        if f(m) < f(c) { m } else { c }
    };
    select_lt(a, b, c, d2) = if f(a) < f(b) { c } else { d2 };
    select_le(a, b, c, d2) = if f(a) <= f(b) { c } else { d2 };
    select_eq(a, b, c, d2) = if f(a) == f(b) { c } else { d2 };
    dot2(a, b, c, d2) = (f(a) * f(b) + f(c) * f(d2)).to_bits();
    dot3(a, b, c, d2, e, g) = (f(a) * f(b) + f(c) * f(d2) + f(e) * f(g)).to_bits();
    dot4(a, b, c, d2, e, g, h, j) = (f(a) * f(b) + f(c) * f(d2) + f(e) * f(g) + f(h) * f(j)).to_bits();
    chain2(a, b, c, d2, e) = (f(a) * f(b) + f(c) + f(d2) * f(e)).to_bits();
    chain3(a, b, c, d2, e, g, h) = (f(a) * f(b) + f(c) + f(d2) * f(e) + f(g) * f(h)).to_bits();
}

/// Operations and sums of products in which `$product` computes the products and `$round` rounds the result of each step.
macro_rules! rounded {
    ($round:ident, $product:ident: $add:ident $sub:ident $mul:ident $mul_add:ident $dot2:ident $dot3:ident $dot4:ident $chain2:ident $chain3:ident) => {
        kernels! {
            $add(a, b) = $round(f(a) + f(b)).to_bits();
            $sub(a, b) = $round(f(a) - f(b)).to_bits();
            $mul(a, b) = $round($product(f(a), f(b))).to_bits();
            $mul_add(a, b, c) = {
                let sum = $round($product(f(a), f(b)));
                $round(sum + f(c)).to_bits()
            };
            $dot2(a, b, c, d2) = {
                let sum = $round($product(f(a), f(b)));
                $round(sum + $round($product(f(c), f(d2)))).to_bits()
            };
            $dot3(a, b, c, d2, e, g) = {
                let sum = $round($product(f(a), f(b)));
                let sum = $round(sum + $round($product(f(c), f(d2))));
                $round(sum + $round($product(f(e), f(g)))).to_bits()
            };
            $dot4(a, b, c, d2, e, g, h, j) = {
                let sum = $round($product(f(a), f(b)));
                let sum = $round(sum + $round($product(f(c), f(d2))));
                let sum = $round(sum + $round($product(f(e), f(g))));
                $round(sum + $round($product(f(h), f(j)))).to_bits()
            };
            $chain2(a, b, c, d2, e) = {
                let sum = $round($product(f(a), f(b)));
                let sum = $round(sum + f(c));
                $round(sum + $round($product(f(d2), f(e)))).to_bits()
            };
            $chain3(a, b, c, d2, e, g, h) = {
                let sum = $round($product(f(a), f(b)));
                let sum = $round(sum + f(c));
                let sum = $round(sum + $round($product(f(d2), f(e))));
                $round(sum + $round($product(f(g), f(h)))).to_bits()
            };
        }
    };
}

rounded!(round_f24_of, mulz_inf_of: add_f24 sub_f24 mul_f24 mul_add_f24 dot2_f24 dot3_f24 dot4_f24 chain2_f24 chain3_f24);
rounded!(flush_of, mul_of: add_flush sub_flush mul_flush mul_add_flush dot2_flush dot3_flush dot4_flush chain2_flush chain3_flush);

/// The plain product.
#[inline(always)]
fn mul_of(a: f32, b: f32) -> f32 {
    a * b
}

/// The product in which zero times infinity is +0.
#[inline(always)]
fn mulz_inf_of(a: f32, b: f32) -> f32 {
    let product = a * b;
    if !a.is_nan() & !b.is_nan() & product.is_nan() { 0.0 } else { product }
}

/// Replaces subnormals by zero of the same sign.
#[inline(always)]
fn flush_of(x: f32) -> f32 {
    f(flush_bits(x.to_bits()))
}

#[inline(always)]
fn flush_bits(a: u32) -> u32 {
    if a & INFINITY == 0 { a & 0x8000_0000 } else { a }
}

/// Rounds to f24 toward zero; subnormals and -0 become +0. Numbers below 2^-62 become zero regardless of rounding, so the last kept bit of every
/// other number is at the same position of the mantissa.
#[inline(always)]
fn round_f24_of(x: f32) -> f32 {
    let bits = x.to_bits();
    let a = bits & 0x7fff_ffff;
    // If scaled up, numbers beyond f24 overflow to infinity, and NaN stays NaN.
    let rounded = if a < F24_OVERFLOW { bits & !0x7f } else { (x * SCALE).to_bits() };
    f(if a < NORMAL_F24 { 0 } else { rounded })
}

/// Copies values into a row.
#[inline(always)]
pub(super) fn load_row<const N: usize>(d: &mut R, values: &[f32; N]) {
    for i in 0..N {
        d[i] = values[i].to_bits();
    }
}

/// Copies a row into values.
#[inline(always)]
pub(super) fn store_row<const N: usize>(values: &mut [f32; N], a: &R) {
    for i in 0..N {
        values[i] = f(a[i]);
    }
}

macro_rules! elementary {
    ($($name:ident, $lanes:ident;)*) => {
        $(#[inline(always)]
        pub(super) fn $name<const N: usize>(d: &mut R, a: &R) {
            let mut x = [0.0; N];
            for i in 0..N {
                x[i] = f(a[i]);
            }
            let mut y = [0.0; N];
            elementary::$lanes(&mut y, &x);
            for i in 0..N {
                d[i] = y[i].to_bits();
            }
        })*
    };
}

elementary! {
    exp2, exp2_lanes;
    log2, log2_lanes;
    sin, sin_lanes;
    cos, cos_lanes;
}

/// 2^-55, whose unit in the last place is the smallest f24 subnormal, 2^-78.
const F24_SUBNORMAL_ROUNDER: f32 = f32::from_bits((127 - 55) << 23);
/// The smallest normal f24, 2^-62, as bits.
const NORMAL_F24: u32 = (127 - 62) << 23;
/// 2^64, the first power of two beyond f24, as bits.
const F24_OVERFLOW: u32 = (127 + 64) << 23;
const INFINITY: u32 = 0x7f80_0000;
/// 2^64: the quotient of the first powers of two beyond binary32 and beyond f24.
const SCALE: f32 = f32::from_bits((127 + 64) << 23);
/// 7EFFFF, the largest f24, as bits.
const LARGEST: u32 = 0x5f7f_ff80;

/// [`crate::value::narrow()`] to nearest, without branches. Below 2^-62 the last kept bit has a fixed exponent, and an addition rounds there. From
/// 2^-62 on, the low seven bits of the mantissa are rounded away.
#[inline(always)]
fn narrow_nearest_bits(x: u32) -> u32 {
    let (sign, a) = (x & 0x8000_0000, x & 0x7fff_ffff);
    let small = ((f(a) + F24_SUBNORMAL_ROUNDER) - F24_SUBNORMAL_ROUNDER).to_bits();
    let large = (a.wrapping_add(0x3f + (a >> 7 & 1))) & !0x7f;
    let large = if large >= F24_OVERFLOW { INFINITY } else { large };
    let r = if a < NORMAL_F24 { small } else { large };
    if a >= INFINITY { x } else { sign | r }
}

/// [`crate::value::narrow()`] toward zero. Numbers from 2^64 on become `beyond`.
#[inline(always)]
fn narrow_zero_bits(x: u32, beyond: u32) -> u32 {
    const LAST: f32 = f32::from_bits((127 - 78) << 23);
    let (sign, a) = (x & 0x8000_0000, x & 0x7fff_ffff);
    let near = (f(a) + F24_SUBNORMAL_ROUNDER) - F24_SUBNORMAL_ROUNDER;
    let small = if near > f(a) { near - LAST } else { near }.to_bits();
    let large = if a >= F24_OVERFLOW { beyond } else { a & !0x7f };
    let r = if a < NORMAL_F24 { small } else { large };
    if a >= INFINITY { x } else { sign | r }
}
