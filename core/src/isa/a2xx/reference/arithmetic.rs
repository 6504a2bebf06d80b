//! Arithmetic operations of the reference (xenia).

use super::{LaneContext, Vec4};
use crate::host::Host;
use crate::isa::a2xx::options::Choice;
use crate::value::{Domain, FUn, Freedom, IBin};

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Flushes a subnormal to a zero of the same sign.
    fn flushed(&self, a: &D::F) -> D::F {
        let d = self.d;
        let tiny = d.lt(&d.abs(a), &d.f(f32::MIN_POSITIVE));
        let zero = d.from_bits(&d.ibin(IBin::And, &d.bits(a), &d.i(i32::MIN)));
        d.sel(&tiny, &zero, a)
    }

    fn record_subnormal(&mut self, a: &D::F) {
        let d = self.d;
        let tiny = d.lt(&d.abs(a), &d.f(f32::MIN_POSITIVE));
        self.record(Freedom::Subnormal, &d.and(&tiny, &d.not(&d.eq(a, &d.f(0.0)))));
    }

    /// Returns an operand, flushed as the options require.
    pub(super) fn flush_input(&mut self, a: &D::F) -> D::F {
        self.record_subnormal(a);
        if self.choice(Choice::DenormalInput) == 0 { self.flushed(a) } else { a.clone() }
    }

    /// Returns an arithmetic result, flushed as the options require.
    pub(super) fn result(&mut self, a: &D::F) -> D::F {
        self.record_subnormal(a);
        if self.choice(Choice::DenormalResult) == 0 { self.flushed(a) } else { a.clone() }
    }

    pub(super) fn sum(&mut self, a: &D::F, b: &D::F) -> D::F {
        let sum = self.d.add(a, b);
        self.result(&sum)
    }

    pub(super) fn difference(&mut self, a: &D::F, b: &D::F) -> D::F {
        let difference = self.d.sub(a, b);
        self.result(&difference)
    }

    /// Returns a product before flushing. Under an option, the product is +0 if a factor is zero.
    fn bare_product(&mut self, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let zero = d.f(0.0);
        let either = d.or(&d.eq(a, &zero), &d.eq(b, &zero));
        self.record(Freedom::ZeroTimesInfinity, &either);
        let product = d.mul(a, b);
        if self.choice(Choice::LegacyMultiply) == 0 { d.sel(&either, &zero, &product) } else { product }
    }

    pub(super) fn product(&mut self, a: &D::F, b: &D::F) -> D::F {
        let product = self.bare_product(a, b);
        self.result(&product)
    }

    /// Returns a * b + c, rounded twice or, under an option, once.
    pub(super) fn product_and_sum(&mut self, a: &D::F, b: &D::F, c: &D::F) -> D::F {
        let d = self.d;
        self.record(Freedom::Rounding, &d.b(true));
        if self.choice(Choice::Muladd) == 0 {
            let product = self.product(a, b);
            return self.sum(&product, c);
        }
        let fused = d.fma(a, b, c);
        if self.choice(Choice::LegacyMultiply) != 0 {
            return self.result(&fused);
        }
        // A zero factor gives +0, to which c is still added.
        let zero = d.f(0.0);
        let either = d.or(&d.eq(a, &zero), &d.eq(b, &zero));
        self.record(Freedom::ZeroTimesInfinity, &either);
        let sum = d.sel(&either, &d.add(&zero, c), &fused);
        self.result(&sum)
    }

    /// Returns a >= b ? a : b, with the options for NaN.
    pub(super) fn max_of(&mut self, a: &D::F, b: &D::F) -> D::F {
        let is_a = self.d.le(b, a);
        self.extreme(&is_a, a, b)
    }

    /// Returns a < b ? a : b, with the options for NaN.
    pub(super) fn min_of(&mut self, a: &D::F, b: &D::F) -> D::F {
        let is_a = self.d.lt(a, b);
        self.extreme(&is_a, a, b)
    }

    /// Returns a if `is_a` is true, otherwise b, with the options for NaN.
    fn extreme(&mut self, is_a: &D::B, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let (a_nan, b_nan) = (d.is_nan(a), d.is_nan(b));
        self.record(Freedom::MinMaxNan, &d.or(&a_nan, &b_nan));
        let plain = d.sel(is_a, a, b);
        match self.choice(Choice::MinMaxNan) {
            0 => plain,
            // `plain` is b if either operand is NaN.
            _ => d.sel(&b_nan, a, &plain),
        }
    }

    pub(super) fn fraction(&mut self, a: &D::F) -> D::F {
        let floor = self.d.un(FUn::Floor, a);
        self.difference(a, &floor)
    }

    /// Converts a condition to 1 or 0.
    pub(super) fn bool_to_float(&self, holds: &D::B) -> D::F {
        self.d.sel(holds, &self.d.f(1.0), &self.d.f(0.0))
    }

    /// Clamps a number to 0 … 1.
    pub(super) fn clamped(&mut self, a: &D::F) -> D::F {
        let d = self.d;
        let (zero, one) = (d.f(0.0), d.f(1.0));
        self.record(Freedom::SaturateNan, &d.is_nan(a));
        let at_least_zero = |v: &D::F| d.sel(&d.lt(&zero, v), v, &zero);
        let at_most_one = |v: &D::F| d.sel(&d.lt(v, &one), v, &one);
        match self.choice(Choice::ClampNan) {
            0 => at_most_one(&at_least_zero(a)),
            _ => at_least_zero(&at_most_one(a)),
        }
    }

    /// Converts an integral number to an address, clamped to -256..255. NaN gives -256.
    pub(super) fn address(&mut self, whole: &D::F) -> D::I {
        let d = self.d;
        let (low, high) = (d.f(-256.0), d.f(255.0));
        self.record(Freedom::IndexConversion, &d.is_nan(whole));
        let at_least = d.sel(&d.le(&low, whole), whole, &low);
        let clamped = d.sel(&d.lt(&high, &at_least), &high, &at_least);
        d.trunc_i(&clamped)
    }

    /// Rounds to the nearest address; ties round up.
    pub(super) fn nearest_address(&mut self, a: &D::F) -> D::I {
        let d = self.d;
        let whole = d.un(FUn::Floor, &d.add(a, &d.f(0.5)));
        self.address(&whole)
    }

    /// Rounds down to an address.
    pub(super) fn floor_address(&mut self, a: &D::F) -> D::I {
        let whole = self.d.un(FUn::Floor, a);
        self.address(&whole)
    }

    /// Returns the sum of the products of the components in `order`, plus `addend`.
    pub(super) fn dot(&mut self, order: &[usize], a: &Vec4<D>, b: &Vec4<D>, addend: Option<&D::F>) -> D::F {
        let d = self.d;
        self.record(Freedom::SummationOrder, &d.b(true));
        let from_zero = self.choice(Choice::Dot) == 0;
        let mut sum = from_zero.then(|| d.f(0.0));
        for c in order {
            let product = self.product(&a[*c], &b[*c]);
            sum = Some(match sum {
                Some(sum) => self.sum(&sum, &product),
                None => product,
            });
        }
        match (sum, addend) {
            (Some(sum), Some(addend)) => self.sum(&sum, addend),
            (Some(sum), None) => sum,
            (None, _) => d.f(0.0),
        }
    }

    /// Rounds the result of a transcendental function as the options require.
    pub(super) fn function(&mut self, a: &D::F) -> D::F {
        let d = self.d;
        self.record(Freedom::Rounding, &d.b(true));
        let a = if self.choice(Choice::Precision) == 0 { a.clone() } else { self.round_to_21_bits(a) };
        self.result(&a)
    }

    /// Rounds to 21 bits of mantissa, half away from zero, without overflow of finite values to infinity (canary). Infinities and NaN are unchanged,
    /// since their low bits are already zero.
    fn round_to_21_bits(&self, a: &D::F) -> D::F {
        let d = self.d;
        let mask = d.i(!3);
        let bits = d.bits(a);
        let cut = d.ibin(IBin::And, &bits, &mask);
        let rounded = d.ibin(IBin::And, &d.ibin(IBin::Add, &bits, &d.i(2)), &mask);
        let rounded = d.from_bits(&rounded);
        let fits = d.lt(&d.abs(&rounded), &d.f(f32::INFINITY));
        d.sel(&fits, &rounded, &d.from_bits(&cut))
    }
}
