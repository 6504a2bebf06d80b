//! Proofs that references, lowerings and rewrite rules agree: for all inputs, about the very code that runs.

pub mod cache;
#[cfg(feature = "solver")]
pub mod check;
pub mod claims;
pub mod goal;
pub mod host;
pub mod mutate;
pub mod number;
pub mod obligation;
pub mod reduce;
pub mod report;
pub mod run;
pub mod smt;
#[cfg(feature = "solver")]
pub mod solve;
pub mod term;
pub mod verdict;
