//! `lockstep serve`.

use super::{Failure, Output};
use crate::judge::bugs::reenacted;
use crate::judge::{Engine, OwnEngine, Subject, serve};
use crate::report::Exit;
use lockstep_core::isa::IsaId;
use std::io::{BufReader, Write};

/// Serve one of our own engines as a subject of `judge`, over its protocol.
///
/// Messages are read from the file descriptor whose number is in LOCKSTEP_IN and answered on the file descriptor whose number is in LOCKSTEP_OUT. The
/// defaults are standard input and standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lockstep judge 'lockstep serve --isa agal' --isa agal --count 200
  lockstep judge 'lockstep serve --isa pica200 --bug litp-ignored' --isa pica200 --most 1")]
pub(super) struct Arguments {
    /// The instruction set.
    #[arg(long, value_name = "NAME")]
    isa: IsaId,
    /// The engine that runs programs.
    #[arg(long, value_name = "NAME", default_value = "executor")]
    engine: EngineName,
    /// Re-enact a known bug of another decoder or executor; `lockstep bugs` lists them.
    #[arg(long, value_name = "NAME", conflicts_with = "engine")]
    bug: Option<String>,
}

/// An engine given by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum EngineName {
    /// The reference.
    Reference,
    /// The executor.
    Executor,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let engine = match arguments.engine {
        EngineName::Reference => Engine::Reference,
        EngineName::Executor => Engine::Executor,
    };
    let mut subject = match &arguments.bug {
        Some(bug) => reenacted(arguments.isa, bug, true).map_err(Failure::Usage)?,
        None => OwnEngine::new(arguments.isa, engine),
    };
    converse(&mut subject, out)?;
    Ok(Exit::Clean)
}

/// Answers the host's messages on behalf of a subject, through the file descriptors that `LOCKSTEP_IN` and `LOCKSTEP_OUT` name.
pub(super) fn converse(subject: &mut dyn Subject, out: &mut Output) -> Result<(), Failure> {
    let failed = |error| Failure::Io("the messages of the host".to_owned(), error);
    match (descriptor("LOCKSTEP_IN", "0")?, descriptor("LOCKSTEP_OUT", "1")?) {
        (None, None) => serve(subject, std::io::stdin().lock(), out.raw_stdout()),
        (input, output) => {
            let input = std::fs::File::open(input.as_deref().unwrap_or("/dev/stdin")).map_err(failed)?;
            let path = output.as_deref().unwrap_or("/dev/stdout");
            let output = std::fs::File::options().append(true).open(path).map_err(failed)?;
            serve(subject, BufReader::new(input), std::io::LineWriter::new(output).by_ref())
        }
    }
    .map_err(failed)
}

/// Returns the path of the file descriptor that an environment variable names; `None` if the variable is unset or names the usual one.
fn descriptor(variable: &str, usual: &str) -> Result<Option<String>, Failure> {
    match std::env::var(variable) {
        Ok(number) if number == usual => Ok(None),
        Ok(number) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
            Ok(Some(format!("/dev/fd/{number}")))
        }
        Ok(number) => {
            Err(Failure::Usage(format!("{variable} is '{number}', which is not a file descriptor")))
        }
        Err(_) => Ok(None),
    }
}
