//! The vector half in the reference (xdk, xenia).

use super::alu::SideEffects;
use super::{LaneContext, Vec4};
use crate::host::Host;
use crate::isa::a2xx::opcode::VectorOp;
use crate::isa::a2xx::options::Choice;
use crate::value::{Domain, FUn, Freedom};

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Evaluates a vector operation.
    pub(super) fn vector(
        &mut self,
        op: VectorOp,
        a: &Vec4<D>,
        b: &Vec4<D>,
        c: &Vec4<D>,
    ) -> (Vec4<D>, SideEffects<D>) {
        let d = self.d;
        let every = |value: D::F| -> Vec4<D> { std::array::from_fn(|_| value.clone()) };
        let value = match op {
            VectorOp::Dot4 => {
                let order = if self.choice(Choice::Dot) == 2 { [3, 0, 1, 2] } else { [0, 1, 2, 3] };
                every(self.dot(&order, a, b, None))
            }
            VectorOp::Dot3 => every(self.dot(&[0, 1, 2], a, b, None)),
            VectorOp::Dot2add => every(self.dot(&[0, 1], a, b, Some(&c[0]))),
            VectorOp::Cube => self.cube(a),
            VectorOp::Max4 => every(self.largest(a)),
            VectorOp::Dst => [d.f(1.0), self.product(&a[1], &b[1]), a[2].clone(), b[3].clone()],
            VectorOp::PredSetePush
            | VectorOp::PredSetnePush
            | VectorOp::PredSetgtPush
            | VectorOp::PredSetgtePush => {
                let zero = d.f(0.0);
                let both = |c: usize| d.and(&d.eq(&a[c], &zero), &self.compare(op, &b[c], &zero));
                let (predicate, inner) = (both(3), both(0));
                let deeper = self.sum(&a[0], &d.f(1.0));
                let value = d.sel(&inner, &zero, &deeper);
                return (every(value), SideEffects { predicate: Some(predicate), ..SideEffects::NOTHING });
            }
            VectorOp::Kille | VectorOp::Killgt | VectorOp::Killgte | VectorOp::Killne => {
                let [x, y, z, w] = std::array::from_fn(|c| self.compare(op, &a[c], &b[c]));
                let kill = d.or(&d.or(&d.or(&x, &y), &z), &w);
                return (
                    every(self.bool_to_float(&kill)),
                    SideEffects { kill: Some(kill), ..SideEffects::NOTHING },
                );
            }
            VectorOp::Mova => {
                let a0 = self.nearest_address(&a[3]);
                let value = std::array::from_fn(|c| self.max_of(&a[c], &b[c]));
                return (value, SideEffects { a0: Some(a0), ..SideEffects::NOTHING });
            }
            _ => std::array::from_fn(|k| self.componentwise(op, &a[k], &b[k], &c[k])),
        };
        (value, SideEffects::NOTHING)
    }

    /// Evaluates an operation that acts on each component separately.
    fn componentwise(&mut self, op: VectorOp, a: &D::F, b: &D::F, c: &D::F) -> D::F {
        let d = self.d;
        let zero = d.f(0.0);
        match op {
            VectorOp::Add => self.sum(a, b),
            VectorOp::Mul => self.product(a, b),
            VectorOp::Max => self.max_of(a, b),
            VectorOp::Min => self.min_of(a, b),
            VectorOp::Sete | VectorOp::Setgt | VectorOp::Setgte | VectorOp::Setne => {
                self.bool_to_float(&self.compare(op, a, b))
            }
            VectorOp::Frac => self.fraction(a),
            VectorOp::Trunc => d.un(FUn::Trunc, a),
            VectorOp::Floor => d.un(FUn::Floor, a),
            VectorOp::Muladd => self.product_and_sum(a, b, c),
            VectorOp::Cnde | VectorOp::Cndgte | VectorOp::Cndgt => d.sel(&self.compare(op, a, &zero), b, c),
            // Other operations are not componentwise.
            _ => a.clone(),
        }
    }

    /// Evaluates the comparison of an operation.
    fn compare(&self, op: VectorOp, a: &D::F, b: &D::F) -> D::B {
        let d = self.d;
        match op {
            VectorOp::Sete | VectorOp::Cnde | VectorOp::Kille | VectorOp::PredSetePush => d.eq(a, b),
            VectorOp::Setgt | VectorOp::Cndgt | VectorOp::Killgt | VectorOp::PredSetgtPush => d.lt(b, a),
            VectorOp::Setgte | VectorOp::Cndgte | VectorOp::Killgte | VectorOp::PredSetgtePush => d.le(b, a),
            // Setne, Killne and PredSetnePush; operations that do not compare are not passed.
            _ => d.not(&d.eq(a, b)),
        }
    }

    /// Returns the first component that is greater than or equal to all later ones or, under an option, greater than all later ones.
    fn largest(&mut self, a: &Vec4<D>) -> D::F {
        let d = self.d;
        let [x, y, z, w] = a;
        for (p, q) in [(x, y), (x, z), (x, w), (y, z), (y, w), (z, w)] {
            self.record(Freedom::GreaterOrEqual, &d.eq(p, q));
        }
        let strictly = self.choice(Choice::Max4Compare) != 0;
        let above = |p: &D::F, q: &D::F| if strictly { d.lt(q, p) } else { d.le(q, p) };
        let last = d.sel(&above(z, w), z, w);
        let later = d.sel(&d.and(&above(y, z), &above(y, w)), y, &last);
        d.sel(&d.and(&d.and(&above(x, y), &above(x, z)), &above(x, w)), x, &later)
    }

    /// Returns face and coordinates of the direction in source 1, whose components are in the order `zzxy`.
    fn cube(&mut self, a: &Vec4<D>) -> Vec4<D> {
        let d = self.d;
        let (z, x, y) = (&a[0], &a[2], &a[3]);
        let zero = d.f(0.0);
        let [size_x, size_y, size_z] = [x, y, z].map(|v| d.abs(v));
        let is_z = d.and(&d.le(&size_x, &size_z), &d.le(&size_y, &size_z));
        let is_y = d.le(&size_x, &size_y);
        let [below_x, below_y, below_z] = [x, y, z].map(|v| d.lt(v, &zero));
        let [not_x, not_y, not_z] = [x, y, z].map(|v| d.neg(v));
        let by_axis =
            |for_x: &D::F, for_y: &D::F, for_z: &D::F| d.sel(&is_z, for_z, &d.sel(&is_y, for_y, for_x));
        let t = by_axis(&not_y, &d.sel(&below_y, &not_z, z), &not_y);
        let s = by_axis(&d.sel(&below_x, z, &not_z), x, &d.sel(&below_z, &not_x, x));
        let major = by_axis(x, y, z);
        let face = |below: &D::B, number: f32| d.sel(below, &d.f(number + 1.0), &d.f(number));
        let face = by_axis(&face(&below_x, 0.0), &face(&below_y, 2.0), &face(&below_z, 4.0));
        let twice = self.sum(&major, &major);
        [t, s, twice, face]
    }
}
