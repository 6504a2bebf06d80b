//! `lockstep isa`.

use super::{Failure, Output};
use crate::report::Exit;
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;
use std::io::Write;

/// Print the manual of an instruction set: opcodes, layouts, options, each with its source.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lockstep isa agal | less")]
pub(super) struct Arguments {
    /// The instruction set; without one, their names.
    name: Option<IsaId>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    match arguments.name {
        Some(isa) => writeln!(out, "{}", with_isa!(isa, I => I::manual()).trim_end())?,
        None => {
            for isa in IsaId::ALL {
                writeln!(out, "{isa}")?;
            }
        }
    }
    Ok(Exit::Clean)
}
