//! The independent prover: puts lowering rules to Z3 directly.
//!
//! The main prover turns both sides into its own terms, which usually become the same term, so the main prover depends on a purpose-built normaliser.
//! The independent prover has no normaliser. The reference and the lowered program are run on Z3's terms ([`logic`]), and everything that must agree
//! is enumerated from the declarations of the IR ([`agree`]). The negation of all these claims is one query for each rule, entry and option setting
//! ([`query`]), which Z3 finds unsatisfiable or not. The only simplifications are operations on literals, and selects and logic with a literal
//! condition.
//!
//! Floats are 32-bit words. Sign operations, comparisons, selects, bits and integers are exact formulas on words. Arithmetic, rounding and
//! conversions are uninterpreted at first, with ground instances of [`lemma`]s that are proved in the exact theory; they get their exact meaning
//! ([`exact`]) if Z3 does not find the query unsatisfiable. Only evaluation refutes: a model, or a random sample, counts only if the reference and
//! the lowered program differ when run on its values ([`replay`]). If only one of the two provers refutes an obligation, the run fails
//! ([`crate::agreement`]).
//!
//! Nothing here imports the main prover's terms, claims, goals, sweeps, reductions, numbers or cache. The two provers share only what is being proved
//! (references, lowerings, the IR evaluator, refinement, rule instances), evaluation on literals, [`crate::mutate`], the thread pool and the faults
//! that tests plant in both.

pub mod agree;
pub mod exact;
pub mod instance;
pub mod judge;
pub mod lemma;
pub mod logic;
pub mod mutants;
pub mod outside;
pub mod paths;
pub mod query;
pub mod replay;
pub mod report;
pub mod run;
