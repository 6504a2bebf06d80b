//! Lowers the vector half.

use super::Lower;
use super::alu::SideEffects;
use crate::ir::Value;
use crate::isa::a2xx::opcode::VectorOp;
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::Alu;
use crate::value::{BBin, FCmp, FUn};

type Channels = [Option<Value>; 4];

/// Returns the channels of sources 1, 2 and 3 that are needed for the result components in `wanted` and for side effects.
fn channels(op: VectorOp, wanted: u8) -> [u8; 3] {
    use VectorOp::{
        Cube, Dot2add, Dot3, Dot4, Dst, Kille, Killgt, Killgte, Killne, Max4, Mova, PredSetePush,
        PredSetgtPush, PredSetgtePush, PredSetnePush,
    };
    let if_any = |mask: u8| if wanted == 0 { 0 } else { mask };
    match op {
        Dot4 => [if_any(0xf); 3],
        Dot3 => [if_any(7); 3],
        Dot2add => [if_any(3), if_any(3), if_any(1)],
        Cube => [if_any(0b1101), 0, 0],
        Max4 => [if_any(0xf), 0, 0],
        Kille | Killgt | Killgte | Killne => [0xf, 0xf, 0],
        PredSetePush | PredSetnePush | PredSetgtPush | PredSetgtePush => [8 | if_any(1), 8 | if_any(1), 0],
        Dst => [wanted & 0b0110, wanted & 0b1010, 0],
        Mova => [wanted | 8, wanted, 0],
        _ => [wanted; 3],
    }
}

impl Lower<'_, '_> {
    /// Lowers a vector operation. Computes at least the result components in `wanted`.
    pub(super) fn vector(&mut self, op: VectorOp, alu: &Alu, wanted: u8) -> (Channels, SideEffects) {
        let masks = channels(op, wanted);
        let mut read = [[None; 4]; 3];
        for (k, read) in read.iter_mut().enumerate().take(op.sources()) {
            *read = self.operand(alu, k as u8 + 1, masks[k]);
        }
        let [a, b, c] = read;
        let mut effects = SideEffects::default();
        let every = |value: Option<Value>| [value; 4];
        let value = match op {
            VectorOp::Dot4 | VectorOp::Dot3 | VectorOp::Dot2add if wanted == 0 => [None; 4],
            VectorOp::Dot4 if self.option_is(Choice::Dot, 2) => every(self.dot(&[3, 0, 1, 2], a, b, None)),
            VectorOp::Dot4 => every(self.dot(&[0, 1, 2, 3], a, b, None)),
            VectorOp::Dot3 => every(self.dot(&[0, 1, 2], a, b, None)),
            VectorOp::Dot2add => every(self.dot(&[0, 1], a, b, c[0])),
            VectorOp::Cube => self.cube(a, wanted).unwrap_or_default(),
            VectorOp::Max4 => every(self.largest(a)),
            VectorOp::Dst => {
                let product = match (a[1], b[1]) {
                    (Some(a), Some(b)) => Some(self.product(a, b)),
                    _ => None,
                };
                [Some(self.b.f(1.0)), product, a[2], b[3]]
            }
            VectorOp::PredSetePush
            | VectorOp::PredSetnePush
            | VectorOp::PredSetgtPush
            | VectorOp::PredSetgtePush => {
                effects.predicate = self.active_and(op, a[3], b[3]);
                every(self.pushed(op, a[0], b[0]))
            }
            VectorOp::Kille | VectorOp::Killgt | VectorOp::Killgte | VectorOp::Killne => {
                let kill = self.compare_any(op, a, b);
                effects.kill = kill;
                every(kill.filter(|_| wanted != 0).map(|kill| self.bool_to_float(kill)))
            }
            _ => {
                if op == VectorOp::Mova {
                    effects.a0 = a[3].map(|a| self.nearest_address(a));
                }
                let mut out = [None; 4];
                for (k, out) in out.iter_mut().enumerate().filter(|(k, _)| wanted >> k & 1 == 1) {
                    *out = match (a[k], b[k], c[k]) {
                        (Some(a), Some(b), Some(c)) => Some(self.ternary(op, a, b, c)),
                        (Some(a), Some(b), None) => Some(self.binary(op, a, b)),
                        (Some(a), None, _) => Some(self.unary(op, a)),
                        (None, ..) => None,
                    };
                }
                out
            }
        };
        (value, effects)
    }

    fn unary(&mut self, op: VectorOp, a: Value) -> Value {
        match op {
            VectorOp::Frac => self.fraction(a),
            VectorOp::Trunc => self.b.un(FUn::Trunc, a),
            _ => self.b.un(FUn::Floor, a),
        }
    }

    fn binary(&mut self, op: VectorOp, a: Value, b: Value) -> Value {
        match op {
            VectorOp::Add => self.sum(a, b),
            VectorOp::Mul => self.product(a, b),
            VectorOp::Min => self.min_of(a, b),
            VectorOp::Max | VectorOp::Mova => self.max_of(a, b),
            _ => {
                let holds = self.compare(op, a, b);
                self.bool_to_float(holds)
            }
        }
    }

    fn ternary(&mut self, op: VectorOp, a: Value, b: Value, c: Value) -> Value {
        if op == VectorOp::Muladd {
            return self.product_and_sum(a, b, c);
        }
        let zero = self.b.f(0.0);
        let holds = self.compare(op, a, zero);
        self.b.sel(holds, b, c)
    }

    /// Evaluates the comparison of an operation for one component.
    fn compare(&mut self, op: VectorOp, a: Value, b: Value) -> Value {
        match op {
            VectorOp::Sete | VectorOp::Cnde | VectorOp::Kille | VectorOp::PredSetePush => {
                self.b.cmp(FCmp::Eq, a, b)
            }
            VectorOp::Setgt | VectorOp::Cndgt | VectorOp::Killgt | VectorOp::PredSetgtPush => {
                self.b.cmp(FCmp::Lt, b, a)
            }
            VectorOp::Setgte | VectorOp::Cndgte | VectorOp::Killgte | VectorOp::PredSetgtePush => {
                self.b.cmp(FCmp::Le, b, a)
            }
            _ => {
                debug_assert!(
                    matches!(op, VectorOp::Setne | VectorOp::Killne | VectorOp::PredSetnePush),
                    "{op:?}"
                );
                let equal = self.b.cmp(FCmp::Eq, a, b);
                self.b.not(equal)
            }
        }
    }

    /// Returns whether the operation's comparison is true in any component.
    fn compare_any(&mut self, op: VectorOp, a: Channels, b: Channels) -> Option<Value> {
        let mut any = None;
        for k in 0..4 {
            let one = self.compare(op, a[k]?, b[k]?);
            any = Some(match any {
                Some(any) => self.b.logic(BBin::Or, any, one),
                None => one,
            });
        }
        any
    }

    /// Returns whether `counter`, the nesting counter of PRED_SETE_PUSHv and its variants, is 0 and the comparison of `condition` with 0 is true.
    fn active_and(
        &mut self,
        op: VectorOp,
        counter: Option<Value>,
        condition: Option<Value>,
    ) -> Option<Value> {
        let zero = self.b.f(0.0);
        let active = self.b.cmp(FCmp::Eq, counter?, zero);
        let holds = self.compare(op, condition?, zero);
        Some(self.b.logic(BBin::And, active, holds))
    }

    /// Returns the new nesting counter: 0 if `counter` is 0 and the comparison of `condition` with 0 is true, otherwise `counter` plus one.
    fn pushed(&mut self, op: VectorOp, counter: Option<Value>, condition: Option<Value>) -> Option<Value> {
        let active = self.active_and(op, counter, condition)?;
        let (zero, one) = (self.b.f(0.0), self.b.f(1.0));
        let deeper = self.sum(counter?, one);
        Some(self.b.sel(active, zero, deeper))
    }

    fn largest(&mut self, a: Channels) -> Option<Value> {
        let [x, y, z, w] = [a[0]?, a[1]?, a[2]?, a[3]?];
        let compare = if self.option_is(Choice::Max4Compare, 0) { FCmp::Le } else { FCmp::Lt };
        let above = |l: &mut Self, p: Value, q: Value| l.b.cmp(compare, q, p);
        let z_over = above(self, z, w);
        let last = self.b.sel(z_over, z, w);
        let (y_z, y_w) = (above(self, y, z), above(self, y, w));
        let y_over = self.b.logic(BBin::And, y_z, y_w);
        let later = self.b.sel(y_over, y, last);
        let (x_y, x_z, x_w) = (above(self, x, y), above(self, x, z), above(self, x, w));
        let x_both = self.b.logic(BBin::And, x_y, x_z);
        let x_over = self.b.logic(BBin::And, x_both, x_w);
        Some(self.b.sel(x_over, x, later))
    }

    /// Returns face and coordinates of the direction in `a`, whose components are in the order `zzxy`. Computes only the result components in
    /// `wanted`.
    fn cube(&mut self, a: Channels, wanted: u8) -> Option<Channels> {
        let (z, x, y) = (a[0]?, a[2]?, a[3]?);
        let zero = self.b.f(0.0);
        let [size_x, size_y, size_z] = [x, y, z].map(|v| self.b.un(FUn::Abs, v));
        let x_z = self.b.cmp(FCmp::Le, size_x, size_z);
        let y_z = self.b.cmp(FCmp::Le, size_y, size_z);
        let is_z = self.b.logic(BBin::And, x_z, y_z);
        let is_y = self.b.cmp(FCmp::Le, size_x, size_y);
        let mut out = [None; 4];
        let by_axis = |l: &mut Self, [for_x, for_y, for_z]: [Value; 3]| {
            let inner = l.b.sel(is_y, for_y, for_x);
            l.b.sel(is_z, for_z, inner)
        };
        let by_sign = |l: &mut Self, v: Value, below: Value, other: Value| {
            let is_below = l.b.cmp(FCmp::Lt, v, zero);
            l.b.sel(is_below, below, other)
        };
        if wanted & 1 != 0 {
            let [not_y, not_z] = [y, z].map(|v| self.b.un(FUn::Neg, v));
            let on_y = by_sign(self, y, not_z, z);
            out[0] = Some(by_axis(self, [not_y, on_y, not_y]));
        }
        if wanted & 2 != 0 {
            let [not_x, not_z] = [x, z].map(|v| self.b.un(FUn::Neg, v));
            let on_x = by_sign(self, x, z, not_z);
            let on_z = by_sign(self, z, not_x, x);
            out[1] = Some(by_axis(self, [on_x, x, on_z]));
        }
        if wanted & 4 != 0 {
            let major = by_axis(self, [x, y, z]);
            out[2] = Some(self.sum(major, major));
        }
        if wanted & 8 != 0 {
            let mut faces = [zero; 3];
            for (k, (face, v)) in faces.iter_mut().zip([x, y, z]).enumerate() {
                let number = k as f32 * 2.0;
                let (below, other) = (self.b.f(number + 1.0), self.b.f(number));
                *face = by_sign(self, v, below, other);
            }
            out[3] = Some(by_axis(self, faces));
        }
        Some(out)
    }
}
