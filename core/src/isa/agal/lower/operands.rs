//! Lowers reads of operands.

use super::super::options::Choice;
use super::super::program::{File, Source};
use super::{INSTANCE_SLOT, Lower, var};
use crate::ir::{Op, Value};
use crate::value::{BBin, FUn, IBin, ICmp};

impl Lower<'_, '_> {
    /// Returns component `c` of a register.
    pub(super) fn register(&mut self, file: u8, number: u16, c: usize) -> Value {
        match File::from_number(file) {
            Some(File::Attribute) => self.b.op(Op::Input(number * 4 + c as u16), &[]),
            Some(File::Varying) => self.b.op(Op::Input(number * 4 + c as u16), &[]),
            Some(File::Instance) => self.b.op(Op::Input(INSTANCE_SLOT * 4 + c as u16), &[]),
            Some(File::Constant) => self.b.op(Op::Uniform(number * 4 + c as u16), &[]),
            Some(File::Temporary) => {
                let var = var(self.b, File::Temporary, number, c);
                self.b.read(var)
            }
            _ => self.b.f(0.0),
        }
    }

    /// Returns the constant number that an indexed source computes (for a matrix, that of the first row), even if no such constant exists.
    pub(super) fn slot(&mut self, source: &Source) -> Value {
        let index = self.register(source.index_file, source.number, usize::from(source.index_component));
        let index = if self.option_is(Choice::Index, 1) {
            self.b.un(FUn::RoundEven, index)
        } else if self.option_is(Choice::Index, 2) {
            self.b.un(FUn::Floor, index)
        } else {
            index
        };
        let index = self.b.op(Op::TruncI, &[index]);
        let offset = if self.option_is(Choice::Offset, 1) {
            i32::from(source.offset as i8)
        } else {
            i32::from(source.offset)
        };
        let offset = self.b.i(offset);
        self.b.ibin(IBin::Add, index, offset)
    }

    /// Replaces the number of an indexed constant that does not exist, if an option requires it.
    pub(super) fn constant_in_range(&mut self, slot: Value) -> Value {
        if self.option_is(Choice::ConstantRange, 0) {
            return slot;
        }
        let end = i32::from(self.cx.entry.interface.constants.max(1));
        let (first, last) = (self.b.i(0), self.b.i(end - 1));
        let below = self.b.icmp(ICmp::LtS, slot, first);
        let above = self.b.icmp(ICmp::LtS, last, slot);
        if self.option_is(Choice::ConstantRange, 1) {
            let slot = self.b.sel_i(above, last, slot);
            return self.b.sel_i(below, first, slot);
        }
        let outside = self.b.logic(BBin::Or, below, above);
        self.b.sel_i(outside, first, slot)
    }

    /// Returns component `c` of a source, after swizzling.
    pub(super) fn component(&mut self, source: &Source, c: usize) -> Value {
        let c = source.component(c);
        if source.indirect == 0 {
            return self.register(source.file, source.number, c);
        }
        let slot = self.slot(source);
        let slot = self.constant_in_range(slot);
        self.b.op(Op::UniformAt(c as u8), &[slot])
    }

    /// Returns the components of a source selected by `mask`, after swizzling. The index is computed only once.
    pub(super) fn components(&mut self, source: &Source, mask: u8) -> [Option<Value>; 4] {
        let mut out = [None; 4];
        let slot = (source.indirect != 0).then(|| {
            let slot = self.slot(source);
            self.constant_in_range(slot)
        });
        for (c, out) in out.iter_mut().enumerate().filter(|(c, _)| mask >> c & 1 == 1) {
            let from = source.component(c);
            *out = Some(match slot {
                Some(slot) => self.b.op(Op::UniformAt(from as u8), &[slot]),
                None => self.register(source.file, source.number, from),
            });
        }
        out
    }

    pub(super) fn vector(&mut self, source: &Source, n: usize) -> [Value; 4] {
        let read = self.components(source, (1 << n) - 1);
        let first = read[0].unwrap_or(Value(0));
        read.map(|v| v.unwrap_or(first))
    }
}
