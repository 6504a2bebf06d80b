//! Where the code of each part of a plan is, and what runs around it: all that is known of machine code besides its bytes.
//!
//! Whoever validates the bytes takes this as the statement of the compiler and checks it like them.

use super::{Compiled, Level, Part};
use std::ops::Range;

/// A part of a block of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Instructions that run in the interpreter.
    Interpreted(Range<u32>),
    /// Instructions that run as machine code. Each field holds offsets of functions: that for blocks of [`crate::exec::WIDTH`] lanes, whose vectors
    /// have the length of the level, and that for small blocks, with 8 lanes to the vector.
    Code {
        /// The instructions of the plan.
        insts: Range<u32>,
        /// Called where all lanes run.
        all: [u32; 2],
        /// Called where only some do; `None` in code whose lanes all run all of it.
        some: Option<[u32; 2]>,
    },
}

/// The structure of a [`Compiled`].
///
/// A function of a piece takes one pointer, in `rdi`, to six fields of 8 bytes: the rows; the inputs and the outputs of the first lane; the lanes that
/// run, one bit each; the same as a row of truth values, which is set where only some lanes run; the number of vectors of lanes, at least 1. Rows,
/// inputs and outputs are each [`crate::exec::WIDTH`] numbers apart. It obeys the System V convention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The level that the code is for.
    pub level: Level,
    /// Whether all lanes run the whole code once: then masks and pending blocks are not kept.
    pub straight_line: bool,
    /// Whether the inputs are copied to their rows before the code runs.
    pub input_rows: bool,
    /// The outputs that are copied from their rows after the code has run, by index; code stores the others itself.
    pub copied: Vec<u32>,
    /// The pieces of each block, in the order in which they run.
    pub blocks: Vec<Vec<Piece>>,
}

impl Compiled {
    /// The structure of the code.
    pub fn layout(&self) -> Layout {
        let piece = |part: &Part| match part {
            Part::Wide(range) => Piece::Interpreted(range.clone()),
            Part::Compiled(run, insts) => Piece::Code {
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
