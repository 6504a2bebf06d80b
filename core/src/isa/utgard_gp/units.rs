//! The active units of a word, and the operands that they read.

use super::opcode::{Op, ResultKind, Unit};
use super::program::Word;
use super::source::{ResultOf, Source, is_used};

/// The address registers that a word sets, and the source of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressSet {
    /// Whether register 0 is set, which takes effect at once.
    pub zero: bool,
    /// The register among 1 to 3 that is set, which takes effect four words later.
    pub later: Option<usize>,
    /// Whether the value written is the result of the pass unit in this word. Otherwise it is the operand of the complex unit.
    pub from_pass: bool,
}

impl Word {
    /// Returns the operation in a unit's field, whether the unit is active or not; `None` if the operation is undocumented.
    #[inline]
    pub fn named_op(&self, unit: Unit) -> Option<Op> {
        let number = match unit {
            Unit::Acc => self.acc_op,
            Unit::Mul => self.mul_op,
            Unit::Complex => self.complex_op,
            Unit::Pass => self.pass_op,
        };
        Op::from_number(unit, number)
    }

    /// Returns the operation that produces a unit's result in this word; `None` if the unit is idle or its operation is unknown.
    ///
    /// A unit is idle if an operand that its operation needs is unused (SEED, M, L). Mul 1 has no result in a wide operation, and the complex unit
    /// has no result when it sets an address register.
    #[inline]
    pub fn result_op(&self, of: ResultOf) -> Option<Op> {
        let used = is_used;
        match of {
            ResultOf::Acc0 | ResultOf::Acc1 => {
                let acc = &self.acc[of as usize];
                let op = self.named_op(Unit::Acc)?;
                let second = op.reads_second();
                (used(acc.a) && (used(acc.b) || !second)).then_some(op)
            }
            ResultOf::Mul0 => {
                let op = self.named_op(Unit::Mul)?;
                let [m0, m1] = self.mul;
                let live = match op {
                    Op::Complex1 => used(m0.a) && used(m0.b) && used(m1.a) && used(m1.b),
                    Op::Select => used(m0.a) && used(m0.b) && used(m1.a),
                    _ => used(m0.a) && used(m0.b),
                };
                live.then_some(op)
            }
            ResultOf::Mul1 => {
                let m1 = self.mul[1];
                let multiplies = matches!(self.named_op(Unit::Mul), Some(Op::Mul | Op::Complex2));
                (multiplies && used(m1.a) && used(m1.b)).then_some(Op::Mul)
            }
            ResultOf::Pass => self.named_op(Unit::Pass).filter(|_| used(self.pass_src)),
            ResultOf::Complex => self
                .named_op(Unit::Complex)
                .filter(|op| used(self.complex_src) && op.row().result_kind != ResultKind::Nothing),
        }
    }

    /// Returns the address registers that the complex unit sets; `None` if it sets none.
    #[inline]
    pub fn address_set(&self) -> Option<AddressSet> {
        let op = self.named_op(Unit::Complex)?;
        if op == Op::SetAddr01 {
            return Some(AddressSet { zero: true, later: Some(1), from_pass: true });
        }
        let number = match op {
            Op::SetAddr0 => None,
            Op::SetAddr1 => Some(1),
            Op::SetAddr2 => Some(2),
            Op::SetAddr3 => Some(3),
            _ => return None,
        };
        let set = AddressSet { zero: number.is_none(), later: number, from_pass: false };
        is_used(self.complex_src).then_some(set)
    }

    /// Returns the operands that the units of this word read, each with whether it is a second operand. An idle unit reads nothing; a unit with an
    /// unknown operation reads all its operands.
    pub fn operands(&self) -> impl Iterator<Item = (Source, bool)> + '_ {
        self.operand_codes()
            .into_iter()
            .flatten()
            .map(|(code, second)| (Source::decode(code, second), second))
    }

    fn operand_codes(&self) -> [Option<(u8, bool)>; 10] {
        let mut all = [None; 10];
        for (k, of) in [ResultOf::Acc0, ResultOf::Acc1].into_iter().enumerate() {
            let acc = self.acc[k];
            let op = self.result_op(of);
            if op.is_some() || self.named_op(Unit::Acc).is_none() {
                all[2 * k] = Some((acc.a, false));
                if op.is_none_or(Op::reads_second) {
                    all[2 * k + 1] = Some((acc.b, true));
                }
            }
        }
        let op = self.result_op(ResultOf::Mul0);
        let unknown = self.named_op(Unit::Mul).is_none();
        let [m0, m1] = self.mul;
        if op.is_some() || unknown {
            all[4] = Some((m0.a, false));
            all[5] = Some((m0.b, true));
        }
        let wide = matches!(op, Some(Op::Complex1 | Op::Select)) || unknown;
        if wide || self.result_op(ResultOf::Mul1).is_some() {
            all[6] = Some((m1.a, false));
            if op != Some(Op::Select) {
                all[7] = Some((m1.b, true));
            }
        }
        if self.complex_op != 0 && self.named_op(Unit::Complex) != Some(Op::SetAddr01) {
            all[8] = Some((self.complex_src, false));
        }
        all[9] = Some((self.pass_src, false));
        all.map(|o| o.filter(|(code, _)| is_used(*code)))
    }

    /// Whether an operand field contains a code of the load port, even if the operand's unit is idle.
    fn names_load(&self) -> bool {
        let [a0, a1] = self.acc;
        let [m0, m1] = self.mul;
        let codes = [a0.a, a0.b, a1.a, a1.b, m0.a, m0.b, m1.a, m1.b, self.complex_src, self.pass_src];
        // The codes of the load port have the same meaning in both operand positions.
        codes.into_iter().any(|code| matches!(Source::decode(code, false), Source::Load(_)))
    }

    /// Whether the load port is used: by an operand, or as the clamp's limits.
    pub fn loads(&self) -> bool {
        self.result_op(ResultOf::Pass) == Some(Op::Clamp)
            || self.names_load() && self.operands().any(|(source, _)| matches!(source, Source::Load(_)))
    }
}
