//! `lockstep gen`.

use super::{Failure, Output, interrupt};
use crate::case::{Case, Setting};
use crate::corpus::Content;
use crate::generate::{Entropy, ProgramRequest, any_case, case, covering};
use crate::report::Exit;
use lockstep_core::isa::{IsaId, Tables};
use lockstep_core::text;
use lockstep_core::with_isa;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write generated cases: programs with environments, the same for the same seed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lockstep gen --isa agal --seed 1 --count 100 -o cases && lockstep check cases\n  lockstep gen --isa pica200 --raw programs"
)]
pub(super) struct Arguments {
    /// The instruction set.
    #[arg(long, value_name = "NAME", default_value_t = IsaId::Agal)]
    isa: IsaId,
    /// The seed of the first case; each further case has the next seed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The number of cases.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    count: u64,
    /// The output folder; it is created if needed, and no file in it is overwritten.
    #[arg(short, long, value_name = "DIR", required_unless_present = "raw")]
    output: Option<PathBuf>,
    /// Write programs as plain bytes into this folder, each with a JSON file of its entry, options and inputs.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "binary"])]
    raw: Option<PathBuf>,
    /// Include programs that break a rule, bytes that do not decode, and options that are not the default.
    #[arg(long)]
    any: bool,
    /// Write the covering array that `check` also uses: programs that combine modifiers. The array is always the same.
    #[arg(long, conflicts_with_all = ["seed", "count", "any"])]
    covering: bool,
    /// Binary cases, as fuzz targets read them, instead of TOML.
    #[arg(long)]
    binary: bool,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let Some(folder) = arguments.raw.as_ref().or(arguments.output.as_ref()) else {
        return Err(Failure::Usage("the output folder is missing: give -o DIR, or --raw DIR".to_owned()));
    };
    std::fs::create_dir_all(folder).map_err(|error| Failure::Io(folder.display().to_string(), error))?;
    let all: Box<dyn Iterator<Item = (String, Case)>> = if arguments.covering {
        Box::new(covering_cases(arguments.isa))
    } else {
        Box::new(seeded(arguments))
    };
    // If this fails, an interrupt ends the process as it does by default.
    let _ = interrupt::listen();
    let mut count = 0;
    for (number, case) in all {
        if interrupt::is_interrupted() {
            break;
        }
        count += 1;
        let name = format!("{}-{number}", arguments.isa);
        if arguments.raw.is_some() {
            create(&folder.join(format!("{name}.{}", arguments.isa)), &case.bytes)?;
            if let Some(json) = with_isa!(arguments.isa, I => setting::<I>(&case))? {
                create(&folder.join(format!("{name}.json")), &json)?;
            }
        } else if arguments.binary {
            create(&folder.join(format!("{name}.case")), &case.to_bytes())?;
        } else {
            create(&folder.join(format!("{name}.toml")), case.to_text(None).as_bytes())?;
        }
    }
    let what = if arguments.raw.is_some() { "program" } else { "case" };
    let stopped = interrupt::is_interrupted();
    let written = match (stopped, arguments.covering) {
        (false, _) => text::count(count, what),
        (true, true) => format!("interrupted: {}", text::count(count, what)),
        (true, false) => format!("interrupted: {count} of {}", text::count(arguments.count, what)),
    };
    writeln!(out, "{written} in {}", folder.display())?;
    Ok(if stopped { Exit::Inconclusive } else { Exit::Clean })
}

/// Iterates over the cases of the requested seeds.
fn seeded(arguments: &Arguments) -> impl Iterator<Item = (String, Case)> {
    (0..arguments.count).map(|n| {
        let seed = arguments.seed.wrapping_add(n);
        let mut entropy = Entropy::seeded(seed);
        let case = if arguments.any {
            any_case(arguments.isa, &mut entropy)
        } else {
            with_isa!(arguments.isa, I => case::<I>(&mut entropy, &ProgramRequest::default()))
        };
        (format!("{seed:08}"), case)
    })
}

/// Iterates over the programs of the covering array, each as a case at its first entry, in the environment in which `check` runs it.
fn covering_cases(isa: IsaId) -> impl Iterator<Item = (String, Case)> {
    covering(isa).programs().iter().enumerate().filter_map(move |(n, bytes)| {
        let program = Content::Program { isa, bytes: bytes.clone() };
        Some((format!("covering-{n:03}"), program.cases(0..1).into_iter().next()?))
    })
}

/// Writes a new file; fails if the file exists.
fn create(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::File::create_new(path)
        .and_then(|mut file| file.write_all(bytes))
        .map_err(|error| Failure::Io(path.display().to_string(), error))
}

/// Returns the entry, options and inputs of a case as JSON; `None` if the case cannot be resolved, for example because its bytes do not decode.
fn setting<I: Tables>(case: &Case) -> Result<Option<Vec<u8>>, Failure> {
    let Ok(resolved) = case.resolve::<I>() else { return Ok(None) };
    let mut json =
        serde_json::to_vec_pretty(&Setting::of(&case.entry, &resolved)).map_err(std::io::Error::from)?;
    json.push(b'\n');
    Ok(Some(json))
}
