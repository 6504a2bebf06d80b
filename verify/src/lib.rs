//! The Lockstep harness as a library: cases, generators, oracles, findings and reports.
//!
//! An *oracle* checks a claim about a case, such as that two engines agree on it; a *finding* is a claim that fails, minimised and explained. Fuzz
//! targets, tests and command-line verbs are thin wrappers around this library. The instruction sets and engines are in [`lockstep_core`].

pub mod blame;
pub mod case;
#[cfg(feature = "cli")]
pub mod cli;
pub mod corpus;
pub mod coverage;
pub mod digest;
pub mod engine;
pub mod finding;
pub mod fuzz;
pub mod generate;
mod head;
#[cfg(feature = "judge")]
pub mod judge;
pub mod legality;
#[cfg(feature = "judge")]
pub mod metamorphic;
pub mod minimize;
pub mod oracle;
#[cfg(feature = "cli")]
mod printable;
#[cfg(feature = "cli")]
pub mod proof;
pub mod report;
pub mod shared;
mod sources;
mod stepping;
pub mod worst;
