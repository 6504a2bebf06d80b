//! Five GPU shader instruction sets, each with a *reference* semantics that reads like its manual, a fast *optimized executor*, and what is needed to
//! compare the two.
//!
//! No solver, no I/O and no command line: those belong to the `lockstep` package.

pub mod binary;
pub mod exec;
pub mod host;
pub mod ir;
pub mod isa;
pub mod text;
pub mod value;
pub mod work;
