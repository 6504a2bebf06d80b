//! Operations of the units (SEED, M, I94, L).

use super::{ForwardedValues, LaneContext, UnitResult};
use crate::host::Host;
use crate::isa::utgard_gp::opcode::Op;
use crate::isa::utgard_gp::options::Choice;
use crate::isa::utgard_gp::program::Word;
use crate::isa::utgard_gp::source::{ResultOf, Source};
use crate::value::{Domain, FUn, Freedom, IBin, ICmp};

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Returns the result of a unit.
    pub(super) fn result(
        &mut self,
        word: &Word,
        of: ResultOf,
        before: &[ForwardedValues<D>; 2],
    ) -> UnitResult<D> {
        let Some(op) = word.result_op(of) else { return UnitResult::Nothing };
        match of {
            ResultOf::Acc0 | ResultOf::Acc1 => self.acc(word, of as usize, op, before),
            ResultOf::Mul0 | ResultOf::Mul1 => self.mul(word, of, op, before),
            ResultOf::Pass => self.pass(word, op, before),
            ResultOf::Complex => self.complex(word, op, before),
        }
    }

    fn acc(&mut self, word: &Word, n: usize, op: Op, before: &[ForwardedValues<D>; 2]) -> UnitResult<D> {
        let d = self.d;
        let acc = word.acc[n];
        let signed = |v: D::F, neg: u8| if neg != 0 { d.neg(&v) } else { v };
        let a = self.number(Source::decode(acc.a, false), before);
        let a = self.flush_input(&signed(a, acc.neg_a));
        let value = match op {
            Op::Floor => d.un(FUn::Floor, &a),
            Op::Sign => self.sign(&a),
            _ => {
                let b = self.number(Source::decode(acc.b, true), before);
                let b = self.flush_input(&signed(b, acc.neg_b));
                match op {
                    Op::Ge => self.at_least(&a, &b),
                    Op::Lt => self.less(&a, &b),
                    Op::Min => self.extreme(&a, &b, false),
                    Op::Max => self.extreme(&a, &b, true),
                    _ => d.add(&a, &b),
                }
            }
        };
        UnitResult::Number(self.flush_result(&value))
    }

    fn mul(&mut self, word: &Word, of: ResultOf, op: Op, before: &[ForwardedValues<D>; 2]) -> UnitResult<D> {
        let d = self.d;
        let [m0, m1] = word.mul;
        match op {
            Op::Complex1 => {
                let [a, b, c, x] = [(m0.a, false), (m0.b, true), (m1.a, false), (m1.b, true)]
                    .map(|(code, second)| self.operand(Source::decode(code, second), before, 1.0));
                let negated = m0.neg != 0 && self.wide_negation();
                self.function(&a, &b, &c, &x, negated)
            }
            Op::Complex2 => match self.operand(Source::decode(m0.a, false), before, 1.0) {
                UnitResult::Number(x) | UnitResult::Preexp2Result(x) => UnitResult::Complex2Result(x),
                _ => UnitResult::Nothing,
            },
            Op::Select => {
                let condition = self.operand(Source::decode(m0.b, true), before, 1.0).number(d);
                let condition = self.is_condition_true(&condition, Choice::SelectTruth);
                let first = self.number(Source::decode(m1.a, false), before);
                let second = self.number(Source::decode(m0.a, false), before);
                let same = d.icmp(ICmp::Eq, &d.bits(&first), &d.bits(&second));
                self.record(Freedom::Formula, &d.not(&same));
                let value = match self.choice(Choice::Select) {
                    0 => d.sel(&condition, &first, &second),
                    _ => d.sel(&condition, &second, &first),
                };
                let value = self.flush_input(&value);
                let value = self.flush_result(&value);
                let negated = m0.neg != 0 && self.wide_negation();
                UnitResult::Number(if negated { d.neg(&value) } else { value })
            }
            _ => {
                debug_assert_eq!(op, Op::Mul);
                let mul = if of == ResultOf::Mul0 { m0 } else { m1 };
                let a = self.number(Source::decode(mul.a, false), before);
                let b = self.operand(Source::decode(mul.b, true), before, 1.0).number(d);
                let (a, b) = (self.flush_input(&a), self.flush_input(&b));
                let product = self.product(&a, &b);
                let product = self.flush_result(&product);
                UnitResult::Number(if mul.neg != 0 { d.neg(&product) } else { product })
            }
        }
    }

    fn wide_negation(&mut self) -> bool {
        self.record(Freedom::Formula, &self.d.b(true));
        self.choice(Choice::WideNegate) == 1
    }

    fn product(&mut self, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let zero = d.f(0.0);
        let product = d.mul(a, b);
        let either = d.or(&d.eq(a, &zero), &d.eq(b, &zero));
        if self.host.records_freedoms() {
            // The choices differ for NaN and for the sign of zero.
            self.record(Freedom::ZeroTimesInfinity, &d.and(&either, &d.is_not_plus_zero(&product)));
        }
        match self.choice(Choice::ZeroTimesInfinity) {
            0 => product,
            _ => d.sel(&either, &zero, &product),
        }
    }

    /// Returns the result of complex1, which computes a complex function of `x`; for a logarithm, postlog2 has to follow. `Nothing` if the operands
    /// do not form such a function.
    fn function(
        &mut self,
        a: &UnitResult<D>,
        b: &UnitResult<D>,
        c: &UnitResult<D>,
        x: &UnitResult<D>,
        negated: bool,
    ) -> UnitResult<D> {
        let d = self.d;
        let (UnitResult::LookupResult(f, _), UnitResult::Complex2Result(_), UnitResult::LookupResult(g, _)) =
            (a, b, c)
        else {
            return UnitResult::Nothing;
        };
        if f != g {
            return UnitResult::Nothing;
        }
        let sign = |v: D::F| if negated { d.neg(&v) } else { v };
        match (f, x) {
            (Op::Exp2, UnitResult::Preexp2Result(x)) => {
                let x = self.flush_stage(x);
                let value = d.un(FUn::Exp2, &x);
                UnitResult::Number(sign(self.flush_stage(&value)))
            }
            (Op::Log2, UnitResult::Number(x)) => {
                let value = self.logarithm(x);
                UnitResult::Logarithm(sign(self.flush_stage(&value)))
            }
            (Op::Rcp, UnitResult::Number(x)) => {
                let value = self.reciprocal(x);
                UnitResult::Number(sign(self.flush_stage(&value)))
            }
            (Op::Rsqrt, UnitResult::Number(x)) => {
                let value = self.reciprocal_root(x);
                UnitResult::Number(sign(self.flush_stage(&value)))
            }
            _ => UnitResult::Nothing,
        }
    }

    fn reciprocal(&mut self, x: &D::F) -> D::F {
        let d = self.d;
        let x = self.flush_stage(x);
        let value = d.div(&d.f(1.0), &x);
        self.record(Freedom::ReciprocalOfZero, &d.eq(&x, &d.f(0.0)));
        match self.choice(Choice::ReciprocalZero) {
            0 => value,
            _ => self.largest(&d.eq(&x, &d.f(0.0)), &value),
        }
    }

    fn reciprocal_root(&mut self, x: &D::F) -> D::F {
        let d = self.d;
        let x = self.flush_stage(x);
        let x = self.abs_by_option(&x);
        let value = d.div(&d.f(1.0), &d.un(FUn::Sqrt, &x));
        self.record(Freedom::RsqOfZero, &d.eq(&x, &d.f(0.0)));
        match self.choice(Choice::RsqrtZero) {
            0 => value,
            _ => self.largest(&d.eq(&x, &d.f(0.0)), &value),
        }
    }

    fn logarithm(&mut self, x: &D::F) -> D::F {
        let d = self.d;
        let x = self.flush_stage(x);
        let x = self.abs_by_option(&x);
        let value = d.un(FUn::Log2, &x);
        let zero = d.eq(&x, &d.f(0.0));
        self.record(Freedom::LogOfZero, &zero);
        match self.choice(Choice::LogZero) {
            0 => value,
            _ => d.sel(&zero, &d.f(f32::MIN), &value),
        }
    }

    fn abs_by_option(&mut self, x: &D::F) -> D::F {
        let d = self.d;
        // The sign of -0 becomes that of the infinity that rsqrt returns.
        self.record(Freedom::NegativeRoot, &d.is_signed(x));
        match self.choice(Choice::NegativeRoot) {
            0 => x.clone(),
            _ => d.abs(x),
        }
    }

    /// Returns the largest finite number with the sign of `value` if `when` holds, otherwise `value`.
    fn largest(&mut self, when: &D::B, value: &D::F) -> D::F {
        let d = self.d;
        let below = d.lt(value, &d.f(0.0));
        let bound = d.sel(&below, &d.f(f32::MIN), &d.f(f32::MAX));
        d.sel(when, &bound, value)
    }

    fn pass(&mut self, word: &Word, op: Op, before: &[ForwardedValues<D>; 2]) -> UnitResult<D> {
        let d = self.d;
        let operand = self.operand(Source::decode(word.pass_src, false), before, 0.0);
        match (op, operand) {
            (Op::Preexp2, UnitResult::Number(x)) => UnitResult::Preexp2Result(x),
            (Op::Postlog2, UnitResult::Logarithm(value)) => UnitResult::Number(value),
            (Op::PassMov, operand) => {
                let value = operand.number(d);
                UnitResult::Number(self.flush_moved(&value))
            }
            (Op::Clamp, operand) => {
                let value = operand.number(d);
                let value = self.flush_moved(&value);
                UnitResult::Number(self.clamp(&value))
            }
            _ => UnitResult::Nothing,
        }
    }

    fn clamp(&mut self, a: &D::F) -> D::F {
        let d = self.d;
        let [low, high, ..] = self.load.clone();
        let max = |a: &D::F, b: &D::F| d.sel(&d.lt(b, a), a, b);
        let min = |a: &D::F, b: &D::F| d.sel(&d.lt(a, b), a, b);
        let nan = d.is_nan(a);
        self.record(Freedom::SaturateNan, &nan);
        let (first, second) = (min(&max(a, &low), &high), max(&min(a, &low), &high));
        if self.host.records_freedoms() {
            let same = d.icmp(ICmp::Eq, &d.bits(&first), &d.bits(&second));
            self.record(Freedom::Formula, &d.not(&same));
        }
        let value = if self.choice(Choice::Clamp) == 0 { first } else { second };
        let of_nan = match self.choice(Choice::ClampNan) {
            0 => low,
            1 => high,
            _ => a.clone(),
        };
        d.sel(&nan, &of_nan, &value)
    }

    fn complex(&mut self, word: &Word, op: Op, before: &[ForwardedValues<D>; 2]) -> UnitResult<D> {
        let operand = self.operand(Source::decode(word.complex_src, false), before, 0.0);
        match (op, operand) {
            (Op::Exp2, UnitResult::Preexp2Result(x)) => UnitResult::LookupResult(op, x),
            (Op::Log2 | Op::Rsqrt | Op::Rcp, UnitResult::Number(x)) => UnitResult::LookupResult(op, x),
            (Op::ComplexMov, operand) => {
                let value = operand.number(self.d);
                UnitResult::Number(self.flush_moved(&value))
            }
            _ => UnitResult::Nothing,
        }
    }

    /// Whether a condition's value counts as true.
    pub(super) fn is_condition_true(&mut self, a: &D::F, option: Choice) -> D::B {
        let d = self.d;
        let zero = d.f(0.0);
        let (is_zero, nan) = (d.eq(a, &zero), d.is_nan(a));
        let is_one = d.eq(a, &d.f(1.0));
        self.record(Freedom::Truth, &d.and(&d.not(&is_one), &d.is_not_plus_zero(a)));
        let number = match self.choice(option) {
            0 => d.not(&is_zero),
            1 => d.not(&d.icmp(ICmp::Eq, &d.bits(a), &d.i(0))),
            _ => d.lt(&zero, a),
        };
        match self.choice(Choice::TruthNan) {
            0 => d.or(&nan, &number),
            _ => d.and(&d.not(&nan), &number),
        }
    }

    fn bool_to_float(&self, c: &D::B) -> D::F {
        self.d.sel(c, &self.d.f(1.0), &self.d.f(0.0))
    }

    fn at_least(&mut self, a: &D::F, b: &D::F) -> D::F {
        self.record_unordered(a, b);
        self.bool_to_float(&self.d.le(b, a))
    }

    fn less(&mut self, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        self.record_unordered(a, b);
        match self.choice(Choice::CompareNan) {
            0 => self.bool_to_float(&d.lt(a, b)),
            _ => self.bool_to_float(&d.not(&d.le(b, a))),
        }
    }

    fn record_unordered(&mut self, a: &D::F, b: &D::F) {
        let either = self.d.or(&self.d.is_nan(a), &self.d.is_nan(b));
        self.record(Freedom::Unordered, &either);
    }

    fn sign(&mut self, a: &D::F) -> D::F {
        let d = self.d;
        let zero = d.f(0.0);
        let (is_zero, nan) = (d.eq(a, &zero), d.is_nan(a));
        self.record(Freedom::SignOfNan, &nan);
        self.record(Freedom::SignOfZero, &is_zero);
        let of_zero = match self.choice(Choice::SignZero) {
            0 => zero.clone(),
            _ => a.clone(),
        };
        let of_nan = match self.choice(Choice::SignNan) {
            0 => zero.clone(),
            _ => a.clone(),
        };
        let sign = d.sel(&d.lt(&zero, a), &d.f(1.0), &d.f(-1.0));
        d.sel(&is_zero, &of_zero, &d.sel(&nan, &of_nan, &sign))
    }

    /// Returns the smaller or the larger of two numbers.
    fn extreme(&mut self, a: &D::F, b: &D::F, larger: bool) -> D::F {
        let d = self.d;
        let (a_nan, b_nan) = (d.is_nan(a), d.is_nan(b));
        self.record(Freedom::MinMaxNan, &d.or(&a_nan, &b_nan));
        let equal = d.eq(a, b);
        self.record(Freedom::SignOfZero, &d.and(&equal, &d.eq(a, &d.f(0.0))));
        let first = if larger { d.lt(b, a) } else { d.lt(a, b) };
        let of_equal = match self.choice(Choice::MinMaxZero) {
            0 => {
                // Equal numbers differ at most in the sign of zero.
                let both = if larger { IBin::And } else { IBin::Or };
                d.from_bits(&d.ibin(both, &d.bits(a), &d.bits(b)))
            }
            1 => a.clone(),
            _ => b.clone(),
        };
        let number = d.sel(&equal, &of_equal, &d.sel(&first, a, b));
        match self.choice(Choice::MinMaxNan) {
            0 => d.sel(&b_nan, a, &d.sel(&a_nan, b, &number)),
            1 => d.sel(&d.or(&a_nan, &b_nan), b, &number),
            _ => d.sel(&a_nan, a, &d.sel(&b_nan, b, &number)),
        }
    }

    /// Returns `a`, but zero with the sign of `a` if `a` is subnormal and `flushes` is true.
    fn flush(&mut self, a: &D::F, flushes: bool) -> D::F {
        let d = self.d;
        let tiny = d.lt(&d.abs(a), &d.f(f32::MIN_POSITIVE));
        self.record(Freedom::Subnormal, &d.and(&tiny, &d.not(&d.eq(a, &d.f(0.0)))));
        if !flushes {
            return a.clone();
        }
        let zero = d.from_bits(&d.ibin(IBin::And, &d.bits(a), &d.i(i32::MIN)));
        d.sel(&tiny, &zero, a)
    }

    /// Returns an operand of an acc or mul unit, flushed as the options require.
    fn flush_input(&mut self, a: &D::F) -> D::F {
        let flushes = matches!(self.choice(Choice::Subnormals), 0 | 1);
        self.flush(a, flushes)
    }

    /// Returns a result of an acc or mul unit, flushed as the options require.
    fn flush_result(&mut self, a: &D::F) -> D::F {
        let flushes = matches!(self.choice(Choice::Subnormals), 0 | 2);
        self.flush(a, flushes)
    }

    /// Returns a value moved through the pass or complex unit, flushed as the options require.
    fn flush_moved(&mut self, a: &D::F) -> D::F {
        let flushes = self.choice(Choice::MoveSubnormals) == 1;
        self.flush(a, flushes)
    }

    /// Returns an operand or a result of a complex function, flushed as the options require.
    fn flush_stage(&mut self, a: &D::F) -> D::F {
        let flushes = self.choice(Choice::ComplexSubnormals) == 1;
        self.flush(a, flushes)
    }
}
