//! The scalar half in the reference (xdk, xenia).

use super::LaneContext;
use super::alu::{Scalars, SideEffects};
use crate::host::Host;
use crate::isa::a2xx::opcode::ScalarOp;
use crate::isa::a2xx::options::Choice;
use crate::value::{Domain, FUn, Freedom};

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Evaluates a scalar operation.
    pub(super) fn scalar(&mut self, op: ScalarOp, operands: &Scalars<D>) -> (D::F, SideEffects<D>) {
        let d = self.d;
        let Scalars { a, b, previous } = operands;
        let (zero, one) = (d.f(0.0), d.f(1.0));
        let value = match op {
            ScalarOp::Adds | ScalarOp::AddConst0 | ScalarOp::AddConst1 => self.sum(a, b),
            ScalarOp::AddPrevs => self.sum(a, previous),
            ScalarOp::Muls | ScalarOp::MulConst0 | ScalarOp::MulConst1 => self.product(a, b),
            ScalarOp::MulPrevs => self.product(a, previous),
            ScalarOp::MulPrev2s => self.mul_prev2(a, b, previous),
            ScalarOp::Subs | ScalarOp::SubConst0 | ScalarOp::SubConst1 => self.difference(a, b),
            ScalarOp::SubPrevs => self.difference(a, previous),
            ScalarOp::Maxs => self.max_of(a, b),
            ScalarOp::Mins => self.min_of(a, b),
            ScalarOp::Setes | ScalarOp::Setgts | ScalarOp::Setgtes | ScalarOp::Setnes => {
                self.bool_to_float(&self.compare_with_zero(op, a))
            }
            ScalarOp::Fracs => self.fraction(a),
            ScalarOp::Truncs => d.un(FUn::Trunc, a),
            ScalarOp::Floors => d.un(FUn::Floor, a),
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
            ScalarOp::Sin => {
                let a = self.angle(a);
                let value = d.un(FUn::Sin, &a);
                self.result(&value)
            }
            ScalarOp::Cos => {
                let a = self.angle(a);
                let value = d.un(FUn::Cos, &a);
                self.result(&value)
            }
            ScalarOp::Movas | ScalarOp::MovaFloors => {
                let a0 = if op == ScalarOp::Movas { self.nearest_address(a) } else { self.floor_address(a) };
                return (self.max_of(a, b), SideEffects { a0: Some(a0), ..SideEffects::NOTHING });
            }
            ScalarOp::PredSetes | ScalarOp::PredSetnes | ScalarOp::PredSetgts | ScalarOp::PredSetgtes => {
                let holds = self.compare_with_zero(op, a);
                return predicated(d.sel(&holds, &zero, &one), holds);
            }
            ScalarOp::PredSetInvs => {
                let holds = d.eq(a, &one);
                let other = d.sel(&d.eq(a, &zero), &one, a);
                return predicated(d.sel(&holds, &zero, &other), holds);
            }
            ScalarOp::PredSetPops => {
                let left = self.difference(a, &one);
                let holds = d.le(&left, &zero);
                return predicated(d.sel(&holds, &zero, &left), holds);
            }
            ScalarOp::PredSetClrs => return predicated(d.f(f32::MAX), d.b(false)),
            ScalarOp::PredSetRestores => {
                let holds = d.eq(a, &zero);
                return predicated(d.sel(&holds, &zero, a), holds);
            }
            ScalarOp::Killes
            | ScalarOp::Killgts
            | ScalarOp::Killgtes
            | ScalarOp::Killnes
            | ScalarOp::Killones => {
                let kill =
                    if op == ScalarOp::Killones { d.eq(a, &one) } else { self.compare_with_zero(op, a) };
                return (self.bool_to_float(&kill), SideEffects { kill: Some(kill), ..SideEffects::NOTHING });
            }
            ScalarOp::RetainPrev => previous.clone(),
        };
        (value, SideEffects::NOTHING)
    }

    /// Returns the argument of SIN and COS. Under an option, an argument outside [-pi, pi] is reduced in the same way as by drivers and compilers
    /// (xenia).
    fn angle(&mut self, x: &D::F) -> D::F {
        let d = self.d;
        let inside = d.le(&d.abs(x), &d.f(std::f32::consts::PI));
        self.record(Freedom::Range, &d.not(&inside));
        if self.choice(Choice::TrigRange) == 0 {
            return x.clone();
        }
        let turns = d.add(&d.mul(x, &d.f(0.159_154_94)), &d.f(0.5));
        let fraction = d.add(&turns, &d.neg(&d.un(FUn::Floor, &turns)));
        let reduced = d.add(&d.mul(&fraction, &d.f(std::f32::consts::TAU)), &d.f(-std::f32::consts::PI));
        d.sel(&inside, x, &reduced)
    }

    /// Evaluates an operation's comparison with zero.
    fn compare_with_zero(&self, op: ScalarOp, a: &D::F) -> D::B {
        let d = self.d;
        let zero = d.f(0.0);
        match op {
            ScalarOp::Setes | ScalarOp::PredSetes | ScalarOp::Killes => d.eq(a, &zero),
            ScalarOp::Setgts | ScalarOp::PredSetgts | ScalarOp::Killgts => d.lt(&zero, a),
            ScalarOp::Setgtes | ScalarOp::PredSetgtes | ScalarOp::Killgtes => d.le(&zero, a),
            // Setnes, PredSetnes, Killnes.
            _ => d.not(&d.eq(a, &zero)),
        }
    }

    /// Evaluates MUL_PREV2s. The result is the lowest number, unless the previous scalar result is finite and not the lowest number, and b is finite
    /// and positive.
    fn mul_prev2(&mut self, a: &D::F, b: &D::F, previous: &D::F) -> D::F {
        let d = self.d;
        let lowest = d.f(f32::MIN);
        let finite = |v: &D::F| d.lt(&d.abs(v), &d.f(f32::INFINITY));
        let other = d.and(&finite(previous), &d.not(&d.eq(previous, &lowest)));
        let positive = d.and(&finite(b), &d.lt(&d.f(0.0), b));
        let product = self.product(a, previous);
        d.sel(&d.and(&other, &positive), &product, &lowest)
    }

    fn transcendental(&mut self, op: ScalarOp, a: &D::F) -> D::F {
        let d = self.d;
        let one = d.f(1.0);
        let value = match op {
            ScalarOp::ExpIeee => d.un(FUn::Exp2, a),
            ScalarOp::LogClamp | ScalarOp::LogIeee => d.un(FUn::Log2, a),
            ScalarOp::SqrtIeee => d.un(FUn::Sqrt, a),
            ScalarOp::RecipsqClamp | ScalarOp::RecipsqFf | ScalarOp::RecipsqIeee => {
                d.div(&one, &d.un(FUn::Sqrt, a))
            }
            _ => {
                self.record(Freedom::ReciprocalOfZero, &d.eq(a, &d.f(0.0)));
                d.div(&one, a)
            }
        };
        let value = self.function(&value);
        let instead_below = |below: f32| d.sel(&d.eq(&value, &d.f(f32::NEG_INFINITY)), &d.f(below), &value);
        let instead = |above: f32, below: f32| {
            d.sel(&d.eq(&value, &d.f(f32::INFINITY)), &d.f(above), &instead_below(below))
        };
        match op {
            ScalarOp::LogClamp => instead_below(f32::MIN),
            ScalarOp::RecipClamp | ScalarOp::RecipsqClamp => instead(f32::MAX, f32::MIN),
            ScalarOp::RecipFf | ScalarOp::RecipsqFf => instead(0.0, -0.0),
            _ => value,
        }
    }
}

fn predicated<D: Domain>(value: D::F, predicate: D::B) -> (D::F, SideEffects<D>) {
    (value, SideEffects { predicate: Some(predicate), ..SideEffects::NOTHING })
}
