//! Tests of the validator.

mod flips;
mod processor;
mod programs;
mod sequences;
