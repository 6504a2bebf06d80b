//! Lowers the operands of ALU slots.

use super::{Lower, Number, register};
use crate::ir::{Op, Value};
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::{Alu, Source, component};
use crate::value::{FUn, IBin};

/// The register or constant that holds an operand.
#[derive(Clone, Copy)]
enum OperandLocation {
    Register(Number),
    Constant(u16),
    ConstantAt(Value),
}

impl Lower<'_, '_> {
    fn location(&mut self, alu: &Alu, source: &Source) -> OperandLocation {
        if source.register {
            return OperandLocation::Register(self.register_number(source.number, source.relative));
        }
        if !source.relative {
            return OperandLocation::Constant(source.number.into());
        }
        let number = self.b.i(source.number.into());
        let offset = if alu.addr_a0 != 0 {
            let var = self.a0_var();
            self.b.read(var)
        } else {
            self.address()
        };
        let sum = self.b.ibin(IBin::Add, number, offset);
        if self.option_is(Choice::ConstantRange, 0) {
            return OperandLocation::ConstantAt(sum);
        }
        let ring = self.b.i(511);
        OperandLocation::ConstantAt(self.b.ibin(IBin::And, sum, ring))
    }

    fn raw(&mut self, location: OperandLocation, c: usize) -> Value {
        match location {
            OperandLocation::Register(number) => register(self.b, &number, c),
            OperandLocation::Constant(n) => self.b.op(Op::Uniform(n * 4 + c as u16), &[]),
            OperandLocation::ConstantAt(slot) => self.b.op(Op::UniformAt(c as u8), &[slot]),
        }
    }

    fn modified(&mut self, value: Value, absolute: bool, negated: bool) -> Value {
        let value = self.flush_input(value);
        let value = if absolute { self.b.un(FUn::Abs, value) } else { value };
        if negated { self.b.un(FUn::Neg, value) } else { value }
    }

    fn is_absolute(&self, absolute: bool, by_constant_bit: bool) -> bool {
        absolute && (!by_constant_bit || self.option_is(Choice::AbsConst, 0))
    }

    /// Returns the channels of a source, 1 to 3, that are selected by `mask`.
    pub(super) fn operand(&mut self, alu: &Alu, source_number: u8, mask: u8) -> [Option<Value>; 4] {
        let mut out = [None; 4];
        if mask == 0 {
            return out;
        }
        let source = alu.source(source_number);
        let location = self.location(alu, &source);
        let absolute = self.is_absolute(source.absolute, !source.register);
        let mut seen = [None; 4];
        for (channel, out) in out.iter_mut().enumerate().filter(|(c, _)| mask >> c & 1 == 1) {
            let c = component(source.swizzle, channel);
            if seen[c].is_none() {
                let value = self.raw(location, c);
                seen[c] = Some(self.modified(value, absolute, source.negated));
            }
            *out = seen[c];
        }
        out
    }

    /// Returns the constant and register operands of a scalar operation with
    /// [`ScalarShape::Constant`](crate::isa::a2xx::opcode::ScalarShape::Constant).
    pub(super) fn constant_pair(&mut self, alu: &Alu) -> [Value; 2] {
        let (constant, register) = alu.constant_operands();
        let absolute = self.is_absolute(constant.absolute, true);
        [constant, register].map(|source| {
            let location = self.location(alu, &source);
            let value = self.raw(location, usize::from(source.swizzle));
            self.modified(value, absolute, source.negated)
        })
    }
}
