//! Measures the cost of `tracing` spans and events without a subscriber. The measured operations ("rooms") are the executor, both engines together,
//! the claim that they agree, and judging as in `lockstep check`. Each is built with spans and without them (feature `max_level_off`, which removes
//! them at compile time).
//!
//! The bench builds an executable without spans, then runs both executables in alternation; each turn is a process of its own. The time of a room is
//! the minimum processor time over all turns, on the same programs. The table shows the ratio of the two times, and the noise, which is the relative
//! difference between an executable's odd and even turns. The aim is a ratio of at most 1.01, or one within the noise. `--turns=N` sets the number of
//! turns of each executable.

use lockstep::case::{Case, EntryRef};
use lockstep::corpus::{Item, judge, load_own, own_corpora};
use lockstep::engine::{Executor, Tier, evaluate, reference};
use lockstep::oracle::{Oracle, ask};
use lockstep_core::ir::rewrite::rewrite;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{IsaId, lower};
use lockstep_core::with_isa;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::time::Duration;

#[path = "../clock/mod.rs"]
mod clock;

const AIM: f64 = 1.01;
/// The default number of turns of each executable.
const TURNS: usize = 12;
/// The minimum time for which a turn repeats a room.
const MIN_OPERATION_TIME: Duration = Duration::from_millis(150);
/// The argument that makes this executable run one turn.
const TURN: &str = "--turn";
/// The folder below the target folder in which the executable without spans is built.
const WITHOUT: &str = "tracing-off";

/// A measured operation and its name.
type Operation = (&'static str, Box<dyn Fn()>);

type Failure = Box<dyn std::error::Error>;

/// Returns programs of our own corpora, some of each instruction set.
fn items() -> Result<Vec<Item>, Failure> {
    let root = own_corpora(None).ok_or("the corpora are not there")?;
    let mut few = Vec::new();
    for isa in IsaId::ALL {
        let items = load_own(&root, &[*isa]).items;
        few.extend(items.into_iter().filter(|item| item.content.program().is_some()).take(6));
    }
    Ok(few)
}

/// Returns the rooms, which all use the same programs and environments.
fn operations() -> Result<Vec<Operation>, Failure> {
    let items = items()?;
    let cases: Vec<Case> = items.iter().flat_map(|item| item.content.cases(0..1)).collect();
    let mut runs: Vec<Box<dyn Fn(bool)>> = Vec::new();
    for case in cases.iter().filter(|case| matches!(case.entry, EntryRef::Own(0))) {
        with_isa!(case.isa, I => {
            let resolved = case.resolve::<I>()?;
            let Ok(plain) = lower(&resolved.context(), Mode::Auto) else { continue };
            let after = rewrite(&plain);
            runs.push(Box::new(move |all| {
                let (cx, env) = (resolved.context(), &resolved.env);
                black_box(Executor::new(Tier::best_interpreted()).run(cx.entry, &after, env));
                if all {
                    black_box(reference(&cx, env));
                    black_box(evaluate(cx.entry, &plain, env));
                }
            }));
        });
    }
    let runs = std::rc::Rc::new(runs);
    let again = runs.clone();
    Ok(vec![
        ("executor", Box::new(move || runs.iter().for_each(|run| run(false)))),
        ("engines", Box::new(move || again.iter().for_each(|run| run(true)))),
        (
            "claim",
            Box::new(move || cases.iter().for_each(|case| drop(black_box(ask(Oracle::Execution, case))))),
        ),
        ("judged", Box::new(move || items.iter().for_each(|item| drop(black_box(judge(item, 0..1)))))),
    ])
}

/// Runs one turn: prints the minimum time of each room in nanoseconds.
fn turn() -> Result<(), Failure> {
    for (name, run) in operations()? {
        let mut best = Duration::MAX;
        let begun = clock::now();
        let mut end = begun;
        while end.saturating_sub(begun) < MIN_OPERATION_TIME {
            let start = clock::now();
            run();
            end = clock::now();
            best = best.min(end.saturating_sub(start));
        }
        println!("{name} {}", best.as_nanos());
    }
    Ok(())
}

/// Builds this bench without spans and returns the path of the executable.
fn counterpart() -> Result<String, Failure> {
    let target = std::env::current_exe()?;
    let target = target.ancestors().nth(3).ok_or("no target folder")?.join(WITHOUT);
    eprintln!("building the counterpart in {}", target.display());
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let built = Command::new(cargo)
        .args([
            "bench",
            "--package",
            "lockstep",
            "--bench",
            "tracing",
            "--no-run",
            "--features",
            "tracing/max_level_off",
        ])
        .args(["--message-format", "json", "--target-dir"])
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(std::process::Stdio::inherit())
        .output()?;
    let text = String::from_utf8(built.stdout)?;
    let made = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut bench = made
        .filter(|message| message["target"]["name"] == "tracing" && message["target"]["kind"][0] == "bench");
    let path = bench.find_map(|message| message["executable"].as_str().map(str::to_owned));
    Ok(path.ok_or("the counterpart was not built")?)
}

/// Runs a turn of an executable and returns the time of each room.
fn turn_of(executable: &str) -> Result<Vec<(String, f64)>, Failure> {
    let done = Command::new(executable).arg(TURN).output()?;
    if !done.status.success() {
        return Err(format!("{executable}: {}", String::from_utf8_lossy(&done.stderr)).into());
    }
    let text = String::from_utf8(done.stdout)?;
    let row = |line: &str| Some((line.split_once(' ')?.0.to_owned(), line.split_once(' ')?.1.parse().ok()?));
    Ok(text.lines().filter_map(row).collect())
}

fn compare(turns: usize) -> Result<bool, Failure> {
    let without = counterpart()?;
    let with = std::env::current_exe()?.display().to_string();
    let mut times: [Vec<Vec<(String, f64)>>; 2] = [Vec::new(), Vec::new()];
    for number in 0..turns {
        // The executables take turns in running first.
        let order = if number % 2 == 0 { [0, 1] } else { [1, 0] };
        for which in order {
            times[which].push(turn_of(if which == 0 { &with } else { &without })?);
        }
        eprint!(".");
    }
    eprintln!();
    let [with, without] = times;
    let rooms = with.first().map_or(0, Vec::len);
    println!("{:<10} {:>12} {:>12} {:>8} {:>8}", "room", "with", "without", "ratio", "noise");
    let mut met = rooms > 0;
    for room in 0..rooms {
        let least = |turns: &[Vec<(String, f64)>], from: usize, step: usize| {
            turns
                .iter()
                .skip(from)
                .step_by(step)
                .filter_map(|t| Some(t.get(room)?.1))
                .fold(f64::MAX, f64::min)
        };
        let (a, b) = (least(&with, 0, 1), least(&without, 0, 1));
        let apart = |turns| (least(turns, 1, 2) / least(turns, 0, 2) - 1.0).abs();
        let noise = apart(&with).max(apart(&without));
        let missed = a / b > AIM.max(1.0 + noise);
        met &= !missed;
        println!(
            "{:<10} {:>10.1}us {:>10.1}us {:>8.3} {noise:>8.3}{}",
            with[0][room].0,
            a / 1e3,
            b / 1e3,
            a / b,
            if missed { "  MISSED" } else { "" }
        );
    }
    println!("aim: a ratio of at most {AIM}, or within the noise: {}", if met { "met" } else { "MISSED" });
    Ok(met)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let turns = arguments.iter().find_map(|a| a.strip_prefix("--turns=")?.parse().ok()).unwrap_or(TURNS);
    let done = if arguments.iter().any(|a| a == TURN) { turn().map(|()| true) } else { compare(turns) };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
