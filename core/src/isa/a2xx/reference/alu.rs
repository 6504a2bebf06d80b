//! ALU slots: operands, both halves, and the writes of results (fd-hdr, xenia).

use super::{EXPORT, Lane, LaneContext, Vec4, flow};
use crate::host::{Effect, Host};
use crate::isa::a2xx::opcode::{ScalarOp, ScalarShape, VectorOp};
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::{Alu, Source, component};
use crate::value::{Domain, Freedom, IBin, ICmp};

/// The side effects of one half of an ALU slot; `None` for an effect that the operation does not have.
pub(super) struct SideEffects<D: Domain> {
    /// The condition under which the lane is killed.
    pub(super) kill: Option<D::B>,
    /// The new predicate.
    pub(super) predicate: Option<D::B>,
    /// The new value of a0.
    pub(super) a0: Option<D::I>,
}

impl<D: Domain> SideEffects<D> {
    pub(super) const NOTHING: SideEffects<D> = SideEffects { kill: None, predicate: None, a0: None };
}

/// The operands of a scalar operation, and the previous scalar result.
pub(super) struct Scalars<D: Domain> {
    pub(super) a: D::F,
    pub(super) b: D::F,
    pub(super) previous: D::F,
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Executes an ALU slot.
    pub(super) fn alu(&mut self, alu: &Alu, lane: &mut Lane<D>) {
        let runs = self.run_condition(lane, alu.pred_en, alu.pred_cond);
        // Both halves read before either writes.
        let vector = alu.vector().map(|op| {
            let needed = alu.vmask != 0 || op.kills() || op.sets_predicate() || op == VectorOp::Mova;
            let sources = if needed { op.sources() } else { 0 };
            let [a, b, c]: [Vec4<D>; 3] = std::array::from_fn(|k| {
                if k < sources {
                    self.operand(lane, alu, k as u8 + 1)
                } else {
                    std::array::from_fn(|_| self.d.f(0.0))
                }
            });
            if needed { self.vector(op, &a, &b, &c) } else { (a, SideEffects::NOTHING) }
        });
        let scalar = alu.scalar().map(|op| {
            let operands = self.scalars(op, lane, alu);
            let (value, effects) = self.scalar(op, &operands);
            (op, value, effects)
        });

        let (vector, by_vector) = match vector {
            Some((value, effects)) => (Some(value), Some(effects)),
            None => (None, None),
        };
        let (scalar, by_scalar) = match scalar {
            Some((op, value, effects)) => {
                if op != ScalarOp::RetainPrev {
                    lane.previous = self.chosen(runs.as_ref(), &value, &lane.previous);
                }
                (Some(value), Some(effects))
            }
            None => (None, None),
        };
        // The previous scalar result is not clamped.
        let scalar = scalar.map(|value| if alu.sclamp != 0 { self.clamped(&value) } else { value });
        let vector = vector.map(|value| {
            std::array::from_fn(|c| {
                let written = alu.vmask >> c & 1 == 1;
                if alu.vclamp != 0 && written { self.clamped(&value[c]) } else { value[c].clone() }
            })
        });
        if alu.export != 0 {
            self.export(alu, lane, vector.as_ref(), scalar.as_ref(), runs.as_ref());
        } else {
            self.write_both(alu, lane, vector.as_ref(), scalar.as_ref(), runs.as_ref());
        }
        for effects in [by_vector, by_scalar].into_iter().flatten() {
            self.apply_side_effects(&effects, lane, runs.as_ref());
        }
    }

    /// Returns a source of the slot, with swizzle and modifiers applied.
    fn operand(&mut self, lane: &Lane<D>, alu: &Alu, source_number: u8) -> Vec4<D> {
        let source = alu.source(source_number);
        let raw = self.raw(lane, alu, &source);
        let absolute = self.is_absolute(source.absolute, !source.register);
        std::array::from_fn(|c| self.modified(&raw[component(source.swizzle, c)], absolute, source.negated))
    }

    /// Whether the absolute value is taken. Documents disagree about the bit that selects the absolute value of constants, so an option decides for
    /// constants.
    fn is_absolute(&mut self, absolute: bool, by_constant_bit: bool) -> bool {
        if !absolute || !by_constant_bit {
            return absolute;
        }
        self.record(Freedom::SignOfZero, &self.d.b(true));
        self.choice(Choice::AbsConst) == 0
    }

    /// Returns a register or constant without modifiers.
    fn raw(&mut self, lane: &Lane<D>, alu: &Alu, source: &Source) -> Vec4<D> {
        let d = self.d;
        if source.register {
            let number = self.register_number(lane, source.number, source.relative);
            return std::array::from_fn(|c| lane.component(d, &number, c));
        }
        let number = d.i(source.number.into());
        if !source.relative {
            return self.host.constant(d, &number);
        }
        let offset = if alu.addr_a0 != 0 { lane.a0.clone() } else { flow::address(d, self.host, lane) };
        let number = d.ibin(IBin::Add, &number, &offset);
        self.record(Freedom::IndexRange, &d.icmp(ICmp::LtS, &number, &d.i(0)));
        // Numbers range from -256 to 511, so only negative numbers are out of range.
        let number = match self.choice(Choice::ConstantRange) {
            0 => number,
            _ => d.ibin(IBin::And, &number, &d.i(511)),
        };
        self.host.constant(d, &number)
    }

    fn modified(&mut self, value: &D::F, absolute: bool, negated: bool) -> D::F {
        let d = self.d;
        let value = self.flush_input(value);
        let value = if absolute { d.abs(&value) } else { value };
        if negated { d.neg(&value) } else { value }
    }

    /// Returns the operands of the scalar half (xdk, canary).
    fn scalars(&mut self, op: ScalarOp, lane: &Lane<D>, alu: &Alu) -> Scalars<D> {
        let zero = self.d.f(0.0);
        let mut operands = Scalars { a: zero.clone(), b: zero, previous: lane.previous.clone() };
        let shape = op.shape();
        match shape {
            ScalarShape::None => {}
            ScalarShape::One | ScalarShape::OnePrevious => operands.a = self.operand(lane, alu, 3)[3].clone(),
            ScalarShape::Two | ScalarShape::TwoPrevious => {
                let three = alu.vector().is_some_and(|op| op.sources() == 3);
                let choices = [(3, if three { 2 } else { 0 }), (3, 0), (2, 3)];
                let of = |(a, b)| (component(alu.swz3, a), component(alu.swz3, b));
                let differ = choices.iter().any(|choice| of(*choice) != of(choices[0]));
                self.record(Freedom::ScalarLane, &self.d.b(differ));
                let (a, b) = choices[usize::from(self.choice(Choice::ScalarOperands)).min(2)];
                let value = self.operand(lane, alu, 3);
                (operands.a, operands.b) = (value[a].clone(), value[b].clone());
            }
            ScalarShape::Constant => {
                let (constant, register) = alu.constant_operands();
                let absolute = self.is_absolute(constant.absolute, true);
                let [a, b] = [constant, register].map(|source| {
                    let raw = self.raw(lane, alu, &source);
                    self.modified(&raw[usize::from(source.swizzle)], absolute, source.negated)
                });
                (operands.a, operands.b) = (a, b);
            }
        }
        operands
    }

    /// Writes both results to registers. The result that takes priority is written last.
    fn write_both(
        &mut self,
        alu: &Alu,
        lane: &mut Lane<D>,
        vector: Option<&Vec4<D>>,
        scalar: Option<&D::F>,
        runs: Option<&D::B>,
    ) {
        let to = [(alu.vdest, alu.vdest_rel, alu.vmask), (alu.sdest, alu.sdest_rel, alu.smask)];
        let numbers = to.map(|(number, relative, _)| self.register_number(lane, number, relative != 0));
        let same = alu.vdest == alu.sdest || alu.vdest_rel != alu.sdest_rel;
        let meet = same && alu.vmask & alu.smask != 0;
        self.record(Freedom::Unwritten, &self.d.b(meet));
        let scalar_last = !meet || self.choice(Choice::BothWrite) == 0;
        for half in if scalar_last { [0, 1] } else { [1, 0] } {
            let mask = to[half].2;
            for c in (0..4).filter(|c| mask >> c & 1 == 1) {
                let value = if half == 0 { vector.map(|v| &v[c]) } else { scalar };
                if let Some(value) = value {
                    self.write(lane, &numbers[half], c, value, runs);
                }
            }
        }
    }

    /// Writes the results of both halves to an export (xdk, xenia).
    fn export(
        &mut self,
        alu: &Alu,
        lane: &Lane<D>,
        vector: Option<&Vec4<D>>,
        scalar: Option<&D::F>,
        runs: Option<&D::B>,
    ) {
        let d = self.d;
        let mut mask = 0;
        let values = std::array::from_fn(|c| {
            let (v, s) = (alu.vmask >> c & 1 == 1, alu.smask >> c & 1 == 1);
            let value = match (v, s) {
                (true, true) => {
                    self.record(Freedom::Unwritten, &d.b(true));
                    if self.choice(Choice::ExportBoth) == 0 { Some(d.f(1.0)) } else { scalar.cloned() }
                }
                (true, false) => vector.map(|vector| vector[c].clone()),
                (false, true) => scalar.cloned(),
                (false, false) => (alu.sdest_rel != 0).then(|| d.f(0.0)),
            };
            mask |= u8::from(value.is_some()) << c;
            value.unwrap_or_else(|| d.f(0.0))
        });
        if mask == 0 {
            return;
        }
        let kept = d.not(&lane.dropped);
        let when = runs.map_or(kept.clone(), |runs| d.and(runs, &kept));
        let effect = Effect { when, kind: EXPORT, index: alu.vdest.into(), mask, values };
        self.host.effect(d, self.lane_number, effect);
    }

    /// Applies side effects of a half. They do not depend on a write mask.
    fn apply_side_effects(&mut self, effects: &SideEffects<D>, lane: &mut Lane<D>, runs: Option<&D::B>) {
        let d = self.d;
        if let Some(kill) = &effects.kill {
            let kill = runs.map_or(kill.clone(), |runs| d.and(runs, kill));
            lane.killed = d.or(&lane.killed, &kill);
            lane.dropped = d.or(&lane.dropped, &kill);
        }
        if let Some(predicate) = &effects.predicate {
            lane.predicate = runs.map_or(predicate.clone(), |runs| d.sel_b(runs, predicate, &lane.predicate));
        }
        if let Some(a0) = &effects.a0 {
            lane.a0 = runs.map_or(a0.clone(), |runs| d.sel_i(runs, a0, &lane.a0));
        }
    }
}
