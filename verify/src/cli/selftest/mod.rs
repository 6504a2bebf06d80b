//! `lockstep selftest`: checks that planted faults are detected.
//!
//! The verb exists only in builds with the feature `selftest`. Faults can be activated by number only in the copy of the workspace that `ci/selftest`
//! makes.

mod gate;
mod named;
mod test_list;

use super::output::Ink;
use super::{Failure, Output};
use crate::fuzz::{Target, mutate, run as run_body};
use crate::generate::{Entropy, any_case};
use crate::report::Exit;
use gate::Bench;
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;
use lockstep_selftest::{End, Fault, FaultResult, Gate, Outcome, rates, read};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Run the gates with every planted fault and report which gate detects it. The gate named in the fault's row is run first, the others from the
/// cheapest.
///
/// Exits 1 in any of these cases: a fault without a reviewed reason is detected by no gate; a detection deviates from the fault's row, for example in
/// its gate or in the names in its finding; a fault with a reviewed reason is detected after all; a gate is not clean without a fault.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The folder of the tables of faults. With `--tests`, `seen.txt` in its parent folder lists which tests detect a fault.
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/selftest/faults"))]
    faults: PathBuf,
    /// The corpora, of which copies are used.
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpora"))]
    corpora: PathBuf,
    /// Only faults whose name or table contains one of these comma-separated texts. With `--seen`, only tests whose executable, name or fault
    /// contains one.
    #[arg(long, value_name = "TEXT", value_delimiter = ',')]
    filter: Vec<String>,
    /// Only this many faults, drawn with the seed `--draw` from the faults that affect one instruction set and that the gate `programs` detects.
    /// Their detection does not depend on time or on another build, and needs no check of all instruction sets.
    #[arg(long, value_name = "N")]
    turn: Option<usize>,
    /// The seed of the draw, such as the hash of a commit.
    #[arg(long, value_name = "TEXT", default_value = "")]
    draw: String,
    /// The number of faults tested in parallel.
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// The number of generated cases per instruction set, for each fault that no cheaper gate detects.
    #[arg(long, value_name = "N", default_value_t = 400)]
    cases: u32,
    /// The seconds after which a gate counts as hanging.
    #[arg(long, value_name = "N", default_value_t = 300)]
    patience: u64,
    /// A file of test executables, one per line: name and path. Without this file, faults that only a test detects are skipped.
    #[arg(long, value_name = "FILE")]
    tests: Option<PathBuf>,
    /// Run the tests of this list instead of the gates: each test must fail with its listed fault and pass without it.
    #[arg(long, value_name = "FILE", requires = "tests")]
    seen: Option<PathBuf>,
    /// Skip the proofs.
    #[arg(long)]
    no_proofs: bool,
    /// Skip the run without a fault.
    #[arg(long)]
    no_control: bool,
    /// Write the result for each fault to this file, tab-separated.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Run the gate of generated cases, for one instruction set or all.
    #[arg(long, hide = true)]
    bodies: Option<String>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    if let Some(isa) = &arguments.bodies {
        return Ok(generated_cases(isa, arguments.cases));
    }
    let all = read(&arguments.faults).map_err(|e| Failure::Usage(e.to_string()))?;
    let bench = Bench::new(arguments, &all)?;
    if let Some(path) = &arguments.seen {
        let listed = lockstep_selftest::test_list::list(path).map_err(|e| Failure::Usage(e.to_string()))?;
        let well = test_list::run(&bench, arguments, &listed, &all, out)?;
        return Ok(if well { Exit::Clean } else { Exit::Findings });
    }
    let chosen = choose(arguments, &all)?;
    let mut clean = arguments.no_control || run_without_fault(&bench, arguments, &chosen, out)?;

    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Mutex<Vec<FaultResult<'_>>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                while let Some(&(number, fault)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = FaultResult::of(fault, &bench.gates(number, fault));
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    eprintln!("{done:>4} of {}  {result}", chosen.len());
                    if let Ok(mut results) = results.lock() {
                        results.push(result);
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by(|a, b| (&a.fault.table, &a.fault.name).cmp(&(&b.fault.table, &b.fault.name)));
    if let Some(path) = &arguments.table {
        let lines: String = results.iter().map(FaultResult::line).collect();
        std::fs::write(path, format!("{}{lines}", FaultResult::HEAD))
            .map_err(|e| Failure::Io(path.display().to_string(), e))?;
    }
    write!(out, "{}", rates(&results))?;
    for test in bench.named().unsound() {
        // A test that fails without a fault must not count as detecting one.
        clean = false;
        let line = out.paint(Ink::Bad, &format!("'{test}' fails without a fault"));
        writeln!(out, "{line}")?;
    }
    let bad: Vec<&FaultResult<'_>> = results.iter().filter(|r| !r.is_as_expected()).collect();
    for result in &bad {
        let (name, breaks) = (&result.fault.name, &result.fault.breaks);
        for why in result.deviations() {
            let line = out.paint(Ink::Bad, &format!("{name} {why}: {breaks}"));
            writeln!(out, "{line}")?;
        }
    }
    Ok(if clean && bad.is_empty() && results.len() == chosen.len() { Exit::Clean } else { Exit::Findings })
}

/// Returns the faults that the arguments select, with their numbers.
///
/// # Errors
/// If they select none.
fn choose<'a>(arguments: &Arguments, all: &'a [Fault]) -> Result<Vec<(usize, &'a Fault)>, Failure> {
    let mut chosen: Vec<(usize, &Fault)> = (1..).zip(all).collect();
    let some = |chosen: &[(usize, &Fault)], otherwise: &str| {
        if chosen.is_empty() { Err(Failure::Usage(otherwise.to_owned())) } else { Ok(()) }
    };
    chosen.retain(|(_, f)| filter_accepts(&arguments.filter, &[&f.name, &f.table]));
    some(&chosen, "no fault matches --filter")?;
    if arguments.tests.is_none() {
        chosen.retain(|(_, f)| Gate::of(f) != Some(Gate::Tests));
        some(&chosen, "the faults that match --filter are detected only by tests; --tests runs these")?;
    }
    if let Some(turn) = arguments.turn {
        chosen.retain(|(_, f)| Gate::of(f) == Some(Gate::Programs) && f.isa != "all");
        draw(&mut chosen, turn, &arguments.draw);
        some(&chosen, "--turn draws none of the faults that match --filter")?;
    }
    Ok(chosen)
}

/// Whether a filter accepts an item with these names: one of the filter's texts occurs in one of them. An empty filter accepts everything.
fn filter_accepts(filter: &[String], names: &[&str]) -> bool {
    filter.is_empty() || filter.iter().any(|text| names.iter().any(|name| name.contains(text.as_str())))
}

/// Without a fault, runs every gate except those that run tests, for the selected instruction sets, and returns whether all are clean. A test is run
/// without a fault only after it has failed with one.
fn run_without_fault(
    bench: &Bench,
    arguments: &Arguments,
    chosen: &[(usize, &Fault)],
    out: &mut Output,
) -> Result<bool, Failure> {
    let one = chosen[0].1.isa.as_str();
    let isa = if chosen.iter().all(|(_, f)| f.isa == one) { one } else { "all" };
    let mut clean = true;
    for gate in [Gate::Programs, Gate::Bodies, Gate::Proofs] {
        if gate == Gate::Proofs && arguments.no_proofs {
            continue;
        }
        clean &= report_outcome(&bench.ask(gate, 0, isa), gate.name(), out)?;
    }
    Ok(clean)
}

/// Whether a run without a fault was clean. Prints the outcome if it was not.
fn report_outcome(outcome: &Outcome, name: &str, out: &mut Output) -> Result<bool, Failure> {
    let end = outcome.end;
    eprintln!("no fault: {name} {} in {:.1} s", end.name(), outcome.seconds);
    if end != End::Clean {
        let line = out.paint(Ink::Bad, &format!("'{name}' ends without a fault: {}", end.name()));
        writeln!(out, "{line}\n{}", outcome.text)?;
    }
    Ok(end == End::Clean)
}

/// Keeps `count` rows, selected pseudorandomly: the first in the order of the FNV-1a hash of `text` and their names.
fn draw(chosen: &mut Vec<(usize, &Fault)>, count: usize, text: &str) {
    let hash = |name: &str| {
        let bytes = text.bytes().chain(name.bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
    };
    chosen.sort_by_key(|(_, f)| hash(&f.name));
    chosen.truncate(count);
}

/// Judges generated and mutated cases, which are the same in every build and on every machine. A violated claim panics with its finding, as in a fuzz
/// target.
fn generated_cases(isa: &str, cases: u32) -> Exit {
    let one: Option<IsaId> = isa.parse().ok();
    let isas = one.map_or_else(|| IsaId::ALL.to_vec(), |isa| vec![isa]);
    for seed in 0..cases {
        for isa in &isas {
            with_isa!(*isa, I => judge_seed::<I>(seed));
        }
    }
    if cases == 0 { Exit::Inconclusive } else { Exit::Clean }
}

/// The maximum number of bytes by which a mutation may enlarge an input.
const MAX_GROWTH: usize = 4096;

/// Judges, with each fuzz target, one generated case and one mutation of it; the mutation has the form that the target accepts.
fn judge_seed<I: Isa>(seed: u32) {
    let case = any_case(I::ID, &mut Entropy::seeded(seed.into()));
    let whole = case.to_bytes();
    let bare = [&[I::ID.number()], &case.bytes[..]].concat();
    let text = I::decode(&case.bytes)
        .map_or_else(|_| bare.clone(), |p| [&[I::ID.number()], I::disassemble(&p).as_bytes()].concat());
    for target in Target::ALL {
        run_body(target, &whole);
        let mut data = match target {
            Target::Bytes => bare.clone(),
            Target::Text => text.clone(),
            Target::Execution | Target::Rewriting | Target::Cases | Target::Generated => whole.clone(),
        };
        let size = data.len();
        data.resize(size + MAX_GROWTH, 0);
        let room = data.len();
        let size = mutate(target, &mut data, size, room, seed, |data, size, _| {
            // Flips one bit; the multiplication distributes the seeds over the input.
            let at = (u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16) as usize % size.max(1);
            data[at] ^= 1 << (seed & 7);
            size
        });
        run_body(target, &data[..size]);
    }
}
