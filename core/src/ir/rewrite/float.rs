//! Rules about floats.

use super::build::*;
use super::rule::Rule;
use super::term::Term;
use crate::ir::op::{Flush, Op, Ty::F32};
use crate::value::{FUn, IBin, ICmp, Narrow};

/// The condition that `c` is a normal power of two of either sign whose reciprocal is also normal: no fraction bits, biased exponent 1 to 253.
fn power_of_two(c: &Term) -> Term {
    let bits = || op(Op::Bits, [c.clone()]);
    let no_fraction = ic(ICmp::Eq, ib(IBin::And, bits(), i(0x007f_ffff)), i(0));
    let exponent = ib(IBin::And, ib(IBin::ShrU, bits(), i(23)), i(0xff));
    let in_range = ic(ICmp::LtU, ib(IBin::Sub, exponent, i(1)), i(253));
    op(Op::Logic(crate::value::BBin::And), [no_fraction, in_range])
}

/// Rules about signs and arithmetic.
pub(super) fn arithmetic() -> Vec<Rule> {
    const A: [crate::ir::op::Ty; 1] = [F32];
    const AB: [crate::ir::op::Ty; 2] = [F32, F32];
    vec![
        Rule::new("neg-neg", "the sign is flipped twice, also for NaN and zero", A, neg(neg(X)), X),
        Rule::new("abs-neg", "abs clears the sign that neg flips", A, abs(neg(X)), abs(X)),
        Rule::new("abs-abs", "the sign is already clear", A, abs(abs(X)), abs(X)),
        Rule::new("abs-square", "the sign of a square is clear, also for zeros; NaN stays NaN", A, abs(mul(X, X)), mul(X, X)),
        Rule::new("mul-one", "x * 1 is exact for every x", A, mul(X, f(1.0)), X),
        Rule::new("one-mul", "1 * x is exact for every x", A, mul(f(1.0), X), X),
        Rule::new("mul-minus-one", "the product is exact; its sign is flipped, also for zeros", A, mul(X, f(-1.0)), neg(X)),
        Rule::new("mul-two", "both sides are 2x rounded once; zeros keep their sign in both", A, mul(X, f(2.0)), add(X, X)),
        Rule::new("add-minus-zero", "-0 is the neutral element: -0 + -0 = -0, +0 + -0 = +0", A, add(X, f(-0.0)), X),
        Rule::new("minus-zero-add", "-0 is the neutral element: -0 + -0 = -0, -0 + +0 = +0", A, add(f(-0.0), X), X),
        Rule::new("sub-zero", "x - 0 is x + (-0), which is x", A, sub(X, f(0.0)), X),
        Rule::new("minus-zero-sub", "-0 - x is -0 + (-x), which is -x", A, sub(f(-0.0), X), neg(X)),
        Rule::new("div-one", "x / 1 is exact for every x", A, div(X, f(1.0)), X),
        Rule::new("sub-neg", "a - b is a + (-b), and -(-b) is b", AB, sub(X, neg(Y)), add(X, Y)),
        Rule::new("add-neg", "x + (-y) is x - y by definition", AB, add(X, neg(Y)), sub(X, Y)),
        Rule::new("neg-add", "addition commutes, and -x + y is y - x by definition", AB, add(neg(X), Y), sub(Y, X)),
        Rule::new("mul-neg-neg", "negating both factors does not change the sign of the product", AB, mul(neg(X), neg(Y)), mul(X, Y)),
        Rule::new("mul-abs-abs", "the magnitude of a product depends only on the magnitudes of its factors", AB, mul(abs(X), abs(Y)), abs(mul(X, Y))),
        Rule::new("div-neg-neg", "negating both operands does not change the sign of the quotient", AB, div(neg(X), neg(Y)), div(X, Y)),
        Rule::new(
            "div-power-of-two",
            "the reciprocal is exact, so both sides round the same number once; signs, NaN, zero and infinity agree",
            AB,
            div(X, Y),
            mul(X, div(f(1.0), Y)),
        )
        .literals([1], Some(power_of_two(&Y))),
        Rule::new("mulz-square", "a legacy product differs only for a zero factor, and 0 * 0 = -0 * -0 = +0", A, mulz(X, X), mul(X, X)),
        Rule::new("mulz-zero", "a legacy product with a zero factor is +0, even if the other factor is NaN", AB, mulz(X, Y), f(0.0))
            .literals([1], Some(eq(Y, f(0.0)))),
        Rule::new("mulz-neg-neg", "both sides have the same zero factors; otherwise they are ordinary products", AB, mulz(neg(X), neg(Y)), mulz(X, Y)),
        Rule::new("mulz-abs-abs", "both sides have the same zero factors; otherwise they are ordinary products", AB, mulz(abs(X), abs(Y)), abs(mulz(X, Y))),
    ]
}

/// Rules about minimum, maximum and comparison.
pub(super) fn order() -> Vec<Rule> {
    const A: [crate::ir::op::Ty; 1] = [F32];
    const AB: [crate::ir::op::Ty; 2] = [F32, F32];
    const ABC: [crate::ir::op::Ty; 3] = [F32, F32, F32];
    let not_nan = || Some(eq(Y, Y));
    vec![
        Rule::new("min-self", "both operands are x", A, min(X, X), X),
        Rule::new("max-self", "both operands are x", A, max(X, X), X),
        Rule::new("min-min", "the inner minimum is y or below y, so the outer minimum does not change it", AB, min(min(X, Y), Y), min(X, Y)),
        Rule::new("max-max", "the inner maximum is y or above y, so the outer maximum does not change it", AB, max(max(X, Y), Y), max(X, Y)),
        Rule::new(
            "min-min-literals",
            "both sides are x if x is below both literals, otherwise the lesser literal, for ties z; NaN in x selects the literals, and y is not NaN",
            ABC,
            min(min(X, Y), Z),
            min(X, min(Y, Z)),
        )
        .literals([1, 2], not_nan()),
        Rule::new(
            "max-max-literals",
            "both sides are x if x is above both literals, otherwise the greater literal, for ties z; NaN in x selects the literals, and y is not NaN",
            ABC,
            max(max(X, Y), Z),
            max(X, max(Y, Z)),
        )
        .literals([1, 2], not_nan()),
        Rule::new(
            "clamp-again-below",
            "a clamped value is y or above y, so the outer maximum does not change it; NaN in x became y",
            ABC,
            max(min(max(X, Y), Z), Y),
            min(max(X, Y), Z),
        )
        .literals([1, 2], Some(lt(Y, Z))),
        Rule::new(
            "clamp-again-above",
            "a clamped value is y or below y, so the outer minimum does not change it; NaN in x became y",
            ABC,
            min(max(min(X, Y), Z), Y),
            max(min(X, Y), Z),
        )
        .literals([1, 2], Some(lt(Z, Y))),
        Rule::new("sel-lt-min", "the definition of min", AB, sel(F32, lt(X, Y), X, Y), min(X, Y)),
        Rule::new("sel-lt-max", "the definition of max", AB, sel(F32, lt(Y, X), X, Y), max(X, Y)),
        Rule::new("lt-self", "no number is below itself, and comparisons with NaN are false", A, lt(X, X), b(false)),
        Rule::new("le-self", "both sides are true unless x is NaN", A, le(X, X), eq(X, X)),
        Rule::new("lt-neg-neg", "negation reverses the order; with NaN both sides are false", AB, lt(neg(X), neg(Y)), lt(Y, X)),
        Rule::new("le-neg-neg", "negation reverses the order; with NaN both sides are false", AB, le(neg(X), neg(Y)), le(Y, X)),
        Rule::new("eq-neg-neg", "negation is one to one, and zeros of both signs are equal", AB, eq(neg(X), neg(Y)), eq(X, Y)),
        Rule::new("abs-lt-zero", "no magnitude is below zero, and a comparison with NaN is false", AB, lt(abs(X), Y), b(false))
            .literals([1], Some(eq(Y, f(0.0)))),
    ]
}

/// Rules about rounding and conversion.
pub(super) fn rounding() -> Vec<Rule> {
    use crate::ir::op::Ty::I32;
    const TO_INTEGER: [(&str, FUn); 3] =
        [("floor", FUn::Floor), ("trunc", FUn::Trunc), ("round", FUn::RoundEven)];
    const FLUSHES: [(&str, Flush); 4] = [
        ("flush", Flush::Subnormal),
        ("flush-f24", Flush::F24),
        ("flush-f24u", Flush::F24Unsigned),
        ("flush-sign", Flush::Sign),
    ];
    const TO_F24: [(&str, FUn); 3] = [
        ("f24", FUn::Narrow(Narrow::F24Nearest)),
        ("f24z", FUn::Narrow(Narrow::F24Zero)),
        ("f24h", FUn::Narrow(Narrow::F24ZeroSaturate)),
    ];
    let twice = |(a, outer): (&str, FUn), (b, inner): (&str, FUn), why| {
        Rule::new(format!("{a}-{b}"), why, [F32], un(outer, un(inner, X)), un(inner, X))
    };
    let mut rules = Vec::new();
    for outer in TO_INTEGER {
        for inner in TO_INTEGER {
            rules.push(twice(
                outer,
                inner,
                "integers, zeros of either sign, infinities and NaN round to themselves",
            ));
        }
        let (lhs, rhs) = (un(outer.1, op(Op::ToF, [X])), op(Op::ToF, [X]));
        rules.push(Rule::new(
            format!("{}-to-f", outer.0),
            "a converted integer is already integral",
            [I32],
            lhs,
            rhs,
        ));
    }
    for outer in TO_F24 {
        for inner in TO_F24 {
            rules.push(twice(outer, inner, "f24 values, infinities and NaN narrow to themselves"));
        }
    }
    for (name, kind) in FLUSHES {
        let flush = |a| op(Op::Flush(kind), [a]);
        rules.push(Rule::new(
            format!("{name}-{name}"),
            "the first flush leaves no number that the second would change",
            [F32],
            flush(flush(X)),
            flush(X),
        ));
    }
    rules.extend([
        Rule::new(
            "trunc-i-trunc",
            "the conversion truncates; on both sides NaN becomes 0 and out-of-range values saturate",
            [F32],
            op(Op::TruncI, [un(FUn::Trunc, X)]),
            op(Op::TruncI, [X]),
        ),
        Rule::new(
            "from-bits-bits",
            "both sides have the same bits, and NaN stays NaN",
            [F32],
            op(Op::FromBits, [op(Op::Bits, [X])]),
            X,
        ),
    ]);
    rules
}
