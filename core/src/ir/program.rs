//! Programs of the IR.

use super::op::{Array, Op, Sampler, Ty, Var};
use crate::host::{Access, Dimension, SamplerState};

/// A value: the result of one instruction, visible to the rest of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// The number of a block, in position order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// How a texture read finds its level of detail, which determines the operands after the three coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LodKind {
    /// The base level; no operands.
    Base,
    /// One operand: the level.
    Explicit,
    /// Seven operands: the coordinates' change in x (three) and in y (three), and a bias.
    Gradient,
}

impl LodKind {
    /// Number of operands after the coordinates.
    pub fn operands(self) -> usize {
        match self {
            LodKind::Base => 0,
            LodKind::Explicit => 1,
            LodKind::Gradient => 7,
        }
    }
}

/// The static part of one texture read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplerDecl {
    /// Texture unit.
    pub unit: u8,
    /// How the instruction addresses the texture.
    pub dimension: Dimension,
    /// The instruction's own sampler state; `None` uses the state bound to the unit.
    pub state: Option<SamplerState>,
    /// The other properties of the instruction's read.
    pub access: Access,
    /// How the level of detail is found.
    pub lod: LodKind,
}

/// The instruction set's register that a variable represents: a register file, a number in it and a component.
///
/// The optimiser never reads it; listings, traces and the proofs' refinement maps do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarKey {
    /// The instruction set's number for the file.
    pub file: u8,
    /// Register number.
    pub index: u16,
    /// Component, 0 = x.
    pub component: u8,
}

/// A variable and its value at entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VarDecl {
    /// Type.
    pub ty: Ty,
    /// The register component that it represents.
    pub key: VarKey,
    /// Value at entry, as bits (0 or 1 for Bool).
    pub init: u32,
}

/// The initial elements of an array at entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArrayInit {
    /// Zero.
    #[default]
    Zero,
    /// The float constant file's value at the element's register number and component.
    Uniforms,
}

/// An array of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayDecl {
    /// Number of elements.
    pub len: u32,
    /// The instruction set's number for the file.
    pub file: u8,
    /// The component that the elements represent if each element belongs to a register of its own; `None` if four elements make a register.
    pub component: Option<u8>,
    /// The elements at entry.
    pub init: ArrayInit,
}

impl ArrayDecl {
    /// The key of element `n`: the array's component of register `n`, or component `n % 4` of register `n / 4`.
    pub fn key(&self, n: usize) -> VarKey {
        let (index, component) = match self.component {
            Some(component) => (n, component),
            None => (n / 4, (n % 4) as u8),
        };
        VarKey { file: self.file, index: index as u16, component }
    }
}

/// One instruction: an operation, its operands in [`Program::pool`] and its first result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inst {
    /// Operation.
    pub op: Op,
    /// First operand in the pool.
    pub args: u32,
    /// Number of operands.
    pub arity: u8,
    /// First result; the others follow. Meaningless if there is none.
    pub result: Value,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Continues with this block.
    Jump(BlockId),
    /// Continues with the first block if the value (Bool) holds, otherwise with the second.
    Branch(Value, BlockId, BlockId),
    /// Continues with the block whose index in the list is the value (I32), or with the last block if the value is out of range.
    Switch(Value, Vec<BlockId>),
    /// Ends the lane.
    Return,
    /// The hardware itself would hang here: the lane ends as [`End::Hung`](crate::host::End::Hung).
    Hang,
}

impl Terminator {
    /// Returns the successors: the blocks to which the terminator may transfer control.
    pub fn targets(&self) -> impl Iterator<Item = BlockId> + '_ {
        let (pair, many): ([Option<BlockId>; 2], &[BlockId]) = match self {
            Terminator::Jump(a) => ([Some(*a), None], &[]),
            Terminator::Branch(_, a, b) => ([Some(*a), Some(*b)], &[]),
            Terminator::Switch(_, all) => ([None, None], all),
            Terminator::Return | Terminator::Hang => ([None, None], &[]),
        };
        pair.into_iter().flatten().chain(many.iter().copied())
    }

    /// Returns the value that selects the successor, if there is one.
    pub fn operand(&self) -> Option<Value> {
        match self {
            Terminator::Branch(v, ..) | Terminator::Switch(v, _) => Some(*v),
            _ => None,
        }
    }
}

/// A straight line of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its instructions, a range of [`Program::insts`].
    pub insts: std::ops::Range<u32>,
    /// The terminator.
    pub terminator: Terminator,
    /// Index of the source instruction at its start, for listings and traces.
    pub origin: u32,
}

/// A lowered program. Values are numbered through the whole program in order of definition and are used only in their own block.
///
/// Blocks are in position order: if lanes have diverged, those in the lowest-numbered block run first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Variables.
    pub vars: Vec<VarDecl>,
    /// Arrays.
    pub arrays: Vec<ArrayDecl>,
    /// Static parts of texture reads.
    pub samplers: Vec<SamplerDecl>,
    /// All instructions, block by block.
    pub insts: Vec<Inst>,
    /// All operands.
    pub pool: Vec<Value>,
    /// Blocks; execution starts at the entry.
    pub blocks: Vec<Block>,
    /// Where execution starts.
    pub entry: u32,
    /// Number of values.
    pub values: u32,
    /// The outputs of a finished lane: output number (slot * 4 + component) and the variable that holds it.
    pub outputs: Vec<(u16, Var)>,
    /// Lanes in a group: 1, or 4 where quad operations occur.
    pub group: u8,
}

impl Program {
    /// The operands of an instruction.
    #[inline]
    pub fn args(&self, inst: &Inst) -> &[Value] {
        crate::work::count_work(1);
        &self.pool[inst.args as usize..inst.args as usize + inst.arity as usize]
    }

    /// The instructions of a block.
    #[inline]
    pub fn block(&self, block: BlockId) -> &[Inst] {
        let range = &self.blocks[block.0 as usize].insts;
        &self.insts[range.start as usize..range.end as usize]
    }

    /// Type and number of the results of an instruction.
    pub fn results(&self, inst: &Inst) -> (Ty, u8) {
        match inst.op {
            Op::Read(var) => (self.vars[var.0 as usize].ty, 1),
            op => op.results().unwrap_or((Ty::F32, 0)),
        }
    }

    /// The declaration of a texture read.
    pub fn sampler(&self, sampler: Sampler) -> &SamplerDecl {
        &self.samplers[sampler.0 as usize]
    }

    /// The declaration of an array.
    pub fn array(&self, array: Array) -> &ArrayDecl {
        &self.arrays[array.0 as usize]
    }

    /// The declaration of a variable.
    pub fn var(&self, var: Var) -> &VarDecl {
        &self.vars[var.0 as usize]
    }
}
