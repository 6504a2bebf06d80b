//! Five GPU shader instruction sets, each with a *reference* semantics that reads like its manual and an *optimized executor*
//! that is fast, and everything needed to hold the two together.
//!
//! No solver, no I/O and no command line here: those are the business of the `lockstep` package.

pub mod binary;
pub mod exec;
pub mod host;
pub mod ir;
pub mod isa;
pub mod parallel;
pub mod text;
pub mod value;
pub mod work;
