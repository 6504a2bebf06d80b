//! The Lockstep harness as a library: cases, generators, oracles, findings and what is printed about them.
//!
//! Fuzz targets, tests and command-line verbs are thin glue over what lives here; the instruction sets and engines are in
//! [`lockstep_core`].

pub mod case;
pub mod coverage;
pub mod engine;
pub mod finding;
pub mod generate;
pub mod minimize;
pub mod oracle;
