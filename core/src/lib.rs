//! Five GPU shader instruction sets, each with a *reference* semantics that reads like its manual and a *lowering* to an intermediate representation,
//! which one *executor* runs fast; and the environments from which reference and executor take inputs, constants and textures.
//!
//! This package contains no solver, no I/O and no command line. The package `lockstep` contains the command line and `lockstep-prove` the solver.

pub mod binary;
pub mod exec;
pub mod host;
pub mod ir;
pub mod isa;
pub mod text;
pub mod value;
pub mod work;
