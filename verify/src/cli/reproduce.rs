//! `lockstep reproduce`.

use super::output::Ink;
use super::worker::{self, Answer};
use super::{Failure, Output, input};
use crate::case::Case;
use crate::oracle::Oracle;
use crate::report::Exit;
use std::io::Write;
use std::path::PathBuf;

/// Ask the oracles about a case again.
///
/// Exits 1 if a claim still fails, 0 if every claim that applies holds, 3 if none applies.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  lockstep reproduce --oracle execution lockstep-findings/agal-execution-add-output.toml"
)]
pub(super) struct Arguments {
    /// A case, as findings are written (`lockstep case format` describes it); a bare program gets a generated environment.
    file: PathBuf,
    /// Only this claim.
    #[arg(long, value_name = "CLAIM")]
    oracle: Option<OracleName>,
    /// Which generated environment a bare program runs in.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// An oracle by name.
#[derive(Clone, Copy, Debug)]
pub(super) struct OracleName(pub(super) Oracle);

impl std::str::FromStr for OracleName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Oracle::ALL.into_iter().find(|oracle| oracle.name() == text).map(OracleName).ok_or_else(|| {
            format!("there is no claim '{text}'; there are {}", Oracle::ALL.map(Oracle::name).join(", "))
        })
    }
}

/// The oracles asked for: one, or all.
pub(super) fn chosen(oracle: Option<OracleName>) -> Vec<Oracle> {
    oracle.map_or_else(|| Oracle::ALL.to_vec(), |one| vec![one.0])
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let case: Case = input::case(&arguments.file, None, arguments.seed, 0)?;
    let (mut fails, mut holds) = (false, false);
    for oracle in chosen(arguments.oracle) {
        // In a process of its own: the case may be one that ends it.
        let answer = worker::ask(oracle, &case)
            .map_err(|error| Failure::Io("a process of one's own to judge in".to_owned(), error))?;
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
