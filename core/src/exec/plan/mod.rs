//! Plans: IR programs made ready to run over rows of lanes.
//!
//! A plan is plain data, independent of the level that runs it. Rows are numbered, constants are rows listed in [`Plan::scalars`], and code is a list
//! of [`Inst`] divided into [`PlanBlock`]s. The wide interpreter runs the instructions one by one. The compiler translates them to machine code and
//! shares everything else with the interpreter: the binding of constants, lane masks, effects and outputs.

mod fixed;
mod gather;
mod inst;
mod planner;
mod select;
#[cfg(test)]
mod tests;

pub use inst::{Inst, Kernel};
pub use planner::{Planner, plan};

use crate::host::FetchFormat;
use crate::ir::{ArrayDecl, SamplerDecl};

/// The number of a row of the register file. A row holds one 32-bit number for each lane.
pub type RowIndex = u32;

/// The contents of a row that is the same in every lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// These bits; a Bool is 0 or all ones.
    Bits(u32),
    /// Component `n % 4` of slot `n / 4` of the float constant file; 0 outside it.
    Uniform(u16),
    /// Component `n % 4` of slot `n / 4` of the integer constant file; 0 outside it.
    IntUniform(u16),
    /// Slot `n` of the Boolean constant file, as 0 or all ones; 0 outside it.
    BoolUniform(u16),
    /// Computed by [`Plan::prologue`].
    Computed,
}

/// How a block of a plan ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanTerminator {
    /// Transfers all active lanes to this block.
    Jump(u32),
    /// Transfers each lane to one of two blocks, selected by a Bool.
    Branch {
        /// The row of the Bool.
        condition: RowIndex,
        /// The block for lanes in which the Bool is true.
        yes: u32,
        /// The block for lanes in which the Bool is false.
        no: u32,
    },
    /// Transfers each lane to a block of a range of [`Plan::targets`], selected by an index into the range. An index out of range selects the last
    /// block.
    Switch {
        /// The row of the index.
        index: RowIndex,
        /// The start of the range.
        start: u32,
        /// The length of the range, at least 1.
        len: u32,
    },
    /// Ends the lane.
    Return,
    /// Ends the lane: the hardware would hang.
    Hang,
}

/// A straight-line sequence of instructions and a terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanBlock {
    /// The index of the first instruction in [`Plan::code`].
    pub start: u32,
    /// One past the index of the last instruction.
    pub end: u32,
    /// The terminator.
    pub terminator: PlanTerminator,
    /// The index of the source instruction from which the block was lowered; of the first one if there are several.
    pub origin: u32,
}

/// The rows of an array: one for each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayRows {
    /// The row of element 0.
    pub start: RowIndex,
    /// Number of elements.
    pub len: u32,
    /// The register components that the elements represent, and their initial values.
    pub decl: ArrayDecl,
}

/// An IR program made ready to run.
///
/// [`Planner::plan`] fills a plan and checks [`Plan::is_sound`], on which the interpreter relies. The default plan is empty and ends
/// every lane immediately. [`Plan::plant`] changes a plan to test that faults are detected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    pub(super) rows: u32,
    pub(super) code: Vec<Inst>,
    /// The IR instruction from which each instruction of `code` was made.
    pub(super) sources: Vec<u32>,
    pub(super) pool: Vec<RowIndex>,
    pub(super) blocks: Vec<PlanBlock>,
    pub(super) targets: Vec<u32>,
    pub(super) entry: u32,
    pub(super) scalars: Vec<(RowIndex, Scalar)>,
    pub(super) prologue: Vec<Inst>,
    pub(super) inputs: Vec<(u16, RowIndex)>,
    pub(super) outputs: Vec<(u16, RowIndex)>,
    pub(super) inits: Vec<(RowIndex, u32)>,
    pub(super) arrays: Vec<ArrayRows>,
    pub(super) samplers: Vec<SamplerDecl>,
    pub(super) fetches: Vec<(u8, FetchFormat)>,
    pub(super) effects: Vec<(u8, u16, u8)>,
    pub(super) quads: bool,
}

impl Plan {
    /// Number of rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }
    /// All instructions, block by block.
    pub fn code(&self) -> &[Inst] {
        &self.code
    }
    /// The operands of instructions that have more operands than [`Inst::src`] holds, and the result rows of instructions with several results.
    pub fn pool(&self) -> &[RowIndex] {
        &self.pool
    }
    /// The blocks, numbered as in the program.
    pub fn blocks(&self) -> &[PlanBlock] {
        &self.blocks
    }
    /// The targets of all switches.
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }
    /// The block where every lane starts.
    pub fn entry(&self) -> u32 {
        self.entry
    }
    /// The rows that are the same in every lane, with their contents.
    pub fn scalars(&self) -> &[(RowIndex, Scalar)] {
        &self.scalars
    }
    /// The instructions that compute scalar rows from other scalar rows. The prologue runs once for a batch, in order.
    pub fn prologue(&self) -> &[Inst] {
        &self.prologue
    }
    /// The inputs that the program reads (slot * 4 + component), ascending, and their rows.
    pub fn inputs(&self) -> &[(u16, RowIndex)] {
        &self.inputs
    }
    /// The outputs (slot * 4 + component) in the program's order, and their rows.
    pub fn outputs(&self) -> &[(u16, RowIndex)] {
        &self.outputs
    }
    /// The variables' rows that must be initialised when a block of lanes starts, with their bits, which are the same in every lane.
    pub fn inits(&self) -> &[(RowIndex, u32)] {
        &self.inits
    }
    /// The rows of the arrays.
    pub fn arrays(&self) -> &[ArrayRows] {
        &self.arrays
    }
    /// Whether lanes run in quads, groups of four.
    pub fn quads(&self) -> bool {
        self.quads
    }
    /// The IR instruction (an index of [`crate::ir::Program::insts`]) from which instruction `at` of the code was made.
    pub fn source(&self, at: usize) -> Option<u32> {
        self.sources.get(at).copied()
    }

    /// Whether the invariants hold on which the interpreter relies: every row, block, target and table entry in use exists, and the result row
    /// [`Inst::dst`] of an instruction is not among its operands.
    pub fn is_sound(&self) -> bool {
        let row = |s: RowIndex| s < self.rows;
        let block = |b: u32| (b as usize) < self.blocks.len();
        let inst = |i: &Inst| {
            let Some(pooled) = self.pool.get(i.pool_range()) else { return false };
            // The result row must not be an operand. For kernels without a result row, `d` is a number that is no row.
            let d = if i.kernel.has_row() { i.dst } else { u32::MAX };
            let mut sound = row(d) || !i.kernel.has_row();
            for &s in i.src[..i.kernel.operands()].iter().chain(pooled) {
                sound &= row(s) && s != d;
            }
            sound
                && match i.kernel {
                    Kernel::Load | Kernel::Store => (i.imm as usize) < self.arrays.len(),
                    Kernel::Sample => self
                        .samplers
                        .get(i.imm as usize)
                        .is_some_and(|s| i.n as usize == 7 + s.lod.operands()),
                    Kernel::Fetch => i.n == 4 && (i.imm as usize) < self.fetches.len(),
                    Kernel::Effect => i.n == 5 && (i.imm as usize) < self.effects.len(),
                    _ => i.kernel.pooled().is_none_or(|n| n == i.n as usize),
                }
        };
        self.code.iter().chain(&self.prologue).all(inst)
            && self.blocks.iter().all(|b| {
                b.start <= b.end
                    && b.end as usize <= self.code.len()
                    && match b.terminator {
                        PlanTerminator::Jump(to) => block(to),
                        PlanTerminator::Branch { condition, yes, no } => {
                            row(condition) && block(yes) && block(no)
                        }
                        PlanTerminator::Switch { index, start, len } => {
                            row(index) && len > 0 && start as usize + len as usize <= self.targets.len()
                        }
                        PlanTerminator::Return | PlanTerminator::Hang => true,
                    }
            })
            && block(self.entry)
            && self.targets.iter().all(|&t| block(t))
            && self.arrays.iter().all(|a| a.start.checked_add(a.len).is_some_and(|end| end <= self.rows))
            && self.scalars.iter().all(|s| row(s.0))
            && self.inputs.iter().all(|s| row(s.1))
            && self.outputs.iter().all(|s| row(s.1))
            && self.inits.iter().all(|s| row(s.0))
    }

    pub(super) fn clear(&mut self) {
        self.rows = 0;
        self.entry = 0;
        self.quads = false;
        self.code.clear();
        self.sources.clear();
        self.pool.clear();
        self.blocks.clear();
        self.targets.clear();
        self.scalars.clear();
        self.prologue.clear();
        self.inputs.clear();
        self.outputs.clear();
        self.inits.clear();
        self.arrays.clear();
        self.samplers.clear();
        self.fetches.clear();
        self.effects.clear();
    }
}
