//! The optimizer: rewrite rules as data, constant folding, common subexpressions, dead code.
//!
//! [`rules`] lists every algebraic identity that is ever applied; the rewriter and the prover read the same list. Around the rules
//! stand three steps that need no algebra: operations on literals are evaluated by the IR evaluator, a value computed twice in a block
//! is computed once (reads after reads or writes of a variable included), and what no output, effect or branch depends on is left
//! out, writes to variables among it.
//!
//! Flushes stay where the domain of ranges ([`crate::value::range`]) would tell that nothing is small enough to be flushed. Rules whose guards ask that an
//! operand lies in a set can be proved and leave out 3 % of PICA200's operations and 5 % of Utgard GP's; but before and after them the terms of whole
//! programs are no longer the same, and each difference is left to the solver: of Utgard GP's programs 1,330 queries, which took minutes.
//!
//! Effects stay, in their order; quad operations stay in their block. Fuel runs out in the same place.

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

/// What a rewrite did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// How often each rule fired, by its place in the set.
    pub fired: Vec<u32>,
    /// Operations on literals that became literals.
    pub folded: u32,
    /// Operations found computed already, reads of variables included.
    pub merged: u32,
    /// Instructions left out because nothing depends on them.
    pub dropped: u32,
}

/// The program after all rules. `program` must verify; the result then does, computes the same outputs and effects, and is its own
/// rewrite.
pub fn rewrite(program: &Program) -> Program {
    rewrite_with(program, RuleSet::all()).0
}

/// The program after the rules of a set, and what was done.
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
