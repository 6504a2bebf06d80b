//! `lockstep check`: compares both engines on programs, cases and vectors, and runs the proofs.

mod findings;
mod judging;
mod output;

use super::embedded::own_corpora;
use super::levels::LevelArguments;
use super::worker::{DEFAULT_TIMEOUT, set_timeout};
use super::{Failure, Output, diagnostic, input, interrupt};
use crate::corpus::{Collection, Item, Skipped, load_own, load_paths, load_real, real_corpora};
use crate::report::{Builder, Denials, Exit};
use findings::minimise;
use judging::{covering_arrays, judge_all, proofs};
use lockstep_core::exec::Level;
use lockstep_core::isa::IsaId;
use output::finish;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Compare both engines on everything available: programs, cases, vectors, regressions, proofs.
///
/// Without PATH, the project's corpora are checked and, where present, shaders of other people. A PATH may be a program (bytes or assembly text), a
/// case, a vector file, or a folder of these. A file that is one of these by name or content but cannot be read is a finding; other files in a folder
/// are skipped, and pipes, devices and kernel files are not read. An interrupt ends the work, and the results so far are reported.
///
/// Rules that programs break are listed with number, place and source; they fail the run only with --deny. A program that breaks a rule at error
/// level is refused, which means that it is not run, regardless of --warn and --allow.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lockstep check
  lockstep check my/shaders --junit report.xml
  lockstep check my/shaders --deny warnings,refused --allow d3d9:104
  lockstep check --json - | jq .isas")]
pub(super) struct Arguments {
    /// Files and folders: programs as bytes or text, cases (`lockstep case format` describes them), vectors; - is standard input.
    paths: Vec<PathBuf>,
    /// Only this instruction set; each PATH is read as this set.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
    /// The folder of the project's corpora; by default that of the checkout or, without a checkout, the copy in this program, which `embedded` also
    /// selects [env: LOCKSTEP_CORPORA].
    #[arg(long, value_name = "DIR")]
    corpora: Option<PathBuf>,
    /// A folder of other people's shaders, with ISA/open for each instruction set, which need not be part of this project [env:
    /// LOCKSTEP_REAL_CORPORA].
    #[arg(long, value_name = "DIR")]
    real: Option<PathBuf>,
    /// The number of generated environments in which each bare program is run.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,
    /// The folder for the minimised cases of findings.
    #[arg(long, value_name = "DIR", default_value = "lockstep-findings")]
    findings: PathBuf,
    /// The time limit for a program, or for one part of the code that all instruction sets share. Exceeding the limit is a finding.
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_TIMEOUT, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    patience: u64,
    /// Skip the proofs.
    #[arg(long)]
    no_proofs: bool,
    /// Ask the solver again for cached answers: all that took less than a second, and one eighth of the others, which TURN selects. Eight consecutive
    /// turns cover all answers, so the number of commits is a suitable TURN.
    #[arg(long, value_name = "TURN", conflicts_with = "no_proofs")]
    again: Option<u64>,
    /// Write the report as JSON; - is standard output, and then no table is printed.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the report as SARIF.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write the report as an HTML page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    levels: LevelArguments,
    /// List every refused or skipped file and every broken rule, however many.
    #[arg(long)]
    all: bool,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let started = Instant::now();
    let reports = [&arguments.json, &arguments.junit, &arguments.sarif, &arguments.html];
    reject_equal_paths(&reports)?;
    for (path, report) in arguments.paths.iter().flat_map(|path| reports.iter().map(move |r| (path, r))) {
        report.as_deref().map_or(Ok(()), |report| input::not_over_itself(path, report))?;
    }
    if let Err(error) = interrupt::listen() {
        out.error(&format!(
            "interrupts cannot be handled, so one will end this run without a report: {error}"
        ))?;
    }
    let isas = arguments.isa.map_or_else(|| IsaId::ALL.to_vec(), |isa| vec![isa]);
    let everything = arguments.paths.is_empty();
    // If files are named on the command line, they determine the instruction sets.
    let mut report = Builder::new(if everything { &isas } else { &[] });
    let policy = arguments.levels.read()?;
    let denials = Denials {
        rules: policy.denies_warnings,
        refused: policy.denies_refused,
        skipped: policy.denies_skipped,
    };
    report.set_policy(policy.levels, denials);
    set_timeout(arguments.patience);
    for level in Level::ALL.into_iter().filter(|level| !level.is_available()) {
        report.note(format!(
            "the executor's level {level:?} is not run: this processor has no such instructions"
        ));
    }
    let collection = collect(arguments, &isas)?;
    for error in &collection.broken {
        out.error(&diagnostic::read_error(error, out.errors_coloured()))?;
        report.add_unreadable(error);
    }
    for error in &collection.absent {
        out.error(&diagnostic::read_error(error, out.errors_coloured()))?;
        let text = error.to_string();
        let (name, reason) = text.split_once(": ").unwrap_or(("input", text.as_str()));
        report.count_unreadable(name.to_owned(), reason.to_owned());
    }
    report.add_skipped(collection.skipped);
    collection.empty.into_iter().for_each(|folder| report.add_empty_folder(folder));
    let drawn = if everything { covering_arrays(&isas, &mut report)? } else { Vec::new() };
    if everything {
        if arguments.no_proofs {
            let reason = "left out (--no-proofs)".to_owned();
            report.add_skipped([Skipped { name: "proofs".to_owned(), reason }]);
        } else {
            proofs(arguments, &isas, &drawn, &mut report)?;
        }
    }
    let mut items = collection.items;
    for (isa, covering) in &drawn {
        let programs = covering.programs().iter().enumerate();
        items.extend(programs.map(|(n, bytes)| Item::drawn(*isa, n, bytes.clone())));
    }
    let suspects = judge_all(&items, everything, arguments.seeds, &mut report)?;
    minimise(suspects, &arguments.findings, &items, &mut report)?;
    if interrupt::is_interrupted() {
        report.add_unfinished("interrupted: these are the results so far".to_owned());
    }

    let report = report.finish(started.elapsed());
    Ok(finish(arguments, &report, out))
}

/// Rejects two reports with the same path.
fn reject_equal_paths(reports: &[&Option<PathBuf>]) -> Result<(), Failure> {
    let paths: Vec<&PathBuf> = reports.iter().filter_map(|report| report.as_ref()).collect();
    let places: Vec<PathBuf> = paths.iter().map(|path| canonical_path(path)).collect();
    match paths.iter().enumerate().find(|(n, _)| places[..*n].contains(&places[*n])) {
        Some((_, path)) => {
            let place = match path.to_str() {
                Some("-") => "standard output".to_owned(),
                _ => path.display().to_string(),
            };
            Err(Failure::Usage(format!(
                "two reports are to be written to the same place, {place}: give each a file of its own"
            )))
        }
        None => Ok(()),
    }
}

/// Returns the path with its folder made canonical; unchanged if the folder does not exist.
fn canonical_path(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        _ if path == Path::new("-") => path.to_owned(),
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn collect(arguments: &Arguments, isas: &[IsaId]) -> Result<Collection, Failure> {
    if !arguments.paths.is_empty() {
        return Ok(load_paths(arguments.paths.iter().map(PathBuf::as_path), arguments.isa));
    }
    let own = own_corpora(arguments.corpora.as_deref())?;
    let mut all = load_own(&own, isas);
    if arguments.real.as_deref().is_some_and(|dir| !dir.is_dir()) {
        return Err(Failure::Usage(format!(
            "--real {} is not a folder",
            arguments.real.as_deref().unwrap_or(Path::new("")).display()
        )));
    }
    let real = load_real(real_corpora(arguments.real.as_deref()).as_deref(), isas);
    all.items.extend(real.items);
    all.skipped.extend(real.skipped);
    all.broken.extend(real.broken);
    Ok(all)
}
