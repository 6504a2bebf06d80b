//! The optimiser: rewrite rules as data, constant folding, common subexpressions, dead code.
//!
//! [`rules`] lists every algebraic identity that is ever applied; the rewriter and the prover read the same list. Three steps need no algebra:
//! operations on literals are evaluated by the IR evaluator, a value computed twice in a block is computed once (including reads of a variable after
//! reads or writes), and instructions on which no output, effect or branch depends are removed, including writes to variables.
//!
//! Flushes are kept even where the domain of ranges ([`crate::value::range`]) shows that no operand is small enough to be flushed. Rules with guards
//! that an operand lies in a set can be proved and remove 3 % of PICA200's operations and 5 % of Utgard GP's. But then the terms of whole programs
//! before and after rewriting are no longer the same, and each difference is left to the solver: 1,330 queries for Utgard GP's programs, which took
//! minutes.
//!
//! Effects keep their order; quad operations stay in their block. Fuel runs out in the same place.

mod build;
mod dead;
mod discrete;
mod float;
mod forward;
mod list;
mod mutant;
mod rule;
mod seen;
mod set;
mod term;
mod uses;

pub use list::rules;
pub use mutant::TRUE_MUTANTS;
pub use rule::{Guard, Operand, Rule};
pub use set::RuleSet;
pub use term::Term;

use super::program::Program;
use crate::exec::StandardMode;
use tracing::field::Empty;

/// Statistics of a rewrite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// How often each rule fired, by its index in the set.
    pub fired: Vec<u32>,
    /// Operations on literals that became literals.
    pub folded: u32,
    /// Operations whose result had been computed before, reads of variables included.
    pub merged: u32,
    /// Instructions removed because nothing depends on them.
    pub dropped: u32,
}

/// The program after all rules. `program` must verify; then the result also verifies, computes the same outputs and effects, and does not change when
/// rewritten again.
pub fn rewrite(program: &Program) -> Program {
    rewrite_with(program, RuleSet::all()).0
}

/// The program after the rules of a set, with statistics.
pub fn rewrite_with(program: &Program, rules: &RuleSet) -> (Program, Stats) {
    // Literals are folded.
    let _mode = StandardMode::enter();
    let span = tracing::debug_span!("rewrite", fired = Empty, dropped = Empty);
    let _span = span.enter();
    let mut stats = Stats { fired: vec![0; rules.rules().len()], ..Stats::default() };
    let forward = forward::run(program, rules, &mut stats);
    let kept = dead::needed(&forward);
    let program = dead::compact(&forward, &kept, &mut stats);
    span.record("fired", stats.fired.iter().sum::<u32>());
    span.record("dropped", stats.dropped);
    (program, stats)
}
