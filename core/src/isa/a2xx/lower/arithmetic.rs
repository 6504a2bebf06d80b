//! Lowers arithmetic.

use super::Lower;
use crate::ir::{Flush, Op, Value};
use crate::isa::a2xx::options::Choice;
use crate::value::{BBin, FCmp, FUn, IBin};

impl Lower<'_, '_> {
    pub(super) fn flush_input(&mut self, a: Value) -> Value {
        if self.option_is(Choice::DenormalInput, 0) {
            self.b.op(Op::Flush(Flush::Subnormal), &[a])
        } else {
            a
        }
    }

    pub(super) fn result(&mut self, a: Value) -> Value {
        if self.option_is(Choice::DenormalResult, 0) {
            self.b.op(Op::Flush(Flush::Subnormal), &[a])
        } else {
            a
        }
    }

    pub(super) fn sum(&mut self, a: Value, b: Value) -> Value {
        let sum = self.b.add(a, b);
        self.result(sum)
    }

    pub(super) fn difference(&mut self, a: Value, b: Value) -> Value {
        let difference = self.b.sub(a, b);
        self.result(difference)
    }

    pub(super) fn product(&mut self, a: Value, b: Value) -> Value {
        let legacy = self.option_is(Choice::LegacyMultiply, 0);
        let product = self.b.op(if legacy { Op::Mulz } else { Op::Mul }, &[a, b]);
        self.result(product)
    }

    pub(super) fn product_and_sum(&mut self, a: Value, b: Value, c: Value) -> Value {
        if self.option_is(Choice::Muladd, 0) {
            let product = self.product(a, b);
            return self.sum(product, c);
        }
        let fused = self.b.op(Op::Fma, &[a, b, c]);
        if !self.option_is(Choice::LegacyMultiply, 0) {
            return self.result(fused);
        }
        let zero = self.b.f(0.0);
        let [a_zero, b_zero] = [a, b].map(|v| self.b.cmp(FCmp::Eq, v, zero));
        let either = self.b.logic(BBin::Or, a_zero, b_zero);
        let plain = self.b.add(zero, c);
        let sum = self.b.sel(either, plain, fused);
        self.result(sum)
    }

    pub(super) fn max_of(&mut self, a: Value, b: Value) -> Value {
        let is_a = self.b.cmp(FCmp::Le, b, a);
        let plain = self.b.sel(is_a, a, b);
        self.a_if_b_is_nan(plain, a, b)
    }

    pub(super) fn min_of(&mut self, a: Value, b: Value) -> Value {
        let plain = self.b.min(a, b);
        self.a_if_b_is_nan(plain, a, b)
    }

    fn a_if_b_is_nan(&mut self, plain: Value, a: Value, b: Value) -> Value {
        if self.option_is(Choice::MinMaxNan, 0) {
            return plain;
        }
        let number = self.b.cmp(FCmp::Eq, b, b);
        let nan = self.b.not(number);
        self.b.sel(nan, a, plain)
    }

    pub(super) fn fraction(&mut self, a: Value) -> Value {
        let floor = self.b.un(FUn::Floor, a);
        self.difference(a, floor)
    }

    pub(super) fn bool_to_float(&mut self, holds: Value) -> Value {
        let (one, zero) = (self.b.f(1.0), self.b.f(0.0));
        self.b.sel(holds, one, zero)
    }

    pub(super) fn clamped(&mut self, a: Value) -> Value {
        let (zero, one) = (self.b.f(0.0), self.b.f(1.0));
        if self.option_is(Choice::ClampNan, 0) {
            let at_least = self.b.max(a, zero);
            self.b.min(at_least, one)
        } else {
            let at_most = self.b.min(a, one);
            self.b.max(at_most, zero)
        }
    }

    fn address_of(&mut self, whole: Value) -> Value {
        let (low, high) = (self.b.f(-256.0), self.b.f(255.0));
        let fits = self.b.cmp(FCmp::Le, low, whole);
        let at_least = self.b.sel(fits, whole, low);
        let above = self.b.cmp(FCmp::Lt, high, at_least);
        let clamped = self.b.sel(above, high, at_least);
        self.b.op(Op::TruncI, &[clamped])
    }

    pub(super) fn nearest_address(&mut self, a: Value) -> Value {
        let half = self.b.f(0.5);
        let moved = self.b.add(a, half);
        self.floor_address(moved)
    }

    pub(super) fn floor_address(&mut self, a: Value) -> Value {
        let whole = self.b.un(FUn::Floor, a);
        self.address_of(whole)
    }

    /// Returns the sum of the products of the components in `order`, plus `addend`; `None` if an operand component is missing.
    pub(super) fn dot(
        &mut self,
        order: &[usize],
        a: [Option<Value>; 4],
        b: [Option<Value>; 4],
        addend: Option<Value>,
    ) -> Option<Value> {
        let mut sum = if self.option_is(Choice::Dot, 0) { Some(self.b.f(0.0)) } else { None };
        for &c in order {
            let product = self.product(a[c]?, b[c]?);
            sum = Some(match sum {
                Some(sum) => self.sum(sum, product),
                None => product,
            });
        }
        match (sum, addend) {
            (Some(sum), Some(addend)) => Some(self.sum(sum, addend)),
            (sum, _) => sum,
        }
    }

    /// Rounds the result of a transcendental function as the options require.
    pub(super) fn function(&mut self, a: Value) -> Value {
        let a = if self.option_is(Choice::Precision, 0) { a } else { self.round_to_21_bits(a) };
        self.result(a)
    }

    /// Rounds to 21 bits of mantissa.
    fn round_to_21_bits(&mut self, a: Value) -> Value {
        let mask = self.b.i(!3);
        let bits = self.b.op(Op::Bits, &[a]);
        let cut = self.b.ibin(IBin::And, bits, mask);
        let half = self.b.i(2);
        let more = self.b.ibin(IBin::Add, bits, half);
        let rounded = self.b.ibin(IBin::And, more, mask);
        let (rounded, cut) = (self.b.op(Op::FromBits, &[rounded]), self.b.op(Op::FromBits, &[cut]));
        let fits = self.is_finite(rounded);
        self.b.sel(fits, rounded, cut)
    }

    /// Whether a value is neither NaN nor an infinity.
    pub(super) fn is_finite(&mut self, a: Value) -> Value {
        let size = self.b.un(FUn::Abs, a);
        let infinity = self.b.f(f32::INFINITY);
        self.b.cmp(FCmp::Lt, size, infinity)
    }
}
