//! The typed form of a Utgard GP program. It preserves every bit of the file.

use super::facts::Facts;
use super::opcode::Op;
use super::source::{IDENTITY, NOT_STORED, StoreSource, UNUSED};
use super::vocabulary::{Mark, Offset, StoreKind};

pub use super::units::AddressSet;

/// A multiplier's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mul {
    /// Code of the first operand.
    pub a: u8,
    /// Code of the second operand.
    pub b: u8,
    /// 1 to negate the result.
    pub neg: u8,
}

/// An adder's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Acc {
    /// Code of the first operand.
    pub a: u8,
    /// Code of the second operand.
    pub b: u8,
    /// 1 to negate the first operand.
    pub neg_a: u8,
    /// 1 to negate the second operand.
    pub neg_b: u8,
}

/// The load port, which reads one vec4 of uniforms or temporaries.
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
    /// Store codes of the two components.
    pub sources: [u8; 2],
    /// Number of the register or varying.
    pub address: u8,
    /// 1 if the target is a varying.
    pub varying: u8,
    /// 1 if the target is the temporary whose slot is in address register 0.
    pub temporary: u8,
}

/// The target of a store unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A register.
    Register(u8),
    /// A varying.
    Varying(u8),
    /// The temporary at address register 0.
    Temporary,
    /// Both bits are set, which is undocumented.
    Unknown,
}

/// One instruction: the operations of all units in one cycle.
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
    /// Code of the complex unit's operand.
    pub complex_src: u8,
    /// Operation of the pass unit.
    pub pass_op: u8,
    /// Code of the pass unit's operand.
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
    /// 1 if the word contains a branch.
    pub branch: u8,
    /// The inverse of bit 8 of the target, as encoded.
    pub branch_target_lo: u8,
    /// Bits 0 to 7 of the target.
    pub branch_target: u8,
    /// A [`Mark`], if it has a documented value.
    pub unknown_1: u8,
}

/// A program: its words, the bytes after the words, and facts about the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Instructions.
    pub words: Vec<Word>,
    /// Bytes after the last instruction.
    pub tail: Vec<u8>,
    /// Facts that words cannot express: facts that a driver passes to the hardware, or a compiler to the driver.
    pub facts: Facts,
}

impl Default for Word {
    /// Returns the no-op according to the sources SEED and M: all operands unused, nothing stored, no offset, the pass unit set to move.
    fn default() -> Word {
        let mul = Mul { a: UNUSED, b: UNUSED, neg: 0 };
        let acc = Acc { a: UNUSED, b: UNUSED, neg_a: 0, neg_b: 0 };
        let store = Store { sources: [NOT_STORED; 2], address: 0, varying: 0, temporary: 0 };
        Word {
            mul_op: Op::Mul.number(),
            mul: [mul; 2],
            acc_op: Op::Add.number(),
            acc: [acc; 2],
            complex_op: 0,
            complex_src: UNUSED,
            pass_op: Op::PassMov.number(),
            pass_src: UNUSED,
            load: Load { address: 0, offset: Load::NO_OFFSET },
            port0: 0,
            port0_attribute: 0,
            port1: 0,
            store: [store; 2],
            branch: 0,
            branch_target_lo: 0,
            branch_target: 0,
            unknown_1: Mark::None as u8,
        }
    }
}

impl Load {
    /// The offset that adds nothing.
    pub const NO_OFFSET: u8 = Offset::None as u8;

    /// Returns the address register that is added, 1 to 3; `None` for any other offset.
    pub fn register(self) -> Option<usize> {
        (1..=3).contains(&self.offset).then_some(usize::from(self.offset))
    }
}

impl Store {
    /// Returns the target of the store unit, as its bits for varyings and temporaries select.
    #[inline]
    pub fn target(self) -> Target {
        match (self.temporary, self.varying) {
            (0, 0) => Target::Register(self.address),
            (0, _) => Target::Varying(self.address),
            (_, 0) => Target::Temporary,
            _ => Target::Unknown,
        }
    }

    /// Returns the source of each of the two components.
    #[inline]
    pub fn stored(self) -> [StoreSource; 2] {
        self.sources.map(StoreSource::decode)
    }

    /// Whether anything is stored.
    #[inline]
    pub fn stores_any(self) -> bool {
        self.sources.iter().any(|s| *s != NOT_STORED)
    }
}

impl Word {
    /// Returns the branch target that is encoded, whether or not there is a branch.
    #[inline]
    pub fn target(&self) -> u32 {
        u32::from(self.branch_target) | if self.branch_target_lo == 0 { 0x100 } else { 0 }
    }

    /// Sets the branch target. `None` if it is above 511; the word is then unchanged.
    #[must_use]
    pub fn set_target(&mut self, target: u32) -> Option<()> {
        let [low, high, 0, 0] = target.to_le_bytes() else { return None };
        self.branch_target_lo = 1u8.checked_sub(high)?;
        self.branch_target = low;
        Some(())
    }
}

impl Target {
    /// Returns the kind of target; `None` if it is undocumented.
    pub fn kind(self) -> Option<StoreKind> {
        match self {
            Target::Register(_) => Some(StoreKind::Register),
            Target::Varying(_) => Some(StoreKind::Varying),
            Target::Temporary => Some(StoreKind::Temporary),
            Target::Unknown => None,
        }
    }
}

impl Acc {
    /// Whether this encodes a move: adding the negated identity, which preserves the sign of zero.
    pub fn is_move(&self, acc_op: u8) -> bool {
        acc_op == Op::Add.number() && self.b == IDENTITY && self.neg_b == 1
    }
}
