//! `lockstep isa`.

use super::{Failure, Output};
use crate::report::Exit;
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use std::io::Write;

/// Print the manual of an instruction set: opcodes, layouts, options, each with its source.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lockstep isa agal | less\n  lockstep isa agal --sources")]
pub(super) struct Arguments {
    /// The instruction set; without it, the names of all are listed.
    name: Option<IsaId>,
    /// Print the sources of the manual's facts: tag, title, place of publication, and what each source is trusted for.
    #[arg(long, requires = "name")]
    sources: bool,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    match arguments.name {
        Some(isa) if arguments.sources => {
            for source in with_isa!(isa, I => I::sources()) {
                writeln!(
                    out,
                    "{}\n  {}\n  {}\n  for {}",
                    source.tag, source.title, source.published, source.trust
                )?;
            }
        }
        Some(isa) => writeln!(out, "{}", with_isa!(isa, I => I::manual()).trim_end())?,
        None => {
            for isa in IsaId::ALL {
                writeln!(out, "{isa}")?;
            }
        }
    }
    Ok(Exit::Clean)
}
