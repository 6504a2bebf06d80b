//! Judges items, shared code and proofs in child processes.

use super::Arguments;
use crate::cli::embedded::own_corpora;
use crate::cli::progress::Progress;
use crate::cli::worker::{Death, ItemData, Reply, Request, Worker, ask_all};
use crate::cli::{Failure, interrupt};
use crate::corpus::{Item, Judgement, Strictness, Suspect, empty_judgement};
use crate::generate::Covering;
use crate::proof::HAS_SOLVER;
use crate::report::Builder;
use crate::shared::{PARTS, SharedReport};
use lockstep_core::isa::IsaId;

pub(super) fn worker_error(error: std::io::Error) -> Failure {
    Failure::Io("a worker process".to_owned(), error)
}

/// Computes the covering arrays of these instruction sets, each in a child process.
pub(super) fn covering_arrays(
    isas: &[IsaId],
    report: &mut Builder,
) -> Result<Vec<(IsaId, Covering)>, Failure> {
    // The requests are started in reverse order, since those of the last instruction sets take longest.
    let request = |at| Request::Draw { isa: isas[isas.len() - 1 - at] };
    let results = ask_all(isas.len(), request, || {}).map_err(worker_error)?;
    let mut all = Vec::new();
    for (isa, result) in isas.iter().zip(results.into_iter().rev()) {
        match result {
            Some(Ok(Reply::Drawn(covering))) if !covering.programs().is_empty() => all.push((*isa, covering)),
            None => report.add_unfinished(format!("the covering array of {isa} was not computed")),
            Some(Ok(_)) => report.add_unfinished(format!("the covering array of {isa} has no programs")),
            Some(Err(death)) => {
                let (name, problems) = (format!("covering-{isa}"), vec![death.to_string()]);
                report.add_shared(SharedReport { name, problems, ..SharedReport::default() });
            }
        }
    }
    Ok(all)
}

/// Judges every item in child processes, and with `everything` also the code that all instruction sets share. Returns the failed claims,
/// each with the name of its item.
pub(super) fn judge_all(
    items: &[Item],
    everything: bool,
    seeds: u64,
    report: &mut Builder,
) -> Result<Vec<(String, Suspect)>, Failure> {
    let parts = if everything { PARTS } else { 0 };
    let request = |at: usize, announce| match at.checked_sub(parts) {
        None => Request::Shared { part: at },
        // A covering array was computed for the first environment; further environments do not increase its coverage.
        Some(at) => {
            let seeds = if items[at].strictness == Strictness::Drawn { 1 } else { seeds };
            Request::Judge { item: ItemData::new(&items[at]), seeds, announce }
        }
    };
    let count = parts + items.len();
    let progress = Progress::new("checking", count);
    let results = ask_all(count, |at| request(at, false), || progress.step()).map_err(worker_error)?;
    drop(progress);
    let (mut judgements, mut suspects, mut left) = (Vec::new(), Vec::new(), 0);
    for (at, result) in results.into_iter().enumerate() {
        match (result, at.checked_sub(parts)) {
            (None, _) => left += 1,
            (Some(Ok(Reply::Shared(part))), _) => report.add_shared(part),
            (Some(Ok(reply)), Some(at)) => {
                let (judgement, found) = judged(&items[at], reply);
                suspects.extend(found.into_iter().map(|suspect| (items[at].name.clone(), suspect)));
                judgements.push(judgement);
            }
            (Some(Err(death)), Some(at)) => {
                let (judgement, found) = judge_announced(&items[at], &request(at + parts, true), &death)?;
                suspects.extend(found.into_iter().map(|suspect| (items[at].name.clone(), suspect)));
                judgements.push(judgement);
            }
            (Some(Err(death)), None) => report.add_shared(crate::shared::died(at, &death.to_string())),
            (Some(Ok(_)), None) => left += 1,
        }
    }
    if left > 0 {
        let checks = lockstep_core::text::count(count, "check");
        report.add_unfinished(format!("{left} of {checks} were not run"));
    }
    report.add_judgements(judgements);
    Ok(suspects)
}

fn judged(item: &Item, reply: Reply) -> (Judgement, Vec<Suspect>) {
    match reply {
        Reply::Judged(mut judgement, suspects, keys) => {
            judgement.problem_keys = keys;
            (*judgement, suspects)
        }
        _ => (empty_judgement(item), Vec::new()),
    }
}

/// Judges an item again after it ended a child process. Every step is announced before it begins, so the last announced step is the one that ended
/// the process.
fn judge_announced(
    item: &Item,
    request: &Request,
    first: &Death,
) -> Result<(Judgement, Vec<Suspect>), Failure> {
    let mut last = None;
    let again = Worker::start(false).map_err(worker_error)?.ask(request, &mut |note| last = Some(note));
    let file = item.name.rsplit('/').next().unwrap_or_default().replace(' ', "_");
    let death = match again {
        Ok(reply) => {
            let (mut judgement, suspects) = judged(item, reply);
            judgement
                .record_problem(format!("{file}-unsteady"), format!("{first}, and did not when asked again"));
            return Ok((judgement, suspects));
        }
        Err(death) => death,
    };
    let mut judgement = empty_judgement(item);
    match last {
        Some(Reply::Claim(oracle, case)) => {
            judgement.failed.insert(oracle);
            return Ok((judgement, vec![Suspect { oracle, case: *case }]));
        }
        Some(Reply::Vector(name)) => {
            let key = format!("{}-death", name.replace(' ', "_"));
            judgement.record_problem(key, format!("vector {name}: {death}"));
        }
        _ => judgement.record_problem(format!("{file}-death"), death.to_string()),
    }
    Ok((judgement, Vec::new()))
}

/// Runs the proofs in a child process; a build without a solver replays them from the cache.
pub(super) fn proofs(
    arguments: &Arguments,
    isas: &[IsaId],
    drawn: &[(IsaId, Covering)],
    report: &mut Builder,
) -> Result<(), Failure> {
    if arguments.again.is_some() && !HAS_SOLVER {
        let why = "--again needs a solver, and this build has none (feature `prove`)";
        return Err(Failure::Usage(why.to_owned()));
    }
    let corpora = own_corpora(arguments.corpora.as_deref())?;
    let corpora = corpora.display().to_string();
    let (isas, drawn) = (isas.to_vec(), drawn.to_vec());
    let request = Request::Prove { corpora, isas, drawn, recheck: arguments.again };
    match Worker::start(false).map_err(worker_error)?.ask(&request, &mut |_| {}) {
        Ok(Reply::Proved(Ok((text, summaries)))) => {
            for line in text.lines().filter(|line| !line.is_empty()) {
                report.note(format!("proofs: {line}"));
            }
            for (isa, proofs) in summaries {
                report.add_proofs(isa, proofs);
            }
        }
        Ok(Reply::Proved(Err(why))) => return Err(Failure::Usage(why)),
        _ if interrupt::is_interrupted() => report.add_unfinished("the proofs were not finished".to_owned()),
        Ok(_) => report.add_unfinished("the proofs gave no answer".to_owned()),
        Err(death) => report.add_shared(crate::shared::died(PARTS, &death.to_string())),
    }
    if !HAS_SOLVER {
        report.note(
            "this build has no solver (feature `prove`), so verdicts that need one come from the cache",
        );
    }
    Ok(())
}
