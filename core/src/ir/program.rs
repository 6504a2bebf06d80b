//! Programs of the IR.

use super::op::{Array, Op, Sampler, Ty, Var};
use crate::host::{Access, Dimension, SamplerState};

/// A value: a result of an instruction. Only later instructions of the same block, and the block's terminator, can use the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// The number of a block. Blocks are numbered in the order of their positions in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// How a texture read determines its level of detail, and which operands follow the three coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LodKind {
    /// The base level; no operands.
    Base,
    /// One operand: the level.
    Explicit,
    /// Seven operands: the change of the three coordinates to the next pixel in x, the change to the next pixel in y, and a bias.
    Gradient,
}

impl LodKind {
    /// The number of operands after the coordinates.
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
    /// The texture unit.
    pub unit: u8,
    /// The texture dimension that the instruction assumes.
    pub dimension: Dimension,
    /// The instruction's own sampler state; `None` uses the state bound to the unit.
    pub state: Option<SamplerState>,
    /// The other properties of the instruction's read.
    pub access: Access,
    /// How the level of detail is determined.
    pub lod: LodKind,
}

/// The register component of the instruction set that a variable represents: a register file, the number of a register in it, and a component.
///
/// The builder, listings, traces and the refinement identify variables by this key; rewriting does not use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarKey {
    /// The instruction set's number for the file.
    pub file: u8,
    /// The number of the register.
    pub index: u16,
    /// The component; 0 is x.
    pub component: u8,
}

/// A variable and its value at entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VarDecl {
    /// The type.
    pub ty: Ty,
    /// The register component that it represents.
    pub key: VarKey,
    /// The value at entry, as bits (0 or 1 for Bool).
    pub init: u32,
}

/// The values of an array's elements at entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArrayInit {
    /// Zero.
    #[default]
    Zero,
    /// The component of the float constant file with the element's register number and component.
    Uniforms,
}

/// An array of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayDecl {
    /// The number of elements.
    pub len: u32,
    /// The instruction set's number for the file.
    pub file: u8,
    /// If each element belongs to a register of its own, the component that all elements represent. `None` if four consecutive elements represent the
    /// components of one register.
    pub component: Option<u8>,
    /// The elements at entry.
    pub init: ArrayInit,
}

impl ArrayDecl {
    /// The register component that element `n` represents: the array's component of register `n`, or component `n % 4` of register `n / 4`.
    pub fn key(&self, n: usize) -> VarKey {
        let (index, component) = match self.component {
            Some(component) => (n, component),
            None => (n / 4, (n % 4) as u8),
        };
        VarKey { file: self.file, index: index as u16, component }
    }
}

/// An instruction: an operation, its operands in [`Program::pool`] and its first result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inst {
    /// The operation.
    pub op: Op,
    /// The index of the first operand in the pool.
    pub args: u32,
    /// The number of operands.
    pub arity: u8,
    /// The first result; the others have the following numbers. If there are no results, this is the number of the next value.
    pub result: Value,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Continues with the given block.
    Jump(BlockId),
    /// Continues with the first block if the value (Bool) holds, otherwise with the second.
    Branch(Value, BlockId, BlockId),
    /// Continues with the block whose index in the list is the value (I32), or with the last block if the value is out of range.
    Switch(Value, Vec<BlockId>),
    /// Ends the lane.
    Return,
    /// The hardware would hang here. The lane ends as [`End::Hung`](crate::host::End::Hung).
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

/// A basic block: a sequence of instructions and a terminator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The instructions, as a range of [`Program::insts`].
    pub insts: std::ops::Range<u32>,
    /// The terminator.
    pub terminator: Terminator,
    /// The index of the source instruction at the block's start, for listings and traces.
    pub origin: u32,
}

/// A lowered program. Values are numbered through the whole program in order of definition. A value is used only in its own block.
///
/// The order of blocks is significant: if lanes have diverged, those in the lowest-numbered block run first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The variables.
    pub vars: Vec<VarDecl>,
    /// The arrays.
    pub arrays: Vec<ArrayDecl>,
    /// The static parts of texture reads.
    pub samplers: Vec<SamplerDecl>,
    /// All instructions, block by block.
    pub insts: Vec<Inst>,
    /// The operands of all instructions.
    pub pool: Vec<Value>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The number of the block at which execution starts.
    pub entry: u32,
    /// The number of values.
    pub values: u32,
    /// The outputs of a finished lane: the output number (slot * 4 + component) and the variable that contains the output at the end.
    pub outputs: Vec<(u16, Var)>,
    /// The number of lanes in a group: 1 or 4. Quad operations require 4.
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

    /// The type and the number of the results of an instruction.
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
