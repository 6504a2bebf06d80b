//! Tests that compare the functions with CORE-MATH, which shares no code with this module. `examples/exhaust_elementary.rs` checks all 2^32 inputs.

use super::*;
use crate::value::same;

/// The name of a function, the function for one number, the function for slices, the fallback alone, and the CORE-MATH function.
type Case = (&'static str, fn(f32) -> f32, fn(&mut [f32], &[f32]), fn(f32) -> f32, fn(f32) -> f32);

const CASES: [Case; 4] = [
    ("exp2", exp2, |out, x| exp2_lanes(out, x), exp2::Exp2::fallback, core_math::exp2f),
    ("log2", log2, |out, x| log2_lanes(out, x), log2::Log2::fallback, core_math::log2f),
    ("sin", sin, |out, x| sin_lanes(out, x), trig::Sin::fallback, core_math::sinf),
    ("cos", cos, |out, x| cos_lanes(out, x), trig::Cos::fallback, core_math::cosf),
];

/// Checks inputs: the function for one number and the one for slices must both give the result of CORE-MATH.
fn check(case: &Case, inputs: impl Iterator<Item = u32>) {
    let (name, scalar, lanes, _, referee) = *case;
    let mut inputs = inputs.map(f32::from_bits).peekable();
    // The length is not a multiple of `CHUNK`, so each call of `lanes` also tests an incomplete chunk.
    let mut wide = [0.0; 1003];
    while inputs.peek().is_some() {
        let x: Vec<f32> = inputs.by_ref().take(wide.len()).collect();
        let wide = &mut wide[..x.len()];
        lanes(wide, &x);
        for (&x, &wide) in x.iter().zip(&*wide) {
            let (single, expected) = (scalar(x), referee(x));
            assert!(
                same(single, expected) && same(wide, expected),
                "{name}({x:e} = {:#010x}): scalar {single:e}, lanes {wide:e}, expected {expected:e}",
                x.to_bits()
            );
        }
    }
}

/// The inputs up to `reach` ulp from `x`, as bits, and their negatives.
fn around(x: f32, reach: u32) -> impl Iterator<Item = u32> {
    let center = x.to_bits();
    (center.wrapping_sub(reach)..=center.saturating_add(reach)).flat_map(|bits| [bits, bits ^ 1 << 31])
}

/// Tests every 127th input. Each function has its own test, so the tests run in parallel.
mod sample {
    fn sample(case: usize) {
        super::check(&super::CASES[case], (0..=u32::MAX).step_by(127));
    }

    #[test]
    fn sampled_exp2_matches_core_math() {
        sample(0);
    }

    #[test]
    fn sampled_log2_matches_core_math() {
        sample(1);
    }

    #[test]
    fn sampled_sin_matches_core_math() {
        sample(2);
    }

    #[test]
    fn sampled_cos_matches_core_math() {
        sample(3);
    }
}

#[test]
fn results_near_special_points_match_core_math() {
    let powers = (1u32..255).map(|exponent| f32::from_bits(exponent << 23));
    let subnormals = (0..23).map(|bit| f32::from_bits(1 << bit));
    let thresholds = [160.0, 150.0, 149.0, 126.0, std::f32::consts::SQRT_2, std::f32::consts::FRAC_1_SQRT_2];
    let points: Vec<f32> = powers.chain(subnormals).chain(thresholds).collect();
    for case in &CASES {
        for &point in &points {
            check(case, around(point, point.to_bits().min(40)));
        }
        // Inputs near zeros, infinities and the ends of the quiet and signalling NaNs, of both signs.
        for edge in
            [0, 0x7f80_0000, 0x7fc0_0000, 0x7fff_ff00, 0x8000_0000, 0xff80_0000, 0xffc0_0000, 0xffff_ff00u32]
        {
            check(case, edge.saturating_sub(128)..=edge.saturating_add(127));
        }
    }
}

#[test]
fn results_at_integers_and_multiples_of_pi_over_8_match_core_math() {
    for case in &CASES {
        check(case, (-1500i16..1500).map(|n| (f32::from(n) / 8.0).to_bits()));
        for n in (1..2000).chain((1 << 20..2_700_000).step_by(997)) {
            let angle = f64::from(n) * std::f64::consts::FRAC_PI_8;
            check(case, around(angle as f32, 2));
        }
    }
}

/// The error bounds on which the enclosures rely hold. The estimates are compared with the fixed-point values, which are more accurate than the
/// rounded results.
#[test]
fn estimates_are_within_their_error() {
    fn check<F: Function>(name: &str, inputs: impl Iterator<Item = f32>) {
        // A bound far above the worst error would send more inputs to the fallback than necessary, so the test rejects it too.
        let mut worst = 0.0f64;
        for x in inputs {
            let (estimate, exact) = (F::estimate(x), F::exact(x));
            assert!(
                exact.significand != 0 && (estimate < 0.0) == exact.negative,
                "{name}({x:e}): {estimate:e}, {exact:?}"
            );
            // Scaling by a power of two and truncation to 128 bits do not change the value of the estimate.
            let estimate = (estimate.abs() * fixed::power_of_two(-exact.exponent)) as u128;
            worst = worst.max(estimate.abs_diff(exact.significand) as f64 / exact.significand as f64);
        }
        assert!(
            worst < F::ERROR && worst > F::ERROR / 4.0,
            "{name}: 2^{} of 2^{}",
            worst.log2(),
            F::ERROR.log2()
        );
    }
    let both_signs = |first: f32, last: f32| {
        let magnitudes = (first.to_bits()..last.to_bits()).step_by(1021).map(f32::from_bits);
        magnitudes.flat_map(|x| [x, -x])
    };
    let tenth = f32::from_bits(0x3dcc_cccd);
    check::<exp2::Exp2>("exp2", both_signs(tenth, 126.0));
    check::<log2::Log2>("log2", (1..0x7f80_0000).step_by(1021).map(f32::from_bits).filter(|&x| x != 1.0));
    check::<trig::Sin>("sin", both_signs(tenth, 1_048_576.0));
    check::<trig::Cos>("cos", both_signs(tenth, 1_048_576.0));
}

/// The fallback is correct for all inputs, not only for those that the enclosure does not decide.
#[test]
fn fallbacks_match_core_math() {
    for &(name, _, _, fallback, referee) in &CASES {
        for bits in (0..=u32::MAX).step_by(4_099) {
            let x = f32::from_bits(bits);
            let (ours, expected) = (fallback(x), referee(x));
            assert!(same(ours, expected), "{name}({x:e} = {bits:#010x}): {ours:e}, expected {expected:e}");
        }
    }
}

/// The functions give the special values that their documentation lists. This test does not use CORE-MATH.
#[test]
fn special_values_are_as_documented() {
    let bits = |x: f32| x.to_bits();
    assert_eq!(exp2(f32::NEG_INFINITY).to_bits(), 0);
    assert_eq!(exp2(f32::INFINITY), f32::INFINITY);
    assert_eq!(exp2(128.0), f32::INFINITY);
    assert_eq!((exp2(-149.0).to_bits(), exp2(-150.0).to_bits()), (1, 0));
    assert_eq!(exp2(f32::from_bits((-150.0f32).to_bits() - 1)).to_bits(), 1);
    assert_eq!((log2(0.0), log2(-0.0)), (f32::NEG_INFINITY, f32::NEG_INFINITY));
    assert!(log2(-1.0).is_nan() && log2(-f32::from_bits(1)).is_nan() && log2(f32::NEG_INFINITY).is_nan());
    assert_eq!(log2(f32::INFINITY), f32::INFINITY);
    assert_eq!(bits(log2(1.0)), 0);
    assert_eq!(log2(f32::from_bits(1)), -149.0);
    assert_eq!((bits(sin(-0.0)), bits(sin(0.0)), cos(-0.0)), (1 << 31, 0, 1.0));
    for f in [sin, cos] {
        assert!(f(f32::INFINITY).is_nan() && f(f32::NEG_INFINITY).is_nan());
    }
    for f in [exp2, log2, sin, cos] {
        assert!(f(f32::NAN).is_nan());
    }
}

/// Few inputs need the fallback, but some do, so the tests of the whole functions reach it, too.
#[test]
fn enclosures_decide_most_but_not_all_inputs() {
    fn count_undecided<F: Function>(inputs: impl Iterator<Item = f32>) -> usize {
        inputs.filter(|&x| F::enclose(x).0.to_bits() != F::enclose(x).1.to_bits()).count()
    }
    // 2^20 inputs with magnitudes from 2^-4 to 2^6.
    let inputs = || (0x3d80_0000..0x4280_0000).step_by(80).map(f32::from_bits);
    assert_eq!(inputs().count(), 1 << 20);
    let counts = [
        count_undecided::<exp2::Exp2>(inputs()),
        count_undecided::<log2::Log2>(inputs()),
        count_undecided::<trig::Sin>(inputs()),
        count_undecided::<trig::Cos>(inputs()),
    ];
    assert!(counts.iter().all(|&count| count < 64), "{counts:?}");
    assert!(counts.iter().any(|&count| count > 0), "{counts:?}");
}

/// Recomputes all digits of pi, ln 2 and the constants derived from them, from series with rational terms.
mod constants {
    use super::super::reduction::INVERSE_TWO_PI;
    use super::super::{exp2::LN_2, fixed, log2::TWO_OVER_LN_2, reduction, trig};

    /// A fixed-point number in units of 2^-BITS, least significant limb first. The integer part is below 2^64.
    type Big = [u64; LIMBS];
    const LIMBS: usize = 12;
    const BITS: usize = 64 * (LIMBS - 1);

    fn add(a: &mut Big, b: &Big) {
        let mut carry = 0;
        for (a, b) in a.iter_mut().zip(b) {
            let sum = u128::from(*a) + u128::from(*b) + carry;
            (*a, carry) = (sum as u64, sum >> 64);
        }
    }

    fn subtract(a: &mut Big, b: &Big) {
        let mut negated = b.map(|limb| !limb);
        let mut one = [0; LIMBS];
        one[0] = 1;
        add(&mut negated, &one);
        add(a, &negated);
    }

    fn divide(a: &Big, divisor: u64) -> Big {
        let (mut quotient, mut remainder) = ([0; LIMBS], 0u128);
        for i in (0..LIMBS).rev() {
            let part = remainder << 64 | u128::from(a[i]);
            (quotient[i], remainder) = ((part / u128::from(divisor)) as u64, part % u128::from(divisor));
        }
        quotient
    }

    /// The product modulo 2^64.
    fn multiply(a: &Big, factor: u64) -> Big {
        let (mut product, mut carry) = ([0; LIMBS], 0);
        for (limb, a) in product.iter_mut().zip(a) {
            let part = u128::from(*a) * u128::from(factor) + carry;
            (*limb, carry) = (part as u64, part >> 64);
        }
        product
    }

    fn integer(n: u64) -> Big {
        let mut big = [0; LIMBS];
        big[LIMBS - 1] = n;
        big
    }

    /// `scale` times the sum of 1/((2n + 1) q^(2n + 1)) over all n. With alternating signs the sum is arctan(1/q), otherwise artanh(1/q).
    fn series(scale: u64, q: u64, alternating: bool) -> Big {
        let (mut sum, mut power) = ([0; LIMBS], divide(&integer(scale), q));
        for n in 0.. {
            if power == [0; LIMBS] {
                break;
            }
            let term = divide(&power, 2 * n + 1);
            if alternating && n % 2 == 1 {
                subtract(&mut sum, &term);
            } else {
                add(&mut sum, &term);
            }
            power = divide(&divide(&power, q), q);
        }
        sum
    }

    /// Machin's formula: pi = 16 arctan(1/5) - 4 arctan(1/239).
    fn pi() -> Big {
        let mut pi = series(16, 5, true);
        subtract(&mut pi, &series(4, 239, true));
        pi
    }

    /// ln 2 = 2 artanh(1/3).
    fn ln_2() -> Big {
        series(2, 3, false)
    }

    /// The reciprocal of a number between 1/2 and 4, computed bit by bit to `bits` fraction bits.
    fn reciprocal(x: &Big, bits: usize) -> Big {
        let (mut quotient, mut remainder) = ([0; LIMBS], integer(1));
        for step in 0..=bits {
            let mut rest = remainder;
            subtract(&mut rest, x);
            if rest[LIMBS - 1] >> 63 == 0 {
                remainder = rest;
                let bit = BITS - step;
                quotient[bit / 64] |= 1 << (bit % 64);
            }
            let twice = remainder;
            add(&mut remainder, &twice);
        }
        quotient
    }

    /// The low 128 bits of floor(`x` * 2^`bits`).
    fn fixed_point(x: &Big, bits: usize) -> u128 {
        let shift = BITS - bits;
        let at = |i: usize| u128::from(x.get(i).copied().unwrap_or(0));
        let (i, b) = (shift / 64, shift % 64);
        let limb = |i: usize| ((at(i) | at(i + 1) << 64) >> b) as u64;
        u128::from(limb(i)) | u128::from(limb(i + 1)) << 64
    }

    #[test]
    fn pi_and_its_reciprocal_match_the_series() {
        let pi = pi();
        assert_eq!(fixed_point(&pi, 126), trig::PI);
        // 319 fraction bits of 1/pi are the 320 fraction bits of 1/(2 pi).
        let inverse = reciprocal(&pi, 400);
        for (i, &limb) in INVERSE_TWO_PI.iter().enumerate().take(5) {
            assert_eq!(fixed_point(&inverse, 319 - 64 * i) as u64, limb, "limb {i}");
        }
        assert_eq!(INVERSE_TWO_PI[5..], [0; 3]);
    }

    #[test]
    fn reduced_angles_of_every_size_are_within_their_error() {
        // 1/pi has an error below 2^-400. It is multiplied by m 2^e below 2^128, so the error of the product is below 2^-272.
        let inverse = reciprocal(&pi(), 400);
        for biased in 114..=254u32 {
            let drawn = (1..=40u32).map(|n| (n * biased).wrapping_mul(0x9e37_79b9) >> 9);
            for fraction in [0, 1, 0x40_0000, 0x55_5555, 0x7f_fffe, 0x7f_ffff].into_iter().chain(drawn) {
                let x = f32::from_bits(biased << 23 | fraction);
                // x = m 2^e with an integer m, so x / (2 pi) modulo 1 in Q0.128 is m/pi 2^(e + 127) modulo 2^128.
                let (m, e) = (u64::from(fraction | 0x80_0000), biased as i32 - 150);
                let mut halves = multiply(&inverse, m);
                for _ in 0..e {
                    halves = multiply(&halves, 2);
                }
                if e < 0 {
                    halves = divide(&halves, 1 << -e);
                }
                let error = reduction::turns(x).wrapping_sub(fixed_point(&halves, 127)) as i128;
                assert!(error.abs() <= 2, "{x:e}: off by {error} of 2^-128");
            }
        }
    }

    #[test]
    fn the_three_parts_add_up_to_pi() {
        let mut rest = pi();
        for part in trig::PI_PARTS {
            let (exponent, mantissa) =
                ((part.to_bits() >> 52) as usize, part.to_bits() & ((1 << 52) - 1) | 1 << 52);
            // The mantissa is in units of 2^(exponent - 1075).
            let shift = BITS + exponent - 1075;
            let mut big = [0; LIMBS];
            let placed = u128::from(mantissa) << (shift % 64);
            (big[shift / 64], big[shift / 64 + 1]) = (placed as u64, (placed >> 64) as u64);
            subtract(&mut rest, &big);
        }
        // The remainder may have either sign; the test is on its magnitude.
        if rest[LIMBS - 1] >> 63 == 1 {
            rest = rest.map(|limb| !limb);
        }
        assert_eq!((rest[LIMBS - 1], rest[LIMBS - 2], rest[LIMBS - 3] >> 7), (0, 0, 0), "below 2^-121");
    }

    #[test]
    fn ln_2_and_its_reciprocal_match_the_series() {
        let ln_2 = ln_2();
        assert_eq!(fixed_point(&ln_2, 128), LN_2);
        // 2^126 times 2/ln 2.
        assert_eq!(fixed_point(&reciprocal(&ln_2, 400), 127), TWO_OVER_LN_2);
    }

    #[test]
    fn mul_high_returns_the_high_half_of_the_product() {
        assert_eq!(fixed::mul_high(u128::MAX, u128::MAX), u128::MAX - 1);
        assert_eq!(fixed::mul_high(1 << 127, 3), 1);
        assert_eq!(fixed::mul_high((1 << 64) + 5, (1 << 64) + 7), 1);
        assert_eq!(fixed::mul_high(3 << 64, (5 << 64) + (1 << 63)), 16);
    }
}
