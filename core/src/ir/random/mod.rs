//! Random programs of the IR, and environments in which to run them.
//!
//! All choices are drawn from a [`Source`]. This is either a sequence of numbers that a property test provides and shrinks, or an endless stream from
//! a seed, which is the same on every machine.

mod environment;
mod generator;
mod numbers;
mod source;

pub use environment::environment;
pub use generator::{Rules, program};
pub use numbers::{FLOATS, INTS, NANS};
pub use source::Source;
