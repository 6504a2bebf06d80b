//! Measures the time that each step of fuzzing takes per input, for each instruction set, with programs of about twenty instructions, on one core.
//!
//! A fuzzer's loop reads, mutates, writes and judges a case. First the steps are timed one by one, all on the same cases. Then the loop as a whole is
//! timed, with one environment per program and with eight. All figures are microseconds of processor time per case, the minimum of several turns.
//! Arguments are the names of the instruction sets to measure; without arguments, all are measured.

use lockstep::case::Case;
use lockstep::engine::{Executor, Tier, compare, reference_with};
use lockstep::fuzz::{Answer, Target, judge_in, mutate};
use lockstep::generate::{Entropy, Generate, ProgramRequest, case};
use lockstep_core::exec::plan;
use lockstep_core::host::{ConcreteHost, Environment};
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Context, IsaId, lower, run};
use lockstep_core::value::Concrete;
use lockstep_core::with_isa;
use std::hint::black_box;
use std::time::Duration;

#[path = "../../../core/benches/aim/mod.rs"]
mod aim;
#[path = "../clock/mod.rs"]
mod clock;

use aim::{Bound, aim};

/// The number of cases per instruction set.
const CASES: u64 = 200;
/// The approximate number of instructions of a generated program.
const SIZE: usize = 20;
/// The number of turns, of which the fastest counts.
const TURNS: usize = 3;
/// The maximum size of an input in bytes.
const LARGEST: usize = 1 << 16;
/// The number of environments per program in the second measurement of the loop.
const MANY: u32 = 8;

/// Returns the mean time of one call of `work`, in microseconds, over all cases.
fn time<T>(cases: &[T], mut work: impl FnMut(&T)) -> f64 {
    let mut best = Duration::MAX;
    for _ in 0..TURNS {
        let start = clock::now();
        cases.iter().for_each(&mut work);
        best = best.min(clock::now().saturating_sub(start));
    }
    best.as_secs_f64() * 1e6 / cases.len().max(1) as f64
}

/// Returns the number of instructions that all lanes of an environment together execute on the reference.
fn lane_words<I: Generate>(cx: &Context<'_, I>, env: &Environment) -> usize {
    let (mut d, group) = (Concrete, usize::from(I::group(cx)));
    let mut words = 0;
    for base in (0..env.lanes.len()).step_by(group) {
        let mut host = ConcreteHost::<false>::new(env, base);
        let mut running = run::start::<I, _, _>(&d, &mut host, cx, group, env.fuel);
        loop {
            let positions: Vec<_> = running
                .iter()
                .filter(|lane| lane.end.is_none())
                .filter_map(|lane| I::position(cx, &lane.lane))
                .collect();
            let Some(at) = run::step(&mut d, &mut host, cx, &mut running) else { break };
            words += positions.iter().filter(|position| **position == at).count();
        }
    }
    words
}

/// The measurements of a fuzzer's loop over cases.
#[derive(Default)]
struct Loop {
    /// Microseconds per case.
    time: f64,
    /// The share of inputs that differ from their parent.
    changed: f64,
    /// The share of inputs whose mutants could be compared.
    compared: f64,
}

/// Mutates each input and judges the mutant in this many environments; with 0 environments, only mutates.
fn fuzz(inputs: &[Vec<u8>], environments: u32) -> Loop {
    let mut data = vec![0; LARGEST];
    let (mut seed, mut judged, mut changed, mut compared) = (0, 0u32, 0u32, 0u32);
    let time = time(inputs, |input| {
        seed += 1;
        data[..input.len()].copy_from_slice(input);
        let size = mutate(Target::Execution, &mut data, input.len(), LARGEST, seed, |_, size, _| size);
        judged += 1;
        changed += u32::from(data[..size] != **input);
        if environments > 0 {
            let answer = judge_in(Target::Execution, &data[..size], environments);
            compared += u32::from(matches!(answer, Answer::Compared(_)));
        }
    });
    let share = |part: u32| f64::from(part) / f64::from(judged.max(1));
    Loop { time, changed: share(changed), compared: share(compared) }
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
    let words = resolved.iter().map(|r| I::instruction_count(&r.context()) as usize).sum::<usize>()
        / resolved.len().max(1);
    let lowered: Vec<_> =
        resolved.iter().filter_map(|r| Some((r, lower(&r.context(), Mode::Auto).ok()?))).collect();
    let mut executor = Executor::new(Tier::best_interpreted());
    let runs: Vec<_> = lowered
        .iter()
        .map(|(r, program)| {
            let cx = r.context();
            (*r, reference_with::<I, false>(&cx, &r.env), executor.run(cx.entry, program, &r.env))
        })
        .collect();
    let lane_words: usize = resolved.iter().map(|r| lane_words::<I>(&r.context(), &r.env)).sum();
    let per_case = lane_words as f64 / resolved.len().max(1) as f64;

    let read = time(&inputs, |bytes| drop(black_box(Case::from_bytes(bytes))));
    let write = time(&cases, |case| drop(black_box(case.to_bytes())));
    let resolve = time(&cases, |case| drop(black_box(case.resolve::<I>())));
    let validate = time(&resolved, |r| drop(black_box(I::validate(&r.context()))));
    let lowering = time(&resolved, |r| drop(black_box(lower(&r.context(), Mode::Auto))));
    let planning = time(&lowered, |(_, program)| drop(black_box(plan(program))));
    let run = time(&lowered, |(r, program)| drop(black_box(executor.run(&r.entry, program, &r.env))));
    let again = time(&lowered, |(_, program)| executor.plan(program));
    let reference = time(&resolved, |r| drop(black_box(reference_with::<I, false>(&r.context(), &r.env))));
    let comparing = time(&runs, |(r, expected, run)| _ = black_box(compare(&r.entry, expected, run).is_ok()));
    let all_edits = time(&resolved, |r| drop(black_box(I::edits(&r.program))));
    let mutating = fuzz(&inputs, 0);
    let whole = fuzz(&inputs, 1);
    let many = fuzz(&inputs, MANY);

    let is_agal = I::ID == IsaId::Agal;
    println!(
        "\n{}: {words} instructions, {per_case:.0} run on all lanes; microseconds a case, executor {}",
        I::ID,
        Tier::best_interpreted()
    );
    println!(
        "  read {read:.1}, write {write:.1}, decode {resolve:.1}, validate {validate:.1}, lower {lowering:.1}, plan {planning:.1} (again {again:.1}), \
         run {:.1}, reference {reference:.1}, compare {comparing:.1}",
        run - again,
    );
    println!(
        "  read, mutate, validate and write {:.1} (a list of all edits {all_edits:.1}); the loop {:.1}, with {MANY} environments {:.1}; changed {:.0} %, compared {:.0} %",
        mutating.time,
        whole.time,
        many.time,
        100.0 * whole.changed,
        100.0 * whole.compared,
    );
    let per_second = |one: &Loop, times: f64| times * one.compared * 1e6 / one.time;
    let [programs, runs] = if is_agal { [12_000.0, 40_000.0] } else { [5_000.0, 12_000.0] };
    aim("compared programs", "per second", Bound::AtLeast, programs, per_second(&whole, 1.0));
    aim(
        "compared runs, eight environments a program",
        "per second",
        Bound::AtLeast,
        runs,
        per_second(&many, f64::from(MANY)),
    );
    let share = 100.0 * mutating.time / whole.time;
    aim("read, mutate, validate and write of the loop", "%", Bound::AtMost, 25.0, share);
    let nanoseconds = 1e3 * reference / per_case;
    aim(
        "the reference, an instruction of a lane",
        "ns",
        Bound::AtMost,
        if is_agal { 60.0 } else { 100.0 },
        nanoseconds,
    );
}

fn main() {
    let asked: Vec<IsaId> = std::env::args().skip(1).filter_map(|name| name.parse().ok()).collect();
    for &isa in IsaId::ALL.iter().filter(|isa| asked.is_empty() || asked.contains(isa)) {
        with_isa!(isa, I => row::<I>());
    }
}
