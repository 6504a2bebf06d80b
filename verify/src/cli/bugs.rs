//! `lockstep bugs`.

use super::output::Ink;
use super::progress::Progress;
use super::{Failure, Output, interrupt};
use crate::blame::wrapped;
use crate::judge::bugs::{Reenactment, Treatment, detect, reenactments, table};
use crate::report::Exit;
use lockstep_core::isa::IsaId;
use lockstep_core::text::count;
use rayon::prelude::*;
use std::io::Write;

/// List known bugs of other people's decoders and executors, or measure how soon `judge` finds the re-enacted ones.
///
/// Each listed bug is re-enacted as a subject (`lockstep serve --bug NAME`), is only a crash or a hang, or cannot be expressed by a subject. The list
/// gives the reason why a bug is not re-enacted.
///
/// --detect runs a campaign against each re-enacted bug, once per seed, until it is found. It shows the largest number of programs needed, with its
/// seed, and the largest and smallest minimised program next to the shortest known. It exits 1 if a bug is not found, has the wrong name or class, or
/// is not minimised to within one instruction of the shortest.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lockstep bugs --isa pica200\n  lockstep bugs --detect --seeds 10")]
pub(super) struct Arguments {
    /// The instruction set; all if none is given.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
    /// Measure instead of listing.
    #[arg(long)]
    detect: bool,
    /// The number of campaigns for each bug, each with a seed of its own.
    #[arg(long, value_name = "N", default_value_t = 10, requires = "detect", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    seeds: u64,
    /// The maximum number of generated programs that a campaign may use.
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "detect", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    count: u64,
    /// Only the bugs with these names.
    #[arg(value_name = "BUG", requires = "detect")]
    names: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let isas = arguments.isa.map_or_else(|| IsaId::ALL.to_vec(), |isa| vec![isa]);
    if arguments.detect { measure(arguments, &isas, out) } else { list(&isas, out) }
}

fn list(isas: &[IsaId], out: &mut Output) -> Result<Exit, Failure> {
    for isa in isas {
        for bug in table(*isa).map_err(Failure::Usage)? {
            let (head, why) = match &bug.how {
                Treatment::Subject(subject) => (subject.name.as_str(), None),
                Treatment::Process(why) => ("crash or hang only", Some(why)),
                Treatment::Inexpressible(why) => ("not expressible", Some(why)),
            };
            writeln!(out, "{}", out.paint(Ink::Good, &format!("{isa} {head}")))?;
            for line in [Some(&bug.what), Some(&bug.source), why].into_iter().flatten() {
                write!(out, "{}", wrapped("    ", line))?;
            }
        }
    }
    Ok(Exit::Clean)
}

/// The results of all campaigns against a bug.
struct Measured {
    isa: IsaId,
    bug: &'static Reenactment,
    /// The largest number of programs that a campaign needed.
    programs: u64,
    /// The seed of the campaign that needed the most programs.
    seed: u64,
    /// The largest number of instructions of a minimised finding.
    instructions: u32,
    /// The smallest number of instructions of a minimised finding.
    fewest: u32,
    /// The signature of the finding of the campaign that needed the most programs.
    signature: String,
    /// How campaigns failed: the bug was not found, or the finding is not as expected.
    wrong: Vec<String>,
}

fn measure(arguments: &Arguments, isas: &[IsaId], out: &mut Output) -> Result<Exit, Failure> {
    let mut bugs = Vec::new();
    for isa in isas {
        bugs.extend(reenactments(*isa).map_err(Failure::Usage)?.map(|bug| (*isa, bug)));
    }
    if let Some(name) = arguments.names.iter().find(|name| !bugs.iter().any(|(_, bug)| bug.name == **name)) {
        return Err(Failure::Usage(format!(
            "no re-enacted bug is called '{name}'; `lockstep bugs` lists them"
        )));
    }
    bugs.retain(|(_, bug)| arguments.names.is_empty() || arguments.names.contains(&bug.name));
    let progress = Progress::new("bugs", bugs.len());
    let measured: Result<Vec<Measured>, String> = bugs
        .into_par_iter()
        .map(|(isa, bug)| {
            let measured = run_seeds(arguments, isa, bug);
            progress.step();
            measured
        })
        .collect();
    drop(progress);
    let measured = measured.map_err(Failure::Usage)?;
    let width = measured.iter().map(|one| one.bug.name.len()).max().unwrap_or(0);
    writeln!(
        out,
        "{:<10} {:<width$} {:>8} {:>5} {:>12} {:>6} {:>8} {:<12}  finding",
        "ISA", "bug", "programs", "seed", "instructions", "fewest", "shortest", "class"
    )?;
    for Measured { isa, bug, programs, seed, instructions, fewest, signature, wrong } in &measured {
        let Reenactment { name, shortest, class, .. } = bug;
        let fewest = fewest.min(instructions);
        writeln!(
            out,
            "{:<10} {name:<width$} {programs:>8} {seed:>5} {instructions:>12} {fewest:>6} {shortest:>8} {:<12}  {signature}",
            isa.name(),
            class.name()
        )?;
        for why in wrong {
            write!(out, "{}", out.paint(Ink::Bad, &wrapped("    ", why)))?;
        }
    }
    let wrong: usize = measured.iter().map(|one| one.wrong.len()).sum();
    let text =
        format!("{}, {}, {} wrong", count(measured.len(), "bug"), count(arguments.seeds, "seed"), wrong);
    writeln!(out, "{text}")?;
    Ok(match (wrong, interrupt::is_interrupted()) {
        (_, true) => Exit::Inconclusive,
        (0, false) => Exit::Clean,
        _ => Exit::Findings,
    })
}

/// Runs one campaign per seed and returns the combined results.
fn run_seeds(arguments: &Arguments, isa: IsaId, bug: &'static Reenactment) -> Result<Measured, String> {
    let mut measured = Measured {
        isa,
        bug,
        programs: 0,
        seed: 0,
        instructions: 0,
        fewest: u32::MAX,
        signature: String::new(),
        wrong: Vec::new(),
    };
    for seed in 0..arguments.seeds {
        if interrupt::is_interrupted() {
            break;
        }
        let Some(found) = detect(isa, bug, seed, arguments.count)? else {
            measured.wrong.push(format!("seed {seed}: not found in {}", count(arguments.count, "program")));
            continue;
        };
        measured.wrong.extend(found.describe_mismatch(bug).map(|why| format!("seed {seed}: {why}")));
        if found.case_numbers >= measured.programs {
            (measured.programs, measured.seed) = (found.case_numbers, seed);
            measured.signature = found.found.signature;
        }
        measured.instructions = measured.instructions.max(found.instructions);
        measured.fewest = measured.fewest.min(found.instructions);
    }
    Ok(measured)
}
