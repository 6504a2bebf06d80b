//! A compact table of the operands of instructions, for the search for needed instructions.

use crate::ir::op::Op;
use crate::work::count_work;

/// The kind of an instruction in the search for needed instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A read of a variable.
    Read,
    /// A write of a variable.
    Write,
    /// Another operation with an effect.
    Effect,
    /// Any other operation.
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

/// The kind of each instruction, its variable and the instructions that define its operands. The table takes about 13 bytes for each instruction.
/// Instructions, operands and definitions themselves take over 40 bytes, too many to stay in the processor's cache between passes over a large
/// program.
pub(super) struct Uses {
    kinds: Vec<Kind>,
    /// The start of each instruction's part of `all`, and after the last start the end of `all`.
    starts: Vec<u32>,
    /// For each instruction, the variable if it is a read or a write, then the instructions that define the operands.
    all: Vec<u32>,
}

impl Uses {
    /// An empty table with room for this many instructions and operands.
    pub(super) fn with_capacity(instructions: usize, operands: usize) -> Uses {
        let mut starts = Vec::with_capacity(instructions + 1);
        starts.push(0);
        Uses {
            kinds: Vec::with_capacity(instructions),
            starts,
            all: Vec::with_capacity(instructions + operands),
        }
    }

    /// Appends the next instruction, given the definitions of its operands.
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

    /// The variable that an instruction reads or writes. Meaningless for other instructions.
    #[inline]
    pub(super) fn var(&self, at: usize) -> usize {
        self.all[self.starts[at] as usize] as usize
    }

    /// The instructions that define the operands of an instruction, whose kind is `kind`.
    #[inline]
    pub(super) fn definitions(&self, at: usize, kind: Kind) -> &[u32] {
        count_work(1);
        let first = self.starts[at] as usize + usize::from(matches!(kind, Kind::Read | Kind::Write));
        &self.all[first..self.starts[at + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::op::Var;

    #[test]
    fn each_instruction_has_its_kind_variable_and_definitions() {
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
