//! Lowers arithmetic instructions that need more than one operation per component: `lit`, `nrm`, `frc`, `sgn`, `sincos` and others.

use super::{Components, Lower};
use crate::ir::{Op, Value};
use crate::isa::d3d9::opcode::Opcode;
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::Source;
use crate::value::{BBin, FCmp, FUn, IBin};

impl Lower<'_, '_> {
    pub(super) fn lit(&mut self, mask: u8, source: &Source) -> Components {
        let needs = u8::from(mask & 2 != 0) | if mask & 4 != 0 { 0b1011 } else { 0 };
        let a = self.components(source, needs);
        let zero = self.b.f(0.0);
        self.each(mask, |l, c| match (c, a) {
            (1, [Some(x), ..]) => l.b.max(x, zero),
            (2, [Some(x), Some(y), _, Some(w)]) => l.specular(x, y, w),
            _ => l.b.f(1.0),
        })
    }

    fn specular(&mut self, x: Value, y: Value, w: Value) -> Value {
        let limit = if self.option_is(Choice::LitPower, 0) { 127.9961 } else { 128.0 };
        let power = self.bounded(w, limit);
        let zero = self.b.f(0.0);
        let cmp = if self.option_is(Choice::LitTest, 0) { FCmp::Lt } else { FCmp::Le };
        let x_passes = self.b.cmp(cmp, zero, x);
        let y_positive = self.b.cmp(FCmp::Lt, zero, y);
        let is_lit = self.b.logic(BBin::And, x_passes, y_positive);
        let log = self.log2(y);
        let exponent = self.product(power, log);
        let value = self.b.un(FUn::Exp2, exponent);
        self.b.sel(is_lit, value, zero)
    }

    pub(super) fn normalize(&mut self, mask: u8, source: &Source) -> Components {
        let a = self.components(source, mask | 7);
        let first = a[0].unwrap_or(Value(0));
        let a = a.map(|v| v.unwrap_or(first));
        let square = self.dot(3, &a, &a);
        let root = self.b.un(FUn::Sqrt, square);
        let (one, zero) = (self.b.f(1.0), self.b.f(0.0));
        let mut factor = self.b.div(one, root);
        let is_zero = self.b.cmp(FCmp::Eq, square, zero);
        let finite = self.option_is(Choice::NormalizeZero, 0);
        if finite {
            let largest = self.b.f(f32::MAX);
            factor = self.b.sel(is_zero, largest, factor);
        }
        let keeps = !finite && self.option_is(Choice::NormalizeZero, 1);
        self.each(mask, |l, c| {
            let scaled = l.product(a[c], factor);
            if finite {
                return scaled;
            }
            let instead = if keeps { a[c] } else { l.b.f(f32::NAN) };
            l.b.sel(is_zero, instead, scaled)
        })
    }

    pub(super) fn fraction(&mut self, x: Value) -> Value {
        let floor = self.b.un(FUn::Floor, x);
        let plain = self.b.sub(x, floor);
        if self.option_is(Choice::FractionOne, 0) {
            return plain;
        }
        let (one, below) = (self.b.f(1.0), self.b.f(f32::from_bits(0x3f7f_ffff)));
        let is_one = self.b.cmp(FCmp::Eq, plain, one);
        self.b.sel(is_one, below, plain)
    }

    pub(super) fn sign(&mut self, x: Value) -> Value {
        let (zero, one, minus) = (self.b.f(0.0), self.b.f(1.0), self.b.f(-1.0));
        let is_zero = self.b.cmp(FCmp::Eq, x, zero);
        let below = self.b.cmp(FCmp::Lt, x, zero);
        let not_below = self.b.sel(is_zero, zero, one);
        let sign = self.b.sel(below, minus, not_below);
        if self.option_is(Choice::SignNan, 0) {
            return sign;
        }
        let number = self.b.cmp(FCmp::Eq, x, x);
        let instead = if self.option_is(Choice::SignNan, 1) { zero } else { x };
        self.b.sel(number, sign, instead)
    }

    /// Computes component `c` of `expp` or `logp` before 2_0.
    pub(super) fn expp_or_logp_component(&mut self, op: Opcode, c: usize, x: Value) -> Value {
        if op == Opcode::Expp {
            return match c {
                0 => {
                    let floor = self.b.un(FUn::Floor, x);
                    self.b.un(FUn::Exp2, floor)
                }
                1 => {
                    let floor = self.b.un(FUn::Floor, x);
                    self.b.sub(x, floor)
                }
                2 => {
                    let power = self.b.un(FUn::Exp2, x);
                    self.clear_last_byte(power)
                }
                _ => self.b.f(1.0),
            };
        }
        if c == 2 || !self.option_is(Choice::LogpParts, 0) {
            let log = self.logarithm(x);
            return self.clear_last_byte(log);
        }
        if c == 3 {
            return self.b.f(1.0);
        }
        let bits = self.b.op(Op::Bits, &[x]);
        if c == 1 {
            let (fraction, exponent) = (self.b.i(0x7f_ffff), self.b.i(127 << 23));
            let low = self.b.ibin(IBin::And, bits, fraction);
            let mantissa = self.b.ibin(IBin::Or, low, exponent);
            return self.b.op(Op::FromBits, &[mantissa]);
        }
        let (width, byte, bias) = (self.b.i(23), self.b.i(255), self.b.i(127));
        let high = self.b.ibin(IBin::ShrU, bits, width);
        let field = self.b.ibin(IBin::And, high, byte);
        let exponent = self.b.ibin(IBin::Sub, field, bias);
        let exponent = self.b.op(Op::ToF, &[exponent]);
        let (zero, lowest) = (self.b.f(0.0), self.b.f(f32::MIN));
        let is_zero = self.b.cmp(FCmp::Eq, x, zero);
        self.b.sel(is_zero, lowest, exponent)
    }

    /// Clears the lowest byte of the value's bits, if the option `partial_precision` is set to truncate.
    fn clear_last_byte(&mut self, x: Value) -> Value {
        if self.option_is(Choice::PartialPrecision, 0) {
            return x;
        }
        let bits = self.b.op(Op::Bits, &[x]);
        let mask = self.b.i(!0xff);
        let bits = self.b.ibin(IBin::And, bits, mask);
        self.b.op(Op::FromBits, &[bits])
    }

    pub(super) fn sine_cosine(&mut self, mask: u8, sources: &[Source]) -> Components {
        let Some(angle) = sources.first() else { return [None; 4] };
        let x = self.scalars(angle, mask & 3);
        let by_macro = sources.len() == 3;
        let mut out = if by_macro && self.option_is(Choice::SineCosine, 1) {
            let (a, b) = (self.vector(&sources[1], 4), self.vector(&sources[2], 4));
            self.each(mask & 3, |l, c| l.series(c, x[c].unwrap_or(Value(0)), a, b))
        } else {
            self.each(mask & 3, |l, c| l.b.un([FUn::Cos, FUn::Sin][c & 1], x[c].unwrap_or(Value(0))))
        };
        if by_macro && mask & 7 != 7 && self.option_is(Choice::SineCosineLanes, 1) {
            let zero = self.b.f(0.0);
            out[..3].iter_mut().for_each(|part| _ = part.get_or_insert(zero));
        }
        out
    }

    /// Computes the power series of the sincos macro in half the angle: the cosine for c = 0, otherwise the sine.
    fn series(&mut self, c: usize, x: Value, a: [Value; 4], b: [Value; 4]) -> Value {
        let square = self.product(x, x);
        let mut polynomial = |coefficients: [Value; 4]| {
            coefficients.into_iter().reduce(|sum, next| {
                let product = self.product(sum, square);
                self.b.add(product, next)
            })
        };
        let sine = polynomial([a[0], a[3], b[0], b[3]]).unwrap_or(x);
        let cosine = if c == 0 { None } else { polynomial([a[1], a[2], b[1], b[2]]) };
        let sine = self.product(sine, x);
        let half = self.product(cosine.unwrap_or(sine), sine);
        let double = self.b.add(half, half);
        if c == 0 { self.b.sub(b[2], double) } else { double }
    }
}
