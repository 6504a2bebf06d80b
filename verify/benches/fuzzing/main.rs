//! What a fuzzing input costs, by step, for each instruction set: programs of about twenty instructions, on one core.
//!
//! The steps of a loop that mutates a case, writes and reads it as a fuzzer does, and compares the reference with the executor are timed one by one,
//! each over the same cases; then the loop as a whole. All figures are microseconds of processor time a case, the least of several turns.

use lockstep::case::Case;
use lockstep::engine::{Executor, Tier, compare, reference_with};
use lockstep::fuzz::{Answer, Target, judge};
use lockstep::generate::{Entropy, Generate, ProgramRequest, case, mutate};
use lockstep_core::exec::plan;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{IsaId, lower};
use lockstep_core::with_isa;
use std::hint::black_box;
use std::time::Duration;

#[path = "../clock/mod.rs"]
mod clock;

/// The number of cases of an instruction set.
const CASES: u64 = 200;
/// The number of instructions of a generated program, approximately.
const SIZE: usize = 20;
/// The number of turns, of which the fastest counts.
const TURNS: usize = 3;

/// The aim: how many programs a second the loop compares.
fn aim(isa: IsaId) -> f64 {
    if isa == IsaId::Agal { 12_000.0 } else { 5_000.0 }
}

/// Microseconds of one call of `work` for each case.
fn time<T>(cases: &[T], mut work: impl FnMut(&T)) -> f64 {
    let mut best = Duration::MAX;
    for _ in 0..TURNS {
        let start = clock::now();
        cases.iter().for_each(&mut work);
        best = best.min(clock::now().saturating_sub(start));
    }
    best.as_secs_f64() * 1e6 / cases.len().max(1) as f64
}

fn row<I: Generate>() {
    let request = ProgramRequest { size: Some(SIZE), ..ProgramRequest::default() };
    let legal = |case: &Case| case.resolve::<I>().is_ok_and(|r| r.is_legal());
    let cases: Vec<Case> = (0..)
        .map(|seed| case::<I>(&mut Entropy::seeded(seed), &request))
        .filter(legal)
        .take(CASES as usize)
        .collect();
    let inputs: Vec<Vec<u8>> = cases.iter().map(Case::to_bytes).collect();
    let resolved: Vec<_> = cases.iter().filter_map(|case| case.resolve::<I>().ok()).collect();
    let words =
        resolved.iter().map(|r| I::words(&r.context()) as usize).sum::<usize>() / resolved.len().max(1);
    let lowered: Vec<_> =
        resolved.iter().filter_map(|r| Some((r, lower(&r.context(), Mode::Auto).ok()?))).collect();
    let mut executor = Executor::new(Tier::best());
    let runs: Vec<_> = lowered
        .iter()
        .map(|(r, program)| {
            let cx = r.context();
            (*r, reference_with::<I, false>(&cx, &r.env), executor.run(cx.entry, program, &r.env))
        })
        .collect();

    let mut seed = 0;
    let mut e = || {
        seed += 1;
        Entropy::seeded(seed)
    };
    let read = time(&inputs, |bytes| drop(black_box(Case::from_bytes(bytes))));
    let write = time(&cases, |case| drop(black_box(case.to_bytes())));
    let mutating = time(&cases, |case| drop(black_box(mutate(case, &mut e()))));
    let all_edits = time(&resolved, |r| drop(black_box(I::edits(&r.program))));
    let resolve = time(&cases, |case| drop(black_box(case.resolve::<I>())));
    let validate = time(&resolved, |r| drop(black_box(I::validate(&r.context()))));
    let lowering = time(&resolved, |r| drop(black_box(lower(&r.context(), Mode::Auto))));
    let planning = time(&lowered, |(_, program)| drop(black_box(plan(program))));
    let run = time(&lowered, |(r, program)| drop(black_box(executor.run(&r.entry, program, &r.env))));
    let reference = time(&resolved, |r| drop(black_box(reference_with::<I, false>(&r.context(), &r.env))));
    let comparing = time(&runs, |(r, expected, run)| _ = black_box(compare(&r.entry, expected, run).is_ok()));

    // The loop: each case is mutated, written, read and compared.
    let (mut compared, mut changed, mut judged) = (0u32, 0u32, 0u32);
    let whole = time(&cases, |case| {
        let child = mutate(case, &mut e()).to_bytes();
        judged += 1;
        changed += u32::from(child != case.to_bytes());
        compared += u32::from(matches!(judge(Target::Execution, &child), Answer::Compared(_)));
    });
    let share = f64::from(compared) / f64::from(judged.max(1));
    println!(
        "{:<10} {words:>5} {read:>7.1} {write:>7.1} {mutating:>7.1} {all_edits:>9.1} {resolve:>7.1} {validate:>7.1} {lowering:>7.1} {planning:>7.1} \
         {:>7.1} {reference:>7.1} {comparing:>7.1} {whole:>7.1} {:>6.0}% {:>6.0}% {:>9.0} {:>7.0}",
        I::ID.to_string(),
        run - planning,
        100.0 * f64::from(changed) / f64::from(judged.max(1)),
        100.0 * share,
        share * 1e6 / whole,
        aim(I::ID),
    );
}

fn main() {
    println!("microseconds a case; executor: {}", Tier::best());
    println!(
        "{:<10} {:>5} {:>7} {:>7} {:>7} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>9} {:>7}",
        "set",
        "words",
        "read",
        "write",
        "mutate",
        "all edits",
        "resolve",
        "valid",
        "lower",
        "plan",
        "run",
        "refer",
        "compare",
        "loop",
        "changed",
        "compd",
        "compd/s",
        "aim"
    );
    for &isa in IsaId::ALL {
        with_isa!(isa, I => row::<I>());
    }
}
