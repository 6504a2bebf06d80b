//! Reads cases and programs from files.

use super::Failure;
use crate::case::{Case, EntryRef};
use crate::corpus::{Content, ReadError, environment_from_seed, read_bytes, read_named};
use lockstep_core::host::Environment;
use lockstep_core::isa::lowering::LowerError;
use lockstep_core::isa::{IsaId, Tables};
use lockstep_core::with_isa;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A case or a program, and how to run a bare program.
#[derive(Debug, clap::Args)]
pub(super) struct CaseArguments {
    /// A case (TOML or binary; `lockstep case format` describes it), a program (bytes or assembly text), or - for standard input.
    pub(super) file: PathBuf,
    /// Read the file as this instruction set.
    #[arg(long, value_name = "NAME")]
    pub(super) isa: Option<IsaId>,
    /// The seed of the generated environment that a bare program runs in.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
    /// The number of the entry at which a bare program is run.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) entry: u16,
    /// A choice where the documents disagree; `lockstep isa NAME` lists the options with their choices.
    #[arg(short = 'O', long = "option", value_name = "OPTION=CHOICE")]
    pub(super) options: Vec<String>,
    /// The number of backward transfers and calls that a lane may make; overrides the number in the case.
    #[arg(long, value_name = "N")]
    pub(super) fuel: Option<u32>,
}

impl CaseArguments {
    /// Reads the file, and sets the options and the fuel that the arguments give.
    pub(super) fn read(&self) -> Result<Case, Failure> {
        let mut case = case(&self.file, self.isa, self.seed, self.entry)?;
        set_options(&mut case, &self.options)?;
        if let Some(fuel) = self.fuel {
            case.env.fuel = fuel;
            // Resolving limits the fuel, so a fuel that exceeds the result exceeds the limit.
            let beyond = with_isa!(case.isa, I => case.resolve::<I>().map(|resolved| {
                let env = Environment { fuel, ..resolved.env.clone() };
                resolved.exceeded_limits(&env)
            }));
            if let Some(beyond) = beyond.unwrap_or_default().first() {
                return Err(Failure::Usage(format!("--fuel: {beyond}")));
            }
        }
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

/// Reads a file that contains a case, or a program, which gets the generated environment of a seed.
pub(super) fn case(path: &Path, isa: Option<IsaId>, seed: u64, entry: u16) -> Result<Case, Failure> {
    match read_named(path, isa)? {
        Content::Case(case) => Ok(*case),
        Content::Program { isa, bytes } => {
            let case = Case { entry: EntryRef::Own(entry), ..Case::bare(isa, &bytes) };
            let wrong = |error| Failure::Usage(format!("{}: {error}", path.display()));
            with_isa!(isa, I => {
                let resolved = case.resolve::<I>().map_err(wrong)?;
                let env = environment_from_seed(&resolved.context(), seed);
                let case = Case { env, ..case };
                // Resolving limits the generated environment.
                let env = case.resolve::<I>().map(|r| r.env).map_err(wrong)?;
                let Environment { fuel, effects, lanes, .. } = env;
                Ok(Case { env: Environment { fuel, effects, lanes, ..case.env }, ..case })
            })
        }
        Content::Vectors { .. } => Err(Failure::Usage(format!(
            "{} contains vectors; `lockstep check {}` runs them",
            path.display(),
            path.display()
        ))),
    }
}

/// Prints a note for each part of a case that exceeds the limits. The case is run with the limits.
pub(super) fn warn_of_limits(case: &Case, out: &super::Output) -> Result<(), Failure> {
    for cut in case.cut() {
        out.error(&format!("note: {cut}"))?;
    }
    Ok(())
}

/// Reads the program of a file that contains a case or a program. Vectors are an error.
pub(super) fn program(path: &Path, isa: Option<IsaId>) -> Result<(IsaId, Vec<u8>), Failure> {
    match read_named(path, isa)? {
        Content::Case(case) => Ok((case.isa, case.bytes)),
        Content::Program { isa, bytes } => Ok((isa, bytes)),
        Content::Vectors { .. } => {
            Err(Failure::Usage(format!("{} contains vectors, not one program", path.display())))
        }
    }
}

/// Reads a text file that is not a program: a configuration, a profile, a baseline. As for programs, pipes and devices are rejected and the size is
/// limited.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(read_bytes(path)?).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        ReadError::NotText { name: path.display().to_string(), offset }.into()
    })
}

/// Writes to a file, or to standard output for `-`.
pub(super) fn write(path: &Path, bytes: &[u8], out: &mut super::Output) -> Result<(), Failure> {
    if path == Path::new("-") {
        // On a terminal the text is escaped; to any other output the bytes are written unchanged.
        let done = if out.is_terminal() { out.write_all(bytes) } else { out.raw_stdout().write_all(bytes) };
        return Ok(done?);
    }
    std::fs::write(path, bytes).map_err(|error| Failure::Io(path.display().to_string(), error))
}

/// Returns an error if the output would overwrite the input file.
pub(super) fn not_over_itself(input: &Path, output: &Path) -> Result<(), Failure> {
    let same =
        input.canonicalize().is_ok_and(|input| output.canonicalize().is_ok_and(|output| input == output));
    if same {
        return Err(Failure::Usage(format!("{} would be written over itself", input.display())));
    }
    Ok(())
}

/// Resolves a case that is to be run. Errors begin with the name of the file.
pub(super) fn resolved<I: Tables>(case: &Case, path: &Path) -> Result<crate::case::Resolved<I>, Failure> {
    let file = path.display();
    let text = || std::fs::read_to_string(path).unwrap_or_default();
    if let Some(lacking) = case.missing_part("").and_then(|_| case.missing_part(&text())) {
        return Err(Failure::Usage(format!("{file}: {lacking}")));
    }
    case.resolve::<I>().map_err(|error| Failure::Usage(format!("{file}: {error}")))
}

/// Returns the error for a program that cannot be lowered, with the file name.
pub(super) fn refused(path: &Path, error: &LowerError) -> Failure {
    Failure::Usage(format!("{}: this cannot be run: {error}", path.display()))
}
