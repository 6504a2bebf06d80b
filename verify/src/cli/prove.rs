//! `lockstep prove`.

use super::output::Ink;
use super::{Failure, Output, input};
use crate::corpus::own_corpora;
use crate::proof::{HAS_SOLVER, Wanted, kernels, prove, summary};
use crate::report::Exit;
use lockstep_core::isa::IsaId;
use lockstep_prove::report::Report;
use std::io::Write;
use std::path::PathBuf;

/// Prove that reference, lowering, rewriting and layouts agree for all inputs.
///
/// Obligations are enumerated from the tables. Answers of the solver are kept under corpora/proofs; a build without the feature `prove` has no
/// solver and replays them. Exits 1 if an obligation is refuted, 3 if one is unknown or nothing was proved.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lockstep prove
  lockstep prove --filter m44
  lockstep prove --fresh --mutants 1      every proof and every mutant, without the cache")]
pub(super) struct Arguments {
    /// Only obligations whose name contains this.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only this instruction set, and not what all share.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
    /// Of the mutants that the proofs are held to account with, one in N; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 8)]
    mutants: u64,
    /// Leave the cache alone.
    #[arg(long)]
    fresh: bool,
    /// Where the project's corpora are, if not beside the workspace [env: LOCKSTEP_CORPORA].
    #[arg(long, value_name = "DIR")]
    corpora: Option<PathBuf>,
    /// Write every obligation with its verdict as JSON; - is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let Some(corpora) = own_corpora(arguments.corpora.as_deref()) else {
        return Err(Failure::Usage("there are no corpora; --corpora DIR says where they are".to_owned()));
    };
    let wanted = Wanted {
        filter: arguments.filter.clone(),
        mutants: arguments.mutants,
        fresh: arguments.fresh,
        progress: true,
    };
    let scopes: Vec<Option<IsaId>> = match arguments.isa {
        Some(isa) => vec![Some(isa)],
        None => std::iter::once(None).chain(IsaId::ALL.iter().copied().map(Some)).collect(),
    };
    let mut reports: Vec<(&str, Report)> = Vec::new();
    for scope in scopes {
        let report = prove(&corpora, scope, &wanted).map_err(|error| Failure::Usage(error.to_string()))?;
        reports.push((scope.map_or("shared", IsaId::name), report));
    }
    // They belong to no instruction set and have no names to filter by.
    let kernels = (arguments.isa.is_none() && arguments.filter.is_none()).then(kernels);
    let to_stdout = arguments.json.as_deref().is_some_and(|path| path.as_os_str() == "-");
    if let Some(path) = &arguments.json {
        let all: std::collections::BTreeMap<&str, &Report> = reports.iter().map(|(n, r)| (*n, r)).collect();
        let mut bytes = serde_json::to_vec_pretty(&all).map_err(std::io::Error::from)?;
        bytes.push(b'\n');
        input::write(path, &bytes, out)?;
    }
    if !to_stdout {
        for (name, report) in &reports {
            let head = out.paint(Ink::Head, name);
            writeln!(out, "{head}\n{report}")?;
        }
        if let Some((kernels, tuples)) = &kernels {
            let bad = kernels.refuted.len();
            let head = out.paint(Ink::Head, "kernels");
            writeln!(
                out,
                "{head}\n{} of every level on {tuples} sets of operands, {bad} differ",
                kernels.counts.total()
            )?;
            for (name, mismatch) in &kernels.refuted {
                writeln!(out, "REFUTED {name}: {mismatch}")?;
            }
        }
        if !HAS_SOLVER {
            writeln!(
                out,
                "verdicts that need a solver come from the cache: this build has none (feature `prove`)"
            )?;
        }
    }
    let refuted = reports.iter().any(|(_, r)| !summary(r).refuted.is_empty())
        || kernels.as_ref().is_some_and(|(k, _)| !k.refuted.is_empty());
    let proved = reports.iter().any(|(_, r)| r.outcomes.iter().any(|o| o.verdict.name() != "not applicable"));
    let green = reports.iter().all(|(_, r)| r.outcomes.is_empty() || r.is_green());
    Ok(match (refuted, proved && green) {
        (true, _) => Exit::Findings,
        (false, true) => Exit::Clean,
        (false, false) => Exit::Inconclusive,
    })
}
