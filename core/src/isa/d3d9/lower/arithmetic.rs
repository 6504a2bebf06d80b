//! Lowers arithmetic instructions.

use super::{Components, Lower};
use crate::ir::{Op, Value};
use crate::isa::d3d9::opcode::{Kind, Opcode};
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::{Comparison, Dest, Instruction};
use crate::value::{BBin, FCmp, FUn};

impl Lower<'_, '_> {
    /// Computes the components of an instruction's result that the mask selects.
    pub(super) fn result_components(&mut self, op: Opcode, i: &Instruction, dest: &Dest) -> Components {
        use Opcode::*;
        let mask = dest.mask;
        if op.row().kind == Kind::Texture {
            return self.texture(op, i, dest);
        }
        match (op, &i.sources[..]) {
            (Sincos, all) => self.sine_cosine(mask, all),
            (Rcp | Rsq | Exp | Log | Expp | Logp, [a]) => {
                let a = self.scalars(a, mask);
                let split = self.cx.program.version.major == 1 && matches!(op, Expp | Logp);
                // A component that uses the same source component as the one computed before it shares that computation.
                let mut last = None;
                self.each(mask, |l, c| {
                    let x = a[c].unwrap_or(Value(0));
                    match last {
                        Some((from, value)) if from == x && !split => value,
                        _ => {
                            let value =
                                if split { l.expp_or_logp_component(op, c, x) } else { l.function(op, x) };
                            last = Some((x, value));
                            value
                        }
                    }
                })
            }
            (Pow, [a, b]) => {
                let (a, b) = (self.scalars(a, mask), self.scalars(b, mask));
                let mut last = None;
                self.each(mask, |l, c| {
                    let (x, y) = (a[c].unwrap_or(Value(0)), b[c].unwrap_or(Value(0)));
                    match last {
                        Some((from, value)) if from == (x, y) => value,
                        _ => {
                            let value = l.power(x, y);
                            last = Some(((x, y), value));
                            value
                        }
                    }
                })
            }
            (M4x4 | M4x3 | M3x4 | M3x3 | M3x2, [a, b]) => {
                let columns = if matches!(op, M4x4 | M4x3) { 4 } else { 3 };
                let vector = self.vector(a, columns);
                let rows = op.rows().unwrap_or(0);
                self.each(mask, |l, c| {
                    if c >= usize::from(rows) {
                        return l.b.f(0.0);
                    }
                    let location = l.location(b, c as u16);
                    let mut row = vector;
                    for (k, entry) in row.iter_mut().enumerate().take(columns) {
                        *entry = l.at(&location, k);
                    }
                    l.dot(columns, &vector, &row)
                })
            }
            (Dp3 | Dp4, [a, b]) => {
                let n = if op == Dp3 { 3 } else { 4 };
                let (a, b) = (self.vector(a, n), self.vector(b, n));
                let dot = self.dot(n, &a, &b);
                self.each(mask, |_, _| dot)
            }
            (Dp2add, [a, b, third]) => {
                let (a, b) = (self.vector(a, 2), self.vector(b, 2));
                let third = self.scalars(third, mask);
                let dot = self.dot(2, &a, &b);
                self.each(mask, |l, c| match third[c] {
                    Some(third) => l.b.add(dot, third),
                    None => dot,
                })
            }
            (Dsx | Dsy, [a]) => {
                let own = self.components(a, mask);
                self.derivatives(op == Dsx, Some(a), &own, |l| l.components(a, mask))
            }
            (Lit, [a]) => self.lit(mask, a),
            (Nrm, [a]) => self.normalize(mask, a),
            (Dst, [a, b]) => {
                let (a, b) = (self.components(a, 0b0110), self.components(b, 0b1010));
                self.each(mask, |l, c| match (c, a[c], b[c]) {
                    (1, Some(a), Some(b)) => l.product(a, b),
                    (2, Some(a), _) => a,
                    (3, _, Some(b)) => b,
                    _ => l.b.f(1.0),
                })
            }
            (Crs, [a, b]) => {
                let (a, b) = (self.vector(a, 3), self.vector(b, 3));
                self.each(mask & 7, |l, c| {
                    let (j, k) = ([1, 2, 0][c], [2, 0, 1][c]);
                    let plus = l.product(a[j], b[k]);
                    let minus = l.product(a[k], b[j]);
                    l.b.sub(plus, minus)
                })
            }
            (Bem, [a, b]) => {
                let (a, b) = (self.vector(a, 2), self.vector(b, 2));
                let moved = self.bump(dest.number, [a[0], a[1]], [b[0], b[1]]);
                self.each(mask & 3, |_, c| moved[c])
            }
            (_, [a]) | (Sgn, [a, ..]) => {
                let a = self.components(a, mask);
                self.each(mask, |l, c| l.unary(op, a[c].unwrap_or(Value(0))))
            }
            (_, [a, b]) => {
                let (a, b) = (self.components(a, mask), self.components(b, mask));
                self.each(mask, |l, c| match (a[c], b[c]) {
                    (Some(a), Some(b)) => l.binary(op, a, b),
                    _ => Value(0),
                })
            }
            (_, [a, b, third]) => {
                let (a, b, third) =
                    (self.components(a, mask), self.components(b, mask), self.components(third, mask));
                self.each(mask, |l, k| match (a[k], b[k], third[k]) {
                    (Some(a), Some(b), Some(c)) => l.ternary(op, i, mask, [a, b, c]),
                    _ => Value(0),
                })
            }
            _ => [None; 4],
        }
    }

    pub(super) fn each(
        &mut self,
        mask: u8,
        mut compute: impl FnMut(&mut Self, usize) -> Value,
    ) -> Components {
        let mut out = [None; 4];
        for (c, out) in out.iter_mut().enumerate() {
            if mask >> c & 1 == 1 {
                *out = Some(compute(self, c));
            }
        }
        out
    }

    fn unary(&mut self, op: Opcode, a: Value) -> Value {
        match op {
            Opcode::Frc => self.fraction(a),
            Opcode::Abs => self.b.un(FUn::Abs, a),
            Opcode::Sgn => self.sign(a),
            _ => {
                debug_assert!(matches!(op, Opcode::Mov | Opcode::Mova), "{op:?}");
                a
            }
        }
    }

    fn binary(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        match op {
            Opcode::Sub => self.b.sub(a, b),
            Opcode::Mul => self.product(a, b),
            Opcode::Min | Opcode::Max => {
                let selects_a =
                    if op == Opcode::Min { self.b.cmp(FCmp::Lt, a, b) } else { self.b.cmp(FCmp::Le, b, a) };
                let plain = self.b.sel(selects_a, a, b);
                if self.option_is(Choice::MinMaxNan, 0) {
                    return plain;
                }
                let number = self.b.cmp(FCmp::Eq, b, b);
                self.b.sel(number, plain, a)
            }
            Opcode::Slt => self.compare_to_float(FCmp::Lt, a, b),
            Opcode::Sge => self.compare_to_float(FCmp::Le, b, a),
            _ => {
                debug_assert_eq!(op, Opcode::Add);
                self.b.add(a, b)
            }
        }
    }

    fn compare_to_float(&mut self, cmp: FCmp, a: Value, b: Value) -> Value {
        let holds = self.b.cmp(cmp, a, b);
        let (one, zero) = (self.b.f(1.0), self.b.f(0.0));
        self.b.sel(holds, one, zero)
    }

    fn ternary(&mut self, op: Opcode, i: &Instruction, mask: u8, [a, b, c]: [Value; 3]) -> Value {
        match op {
            Opcode::Mad => {
                let fused = self.option_is(Choice::Mad, 1);
                if fused && self.option_is(Choice::ZeroTimes, 1) {
                    return self.b.op(Op::Fma, &[a, b, c]);
                }
                let product = self.product(a, b);
                let plain = self.b.add(product, c);
                if !fused {
                    return plain;
                }
                let zero = self.b.f(0.0);
                let [first, second] = [a, b].map(|v| self.b.cmp(FCmp::Eq, v, zero));
                let either = self.b.logic(BBin::Or, first, second);
                let once = self.b.op(Op::Fma, &[a, b, c]);
                self.b.sel(either, plain, once)
            }
            Opcode::Cmp => {
                let zero = self.b.f(0.0);
                let holds = self.b.cmp(FCmp::Le, zero, a);
                self.b.sel(holds, b, c)
            }
            Opcode::Cnd => {
                if i.coissue != 0 && self.cx.program.version.minor <= 3 {
                    let always = self.option_is(Choice::CndCoissue, 2);
                    if always || self.option_is(Choice::CndCoissue, 1) && mask != 0b1000 {
                        return b;
                    }
                }
                let half = self.b.f(0.5);
                let above = self.b.cmp(FCmp::Lt, half, a);
                self.b.sel(above, b, c)
            }
            Opcode::Lrp if self.option_is(Choice::Interpolation, 0) => {
                let difference = self.b.sub(b, c);
                let part = self.product(a, difference);
                self.b.add(part, c)
            }
            _ => {
                let one = self.b.f(1.0);
                let near = self.product(a, b);
                let rest = self.b.sub(one, a);
                let far = self.product(rest, c);
                self.b.add(near, far)
            }
        }
    }

    /// Returns `a * b`. Under an option, the product is zero if either factor is zero.
    pub(super) fn product(&mut self, a: Value, b: Value) -> Value {
        if self.option_is(Choice::ZeroTimes, 0) { self.b.op(Op::Mulz, &[a, b]) } else { self.b.mul(a, b) }
    }

    pub(super) fn dot(&mut self, n: usize, a: &[Value; 4], b: &[Value; 4]) -> Value {
        let mut sum = self.product(a[0], b[0]);
        for k in 1..n {
            let product = self.product(a[k], b[k]);
            sum = self.b.add(sum, product);
        }
        sum
    }

    pub(super) fn compare(&mut self, control: u8, a: Value, b: Value) -> Value {
        match Comparison::from_control(control) {
            Some(Comparison::Gt) => self.b.cmp(FCmp::Lt, b, a),
            Some(Comparison::Ge) => self.b.cmp(FCmp::Le, b, a),
            Some(Comparison::Lt) => self.b.cmp(FCmp::Lt, a, b),
            Some(Comparison::Le) => self.b.cmp(FCmp::Le, a, b),
            Some(Comparison::Eq) => self.b.cmp(FCmp::Eq, a, b),
            Some(Comparison::Ne) => {
                let equal = self.b.cmp(FCmp::Eq, a, b);
                self.b.not(equal)
            }
            None => self.b.b(false),
        }
    }

    /// Computes a scalar operation, whose value does not depend on the component of the result.
    fn function(&mut self, op: Opcode, x: Value) -> Value {
        match op {
            Opcode::Rcp => {
                let one = self.b.f(1.0);
                let plain = self.b.div(one, x);
                if self.option_is(Choice::ReciprocalZero, 2) {
                    return plain;
                }
                let zero = self.b.f(0.0);
                let is_zero = self.b.cmp(FCmp::Eq, x, zero);
                let largest = self.b.f(f32::MAX);
                let instead = if self.option_is(Choice::ReciprocalZero, 0) {
                    let up = self.b.cmp(FCmp::Lt, zero, plain);
                    let lowest = self.b.f(f32::MIN);
                    self.b.sel(up, largest, lowest)
                } else if self.option_is(Choice::ReciprocalZero, 1) {
                    largest
                } else {
                    x
                };
                self.b.sel(is_zero, instead, plain)
            }
            Opcode::Rsq => {
                let x = self.b.un(FUn::Abs, x);
                let root = self.b.un(FUn::Sqrt, x);
                let one = self.b.f(1.0);
                let plain = self.b.div(one, root);
                if self.option_is(Choice::RsqZero, 1) {
                    return plain;
                }
                let zero = self.b.f(0.0);
                let is_zero = self.b.cmp(FCmp::Eq, x, zero);
                let largest = self.b.f(f32::MAX);
                self.b.sel(is_zero, largest, plain)
            }
            Opcode::Exp | Opcode::Expp => self.b.un(FUn::Exp2, x),
            _ => self.logarithm(x),
        }
    }

    /// Computes `log` and `logp`. Under an option, the logarithm of a negative number is the logarithm of its magnitude.
    pub(super) fn logarithm(&mut self, x: Value) -> Value {
        let x = if self.option_is(Choice::LogNegative, 0) { self.b.un(FUn::Abs, x) } else { x };
        self.log2(x)
    }

    /// Returns the logarithm to base 2. Under an option, the logarithm of zero is finite.
    pub(super) fn log2(&mut self, x: Value) -> Value {
        let log = self.b.un(FUn::Log2, x);
        if self.option_is(Choice::LogZero, 1) {
            return log;
        }
        let zero = self.b.f(0.0);
        let is_zero = self.b.cmp(FCmp::Eq, x, zero);
        let lowest = self.b.f(f32::MIN);
        self.b.sel(is_zero, lowest, log)
    }

    fn power(&mut self, x: Value, y: Value) -> Value {
        let base = self.b.un(FUn::Abs, x);
        let log = self.log2(base);
        let exponent = self.product(y, log);
        let formula = self.b.un(FUn::Exp2, exponent);
        if self.option_is(Choice::PowZero, 0) {
            return formula;
        }
        let (zero, one) = (self.b.f(0.0), self.b.f(1.0));
        let is_zero = self.b.cmp(FCmp::Eq, y, zero);
        self.b.sel(is_zero, one, formula)
    }
}
