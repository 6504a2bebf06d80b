//! Runs the proofs for the command line: selects the programs, opens the cache, and summarises the results for reports.

mod account;
mod ledger;

use crate::corpus::load_own;
use crate::generate::covering;
use crate::oracle::caught;
use crate::report::Proofs;
use lockstep_core::isa::IsaId;
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::with_isa;
use lockstep_prove::asking::Recheck;
use lockstep_prove::cache::Cache;
use lockstep_prove::obligation::{Kind, NamedProgram, Programs};
use lockstep_prove::report::Report;
use lockstep_prove::run::Settings;
use lockstep_prove::verdict::{ProofMeans, Verdict};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

pub use account::{Refusals, obligation_differences};
pub use ledger::bless;

/// Whether this build can query a solver.
pub const HAS_SOLVER: bool = cfg!(feature = "prove");

/// The error of a run of the proofs.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file's path.
        path: String,
        /// The operating system's error.
        source: std::io::Error,
    },
}

/// The settings of a proof run.
#[derive(Clone, Debug, Default)]
pub struct ProofSettings {
    /// If set, only obligations whose name contains this text are proved.
    pub filter: Option<String>,
    /// Which cached answers are checked by querying the solver again.
    pub again: Recheck,
    /// Whether to show progress on a terminal.
    pub progress: bool,
    /// Whether to rewrite the ledger of obligations instead of comparing with it. Has an effect only if the run has no filter and passes. The caller
    /// must then prove all instruction sets.
    pub bless: bool,
    /// Polled repeatedly: if it returns true, the run stops early and reports the results so far.
    pub stop: Option<fn() -> bool>,
}

/// Returns the programs that proofs cover: those of the project's corpora, and the covering arrays.
fn programs(corpora: &Path, isa: IsaId) -> Programs {
    let items = load_own(corpora, &[isa]).items.into_iter();
    let all = items.filter_map(|item| Some((short(&item.name), item.content.program()?.to_vec())));
    let covering = covering(isa).once().iter().enumerate();
    let covering: Vec<NamedProgram> = covering.map(|(n, bytes)| (covering_name(n), bytes.clone())).collect();
    Programs { all: all.collect(), covering }
}

/// Returns the name of a covering array's program in obligations.
fn covering_name(number: usize) -> String {
    format!("covering {number}")
}

/// Returns the name used in obligations: `transform` for `agal/programs/transform.agal.txt`.
fn short(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split('.').next().unwrap_or(file).to_owned()
}

/// Proves the obligations of these instruction sets and the shared ones. The cache and the reasons for surviving mutants are in `proofs` in the
/// folder `corpora`.
/// A build without a solver replays the cache.
///
/// # Errors
/// If the cache or the reasons cannot be read, or the cache or the ledger cannot be written. A damaged cache is not an error: the report says so.
pub fn prove(corpora: &Path, isas: &[IsaId], wanted: &ProofSettings) -> Result<Report, ProofError> {
    let folder = corpora.join("proofs");
    let file = |path: &PathBuf, source| ProofError::File { path: path.display().to_string(), source };
    let (cache_path, reasons_path) = (folder.join("cache.jsonl"), folder.join("survivors.json"));
    let mut cache = Cache::read(&cache_path).map_err(|e| file(&cache_path, e))?;
    let settings = Settings {
        filter: wanted.filter.clone(),
        complete: wanted.filter.is_none() && IsaId::ALL.iter().all(|isa| isas.contains(isa)),
        progress: wanted.progress,
        stop: wanted.stop,
        recheck: wanted.again.clone(),
        reasons: lockstep_prove::read_reasons(&reasons_path).map_err(|e| file(&reasons_path, e))?,
        ..Settings::default()
    };
    // In parallel, because computing them one after the other takes almost a second.
    isas.par_iter().for_each(|isa| {
        covering(*isa);
        with_isa!(*isa, I => _ = rule_instances::<I>());
    });
    let tasks = lockstep_prove::tasks(isas, &mut |isa| programs(corpora, isa));
    let mut report = if HAS_SOLVER {
        lockstep_prove::prove(&tasks, &mut cache, &settings)
    } else {
        lockstep_prove::replay(&tasks, &cache, &settings)
    };
    let refusals_path = folder.join("refusals.json");
    let refusals = lockstep_prove::read_reasons(&refusals_path).map_err(|e| file(&refusals_path, e))?;
    if report.stopped {
        report.lost.push("interrupted: these are the results so far".to_owned());
    } else {
        report.lost = obligation_differences(&report, corpora, isas, wanted.filter.as_deref(), &refusals);
    }
    match &wanted.filter {
        // Folds become obligations when they fire, whatever the filter, so a report of only folds means that the filter matched nothing.
        Some(filter)
            if !report.stopped && report.outcomes.iter().all(|outcome| outcome.kind == Kind::Fold) =>
        {
            report.lost.push(format!("no obligation has '{filter}' in its name"));
        }
        Some(_) => {}
        // A run that stopped early is not compared with the ledger: the obligations it did not reach are reported already.
        None if report.stopped => {}
        None if wanted.bless && report.is_green() => {
            ledger::bless(&report, &folder).map_err(|e| file(&folder, e))?;
        }
        None => report.lost.extend(ledger::differences(&report, &folder, isas)),
    }
    if HAS_SOLVER {
        cache.write().map_err(|e| file(&cache_path, e))?;
    }
    Ok(report)
}

/// Runs the independent prover, then the main prover on the same rules, and compares the results.
#[cfg(feature = "prove")]
pub fn independent(
    isas: &[IsaId],
    settings: &lockstep_prove::independent::run::Settings,
) -> lockstep_prove::independent::report::Report {
    let mut report = lockstep_prove::independent::run::run(isas, settings);
    let tasks = lockstep_prove::tasks(isas, &mut |_| Programs::default());
    let whole = settings.sample.is_none() && settings.filter.is_none();
    report.disagreements = lockstep_prove::agreement::disagreements(&report, tasks, whole, settings.threads);
    report
}

/// Returns the instruction set of an obligation; `None` for shared ones.
fn about(name: &str) -> Option<IsaId> {
    let first = name.split(' ').next().unwrap_or_default();
    IsaId::ALL.iter().copied().find(|isa| isa.name() == first)
}

/// Summarises a report for tables and findings: the obligations of one instruction set, or the shared ones.
pub fn summary(report: &Report, isa: Option<IsaId>) -> Proofs {
    let mut proofs = Proofs::default();
    let from_cache = !HAS_SOLVER || (report.asked == 0 && report.queries > 0);
    for outcome in report.outcomes.iter().filter(|o| about(&o.name) == isa) {
        let counts = &mut proofs.counts;
        match &outcome.verdict {
            Verdict::Proved { how: ProofMeans::Solver | ProofMeans::Lemma } if from_cache => {
                counts.cached += 1;
            }
            Verdict::Proved { .. } => counts.proved += 1,
            Verdict::Bounded { .. } => counts.bounded += 1,
            Verdict::Tested { .. } => counts.tested += 1,
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
        for survivor in outcome.mutants.surviving.iter().filter(|s| s.reason.is_none()) {
            proofs.unknown.push(format!("the mutant '{}' survives without a reason", survivor.key));
        }
    }
    for checked in report.checks.iter().filter(|c| isa.is_none() && c.difference.is_some()) {
        let difference = checked.difference.clone().unwrap_or_default();
        proofs.counts.refuted += 1;
        proofs.refuted.push((format!("domain {}", checked.operation), difference));
    }
    for lost in report.lost.iter().filter(|lost| about(lost) == isa) {
        proofs.unknown.push(lost.clone());
    }
    for fault in report.faults.iter().filter(|_| isa.is_none()) {
        if fault.contradicted {
            proofs.counts.refuted += 1;
            proofs.refuted.push(("cache".to_owned(), fault.what.clone()));
        } else {
            proofs.unknown.push(fault.what.clone());
        }
    }
    for missed in report.not_again.iter().filter(|_| isa.is_none()) {
        proofs.unknown.push(format!("the solver was not asked again for a cached answer: {missed}"));
    }
    for key in report.unused_reasons.iter().filter(|key| about(key) == isa) {
        proofs.unknown.push(format!("a reason is recorded for the mutant '{key}', which does not survive"));
    }
    proofs
}

/// A report as text, and its summary for each instruction set and for the shared obligations.
pub type Summaries = (String, Vec<(Option<IsaId>, Proofs)>);

/// Proves with a progress bar on the terminal, and summarises the results. `again` selects the cached answers that are put to the solver again
/// ([`Recheck::Turn`]).
///
/// # Errors
/// If the cache or the reasons cannot be read or written, or something panics; the error is a sentence.
pub fn summaries(corpora: &Path, isas: &[IsaId], again: Option<u64>) -> Result<Summaries, String> {
    let again = again.map_or(Recheck::Nothing, Recheck::Turn);
    let wanted = ProofSettings { progress: true, again, ..ProofSettings::default() };
    let made = caught(|| prove(corpora, isas, &wanted)).map_err(|panic| panic.to_string())?;
    let made = made.map_err(|error| error.to_string())?;
    let each = isas.iter().copied().map(Some).chain([None]).map(|isa| (isa, summary(&made, isa)));
    Ok((made.to_string(), each.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cheap_answer_that_was_not_asked_again_fails_the_run() {
        let proved = |not_again: &[&str]| Report {
            outcomes: vec![lockstep_prove::report::Outcome {
                kind: Kind::Layout,
                name: "shared".to_owned(),
                claims: 1,
                verdict: Verdict::Proved { how: ProofMeans::SameTerm },
                mutants: lockstep_prove::report::MutantTally::default(),
            }],
            not_again: not_again.iter().map(|key| (*key).to_owned()).collect(),
            ..Report::default()
        };
        let (good, bad) = (proved(&[]), proved(&["query 7 (x)"]));
        assert!(good.is_green() && !bad.is_green() && !bad.has_findings());
        assert!(summary(&good, None).unknown.is_empty());
        assert!(summary(&bad, None).unknown.iter().any(|said| said.contains("query 7")));
        assert!(bad.to_string().contains("NOT ASKED AGAIN query 7 (x)"), "{bad}");
    }
}
