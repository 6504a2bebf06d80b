//! The optimized executor.
//!
//! [`Planner`] turns an [`crate::ir::Program`] into a [`Plan`]: linear code over *rows*, each row holding one 32-bit number for each of up to
//! [`WIDTH`] lanes. A [`Batch`] runs a plan over any number of lanes, a block of lanes at a time, with the wide interpreter that [`Level`] selects or with
//! machine code: [`Compiled`].
//! On every lane the results equal those of [`crate::ir::eval`], bit for bit, including NaNs.
//!
//! Control flow uses lane masks: each block of the program has a set of pending lanes, and the lowest-numbered block with pending lanes runs next,
//! for all of them. The evaluator does the same for one group (a lane or a quad) at a time.
//! The two agree: the lowest pending block of a group is never below that of the whole batch. While it is higher, the group waits; when the two are
//! equal, the active lanes of the group are exactly those that would run if the group were alone.

mod batch;
pub mod check;

mod fault;
mod float_mode;
mod jit;
mod level;
mod plan;
mod wide;

pub use batch::Batch;
pub use fault::{Fault, Target};
pub use float_mode::{CallerMode, StandardMode};
pub use jit::{CompileError, Compiled, Layout, Piece};
pub use level::Level;
pub use plan::{ArrayRows, Inst, Kernel, Plan, PlanBlock, Planner, Scalar, Slot, Transfer, plan};

/// Lanes in a full block, and numbers in a row.
pub const WIDTH: usize = 64;
