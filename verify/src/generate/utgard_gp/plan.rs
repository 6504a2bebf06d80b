//! Planned words: the values that later words have requested so far.

use super::request::ValueRequest;
use lockstep_core::isa::utgard_gp::opcode::Op;
use lockstep_core::isa::utgard_gp::program::{Load, Word};
use lockstep_core::isa::utgard_gp::source::{IDENTITY, ResultOf};

/// A value that a unit must compute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) want: ValueRequest,
    /// Whether the value is stored in the same word or read one word later. The result of complex1 is not available so early.
    pub(super) soon: bool,
}

/// A partially determined word.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) word: Word,
    /// For each unit, the value that it is requested to compute and for which no operation has been chosen yet.
    pub(super) goals: [Option<Goal>; 6],
    /// Whether each unit is already filled in or cannot be used.
    pub(super) taken: [bool; 6],
    /// The source that read port 0 reads: true for an attribute, false for a register, and its number.
    pub(super) port0: Option<(bool, u8)>,
    pub(super) port1: Option<u8>,
    pub(super) load: Option<Load>,
    /// The operation shared by both adders.
    pub(super) acc_op: Option<Op>,
    /// The operation shared by both multipliers.
    pub(super) mul_op: Option<Op>,
    /// Whether a complex function reads through the load port. If so, no temporary may be stored in the few words before this one.
    pub(super) function_loads: bool,
}

impl Plan {
    /// Whether nothing has been requested of the word.
    pub(super) fn is_empty(&self) -> bool {
        self.goals.iter().all(Option::is_none)
            && self.taken == [false; 6]
            && self.port0.is_none()
            && self.port1.is_none()
            && self.load.is_none()
    }

    /// Whether a unit is still free.
    pub(super) fn is_free(&self, of: ResultOf) -> bool {
        !self.taken[of as usize] && self.goals[of as usize].is_none()
    }

    /// Requests a value from a unit. Returns false if the unit is already filled in or cannot be used, or if no value satisfies all readers.
    pub(super) fn request(&mut self, of: ResultOf, want: ValueRequest, soon: bool) -> bool {
        if self.taken[of as usize] {
            return false;
        }
        let goal = &mut self.goals[of as usize];
        let merged = match goal {
            None => Some(Goal { want, soon }),
            Some(old) => old.want.merge(want).map(|want| Goal { want, soon: soon || old.soon }),
        };
        *goal = merged.or(*goal);
        merged.is_some()
    }

    /// Whether a unit can be filled with a move.
    pub(super) fn can_move(&self, of: ResultOf) -> bool {
        let op = match of {
            ResultOf::Acc0 | ResultOf::Acc1 => self.acc_op.is_none_or(|op| op == Op::Add),
            ResultOf::Mul0 => self.mul_op.is_none_or(|op| op == Op::Mul),
            ResultOf::Mul1 => self.mul_op.is_none_or(|op| matches!(op, Op::Mul | Op::Complex2)),
            ResultOf::Pass | ResultOf::Complex => true,
        };
        op && self.is_free(of)
    }

    /// Fills a unit with a move of the source that has this code.
    pub(super) fn fill_move(&mut self, of: ResultOf, code: u8) {
        self.taken[of as usize] = true;
        let word = &mut self.word;
        match of {
            ResultOf::Acc0 | ResultOf::Acc1 => {
                let acc = &mut word.acc[of as usize];
                (acc.a, acc.b, acc.neg_b) = (code, IDENTITY, 1);
                self.acc_op = Some(Op::Add);
            }
            ResultOf::Mul0 | ResultOf::Mul1 => {
                let mul = &mut word.mul[usize::from(of == ResultOf::Mul1)];
                (mul.a, mul.b) = (code, IDENTITY);
                self.mul_op = self.mul_op.or(Some(Op::Mul));
            }
            ResultOf::Pass => {
                (word.pass_op, word.pass_src) = (Op::PassMov.number(), code);
            }
            ResultOf::Complex => {
                (word.complex_op, word.complex_src) = (Op::ComplexMov.number(), code);
            }
        }
    }

    /// Returns the finished word.
    pub(super) fn finish(mut self) -> Word {
        if let Some((attribute, number)) = self.port0 {
            (self.word.port0_attribute, self.word.port0) = (u8::from(attribute), number);
        }
        self.word.port1 = self.port1.unwrap_or(0);
        if let Some(load) = self.load {
            self.word.load = load;
        }
        self.word.acc_op = self.acc_op.map_or(0, Op::number);
        self.word.mul_op = self.mul_op.map_or(0, Op::number);
        self.word
    }
}
