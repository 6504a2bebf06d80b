//! Engines: run a case and return its outcome.

mod evaluator;
mod executor;
mod outcome;
mod planned;
mod reference;
mod undefined;

pub use evaluator::{Sampler, evaluate, evaluate_with};
pub use executor::{Executor, PooledExecutor, Tier};
pub use outcome::{
    Difference, LaneOutcome, Outcome, OutcomePart, Statistics, Validated, compare, format_effect,
    join_engine_names,
};
#[cfg(feature = "judge")]
pub(crate) use reference::lane_outcome;
pub use reference::{reference, reference_with};
pub use undefined::{undefined_dependence, with_register_values};
