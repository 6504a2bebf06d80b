//! `lockstep dis`.

use super::{Failure, Output, input, validate};
use crate::report::Exit;
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use std::path::PathBuf;

/// Print a program, or the program of a case, as assembly text.
///
/// The text begins with its instruction set and stage. Every verb can therefore read the text back, whatever the name of its file is.
///
/// With -v the rules that the program breaks are printed to standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lockstep dis shader.agal | less")]
pub(super) struct Arguments {
    /// A program or a case, or - for standard input.
    file: PathBuf,
    /// Where to write the text; - is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Read the file as this instruction set.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
}

pub(super) fn run(arguments: &Arguments, verbose: u8, out: &mut Output) -> Result<Exit, Failure> {
    input::not_over_itself(&arguments.file, &arguments.output)?;
    let (isa, bytes) = input::program(&arguments.file, arguments.isa)?;
    let text = with_isa!(isa, I => I::decode(&bytes).map(|program| I::disassemble(&program)));
    let text = text.map_err(|error| Failure::Usage(format!("{}: {error}", arguments.file.display())))?;
    input::write(&arguments.output, text.as_bytes(), out)?;
    let notes = arguments.file.with_extension("meta");
    if notes.is_file() && std::fs::read(&arguments.file).is_ok_and(|file| file != bytes) {
        let text = "the directives at the head come from these notes; `asm` writes them and the words into a container, because bare words cannot \
                    contain them";
        out.error(&format!("note: {}: {text}", notes.display()))?;
    }
    if verbose > 0 {
        // If the file is text, its violations are printed with line and column.
        let text = std::fs::read_to_string(&arguments.file).ok();
        validate::warn_of_all(isa, &bytes, &arguments.file, text.as_deref(), out)?;
    }
    Ok(Exit::Clean)
}
