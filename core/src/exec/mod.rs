//! The optimised executor.
//!
//! [`Planner`] turns an [`crate::ir::Program`] into a [`Plan`]: linear code over *rows*. A row holds one 32-bit number for each of up to [`WIDTH`]
//! lanes. A [`Batch`] runs a plan over any number of lanes, one block of lanes at a time. [`Level`] selects a build of the wide interpreter or
//! machine code ([`Compiled`]). The results of every lane equal those of [`crate::ir::eval`] bit for bit, except that all NaNs count as equal.
//!
//! Control flow uses lane masks: each block of the program has a set of pending lanes, and the lowest-numbered block with pending lanes runs next,
//! for all its pending lanes. The evaluator does the same for one group (a lane or a quad) at a time. Both give the same results for this reason: the
//! lowest pending block of a group is never below the lowest pending block of all lanes. While it is higher, the group waits. When the two are equal,
//! the active lanes of the group are exactly those that would run if the group were alone.

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
pub use jit::{CodePart, CompileError, Compiled, Layout};
pub use level::Level;
pub use plan::{ArrayRows, Inst, Kernel, Plan, PlanBlock, PlanTerminator, Planner, RowIndex, Scalar, plan};

/// The number of lanes in a full block, and of numbers in a row.
pub const WIDTH: usize = 64;
