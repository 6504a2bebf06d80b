//! A fact about sums of four equal products: a constant that is wrong in its last bit may show in none of them.

use lockstep_core::value::{Concrete, Domain, FBin, FUn, Narrow};

/// The smallest normal f24, 2^-62: what is smaller is 0 to a multiplier.
const SMALLEST: f32 = f32::from_bits((127 - 62) << 23);
/// The number behind 1 in f24.
const NEXT: f32 = f32::from_bits(0x3f80_0080);

fn settle(x: f32) -> f32 {
    if x.abs() < SMALLEST { 0.0 } else { x }
}

fn result(x: f32) -> f32 {
    settle(Concrete.un(FUn::Narrow(Narrow::F24Zero), &x))
}

fn product(a: f32, b: f32) -> f32 {
    result(Concrete.bin(FBin::Mul, &a, &settle(b)))
}

fn sum(a: f32, b: f32) -> f32 {
    result(Concrete.bin(FBin::Add, &a, &b))
}

/// In pairs: where the sum of one pair has a product with a factor whose last bit differs, cutting to f24 loses it again, in the pair or where pairs
/// are added. Every mantissa, in the middle and at the ends of the exponents: between them all is the same but for the scale.
#[test]
fn a_last_bit_of_one_factor_is_lost_in_a_sum_of_equal_pairs() {
    let (mut lost, mut kept) = (0u64, 0u64);
    for exponent in [0, 64, 65, 66, 127, 187, 188, 189, 190, 191, 255] {
        let step = if exponent == 127 { 1 } else { 37 };
        for mantissa in (0..1 << 23).step_by(step) {
            let b = f32::from_bits(exponent << 23 | mantissa);
            let (p, q) = (product(-1.0, b), product(-NEXT, b));
            let pair = sum(p, p);
            let (whole, changed) = (sum(pair, pair), sum(pair, sum(q, p)));
            assert!(whole == changed || whole.is_nan() && changed.is_nan(), "{b:e}: {whole:e}, {changed:e}");
            lost += u64::from(p != q && p.is_finite());
            // From left to right it shows.
            kept += u64::from(sum(sum(sum(p, p), p), p) != sum(sum(sum(p, p), q), p) && whole.is_finite());
        }
    }
    assert!(lost > 1 << 23 && kept > 1 << 20, "{lost} lost, {kept} kept");
}
