//! Lowers ALU slots: both halves, and the writes of their results.

use super::{Lower, Number};
use crate::ir::{Op, Ty, Value};
use crate::isa::a2xx::opcode::ScalarOp;
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::Alu;
use crate::isa::a2xx::variables::File;
use crate::value::BBin;

/// The side effects of one half of an ALU slot.
#[derive(Clone, Copy, Default)]
pub(super) struct SideEffects {
    pub(super) kill: Option<Value>,
    pub(super) predicate: Option<Value>,
    pub(super) a0: Option<Value>,
}

impl Lower<'_, '_> {
    pub(super) fn alu(&mut self, alu: &Alu) {
        let runs = self.run_condition(alu.pred_en, alu.pred_cond);
        // In exports, the vector result is not used in components that the scalar half writes too.
        let covered = if alu.export != 0 { alu.smask } else { 0 };
        let wanted = alu.vmask & !covered;
        let (mut vector, by_vector) = match alu.vector() {
            Some(op) => self.vector(op, alu, wanted),
            None => ([None; 4], SideEffects::default()),
        };
        let (scalar, by_scalar) = match alu.scalar() {
            Some(op) => {
                let (value, effects) = self.scalar(op, alu);
                (Some((op, value)), effects)
            }
            None => (None, SideEffects::default()),
        };
        let relative = |flag: u8| flag != 0;
        let numbers = (alu.export == 0).then(|| {
            [
                self.register_number(alu.vdest, relative(alu.vdest_rel) && alu.vmask != 0),
                self.register_number(alu.sdest, relative(alu.sdest_rel) && alu.smask != 0),
            ]
        });
        let mut scalar_result = None;
        if let Some((op, value)) = scalar {
            if op != ScalarOp::RetainPrev {
                let var = self.float_var(0);
                self.write_var(var, value, runs);
            }
            if alu.smask != 0 {
                scalar_result = Some(if alu.sclamp != 0 { self.clamped(value) } else { value });
            }
        }
        if alu.vclamp != 0 {
            for (_, value) in vector.iter_mut().enumerate().filter(|(c, _)| wanted >> c & 1 == 1) {
                *value = value.map(|value| self.clamped(value));
            }
        }
        match numbers {
            Some(numbers) => self.write_both(alu, &numbers, vector, scalar_result, runs),
            None => self.export(alu, vector, scalar_result, runs),
        }
        for effects in [by_vector, by_scalar] {
            self.apply_side_effects(effects, runs);
        }
    }

    fn write_both(
        &mut self,
        alu: &Alu,
        numbers: &[Number; 2],
        vector: [Option<Value>; 4],
        scalar: Option<Value>,
        runs: Option<Value>,
    ) {
        let apart = alu.vmask & alu.smask == 0;
        for half in if apart || self.option_is(Choice::BothWrite, 0) { [0, 1] } else { [1, 0] } {
            let mask = [alu.vmask, alu.smask][half];
            for c in (0..4).filter(|c| mask >> c & 1 == 1) {
                if let Some(value) = if half == 0 { vector[c] } else { scalar } {
                    self.write(&numbers[half], c, value, runs);
                }
            }
        }
    }

    fn export(&mut self, alu: &Alu, vector: [Option<Value>; 4], scalar: Option<Value>, runs: Option<Value>) {
        let zero = self.b.f(0.0);
        let mut values = [zero; 4];
        let mut mask = 0;
        for (c, slot) in values.iter_mut().enumerate() {
            let value = match (alu.vmask >> c & 1 == 1, alu.smask >> c & 1 == 1) {
                (true, true) if self.option_is(Choice::ExportBoth, 0) => Some(self.b.f(1.0)),
                (_, true) => scalar,
                (true, false) => vector[c],
                (false, false) => (alu.sdest_rel != 0).then_some(zero),
            };
            if let Some(value) = value {
                *slot = value;
                mask |= 1 << c;
            }
        }
        if mask == 0 {
            return;
        }
        let kept = self.b.find(File::Flag.key(0, 1)).map(|var| {
            let dropped = self.b.read(var);
            self.b.not(dropped)
        });
        let when = match (runs, kept) {
            (Some(runs), Some(kept)) => self.b.logic(BBin::And, runs, kept),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => self.b.b(true),
        };
        self.b.effect(when, (super::EXPORT, alu.vdest.into(), mask), values);
    }

    /// Applies side effects of a half. They do not depend on a write mask.
    fn apply_side_effects(&mut self, effects: SideEffects, runs: Option<Value>) {
        if let Some(kill) = effects.kill {
            let kill = runs.map_or(kill, |runs| self.b.logic(BBin::And, runs, kill));
            self.b.op(Op::Kill, &[kill]);
            let var = self.b.var(File::Flag.key(0, 1), Ty::Bool, 0);
            let dropped = self.b.read(var);
            let dropped = self.b.logic(BBin::Or, dropped, kill);
            self.b.write(var, dropped);
        }
        if let Some(predicate) = effects.predicate {
            let var = self.predicate_var();
            let predicate = match runs {
                Some(runs) => {
                    let old = self.b.read(var);
                    self.b.sel_b(runs, predicate, old)
                }
                None => predicate,
            };
            self.b.write(var, predicate);
        }
        if let Some(a0) = effects.a0 {
            let var = self.a0_var();
            let a0 = match runs {
                Some(runs) => {
                    let old = self.b.read(var);
                    self.b.sel_i(runs, a0, old)
                }
                None => a0,
            };
            self.b.write(var, a0);
        }
    }
}
