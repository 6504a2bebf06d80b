//! What instructions use, kept apart from them.

use crate::ir::op::Op;
use crate::work::looks_at;

/// What an instruction is when one asks whether it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Reads a variable.
    Read,
    /// Writes one.
    Write,
    /// Another effect.
    Effect,
    /// Everything else.
    Value,
}

impl Kind {
    fn of(op: Op) -> Kind {
        match op {
            Op::Read(_) => Kind::Read,
            Op::Write(_) => Kind::Write,
            op if op.is_effect() => Kind::Effect,
            _ => Kind::Value,
        }
    }
}

/// By instruction: its kind, and what it uses. That is some thirteen bytes an instruction, where instruction, operands and their definitions have
/// over forty: of a large program those do not stay in the processor's cache between one look at all of them and the next.
pub(super) struct Uses {
    kinds: Vec<Kind>,
    /// By instruction: where in `all` its own begin; then where the last one's end.
    starts: Vec<u32>,
    /// The variable of a read or write, then the instructions that define the operands.
    all: Vec<u32>,
}

impl Uses {
    /// Of no instruction, with room for so many, and for so many operands.
    pub(super) fn with_capacity(instructions: usize, operands: usize) -> Uses {
        let mut starts = Vec::with_capacity(instructions + 1);
        starts.push(0);
        Uses {
            kinds: Vec::with_capacity(instructions),
            starts,
            all: Vec::with_capacity(instructions + operands),
        }
    }

    /// Enters the next instruction, given what defines its operands.
    #[inline]
    pub(super) fn push(&mut self, op: Op, definitions: impl Iterator<Item = u32>) {
        if let Op::Read(var) | Op::Write(var) = op {
            self.all.push(var.0);
        }
        self.all.extend(definitions);
        self.kinds.push(Kind::of(op));
        self.starts.push(self.all.len() as u32);
    }

    /// The kind of an instruction.
    #[inline]
    pub(super) fn kind(&self, at: usize) -> Kind {
        self.kinds[at]
    }

    /// The variable that an instruction reads or writes, if it is of such a kind.
    #[inline]
    pub(super) fn var(&self, at: usize) -> usize {
        self.all[self.starts[at] as usize] as usize
    }

    /// The instructions that define the operands of an instruction of this kind.
    #[inline]
    pub(super) fn definitions(&self, at: usize, kind: Kind) -> &[u32] {
        looks_at(1);
        let first = self.starts[at] as usize + usize::from(matches!(kind, Kind::Read | Kind::Write));
        &self.all[first..self.starts[at + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::op::Var;

    #[test]
    fn each_instruction_has_its_kind_its_variable_and_its_operands() {
        let mut uses = Uses::with_capacity(4, 4);
        uses.push(Op::Read(Var(7)), [].into_iter());
        uses.push(Op::F32(0), [].into_iter());
        uses.push(Op::Fma, [0, 1, 1].into_iter());
        uses.push(Op::Write(Var(9)), [2].into_iter());
        uses.push(Op::Kill, [0].into_iter());
        let kinds = [Kind::Read, Kind::Value, Kind::Value, Kind::Write, Kind::Effect];
        let operands: [&[u32]; 5] = [&[], &[], &[0, 1, 1], &[2], &[0]];
        for (at, (kind, operands)) in kinds.into_iter().zip(operands).enumerate() {
            assert_eq!((uses.kind(at), uses.definitions(at, kind)), (kind, operands), "{at}");
        }
        assert_eq!((uses.var(0), uses.var(3)), (7, 9));
    }
}
