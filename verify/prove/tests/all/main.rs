//! Tests of the prover through its public interface, in one executable.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on fails

mod second_road;
mod second_road_imports;
