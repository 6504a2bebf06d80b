//! Facts that were tested on consoles. Each line of `pica200/witness/pica-facts.jsonl` of the material that is not part of the project (see
//! `crate::material`) must hold on both engines.
//!
//! `FORMAT.md` there defines a line: a program that was written for the fact, inputs, and those results on the console that were examined. A line
//! that does not hold under the default options is an exception with the reason.

use crate::material;
use lockstep::case::Case;
use lockstep::corpus::{Number, Vector, run_vector};
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::{Format, IsaId, Legality, Syntax};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The way in which an exceptional line holds. Such a line states no numbers, or numbers that do not hold under the default options.
enum ExceptionalLine {
    /// The line holds under this choice, but not under the default.
    Option(&'static str, &'static str),
    /// The line states that the console hangs. The error-level rule with this number refuses the program, so no lane is run.
    Hangs(u16),
    /// The line states no number. The validator warns with the rule of this number.
    Warning(u16),
}

/// The exceptional lines, with the reasons.
const EXCEPTIONS: [(&str, ExceptionalLine, &str); 5] = [
    (
        "rel-c0-negative-zero",
        ExceptionalLine::Option("relative_range", "zero"),
        "superseded in its own thread: a zero c0 explains the observed image as well",
    ),
    (
        "wiki-nan-times-0",
        ExceptionalLine::Option("zero_product", "inf_nan"),
        "superseded: the coded test of September contradicts the table of August 2015",
    ),
    (
        "wiki-max-0-minf",
        ExceptionalLine::Option("minmax_infinity", "second"),
        "superseded: the coded test of September contradicts the table of August 2015",
    ),
    ("break-outside-loop", ExceptionalLine::Hangs(11), "the console hangs, so there is no number"),
    (
        "two-input-registers",
        ExceptionalLine::Warning(23),
        "the console gives a wrong result that was not recorded",
    ),
];

fn facts() -> Option<Vec<Value>> {
    let path = material::material("pica200/witness")?.join("pica-facts.jsonl");
    let text = std::fs::read_to_string(path).expect("the file of facts");
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    Some(lines.map(|line| serde_json::from_str(line).expect("a line is JSON")).collect())
}

/// Converts registers by name to slots by number. `c0..c95` stands for the whole register file, in which `cN` holds N + 101.
fn registers(file: &Value) -> BTreeMap<String, Value> {
    let mut slots = BTreeMap::new();
    for (name, value) in file.as_object().expect("registers by name") {
        if name == "c0..c95" {
            assert_eq!(value, "cN holds N+101 in all components");
            slots.extend((0..96).map(|n| (n.to_string(), json!(vec![n + 101; 4]))));
        } else {
            slots.insert(name[1..].to_owned(), value.clone());
        }
    }
    slots
}

/// Converts four numbers to the format of a test vector. A number that is not stated becomes `any`.
fn numbers(stated: &Value) -> Value {
    let any = |v: &Value| if v.is_null() { json!("any") } else { v.clone() };
    stated.as_array().expect("four numbers").iter().map(any).collect()
}

fn lane(inputs: &Value, expected: &Value) -> Value {
    let mut lane = json!({ "input": inputs });
    match expected {
        Value::Object(outputs) => {
            lane["output"] = outputs.iter().map(|(name, of)| (name.clone(), numbers(of))).collect();
        }
        Value::Array(effects) => {
            let effect = |e: &Value| json!({ "name": e[0], "values": numbers(&e[1]) });
            lane["effects"] = effects.iter().map(effect).collect();
        }
        _ => lane["end"] = json!("hung"),
    }
    lane
}

fn vector(fact: &Value) -> Vector {
    let inputs = &fact["inputs"];
    let lanes = inputs["lanes"].as_array().expect("lanes").iter();
    let expected = fact["expect"].as_array().expect("expectations");
    let lanes: Vec<Value> = lanes.zip(expected).map(|(inputs, expected)| lane(inputs, expected)).collect();
    let vector = json!({
        "name": fact["id"], "source": fact["source"], "derivation": fact["fact"], "program": fact["program"],
        "constants": registers(&inputs["constants"]), "ints": registers(&inputs["ints"]), "bools": registers(&inputs["bools"]),
        "lane": lanes,
    });
    serde_json::from_value(vector).unwrap_or_else(|e| panic!("{}: {e}", fact["id"]))
}

/// Returns the numbers of the rules that a program breaks.
fn broken(vector: &Vector) -> BTreeSet<u16> {
    let program = Pica200::assemble(&vector.program).expect("the text assembles");
    let case = Case::bare(IsaId::Pica200, &Pica200::encode(&program));
    let resolved = case.resolve::<Pica200>().expect("it has an entry");
    Pica200::validate(&resolved.context()).iter().map(|v| v.code).collect()
}

fn holds(vector: &Vector) -> Result<u64, String> {
    run_vector(IsaId::Pica200, vector).map_err(|failure| failure.problems.join("; "))
}

/// Judges an exceptional line.
fn judge(mut vector: Vector, instead: &ExceptionalLine) -> Result<u64, String> {
    match instead {
        ExceptionalLine::Option(option, choice) => {
            if holds(&vector).is_ok() {
                return Err("it holds under the default options, so it is no exception".to_owned());
            }
            vector.options.insert((*option).to_owned(), (*choice).to_owned());
            holds(&vector)
        }
        // A lane that hangs has no results to compare.
        ExceptionalLine::Hangs(rule) => match (holds(&vector), broken(&vector).contains(rule)) {
            (Err(why), true) if why.contains(&format!("(rule {rule},")) => Ok(1),
            (Err(why), _) if !why.contains("expects nothing") => Err(why),
            (_, false) => Err(format!("rule {rule} does not refuse it")),
            _ => Ok(1),
        },
        ExceptionalLine::Warning(rule) if broken(&vector).contains(rule) => Ok(1),
        ExceptionalLine::Warning(rule) => Err(format!("rule {rule} does not warn")),
    }
}

#[test]
fn every_console_observation_holds() {
    let Some(facts) = facts() else { return };
    let (mut wrong, mut compared, mut used) = (Vec::new(), 0, BTreeSet::new());
    for fact in &facts {
        let vector = vector(fact);
        let exception = EXCEPTIONS.iter().find(|(id, ..)| *id == vector.name);
        used.extend(exception.map(|(id, ..)| *id));
        let name = vector.name.clone();
        match exception.map_or_else(|| holds(&vector), |(_, instead, _)| judge(vector.clone(), instead)) {
            Ok(components) => compared += components,
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {} facts do not hold:\n{}", wrong.len(), facts.len(), wrong.join("\n"));
    let unused: Vec<_> = EXCEPTIONS.iter().map(|(id, ..)| *id).filter(|id| !used.contains(id)).collect();
    assert!(unused.is_empty(), "exceptions for no line: {unused:?}");
    assert!(facts.len() == 138, "{} facts, expected 138", facts.len());
    println!("{} facts, {compared} components compared", facts.len());
}

/// A line with a changed number does not hold.
#[test]
fn wrong_console_observations_fail() {
    let Some(facts) = facts() else { return };
    let other = |number: &mut Number| match number {
        Number::Any | Number::Between(..) => false,
        Number::Exactly(v) => {
            *v = if v.is_nan() { 0.0 } else { f32::from_bits(v.to_bits() ^ 1) };
            true
        }
    };
    let mut spoiled = 0;
    for fact in &facts {
        let mut vector = vector(fact);
        if EXCEPTIONS.iter().any(|(id, ..)| *id == vector.name) {
            continue;
        }
        let lane = &mut vector.lane[0];
        let outputs = lane.output.values_mut();
        let effects = lane.effects.iter_mut().flatten().map(|effect| &mut effect.values);
        assert!(outputs.chain(effects).flatten().any(other), "{}: it states no number", vector.name);
        assert!(holds(&vector).is_err(), "{}: a changed number holds, too", vector.name);
        spoiled += 1;
    }
    assert_eq!(spoiled + EXCEPTIONS.len(), facts.len());
}
