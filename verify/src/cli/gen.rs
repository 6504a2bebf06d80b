//! `lockstep gen`.

use super::{Failure, Output};
use crate::generate::{Entropy, Wish, any_case, case};
use crate::report::Exit;
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use std::io::Write;
use std::path::PathBuf;

/// Write generated cases: programs with environments, the same for the same seed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  lockstep gen --isa agal --seed 1 --count 100 -o cases && lockstep check cases"
)]
pub(super) struct Arguments {
    /// The instruction set.
    #[arg(long, value_name = "NAME", default_value_t = IsaId::Agal)]
    isa: IsaId,
    /// The seed of the first case; the others follow.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    count: u64,
    /// The folder to write to; it is made if need be, and nothing in it is written over.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Also programs that break a rule, bytes that are no program, and options that are not the default.
    #[arg(long)]
    any: bool,
    /// Binary cases, as fuzz targets read them, instead of TOML.
    #[arg(long)]
    binary: bool,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let folder = &arguments.output;
    std::fs::create_dir_all(folder).map_err(|error| Failure::Io(folder.display().to_string(), error))?;
    for n in 0..arguments.count {
        let seed = arguments.seed.wrapping_add(n);
        let mut entropy = Entropy::seeded(seed);
        let case = if arguments.any {
            any_case(arguments.isa, &mut entropy)
        } else {
            with_isa!(arguments.isa, I => case::<I>(&mut entropy, &Wish::default()))
        };
        let (ending, bytes) = if arguments.binary {
            ("case", case.to_bytes())
        } else {
            ("toml", case.to_text(None).into_bytes())
        };
        let path = folder.join(format!("{}-{seed:08}.{ending}", arguments.isa));
        std::fs::File::create_new(&path)
            .and_then(|mut file| file.write_all(&bytes))
            .map_err(|error| Failure::Io(path.display().to_string(), error))?;
    }
    writeln!(out, "{} cases in {}", arguments.count, folder.display())?;
    Ok(Exit::Clean)
}
