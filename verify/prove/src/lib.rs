//! Proofs that references, lowerings and rewrite rules agree for all inputs. The proofs run the same code as the tools do.
//!
//! [`tasks`] enumerates the obligations from the tables. [`prove`] proves them by running both sides on terms, most of which become equal; then from
//! the cache; then, with feature `solver`, by Z3. [`replay`] works without a solver: a query has an answer only if the cache has an entry for exactly
//! its text. A run passes ("is green") only if something was proved, nothing is refuted or unknown,
//! and every mutant is accounted for.

#[cfg(feature = "solver")]
pub mod agreement;
pub mod asking;
pub mod cache;
pub mod check;
pub mod claims;
pub mod goal;
pub mod host;
#[cfg(feature = "solver")]
pub mod independent;
mod infeasible;
mod instance;
pub mod mutate;
pub mod number;
pub mod obligation;
mod pool;
pub mod reduce;
pub mod report;
pub mod rules;
pub mod run;
mod sabotage;
pub mod smt;
#[cfg(feature = "solver")]
pub mod solve;
pub mod sweep;
pub mod term;
pub mod verdict;
#[cfg(all(test, feature = "solver"))]
mod wrong;

use cache::Cache;
use lockstep_core::isa::IsaId;
use obligation::{Programs, Task};
use report::Report;
use run::Settings;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns every obligation: those shared by all instruction sets, and for each of `isas` its own and those of its `programs`.
// Not generic: the prover for each instruction set is compiled here, not again in every caller.
pub fn tasks(isas: &[IsaId], programs: &mut dyn FnMut(IsaId) -> Programs) -> Vec<Task> {
    let mut all = obligation::shared();
    for isa in isas {
        let programs = programs(*isa);
        lockstep_core::with_isa!(*isa, I => all.extend(obligation::of_isa::<I>(&programs)));
    }
    all
}

/// Returns the obligation that a variant of a program behaves like the original for all inputs, with the constants that the original defines. Both
/// are given as bytes and the number of an entry.
pub fn variant(isa: IsaId, name: &str, original: (Vec<u8>, usize), variant: (Vec<u8>, usize)) -> Task {
    lockstep_core::with_isa!(isa, I => obligation::variant::<I>(name, original, variant))
}

/// Proves tasks. Queries without a cached answer are put to the solver, if one is linked; new answers are added to the cache.
pub fn prove(tasks: &[Task], cache: &mut Cache, settings: &Settings) -> Report {
    run::run(tasks, cache, &Settings { use_solver: true, ..settings.clone() })
}

/// Proves tasks by terms and the cache, without a solver.
pub fn replay(tasks: &[Task], cache: &Cache, settings: &Settings) -> Report {
    run::run(tasks, &mut cache.clone(), &Settings { use_solver: false, ..settings.clone() })
}

/// Reads the reasons for which mutants may survive: a JSON object that maps `obligation: mutant` to a sentence. A missing file means no reasons.
///
/// # Errors
/// If the file cannot be read or is not such an object.
pub fn read_reasons(path: &Path) -> std::io::Result<BTreeMap<String, String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map_err(std::io::Error::from),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error),
    }
}
