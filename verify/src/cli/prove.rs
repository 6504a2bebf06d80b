//! `lockstep prove`.

use super::embedded::own_corpora;
use super::{Failure, Output, input, interrupt};
use crate::proof::{HAS_SOLVER, ProofSettings, prove};
use crate::report::Exit;
use lockstep_core::isa::IsaId;
use lockstep_prove::asking::Recheck;
use std::io::Write;
use std::path::PathBuf;

/// Prove that reference, lowering, rewriting and layouts agree for all inputs.
///
/// Obligations are enumerated from the tables. Answers of the solver are cached under corpora/proofs; a build without the feature `prove` has no
/// solver and replays them. Exits 1 if an obligation is refuted or a cached answer is contradicted, 3 if an obligation is unknown, nothing was proved
/// or the cache is damaged.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lockstep prove
  lockstep prove --filter m44
  lockstep prove --fresh                  every proof anew, compared with the cache
  lockstep prove --independent            lowering rules by an independent method: Z3 alone, no cache
  lockstep prove --independent --sample 20 --seed COMMIT")]
pub(super) struct Arguments {
    /// Only obligations whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only this instruction set, and the code that all instruction sets share.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
    /// Ask the solver again for every answer and compare the answers with the cache.
    #[arg(long)]
    fresh: bool,
    /// Prove lowering rules with Z3 directly, without the terms, folds and cache of the other proofs. Exits 1 if a rule is refuted or contradicts the
    /// other proofs, 3 if less than 99 % of the rules of an instruction set are confirmed.
    #[arg(long, conflicts_with_all = ["fresh", "corpora"])]
    independent: bool,
    /// Only this many rules of each instruction set, each with at most three settings of the options.
    #[arg(long, value_name = "RULES", requires = "independent")]
    sample: Option<usize>,
    /// The seed for drawing the sample and the mutants.
    #[arg(long, value_name = "TEXT", requires = "independent", default_value = "")]
    seed: String,
    /// Also try this many mutants of each instruction set's lowering rules, chosen among those that evaluation refutes. It is an error if Z3 confirms
    /// one.
    #[arg(long, value_name = "NUMBER", requires = "independent", default_value_t = 0)]
    mutants: usize,
    /// The number of threads; 0 is one per core.
    #[arg(long, value_name = "NUMBER", requires = "independent", default_value_t = 0)]
    threads: usize,
    /// Ask the solver again for cached answers: all that took less than a second, and one eighth of the others, which TURN selects. Eight consecutive
    /// turns cover all answers, so the number of commits is a suitable TURN.
    #[arg(long, value_name = "TURN", conflicts_with = "fresh")]
    again: Option<u64>,
    /// The folder of the project's corpora; by default that of the checkout or, without a checkout, the copy in this program, which `embedded` also
    /// selects [env: LOCKSTEP_CORPORA].
    #[arg(long, value_name = "DIR")]
    corpora: Option<PathBuf>,
    /// Record the numbers of obligations, claims and mutants, which later runs must match; only for a run of everything.
    #[arg(long, conflicts_with_all = ["filter", "isa", "independent"])]
    bless: bool,
    /// Write every obligation with its verdict as JSON; - is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    if arguments.independent {
        return run_independent(arguments, out);
    }
    let corpora = own_corpora(arguments.corpora.as_deref())?;
    let again = match arguments.again {
        _ if arguments.fresh => Recheck::Everything,
        Some(turn) => Recheck::Turn(turn),
        None => Recheck::Nothing,
    };
    let wanted = ProofSettings {
        filter: arguments.filter.clone(),
        again,
        progress: true,
        bless: arguments.bless,
        stop: Some(interrupt::is_interrupted),
    };
    // If this fails, an interrupt ends the process as it does by default.
    let _ = interrupt::listen();
    let isas = arguments.isa.map_or_else(|| IsaId::ALL.to_vec(), |isa| vec![isa]);
    let report = prove(&corpora, &isas, &wanted).map_err(|error| Failure::Usage(error.to_string()))?;
    write_json(arguments, &report, out)?;
    if !to_stdout(arguments) {
        write!(out, "{report}")?;
        if !HAS_SOLVER {
            writeln!(
                out,
                "this build has no solver (feature `prove`), so verdicts that need one come from the cache"
            )?;
        }
    }
    Ok(match (report.has_findings(), report.is_green()) {
        (true, _) => Exit::Findings,
        (false, true) => Exit::Clean,
        (false, false) => Exit::Inconclusive,
    })
}

#[cfg(feature = "prove")]
fn run_independent(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    use lockstep_prove::independent::run::{Sample, Settings};
    /// The maximum number of option settings for each rule of a sample.
    const SETTINGS: usize = 3;
    let isas = arguments.isa.map_or_else(|| IsaId::ALL.to_vec(), |isa| vec![isa]);
    let settings = Settings {
        filter: arguments.filter.clone(),
        sample: arguments.sample.map(|rules| Sample { rules, settings: SETTINGS }),
        seed: arguments.seed.clone(),
        mutants: arguments.mutants,
        threads: arguments.threads,
        progress: true,
    };
    let report = crate::proof::independent(&isas, &settings);
    write_json(arguments, &report, out)?;
    if !to_stdout(arguments) {
        write!(out, "{report}")?;
    }
    Ok(match (report.has_findings(), report.is_green()) {
        (true, _) => Exit::Findings,
        (false, true) => Exit::Clean,
        (false, false) => Exit::Inconclusive,
    })
}

#[cfg(not(feature = "prove"))]
fn run_independent(_: &Arguments, _: &mut Output) -> Result<Exit, Failure> {
    Err(Failure::Usage(
        "--independent needs Z3, which only builds with the feature `prove` contain".to_owned(),
    ))
}

fn to_stdout(arguments: &Arguments) -> bool {
    arguments.json.as_deref().is_some_and(|path| path.as_os_str() == "-")
}

fn write_json(
    arguments: &Arguments,
    report: &impl serde::Serialize,
    out: &mut Output,
) -> Result<(), Failure> {
    if let Some(path) = &arguments.json {
        let mut bytes = serde_json::to_vec_pretty(report).map_err(std::io::Error::from)?;
        bytes.push(b'\n');
        input::write(path, &bytes, out)?;
    }
    Ok(())
}
