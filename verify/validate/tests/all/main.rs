//! Tests of the validator.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a panic fails the test

mod damage;
mod flips;
mod processor;
mod programs;
mod sequences;
