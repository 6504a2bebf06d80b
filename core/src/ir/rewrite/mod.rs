//! The optimiser: rewrite rules as data, constant folding, elimination of common subexpressions and of dead code.
//!
//! [`rules`] lists all algebraic identities that the optimiser applies. The rewriter and the prover use the same list. Three further steps need no
//! identities. The IR evaluator evaluates operations on literals. A value that a block computes twice is computed once; a read of a variable after a
//! read or write in the same block returns the known value. Instructions on which no output, effect or branch depends are removed, including writes
//! to variables.
//!
//! A flush is kept even if the domain of ranges ([`crate::value::range`]) shows that its operand is never small enough to be flushed. Rules whose
//! guards require an operand to be in a set could be proved; they would remove 3 % of the operations of PICA200 and 5 % of those of Utgard GP. But
//! the terms of whole programs before and after rewriting would then differ, and the solver would have to prove each difference: 1,330 queries for
//! the programs of Utgard GP, which took minutes.
//!
//! Effects keep their order, quad operations stay in their block, and fuel runs out at the same point.

mod build;
mod dead;
mod discrete;
mod float;
mod forward;
mod list;
mod mutant;
mod rule;
mod set;
mod term;
mod uses;
mod value_table;

pub use list::rules;
pub use mutant::EQUIVALENT_MUTANTS;
pub use rule::{Guard, Operand, Rule};
pub use set::RuleSet;
pub use term::Term;

use super::program::Program;
use crate::exec::StandardMode;
use tracing::field::Empty;

/// Statistics of a rewrite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// How often each rule was applied, by the index of the rule in the set.
    pub fired: Vec<u32>,
    /// The number of operations on literals that were replaced by literals.
    pub folded: u32,
    /// The number of operations, including reads of variables, whose result was already known in the block.
    pub merged: u32,
    /// The number of instructions that were removed because no output, effect or branch depends on them.
    pub dropped: u32,
}

/// Returns the program after rewriting by all rules. `program` must pass the verifier. Then the result passes it too, computes the same outputs and
/// effects, and does not change if it is rewritten again.
pub fn rewrite(program: &Program) -> Program {
    rewrite_with(program, RuleSet::all()).0
}

/// Returns the program after rewriting by the rules of a set, with statistics.
pub fn rewrite_with(program: &Program, rules: &RuleSet) -> (Program, Stats) {
    // Constant folding computes with floats.
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
