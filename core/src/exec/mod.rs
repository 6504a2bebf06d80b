//! The optimized executor.
//!
//! [`Planner`] turns an [`crate::ir::Program`] into a [`Plan`]: linear code over *rows*, each row holding one 32-bit number for
//! each of up to [`WIDTH`] lanes. A [`Batch`] runs a plan over any number of lanes, a block of lanes at a time, with the wide
//! interpreter of [`Level`]'s choice. Results are those of [`crate::ir::eval`] on every lane, bit for bit, NaNs alike.
//!
//! Control flow is a mask of lanes: each block of the program has a set of lanes waiting for it, and the lowest-numbered block that
//! any lane waits for runs next, for all of these lanes. The evaluator does the same a group (one lane or a quad) at a time.
//! The two agree: the lowest block of a group is never below that of the whole batch. While it is above, the group rests; when
//! the two are equal, exactly those lanes of the group run that would run if it were alone.

mod batch;
pub mod check;

mod fault;
mod float_mode;
mod level;
mod plan;
mod wide;

pub use batch::Batch;
pub use fault::{Fault, Target};
pub use float_mode::{CallerMode, StandardMode};
pub use level::Level;
pub use plan::{ArrayRows, Inst, Kernel, Plan, PlanBlock, Planner, Scalar, Slot, Transfer, plan};

/// Lanes in a full block, and numbers in a row.
pub const WIDTH: usize = 64;
