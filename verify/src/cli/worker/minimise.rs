//! Making failing cases small, in children, and making findings of them.

use super::pool::{Death, Worker, every};
use super::watch;
use super::wire::{Answer, How, Reply, Request};
use crate::blame::{Exhibit, of_case, wrapped};
use crate::case::Case;
use crate::cli::interrupt;
use crate::corpus::Suspect;
use crate::finding::{Finding, climb, climb_with, file_name};
use crate::minimize::{Minimized, minimize_bytes};
use crate::oracle::{Failure, Oracle, Verdict, ask};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long candidates are tried that each may end a process.
const PATIENCE: Duration = Duration::from_secs(20);

/// A finding, ready to be written and reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::cli) struct Minimised {
    pub(in crate::cli) signature: String,
    /// In a sentence.
    pub(in crate::cli) message: String,
    /// The name of its case's file.
    pub(in crate::cli) file: String,
    /// The case.
    pub(in crate::cli) text: String,
    /// Bytes of its program.
    pub(in crate::cli) size: u64,
    /// The program with the instruction at which it fails.
    pub(in crate::cli) exhibit: Exhibit,
    /// Everything known about it, as text.
    pub(in crate::cli) detail: String,
    /// The command that shows it again.
    pub(in crate::cli) reproduce: String,
    /// The guilty instruction of the program as it was before it was made small.
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

    /// Of a case that nothing looks into.
    fn blind(oracle: Oracle, case: &Case, failure: &Failure, folder: &str) -> Minimised {
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

/// A child that is asked about one candidate after the other, and replaced when it dies.
struct Asker {
    worker: Option<Worker>,
    since: Instant,
}

impl Asker {
    fn fails(&mut self, oracle: Oracle, case: &Case) -> Option<Failure> {
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

/// In a child: makes a failing case small. `None` if it does not fail any more.
pub(super) fn minimise(oracle: Oracle, case: &Case, how: How, folder: &str) -> Option<Minimised> {
    let mut asker = Asker { worker: None, since: Instant::now() };
    match how {
        How::Here => {
            let finding = climb(oracle, case)?;
            let whole = match ask(oracle, case) {
                Verdict::Fails(failure) => of_case(oracle, case, &failure),
                _ => Exhibit::default(),
            };
            let word = whole.guilty.map(|guilty| guilty.word);
            Some(Minimised { word, ..Minimised::new(&finding, folder) })
        }
        How::Apart => {
            let mut last: Option<(Case, Failure)> = None;
            let mut fails = |candidate: &Case| {
                // When time is up, what failed last still does.
                let known =
                    last.as_ref().filter(|(case, _)| case == candidate).map(|(_, failure)| failure.clone());
                let failure = known.or_else(|| asker.fails(oracle, candidate))?;
                last = Some((candidate.clone(), failure.clone()));
                Some(failure)
            };
            climb_with(oracle, case, &mut fails).map(|finding| Minimised::new(&finding, folder))
        }
        How::ApartByBytes => {
            let first = asker.fails(oracle, case)?;
            let mut fails =
                |candidate: &Case| asker.fails(oracle, candidate).is_some_and(|f| f.between == first.between);
            let small = match minimize_bytes(case, &mut fails) {
                Minimized::Done { case, .. } => *case,
                Minimized::NotInteresting => case.clone(),
            };
            Some(Minimised::blind(oracle, &small, &first, folder))
        }
    }
}

/// What came of a suspect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Fate {
    /// It is a finding.
    Finding(Box<Minimised>),
    /// It does not fail any more.
    Unsteady,
    /// The run was interrupted.
    Unknown,
}

/// What came of each suspect; a case on which a child dies is made small from outside.
///
/// # Errors
/// If no child can be started.
pub(in crate::cli) fn investigate(
    suspects: &[Suspect],
    folder: &Path,
    done: impl Fn() + Sync,
) -> std::io::Result<Vec<Fate>> {
    let folder = folder.display().to_string();
    let request = |suspect: &Suspect, how| Request::Minimise {
        oracle: suspect.oracle,
        case: suspect.case.clone(),
        how,
        folder: folder.clone(),
    };
    let first = every(suspects.len(), |at| request(&suspects[at], How::Here), done)?;
    let mut fates = Vec::with_capacity(suspects.len());
    for (suspect, result) in suspects.iter().zip(first) {
        fates.push(match result {
            None => Fate::Unknown,
            Some(Ok(reply)) => fate(reply),
            Some(Err(death)) => from_outside(suspect, &request, &death, &folder)?,
        });
    }
    Ok(fates)
}

fn fate(reply: Reply) -> Fate {
    match reply {
        Reply::Minimised(Some(minimised)) => Fate::Finding(minimised),
        _ => Fate::Unsteady,
    }
}

fn from_outside(
    suspect: &Suspect,
    request: &impl Fn(&Suspect, How) -> Request,
    death: &Death,
    folder: &str,
) -> std::io::Result<Fate> {
    for how in [How::Apart, How::ApartByBytes] {
        if interrupt::is_wanted() {
            break;
        }
        if let Ok(reply) = Worker::start(true)?.ask(&request(suspect, how), &mut |_| {}) {
            return Ok(fate(reply));
        }
    }
    let blind = Minimised::blind(suspect.oracle, &suspect.case, &death.failure(), folder);
    Ok(Fate::Finding(Box::new(blind)))
}
