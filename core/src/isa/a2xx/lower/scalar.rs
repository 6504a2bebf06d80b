//! Lowers the scalar half of an ALU slot.

use super::Lower;
use super::alu::SideEffects;
use crate::ir::{Op, Value};
use crate::isa::a2xx::opcode::{ScalarOp, ScalarShape};
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::Alu;
use crate::value::{BBin, FCmp, FUn};

impl Lower<'_, '_> {
    /// Returns operands a and b; an operand that the operation does not read is 0.
    fn scalars(&mut self, op: ScalarOp, alu: &Alu) -> [Value; 2] {
        let zero = self.b.f(0.0);
        match op.shape() {
            ScalarShape::None => [zero; 2],
            ScalarShape::One | ScalarShape::OnePrevious => [self.operand(alu, 3, 8)[3].unwrap_or(zero), zero],
            ScalarShape::Two | ScalarShape::TwoPrevious => {
                let (a, b) = if self.option_is(Choice::ScalarOperands, 0) {
                    alu.scalar_channels()
                } else if self.option_is(Choice::ScalarOperands, 1) {
                    (3, 0)
                } else {
                    (2, 3)
                };
                let read = self.operand(alu, 3, 1 << a | 1 << b);
                [read[a].unwrap_or(zero), read[b].unwrap_or(zero)]
            }
            ScalarShape::Constant => self.constant_pair(alu),
        }
    }

    fn previous(&mut self) -> Value {
        let var = self.float_var(0);
        self.b.read(var)
    }

    /// Lowers a scalar operation.
    pub(super) fn scalar(&mut self, op: ScalarOp, alu: &Alu) -> (Value, SideEffects) {
        let [a, b] = self.scalars(op, alu);
        let mut effects = SideEffects::default();
        let (zero, one) = (self.b.f(0.0), self.b.f(1.0));
        let value = match op {
            ScalarOp::Adds | ScalarOp::AddConst0 | ScalarOp::AddConst1 => self.sum(a, b),
            ScalarOp::Muls | ScalarOp::MulConst0 | ScalarOp::MulConst1 => self.product(a, b),
            ScalarOp::Subs | ScalarOp::SubConst0 | ScalarOp::SubConst1 => self.difference(a, b),
            ScalarOp::AddPrevs => {
                let previous = self.previous();
                self.sum(a, previous)
            }
            ScalarOp::MulPrevs => {
                let previous = self.previous();
                self.product(a, previous)
            }
            ScalarOp::SubPrevs => {
                let previous = self.previous();
                self.difference(a, previous)
            }
            ScalarOp::MulPrev2s => self.mul_prev2(a, b),
            ScalarOp::Maxs => self.max_of(a, b),
            ScalarOp::Mins => self.min_of(a, b),
            ScalarOp::Setes | ScalarOp::Setgts | ScalarOp::Setgtes | ScalarOp::Setnes => {
                let holds = self.compare_with_zero(op, a);
                self.bool_to_float(holds)
            }
            ScalarOp::Fracs => self.fraction(a),
            ScalarOp::Truncs => self.b.un(FUn::Trunc, a),
            ScalarOp::Floors => self.b.un(FUn::Floor, a),
            ScalarOp::ExpIeee
            | ScalarOp::LogClamp
            | ScalarOp::LogIeee
            | ScalarOp::RecipClamp
            | ScalarOp::RecipFf
            | ScalarOp::RecipIeee
            | ScalarOp::RecipsqClamp
            | ScalarOp::RecipsqFf
            | ScalarOp::RecipsqIeee
            | ScalarOp::SqrtIeee => self.transcendental(op, a),
            ScalarOp::Sin | ScalarOp::Cos => {
                let a = self.angle(a);
                let value = self.b.un(if op == ScalarOp::Sin { FUn::Sin } else { FUn::Cos }, a);
                self.result(value)
            }
            ScalarOp::Movas => {
                effects.a0 = Some(self.nearest_address(a));
                self.max_of(a, b)
            }
            ScalarOp::MovaFloors => {
                effects.a0 = Some(self.floor_address(a));
                self.max_of(a, b)
            }
            ScalarOp::PredSetes | ScalarOp::PredSetnes | ScalarOp::PredSetgts | ScalarOp::PredSetgtes => {
                let holds = self.compare_with_zero(op, a);
                effects.predicate = Some(holds);
                self.b.sel(holds, zero, one)
            }
            ScalarOp::PredSetInvs => {
                let holds = self.b.cmp(FCmp::Eq, a, one);
                let none = self.b.cmp(FCmp::Eq, a, zero);
                let other = self.b.sel(none, one, a);
                effects.predicate = Some(holds);
                self.b.sel(holds, zero, other)
            }
            ScalarOp::PredSetPops => {
                let left = self.difference(a, one);
                let holds = self.b.cmp(FCmp::Le, left, zero);
                effects.predicate = Some(holds);
                self.b.sel(holds, zero, left)
            }
            ScalarOp::PredSetClrs => {
                effects.predicate = Some(self.b.b(false));
                self.b.f(f32::MAX)
            }
            ScalarOp::PredSetRestores => {
                let holds = self.b.cmp(FCmp::Eq, a, zero);
                effects.predicate = Some(holds);
                self.b.sel(holds, zero, a)
            }
            ScalarOp::Killes | ScalarOp::Killgts | ScalarOp::Killgtes | ScalarOp::Killnes => {
                let kill = self.compare_with_zero(op, a);
                effects.kill = Some(kill);
                self.bool_to_float(kill)
            }
            ScalarOp::Killones => {
                let kill = self.b.cmp(FCmp::Eq, a, one);
                effects.kill = Some(kill);
                self.bool_to_float(kill)
            }
            ScalarOp::RetainPrev => self.previous(),
        };
        (value, effects)
    }

    /// Returns the argument of SIN and COS, reduced as the options require.
    fn angle(&mut self, a: Value) -> Value {
        if self.option_is(Choice::TrigRange, 0) {
            return a;
        }
        let [turn, half, whole, pi] =
            [0.159_154_94, 0.5, std::f32::consts::TAU, std::f32::consts::PI].map(|number| self.b.f(number));
        let turns = self.b.op(Op::Mul, &[a, turn]);
        let turns = self.b.add(turns, half);
        let below = self.b.un(FUn::Floor, turns);
        let below = self.b.un(FUn::Neg, below);
        let fraction = self.b.add(turns, below);
        let angle = self.b.op(Op::Mul, &[fraction, whole]);
        let minus = self.b.f(-std::f32::consts::PI);
        let reduced = self.b.add(angle, minus);
        let magnitude = self.b.un(FUn::Abs, a);
        let inside = self.b.cmp(FCmp::Le, magnitude, pi);
        self.b.sel(inside, a, reduced)
    }

    fn compare_with_zero(&mut self, op: ScalarOp, a: Value) -> Value {
        let zero = self.b.f(0.0);
        match op {
            ScalarOp::Setes | ScalarOp::PredSetes | ScalarOp::Killes => self.b.cmp(FCmp::Eq, a, zero),
            ScalarOp::Setgts | ScalarOp::PredSetgts | ScalarOp::Killgts => self.b.cmp(FCmp::Lt, zero, a),
            ScalarOp::Setgtes | ScalarOp::PredSetgtes | ScalarOp::Killgtes => self.b.cmp(FCmp::Le, zero, a),
            _ => {
                let equal = self.b.cmp(FCmp::Eq, a, zero);
                self.b.not(equal)
            }
        }
    }

    /// Lowers MUL_PREV2s.
    fn mul_prev2(&mut self, a: Value, b: Value) -> Value {
        let previous = self.previous();
        let (lowest, zero) = (self.b.f(f32::MIN), self.b.f(0.0));
        let finite = self.is_finite(previous);
        let is_lowest = self.b.cmp(FCmp::Eq, previous, lowest);
        let other = self.b.not(is_lowest);
        let other = self.b.logic(BBin::And, finite, other);
        let finite = self.is_finite(b);
        let above = self.b.cmp(FCmp::Lt, zero, b);
        let positive = self.b.logic(BBin::And, finite, above);
        let product = self.product(a, previous);
        let holds = self.b.logic(BBin::And, other, positive);
        self.b.sel(holds, product, lowest)
    }

    fn transcendental(&mut self, op: ScalarOp, a: Value) -> Value {
        let value = match op {
            ScalarOp::ExpIeee => self.b.un(FUn::Exp2, a),
            ScalarOp::LogClamp | ScalarOp::LogIeee => self.b.un(FUn::Log2, a),
            ScalarOp::SqrtIeee => self.b.un(FUn::Sqrt, a),
            _ => {
                let one = self.b.f(1.0);
                let root = matches!(op, ScalarOp::RecipsqClamp | ScalarOp::RecipsqFf | ScalarOp::RecipsqIeee);
                let below = if root { self.b.un(FUn::Sqrt, a) } else { a };
                self.b.div(one, below)
            }
        };
        let value = self.function(value);
        // The replacements for plus and minus infinity.
        let (above, below) = match op {
            ScalarOp::LogClamp => (None, f32::MIN),
            ScalarOp::RecipClamp | ScalarOp::RecipsqClamp => (Some(f32::MAX), f32::MIN),
            ScalarOp::RecipFf | ScalarOp::RecipsqFf => (Some(0.0), -0.0),
            _ => return value,
        };
        let low = self.replace_if(f32::NEG_INFINITY, below, value, value);
        match above {
            Some(above) => self.replace_if(f32::INFINITY, above, value, low),
            None => low,
        }
    }

    /// Returns the constant `other` where `seen` equals the constant `number`, otherwise `value`.
    fn replace_if(&mut self, number: f32, other: f32, seen: Value, value: Value) -> Value {
        let (number, other) = (self.b.f(number), self.b.f(other));
        let is = self.b.cmp(FCmp::Eq, seen, number);
        self.b.sel(is, other, value)
    }
}
