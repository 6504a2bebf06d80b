//! Triage of a failing case before it is reported: replay, determinism, minimisation, the results of all engines, and the choices that documents
//! leave open.

use super::{Finding, opcodes, signature};
use crate::blame;
use crate::case::Case;
use crate::engine::{Executor, LaneOutcome, Outcome, Tier, compare, evaluate, format_effect, reference};
use crate::minimize::{Minimized, minimize};
use crate::oracle::{Failure, Oracle, Verdict, ask, caught};
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Entry, Isa, Syntax, lower};
use lockstep_core::text::count;
use lockstep_core::with_isa;
use serde::Serialize;

/// One engine's result for the lane in which the engines differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Opinion {
    /// The name of the engine.
    pub engine: String,
    /// How the lane ended, and the lane's kill mark, outputs and effects, as text.
    pub says: String,
}

/// One triage step and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TriageStep {
    /// The name of the step.
    pub name: &'static str,
    /// The result, in a sentence.
    pub result: String,
}

/// Triages a failing case and returns the finding. `None` if the case does not fail when it is repeated: the caller counts such cases as
/// non-deterministic.
pub fn run_triage(oracle: Oracle, case: &Case) -> Option<Finding> {
    run_triage_with(oracle, case, &mut |case| match ask(oracle, case) {
        Verdict::Fails(failure) => Some(failure),
        _ => None,
    })
}

/// Like [`run_triage`], but `fails` judges the cases instead of `oracle`, for harnesses that plant faults.
pub fn run_triage_with(
    oracle: Oracle,
    case: &Case,
    fails: &mut dyn FnMut(&Case) -> Option<Failure>,
) -> Option<Finding> {
    let first = fails(case)?;
    let mut triage_steps = vec![TriageStep { name: "replay", result: "fails again".to_owned() }];
    let same = (0..2).all(|_| fails(case).as_ref() == Some(&first));
    let result = if same { "three runs fail in the same way" } else { "fails differently from run to run" };
    triage_steps.push(TriageStep { name: "determinism", result: result.to_owned() });

    // A smaller case counts only if it fails in the same way: between the same two sides, in the same part of the outcome.
    let part = signature(oracle, case, &first).part;
    let minimized = minimize(case, &mut |candidate| {
        fails(candidate).is_some_and(|failure| {
            failure.between == first.between && signature(oracle, candidate, &failure).part == part
        })
    });
    let (case, result) = match minimized {
        Minimized::Done { case: small, tries } => {
            let result = format!(
                "{} to {} in {}",
                case.bytes.len(),
                count(small.bytes.len(), "byte"),
                count(tries, "try")
            );
            (*small, result)
        }
        Minimized::NotInteresting => (case.clone(), "does not fail any more".to_owned()),
    };
    triage_steps.push(TriageStep { name: "minimise", result });
    let failure = fails(&case).unwrap_or(first);
    let lane = failure.difference.as_ref().map(|d| d.lane);
    let mut opinions = Vec::new();
    if let Some(lane) = lane {
        // An engine that panics is omitted; if the reference does, all are.
        let _ = caught(
            || with_isa!(case.isa, I => compare_engines::<I>(&case, lane, &mut opinions, &mut triage_steps)),
        );
    }
    let exhibit = blame::of_case(oracle, &case, &failure);
    let rests_on = caught(|| {
        with_isa!(case.isa, I => {
            let used = opcodes::<I>(&case);
            let guilty = exhibit.guilty.as_ref().map(|guilty| &guilty.opcodes);
            let stakes = |mnemonic: &str| {
                guilty.map_or_else(|| used.contains(mnemonic), |all| all.iter().any(|opcode| opcode == mnemonic))
            };
            let rows = I::opcodes().iter().filter(|row| stakes(row.mnemonic));
            rows.map(|row| (row.mnemonic.to_owned(), row.meaning.to_owned(), row.source.to_owned())).collect()
        })
    });
    Some(Finding {
        signature: signature(oracle, &case, &failure),
        failure,
        case,
        opinions,
        triage_steps,
        exhibit,
        rests_on: rests_on.unwrap_or_default(),
    })
}

/// Runs every engine and reports which ones differ from all others, and whether a choice that the documents leave open explains the difference.
fn compare_engines<I: Isa>(
    case: &Case,
    lane: usize,
    opinions: &mut Vec<Opinion>,
    triage_steps: &mut Vec<TriageStep>,
) {
    let Ok(resolved) = case.resolve::<I>() else { return };
    let cx = resolved.context();
    let expected = reference(&cx, &resolved.env);
    let mut runs: Vec<(String, Outcome)> = vec![("reference".to_owned(), expected.clone())];
    if let Ok(Ok(program)) = caught(|| lower(&cx, Mode::Auto)) {
        let mut add = |engine: String, run: &dyn Fn() -> Outcome| {
            if let Ok(outcome) = caught(run) {
                runs.push((engine, outcome));
            }
        };
        add("IR evaluator".to_owned(), &|| evaluate(cx.entry, &program, &resolved.env));
        for tier in Tier::available() {
            let run = || Executor::new(tier).run(cx.entry, &program, &resolved.env);
            add(format!("executor ({tier})"), &run);
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
    let alone = outliers(cx.entry, &runs);
    let result = if alone.is_empty() {
        "no engine differs from all others".to_owned()
    } else {
        format!("different from all others: {}", alone.join(" and "))
    };
    triage_steps.push(TriageStep { name: "opinions", result });

    let mut explained = None;
    for (at, option) in
        I::option_specs().iter().enumerate().filter(|(_, a)| expected.freedoms.contains(a.freedom))
    {
        for (choice, name) in option.choices.iter().enumerate() {
            let mut options = resolved.options.clone();
            options.set(at, choice as u8);
            if options == resolved.options {
                continue;
            }
            let other =
                reference(&lockstep_core::isa::Context::<I> { options: &options, ..cx }, &resolved.env);
            if runs.iter().skip(1).any(|(_, run)| explains(cx.entry, &expected, &other, run)) {
                explained = Some(format!("the reference with {}={name} gives the other result", option.name));
            }
        }
    }
    let touched = expected.freedoms.iter().map(|f| format!("{f:?}")).collect::<Vec<_>>().join(", ");
    let result = explained.unwrap_or_else(|| match touched.as_str() {
        "" => "none touched".to_owned(),
        touched => format!("touched {touched}; no choice explains the difference"),
    });
    triage_steps.push(TriageStep { name: "freedom", result });
}

/// Returns the engines whose result differs from that of every other engine; none if there is only one engine.
fn outliers<'a>(entry: &Entry, runs: &'a [(String, Outcome)]) -> Vec<&'a str> {
    if runs.len() < 2 {
        return Vec::new();
    }
    let agree = |run: &Outcome| runs.iter().filter(|(_, other)| compare(entry, run, other).is_ok()).count();
    runs.iter().filter(|(_, run)| agree(run) == 1).map(|(name, _)| name.as_str()).collect()
}

/// Whether an engine that differs from the reference agrees with the reference under another option.
fn explains(entry: &Entry, expected: &Outcome, other: &Outcome, run: &Outcome) -> bool {
    compare(entry, expected, run).is_err() && compare(entry, other, run).is_ok()
}

/// The maximum number of effects of a lane that a finding lists.
const MAX_SHOWN: usize = 16;

fn describe<I: Syntax>(entry: &Entry, lane: &LaneOutcome) -> String {
    let killed = if lane.killed { ", killed" } else { "" };
    let outputs: Vec<String> = lane.outputs.iter().map(|v| format!("{v:?}")).collect();
    let effects = lane.effects.iter().take(MAX_SHOWN);
    let effects = effects.map(|e| format!("; {}", format_effect(&I::effect_name(entry, e.kind, e.index), e)));
    let more = lane
        .effects
        .len()
        .checked_sub(MAX_SHOWN + 1)
        .map(|n| format!("; and {}", count(n + 1, "more effect")));
    let effects: String = effects.chain(more).collect();
    format!("{:?}{killed} [{}]{effects}", lane.end, outputs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Difference, OutcomePart};
    use lockstep_core::host::{EffectRecord, Environment, LaneInput};
    use lockstep_core::isa::Syntax;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::{End, IsaId};
    use lockstep_core::value::FreedomSet;
    use std::cell::Cell;

    fn case() -> Case {
        let program =
            Agal::assemble("version 1 vertex\nmov vt0, va0\nadd op, vt0, va1\n").expect("a program");
        let lane = LaneInput { slots: vec![[1.0, 2.0, 3.0, 4.0]; 2] };
        Case::new::<Agal>(&program, Environment { lanes: vec![lane; 4], ..Environment::default() })
    }

    fn failure(lane: usize, place: OutcomePart) -> Failure {
        let (left, right) = ("1".to_owned(), "2".to_owned());
        Failure {
            between: "a / b".to_owned(),
            message: "m".to_owned(),
            difference: Some(Difference { lane, place, left, right }),
            word: None,
            line: None,
        }
    }

    #[test]
    fn minimising_keeps_the_failing_component() {
        let output = OutcomePart::Output { slot: 0, component: 0 };
        let effect = OutcomePart::Effect { at: 0, component: None };
        let parts =
            [(OutcomePart::End, "end"), (OutcomePart::Kill, "kill"), (output, "output"), (effect, "effect")];
        for (place, part) in parts {
            for (elsewhere, _) in parts.into_iter().filter(|(other, _)| *other != place) {
                // With fewer lanes the case fails in another part of the outcome.
                let mut fails =
                    |c: &Case| Some(failure(0, if c.env.lanes.len() == 4 { place } else { elsewhere }));
                let finding = run_triage_with(Oracle::Execution, &case(), &mut fails).expect("it fails");
                assert_eq!((finding.signature.part, finding.case.env.lanes.len()), (part, 4));
                assert_eq!(finding.signature.isa, IsaId::Agal);
            }
        }
    }

    #[test]
    fn a_failure_that_varies_between_runs_is_nondeterministic() {
        let told = |changing: bool| {
            let times = Cell::new(0);
            let mut fails = |_: &Case| {
                times.set(times.get() + 1);
                let lane = usize::from(changing && times.get() == 3);
                Some(failure(lane, OutcomePart::Kill))
            };
            let finding = run_triage_with(Oracle::Execution, &case(), &mut fails).expect("it fails");
            finding.triage_steps.into_iter().find(|step| step.name == "determinism").expect("a step").result
        };
        assert_eq!(told(false), "three runs fail in the same way");
        assert_eq!(told(true), "fails differently from run to run");
    }

    /// Returns the outcome of a run with one lane and one output component.
    fn run(killed: bool, output: u32) -> Outcome {
        let lane =
            LaneOutcome { end: End::Finished, killed, outputs: vec![output as f32], effects: Vec::new() };
        Outcome { lanes: vec![lane], freedoms: FreedomSet::default() }
    }

    #[test]
    fn the_first_effects_are_shown_and_the_others_counted() {
        let resolved = case().resolve::<Agal>().expect("a case");
        let record = EffectRecord { kind: 1, index: 2, mask: 1, values: [0.5; 4] };
        for count in [0usize, 1, 15, 16, 17, 40] {
            let lane = LaneOutcome { effects: vec![record; count], ..run(false, 0).lanes.remove(0) };
            let told = describe::<Agal>(&resolved.entry, &lane);
            assert_eq!(told.matches("; effect 1.2 x=0.5 ").count(), count.min(16), "{told}");
            let rest = match count {
                17 => "; and 1 more effect".to_owned(),
                18.. => format!("; and {} more effects", count - 16),
                _ => String::new(),
            };
            assert!(told.ends_with(&rest) && told.contains(" more effect") == (count > 16), "{told}");
        }
    }

    #[test]
    fn an_engine_without_agreement_is_alone_and_options_explain_only_differences() {
        let resolved = case().resolve::<Agal>().expect("a case");
        let entry = &resolved.entry;
        let named = |kinds: &[u32]| -> Vec<String> {
            let runs: Vec<(String, Outcome)> =
                kinds.iter().enumerate().map(|(n, kind)| (n.to_string(), run(false, *kind))).collect();
            outliers(entry, &runs).into_iter().map(str::to_owned).collect()
        };
        assert_eq!(named(&[0, 0, 0]), Vec::<String>::new());
        assert_eq!(named(&[0, 1, 0]), ["1"]);
        assert_eq!(named(&[0, 0, 1, 1]), Vec::<String>::new());
        assert_eq!(named(&[0, 1, 2, 0]), ["1", "2"]);
        assert_eq!(named(&[0, 1]), ["0", "1"]);
        let [a, b] = [run(false, 0), run(true, 0)];
        assert!(explains(entry, &a, &b, &b));
        assert!(!explains(entry, &a, &a, &a), "nothing differs");
        assert!(!explains(entry, &a, &a, &b), "the choice gives the same result");
    }
}
