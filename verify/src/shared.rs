//! Checks of parts that all instruction sets share: the executor on random IR, NaNs, the functions exp2, log2, sin and cos, the sampler and the fetch
//! formats.

use crate::oracle::caught;
use lockstep_core::exec::Level;
use lockstep_core::exec::check::{COMMITTED_HASHES, FUNCTION_VECTORS, batches, functions, nans};
use lockstep_core::host::check::{VectorReport, fetches, sampler};
use serde::{Deserialize, Serialize};

/// The result of checking one part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedReport {
    /// The part that was checked.
    pub name: String,
    /// Lanes run on every tier.
    pub lanes: u64,
    /// Components compared.
    pub components: u64,
    /// Vectors that hold.
    pub vectors: u64,
    /// The problems, one sentence each.
    pub problems: Vec<String>,
}

/// The number of independent parts: the batches of random IR, NaNs, the sampler, the fetch formats, and the functions.
pub const PARTS: usize = COMMITTED_HASHES.len() + 4;

fn name(part: usize) -> &'static str {
    match part.checked_sub(COMMITTED_HASHES.len()) {
        None => "batches",
        Some(0) => "nans",
        Some(1) => "sampler",
        Some(2) => "fetch",
        Some(3) => "functions",
        Some(_) => "proofs",
    }
}

/// Returns the report of a part whose process died while it was checked; `how` describes the end. The number [`PARTS`] represents the proofs.
pub fn died(part: usize, how: &str) -> SharedReport {
    SharedReport { name: name(part).to_owned(), problems: vec![how.to_owned()], ..SharedReport::default() }
}

/// Checks the part with this number, which is below [`PARTS`].
pub fn check(part: usize) -> SharedReport {
    let report = caught(|| run(part)).unwrap_or_else(|panic| SharedReport {
        problems: vec![panic.to_string()],
        ..SharedReport::default()
    });
    SharedReport { name: name(part).to_owned(), ..report }
}

fn run(part: usize) -> SharedReport {
    let levels: Vec<Level> = Level::available().collect();
    match part.checked_sub(COMMITTED_HASHES.len()) {
        None => {
            let report = batches(part, &levels);
            SharedReport {
                lanes: report.lanes,
                components: report.words,
                problems: report.mismatch.into_iter().collect(),
                ..SharedReport::default()
            }
        }
        Some(0) => {
            let (components, wrong) = nans(&levels);
            SharedReport { components, problems: wrong.into_iter().collect(), ..SharedReport::default() }
        }
        Some(1) => of_vectors(sampler()),
        Some(2) => of_vectors(fetches()),
        Some(_) => {
            let (components, problems) = functions(&levels);
            let vectors = FUNCTION_VECTORS - problems.len() as u64;
            SharedReport { components, vectors, problems, ..SharedReport::default() }
        }
    }
}

fn of_vectors(report: VectorReport) -> SharedReport {
    SharedReport {
        components: report.components,
        vectors: report.vectors - report.wrong.len() as u64,
        problems: report.wrong,
        ..SharedReport::default()
    }
}
