//! `lockstep check`: the main job.

use super::output::Ink;
use super::progress::Progress;
use super::worker::{Death, Fate, Minimised, Reply, Request, Sent, Worker, every, investigate};
use super::{Failure, Output, diagnostic, input, interrupt};
use crate::corpus::{
    Collection, Item, Judgement, Skipped, Suspect, judge_nothing, load_own, load_paths, load_real,
    own_corpora, real_corpora,
};
use crate::oracle::Oracle;
use crate::proof::HAS_SOLVER;
use crate::report::{Builder, Exit, Report, Reported, html, junit, sarif, table};
use crate::shared::PARTS;
use lockstep_core::isa::IsaId;
use std::collections::BTreeMap;
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
    if let Err(error) = interrupt::listen() {
        out.error(&format!("an interrupt will end this without a report: {error}"))?;
    }
    let isas = arguments.isa.map_or_else(|| IsaId::ALL.to_vec(), |isa| vec![isa]);
    let everything = arguments.paths.is_empty();
    // Of files that a person names, they say what was asked for.
    let mut report = Builder::new(if everything { &isas } else { &[] });
    let collection = collect(arguments, &isas)?;
    for error in &collection.broken {
        out.error(&diagnostic::read_error(error, out.errors_coloured()))?;
        report.unreadable(error);
    }
    for error in &collection.absent {
        out.error(&diagnostic::read_error(error, out.errors_coloured()))?;
        let text = error.to_string();
        let (name, reason) = text.split_once(": ").unwrap_or(("input", text.as_str()));
        report.broken(name.to_owned(), reason.to_owned());
    }
    report.skipped(collection.skipped);
    collection.empty.into_iter().for_each(|folder| report.empty(folder));
    if everything {
        if arguments.no_proofs {
            let reason = "left out (--no-proofs)".to_owned();
            report.skipped([Skipped { name: "proofs".to_owned(), reason }]);
        } else {
            proofs(arguments, &isas, &mut report)?;
        }
    }
    let suspects = judge_all(&collection.items, everything, arguments.seeds, &mut report)?;
    minimise(suspects, &arguments.findings, &mut report)?;
    if interrupt::is_wanted() {
        report.unfinished("interrupted: this is what was known by then".to_owned());
    }

    let report = report.finish(started.elapsed());
    finish(arguments, &report, out)
}

/// Writes and prints the report. What cannot be written keeps nothing else from being written, and makes the run unclean only if it is clean.
fn finish(arguments: &Arguments, report: &Report, out: &mut Output) -> Result<Exit, Failure> {
    let mut failures = write_reports(arguments, report, out);
    if ![&arguments.json, &arguments.junit, &arguments.sarif, &arguments.html]
        .into_iter()
        .any(|path| path.as_deref() == Some(Path::new("-")))
    {
        failures.extend(print(report, arguments.all, out).and_then(|()| Ok(out.flush()?)).err());
    }
    // Whoever closes the pipe early still gets the verdict from the exit code.
    failures.retain(|failure| !matches!(failure, Failure::Closed));
    for failure in &failures {
        // If that can't be said either, the exit code is all there is.
        let _ = out.error(&diagnostic::render(failure, out.errors_coloured()));
    }
    Ok(if report.verdict == Exit::Clean && !failures.is_empty() { Exit::Usage } else { report.verdict })
}

fn no_child(error: std::io::Error) -> Failure {
    Failure::Io("a process of one's own to judge in".to_owned(), error)
}

/// Judges every item, and what is shared if `everything` is asked for, in children. Returns what failed, with the name of the item.
fn judge_all(
    items: &[Item],
    everything: bool,
    seeds: u64,
    report: &mut Builder,
) -> Result<Vec<(String, Suspect)>, Failure> {
    let parts = if everything { PARTS } else { 0 };
    let request = |at: usize, aloud| match at.checked_sub(parts) {
        None => Request::Shared { part: at },
        Some(at) => Request::Judge { item: Sent::new(&items[at]), seeds, aloud },
    };
    let count = parts + items.len();
    let progress = Progress::new("checking", count);
    let results = every(count, |at| request(at, false), || progress.step()).map_err(no_child)?;
    drop(progress);
    let (mut judgements, mut suspects, mut left) = (Vec::new(), Vec::new(), 0);
    for (at, result) in results.into_iter().enumerate() {
        match (result, at.checked_sub(parts)) {
            (None, _) => left += 1,
            (Some(Ok(Reply::Shared(part))), _) => report.shared(part),
            (Some(Ok(reply)), Some(at)) => {
                let (judgement, found) = judged(&items[at], reply);
                suspects.extend(found.into_iter().map(|suspect| (items[at].name.clone(), suspect)));
                judgements.push(judgement);
            }
            (Some(Err(death)), Some(at)) => {
                let (judgement, found) = aloud(&items[at], &request(at + parts, true), &death)?;
                suspects.extend(found.into_iter().map(|suspect| (items[at].name.clone(), suspect)));
                judgements.push(judgement);
            }
            (Some(Err(death)), None) => report.shared(crate::shared::died(at, &death.to_string())),
            (Some(Ok(_)), None) => left += 1,
        }
    }
    if left > 0 {
        report.unfinished(format!("{left} of {count} things to check were not looked at"));
    }
    report.judged(judgements);
    Ok(suspects)
}

fn judged(item: &Item, reply: Reply) -> (Judgement, Vec<Suspect>) {
    match reply {
        Reply::Judged(mut judgement, suspects, keys) => {
            judgement.problem_keys = keys;
            (*judgement, suspects)
        }
        _ => (judge_nothing(item), Vec::new()),
    }
}

/// Judges an item again that ended a process, step by step, so that the step that does it is known.
fn aloud(item: &Item, request: &Request, first: &Death) -> Result<(Judgement, Vec<Suspect>), Failure> {
    let mut last = None;
    let again = Worker::start(false).map_err(no_child)?.ask(request, &mut |note| last = Some(note));
    let file = item.name.rsplit('/').next().unwrap_or_default().replace(' ', "_");
    let death = match again {
        Ok(reply) => {
            let (mut judgement, suspects) = judged(item, reply);
            judgement.problem(format!("{file}-unsteady"), format!("{first}, and did not when asked again"));
            return Ok((judgement, suspects));
        }
        Err(death) => death,
    };
    let mut judgement = judge_nothing(item);
    match last {
        Some(Reply::Claim(oracle, case)) => {
            judgement.failed.insert(oracle);
            return Ok((judgement, vec![Suspect { oracle, case }]));
        }
        Some(Reply::Vector(name)) => {
            let key = format!("{}-death", name.replace(' ', "_"));
            judgement.problem(key, format!("vector {name}: {death}"));
        }
        _ => judgement.problem(format!("{file}-death"), death.to_string()),
    }
    Ok((judgement, Vec::new()))
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

/// Makes the proofs in a child, or replays them where this build has no solver.
fn proofs(arguments: &Arguments, isas: &[IsaId], report: &mut Builder) -> Result<(), Failure> {
    let Some(corpora) = own_corpora(arguments.corpora.as_deref()) else { return Ok(()) };
    let request = Request::Prove { corpora: corpora.display().to_string(), isas: isas.to_vec() };
    match Worker::start(false).map_err(no_child)?.ask(&request, &mut |_| {}) {
        Ok(Reply::Proved(Ok((text, summaries)))) => {
            for line in text.lines().filter(|line| !line.is_empty()) {
                report.note(format!("proofs: {line}"));
            }
            summaries.into_iter().for_each(|(isa, proofs)| report.proofs(isa, proofs));
        }
        Ok(Reply::Proved(Err(why))) => return Err(Failure::Usage(why)),
        _ if interrupt::is_wanted() => report.unfinished("the proofs were not finished".to_owned()),
        Ok(_) => report.unfinished("the proofs gave no answer".to_owned()),
        Err(death) => report.shared(crate::shared::died(PARTS, &death.to_string())),
    }
    if !HAS_SOLVER {
        report.note("verdicts that need a solver come from the cache: this build has none (feature `prove`)");
    }
    Ok(())
}

/// Minimises what failed and writes the cases. What cannot be written is still reported.
fn minimise(suspects: Vec<(String, Suspect)>, folder: &Path, report: &mut Builder) -> Result<(), Failure> {
    if suspects.is_empty() {
        return Ok(());
    }
    let mut met: BTreeMap<(IsaId, Oracle), usize> = BTreeMap::new();
    let mut others: BTreeMap<(String, IsaId, Oracle), u64> = BTreeMap::new();
    let (mut names, mut chosen) = (Vec::new(), Vec::new());
    for (item, suspect) in suspects {
        let (isa, oracle) = (suspect.case.isa, suspect.oracle);
        let count = met.entry((isa, oracle)).or_default();
        *count += 1;
        if *count > MINIMIZED {
            *others.entry((item, isa, oracle)).or_default() += 1;
        } else {
            names.push(item);
            chosen.push(suspect);
        }
    }
    let progress = Progress::new("minimising", chosen.len());
    let fates = investigate(&chosen, folder, || progress.step()).map_err(no_child)?;
    drop(progress);
    let mut findings: BTreeMap<String, Found> = BTreeMap::new();
    for ((item, suspect), fate) in names.into_iter().zip(chosen).zip(fates) {
        let (isa, oracle) = (suspect.case.isa, suspect.oracle);
        match fate {
            Fate::Finding(minimised) => Found::add(&mut findings, item, (isa, oracle), *minimised),
            Fate::Unsteady => report.reported(unsteady(&item, &suspect)),
            Fate::Unknown => *others.entry((item, isa, oracle)).or_default() += 1,
        }
    }
    write_cases(&findings, folder, report);
    for ((item, isa, oracle), count) in others {
        report.reported(left_large(item, isa, oracle, count));
    }
    Ok(())
}

/// A finding, and where it was met.
struct Found {
    item: String,
    isa: IsaId,
    oracle: Oracle,
    count: u64,
    case: Minimised,
}

impl Found {
    /// Findings with one signature are one, and the smaller case is kept.
    fn add(to: &mut BTreeMap<String, Found>, item: String, (isa, oracle): (IsaId, Oracle), case: Minimised) {
        match to.get_mut(&case.signature) {
            Some(found) => {
                found.count += 1;
                if case.size < found.case.size {
                    found.case = case;
                }
            }
            None => drop(to.insert(case.signature.clone(), Found { item, isa, oracle, count: 1, case })),
        }
    }
}

/// Writes the cases of findings and reports them.
fn write_cases(findings: &BTreeMap<String, Found>, folder: &Path, report: &mut Builder) {
    let made = if findings.is_empty() { Ok(()) } else { std::fs::create_dir_all(folder) };
    if let Err(error) = &made {
        report.note(format!("{}: findings could not be written: {error}", folder.display()));
    }
    for Found { item, isa, oracle, count, case } in findings.values() {
        let path = folder.join(&case.file);
        let written = made.is_ok().then(|| std::fs::write(&path, &case.text));
        if let Some(Err(error)) = &written {
            report.note(format!("{}: this finding could not be written: {error}", path.display()));
        }
        let written = matches!(written, Some(Ok(())));
        report.reported(Reported {
            signature: case.signature.clone(),
            isa: isa.name().to_owned(),
            claim: oracle.name().to_owned(),
            message: case.message.clone(),
            item: item.clone(),
            count: *count,
            case: written.then(|| path.display().to_string()),
            reproduce: written.then(|| case.reproduce.clone()),
            detail: case.detail.clone(),
        });
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
        detail: format!("{message}\n\n{}", suspect.case.to_hex_text(None)),
    }
}

/// Writes every report that can be written, and returns what stood in the way of the others.
fn write_reports(arguments: &Arguments, report: &Report, out: &mut Output) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut write = |path: &Option<PathBuf>, make: &dyn Fn() -> std::io::Result<Vec<u8>>| {
        let Some(path) = path else { return };
        let done = make().map_err(Failure::from).and_then(|bytes| {
            input::write(path, &bytes, out)?;
            if path == Path::new("-") { Ok(out.flush()?) } else { Ok(()) }
        });
        failures.extend(done.err());
    };
    write(&arguments.json, &|| {
        let mut bytes = Vec::new();
        report.json(&mut bytes).map(|()| bytes)
    });
    write(&arguments.junit, &|| Ok(junit(report).into_bytes()));
    write(&arguments.sarif, &|| Ok(format!("{:#}\n", sarif(report)).into_bytes()));
    write(&arguments.html, &|| Ok(html(report).into_bytes()));
    failures
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
    use std::time::Duration;

    fn minimised(signature: &str, size: u64) -> Minimised {
        Minimised {
            signature: signature.to_owned(),
            message: "m".to_owned(),
            file: format!("{signature}.toml"),
            text: size.to_string(),
            size,
            detail: "d".to_owned(),
            reproduce: "r".to_owned(),
        }
    }

    #[test]
    fn findings_with_one_signature_are_one_and_no_full_disk_loses_any() {
        let mut findings = BTreeMap::new();
        let key = (IsaId::Agal, Oracle::Bytes);
        for (item, signature, size) in [("one", "a", 9), ("two", "b", 5), ("three", "a", 4), ("four", "a", 6)]
        {
            Found::add(&mut findings, item.to_owned(), key, minimised(signature, size));
        }
        // A file where the folder should be.
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mut report = Builder::default();
        write_cases(&findings, file.path(), &mut report);
        let report = report.finish(Duration::ZERO);
        let seen: Vec<_> =
            report.findings.iter().map(|f| (f.item.as_str(), f.count, f.case.is_some())).collect();
        assert_eq!(seen, [("one", 3, false), ("two", 1, false)]);
        assert!(report.notes.iter().any(|note| note.contains("could not be written")), "{:?}", report.notes);
        assert_eq!(report.verdict, Exit::Findings);
        assert_eq!(findings["a"].case.size, 4, "the smaller case is kept");
    }
}
