//! Tests of the prover through its public interface, in one executable.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a panic fails the test

mod mutants;
mod reads;
mod reduce;
mod second_road;
mod second_road_imports;
