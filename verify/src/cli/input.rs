//! From a file name to a case.

use super::Failure;
use crate::case::{Case, EntryRef};
use crate::corpus::{Content, read_named, sample};
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;
use std::path::{Path, PathBuf};

/// A case or a program, and how to run what brings nothing of its own.
#[derive(Debug, clap::Args)]
pub(super) struct CaseArguments {
    /// A case (TOML or binary), a program (bytes or assembly text), or - for standard input.
    pub(super) file: PathBuf,
    /// Read the file as this instruction set.
    #[arg(long, value_name = "NAME")]
    pub(super) isa: Option<IsaId>,
    /// Which generated environment a bare program runs in.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
    /// Which of its entries a bare program is entered at.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) entry: u16,
    /// A choice where the documents disagree; `lockstep isa NAME` lists them.
    #[arg(short = 'O', long = "option", value_name = "OPTION=CHOICE")]
    pub(super) options: Vec<String>,
}

impl CaseArguments {
    /// Reads the file.
    pub(super) fn read(&self) -> Result<Case, Failure> {
        let mut case = case(&self.file, self.isa, self.seed, self.entry)?;
        set_options(&mut case, &self.options)?;
        Ok(case)
    }
}

/// Sets options given as `OPTION=CHOICE`.
pub(super) fn set_options(case: &mut Case, options: &[String]) -> Result<(), Failure> {
    for option in options {
        let (name, choice) = option
            .split_once('=')
            .ok_or_else(|| Failure::Usage(format!("'{option}' is not of the form OPTION=CHOICE")))?;
        case.options.insert(name.to_owned(), choice.to_owned());
    }
    Ok(())
}

/// Reads a file that is a case, or a program that is given the environment of a seed.
pub(super) fn case(path: &Path, isa: Option<IsaId>, seed: u64, entry: u16) -> Result<Case, Failure> {
    match read_named(path, isa)? {
        Content::Case(case) => Ok(*case),
        Content::Program { isa, bytes } => {
            let case = Case { entry: EntryRef::Own(entry), ..Case::bare(isa, &bytes) };
            let env = with_isa!(isa, I => case.resolve::<I>().map(|r| sample::<I>(&r.context(), seed)))
                .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
            Ok(Case { env, ..case })
        }
        Content::Vectors { .. } => Err(Failure::Usage(format!(
            "{} holds vectors; `lockstep check {}` runs them",
            path.display(),
            path.display()
        ))),
    }
}

/// The program of a file, whatever kind it is.
pub(super) fn program(path: &Path, isa: Option<IsaId>) -> Result<(IsaId, Vec<u8>), Failure> {
    match read_named(path, isa)? {
        Content::Case(case) => Ok((case.isa, case.bytes)),
        Content::Program { isa, bytes } => Ok((isa, bytes)),
        Content::Vectors { .. } => {
            Err(Failure::Usage(format!("{} holds vectors, not one program", path.display())))
        }
    }
}

/// Writes to a file, or to standard output for `-`.
pub(super) fn write(path: &Path, bytes: &[u8], out: &mut super::Output) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(std::io::Write::write_all(out, bytes)?);
    }
    std::fs::write(path, bytes).map_err(|error| Failure::Io(path.display().to_string(), error))
}

/// Refuses to write over the file that is read.
pub(super) fn not_over_itself(input: &Path, output: &Path) -> Result<(), Failure> {
    let same =
        input.canonicalize().is_ok_and(|input| output.canonicalize().is_ok_and(|output| input == output));
    if same {
        return Err(Failure::Usage(format!("{} would be written over itself", input.display())));
    }
    Ok(())
}

/// The error of a case that has nothing to run.
pub(super) fn unresolved<I: Isa>(case: &Case) -> Result<crate::case::Resolved<I>, Failure> {
    case.resolve::<I>().map_err(|error| Failure::Usage(error.to_string()))
}
