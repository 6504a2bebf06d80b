//! Engines: run a case and return its outcome.

mod evaluator;
mod executor;
mod outcome;
mod reference;

pub use evaluator::evaluate;
pub use executor::{Executor, Lent, Tier};
pub use outcome::{
    Difference, LETTERS, LaneOutcome, Outcome, OutcomePart, Statistics, Validated, compare, effect, together,
};
pub use reference::{reference, reference_with};
