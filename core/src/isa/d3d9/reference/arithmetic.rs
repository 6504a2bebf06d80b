//! Results of arithmetic instructions: MS' formulas, with options where MS, 9ON12 and other sources differ.

use super::{Components, Lane, LaneContext, Vec4};
use crate::host::Host;
use crate::isa::d3d9::opcode::{Kind, Opcode};
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::{Comparison, Dest, Instruction};
use crate::value::{Domain, FUn, Freedom};

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Computes the components of a result that the mask selects.
    pub(super) fn result(
        &mut self,
        op: Opcode,
        i: &Instruction,
        dest: &Dest,
        lane: &Lane<D>,
        quad_operands: &[Option<Vec4<D>>; 4],
        whole_quad: bool,
    ) -> Components<D> {
        if op.row().kind == Kind::Texture {
            let texel = self.texture(op, i, dest, lane, quad_operands, whole_quad);
            return masked(dest.mask, |c| texel[c].clone());
        }
        let mask = dest.mask;
        match (op, &i.sources[..]) {
            (Opcode::Dsx | Opcode::Dsy, _) => {
                masked(mask, |c| self.derivative(op, quad_operands, c, whole_quad))
            }
            (Opcode::Sincos, all) => self.sine_cosine(mask, all, lane),
            (Opcode::Rcp | Opcode::Rsq | Opcode::Exp | Opcode::Log | Opcode::Expp | Opcode::Logp, [a]) => {
                let value = self.source(lane, a);
                masked(mask, |c| {
                    let x = value[self.scalar_component(a, c)].clone();
                    self.function(op, c, &x)
                })
            }
            (Opcode::Pow, [a, b]) => {
                let (base, power) = (self.source(lane, a), self.source(lane, b));
                masked(mask, |c| {
                    let (x, y) = (
                        base[self.scalar_component(a, c)].clone(),
                        power[self.scalar_component(b, c)].clone(),
                    );
                    self.power(&x, &y)
                })
            }
            (Opcode::M4x4 | Opcode::M4x3 | Opcode::M3x4 | Opcode::M3x3 | Opcode::M3x2, [a, b]) => {
                let n = if matches!(op, Opcode::M4x4 | Opcode::M4x3) { 4 } else { 3 };
                let rows = usize::from(op.rows().unwrap_or(0));
                let vector = self.source(lane, a);
                let zero = self.d.f(0.0);
                masked(mask, |c| {
                    if c >= rows {
                        return zero.clone();
                    }
                    let row = self.raw(lane, b, c as u16);
                    self.dot(n, &vector, &row)
                })
            }
            (Opcode::Dp2add, [a, b, add]) => {
                let (a, b, third) = (self.source(lane, a), self.source(lane, b), self.source(lane, add));
                let dot = self.dot(2, &a, &b);
                masked(mask, |c| self.d.add(&dot, &third[self.scalar_component(add, c)]))
            }
            (_, [a]) | (Opcode::Sgn, [a, ..]) => {
                let a = self.source(lane, a);
                self.unary(op, mask, &a)
            }
            (_, [a, b]) => {
                let (a, b) = (self.source(lane, a), self.source(lane, b));
                self.binary(op, dest, &a, &b)
            }
            (_, [a, b, c]) => {
                let (a, b, c) = (self.source(lane, a), self.source(lane, b), self.source(lane, c));
                masked(mask, |k| self.ternary(op, i, &a[k], &b[k], &c[k]))
            }
            _ => [const { None }; 4],
        }
    }

    fn unary(&mut self, op: Opcode, mask: u8, a: &Vec4<D>) -> Components<D> {
        match op {
            Opcode::Lit => {
                let lit = self.lit(a);
                masked(mask, |c| lit[c].clone())
            }
            Opcode::Nrm => {
                let scaled = self.normalized(a);
                masked(mask, |c| scaled[c].clone())
            }
            Opcode::Frc => masked(mask, |c| self.fraction(&a[c])),
            Opcode::Abs => masked(mask, |c| self.d.abs(&a[c])),
            Opcode::Sgn => masked(mask, |c| self.sign(&a[c])),
            // mov, and mova to a register other than a0, which the validator rejects.
            _ => masked(mask, |c| a[c].clone()),
        }
    }

    fn binary(&mut self, op: Opcode, dest: &Dest, a: &Vec4<D>, b: &Vec4<D>) -> Components<D> {
        let d = self.d;
        let mask = dest.mask;
        let truth = |holds: D::B| d.sel(&holds, &d.f(1.0), &d.f(0.0));
        match op {
            Opcode::Add => masked(mask, |c| d.add(&a[c], &b[c])),
            Opcode::Sub => masked(mask, |c| d.sub(&a[c], &b[c])),
            Opcode::Mul => masked(mask, |c| self.product(&a[c], &b[c])),
            Opcode::Min => masked(mask, |c| self.extreme(&d.lt(&a[c], &b[c]), &a[c], &b[c])),
            Opcode::Max => masked(mask, |c| self.extreme(&d.le(&b[c], &a[c]), &a[c], &b[c])),
            Opcode::Slt => masked(mask, |c| truth(d.lt(&a[c], &b[c]))),
            Opcode::Sge => masked(mask, |c| truth(d.le(&b[c], &a[c]))),
            Opcode::Dp3 | Opcode::Dp4 => {
                let dot = self.dot(if op == Opcode::Dp3 { 3 } else { 4 }, a, b);
                masked(mask, |_| dot.clone())
            }
            Opcode::Dst => masked(mask, |c| match c {
                0 => d.f(1.0),
                1 => self.product(&a[1], &b[1]),
                2 => a[2].clone(),
                _ => b[3].clone(),
            }),
            Opcode::Crs => masked(mask & 7, |c| {
                let (j, k) = ((c + 1) % 3, (c + 2) % 3);
                let (plus, minus) = (self.product(&a[j], &b[k]), self.product(&a[k], &b[j]));
                d.sub(&plus, &minus)
            }),
            Opcode::Bem => {
                let moved = self.bumped(dest.number, a, b);
                masked(mask & 3, |c| moved[c].clone())
            }
            _ => [const { None }; 4],
        }
    }

    fn ternary(&mut self, op: Opcode, i: &Instruction, a: &D::F, b: &D::F, c: &D::F) -> D::F {
        let d = self.d;
        match op {
            Opcode::Mad => self.product_and_sum(a, b, c),
            Opcode::Cmp => d.sel(&d.le(&d.f(0.0), a), b, c),
            Opcode::Cnd => {
                let color = i.dest.is_some_and(|d| d.mask != 8);
                if i.coissue != 0 && self.cx.program.version.minor < 4 {
                    self.record(Freedom::CoIssue, &d.b(true));
                    match self.choice(Choice::CndCoissue) {
                        1 if color => return b.clone(),
                        2 => return b.clone(),
                        _ => {}
                    }
                }
                d.sel(&d.lt(&d.f(0.5), a), b, c)
            }
            _ => {
                debug_assert_eq!(op, Opcode::Lrp);
                self.record(Freedom::Approximation, &d.b(true));
                match self.choice(Choice::Interpolation) {
                    0 => d.add(&self.product(a, &d.sub(b, c)), c),
                    _ => d.add(&self.product(a, b), &self.product(&d.sub(&d.f(1.0), a), c)),
                }
            }
        }
    }

    /// Returns `a * b`. An option decides whether the product is always +0 if either factor is zero.
    pub(super) fn product(&mut self, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let zero = d.f(0.0);
        let plain = d.mul(a, b);
        let either = d.or(&d.eq(a, &zero), &d.eq(b, &zero));
        if self.host.records_freedoms() {
            // The choices of the option differ if the result is NaN, and in the sign of zero.
            self.record(Freedom::ZeroTimesInfinity, &d.and(&either, &d.is_not_plus_zero(&plain)));
        }
        match self.choice(Choice::ZeroTimes) {
            0 => d.sel(&either, &zero, &plain),
            _ => plain,
        }
    }

    /// Returns `a * b + c`, rounded twice or, under an option, once. Another option decides whether a product with a zero factor is always zero.
    fn product_and_sum(&mut self, a: &D::F, b: &D::F, c: &D::F) -> D::F {
        let d = self.d;
        self.record(Freedom::Rounding, &d.b(true));
        let separate = d.add(&self.product(a, b), c);
        if self.choice(Choice::Mad) == 0 {
            return separate;
        }
        let fused = d.fma(a, b, c);
        if self.choice(Choice::ZeroTimes) != 0 {
            return fused;
        }
        let zero = d.f(0.0);
        d.sel(&d.or(&d.eq(a, &zero), &d.eq(b, &zero)), &separate, &fused)
    }

    /// Returns the dot product of the first `n` components, summed in order.
    pub(super) fn dot(&mut self, n: usize, a: &Vec4<D>, b: &Vec4<D>) -> D::F {
        let mut sum = self.product(&a[0], &b[0]);
        for k in 1..n {
            let next = self.product(&a[k], &b[k]);
            sum = self.d.add(&sum, &next);
        }
        sum
    }

    /// Evaluates the comparison in an opcode's control field.
    pub(super) fn compare(&self, control: u8, a: &D::F, b: &D::F) -> D::B {
        let d = self.d;
        match Comparison::from_control(control) {
            Some(Comparison::Gt) => d.lt(b, a),
            Some(Comparison::Eq) => d.eq(a, b),
            Some(Comparison::Ge) => d.le(b, a),
            Some(Comparison::Lt) => d.lt(a, b),
            Some(Comparison::Ne) => d.not(&d.eq(a, b)),
            Some(Comparison::Le) => d.le(a, b),
            // The validator rejects all other controls.
            None => d.b(false),
        }
    }

    /// Returns `a` if `selects_a` is true, otherwise `b`. An option decides the result if `b` is NaN.
    fn extreme(&mut self, selects_a: &D::B, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let (a_nan, b_nan) = (d.is_nan(a), d.is_nan(b));
        self.record(Freedom::MinMaxNan, &d.or(&a_nan, &b_nan));
        let plain = d.sel(selects_a, a, b);
        match self.choice(Choice::MinMaxNan) {
            0 => plain,
            _ => d.sel(&b_nan, a, &plain),
        }
    }

    /// Computes component `c` of a scalar operation. The value depends on `c` only for `expp` and `logp` before 2_0.
    fn function(&mut self, op: Opcode, c: usize, x: &D::F) -> D::F {
        let d = self.d;
        let parts = self.cx.program.version.major < 2;
        match op {
            Opcode::Rcp => self.reciprocal(x),
            Opcode::Rsq => self.reciprocal_root(&d.abs(x)),
            Opcode::Exp => d.un(FUn::Exp2, x),
            Opcode::Expp if parts => self.expp_component(c, x),
            Opcode::Expp => d.un(FUn::Exp2, x),
            Opcode::Logp if parts => self.logp_component(c, x),
            _ => self.logarithm(x),
        }
    }

    fn reciprocal(&mut self, x: &D::F) -> D::F {
        let d = self.d;
        let zero = d.eq(x, &d.f(0.0));
        self.record(Freedom::ReciprocalOfZero, &zero);
        let plain = d.div(&d.f(1.0), x);
        match self.choice(Choice::ReciprocalZero) {
            0 => {
                let largest = d.sel(&d.lt(&d.f(0.0), &plain), &d.f(f32::MAX), &d.f(f32::MIN));
                d.sel(&zero, &largest, &plain)
            }
            1 => d.sel(&zero, &d.f(f32::MAX), &plain),
            2 => plain,
            _ => d.sel(&zero, x, &plain),
        }
    }

    /// Returns the reciprocal square root of a non-negative number.
    fn reciprocal_root(&mut self, x: &D::F) -> D::F {
        let d = self.d;
        let zero = d.eq(x, &d.f(0.0));
        self.record(Freedom::RsqOfZero, &zero);
        let plain = d.div(&d.f(1.0), &d.un(FUn::Sqrt, x));
        match self.choice(Choice::RsqZero) {
            0 => d.sel(&zero, &d.f(f32::MAX), &plain),
            _ => plain,
        }
    }

    /// Returns the logarithm that `log` and `logp` compute. An option decides the logarithm of a negative number.
    pub(super) fn logarithm(&mut self, x: &D::F) -> D::F {
        let d = self.d;
        self.record(Freedom::NegativeRoot, &d.lt(x, &d.f(0.0)));
        match self.choice(Choice::LogNegative) {
            0 => self.log_of(&d.abs(x)),
            _ => self.log_of(x),
        }
    }

    /// Returns the logarithm to base 2. An option decides the logarithm of zero.
    pub(super) fn log_of(&mut self, x: &D::F) -> D::F {
        let d = self.d;
        let zero = d.eq(x, &d.f(0.0));
        self.record(Freedom::LogOfZero, &zero);
        let plain = d.un(FUn::Log2, x);
        match self.choice(Choice::LogZero) {
            0 => d.sel(&zero, &d.f(f32::MIN), &plain),
            _ => plain,
        }
    }

    fn power(&mut self, x: &D::F, y: &D::F) -> D::F {
        let d = self.d;
        let log = self.log_of(&d.abs(x));
        let exponent = self.product(y, &log);
        let formula = d.un(FUn::Exp2, &exponent);
        let zero = d.eq(y, &d.f(0.0));
        self.record(Freedom::ZeroExponent, &zero);
        self.record(Freedom::ZeroBase, &d.eq(x, &d.f(0.0)));
        match self.choice(Choice::PowZero) {
            0 => formula,
            _ => d.sel(&zero, &d.f(1.0), &formula),
        }
    }
}

/// Computes the components that a mask selects.
pub(super) fn masked<F>(mask: u8, mut compute: impl FnMut(usize) -> F) -> [Option<F>; 4] {
    std::array::from_fn(|c| (mask >> c & 1 == 1).then(|| compute(c)))
}
