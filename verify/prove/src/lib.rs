//! Proofs that references, lowerings and rewrite rules agree: for all inputs, about the very code that runs.
//!
//! [`tasks`] enumerates what there is to prove from the tables. [`prove`] proves it: by running both sides on terms, which mostly come out
//! equal; by the cache; and with feature `solver` by Z3. [`replay`] does the same without a solver, so that it answers for every query
//! only what the cache has for its very text. Neither is green unless something was proved and nothing is unknown.

mod apart;
pub mod asking;
pub mod cache;
pub mod check;
pub mod claims;
pub mod goal;
pub mod host;
#[cfg(feature = "solver")]
pub mod independent;
mod instance;
pub mod mutate;
pub mod number;
pub mod obligation;
pub mod reduce;
pub mod report;
#[cfg(feature = "solver")]
pub mod roads;
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

/// Everything there is to prove: what belongs to no instruction set, and what belongs to each of these, about these programs of it.
// Not generic: the prover for each instruction set is compiled here, and not again wherever this is called.
pub fn tasks(isas: &[IsaId], programs: &mut dyn FnMut(IsaId) -> Programs) -> Vec<Task> {
    let mut all = obligation::shared();
    for isa in isas {
        let programs = programs(*isa);
        lockstep_core::with_isa!(*isa, I => all.extend(obligation::of_isa::<I>(&programs)));
    }
    all
}

/// Proves tasks, asking the solver, if it is there, what the cache does not know. New answers go into the cache.
pub fn prove(tasks: &[Task], cache: &mut Cache, settings: &Settings) -> Report {
    run::run(tasks, cache, &Settings { ask: true, ..settings.clone() })
}

/// Proves tasks by terms and by the cache alone.
pub fn replay(tasks: &[Task], cache: &Cache, settings: &Settings) -> Report {
    run::run(tasks, &mut cache.clone(), &Settings { ask: false, ..settings.clone() })
}

/// Reads the reasons why mutants survive: a JSON object from `obligation: mutant` to a sentence. No file is no reasons.
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
