//! Random programs of the IR, and environments to run them in.
//!
//! All choices are drawn from a [`Source`]: the numbers of a property test's tape, so that a program shrinks with the tape, or an endless stream made
//! from a seed, the same on every machine.

mod environment;
mod generator;
mod numbers;
mod source;

pub use environment::environment;
pub use generator::{Rules, program};
pub use numbers::{FLOATS, INTS, NANS};
pub use source::Source;
