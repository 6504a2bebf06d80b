//! Tests that a `trace` that is not cut marks a divergence if and only if the results of the lane differ: on the programs of every corpus, unchanged
//! and with planted faults.

#![allow(clippy::expect_used)] // a test that cannot go on fails

use super::{alike, trace_lane};
use crate::case::{Case, EntryRef};
use crate::corpus::{Content, environment_from_seed, load_own, load_real, own_corpora, real_corpora};
use crate::engine::{evaluate, reference};
use crate::generate::Generate;
use crate::stepping::{lowered, plant};
use lockstep_core::ir::Program;
use lockstep_core::isa::{Format, IsaId, Syntax};
use lockstep_core::with_isa;

/// The maximum number of instructions traced for a lane. Longer traces are cut and counted.
const LIMIT: usize = 4000;
/// The maximum number of faults planted for an entry of a program.
const FAULTS: usize = 3;

#[derive(Default)]
struct Tally {
    runs: usize,
    /// The number of traces with a planted fault in which a difference is marked.
    marked: usize,
    /// The number of traces with a planted fault in which no difference is marked.
    unmarked: usize,
    /// The number of traces cut by the limit.
    cut: usize,
    wrong: Vec<String>,
}

fn check_program<I: Generate>(name: &str, bytes: &[u8], tally: &mut Tally) {
    let Ok(program) = I::decode(bytes) else { return };
    for (number, _) in I::entries(&program).iter().enumerate().take(2) {
        let mut case = Case { entry: EntryRef::Own(number as u16), ..Case::bare(I::ID, bytes) };
        let Ok(resolved) = case.resolve::<I>() else { continue };
        case.env = environment_from_seed::<I>(&resolved.context(), 7);
        case.env.lanes.truncate(4);
        let Ok(resolved) = case.resolve::<I>() else { continue };
        if !resolved.is_legal() || !I::has_fallback(&resolved.context()) {
            continue;
        }
        let Ok(sound) = lowered(&resolved) else { continue };
        let expected = reference(&resolved.context(), &resolved.env);
        let judge = |program: &Program, fault: Option<usize>, lane: usize, tally: &mut Tally| {
            let actual = evaluate(&resolved.entry, program, &resolved.env);
            let alike = alike(&resolved.entry, &expected, &actual, lane);
            let trace = trace_lane(&resolved, program, lane, LIMIT, &expected);
            tally.runs += 1;
            tally.cut += usize::from(trace.cut);
            let place = format!("{name} entry {number} lane {lane} fault {fault:?}");
            if trace.first_difference.is_some() == alike && !trace.cut {
                let word = trace.first_difference.and_then(|n| trace.steps[n].word);
                tally.wrong.push(format!("{place}: the first marked difference is at word {word:?}, but whether the results are equal is {alike}"));
            }
            // With a correct lowering, intermediate steps do not differ either.
            if let (None, Some(step)) = (fault, trace.transient_difference) {
                let changes: Vec<_> = trace.steps[step].changes.iter().filter(|c| c.differs).collect();
                tally.wrong.push(format!("{place}: differs on the way: {changes:?}"));
            }
            if fault.is_some() {
                tally.marked += usize::from(trace.first_difference.is_some());
                tally.unmarked += usize::from(trace.first_difference.is_none());
            }
        };
        judge(&sound, None, 0, tally);
        for fault in 0..FAULTS {
            let mut faulty = sound.clone();
            if !plant(&mut faulty, fault) {
                break;
            }
            for lane in [0, resolved.env.lanes.len() - 1] {
                judge(&faulty, Some(fault), lane, tally);
            }
        }
    }
}

fn check_corpora(isa: IsaId) {
    let own = load_own(&own_corpora(None).expect("the corpora belong to the workspace"), &[isa]);
    let real = load_real(real_corpora(None).as_deref(), &[isa]);
    for skipped in &real.skipped {
        println!("skipped: {}: {}", skipped.name, skipped.reason);
    }
    let mut tally = Tally::default();
    let mut programs = 0;
    for item in own.items.iter().chain(&real.items) {
        if let Content::Program { isa, bytes } = &item.content {
            programs += 1;
            with_isa!(*isa, I => check_program::<I>(&item.name, bytes, &mut tally));
        }
    }
    println!(
        "{isa}: {programs} programs, {} traces, {} of them cut; with faults {} marked and {} not",
        tally.runs, tally.cut, tally.marked, tally.unmarked
    );
    assert!(tally.wrong.is_empty(), "{} wrong:\n{}", tally.wrong.len(), tally.wrong.join("\n"));
    assert!(
        tally.runs > programs && tally.marked > programs / 2 && tally.cut * 20 < tally.runs,
        "too few runs"
    );
}

#[test]
fn a_trace_is_cut_exactly_where_steps_are_omitted() {
    use lockstep_core::isa::agal::Agal;
    let text = "version 1 vertex\nmov vt0, va0\nmul vt0, vt0, vc0\nmov op, vt0\n";
    let case = Case::bare(IsaId::Agal, &Agal::encode(&Agal::assemble(text).expect("text")));
    let mut resolved = case.resolve::<Agal>().expect("a program");
    resolved.env.lanes = vec![lockstep_core::host::LaneInput::default()];
    let program = lowered(&resolved).expect("it is legal");
    let expected = reference(&resolved.context(), &resolved.env);
    for (limit, steps, cut) in [(0, 0, true), (2, 2, true), (3, 3, false), (4, 3, false)] {
        let trace = trace_lane(&resolved, &program, 0, limit, &expected);
        assert_eq!((trace.steps.len(), trace.cut), (steps, cut), "--limit {limit}");
    }
}

#[test]
fn agal_is_marked_where_the_oracle_differs() {
    check_corpora(IsaId::Agal);
}

#[test]
fn d3d9_is_marked_where_the_oracle_differs() {
    check_corpora(IsaId::D3d9);
}

#[test]
fn pica200_is_marked_where_the_oracle_differs() {
    check_corpora(IsaId::Pica200);
}

#[test]
fn a2xx_is_marked_where_the_oracle_differs() {
    check_corpora(IsaId::A2xx);
}

#[test]
fn utgard_gp_is_marked_where_the_oracle_differs() {
    check_corpora(IsaId::UtgardGp);
}
