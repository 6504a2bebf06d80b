//! Tests of the prover through its public interface, in one executable.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a panic fails the test

mod independent;
mod independent_imports;
mod mutants;
mod reads;
mod reduce;
