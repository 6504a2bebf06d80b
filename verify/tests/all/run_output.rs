//! `lockstep run` prints what the library computes: every lane, every number, every effect, and every engine's result, for every instruction set and
//! every way in which a lane ends.

use lockstep::case::Case;
use lockstep::engine::{LaneOutcome, Outcome, Tier, reference};
use lockstep::generate::{Entropy, Generate, ProgramRequest, any_case, case};
use lockstep_core::isa::component::LETTERS;
use lockstep_core::isa::lowering::{LowerError, Mode};
use lockstep_core::isa::{End, Entry, Isa, IsaId, Syntax, Tables, lower};
use lockstep_core::value::canonical_bits;
use lockstep_core::with_isa;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

/// The number of cases of each instruction set that are searched for features that no earlier case had.
const CASES: u64 = 400;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lockstep")).args(arguments).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_rules_that_a_program_breaks_are_in_the_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twice.agal.txt");
    std::fs::write(&path, "version 1 vertex\nmov op, va0\nmov op, va0\n").unwrap();
    let done = run(&["run", &path.display().to_string(), "--json"]);
    let json: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let violations = json["violations"].as_array().expect("a list");
    // Rule 3: a component of the position is written again.
    let found = violations.iter().find(|violation| violation["rule"] == 3).expect("the rule");
    assert_eq!((&found["level"], &found["line"]), (&json!("warning"), &json!(3)), "{found}");
    let said = text(&done.stderr);
    assert!(violations.iter().all(|v| said.contains(&format!("[agal:{}]", v["rule"]))), "{said}");
}

/// Returns the features of an outcome that `run` has to print in some form.
fn features(outcome: &Outcome) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for lane in &outcome.lanes {
        found.insert(format!("{:?}", lane.end));
        found.insert(format!("killed {}", lane.killed));
        found.insert(format!("effects {}", lane.effects.len().min(2)));
        let recorded = lane.effects.iter().flat_map(|e| e.components().map(|(_, v)| v));
        let values = lane.outputs.iter().copied().chain(recorded);
        found.extend(values.map(|v| format!("{:?} {}", v.classify(), v.is_sign_negative())));
    }
    found.extend(outcome.freedoms.iter().map(|freedom| format!("{freedom:?}")));
    found
}

/// Returns the names of the engines that a case is run on, and whether the lowering by nodes is left out. Returns `None` if the case cannot be run.
fn engines<I: Isa>(case: &Case) -> Option<(Vec<String>, bool)> {
    let resolved = case.resolve::<I>().ok()?;
    let cx = resolved.context();
    let fallback = I::has_fallback(&cx);
    let nodes = match lower(&cx, Mode::Nodes) {
        Ok(_) => true,
        Err(LowerError::TooManyNodes) if fallback => false,
        Err(_) => return None,
    };
    let modes = [(nodes, "nodes"), (fallback, "fallback")].into_iter().filter(|(is, _)| *is);
    let of = |(_, mode)| {
        let tiers = Tier::available().into_iter().map(move |tier| format!("executor, {tier}, {mode}"));
        std::iter::once(format!("IR evaluator, {mode}")).chain(tiers)
    };
    Some((modes.flat_map(of).collect(), !nodes))
}

fn number(name: &str, value: f32) -> Value {
    json!({ "name": name, "value": format!("{value:?}"), "bits": format!("0x{:08x}", canonical_bits(value)) })
}

/// Returns the names of the output components in order.
fn names<I: Syntax>(entry: &Entry) -> Vec<String> {
    let ports = entry.interface.outputs.iter().flat_map(|port| (0..4u8).map(move |c| (port, c)));
    let counted = ports.filter(|(port, c)| port.mask >> c & 1 == 1);
    counted
        .map(|(port, c)| format!("{}.{}", I::output_name(entry, port.slot), LETTERS[usize::from(c)]))
        .collect()
}

/// Returns a lane as `run --json` has to write it.
fn lane_as_json<I: Syntax>(entry: &Entry, lane_number: usize, lane: &LaneOutcome) -> Value {
    let outputs: Vec<Value> =
        names::<I>(entry).iter().zip(&lane.outputs).map(|(name, v)| number(name, *v)).collect();
    let effects: Vec<Value> = lane
        .effects
        .iter()
        .map(|e| {
            let values = (0..4usize).filter(|c| e.mask >> c & 1 == 1);
            let values: Vec<Value> =
                values.map(|c| number(&LETTERS[c].to_string(), e.values[c])).collect();
            json!({ "name": I::effect_name(entry, e.kind, e.index), "kind": e.kind, "index": e.index, "values": values })
        })
        .collect();
    let end = match lane.end {
        End::Finished => "finished",
        End::OutOfFuel => "out_of_fuel",
        End::EffectsFull => "effects_full",
        End::Hung => "hung",
    };
    json!({ "lane": lane_number, "end": end, "killed": lane.killed, "outputs": outputs, "effects": effects })
}

/// Returns the lines that `run` has to print for a lane, with single spaces.
fn lane_as_lines<I: Syntax>(entry: &Entry, lane_number: usize, lane: &LaneOutcome) -> Vec<String> {
    let killed = if lane.killed { ", killed" } else { "" };
    let line = |name: &str, v: f32| format!("{name} {v:?} 0x{:08x}", canonical_bits(v));
    let mut lines = vec![format!("lane {lane_number} {:?}{killed}", lane.end)];
    lines.extend(names::<I>(entry).iter().zip(&lane.outputs).map(|(name, v)| line(name, *v)));
    for (at, e) in lane.effects.iter().enumerate() {
        lines.push(format!("{at}: {}", I::effect_name(entry, e.kind, e.index)));
        let values = (0..4usize).filter(|c| e.mask >> c & 1 == 1);
        lines.extend(values.map(|c| line(&format!(".{}", LETTERS[c]), e.values[c])));
    }
    lines
}

fn check_output<I: Syntax + Tables>(
    case: &Case,
    path: &str,
    expected: &Outcome,
    engines: &[String],
    left_out: bool,
) {
    let resolved = case.resolve::<I>().expect("it was run");
    let entry = &resolved.entry;
    let done = run(&["run", path, "--json"]);
    assert_eq!(done.status.code(), Some(0), "{}{}", text(&done.stdout), text(&done.stderr));
    let said: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let numbered = || expected.lanes.iter().enumerate();
    let lanes: Vec<Value> = numbered().map(|(n, lane)| lane_as_json::<I>(entry, n, lane)).collect();
    assert_eq!(said["lanes"], Value::from(lanes), "{path}");
    let freedoms: Vec<String> = expected.freedoms.iter().map(|f| format!("{f:?}")).collect();
    assert_eq!(said["freedoms"], json!(freedoms), "{path}");
    let opinions: Vec<Value> =
        engines.iter().map(|e| json!({ "engine": e, "agrees": true, "difference": null })).collect();
    assert_eq!(said["engines"], Value::from(opinions), "{path}");
    assert_eq!(said["left_out"].is_null(), !left_out, "{path}");

    let done = run(&["run", path]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stdout));
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let printed: Vec<String> = text(&done.stdout).lines().map(words).collect();
    let mut lines: Vec<String> =
        numbered().flat_map(|(n, lane)| lane_as_lines::<I>(entry, n, lane)).collect();
    if !freedoms.is_empty() {
        lines.push(format!("the run reached points that the documents leave open: {}", freedoms.join(", ")));
    }
    let rest = printed.len() - engines.len().min(printed.len());
    let (first, opinions) = printed.split_at(rest);
    let (fuel, first): (Vec<&String>, Vec<&String>) = first
        .iter()
        .filter(|line| !line.starts_with("not run: nodes"))
        .partition(|line| line.starts_with("out of fuel: "));
    let out_of_fuel = expected.lanes.iter().any(|lane| lane.end == End::OutOfFuel);
    assert_eq!(fuel.len(), usize::from(out_of_fuel), "{path}: {printed:#?}");
    assert_eq!(first.len() + fuel.len() + usize::from(left_out), rest, "{path}: {printed:#?}");
    assert_eq!(first, lines.iter().collect::<Vec<_>>(), "{path}");
    let agree: Vec<String> = engines.iter().map(|engine| format!("{engine} agrees")).collect();
    assert_eq!(opinions, agree, "{path}");
}

fn check_cases<I: Generate>(folder: &Path) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    for seed in 0..CASES {
        let mut e = Entropy::seeded(seed);
        let mut case = if seed % 2 == 0 {
            case::<I>(&mut e, &ProgramRequest::default())
        } else {
            any_case(I::ID, &mut e)
        };
        // Quads need four lanes, and more are not needed.
        case.env.lanes.truncate(4);
        if seed % 4 == 0 {
            case.env.fuel = 1;
            case.env.effects = 1;
        }
        let Some((engines, left_out)) = engines::<I>(&case) else { continue };
        let Ok(resolved) = case.resolve::<I>() else { continue };
        let expected = reference(&resolved.context(), &resolved.env);
        let fresh = features(&expected).difference(&seen).count();
        if fresh == 0 {
            continue;
        }
        seen.extend(features(&expected));
        let path = folder.join(format!("{}-{seed}.toml", I::ID));
        std::fs::write(&path, case.to_text(None)).expect("a file");
        check_output::<I>(&case, &path.display().to_string(), &expected, &engines, left_out);
    }
    seen
}

#[test]
fn run_prints_what_the_library_computes() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = BTreeSet::new();
    for &isa in IsaId::ALL {
        let seen = with_isa!(isa, I => check_cases::<I>(folder.path()));
        println!("{isa}: {seen:?}");
        for feature in ["Finished", "killed false", "effects 0"] {
            assert!(seen.contains(feature), "{isa}: {feature} in {seen:?}");
        }
        all.extend(seen);
    }
    for feature in ["OutOfFuel", "EffectsFull", "killed true", "effects 1", "effects 2", "Subnormal false"] {
        assert!(all.contains(feature), "{feature} in {all:?}");
    }
}

#[test]
fn a_single_differing_engine_is_named_and_fails_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    for &isa in IsaId::ALL {
        with_isa!(isa, I => one_differs::<I>(folder.path()));
    }
}

fn one_differs<I: Generate>(folder: &Path) {
    // A case in which the first arithmetic instruction affects a result.
    let found = (0..CASES).find_map(|seed| {
        let case = case::<I>(
            &mut Entropy::seeded(seed),
            &ProgramRequest { size: Some(4), ..ProgramRequest::default() },
        );
        let (engines, _) = engines::<I>(&case)?;
        let path = folder.join(format!("{}.toml", I::ID)).display().to_string();
        std::fs::write(&path, case.to_text(None)).expect("a file");
        let differ = run(&["run", &path, "--fault", "0", "--json"]);
        let said: Value = serde_json::from_slice(&differ.stdout).ok()?;
        let all = said["engines"].as_array()?.iter().all(|e| e["agrees"] == false);
        all.then_some((path, engines))
    });
    let (path, engines) = found.expect("a case in which the fault shows");
    for odd in &engines {
        let done = run(&["run", &path, "--fault", "0", "--fault-engine", odd, "--json"]);
        assert_eq!(done.status.code(), Some(1), "{odd}");
        let said: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        let opinions = said["engines"].as_array().expect("opinions");
        let named: Vec<&str> =
            opinions.iter().filter(|e| e["agrees"] == false).filter_map(|e| e["engine"].as_str()).collect();
        assert_eq!(named, [odd.as_str()]);
        assert!(opinions.iter().all(|e| e["agrees"] == e["difference"].is_null()), "{opinions:?}");
        let done = run(&["run", &path, "--fault", "0", "--fault-engine", odd]);
        assert_eq!(done.status.code(), Some(1), "{odd}");
        let printed = text(&done.stdout);
        for engine in &engines {
            let line = printed.lines().find(|line| line.starts_with(engine.as_str())).expect("a line");
            assert_eq!(line.ends_with(" agrees"), engine != odd, "{line}");
        }
    }
    let unknown = run(&["run", &path, "--fault", "0", "--fault-engine", "none"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", text(&unknown.stdout));
}
