//! What a suspect has to climb before it is reported: replay, determinism, minimising, a third opinion, Freedom.

use super::{Finding, opcodes, signature};
use crate::case::Case;
use crate::engine::{Executor, LaneOutcome, Outcome, Tier, compare, effect, evaluate, reference};
use crate::minimize::{Minimized, minimize};
use crate::oracle::{Failure, Oracle, Verdict, ask, caught};
use lockstep_core::ir::Mode;
use lockstep_core::isa::{Entry, Isa, lower};
use lockstep_core::with_isa;
use serde::Serialize;

/// What one engine says about the lane at which the engines part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Opinion {
    /// The engine.
    pub engine: String,
    /// How the lane ended and its outputs.
    pub says: String,
}

/// One thing that was tried and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rung {
    /// What was tried.
    pub name: &'static str,
    /// What came of it, in a sentence.
    pub result: String,
}

/// Checks a failing case and makes it a finding. `None` if it does not fail when asked again: then there is nothing to report but
/// the lack of determinism, which the caller counts.
pub fn climb(oracle: Oracle, case: &Case) -> Option<Finding> {
    climb_with(oracle, case, &mut |case| match ask(oracle, case) {
        Verdict::Fails(failure) => Some(failure),
        _ => None,
    })
}

/// [`climb`] with the oracle's answer given by a function: for harnesses that plant faults.
pub fn climb_with(
    oracle: Oracle,
    case: &Case,
    fails: &mut dyn FnMut(&Case) -> Option<Failure>,
) -> Option<Finding> {
    let first = fails(case)?;
    let mut rungs = vec![Rung { name: "replay", result: "fails again".to_owned() }];
    let same = (0..2).all(|_| fails(case).as_ref() == Some(&first));
    let result = if same { "three runs fail alike" } else { "fails differently from run to run" };
    rungs.push(Rung { name: "determinism", result: result.to_owned() });

    // A smaller case counts only if it fails in the same way: between the same two, in the same part.
    let part = signature(oracle, case, &first).part;
    let minimized = minimize(case, &mut |candidate| {
        fails(candidate).is_some_and(|failure| {
            failure.between == first.between && signature(oracle, candidate, &failure).part == part
        })
    });
    let (case, result) = match minimized {
        Minimized::Done { case: small, tries } => {
            let result = format!("{} to {} bytes in {tries} tries", case.bytes.len(), small.bytes.len());
            (*small, result)
        }
        Minimized::NotInteresting => (case.clone(), "does not fail any more".to_owned()),
    };
    rungs.push(Rung { name: "minimise", result });
    let failure = fails(&case).unwrap_or(first);
    let lane = failure.difference.as_ref().map(|d| d.lane);
    let mut opinions = Vec::new();
    if let Some(lane) = lane {
        // An engine that panics here has no opinion.
        let _ = caught(|| with_isa!(case.isa, I => weigh::<I>(&case, lane, &mut opinions, &mut rungs)));
    }
    let rests_on = caught(|| {
        with_isa!(case.isa, I => {
            let used = opcodes::<I>(&case);
            let rows = I::opcodes().iter().filter(|row| used.contains(row.mnemonic));
            rows.map(|row| (row.mnemonic.to_owned(), row.meaning.to_owned(), row.source.to_owned())).collect()
        })
    });
    Some(Finding {
        signature: signature(oracle, &case, &failure),
        failure,
        case,
        opinions,
        rungs,
        rests_on: rests_on.unwrap_or_default(),
    })
}

/// Asks every engine, says who stands alone, and whether a choice that the documents leave open explains the other result.
fn weigh<I: Isa>(case: &Case, lane: usize, opinions: &mut Vec<Opinion>, rungs: &mut Vec<Rung>) {
    let Ok(resolved) = case.resolve::<I>() else { return };
    let cx = resolved.context();
    let expected = reference(&cx, &resolved.env);
    let mut runs: Vec<(String, Outcome)> = vec![("reference".to_owned(), expected.clone())];
    if let Ok(program) = lower(&cx, Mode::Auto) {
        runs.push(("IR evaluator".to_owned(), evaluate(cx.entry, &program, &resolved.env)));
        for tier in Tier::available() {
            runs.push((
                format!("executor ({tier})"),
                Executor::new(tier).run(cx.entry, &program, &resolved.env),
            ));
        }
    }
    opinions.extend(runs.iter().map(|(engine, run)| {
        Opinion {
            engine: engine.clone(),
            says: run
                .lanes
                .get(lane)
                .map_or_else(|| "no such lane".to_owned(), |lane| describe::<I>(cx.entry, lane)),
        }
    }));
    let alone: Vec<&str> = runs
        .iter()
        .filter(|(_, run)| {
            runs.iter().filter(|(_, other)| compare(cx.entry, run, other).is_ok()).count() == 1
        })
        .map(|(name, _)| name.as_str())
        .collect();
    let result = if alone.is_empty() {
        "no engine stands alone".to_owned()
    } else {
        format!("{} alone", alone.join(" and "))
    };
    rungs.push(Rung { name: "opinions", result });

    let mut explained = None;
    for (at, axis) in I::axes().iter().enumerate().filter(|(_, a)| expected.freedoms.contains(a.freedom)) {
        for (choice, name) in axis.choices.iter().enumerate() {
            let mut options = resolved.options.clone();
            options.set(at, choice as u8);
            if options == resolved.options {
                continue;
            }
            let other =
                reference(&lockstep_core::isa::Context::<I> { options: &options, ..cx }, &resolved.env);
            if runs.iter().skip(1).any(|(_, run)| {
                compare(cx.entry, &expected, run).is_err() && compare(cx.entry, &other, run).is_ok()
            }) {
                explained = Some(format!("the reference with {}={name} gives the other result", axis.name));
            }
        }
    }
    let touched = expected.freedoms.iter().map(|f| format!("{f:?}")).collect::<Vec<_>>().join(", ");
    let result = explained.unwrap_or_else(|| match touched.as_str() {
        "" => "none touched".to_owned(),
        touched => format!("touched {touched}; no choice explains the difference"),
    });
    rungs.push(Rung { name: "freedom", result });
}

/// Effects of a lane that are written out in a finding.
const SHOWN: usize = 16;

fn describe<I: Isa>(entry: &Entry, lane: &LaneOutcome) -> String {
    let killed = if lane.killed { ", killed" } else { "" };
    let outputs: Vec<String> = lane.outputs.iter().map(|v| format!("{v:?}")).collect();
    let effects = lane.effects.iter().take(SHOWN);
    let effects = effects.map(|e| format!("; {}", effect(&I::effect_name(entry, e.kind, e.index), e)));
    let more = lane.effects.len().checked_sub(SHOWN + 1).map(|n| format!("; and {} more effects", n + 1));
    let effects: String = effects.chain(more).collect();
    format!("{:?}{killed} [{}]{effects}", lane.end, outputs.join(", "))
}
