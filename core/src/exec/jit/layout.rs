//! The layout of machine code: the offset of the code for each part of a plan, and what the caller of that code does before and after it. The layout
//! describes everything about the code except its bytes.
//!
//! A validator of the bytes takes the layout as a claim of the compiler, and checks it like the bytes.

use super::{Compiled, Level, Part};
use std::ops::Range;

/// A part of a block of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodePart {
    /// Instructions that run in the interpreter.
    Interpreted(Range<u32>),
    /// Instructions that run as machine code. `all` and `some` contain the offsets of two functions each: the first for blocks of
    /// [`crate::exec::WIDTH`] lanes, with vectors of the level's length; the second for small blocks, with 8 lanes per vector.
    Code {
        /// The instructions of the plan.
        insts: Range<u32>,
        /// Functions called when all lanes run.
        all: [u32; 2],
        /// Functions called when only some lanes run; `None` if all lanes always run all of the code.
        some: Option<[u32; 2]>,
    },
}

/// The structure of a [`Compiled`].
///
/// The function of a part takes one pointer, in `rdi`, to six fields of 8 bytes: the address of the rows; the addresses of the first lane's first
/// input and first output; the lanes that run, one bit each; the address of a row with the same lanes as truth values, whose contents are valid only
/// if not all lanes run; the number of vectors of lanes, at least 1. Rows, inputs and outputs are each [`crate::exec::WIDTH`] numbers apart. The
/// function follows the System V calling convention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The level that the code is for.
    pub level: Level,
    /// Whether all lanes run the whole code once; lane masks and pending blocks are then not maintained.
    pub straight_line: bool,
    /// Whether the inputs are copied to their rows before the code runs.
    pub input_rows: bool,
    /// The indices of the outputs that the caller copies from rows after the code has run; the code itself stores all other outputs.
    pub copied: Vec<u32>,
    /// The parts of each block, in the order in which they run.
    pub blocks: Vec<Vec<CodePart>>,
}

impl Compiled {
    /// The structure of the code.
    pub fn layout(&self) -> Layout {
        let piece = |part: &Part| match part {
            Part::Wide(range) => CodePart::Interpreted(range.clone()),
            Part::Compiled(run, insts) => CodePart::Code {
                insts: insts.clone(),
                all: run.all,
                some: (!self.compiler.straight_line).then_some(run.some),
            },
        };
        let parts = |range: &Range<u32>| &self.compiler.parts[range.start as usize..range.end as usize];
        Layout {
            level: self.level(),
            straight_line: self.compiler.straight_line,
            input_rows: self.compiler.reads_input_rows,
            copied: self.compiler.unstored.clone(),
            blocks: self.compiler.blocks.iter().map(|b| parts(b).iter().map(piece).collect()).collect(),
        }
    }
}
