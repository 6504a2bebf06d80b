//! Computes the results of arithmetic instructions.

use super::super::opcode::Opcode;
use super::super::options::Choice;
use super::{LaneContext, Vec4};
use crate::host::Host;
use crate::value::{Domain, FUn, Freedom};

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Returns `a * b`. Under an option, the product is +0 if either operand is zero.
    pub(super) fn product(&mut self, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let plain = d.mul(a, b);
        let either = d.or(&self.is_zero(a), &self.is_zero(b));
        if self.host.records_freedoms() {
            // The choices give different results for NaN, and for the sign of zero.
            self.record(Freedom::ZeroTimesInfinity, &d.and(&either, &d.is_not_plus_zero(&plain)));
        }
        match self.choice(Choice::ZeroTimes) {
            0 => plain,
            _ => d.sel(&either, &d.f(0.0), &plain),
        }
    }

    /// Returns `2 ^ (y * log2 x)`. Options decide the result for a negative base, a base of zero and an exponent of zero.
    pub(super) fn power(&mut self, x: &D::F, y: &D::F) -> D::F {
        let d = self.d;
        let negative = d.lt(x, &d.f(0.0));
        self.record(Freedom::NegativeBase, &negative);
        let base = match self.choice(Choice::PowNegative) {
            0 => d.abs(x),
            _ => x.clone(),
        };
        let (zero_base, zero_exponent) = (self.is_zero(&base), self.is_zero(y));
        self.record(Freedom::ZeroBase, &zero_base);
        self.record(Freedom::ZeroExponent, &zero_exponent);
        let log = d.un(FUn::Log2, &base);
        let log = match self.choice(Choice::PowZeroBase) {
            0 => log,
            _ => d.sel(&zero_base, &d.f(f32::MIN), &log),
        };
        let power = d.un(FUn::Exp2, &self.product(y, &log));
        match self.choice(Choice::PowZeroExponent) {
            0 => power,
            _ => d.sel(&zero_exponent, &d.f(1.0), &power),
        }
    }

    pub(super) fn is_zero(&self, v: &D::F) -> D::B {
        self.d.eq(v, &self.d.f(0.0))
    }

    /// Returns the result of a unary instruction for one component.
    pub(super) fn unary(&mut self, op: Opcode, a: &D::F) -> D::F {
        let d = self.d;
        match op {
            Opcode::Rcp => self.quotient(&d.f(1.0), a),
            Opcode::Frc => d.sub(a, &d.un(FUn::Floor, a)),
            Opcode::Sqt => {
                let a = self.abs_by_option(a);
                d.un(FUn::Sqrt, &a)
            }
            Opcode::Rsq => {
                let a = self.abs_by_option(a);
                let zero = self.is_zero(&a);
                self.record(Freedom::RsqOfZero, &zero);
                let root = d.div(&d.f(1.0), &d.un(FUn::Sqrt, &a));
                match self.choice(Choice::RsqZero) {
                    0 => root,
                    _ => d.sel(&zero, &d.f(f32::MAX), &root),
                }
            }
            Opcode::Log => {
                let a = self.abs_by_option(a);
                let zero = self.is_zero(&a);
                self.record(Freedom::LogOfZero, &zero);
                match self.choice(Choice::LogZero) {
                    0 => d.un(FUn::Log2, &a),
                    _ => d.sel(&zero, &d.f(f32::MIN), &d.un(FUn::Log2, &a)),
                }
            }
            Opcode::Exp => d.un(FUn::Exp2, a),
            Opcode::Sin => d.un(FUn::Sin, a),
            Opcode::Cos => d.un(FUn::Cos, a),
            Opcode::Abs => d.abs(a),
            Opcode::Neg => d.neg(a),
            Opcode::Sat => {
                self.record(Freedom::SaturateNan, &d.is_nan(a));
                let (zero, one) = (d.f(0.0), d.f(1.0));
                let at_most_one = |v: &D::F| d.sel(&d.lt(v, &one), v, &one);
                let at_least_zero = |v: &D::F| d.sel(&d.lt(&zero, v), v, &zero);
                match self.choice(Choice::SaturateNan) {
                    0 => at_least_zero(&at_most_one(a)),
                    1 => at_most_one(&at_least_zero(a)),
                    _ => d.sel(&d.is_nan(a), a, &at_most_one(&at_least_zero(a))),
                }
            }
            Opcode::Sgn => {
                let nan = d.is_nan(a);
                self.record(Freedom::SignOfNan, &nan);
                let zero = d.f(0.0);
                let positive = d.sel(&d.lt(&zero, a), &d.f(1.0), &zero);
                let sign = d.sel(&d.lt(a, &zero), &d.f(-1.0), &positive);
                match self.choice(Choice::SignNan) {
                    0 => sign,
                    _ => d.sel(&nan, a, &sign),
                }
            }
            // Only `mov` is left. The caller handles `nrm`, which needs the whole vector, and `ddx` and `ddy`, which need the quad.
            _ => {
                debug_assert_eq!(op, Opcode::Mov);
                a.clone()
            }
        }
    }

    pub(super) fn binary(&mut self, op: Opcode, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let truth = |c: D::B| d.sel(&c, &d.f(1.0), &d.f(0.0));
        match op {
            Opcode::Add => d.add(a, b),
            Opcode::Sub => d.sub(a, b),
            Opcode::Mul => self.product(a, b),
            Opcode::Div => self.quotient(a, b),
            Opcode::Min => self.min_or_max(&d.lt(a, b), a, b),
            Opcode::Max => self.min_or_max(&d.lt(b, a), a, b),
            Opcode::Pow => self.power(a, b),
            Opcode::Sge => truth(d.le(b, a)),
            Opcode::Slt => truth(d.lt(a, b)),
            Opcode::Seq => truth(d.eq(a, b)),
            // Only `sne` is left. The caller handles the binary instructions that need whole vectors.
            _ => {
                debug_assert_eq!(op, Opcode::Sne);
                truth(d.not(&d.eq(a, b)))
            }
        }
    }

    /// Returns a minimum or maximum: `a` if `selects_a` is true, otherwise `b`. An option decides the result if an operand is NaN.
    pub(super) fn min_or_max(&mut self, selects_a: &D::B, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let (a_nan, b_nan) = (d.is_nan(a), d.is_nan(b));
        self.record(Freedom::MinMaxNan, &d.or(&a_nan, &b_nan));
        let plain = d.sel(selects_a, a, b);
        match self.choice(Choice::MinMaxNan) {
            0 => plain,
            1 => d.sel(&b_nan, a, &plain),
            _ => d.sel(&a_nan, a, &d.sel(&b_nan, b, &plain)),
        }
    }

    pub(super) fn quotient(&mut self, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let by_zero = self.is_zero(b);
        self.record(Freedom::ReciprocalOfZero, &by_zero);
        let plain = d.div(a, b);
        if self.choice(Choice::ReciprocalZero) == 0 {
            return plain;
        }
        let high = d.sel(&d.eq(&plain, &d.f(f32::INFINITY)), &d.f(f32::MAX), &plain);
        let both = d.sel(&d.eq(&plain, &d.f(f32::NEG_INFINITY)), &d.f(f32::MIN), &high);
        d.sel(&by_zero, &both, &plain)
    }

    pub(super) fn abs_by_option(&mut self, a: &D::F) -> D::F {
        // -0 is included: its sign becomes that of its square root, or of the infinity that rsq returns.
        self.record(Freedom::NegativeRoot, &self.d.is_signed(a));
        match self.choice(Choice::NegativeRoot) {
            0 => a.clone(),
            _ => self.d.abs(a),
        }
    }

    /// Returns the dot product of the first `n` components, summed from left to right.
    pub(super) fn dot(&mut self, n: usize, a: &Vec4<D>, b: &Vec4<D>) -> D::F {
        let (d, first) = (self.d, self.product(&a[0], &b[0]));
        (1..n).fold(first, |sum, i| d.add(&sum, &self.product(&a[i], &b[i])))
    }

    pub(super) fn normalize(&mut self, a: &Vec4<D>) -> Vec4<D> {
        let d = self.d;
        let square = self.dot(3, a, a);
        let zero = self.is_zero(&square);
        self.record(Freedom::NormalizeZero, &zero);
        let scale = d.div(&d.f(1.0), &d.un(FUn::Sqrt, &square));
        let keep = self.choice(Choice::NormalizeZero) == 0;
        std::array::from_fn(|i| {
            if i == 3 {
                return d.f(0.0);
            }
            let scaled = self.product(&a[i], &scale);
            if keep { scaled } else { d.sel(&zero, &d.f(0.0), &scaled) }
        })
    }
}
