//! `lockstep check`: the main job.

use super::output::Ink;
use super::progress::Progress;
use super::{Failure, Output, diagnostic, input};
use crate::corpus::{
    Collection, Judgement, Skipped, Suspect, judge, load_own, load_paths, load_real, own_corpora,
    real_corpora,
};
use crate::finding::{Findings, climb};
use crate::oracle::Oracle;
use crate::proof::{HAS_SOLVER, Wanted, prove, summary};
use crate::report::{Builder, Exit, Report, Reported, html, junit, sarif, table};
use lockstep_core::isa::IsaId;
use lockstep_prove::asking::Again;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The most failures of one claim about one instruction set that are minimised; of the others the items are reported.
const MINIMIZED: usize = 8;
/// The most names of a list that the terminal shows.
const SHOWN: usize = 12;

/// Hold both engines against everything there is: programs, cases, vectors, regressions, proofs.
///
/// Without PATH: the project's corpora and, where present, shaders that nobody here wrote. A PATH may be a program (bytes or assembly text),
/// a case, a vector file, or a folder of such.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lockstep check
  lockstep check my/shaders --junit report.xml
  lockstep check --json - | jq .isas")]
pub(super) struct Arguments {
    /// Files and folders of one's own; - is standard input.
    paths: Vec<PathBuf>,
    /// Only this instruction set; for a PATH, what to read it as.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
    /// Where the project's corpora are, if not beside the workspace [env: LOCKSTEP_CORPORA].
    #[arg(long, value_name = "DIR")]
    corpora: Option<PathBuf>,
    /// Where other people's shaders are, if not in ../shared/corpora [env: LOCKSTEP_REAL_CORPORA].
    #[arg(long, value_name = "DIR")]
    real: Option<PathBuf>,
    /// In how many generated environments each bare program is run.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,
    /// Where to write the minimised cases of findings.
    #[arg(long, value_name = "DIR", default_value = "lockstep-findings")]
    findings: PathBuf,
    /// Leave the proofs out.
    #[arg(long)]
    no_proofs: bool,
    /// Ask the solver again for answers of the cache: what took it under a second, and of the rest a turn that TEXT draws.
    #[arg(long, value_name = "TEXT")]
    again: Option<String>,
    /// Write the report as JSON; - is standard output, and then no table is printed.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the report as SARIF.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write the report as a page of HTML.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Name every file that was refused or skipped, however many.
    #[arg(long)]
    all: bool,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let started = Instant::now();
    let isas = arguments.isa.map_or_else(|| IsaId::ALL.to_vec(), |isa| vec![isa]);
    // Of files that a person names, they say what was asked for.
    let mut report = Builder::new(if arguments.paths.is_empty() { &isas } else { &[] });
    let collection = collect(arguments, &isas)?;
    for error in &collection.broken {
        out.error(&diagnostic::read_error(error, out.errors_coloured()))?;
        let text = error.to_string();
        let (name, reason) = text.split_once(": ").unwrap_or(("input", text.as_str()));
        report.broken(name.to_owned(), reason.to_owned());
    }
    report.skipped(collection.skipped);
    if arguments.paths.is_empty() {
        if arguments.no_proofs {
            let reason = "left out (--no-proofs)".to_owned();
            report.skipped([Skipped { name: "proofs".to_owned(), reason }]);
        } else {
            proofs(arguments, &isas, &mut report)?;
        }
    }

    let progress = Progress::new("checking", collection.items.len());
    let mut judgements: Vec<Judgement> = collection
        .items
        .par_iter()
        .map(|item| {
            let judgement = judge(item, 0..arguments.seeds);
            progress.step();
            judgement
        })
        .collect();
    drop(progress);
    let suspects = judgements.iter_mut().flat_map(|j| {
        let name = j.name.clone();
        std::mem::take(&mut j.suspects).into_iter().map(move |s| (name.clone(), s))
    });
    let suspects: Vec<(String, Suspect)> = suspects.collect();
    report.judged(judgements);
    investigate(suspects, &arguments.findings, &mut report);

    let report = report.finish(started.elapsed());
    write_reports(arguments, &report, out)?;
    if ![&arguments.json, &arguments.junit, &arguments.sarif, &arguments.html]
        .into_iter()
        .any(|path| path.as_deref() == Some(Path::new("-")))
    {
        // Whoever closes the pipe early still gets the verdict from the exit code.
        match print(&report, arguments.all, out).and_then(|()| Ok(out.flush()?)) {
            Ok(()) | Err(Failure::Closed) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(report.verdict)
}

fn collect(arguments: &Arguments, isas: &[IsaId]) -> Result<Collection, Failure> {
    if !arguments.paths.is_empty() {
        return Ok(load_paths(arguments.paths.iter().map(PathBuf::as_path), arguments.isa));
    }
    let Some(own) = own_corpora(arguments.corpora.as_deref()) else {
        let asked =
            arguments.corpora.as_ref().map_or_else(String::new, |dir| format!(" at {}", dir.display()));
        return Err(Failure::Usage(format!(
            "there are no corpora{asked}; --corpora DIR or LOCKSTEP_CORPORA says where they are, and PATHs need none"
        )));
    };
    let mut all = load_own(&own, isas);
    if arguments.real.as_deref().is_some_and(|dir| !dir.is_dir()) {
        return Err(Failure::Usage(format!(
            "--real {} is no folder",
            arguments.real.as_deref().unwrap_or(Path::new("")).display()
        )));
    }
    let real = load_real(real_corpora(arguments.real.as_deref()).as_deref(), isas);
    all.items.extend(real.items);
    all.skipped.extend(real.skipped);
    all.broken.extend(real.broken);
    Ok(all)
}

/// Makes the proofs, or replays them where this build has no solver.
fn proofs(arguments: &Arguments, isas: &[IsaId], report: &mut Builder) -> Result<(), Failure> {
    let Some(corpora) = own_corpora(arguments.corpora.as_deref()) else { return Ok(()) };
    let again = arguments.again.clone().map_or(Again::Nothing, Again::Turn);
    let wanted = Wanted { progress: true, again, ..Wanted::default() };
    let made = prove(&corpora, isas, &wanted).map_err(|error| Failure::Usage(error.to_string()))?;
    for line in made.to_string().lines().filter(|line| !line.is_empty()) {
        report.note(format!("proofs: {line}"));
    }
    for isa in isas {
        report.proofs(Some(*isa), summary(&made, Some(*isa)));
    }
    report.proofs(None, summary(&made, None));
    if !HAS_SOLVER {
        report.note("verdicts that need a solver come from the cache: this build has none (feature `prove`)");
    }
    Ok(())
}

/// Minimises what failed and writes the cases. What cannot be written is still reported.
fn investigate(suspects: Vec<(String, Suspect)>, folder: &Path, report: &mut Builder) {
    if suspects.is_empty() {
        return;
    }
    let mut met: BTreeMap<(IsaId, Oracle), usize> = BTreeMap::new();
    let mut others: BTreeMap<(String, IsaId, Oracle), u64> = BTreeMap::new();
    let mut findings = Findings::default();
    let mut items: BTreeMap<String, String> = BTreeMap::new();
    let progress = Progress::new("minimising", suspects.len());
    for (item, suspect) in suspects {
        let (isa, oracle) = (suspect.case.isa, suspect.oracle);
        let count = met.entry((isa, oracle)).or_default();
        *count += 1;
        if *count > MINIMIZED {
            *others.entry((item, isa, oracle)).or_default() += 1;
        } else if let Some(finding) = climb(oracle, &suspect.case) {
            items.entry(finding.file_name()).or_insert(item);
            findings.add(finding);
        } else {
            report.reported(unsteady(&item, &suspect));
        }
        progress.step();
    }
    drop(progress);
    let mut written = BTreeSet::new();
    if let Err(error) = std::fs::create_dir_all(folder) {
        report.note(format!("{}: findings could not be written: {error}", folder.display()));
    } else {
        for (finding, _) in findings.iter() {
            let path = folder.join(finding.file_name());
            match std::fs::write(&path, finding.case.to_text(Some(&finding.failure.message))) {
                Ok(()) => drop(written.insert(finding.file_name())),
                Err(error) => {
                    report.note(format!("{}: this finding could not be written: {error}", path.display()));
                }
            }
        }
    }
    report.findings(&findings, &|file| {
        let item = items.get(file).cloned().unwrap_or_default();
        (item, written.contains(file).then(|| folder.join(file).display().to_string()))
    });
    for ((item, isa, oracle), count) in others {
        report.reported(left_large(item, isa, oracle, count));
    }
}

/// The end of a signature that says that nobody knows what it is one of.
const LARGE: &str = "-not-minimised";

/// Failures behind the first [`MINIMIZED`].
fn left_large(item: String, isa: IsaId, oracle: Oracle, count: u64) -> Reported {
    let claim = oracle.name();
    let message = format!("the claim '{claim}' fails {count} more times, which were not minimised");
    Reported {
        signature: format!("{isa}-{claim}{LARGE}"),
        isa: isa.name().to_owned(),
        claim: claim.to_owned(),
        detail: message.clone(),
        message,
        item,
        count,
        case: None,
        reproduce: None,
    }
}

/// A failure that did not happen again: the lack of determinism is what is wrong.
fn unsteady(item: &str, suspect: &Suspect) -> Reported {
    let isa = suspect.case.isa.name();
    let claim = suspect.oracle.name();
    let message = format!("the claim '{claim}' failed once and held when asked again");
    Reported {
        signature: format!("{isa}-{claim}-unsteady"),
        isa: isa.to_owned(),
        claim: claim.to_owned(),
        message: message.clone(),
        item: item.to_owned(),
        count: 1,
        case: None,
        reproduce: None,
        detail: format!("{message}\n\n{}", suspect.case.to_text(None)),
    }
}

fn write_reports(arguments: &Arguments, report: &Report, out: &mut Output) -> Result<(), Failure> {
    if let Some(path) = &arguments.json {
        let mut bytes = Vec::new();
        report.json(&mut bytes)?;
        input::write(path, &bytes, out)?;
    }
    if let Some(path) = &arguments.junit {
        input::write(path, junit(report).as_bytes(), out)?;
    }
    if let Some(path) = &arguments.sarif {
        input::write(path, format!("{:#}\n", sarif(report)).as_bytes(), out)?;
    }
    if let Some(path) = &arguments.html {
        input::write(path, html(report).as_bytes(), out)?;
    }
    Ok(())
}

fn print(report: &Report, all: bool, out: &mut Output) -> Result<(), Failure> {
    writeln!(out, "{}\n", table(&report.isas, None))?;
    for (what, list) in [("refused", &report.refused), ("skipped", &report.skipped)] {
        if list.is_empty() {
            continue;
        }
        let head = out.paint(Ink::Head, &format!("{what}: {}", list.len()));
        writeln!(out, "{head}")?;
        let shown = if all { list.len() } else { SHOWN };
        for skip in list.iter().take(shown) {
            writeln!(out, "  {}: {}", skip.name, out.paint(Ink::Faint, &skip.reason))?;
        }
        if list.len() > shown {
            writeln!(out, "  and {} more; --all names them", list.len() - shown)?;
        }
    }
    for note in &report.notes {
        writeln!(out, "note: {note}")?;
    }
    let (large, small): (Vec<_>, Vec<_>) =
        report.findings.iter().partition(|finding| finding.signature.ends_with(LARGE));
    let shown = if all { large.len() } else { large.len().min(SHOWN) };
    for finding in &large[..shown] {
        writeln!(out, "{}: {}", out.paint(Ink::Bad, &finding.item), finding.message)?;
    }
    if large.len() > shown {
        writeln!(
            out,
            "and {} more items with failures that were not minimised; --all names them",
            large.len() - shown
        )?;
    }
    for finding in small {
        writeln!(out)?;
        let head = out.paint(
            Ink::Bad,
            &format!("{} (met {} times, first in {})", finding.signature, finding.count, finding.item),
        );
        writeln!(out, "{head}\n{}", finding.detail.trim_end())?;
    }
    let verdict = match report.verdict {
        Exit::Clean => out.paint(Ink::Good, "clean"),
        Exit::Findings => {
            let n = report.findings.len();
            out.paint(Ink::Bad, &format!("{n} finding{}", if n == 1 { "" } else { "s" }))
        }
        Exit::Usage => out.paint(Ink::Bad, "some inputs could not be read"),
        Exit::Inconclusive => out.paint(Ink::Doubtful, "inconclusive"),
    };
    writeln!(out, "{verdict} in {:.1} s", report.seconds)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use std::time::Duration;

    #[test]
    fn every_item_with_a_failure_is_reported_and_no_full_disk_ends_the_run() {
        // Suspects that hold when asked again stand for failures: what counts is what becomes of each.
        let suspect = |n: usize| {
            let case = Case::bare(IsaId::Agal, &[]);
            (format!("item {n}"), Suspect { oracle: Oracle::Bytes, case })
        };
        let mut report = Builder::default();
        let file = tempfile::NamedTempFile::new().expect("a file");
        investigate((0..MINIMIZED + 3).map(suspect).collect(), file.path(), &mut report);
        let report = report.finish(Duration::ZERO);
        assert_eq!(report.findings.len(), MINIMIZED + 3);
        let large = report.findings.iter().filter(|f| f.signature.ends_with(LARGE));
        let items: Vec<&str> = large.map(|f| f.item.as_str()).collect();
        assert_eq!(items, ["item 10", "item 8", "item 9"]);
        assert!(report.notes.iter().any(|note| note.contains("could not be written")), "{:?}", report.notes);
        assert_eq!(report.verdict, Exit::Findings);
    }
}
