//! The proofs as a job: which programs they are about, where their cache is, and what the reports need of them.

use crate::corpus::{Content, load_own};
use crate::engine::Tier;
use crate::report::{ProofCounts, Proofs};
use lockstep_core::exec::Level;
use lockstep_core::exec::check::{self, Extent};
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;
use lockstep_prove::cache::Cache;
use lockstep_prove::obligation::{self, Named, Task};
use lockstep_prove::report::Report;
use lockstep_prove::run::{Settings, run};
use lockstep_prove::verdict::Verdict;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Whether this build can put questions to a solver.
pub const HAS_SOLVER: bool = cfg!(feature = "prove");

/// Why no proofs were made.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// The cache is unreadable.
    #[error(transparent)]
    Cache(#[from] lockstep_prove::cache::CacheError),
    /// The reasons for surviving mutants are unreadable.
    #[error("{path}: {message}")]
    Reasons {
        /// File.
        path: String,
        /// What is wrong, with line and column.
        message: String,
    },
    /// The cache could not be written.
    #[error("{path}: {source}")]
    Write {
        /// File.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only obligations whose name contains this.
    pub filter: Option<String>,
    /// Of the mutants, one in this many; 0 for none, 1 for all.
    pub mutants: u64,
    /// Neither read the cache nor write it.
    pub fresh: bool,
    /// Show progress on a terminal.
    pub progress: bool,
}

/// The reasons file: obligation and mutant, and why its survival is no fault of the proof.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reasons {
    #[serde(default)]
    survivors: BTreeMap<String, String>,
}

fn programs(corpora: &Path, isa: IsaId) -> Vec<Named> {
    let collection = load_own(corpora, &[isa]);
    let named = collection.items.into_iter().filter_map(|item| match item.content {
        Content::Program { bytes, .. } => Some((item.name, bytes)),
        Content::Case(case) => Some((item.name, case.bytes)),
        Content::Vectors { .. } => None,
    });
    named.collect()
}

fn tasks<I: Isa>(corpora: &Path) -> Vec<Task> {
    obligation::of_isa::<I>(&programs(corpora, I::ID))
}

/// The file with the solver's answers: `None` stands for what belongs to no instruction set.
fn cache_file(corpora: &Path, isa: Option<IsaId>) -> PathBuf {
    corpora.join("proofs").join(format!("{}.jsonl", isa.map_or("shared", IsaId::name)))
}

/// Makes the proofs of one instruction set, or of what they all share, with the cache and the reasons under `corpora/proofs`.
///
/// # Errors
/// If the cache or the reasons cannot be read, or the cache cannot be written.
pub fn prove(corpora: &Path, isa: Option<IsaId>, wanted: &Wanted) -> Result<Report, ProofError> {
    let tasks = match isa {
        Some(isa) => with_isa!(isa, I => tasks::<I>(corpora)),
        None => obligation::shared(),
    };
    let file = cache_file(corpora, isa);
    let mut cache = if wanted.fresh { Cache::default() } else { Cache::read(&file)? };
    let settings = Settings {
        filter: wanted.filter.clone(),
        progress: wanted.progress,
        reasons: reasons(corpora, isa)?,
        ..Settings::default()
    };
    let report = run(&tasks, &mut cache, &settings);
    // Only a build with a solver knows more than the cache; a run of some obligations or mutants must not forget the others.
    if HAS_SOLVER && !wanted.fresh && report.asked > 0 {
        cache
            .write(&file)
            .map_err(|source| ProofError::Write { path: file.display().to_string(), source })?;
    }
    Ok(report)
}

fn reasons(corpora: &Path, isa: Option<IsaId>) -> Result<BTreeMap<String, String>, ProofError> {
    let path = corpora.join("proofs").join(format!("{}.survivors.toml", isa.map_or("shared", IsaId::name)));
    let Ok(text) = std::fs::read_to_string(&path) else { return Ok(BTreeMap::new()) };
    match toml::from_str::<Reasons>(&text) {
        Ok(reasons) => Ok(reasons.survivors),
        Err(error) => {
            Err(ProofError::Reasons { path: path.display().to_string(), message: error.to_string() })
        }
    }
}

/// Holds every kernel of the executor, at every level of this machine, to the meaning of its operation.
pub fn kernels() -> (Proofs, u64) {
    let mut proofs = Proofs::default();
    let mut tuples = 0;
    for level in Level::available() {
        for report in check::kernels(level, Extent::Boundary) {
            tuples += report.count;
            match report.mismatch {
                None => proofs.counts.bounded += 1,
                Some(mismatch) => {
                    proofs.counts.refuted += 1;
                    let name = format!("kernel {} ({})", report.op, Tier(level));
                    proofs.refuted.push((name, format!("{mismatch:08x?}")));
                }
            }
        }
    }
    (proofs, tuples)
}

/// What the table and the findings need of a report.
pub fn summary(report: &Report) -> Proofs {
    let mut proofs = Proofs::default();
    let from_cache = !HAS_SOLVER || (report.asked == 0 && report.queries > 0);
    for outcome in &report.outcomes {
        let counts: &mut ProofCounts = &mut proofs.counts;
        match &outcome.verdict {
            Verdict::Proved { how: lockstep_prove::verdict::How::Solver } if from_cache => counts.cached += 1,
            Verdict::Proved { .. } => counts.proved += 1,
            Verdict::Bounded { .. } | Verdict::Tested { .. } => counts.bounded += 1,
            Verdict::NotApplicable { .. } => {}
            Verdict::Unknown { reason } => {
                counts.unknown += 1;
                proofs.unknown.push(format!("{}: {reason}", outcome.name));
            }
            Verdict::Refuted(example) => {
                counts.refuted += 1;
                proofs.refuted.push((outcome.name.clone(), example.to_string()));
            }
        }
    }
    for checked in report.checks.iter().filter(|c| c.difference.is_some()) {
        let difference = checked.difference.clone().unwrap_or_default();
        proofs.refuted.push((format!("domain-{}", checked.operation), difference));
    }
    for survivor in report.survivors().filter(|s| s.reason.is_none()) {
        proofs.unknown.push(format!("the mutant '{}' survives without a reason", survivor.key));
    }
    for key in &report.unused_reasons {
        proofs.unknown.push(format!("a reason is written down for '{key}', which does not survive"));
    }
    proofs
}
