//! `lockstep selftest`: whether planted faults are noticed.
//!
//! Only builds with feature `selftest` have this verb, and only in the copy of the workspace that `ci/selftest` makes does a number switch a fault on.

mod gate;
mod named;
mod seen;

use super::output::Ink;
use super::{Failure, Output};
use crate::fuzz::{Target, mutate, run as run_body};
use crate::generate::{Entropy, any_case};
use crate::report::Exit;
use gate::Bench;
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;
use lockstep_selftest::{End, Fate, Fault, Gate, Outcome, rates, read};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Run every planted fault through the gates, first the one that its row says and then the cheapest, and say which gate notices it.
///
/// Exits 1 if a fault is noticed by none and has no reviewed reason, by a later gate than its row says or by a finding that does not name what is
/// wrong; if one with a reason is noticed after all; or if a gate is not clean without a fault.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Where the tables of faults are.
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/selftest/faults"))]
    faults: PathBuf,
    /// The corpora to work on copies of.
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpora"))]
    corpora: PathBuf,
    /// Only faults whose name or table contains this, or one of several texts between commas. With `--seen`, only tests whose executable, name or
    /// fault does.
    #[arg(long, value_name = "TEXT", value_delimiter = ',')]
    filter: Vec<String>,
    /// Only so many faults, drawn by `--draw` from those of one instruction set that programs and vectors show: what they show hangs neither on time
    /// nor on another build, and takes no check of all sets.
    #[arg(long, value_name = "N")]
    turn: Option<usize>,
    /// What decides the draw, such as the hash of a commit.
    #[arg(long, value_name = "TEXT", default_value = "")]
    draw: String,
    /// How many faults at once.
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Generated cases of each instruction set for each fault that nothing cheaper shows.
    #[arg(long, value_name = "N", default_value_t = 400)]
    cases: u32,
    /// Seconds after which a gate counts as hanging.
    #[arg(long, value_name = "N", default_value_t = 300)]
    patience: u64,
    /// Test executables, a line each: name and path. Without it faults that only a test sees are left out. Which tests see a fault is in `seen.txt`
    /// beside the tables.
    #[arg(long, value_name = "FILE")]
    tests: Option<PathBuf>,
    /// Instead of gates, ask the tests of this list: each must fail under the fault that stands there, and pass without it.
    #[arg(long, value_name = "FILE", requires = "tests")]
    seen: Option<PathBuf>,
    /// Leave the proofs out.
    #[arg(long)]
    no_proofs: bool,
    /// Leave the run without a fault out.
    #[arg(long)]
    no_control: bool,
    /// Write what came of each fault, tab-separated.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Be the gate of generated cases, for one instruction set or all.
    #[arg(long, hide = true)]
    bodies: Option<String>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    if let Some(isa) = &arguments.bodies {
        return Ok(bodies(isa, arguments.cases));
    }
    let all = read(&arguments.faults).map_err(|e| Failure::Usage(e.to_string()))?;
    let bench = Bench::new(arguments)?;
    if let Some(path) = &arguments.seen {
        let listed = lockstep_selftest::seen::list(path).map_err(|e| Failure::Usage(e.to_string()))?;
        let well = seen::run(&bench, arguments, &listed, &all, out)?;
        return Ok(if well { Exit::Clean } else { Exit::Findings });
    }
    let mut chosen: Vec<(usize, &Fault)> = (1..).zip(&all).collect();
    chosen.retain(|(_, f)| passes(&arguments.filter, &[&f.name, &f.room]));
    if arguments.tests.is_none() {
        chosen.retain(|(_, f)| Gate::of(f) != Some(Gate::Tests));
    }
    if let Some(turn) = arguments.turn {
        chosen.retain(|(_, f)| Gate::of(f) == Some(Gate::Programs) && f.isa != "all");
        draw(&mut chosen, turn, &arguments.draw);
    }
    if chosen.is_empty() {
        return Err(Failure::Usage("there is no such fault".to_owned()));
    }
    let mut clean = arguments.no_control || control(&bench, arguments, &chosen, out)?;

    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Mutex<Vec<Fate<'_>>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                while let Some(&(number, fault)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = Fate::of(fault, &bench.gates(number, fault));
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
    results.sort_by(|a, b| (&a.fault.room, &a.fault.name).cmp(&(&b.fault.room, &b.fault.name)));
    if let Some(path) = &arguments.table {
        let lines: String = results.iter().map(Fate::line).collect();
        std::fs::write(path, format!("{}{lines}", Fate::HEAD))
            .map_err(|e| Failure::Io(path.display().to_string(), e))?;
    }
    write!(out, "{}", rates(&results))?;
    for test in bench.named().unsound() {
        // It may not be said to have noticed anything.
        clean = false;
        let line = out.paint(Ink::Bad, &format!("'{test}' fails without a fault"));
        writeln!(out, "{line}")?;
    }
    let bad: Vec<&Fate<'_>> = results.iter().filter(|r| !r.is_well()).collect();
    for result in &bad {
        let (name, breaks) = (&result.fault.name, &result.fault.breaks);
        for why in result.wrong() {
            let line = out.paint(Ink::Bad, &format!("{name} {why}: {breaks}"));
            writeln!(out, "{line}")?;
        }
    }
    Ok(if clean && bad.is_empty() && results.len() == chosen.len() { Exit::Clean } else { Exit::Findings })
}

/// Whether a filter lets through what has these names: one of its texts is in one of them. An empty filter lets everything through.
fn passes(filter: &[String], names: &[&str]) -> bool {
    filter.is_empty() || filter.iter().any(|text| names.iter().any(|name| name.contains(text.as_str())))
}

/// Every gate but tests without a fault, for the instruction sets at hand. Whether all are clean. Tests are run without a fault where one fails.
fn control(
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
        clean &= is_clean(&bench.ask(gate, 0, isa), gate.name(), out)?;
    }
    Ok(clean)
}

/// Whether a run without a fault ended well, which it says if not.
fn is_clean(outcome: &Outcome, what: &str, out: &mut Output) -> Result<bool, Failure> {
    let end = outcome.end;
    eprintln!("no fault: {what} {} in {:.1} s", end.name(), outcome.seconds);
    if end != End::Clean {
        let line = out.paint(Ink::Bad, &format!("'{what}' ends without a fault: {}", end.name()));
        writeln!(out, "{line}\n{}", outcome.text)?;
    }
    Ok(end == End::Clean)
}

/// Leaves `count` rows, chosen by a text: FNV-1a of it and of their names orders them.
fn draw(chosen: &mut Vec<(usize, &Fault)>, count: usize, text: &str) {
    let hash = |name: &str| {
        let bytes = text.bytes().chain(name.bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
    };
    chosen.sort_by_key(|(_, f)| hash(&f.name));
    chosen.truncate(count);
}

/// Judges generated cases, and changed ones: the same ones in every build and on every machine. A claim that fails panics with its finding, as a fuzz
/// target does.
fn bodies(isa: &str, cases: u32) -> Exit {
    let one: Option<IsaId> = isa.parse().ok();
    let isas = one.map_or_else(|| IsaId::ALL.to_vec(), |isa| vec![isa]);
    for seed in 0..cases {
        for isa in &isas {
            with_isa!(*isa, I => body::<I>(seed));
        }
    }
    if cases == 0 { Exit::Inconclusive } else { Exit::Clean }
}

/// The room that a change may take.
const ROOM: usize = 4096;

/// One generated case and one change of it, as every target takes them.
fn body<I: Isa>(seed: u32) {
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
        data.resize(size + ROOM, 0);
        let room = data.len();
        let size = mutate(target, &mut data, size, room, seed, |data, size, _| {
            // A bit of somewhere: multiplying spreads seeds over the input.
            let at = (u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16) as usize % size.max(1);
            data[at] ^= 1 << (seed & 7);
            size
        });
        run_body(target, &data[..size]);
    }
}
