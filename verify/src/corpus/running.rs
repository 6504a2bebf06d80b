//! Running vectors: compares the results of both engines with a vector's expectations.
//!
//! A vector is run on the reference and on the executor. The executor runs the vector at every vector level of the machine and with both kinds of
//! lowering.

use super::number::Number;
use super::prepared::{Problem, meaningless, prepared};
use super::vector::{Vector, VectorEffect, VectorLane};
use crate::case::{Case, EntryRef};
use crate::engine::{Executor, Outcome, Tier, join_engine_names, reference};
use crate::oracle::caught;
use lockstep_core::host::EffectRecord;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{End, Entry, Isa, IsaId, Syntax, lower};
use lockstep_core::text::count;
use lockstep_core::with_isa;

/// The component named for a vector on which an engine panics.
pub(super) const PANIC: &str = "panic";

/// A vector that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorFailure {
    /// The opcodes of the vector's program, in alphabetical order, joined by `+`; empty if it has none.
    pub opcodes: String,
    /// The first wrong component, such as `op.w`. Instead of a component, this is `end`, `killed` or `effects` if that part is wrong, and `program`
    /// if nothing was run.
    pub component: String,
    /// The lane of the first wrong component; `None` if the component belongs to no lane.
    pub lane: Option<usize>,
    /// One sentence for each disagreement and for each part of the vector that has no meaning.
    pub problems: Vec<String>,
    /// Whether the reference is among the engines that disagree.
    pub contradicts: bool,
}

/// Runs a vector on both engines and returns the number of components compared. A component counts once, however many engines run it.
///
/// # Errors
/// If the vector does not hold, cannot be run, or an engine panics on it.
pub fn run_vector(isa: IsaId, vector: &Vector) -> Result<u64, VectorFailure> {
    let _span = tracing::debug_span!("vector", name = vector.name).entered();
    let failure = |(found, contradicts): (Vec<Problem>, bool)| VectorFailure {
        contradicts,
        opcodes: caught(|| with_isa!(isa, I => opcodes_of::<I>(vector))).unwrap_or_default(),
        component: found.first().map_or_else(String::new, |(component, _)| component.clone()),
        lane: found.first().and_then(|(_, problem)| lane_of(problem)),
        problems: found.into_iter().map(|(_, problem)| problem).collect(),
    };
    match caught(|| with_isa!(isa, I => run_isa::<I>(vector))) {
        Ok(Ok(components)) => Ok(components),
        Ok(Err(found)) => Err(failure(found)),
        Err(panic) => Err(failure((vec![(PANIC.to_owned(), panic.to_string())], false))),
    }
}

/// Returns the number of the lane that a problem's text begins with.
fn lane_of(problem: &str) -> Option<usize> {
    let rest = problem.strip_prefix("lane ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn opcodes_of<I: Isa>(vector: &Vector) -> String {
    let Ok(program) = I::assemble(&vector.program) else { return String::new() };
    let case = Case {
        entry: vector.entry.clone(),
        options: vector.options.clone(),
        ..Case::bare(I::ID, &I::encode(&program))
    };
    crate::finding::opcodes::<I>(&case).into_iter().collect::<Vec<_>>().join("+")
}

/// Returns the outcome of a case on each engine, the reference first.
fn outcomes<I: Isa>(case: &Case) -> Result<Vec<(String, Outcome)>, Vec<Problem>> {
    let resolved = case.resolve::<I>().map_err(|e| meaningless(&e))?;
    let cx = resolved.context();
    let mut all = vec![(REFERENCE.to_owned(), reference(&cx, &resolved.env))];
    let modes = [Mode::Nodes, Mode::Fallback];
    for mode in modes.into_iter().filter(|mode| *mode == Mode::Nodes || I::has_fallback(&cx)) {
        let lowered = lower(&cx, mode).map_err(|e| meaningless(&e))?;
        for tier in Tier::available() {
            let outcome = Executor::new(tier).run(cx.entry, &lowered, &resolved.env);
            all.push((format!("executor ({tier}, {mode:?})"), outcome));
        }
    }
    Ok(all)
}

/// The name of the reference in problem texts.
const REFERENCE: &str = "reference";

/// Returns the number of components compared. The error contains the problems, and whether the reference is among the engines that have them.
fn run_isa<I: Isa>(vector: &Vector) -> Result<u64, (Vec<Problem>, bool)> {
    let ours = |found| (found, false);
    let (case, ways) = prepared::<I>(vector).map_err(ours)?;
    let outcomes = outcomes::<I>(&case).map_err(ours)?;
    let EntryRef::Given(entry) = &case.entry else { return Err(ours(meaningless(&"it has no entry"))) };
    let mut first = None;
    // All engines have to agree with the same alternative.
    for way in &ways {
        let (compared, problems) = compare_engines::<I>(entry, way, &outcomes);
        match (problems.is_empty(), compared) {
            (true, 0) => return Err(ours(meaningless(&"it expects nothing"))),
            (true, compared) => return Ok(compared),
            (false, _) => drop(first.get_or_insert(problems)),
        }
    }
    let problems = first.unwrap_or_default();
    let is_reference = problems.iter().any(|(_, by)| by.iter().any(|engine| engine == REFERENCE));
    let others = ways.len() - 1;
    let nor = if others == 0 { String::new() } else { format!("; {}", alternatives(others)) };
    // Both engines usually have the same problems.
    let said = problems.into_iter().map(|((component, p), by)| {
        let by = if by.len() == outcomes.len() { "every engine".to_owned() } else { join_engine_names(&by) };
        (component, format!("{p} ({by}){nor}"))
    });
    Err((said.collect(), is_reference))
}

fn alternatives(others: usize) -> String {
    match others {
        1 => "the alternative does not match either".to_owned(),
        _ => format!("none of {others} alternatives matches"),
    }
}

/// Returns the number of components that are compared for each outcome, and the problems, each with the engines that have it. The number must not
/// grow with the number of the executor's levels, since these depend on the processor.
fn compare_engines<I: Syntax>(
    entry: &Entry,
    lanes: &[&VectorLane],
    outcomes: &[(String, Outcome)],
) -> (u64, Vec<(Problem, Vec<String>)>) {
    let mut problems: Vec<(Problem, Vec<String>)> = Vec::new();
    let mut compared = 0;
    for (engine, outcome) in outcomes {
        match check::<I>(entry, lanes, outcome) {
            Ok(components) => compared = components,
            Err(found) => {
                for problem in found {
                    match problems.iter_mut().find(|(known, _)| *known == problem) {
                        Some((_, by)) => by.push(engine.clone()),
                        None => problems.push((problem, vec![engine.clone()])),
                    }
                }
            }
        }
    }
    (compared, problems)
}

/// Compares an outcome with the expected lanes and returns the number of components compared. The error contains the problems.
pub(super) fn check<I: Syntax>(
    entry: &Entry,
    lanes: &[&VectorLane],
    outcome: &Outcome,
) -> Result<u64, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut compared = 0;
    for (l, (lane, got)) in lanes.iter().zip(&outcome.lanes).enumerate() {
        let end = lane.end.unwrap_or(End::Finished);
        compared += u64::from(lane.end.is_some());
        if got.end != end {
            problems
                .push(("end".to_owned(), format!("lane {l} ended as {:?}, must end as {end:?}", got.end)));
            continue;
        }
        if matches!(end, End::OutOfFuel | End::Hung) {
            continue;
        }
        if let Some(expected) = &lane.effects {
            let found = effects::<I>(entry, expected, &got.effects);
            compared += found.0;
            problems.extend(found.1.into_iter().map(|(at, p)| (at, format!("lane {l}, {p}"))));
        }
        if let Some(killed) = lane.killed {
            compared += 1;
            if killed != got.killed {
                let problem = format!("lane {l}: killed is {}, must be {killed}", got.killed);
                problems.push(("killed".to_owned(), problem));
            }
        }
        for (name, expected) in &lane.output {
            for (component, expected) in expected.iter().enumerate() {
                if *expected == Number::Any {
                    continue;
                }
                let place = component_of::<I>(entry, name, component);
                let at = format!("{name}.{}", letter(component));
                let Some(value) = place.and_then(|at| got.outputs.get(at)) else {
                    let problem = format!("lane {l}: the program does not write {at}");
                    problems.push((at, problem));
                    continue;
                };
                compared += 1;
                if expected.is_met_by(*value) == Some(false) {
                    let problem = format!("lane {l}, {at}: {}", wrong(*value, *expected));
                    problems.push((at, problem));
                }
            }
        }
    }
    if problems.is_empty() { Ok(compared) } else { Err(problems) }
}

fn wrong(value: f32, expected: Number) -> String {
    format!("{}, must be {}", Number::Exactly(value).shown(), expected.shown())
}

/// Compares the effects of a lane. Returns the number of comparisons, and the problems.
fn effects<I: Syntax>(entry: &Entry, expected: &[VectorEffect], got: &[EffectRecord]) -> (u64, Vec<Problem>) {
    let mut problems = Vec::new();
    // The number of effects is compared even if no effect is expected.
    let mut compared = 1;
    if expected.len() != got.len() {
        let problem = format!("{}, must be {}", count(got.len(), "effect"), expected.len());
        problems.push(("effects".to_owned(), problem));
    }
    for (at, (expected, got)) in expected.iter().zip(got).enumerate() {
        let name = I::effect_name(entry, got.kind, got.index);
        if name != expected.name {
            let problem = format!("effect {at}: {name}, must be {}", expected.name);
            problems.push((expected.name.clone(), problem));
            continue;
        }
        for (component, expected) in expected.values.iter().enumerate() {
            if *expected == Number::Any {
                continue;
            }
            compared += 1;
            let value = got.components().find(|(c, _)| usize::from(*c) == component);
            let component = format!("{name}.{}", letter(component));
            let place = format!("effect {at}, {component}");
            match value {
                None => problems.push((component, format!("{place}: the effect has no such component"))),
                Some((_, value)) if expected.is_met_by(value) == Some(false) => {
                    problems.push((component, format!("{place}: {}", wrong(value, *expected))));
                }
                Some(_) => {}
            }
        }
    }
    (compared, problems)
}

fn letter(component: usize) -> char {
    ['x', 'y', 'z', 'w'].get(component).copied().unwrap_or('?')
}

/// Returns the index of a component of a named output among a lane's output components.
fn component_of<I: Syntax>(entry: &Entry, name: &str, component: usize) -> Option<usize> {
    let mut components = entry.interface.components();
    components.position(|(slot, c)| usize::from(c) == component && I::output_name(entry, slot) == name)
}

#[cfg(test)]
mod tests {
    use super::super::prepared::PROGRAM;
    use super::super::vector::parse;
    use super::*;
    use crate::engine::LaneOutcome;
    use crate::oracle::Engines;
    use std::fmt::Write;

    #[test]
    fn effects_are_compared_by_name_order_number_and_components() {
        let entry = Entry {
            stage: lockstep_core::isa::Stage::Vertex,
            start: 0,
            version: 1,
            interface: lockstep_core::isa::Interface::default(),
            extra: [0; 4],
        };
        let lane: VectorLane = toml::from_str(
            "end = \"effects_full\"\neffects = [{ name = \"effect 1.7\", values = [1, \"any\", \"nan\", \"any\"] }]",
        )
        .unwrap();
        let record = |index, mask, x| EffectRecord { kind: 1, index, mask, values: [x, 5.0, f32::NAN, 0.0] };
        let look = |end, effects: Vec<EffectRecord>| {
            let lanes = vec![LaneOutcome { end, killed: false, outputs: Vec::new(), effects }];
            let outcome = Outcome { lanes, freedoms: lockstep_core::value::FreedomSet::default() };
            check::<lockstep_core::isa::agal::Agal>(&entry, &[&lane], &outcome)
        };
        let full = End::EffectsFull;
        // Compared: how the lane ended, the number of effects, and two components.
        assert_eq!(look(full, vec![record(7, 0b111, 1.0)]), Ok(4));
        let wrong = |end, effects: Vec<EffectRecord>| {
            let found = look(end, effects).unwrap_err();
            found.into_iter().map(|(_, problem)| problem).collect::<Vec<_>>().join("; ")
        };
        assert!(wrong(full, vec![record(7, 0b111, 2.0)]).contains("effect 1.7.x"));
        assert!(wrong(full, vec![record(8, 0b111, 1.0)]).contains("effect 1.8, must be effect 1.7"));
        assert!(wrong(full, vec![record(7, 0b011, 1.0)]).contains("no such component"));
        assert!(wrong(full, vec![]).contains("0 effects, must be 1"));
        assert!(wrong(End::Finished, vec![record(7, 0b111, 1.0)]).contains("must end as EffectsFull"));
    }

    #[test]
    fn a_vector_runs_on_every_compared_engine() {
        use lockstep_core::isa::agal::Agal;
        let program = Agal::assemble("version 1 vertex\nmov op, va0\n").unwrap();
        let case = Case::new::<Agal>(&program, lockstep_core::host::Environment::default());
        let mut names: Vec<String> =
            outcomes::<Agal>(&case).unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names.remove(0), REFERENCE);
        // The engines of the claim about execution.
        let Engines { tiers, modes } = Engines::all();
        let all = modes.iter().flat_map(|mode| tiers.iter().map(move |tier| (tier, mode)));
        let all: Vec<String> = all.map(|(tier, mode)| format!("executor ({tier}, {mode:?})")).collect();
        assert_eq!(names, all);
    }

    #[test]
    fn a_vector_without_expectations_fails_and_killed_and_alive_are_both_checked() {
        let holds = |lane: &str, kills: &str| {
            let text = format!(
                "[[vector]]\nname='a'\nsource='s'\nderivation='d'\n\
                 program='version 1 fragment\nsub ft0, fc0, v0\nkil ft0.x\nmov oc, v0'\nconstants={{0=[{kills},0,0,0]}}\n[[vector.lane]]\n{lane}\n"
            )
            .replace("program='", "program=\"\"\"").replace("v0'\nconstants", "v0\n\"\"\"\nconstants");
            let (isa, vectors) = parse(&text, Some(IsaId::Agal)).unwrap();
            run_vector(isa, &vectors[0]).map_err(|failure| failure.component)
        };
        for (constant, is_killed) in [("1", false), ("-1", true)] {
            for expected in [false, true] {
                let result = holds(&format!("killed = {expected}"), constant);
                assert_eq!(result.is_ok(), expected == is_killed, "{expected}, {constant}: {result:?}");
                assert!(result.is_ok_and(|n| n > 0) || expected != is_killed);
            }
        }
        for nothing in ["", "output = {}", "output = { oc = ['any', 'any', 'any', 'any'] }"] {
            assert_eq!(holds(nothing, "1"), Err(PROGRAM.to_owned()), "{nothing}");
        }
    }

    #[test]
    fn every_alternative_of_a_vector_counts() {
        for ways in 1..=5 {
            for right in 0..=ways {
                // The result is 1 in all four components. Way 0 is the vector's own lanes; a way that does not match expects another number.
                let expected = |way: usize| if way == right { 1 } else { 2 + way };
                let mut text = String::from(
                    "[[vector]]\nname='a'\nsource='s'\nderivation='d'\nprogram=\"\"\"\nversion 1 vertex\nmov op, va0\n\"\"\"\n",
                );
                for way in 0..ways {
                    if way > 0 {
                        writeln!(text, "[[vector.alternative]]\nwhy='{way}'\n[[vector.alternative.lane]]")
                            .unwrap();
                    } else {
                        text.push_str("[[vector.lane]]\ninput={va0=[1,1,1,1]}\n");
                    }
                    writeln!(text, "output={{op=[{0},{0},{0},{0}]}}", expected(way)).unwrap();
                }
                let (isa, vectors) = parse(&text, Some(IsaId::Agal)).unwrap();
                let ran = run_vector(isa, &vectors[0]);
                assert_eq!(ran.is_ok(), right < ways, "way {right} of {ways}: {ran:?}");
            }
        }
    }
}
