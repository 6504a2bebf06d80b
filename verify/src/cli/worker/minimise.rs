//! Minimises failing cases in child processes and turns them into findings.

use super::pool::{Death, Worker, ask_all};
use super::watch;
use super::wire::{Answer, CandidateProcess, Reply, Request};
use crate::blame::{Exhibit, of_case, wrapped};
use crate::case::Case;
use crate::cli::interrupt;
use crate::corpus::Suspect;
use crate::finding::{Finding, file_name, run_triage, run_triage_with};
use crate::minimize::{Minimized, minimize_bytes};
use crate::oracle::{Failure, Oracle, Verdict, ask};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, Instant};

/// The time limit for minimisation if each candidate may end a process.
const PATIENCE: Duration = Duration::from_secs(20);

/// A finding, ready to be written and reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::cli) struct Minimised {
    pub(in crate::cli) signature: String,
    /// A sentence about the failure.
    pub(in crate::cli) message: String,
    /// The file name of the case.
    pub(in crate::cli) file: String,
    /// The case as text.
    pub(in crate::cli) text: String,
    /// The size of the case's program in bytes.
    pub(in crate::cli) size: u64,
    /// The listing of the program with the failing instruction marked.
    pub(in crate::cli) exhibit: Exhibit,
    /// The full description as text.
    pub(in crate::cli) detail: String,
    /// The command that reproduces the finding.
    pub(in crate::cli) reproduce: String,
    /// The number of the failing instruction in the program before minimisation.
    pub(in crate::cli) word: Option<u32>,
}

impl Minimised {
    fn new(finding: &Finding, folder: &str) -> Minimised {
        let file = finding.file_name();
        let path = Path::new(folder).join(&file).display().to_string();
        Minimised {
            signature: finding.signature.to_string(),
            message: finding.message(),
            exhibit: finding.exhibit.clone(),
            text: finding.case.to_text(Some(&finding.failure.message)),
            size: finding.case.bytes.len() as u64,
            detail: finding.describe(&path),
            reproduce: finding.reproduce(&path),
            file,
            word: None,
        }
    }

    /// Returns the finding for a case that is not analysed, because it ends the process that minimises it. At most its bytes are minimised.
    fn unminimised(oracle: Oracle, case: &Case, failure: &Failure, folder: &str) -> Minimised {
        let signature = format!("{}-{}-bytes-death", case.isa, oracle.name());
        let file = file_name(&signature);
        let path = Path::new(folder).join(&file).display().to_string();
        let message = format!("{}: {}", failure.between, failure.message);
        let reproduce = format!("lockstep reproduce --oracle {} {path}", oracle.name());
        let detail = format!(
            "{}{}{}  again      {reproduce}\n",
            wrapped("  claim      ", &format!("{}: {}", oracle.name(), oracle.claim())),
            wrapped("  what       ", &message),
            wrapped("  bytes      ", &format!("{:02x?}", case.bytes))
        );
        let (text, size) = (case.to_hex_text(Some(&failure.message)), case.bytes.len() as u64);
        let exhibit = Exhibit::default();
        Minimised { signature, message, file, text, size, exhibit, detail, reproduce, word: None }
    }
}

/// Runs candidates in a child process, which is replaced when it dies.
struct CandidateRunner {
    worker: Option<Worker>,
    since: Instant,
}

impl CandidateRunner {
    fn failure(&mut self, oracle: Oracle, case: &Case) -> Option<Failure> {
        if self.since.elapsed() > PATIENCE.min(Duration::from_secs(watch::seconds())) {
            return None;
        }
        let mut worker = self.worker.take().or_else(|| Worker::start(true).ok())?;
        match worker.ask(&Request::Ask { oracle, case: case.clone() }, &mut |_| {}) {
            Ok(reply) => {
                self.worker = Some(worker);
                match reply {
                    Reply::Answered(Answer::Fails(failure)) => Some(failure),
                    _ => None,
                }
            }
            Err(death) => Some(death.failure()),
        }
    }
}

/// Minimises a failing case; called in a child process. `None` if the case no longer fails.
pub(super) fn minimise(
    oracle: Oracle,
    case: &Case,
    how: CandidateProcess,
    folder: &str,
) -> Option<Minimised> {
    let mut asker = CandidateRunner { worker: None, since: Instant::now() };
    match how {
        CandidateProcess::Here => {
            let finding = run_triage(oracle, case)?;
            let whole = match ask(oracle, case) {
                Verdict::Fails(failure) => of_case(oracle, case, &failure),
                _ => Exhibit::default(),
            };
            let word = whole.guilty.map(|guilty| guilty.word);
            Some(Minimised { word, ..Minimised::new(&finding, folder) })
        }
        CandidateProcess::SeparateProcess => {
            let mut last: Option<(Case, Failure)> = None;
            let mut fails = |candidate: &Case| {
                // After the time limit, the candidate that failed last is still reported as failing.
                let known =
                    last.as_ref().filter(|(case, _)| case == candidate).map(|(_, failure)| failure.clone());
                let failure = known.or_else(|| asker.failure(oracle, candidate))?;
                last = Some((candidate.clone(), failure.clone()));
                Some(failure)
            };
            run_triage_with(oracle, case, &mut fails).map(|finding| Minimised::new(&finding, folder))
        }
        CandidateProcess::SeparateProcessByBytes => {
            let first = asker.failure(oracle, case)?;
            let small = shorter(case, &first, &mut |candidate| asker.failure(oracle, candidate));
            Some(Minimised::unminimised(oracle, &small, &first, folder))
        }
    }
}

/// Minimises a case by reducing its environment and by removing and clearing bytes, while it fails between the same two sides as `first`.
fn shorter(case: &Case, first: &Failure, fails: &mut dyn FnMut(&Case) -> Option<Failure>) -> Case {
    let mut still = |candidate: &Case| fails(candidate).is_some_and(|f| f.between == first.between);
    match minimize_bytes(case, &mut still) {
        Minimized::Done { case, .. } => *case,
        Minimized::NotInteresting => case.clone(),
    }
}

/// The result of investigating a suspect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Investigation {
    /// The suspect was confirmed as a finding.
    Finding(Box<Minimised>),
    /// The case no longer fails.
    NotReproduced,
    /// The run was interrupted.
    Unknown,
}

/// Investigates suspects. If a case kills its child process, each candidate of the minimisation is run in a further child process.
///
/// # Errors
/// If no child process can be started.
pub(in crate::cli) fn investigate(
    suspects: &[Suspect],
    folder: &Path,
    done: impl Fn() + Sync,
) -> std::io::Result<Vec<Investigation>> {
    let folder = folder.display().to_string();
    let request = |suspect: &Suspect, how| Request::Minimise {
        oracle: suspect.oracle,
        case: suspect.case.clone(),
        how,
        folder: folder.clone(),
    };
    let first = ask_all(suspects.len(), |at| request(&suspects[at], CandidateProcess::Here), done)?;
    let mut investigations = Vec::with_capacity(suspects.len());
    for (suspect, result) in suspects.iter().zip(first) {
        investigations.push(match result {
            None => Investigation::Unknown,
            Some(Ok(reply)) => investigation(reply),
            Some(Err(death)) => investigate_in_other_processes(suspect, &request, &death, &folder)?,
        });
    }
    Ok(investigations)
}

fn investigation(reply: Reply) -> Investigation {
    match reply {
        Reply::Minimised(Some(minimised)) => Investigation::Finding(minimised),
        _ => Investigation::NotReproduced,
    }
}

fn investigate_in_other_processes(
    suspect: &Suspect,
    request: &impl Fn(&Suspect, CandidateProcess) -> Request,
    death: &Death,
    folder: &str,
) -> std::io::Result<Investigation> {
    for how in [CandidateProcess::SeparateProcess, CandidateProcess::SeparateProcessByBytes] {
        if interrupt::is_interrupted() {
            break;
        }
        if let Ok(reply) = Worker::start(true)?.ask(&request(suspect, how), &mut |_| {}) {
            return Ok(investigation(reply));
        }
    }
    let blind = Minimised::unminimised(suspect.oracle, &suspect.case, &death.failure(), folder);
    Ok(Investigation::Finding(Box::new(blind)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::IsaId;

    #[test]
    fn a_case_minimised_as_bytes_keeps_its_failure() {
        // A case with a byte 9 fails in one way, and a case without it in another.
        let mut fails = |case: &Case| {
            let between = if case.bytes.contains(&9) { "nine" } else { "none" };
            Some(Failure::new(between, ""))
        };
        let case = Case::bare(IsaId::Agal, &[1, 9, 2, 3]);
        let cut = |first: &str, fails: &mut dyn FnMut(&Case) -> Option<Failure>| {
            shorter(&case, &Failure::new(first, ""), fails).bytes
        };
        assert_eq!(cut("nine", &mut fails), [9]);
        // The whole case does not fail in this way, so it is not changed.
        assert_eq!(cut("none", &mut fails), case.bytes);
    }
}
