//! `lockstep asm`.

use super::{Failure, Output, input, validate};
use crate::corpus::read_text;
use crate::report::Exit;
use lockstep_core::isa::IsaId;
use std::path::{Path, PathBuf};

/// Assemble text into a program.
///
/// Every error is shown with its line and column. Rules that the program breaks are shown as warnings or errors; the program is written nevertheless.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lockstep asm shader.agal.txt -o shader.agal")]
pub(super) struct Arguments {
    /// Assembly text, or - for standard input.
    file: PathBuf,
    /// Where to write the program; - is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// The instruction set, if the file name does not determine it.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    input::not_over_itself(&arguments.file, &arguments.output)?;
    let (isa, bytes, written) = read_text(&arguments.file, arguments.isa)?;
    if arguments.output == Path::new("-") && out.is_terminal() {
        return Err(Failure::Usage(
            "a program is binary and is not written to a terminal; use -o FILE".to_owned(),
        ));
    }
    input::write(&arguments.output, &bytes, out)?;
    validate::warn_of_all(isa, &bytes, &arguments.file, written.as_deref(), out)?;
    Ok(Exit::Clean)
}
