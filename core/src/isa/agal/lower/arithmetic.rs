//! Lowers arithmetic instructions.

use super::super::opcode::Opcode;
use super::super::options::Choice;
use super::super::program::Source;
use super::Lower;
use crate::ir::{Op, Value};
use crate::value::{FCmp, FUn};

impl Lower<'_, '_> {
    /// Returns `a * b`. Under an option, the product is zero if either operand is zero.
    pub(super) fn product(&mut self, a: Value, b: Value) -> Value {
        if self.option_is(Choice::ZeroTimes, 1) { self.b.op(Op::Mulz, &[a, b]) } else { self.b.mul(a, b) }
    }

    pub(super) fn dot(&mut self, n: usize, a: &[Value; 4], b: &[Value; 4]) -> Value {
        let mut sum = self.product(a[0], b[0]);
        for i in 1..n {
            let product = self.product(a[i], b[i]);
            sum = self.b.add(sum, product);
        }
        sum
    }

    pub(super) fn binary(
        &mut self,
        op: Opcode,
        first: &Source,
        second: &Source,
        mask: u8,
    ) -> [Option<Value>; 4] {
        match op {
            Opcode::Dp3 | Opcode::Dp4 => {
                let n = if op == Opcode::Dp3 { 3 } else { 4 };
                let (a, b) = (self.vector(first, n), self.vector(second, n));
                let dot = self.dot(n, &a, &b);
                [Some(dot); 4]
            }
            Opcode::Crs => {
                let (a, b) = (self.vector(first, 3), self.vector(second, 3));
                self.each(mask, |l, i| {
                    if i == 3 {
                        return l.b.f(0.0);
                    }
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    let plus = l.product(a[j], b[k]);
                    let minus = l.product(a[k], b[j]);
                    l.b.sub(plus, minus)
                })
            }
            _ => {
                let (a, b) = (self.components(first, mask), self.components(second, mask));
                self.each(mask, |l, i| match (a[i], b[i]) {
                    (Some(a), Some(b)) => l.binary_component(op, a, b),
                    _ => Value(0),
                })
            }
        }
    }

    pub(super) fn binary_component(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        match op {
            Opcode::Add => self.b.add(a, b),
            Opcode::Sub => self.b.sub(a, b),
            Opcode::Mul => self.product(a, b),
            Opcode::Div => self.quotient(a, b),
            Opcode::Min | Opcode::Max => {
                let plain = if op == Opcode::Min { self.b.min(a, b) } else { self.b.max(a, b) };
                if self.option_is(Choice::MinMaxNan, 0) {
                    return plain;
                }
                // b == b is false only for NaN. With choice "number", a NaN in b yields a; with "nan", a NaN operand is the result.
                let b_number = self.b.cmp(FCmp::Eq, b, b);
                if self.option_is(Choice::MinMaxNan, 1) {
                    return self.b.sel(b_number, plain, a);
                }
                let a_number = self.b.cmp(FCmp::Eq, a, a);
                let rest = self.b.sel(b_number, plain, b);
                self.b.sel(a_number, rest, a)
            }
            Opcode::Pow => {
                let base = if self.option_is(Choice::PowNegative, 0) { self.b.un(FUn::Abs, a) } else { a };
                let mut log = self.b.un(FUn::Log2, base);
                if self.option_is(Choice::PowZeroBase, 1) {
                    let (zero, lowest) = (self.b.f(0.0), self.b.f(f32::MIN));
                    let is_zero = self.b.cmp(FCmp::Eq, base, zero);
                    log = self.b.sel(is_zero, lowest, log);
                }
                let exponent = self.product(b, log);
                let power = self.b.un(FUn::Exp2, exponent);
                if self.option_is(Choice::PowZeroExponent, 0) {
                    return power;
                }
                let (zero, one) = (self.b.f(0.0), self.b.f(1.0));
                let is_zero = self.b.cmp(FCmp::Eq, b, zero);
                self.b.sel(is_zero, one, power)
            }
            Opcode::Sge => self.compare_to_float(FCmp::Le, b, a, true),
            Opcode::Slt => self.compare_to_float(FCmp::Lt, a, b, true),
            Opcode::Seq => self.compare_to_float(FCmp::Eq, a, b, true),
            Opcode::Sne => self.compare_to_float(FCmp::Eq, a, b, false),
            _ => a,
        }
    }

    pub(super) fn compare_to_float(&mut self, cmp: FCmp, a: Value, b: Value, one_if_true: bool) -> Value {
        let c = self.b.cmp(cmp, a, b);
        let (one, zero) = (self.b.f(1.0), self.b.f(0.0));
        if one_if_true { self.b.sel(c, one, zero) } else { self.b.sel(c, zero, one) }
    }

    /// Returns `a / b`. Under an option, an infinite quotient by zero is clamped to the largest finite number.
    pub(super) fn quotient(&mut self, a: Value, b: Value) -> Value {
        let plain = self.b.div(a, b);
        if self.option_is(Choice::ReciprocalZero, 0) {
            return plain;
        }
        let zero = self.b.f(0.0);
        let by_zero = self.b.cmp(FCmp::Eq, b, zero);
        let mut clamped = plain;
        for (infinity, bound) in [(f32::INFINITY, f32::MAX), (f32::NEG_INFINITY, f32::MIN)] {
            let (infinity, bound) = (self.b.f(infinity), self.b.f(bound));
            let infinite = self.b.cmp(FCmp::Eq, plain, infinity);
            clamped = self.b.sel(infinite, bound, clamped);
        }
        self.b.sel(by_zero, clamped, plain)
    }

    pub(super) fn unary(&mut self, op: Opcode, source: &Source, mask: u8) -> [Option<Value>; 4] {
        if op == Opcode::Nrm {
            let a = self.vector(source, 3);
            let square = self.dot(3, &a, &a);
            let root = self.b.un(FUn::Sqrt, square);
            let one = self.b.f(1.0);
            let scale = self.b.div(one, root);
            let zero = (!self.option_is(Choice::NormalizeZero, 0)).then(|| {
                let zero = self.b.f(0.0);
                (zero, self.b.cmp(FCmp::Eq, square, zero))
            });
            return self.each(mask, |l, i| {
                if i == 3 {
                    return l.b.f(0.0);
                }
                let scaled = l.product(a[i], scale);
                zero.map_or(scaled, |(zero, is_zero)| l.b.sel(is_zero, zero, scaled))
            });
        }
        let a = self.components(source, mask);
        self.each(mask, |l, i| a[i].map_or(Value(0), |a| l.unary_component(op, a)))
    }

    pub(super) fn abs_by_option(&mut self, a: Value) -> Value {
        if self.option_is(Choice::NegativeRoot, 0) { a } else { self.b.un(FUn::Abs, a) }
    }

    pub(super) fn unary_component(&mut self, op: Opcode, a: Value) -> Value {
        match op {
            Opcode::Rcp => {
                let one = self.b.f(1.0);
                self.quotient(one, a)
            }
            Opcode::Frc => {
                let floor = self.b.un(FUn::Floor, a);
                self.b.sub(a, floor)
            }
            Opcode::Sqt => {
                let a = self.abs_by_option(a);
                self.b.un(FUn::Sqrt, a)
            }
            Opcode::Rsq => {
                let a = self.abs_by_option(a);
                let root = self.b.un(FUn::Sqrt, a);
                let one = self.b.f(1.0);
                let plain = self.b.div(one, root);
                if self.option_is(Choice::RsqZero, 0) {
                    return plain;
                }
                let zero = self.b.f(0.0);
                let is_zero = self.b.cmp(FCmp::Eq, a, zero);
                let largest = self.b.f(f32::MAX);
                self.b.sel(is_zero, largest, plain)
            }
            Opcode::Log => {
                let a = self.abs_by_option(a);
                let log = self.b.un(FUn::Log2, a);
                if self.option_is(Choice::LogZero, 0) {
                    return log;
                }
                let zero = self.b.f(0.0);
                let is_zero = self.b.cmp(FCmp::Eq, a, zero);
                let lowest = self.b.f(f32::MIN);
                self.b.sel(is_zero, lowest, log)
            }
            Opcode::Exp => self.b.un(FUn::Exp2, a),
            Opcode::Sin => self.b.un(FUn::Sin, a),
            Opcode::Cos => self.b.un(FUn::Cos, a),
            Opcode::Abs => self.b.un(FUn::Abs, a),
            Opcode::Neg => self.b.un(FUn::Neg, a),
            Opcode::Sat => {
                let (zero, one) = (self.b.f(0.0), self.b.f(1.0));
                if self.option_is(Choice::SaturateNan, 0) {
                    let low = self.b.min(a, one);
                    return self.b.max(low, zero);
                }
                let high = self.b.max(a, zero);
                let plain = self.b.min(high, one);
                if self.option_is(Choice::SaturateNan, 1) {
                    return plain;
                }
                let number = self.b.cmp(FCmp::Eq, a, a);
                self.b.sel(number, plain, a)
            }
            Opcode::Sgn => {
                let zero = self.b.f(0.0);
                let up = self.b.cmp(FCmp::Lt, zero, a);
                let down = self.b.cmp(FCmp::Lt, a, zero);
                let (one, minus) = (self.b.f(1.0), self.b.f(-1.0));
                let not_down = self.b.sel(up, one, zero);
                let sign = self.b.sel(down, minus, not_down);
                if self.option_is(Choice::SignNan, 0) {
                    return sign;
                }
                let number = self.b.cmp(FCmp::Eq, a, a);
                self.b.sel(number, sign, a)
            }
            Opcode::Ddx | Opcode::Ddy => {
                let fine = self.option_is(Choice::Derivative, 0);
                let op = if op == Opcode::Ddx { Op::Ddx { fine } } else { Op::Ddy { fine } };
                self.b.op(op, &[a])
            }
            _ => {
                debug_assert_eq!(op, Opcode::Mov);
                a
            }
        }
    }
}
