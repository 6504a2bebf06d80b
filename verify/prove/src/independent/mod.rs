//! A second road to the same theorems: lowering rules put to Z3 itself.
//!
//! The first road turns both sides into terms of its own and mostly finds them to be one term, so it rests on a normaliser that was written
//! here. This road has none. Reference and lowered program are run on Z3's terms ([`logic`]), what must agree is listed from what the IR
//! declares ([`agree`]), and the negation of it all is one query for each rule, entry and setting of options ([`query`]), which Z3 finds
//! unsatisfiable or not. The only simplifications are operations on literals, and choices and logic with a literal condition.
//!
//! Floats are 32-bit words. Sign operations, comparisons, choices, bits and integers are exact formulas on words; arithmetic, rounding and
//! conversions are unknown functions at first, helped by ground instances of [`lemma`]s that are proved in the exact theory, and are given
//! their exact meaning ([`exact`]) where that leaves a model. Only numbers refute: a model counts if the two machines, run on its numbers,
//! differ ([`replay`]). Where the first road says otherwise, the obligation is refuted ([`crate::roads`]).
//!
//! Nothing here imports the first road's terms, claims, goals, sweeps, reductions, numbers or cache. What the two roads do share is the matter
//! itself (references, lowerings, the IR evaluator, refinement, rule programs), [`crate::mutate`] and the faults that tests plant in both.

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
