//! The typed form of a Utgard GP program. It carries every bit of the file.

use super::facts::Facts;
use super::layout::{self, COUNT, FieldId, WORD};
use super::source::{IDENTITY, NOT_STORED, Stored, UNUSED};

pub use super::units::AddressSet;

/// A multiplier's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mul {
    /// First operand, a source code.
    pub a: u8,
    /// Second operand.
    pub b: u8,
    /// 1 to negate the result.
    pub neg: u8,
}

/// An adder's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Acc {
    /// First operand, a source code.
    pub a: u8,
    /// Second operand.
    pub b: u8,
    /// 1 to negate the first operand.
    pub neg_a: u8,
    /// 1 to negate the second operand.
    pub neg_b: u8,
}

/// The load port: one vec4 of uniforms and temporaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Load {
    /// Slot, 0 to 511.
    pub address: u16,
    /// Address register that is added: 1 to 3, or 7 for none.
    pub offset: u8,
}

/// A store unit: 0 for x and y, 1 for z and w.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Store {
    /// What goes to the two components, store source codes.
    pub sources: [u8; 2],
    /// Register or varying.
    pub address: u8,
    /// 1 for a varying.
    pub varying: u8,
    /// 1 for the temporary at address register 0.
    pub temporary: u8,
}

/// Where a store unit stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A register.
    Register(u8),
    /// A varying.
    Varying(u8),
    /// The temporary at address register 0.
    Temporary,
    /// Both bits are set: no document knows this.
    Unknown,
}

/// One instruction: what every unit does in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Word {
    /// Operation of both multipliers.
    pub mul_op: u8,
    /// The multipliers.
    pub mul: [Mul; 2],
    /// Operation of both adders.
    pub acc_op: u8,
    /// The adders.
    pub acc: [Acc; 2],
    /// Operation of the complex unit.
    pub complex_op: u8,
    /// Its operand.
    pub complex_src: u8,
    /// Operation of the pass unit.
    pub pass_op: u8,
    /// Its operand.
    pub pass_src: u8,
    /// The load port.
    pub load: Load,
    /// Register or attribute at read port 0.
    pub port0: u8,
    /// 1 if read port 0 reads an attribute.
    pub port0_attribute: u8,
    /// Register at read port 1.
    pub port1: u8,
    /// The store units.
    pub store: [Store; 2],
    /// 1 for a branch.
    pub branch: u8,
    /// The inverse of bit 8 of the target, as it stands in the word.
    pub branch_target_lo: u8,
    /// Bits 0 to 7 of the target.
    pub branch_target: u8,
    /// 0, 12 or 13.
    pub unknown_1: u8,
}

/// A program: words, what follows them, and what is known about it from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Instructions.
    pub words: Vec<Word>,
    /// Bytes after the last instruction.
    pub tail: Vec<u8>,
    /// What words cannot say: a driver tells the hardware, a compiler the driver.
    pub facts: Facts,
}

impl Default for Word {
    /// The no-op of SEED, M: all operands unused, nothing stored, no offset, the pass unit set to move.
    fn default() -> Word {
        let mul = Mul { a: UNUSED, b: UNUSED, neg: 0 };
        let acc = Acc { a: UNUSED, b: UNUSED, neg_a: 0, neg_b: 0 };
        let store = Store { sources: [NOT_STORED; 2], address: 0, varying: 0, temporary: 0 };
        Word {
            mul_op: 0,
            mul: [mul; 2],
            acc_op: 0,
            acc: [acc; 2],
            complex_op: 0,
            complex_src: UNUSED,
            pass_op: 2,
            pass_src: UNUSED,
            load: Load { address: 0, offset: Load::NO_OFFSET },
            port0: 0,
            port0_attribute: 0,
            port1: 0,
            store: [store; 2],
            branch: 0,
            branch_target_lo: 0,
            branch_target: 0,
            unknown_1: 0,
        }
    }
}

impl Load {
    /// The offset that adds nothing.
    pub const NO_OFFSET: u8 = 7;

    /// The address register that is added, 1 to 3.
    pub fn register(self) -> Option<usize> {
        (1..=3).contains(&self.offset).then_some(usize::from(self.offset))
    }
}

impl Store {
    /// Where it stores.
    #[inline]
    pub fn target(self) -> Target {
        match (self.temporary, self.varying) {
            (0, 0) => Target::Register(self.address),
            (0, _) => Target::Varying(self.address),
            (_, 0) => Target::Temporary,
            _ => Target::Unknown,
        }
    }

    /// What goes to each of its two components.
    #[inline]
    pub fn stored(self) -> [Stored; 2] {
        self.sources.map(Stored::decode)
    }

    /// Whether anything is stored.
    #[inline]
    pub fn is_live(self) -> bool {
        self.sources.iter().any(|s| *s != NOT_STORED)
    }
}

impl Word {
    /// Values of all fields, in the order of [`WORD`].
    #[inline]
    pub fn fields(&self) -> [u16; COUNT] {
        crate::work::looks_at(1);
        let [m0, m1] = self.mul;
        let [a0, a1] = self.acc;
        let [s0, s1] = self.store;
        let b = u16::from;
        [
            b(m0.a),
            b(m0.b),
            b(m1.a),
            b(m1.b),
            b(m0.neg),
            b(m1.neg),
            b(a0.a),
            b(a0.b),
            b(a1.a),
            b(a1.b),
            b(a0.neg_a),
            b(a0.neg_b),
            b(a1.neg_a),
            b(a1.neg_b),
            self.load.address,
            b(self.load.offset),
            b(self.port0),
            b(self.port0_attribute),
            b(self.port1),
            b(s0.temporary),
            b(s1.temporary),
            b(self.branch),
            b(self.branch_target_lo),
            b(s0.sources[0]),
            b(s0.sources[1]),
            b(s1.sources[0]),
            b(s1.sources[1]),
            b(self.acc_op),
            b(self.complex_op),
            b(s0.address),
            b(s0.varying),
            b(s1.address),
            b(s1.varying),
            b(self.mul_op),
            b(self.pass_op),
            b(self.complex_src),
            b(self.pass_src),
            b(self.unknown_1),
            b(self.branch_target),
        ]
    }

    /// The word with these field values, in the order of [`WORD`]; values have to fit their fields.
    #[inline]
    pub fn from_fields(values: &[u16; COUNT]) -> Word {
        let at = |id: FieldId| values[id as usize] as u8;
        let mul = |a, b, neg| Mul { a: at(a), b: at(b), neg: at(neg) };
        let acc = |a, b, neg_a, neg_b| Acc { a: at(a), b: at(b), neg_a: at(neg_a), neg_b: at(neg_b) };
        let store = |a, b, address, varying, temporary| Store {
            sources: [at(a), at(b)],
            address: at(address),
            varying: at(varying),
            temporary: at(temporary),
        };
        use FieldId::{
            Acc0Src0, Acc0Src0Neg, Acc0Src1, Acc0Src1Neg, Acc1Src0, Acc1Src0Neg, Acc1Src1, Acc1Src1Neg,
            AccOp, Branch, BranchTarget, BranchTargetLo, ComplexOp, ComplexSrc, LoadAddr, LoadOffset,
            Mul0Neg, Mul0Src0, Mul0Src1, Mul1Neg, Mul1Src0, Mul1Src1, MulOp, PassOp, PassSrc, Register0Addr,
            Register0Attribute, Register1Addr, Store0Addr, Store0SrcX, Store0SrcY, Store0Temporary,
            Store0Varying, Store1Addr, Store1SrcW, Store1SrcZ, Store1Temporary, Store1Varying, Unknown1,
        };
        Word {
            mul_op: at(MulOp),
            mul: [mul(Mul0Src0, Mul0Src1, Mul0Neg), mul(Mul1Src0, Mul1Src1, Mul1Neg)],
            acc_op: at(AccOp),
            acc: [
                acc(Acc0Src0, Acc0Src1, Acc0Src0Neg, Acc0Src1Neg),
                acc(Acc1Src0, Acc1Src1, Acc1Src0Neg, Acc1Src1Neg),
            ],
            complex_op: at(ComplexOp),
            complex_src: at(ComplexSrc),
            pass_op: at(PassOp),
            pass_src: at(PassSrc),
            load: Load { address: values[LoadAddr as usize], offset: at(LoadOffset) },
            port0: at(Register0Addr),
            port0_attribute: at(Register0Attribute),
            port1: at(Register1Addr),
            store: [
                store(Store0SrcX, Store0SrcY, Store0Addr, Store0Varying, Store0Temporary),
                store(Store1SrcZ, Store1SrcW, Store1Addr, Store1Varying, Store1Temporary),
            ],
            branch: at(Branch),
            branch_target_lo: at(BranchTargetLo),
            branch_target: at(BranchTarget),
            unknown_1: at(Unknown1),
        }
    }

    /// The value of a field.
    pub fn field(&self, id: FieldId) -> u16 {
        self.fields()[id as usize]
    }

    /// The word with a field set; the value is cut to the field's width.
    #[must_use]
    pub fn with_field(&self, id: FieldId, value: u16) -> Word {
        let mut values = self.fields();
        values[id as usize] = value & id.field().max() as u16;
        Word::from_fields(&values)
    }

    /// The fields of 128 bits.
    #[inline]
    pub fn from_bits(bits: u128) -> Word {
        let values: [u128; COUNT] = WORD.split(&bits);
        Word::from_fields(&values.map(|v| v as u16))
    }

    /// The 128 bits with these fields; a field wider than its place is cut.
    #[inline]
    pub fn to_bits(&self) -> u128 {
        layout::WORD.join(&self.fields().map(u128::from), 0)
    }

    /// The branch's target, whether there is a branch or not.
    #[inline]
    pub fn target(&self) -> u32 {
        u32::from(self.branch_target) | if self.branch_target_lo == 0 { 0x100 } else { 0 }
    }

    /// Sets the target, 0 to 511.
    pub fn set_target(&mut self, target: u32) {
        self.branch_target = target as u8;
        self.branch_target_lo = u8::from(target & 0x100 == 0);
    }
}

impl Acc {
    /// Whether this is how a move is written: the negative identity added, which keeps the sign of zero.
    pub fn is_move(&self, acc_op: u8) -> bool {
        acc_op == 0 && self.b == IDENTITY && self.neg_b == 1
    }
}
