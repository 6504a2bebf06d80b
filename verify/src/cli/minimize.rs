//! `lockstep minimize`.

use super::reproduce::{OracleName, chosen};
use super::worker::{self, Answer, Investigation, investigate};
use super::{Failure, Output, input};
use crate::corpus::Suspect;
use crate::report::Exit;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Minimise a failing case. The smaller case fails in the same way.
///
/// Exits 1 after the smaller case is written, or 3 if no claim fails and there is nothing to minimise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lockstep minimize crash.toml -o small.toml")]
pub(super) struct Arguments {
    /// A case (`lockstep case format` describes it); a bare program runs in a generated environment.
    file: PathBuf,
    /// Where to write the smaller case; - is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Check only this claim.
    #[arg(long, value_name = "CLAIM")]
    oracle: Option<OracleName>,
    /// The seed of the generated environment that a bare program runs in.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    input::not_over_itself(&arguments.file, &arguments.output)?;
    let case = input::case(&arguments.file, None, arguments.seed, 0)?;
    let worker_error = |error| Failure::Io("a worker process".to_owned(), error);
    for oracle in chosen(arguments.oracle) {
        if !matches!(worker::ask(oracle, &case).map_err(worker_error)?, Answer::Fails(_)) {
            continue;
        }
        let suspect = Suspect { oracle, case: case.clone() };
        let investigations = investigate(&[suspect], Path::new(""), || {}).map_err(worker_error)?;
        let Some(Investigation::Finding(finding)) = investigations.into_iter().next() else { continue };
        input::write(&arguments.output, finding.text.as_bytes(), out)?;
        out.flush()?;
        let path = arguments.output.display().to_string();
        out.error(&format!("finding {}", finding.signature))?;
        out.error(finding.detail.replace(&finding.file, &path).trim_end())?;
        return Ok(Exit::Findings);
    }
    out.error("no claim fails for this case, so there is nothing to minimise")?;
    Ok(Exit::Inconclusive)
}
