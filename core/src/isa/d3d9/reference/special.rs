//! Arithmetic instructions with longer formulas: `lit`, `nrm`, `frc`, `sgn`, `expp` and `logp` before 2_0, and `sincos` (MS, 9ON12).

use super::arithmetic::masked;
use super::{Components, Lane, LaneContext, Vec4};
use crate::host::Host;
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::Source;
use crate::value::{Domain, FUn, Freedom, IBin};

/// The largest number below 1.
const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Computes `lit`: 1, diffuse, specular, 1.
    pub(super) fn lit(&mut self, a: &Vec4<D>) -> Vec4<D> {
        let d = self.d;
        let (zero, one) = (d.f(0.0), d.f(1.0));
        let (x, y) = (&a[0], &a[1]);
        self.record(Freedom::Approximation, &d.b(true));
        let limit = match self.choice(Choice::LitPower) {
            0 => 127.9961,
            _ => 128.0,
        };
        let (low, high) = (d.f(-limit), d.f(limit));
        let power = d.sel(&d.lt(&a[3], &low), &low, &d.sel(&d.lt(&high, &a[3]), &high, &a[3]));
        let diffuse = d.sel(&d.lt(&zero, x), x, &zero);
        let is_lit = match self.choice(Choice::LitTest) {
            0 => d.and(&d.lt(&zero, x), &d.lt(&zero, y)),
            _ => d.and(&d.le(&zero, x), &d.lt(&zero, y)),
        };
        let log = self.log_of(y);
        let exponent = self.product(&power, &log);
        let specular = d.sel(&is_lit, &d.un(FUn::Exp2, &exponent), &zero);
        [one.clone(), diffuse, specular, one]
    }

    /// Returns the vector divided by the length of its first three components.
    pub(super) fn normalized(&mut self, a: &Vec4<D>) -> Vec4<D> {
        let d = self.d;
        let square = self.dot(3, a, a);
        let zero = d.eq(&square, &d.f(0.0));
        self.record(Freedom::NormalizeZero, &zero);
        let factor = d.div(&d.f(1.0), &d.un(FUn::Sqrt, &square));
        match self.choice(Choice::NormalizeZero) {
            0 => {
                let factor = d.sel(&zero, &d.f(f32::MAX), &factor);
                std::array::from_fn(|c| self.product(&a[c], &factor))
            }
            1 => std::array::from_fn(|c| d.sel(&zero, &a[c], &self.product(&a[c], &factor))),
            _ => std::array::from_fn(|c| d.sel(&zero, &d.f(f32::NAN), &self.product(&a[c], &factor))),
        }
    }

    pub(super) fn fraction(&mut self, x: &D::F) -> D::F {
        let d = self.d;
        let plain = d.sub(x, &d.un(FUn::Floor, x));
        let one = d.eq(&plain, &d.f(1.0));
        self.record(Freedom::Approximation, &one);
        match self.choice(Choice::FractionOne) {
            0 => plain,
            _ => d.sel(&one, &d.f(BELOW_ONE), &plain),
        }
    }

    pub(super) fn sign(&mut self, x: &D::F) -> D::F {
        let d = self.d;
        let (zero, one, minus) = (d.f(0.0), d.f(1.0), d.f(-1.0));
        let nan = d.is_nan(x);
        self.record(Freedom::SignOfNan, &nan);
        let below = d.lt(x, &zero);
        let sign = d.sel(&below, &minus, &d.sel(&d.eq(x, &zero), &zero, &one));
        match self.choice(Choice::SignNan) {
            0 => sign,
            1 => d.sel(&nan, &zero, &sign),
            _ => d.sel(&nan, x, &sign),
        }
    }

    /// Returns component `c` of `expp` before 2_0: 2^floor(x), x - floor(x), 2^x, 1.
    pub(super) fn expp_component(&mut self, c: usize, x: &D::F) -> D::F {
        let d = self.d;
        let floor = d.un(FUn::Floor, x);
        match c {
            0 => d.un(FUn::Exp2, &floor),
            1 => d.sub(x, &floor),
            2 => {
                let power = d.un(FUn::Exp2, x);
                self.partial(power)
            }
            _ => d.f(1.0),
        }
    }

    /// Returns component `c` of `logp` before 2_0: exponent, mantissa, logarithm, 1. Under an option, every component is the logarithm.
    pub(super) fn logp_component(&mut self, c: usize, x: &D::F) -> D::F {
        let d = self.d;
        self.record(Freedom::Approximation, &d.b(true));
        if self.choice(Choice::LogpParts) != 0 || c == 2 {
            let log = self.logarithm(x);
            return self.partial(log);
        }
        let zero = d.eq(x, &d.f(0.0));
        let bits = d.bits(x);
        match c {
            0 => {
                let field = d.ibin(IBin::And, &d.ibin(IBin::ShrU, &bits, &d.i(23)), &d.i(0xff));
                let exponent = d.to_f(&d.ibin(IBin::Sub, &field, &d.i(127)));
                d.sel(&zero, &d.f(f32::MIN), &exponent)
            }
            1 => {
                let low = d.ibin(IBin::And, &bits, &d.i(0x007f_ffff));
                d.from_bits(&d.ibin(IBin::Or, &low, &d.i(0x3f80_0000)))
            }
            _ => d.f(1.0),
        }
    }

    /// Returns the result `x` of `expp` or `logp` before 2_0. Under an option, its lowest byte is cleared.
    fn partial(&mut self, x: D::F) -> D::F {
        let d = self.d;
        self.record(Freedom::Approximation, &d.b(true));
        match self.choice(Choice::PartialPrecision) {
            0 => x,
            _ => d.from_bits(&d.ibin(IBin::And, &d.bits(&x), &d.i(-256))),
        }
    }

    /// Computes `sincos`: x is the cosine and y the sine. Under an option, versions in which `sincos` is a macro compute it by the macro's series.
    pub(super) fn sine_cosine(&mut self, mask: u8, sources: &[Source], lane: &Lane<D>) -> Components<D> {
        let d = self.d;
        let Some(angle) = sources.first() else { return [const { None }; 4] };
        let (value, series) = (self.source(lane, angle), sources.get(1).zip(sources.get(2)));
        if series.is_some() {
            self.record(Freedom::Approximation, &d.b(true));
        }
        let constants = match series {
            Some((a, b)) if self.choice(Choice::SineCosine) != 0 => {
                Some((self.source(lane, a), self.source(lane, b)))
            }
            _ => None,
        };
        let mut result = masked(mask & 3, |c| {
            let x = &value[self.scalar_component(angle, c)];
            self.record(Freedom::AngleRange, &d.lt(&d.f(std::f32::consts::PI), &d.abs(x)));
            match &constants {
                Some((a, b)) => self.half_angle(c, x, a, b),
                None => d.un(if c == 0 { FUn::Cos } else { FUn::Sin }, x),
            }
        });
        if series.is_some() && mask & 7 != 7 {
            self.record(Freedom::UndefinedLane, &d.b(true));
            if self.choice(Choice::SineCosineLanes) != 0 {
                for part in result.iter_mut().take(3) {
                    part.get_or_insert_with(|| d.f(0.0));
                }
            }
        }
        result
    }

    /// Computes component `c` by the power series in half the angle: `a` is -1/(7!*128), -1/(6!*64), 1/(4!*16), 1/(5!*32), `b` is -1/(3!*8),
    /// -1/(2!*4), 1, 0.5 (MSTOK).
    fn half_angle(&mut self, c: usize, x: &D::F, a: &Vec4<D>, b: &Vec4<D>) -> D::F {
        let d = self.d;
        let square = self.product(x, x);
        let mut series = |coefficients: [&D::F; 4]| {
            let [last, rest @ ..] = coefficients;
            let mut sum = last.clone();
            for next in rest {
                sum = d.add(&self.product(&sum, &square), next);
            }
            sum
        };
        let sine = series([&a[0], &a[3], &b[0], &b[3]]);
        let cosine = series([&a[1], &a[2], &b[1], &b[2]]);
        let sine = self.product(&sine, x);
        if c == 0 {
            let half = self.product(&sine, &sine);
            return d.sub(&b[2], &d.add(&half, &half));
        }
        let half = self.product(&cosine, &sine);
        d.add(&half, &half)
    }
}
