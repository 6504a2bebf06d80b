//! Arithmetic (S1, S9).
//!
//! Operands and results are canonicalized: depending on options, a subnormal number becomes zero, and zero loses its sign. Before that, a result is
//! rounded to the register format. Comparisons, `max`, `min`, `litp` and copies use values unchanged.

use super::{Lane, LaneContext, Vec4};
use crate::host::Host;
use crate::isa::pica200::opcode::Opcode;
use crate::isa::pica200::options::Choice;
use crate::isa::pica200::program::Instruction;
use crate::value::{Domain, FUn, Freedom, ICmp, Narrow};

/// 2^-62, the smallest normal f24.
const SMALLEST_NORMAL: f32 = f32::from_bits((127 - 62) << 23);
/// The bound to which `litp` clamps the exponent: f24 45FFFC.
const LIGHT_LIMIT: f32 = f32::from_bits(0x42ff_fe00);

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Computes the four components of a result, regardless of the write mask, and the condition bits of `litp`. `None` if the descriptor is missing.
    pub(super) fn compute(
        &mut self,
        op: Opcode,
        instruction: &Instruction,
        lane: &mut Lane<D>,
    ) -> Option<Vec4<D>> {
        let d = self.d;
        let [a, b, c] = self.cx.program.sources(instruction);
        let a = self.source(lane, &a?);
        let Some(b) = b else { return Some(self.unary(op, &a, lane)) };
        let b = self.source(lane, &b);
        if let Some(c) = c {
            debug_assert!(matches!(op, Opcode::Mad | Opcode::Madi), "{op:?}");
            let c = self.source(lane, &c);
            return Some(std::array::from_fn(|i| {
                let product = self.product(&a[i], &b[i]);
                let c = self.canonicalize(&c[i]);
                self.sum(&product, &c)
            }));
        }
        let truth = |c: D::B| d.sel(&c, &d.f(1.0), &d.f(0.0));
        Some(match op {
            Opcode::Dp3 => {
                let dot = self.dot(3, &a, &b);
                std::array::from_fn(|_| dot.clone())
            }
            Opcode::Dp4 => {
                let dot = self.dot(4, &a, &b);
                std::array::from_fn(|_| dot.clone())
            }
            Opcode::Dph | Opcode::Dphi => {
                let [x, y, z, _] = a;
                let dot = self.dot(4, &[x, y, z, d.f(1.0)], &b);
                std::array::from_fn(|_| dot.clone())
            }
            Opcode::Dst | Opcode::Dsti => {
                let y = self.product(&a[1], &b[1]);
                [d.f(1.0), y, a[2].clone(), b[3].clone()]
            }
            _ => std::array::from_fn(|i| {
                let (a, b) = (&a[i], &b[i]);
                match op {
                    Opcode::Add => {
                        let (a, b) = (self.canonicalize(a), self.canonicalize(b));
                        self.sum(&a, &b)
                    }
                    Opcode::Mul => self.product(a, b),
                    Opcode::Sge | Opcode::Sgei => truth(d.le(b, a)),
                    Opcode::Slt | Opcode::Slti => truth(d.lt(a, b)),
                    Opcode::Max => self.larger(a, b),
                    Opcode::Min => d.sel(&d.lt(a, b), a, b),
                    _ => a.clone(),
                }
            }),
        })
    }

    fn unary(&mut self, op: Opcode, a: &Vec4<D>, lane: &mut Lane<D>) -> Vec4<D> {
        let d = self.d;
        match op {
            Opcode::Flr => std::array::from_fn(|i| {
                let a = self.canonicalize(&a[i]);
                self.result(&d.un(FUn::Floor, &a))
            }),
            Opcode::Ex2 | Opcode::Lg2 | Opcode::Rcp | Opcode::Rsq => {
                let x = self.canonicalize(&a[0]);
                let value = match op {
                    Opcode::Ex2 => d.un(FUn::Exp2, &x),
                    Opcode::Lg2 => d.un(FUn::Log2, &x),
                    Opcode::Rcp => d.div(&d.f(1.0), &x),
                    _ => d.div(&d.f(1.0), &d.un(FUn::Sqrt, &x)),
                };
                let value = self.result(&value);
                std::array::from_fn(|_| value.clone())
            }
            Opcode::Litp => {
                let zero = d.f(0.0);
                lane.cmp = [d.le(&zero, &a[0]), d.le(&zero, &a[3])];
                let (low, high) = (d.f(-LIGHT_LIMIT), d.f(LIGHT_LIMIT));
                let at_least = d.sel(&d.lt(&low, &a[1]), &a[1], &low);
                let clamped = d.sel(&d.lt(&at_least, &high), &at_least, &high);
                [self.max_with_zero(&a[0]), clamped, zero, self.max_with_zero(&a[3])]
            }
            _ => {
                debug_assert_eq!(op, Opcode::Mov);
                a.clone()
            }
        }
    }

    /// Canonicalizes an operand or a rounded result: depending on options, a subnormal number becomes zero, and zero loses its sign.
    fn canonicalize(&mut self, a: &D::F) -> D::F {
        let d = self.d;
        let zero = d.f(0.0);
        let tiny = d.lt(&d.abs(a), &d.f(SMALLEST_NORMAL));
        let is_zero = d.eq(a, &zero);
        self.record(Freedom::Subnormal, &d.and(&tiny, &d.not(&is_zero)));
        let signed = d.not(&d.icmp(ICmp::Eq, &d.bits(a), &d.i(0)));
        self.record(Freedom::SignOfZero, &d.and(&is_zero, &signed));
        let flush = self.choice(Choice::Subnormal) == 0;
        let unsigned = self.choice(Choice::NegativeZero) == 0;
        match (flush, unsigned) {
            (true, true) => d.sel(&tiny, &zero, a),
            (true, false) => d.sel(&d.and(&tiny, &d.not(&is_zero)), &zero, a),
            (false, true) => d.sel(&is_zero, &zero, a),
            (false, false) => a.clone(),
        }
    }

    /// Rounds a result to the register format, then canonicalizes it.
    fn result(&mut self, a: &D::F) -> D::F {
        let d = self.d;
        let rounded = match self.choice(Choice::Number) {
            0 => d.un(FUn::Narrow(Narrow::F24Zero), a),
            1 => d.un(FUn::Narrow(Narrow::F24Nearest), a),
            2 => a.clone(),
            _ => d.un(FUn::Narrow(Narrow::F24ZeroSaturate), a),
        };
        let exact = d.un(FUn::Narrow(Narrow::F24Zero), a);
        self.record(Freedom::Rounding, &d.not(&d.eq(&exact, a)));
        self.canonicalize(&rounded)
    }

    /// Returns the rounded sum of two operands, which the caller has canonicalized.
    fn sum(&mut self, a: &D::F, b: &D::F) -> D::F {
        let sum = self.d.add(a, b);
        self.result(&sum)
    }

    fn product(&mut self, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let (a, b) = (self.canonicalize(a), self.canonicalize(b));
        let zero = d.f(0.0);
        let product = d.mul(&a, &b);
        let either_zero = d.or(&d.eq(&a, &zero), &d.eq(&b, &zero));
        if self.host.records_freedoms() {
            // The choices of the option differ if the product is NaN, and in the sign of zero.
            self.record(Freedom::ZeroTimesInfinity, &d.and(&either_zero, &d.is_not_plus_zero(&product)));
        }
        let product = match self.choice(Choice::ZeroProduct) {
            0 => {
                // If neither operand is NaN, a product is NaN only for zero times infinity.
                let numbers = d.and(&d.eq(&a, &a), &d.eq(&b, &b));
                d.sel(&d.and(&numbers, &d.is_nan(&product)), &zero, &product)
            }
            _ => d.sel(&either_zero, &zero, &product),
        };
        self.result(&product)
    }

    /// Returns the dot product of the first `n` components.
    fn dot(&mut self, n: usize, a: &Vec4<D>, b: &Vec4<D>) -> D::F {
        self.record(Freedom::SummationOrder, &self.d.b(true));
        let products: Vec4<D> =
            std::array::from_fn(|i| if i < n { self.product(&a[i], &b[i]) } else { self.d.f(0.0) });
        if self.choice(Choice::DotOrder) == 0 {
            let zero = self.d.f(0.0);
            return products.iter().take(n).fold(zero, |sum, product| self.sum(&sum, product));
        }
        let first = self.sum(&products[0], &products[1]);
        let second = if n == 3 { products[2].clone() } else { self.sum(&products[2], &products[3]) };
        self.sum(&first, &second)
    }

    /// Computes x and w of `litp`: `max(a, 0)`. An option decides the result for NaN.
    fn max_with_zero(&mut self, a: &D::F) -> D::F {
        let d = self.d;
        let nan = d.is_nan(a);
        self.record(Freedom::MinMaxNan, &nan);
        let zero = d.f(0.0);
        let plain = d.sel(&d.lt(&zero, a), a, &zero);
        if self.choice(Choice::LitpNan) == 0 { plain } else { d.sel(&nan, a, &plain) }
    }

    /// Computes `max`. An option decides the result if the second operand is infinite.
    fn larger(&mut self, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let infinite = d.eq(&d.abs(b), &d.f(f32::INFINITY));
        self.record(Freedom::MinMaxInfinity, &infinite);
        let plain = d.sel(&d.lt(b, a), a, b);
        match self.choice(Choice::MinMaxInfinity) {
            0 => plain,
            _ => d.sel(&infinite, b, &plain),
        }
    }
}
