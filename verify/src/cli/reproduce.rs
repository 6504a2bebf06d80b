//! `lockstep reproduce`.

mod judged;

use super::output::Ink;
use super::worker::{self, Answer};
use super::{Failure, Output, diagnostic, input};
use crate::case::Case;
use crate::oracle::Oracle;
use crate::report::Exit;
use std::io::Write;
use std::path::PathBuf;

/// Check a finding again: ask the oracles about a case, or a subject about a finding of `judge`.
///
/// Exits 1 if a claim still fails, 0 if every claim that applies holds, 3 if none applies. If FILE is the folder of a finding that `judge` wrote, the
/// subject is started in the current folder, with the recorded command or as --subject states. The verb then exits 1 if the subject fails, in the
/// same way or in another.
///
/// With --bisect, exit statuses are those of `git bisect run`: 0 if the finding is absent, 1 if it is present, 125 if this revision cannot be judged.
/// A revision cannot be judged if nothing can be compared, or if the subject does not start, does not support the program, or fails in another way.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lockstep reproduce --oracle execution lockstep-findings/agal-execution-add-output.toml\n  \
    lockstep reproduce lockstep-judged/d3d9-value-output-mul\n  \
    git bisect run sh -c 'make || exit 125; lockstep reproduce --bisect ../found/d3d9-value-output-mul'"
)]
pub(super) struct Arguments {
    /// A finding's case (`lockstep case format` describes it); a bare program runs in a generated environment. Or the folder of a finding of `judge`.
    file: PathBuf,
    /// Use the exit statuses of `git bisect run`.
    #[arg(long)]
    bisect: bool,
    /// The subject for a finding of `judge`, if not started with the recorded command; written as for `judge`.
    #[arg(long, value_name = "SUBJECT")]
    subject: Option<String>,
    /// Check only this claim.
    #[arg(long, value_name = "CLAIM")]
    oracle: Option<OracleName>,
    /// The seed of the generated environment that a bare program runs in.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// An oracle that the user selects by name.
#[derive(Clone, Copy, Debug)]
pub(super) struct OracleName(pub(super) Oracle);

impl std::str::FromStr for OracleName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Oracle::ALL.into_iter().find(|oracle| oracle.name() == text).map(OracleName).ok_or_else(|| {
            format!("there is no claim '{text}'; the claims are {}", Oracle::ALL.map(Oracle::name).join(", "))
        })
    }
}

/// Returns the requested oracles: one, or all.
pub(super) fn chosen(oracle: Option<OracleName>) -> Vec<Oracle> {
    oracle.map_or_else(|| Oracle::ALL.to_vec(), |one| vec![one.0])
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let done = if arguments.file.is_dir() { judged::run(arguments, out) } else { ask(arguments, out) };
    if !arguments.bisect {
        return done;
    }
    match done {
        Ok(exit @ (Exit::Clean | Exit::Findings)) => Ok(exit),
        Ok(_) => Ok(Exit::Skip),
        Err(Failure::Closed) => Err(Failure::Closed),
        Err(failure) => {
            out.error(&diagnostic::render(&failure, out.errors_coloured()))?;
            Ok(Exit::Skip)
        }
    }
}

/// Checks the claims of the oracles on the case.
fn ask(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    if arguments.subject.is_some() {
        return Err(Failure::Usage("--subject is for the folder of a finding of `judge`".to_owned()));
    }
    let case: Case = input::case(&arguments.file, None, arguments.seed, 0)?;
    let (mut fails, mut holds) = (false, false);
    for oracle in chosen(arguments.oracle) {
        // In a separate process, since the case may crash it.
        let answer =
            worker::ask(oracle, &case).map_err(|error| Failure::Io("a worker process".to_owned(), error))?;
        let verdict = match answer {
            Answer::Holds(statistics) => {
                holds = true;
                out.paint(Ink::Good, &format!("holds, {} compared", statistics.components))
            }
            Answer::Skipped(skip) => out.paint(Ink::Doubtful, &format!("does not apply: {skip}")),
            Answer::Fails(failure) => {
                fails = true;
                out.paint(Ink::Bad, &format!("FAILS, {}: {}", failure.between, failure.message))
            }
        };
        writeln!(out, "{:<10} {verdict}", oracle.name())?;
    }
    Ok(match (fails, holds) {
        (true, _) => Exit::Findings,
        (false, true) => Exit::Clean,
        (false, false) => Exit::Inconclusive,
    })
}
