//! Measures how processor time grows with program size, for every processing step ("room") of every instruction set, such as decoding or lowering, on
//! stress programs of 4 to 64 KiB.
//!
//! For each room the table names two families of programs. One is the slowest at 64 KiB, or at its largest size if that is smaller. The time of the
//! other grows fastest from a quarter of its largest size to that size. Linear growth is a ratio of 4 and an exponent of 1. The aims are an exponent
//! of at most 1.3, and at most one second to judge a program of 64 KiB. Lowering by nodes and lowering by the fallback are separate rooms, and so are
//! runs of the two results. Otherwise the time of a family would jump at the size from which it needs the fallback. In a room for edits, several
//! applicable edits of one kind are timed together. The allocator keeps freed memory. Arguments are names of instruction sets, rooms and families.
//! `--all` prints every family; `--write=DIR` only writes the programs to files, for other tools.

use lockstep::case::{Case, Resolved};
use lockstep::corpus::{Content, Item, Strictness, environment_from_seed, judge};
use lockstep::engine::{Executor, Tier, evaluate, reference_with};
use lockstep::generate::Generate;
use lockstep::worst::worst;
use lockstep_core::host::Environment;
use lockstep_core::ir::rewrite::rewrite;
use lockstep_core::ir::{self, verify};
use lockstep_core::isa::lowering;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Context, Edit, IsaId};
use lockstep_core::with_isa;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

#[path = "../clock/mod.rs"]
mod clock;

const SIZES: [usize; 5] = [1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16];
/// Times below this are too short to measure growth.
const NOISE: Duration = Duration::from_micros(300);
const AIM_EXPONENT: f64 = 1.3;
const AIM_JUDGED: Duration = Duration::from_secs(1);
/// A room is repeated until this much time has passed or this many times, since other processes may disturb a measurement.
const AGAIN: (Duration, usize) = (Duration::from_millis(40), 40);
/// The number of times that a room is measured again if it exceeds the limit of growth.
const RETRIES: usize = 5;
/// The number of edits of a kind that are timed, and the approximate number that are tried to find applicable edits.
const EDITS: (usize, usize) = (8, 64);
/// The number of seeds that `lockstep check` uses for a program without an environment.
const SEEDS: u64 = 4;

/// A program with all data that the rooms need.
struct Subject<I: Generate> {
    bytes: Vec<u8>,
    text: String,
    resolved: Resolved<I>,
    /// The program lowered by nodes, before and after rewriting. `None` if it is illegal or has too many nodes.
    nodes: Option<(ir::Program, ir::Program)>,
    /// The program lowered by the fallback, before and after rewriting. `None` if the program is illegal or cannot be lowered.
    fallback: Option<(ir::Program, ir::Program)>,
    /// Applicable edits, by kind.
    edits: Vec<(Kind, Vec<Edit>)>,
    env: Environment,
    item: Item,
}

impl<I: Generate> Subject<I> {
    fn new(program: &I::Program) -> Option<Subject<I>> {
        let case = Case::new::<I>(program, Environment::default());
        let resolved = case.resolve::<I>().ok()?;
        let env = environment_from_seed(&resolved.context(), 1);
        let resolved = Case { env, ..case.clone() }.resolve::<I>().ok()?;
        let lowered = |mode| {
            let plain = resolved
                .is_legal()
                .then(|| lowering::lower_validated(&resolved.context(), mode).ok())
                .flatten()?;
            Some((rewrite(&plain), plain)).map(|(after, plain)| (plain, after))
        };
        let content = Content::Program { isa: I::ID, bytes: case.bytes.clone() };
        Some(Subject {
            text: I::disassemble(program),
            nodes: lowered(Mode::Nodes),
            fallback: lowered(Mode::Fallback),
            edits: KINDS.iter().map(|(_, kind)| (*kind, some_edits::<I>(program, *kind))).collect(),
            env: resolved.env.clone(),
            item: Item {
                name: "worst".to_owned(),
                path: PathBuf::new(),
                content,
                strictness: Strictness::Foreign,
            },
            bytes: case.bytes,
            resolved,
        })
    }

    fn context(&self) -> Context<'_, I> {
        self.resolved.context()
    }
}

/// A predicate that selects the edits of one kind.
type Kind = fn(&Edit) -> bool;

/// The kinds of edits, each with the name of its room.
const KINDS: &[(&str, Kind)] = &[
    ("edit, removal", |edit| matches!(edit, Edit::Remove { .. })),
    ("edit, swap", |edit| matches!(edit, Edit::Swap { .. })),
    ("edit, copy", |edit| matches!(edit, Edit::Copy { .. })),
    ("edit, field", |edit| matches!(edit, Edit::Field { .. })),
    ("edit, facet", |edit| matches!(edit, Edit::Facet { .. })),
];

/// Returns applicable edits of a kind, spread evenly over the list of edits.
fn some_edits<I: Generate>(program: &I::Program, kind: Kind) -> Vec<Edit> {
    let all: Vec<Edit> = I::edits(program).into_iter().filter(kind).collect();
    let (most, tries) = EDITS;
    let tried = all.iter().step_by((all.len() / tries).max(1));
    let some: Vec<Edit> = tried.filter(|edit| I::apply(program, edit).is_some()).copied().collect();
    let step = (some.len() / most).max(1);
    // Repeats edits if necessary, so that every program is timed with the same number of edits.
    some.iter().step_by(step).copied().cycle().take(if some.is_empty() { 0 } else { most }).collect()
}

/// The name of a room, and its operation on a subject. The operation returns false if it does not apply to the subject.
type Operation<I> = (&'static str, fn(&Subject<I>) -> bool);

fn done<T>(value: T) -> bool {
    black_box(value);
    true
}

fn operations<I: Generate>() -> Vec<Operation<I>> {
    type Lowered<'a> = &'a Option<(ir::Program, ir::Program)>;
    fn evaluated<I: Generate>(s: &Subject<I>, lowered: Lowered<'_>) -> bool {
        lowered.as_ref().is_some_and(|(plain, _)| done(evaluate(&s.resolved.entry, plain, &s.env)))
    }
    fn executed<I: Generate>(s: &Subject<I>, lowered: Lowered<'_>) -> bool {
        let run = |after| Executor::new(Tier::best_interpreted()).run(&s.resolved.entry, after, &s.env);
        lowered.as_ref().is_some_and(|(_, after)| done(run(after)))
    }
    fn edited<I: Generate>(s: &Subject<I>, kind: usize) -> bool {
        let edits = &s.edits[kind].1;
        let apply = |edit: &Edit| drop(black_box(I::apply(&s.resolved.program, edit)));
        edits.iter().for_each(apply);
        !edits.is_empty()
    }
    fn of(lowered: Lowered<'_>, each: fn(&ir::Program) -> bool) -> bool {
        lowered.as_ref().is_some_and(|(plain, _)| each(plain))
    }
    fn verified(program: &ir::Program) -> bool {
        done(verify(program).is_ok())
    }
    fn rewritten(program: &ir::Program) -> bool {
        done(rewrite(program))
    }
    fn planned(program: &ir::Program) -> bool {
        done(lockstep_core::exec::plan(program))
    }
    vec![
        ("decode", |s| done(I::decode(&s.bytes).is_ok())),
        ("encode", |s| done(I::encode(&s.resolved.program))),
        ("disassemble", |s| done(I::disassemble(&s.resolved.program))),
        ("assemble", |s| done(I::assemble(&s.text).is_ok())),
        ("entries", |s| done(I::entries(&s.resolved.program))),
        ("resolve", |s| done(s.item.content.cases(0..1))),
        ("validate", |s| done(I::validate(&s.context()))),
        ("coverage points", |s| {
            let points = I::cover_points(&s.resolved.program);
            done((0..I::instruction_count(&s.context())).map(|w| points(w).len()).sum::<usize>())
        }),
        ("lower, nodes", |s| {
            s.nodes.is_some() && done(lowering::lower_validated(&s.context(), Mode::Nodes).is_ok())
        }),
        ("lower, fallback", |s| {
            s.fallback.is_some() && done(lowering::lower_validated(&s.context(), Mode::Fallback).is_ok())
        }),
        ("verify, nodes", |s| of(&s.nodes, verified)),
        ("verify, fallback", |s| of(&s.fallback, verified)),
        ("rewrite, nodes", |s| of(&s.nodes, rewritten)),
        ("rewrite, fallback", |s| of(&s.fallback, rewritten)),
        ("plan, nodes", |s| of(&s.nodes, planned)),
        ("plan, fallback", |s| of(&s.fallback, planned)),
        ("run, reference", |s| {
            s.resolved.is_legal() && done(reference_with::<I, false>(&s.context(), &s.env))
        }),
        ("run, evaluator, nodes", |s| evaluated(s, &s.nodes)),
        ("run, evaluator, fallback", |s| evaluated(s, &s.fallback)),
        ("run, executor, nodes", |s| executed(s, &s.nodes)),
        ("run, executor, fallback", |s| executed(s, &s.fallback)),
        ("edits", |s| done(I::edits(&s.resolved.program))),
        (KINDS[0].0, |s| edited(s, 0)),
        (KINDS[1].0, |s| edited(s, 1)),
        (KINDS[2].0, |s| edited(s, 2)),
        (KINDS[3].0, |s| edited(s, 3)),
        (KINDS[4].0, |s| edited(s, 4)),
        ("strip", |s| done(I::strip(&s.resolved.program, &s.resolved.entry))),
        (JUDGED, |s| done(judge(&s.item, 0..SEEDS))),
    ]
}

const JUDGED: &str = "judged";

fn time(run: impl Fn() -> bool) -> Option<Duration> {
    let mut best = Duration::MAX;
    let begun = clock::now();
    let (long, often) = AGAIN;
    for _ in 0..often {
        let start = clock::now();
        if !run() {
            return None;
        }
        let end = clock::now();
        best = best.min(end.saturating_sub(start));
        if end.saturating_sub(begun) > long {
            break;
        }
    }
    Some(best)
}

/// The result for a family in a room: its largest size, the time at that size, and the exponent of growth from a quarter of that size.
struct Row {
    room: &'static str,
    family: &'static str,
    size: usize,
    time: Duration,
    exponent: Option<f64>,
}

/// The selection made by the command-line arguments.
struct Selection {
    all: bool,
    names: Vec<String>,
}

impl Selection {
    /// Whether `name` is selected: an argument names it, or no argument names any element of `kind`.
    fn wants(&self, name: &str, kind: &[&str]) -> bool {
        self.names.iter().any(|n| n == name) || !self.names.iter().any(|n| kind.contains(&n.as_str()))
    }
}

/// Writes the programs of all families into a folder.
fn write<I: Generate>(folder: &Path) -> std::io::Result<()> {
    for family in worst(I::ID) {
        for size in SIZES {
            let Some(program) = family.program::<I>(size) else { continue };
            let name = format!("{}-{}-{}.bin", I::ID, family.name.replace([' ', ','], "_"), size >> 10);
            std::fs::write(folder.join(name), I::encode(&program))?;
        }
    }
    Ok(())
}

fn measure<I: Generate>(asked: &Selection) -> bool {
    let mut rows: Vec<Row> = Vec::new();
    let families: Vec<&str> = worst(I::ID).iter().map(|family| family.name).collect();
    let names: Vec<&str> = operations::<I>().iter().map(|room| room.0).collect();
    for family in worst(I::ID).iter().filter(|family| asked.wants(family.name, &families)) {
        let subjects: Vec<(usize, Subject<I>)> = SIZES
            .iter()
            .filter_map(|size| Some((*size, Subject::new(&family.program::<I>(*size)?)?)))
            .collect();
        for (room, run) in operations::<I>().into_iter().filter(|room| asked.wants(room.0, &names)) {
            let Some((large, mut last)) = subjects.iter().rev().find_map(|s| Some((s, time(|| run(&s.1))?)))
            else {
                continue;
            };
            let size = large.0;
            let small = subjects.iter().find(|(s, _)| *s * 4 == size);
            let mut quarter = small.and_then(|small| time(|| run(&small.1)));
            let grown = |last: Duration, quarter: Option<Duration>| {
                let quarter = quarter.filter(|_| last > NOISE)?;
                Some((last.as_secs_f64() / quarter.as_secs_f64()).log(4.0))
            };
            // Other processes may have caused a long time, so the minimum counts.
            for _ in 0..RETRIES {
                if grown(last, quarter).is_none_or(|e| e <= AIM_EXPONENT) {
                    break;
                }
                last = last.min(time(|| run(&large.1)).unwrap_or(last));
                quarter = quarter.min(small.and_then(|small| time(|| run(&small.1))));
            }
            let exponent = grown(last, quarter);
            rows.push(Row { room, family: family.name, size, time: last, exponent });
        }
        eprint!(".");
    }
    eprintln!();
    println!("{}", I::ID);
    println!("  {:<24} {:>10}  {:<40} {:>8}  growing fastest", "room", "worst", "", "exponent");
    let mut met = true;
    let shown = |row: &Row| format!("{} at {} KiB", row.family, row.size >> 10);
    for (room, _) in operations::<I>() {
        let here = || rows.iter().filter(|row| row.room == room);
        let Some(slowest) = here().max_by_key(|row| row.time) else { continue };
        let fastest = here()
            .filter(|row| row.exponent.is_some())
            .max_by(|a, b| a.exponent.partial_cmp(&b.exponent).unwrap_or(std::cmp::Ordering::Equal));
        let exponent = fastest.and_then(|row| row.exponent);
        let missed =
            exponent.is_some_and(|e| e > AIM_EXPONENT) || room == JUDGED && slowest.time > AIM_JUDGED;
        met &= !missed;
        println!(
            "  {room:<24} {:>8.2}ms  {:<40} {:>8}  {}{}",
            slowest.time.as_secs_f64() * 1e3,
            shown(slowest),
            exponent.map_or_else(|| "-".to_owned(), |e| format!("{e:.2}")),
            fastest.map_or_else(String::new, &shown),
            if missed { "  MISSED" } else { "" }
        );
        if asked.all {
            for row in here() {
                let exponent = row.exponent.map_or_else(|| "-".to_owned(), |e| format!("{e:.2}"));
                println!("      {:<52} {:>10.2}ms {exponent:>8}", shown(row), row.time.as_secs_f64() * 1e3);
            }
        }
    }
    met
}

/// Makes the system's allocator keep freed memory, up to tens of megabytes. Otherwise it would return the memory of large programs to the kernel
/// after every run and fetch it again page by page, but keep that of small programs. glibc adapts this threshold to the largest block that has been
/// freed.
fn keep_memory() {
    drop(black_box(vec![1u8; 31 << 20]));
}

fn main() -> std::io::Result<ExitCode> {
    keep_memory();
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let folder = arguments.iter().find_map(|a| a.strip_prefix("--write="));
    let names = arguments.iter().filter(|a| !a.starts_with("--")).cloned().collect();
    let asked = Selection { all: arguments.iter().any(|a| a == "--all"), names };
    let sets: Vec<String> = IsaId::ALL.iter().map(ToString::to_string).collect();
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    let mut met = true;
    for &isa in IsaId::ALL {
        if !asked.wants(&isa.to_string(), &sets) {
            continue;
        }
        if let Some(folder) = folder {
            with_isa!(isa, I => write::<I>(Path::new(folder)))?;
        } else {
            met &= with_isa!(isa, I => measure::<I>(&asked));
        }
    }
    if folder.is_none() {
        println!(
            "aims: an exponent of at most {AIM_EXPONENT}, and {AIM_JUDGED:?} to judge a program of 64 KiB: {}",
            if met { "met" } else { "MISSED" }
        );
    }
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
