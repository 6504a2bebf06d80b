//! Facts about Direct3D 9 from Wine's tests, which their authors checked on Windows drivers: numbers, and accepted and refused programs.

use super::{Exception, Facts, lines, outcomes};
use lockstep::case::{Case, EntryRef};
use lockstep::engine::Outcome;
use lockstep_core::host::{Dimension, Environment, Filter, LaneInput, SamplerState, Texels, Texture, Wrap};
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::interface::{COORDINATES_SLOT, FACE_SLOT, VPOS_SLOT};
use lockstep_core::isa::{Format, IsaId, Legality, Level, Syntax};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The number of facts in FORMAT.md.
const COUNT: usize = 638;
/// The number of facts of each kind.
const KINDS: [(&str, usize); 5] =
    [("values", 354), ("assemble", 182), ("accept", 60), ("reject", 11), ("none", 31)];

/// Facts that do not hold here.
const EXCEPTIONS: &[Exception] = &[];

/// Four components. `None` is a component about which the fact states nothing.
type Components = [Option<f32>; 4];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    kind: String,
    #[serde(rename = "test")]
    _test: String,
    #[serde(rename = "line")]
    _line: u32,
    profile: String,
    tokens: Vec<String>,
    #[serde(default)]
    inputs: BTreeMap<String, [f32; 4]>,
    lanes: Option<Vec<BTreeMap<String, [f32; 4]>>>,
    constants: Constants,
    #[serde(default)]
    textures: Vec<Bound>,
    expect: Option<BTreeMap<String, Components>>,
    tolerance: Option<f32>,
    ranges: Option<BTreeMap<String, [Option<f32>; 2]>>,
    any_of: Option<Vec<Column>>,
    then: Option<Then>,
    killed: Option<bool>,
    #[serde(rename = "broken")]
    _broken: String,
    #[serde(rename = "fact")]
    _fact: String,
    #[serde(rename = "note")]
    _note: Option<String>,
    skipped: Option<String>,
    /// Choices of options other than the defaults; no line of the file has any.
    #[serde(skip)]
    options: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Constants {
    f: BTreeMap<usize, [f32; 4]>,
    i: BTreeMap<usize, [i32; 4]>,
    b: BTreeMap<usize, bool>,
}

/// A bound texture.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bound {
    unit: usize,
    dimension: String,
    size: [u16; 3],
    texels: Option<Vec<[f32; 4]>>,
    formula: Option<String>,
    filter: Option<String>,
    wrap: Option<String>,
}

/// The result of one of several drivers.
#[derive(Clone, Deserialize)]
struct Column {
    driver: String,
    #[serde(flatten)]
    expect: BTreeMap<String, Components>,
}

/// A pixel shader that is run on the outputs of the vertex shader.
#[derive(Deserialize)]
struct Then {
    tokens: Vec<String>,
    link: BTreeMap<String, String>,
}

fn bytes(tokens: &[String]) -> Vec<u8> {
    let word = |token: &String| u32::from_str_radix(token, 16).expect("a word").to_le_bytes();
    tokens.iter().flat_map(word).collect()
}

/// Returns the input slot of a register.
fn slot(name: &str) -> usize {
    let number = || name[1..].parse::<u16>().unwrap_or_else(|_| panic!("no input: {name}"));
    usize::from(match name {
        "vPos" => VPOS_SLOT,
        "vFace" => FACE_SLOT,
        _ if name.starts_with('t') => COORDINATES_SLOT + number(),
        _ => number(),
    })
}

fn dense<T: Copy + Default>(values: &BTreeMap<usize, T>) -> Vec<T> {
    let mut all = vec![T::default(); values.keys().last().map_or(0, |last| last + 1)];
    for (at, value) in values {
        all[*at] = *value;
    }
    all
}

fn slots(inputs: &BTreeMap<String, [f32; 4]>) -> Vec<[f32; 4]> {
    dense(&inputs.iter().map(|(name, value)| (slot(name), *value)).collect())
}

fn lane(inputs: &BTreeMap<String, [f32; 4]>) -> LaneInput {
    LaneInput { slots: slots(inputs) }
}

impl Bound {
    fn texture(&self) -> Texture {
        let [width, height, _] = self.size;
        let dimension = match self.dimension.as_str() {
            "two" => Dimension::Two,
            "three" => Dimension::Three,
            other => panic!("no dimension: {other}"),
        };
        let at = |x: u16, y: u16| match self.formula.as_deref() {
            Some("texel(x) = (x + 0.5) / 640 in all components") => [(f32::from(x) + 0.5) / 640.0; 4],
            Some("texel(x,y) = (2x/255, 2y/255, 0, 1)") => {
                [2.0 * f32::from(x) / 255.0, 2.0 * f32::from(y) / 255.0, 0.0, 1.0]
            }
            other => panic!("no formula: {other:?}"),
        };
        let all =
            || (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| at(x, y)).collect();
        let wrap = if self.wrap.as_deref() == Some("repeat") { Wrap::Repeat } else { Wrap::Clamp };
        let filter = if self.filter.as_deref() == Some("linear") { Filter::Linear } else { Filter::Nearest };
        Texture {
            dimension,
            size: self.size,
            levels: 1,
            state: SamplerState { min: filter, mag: filter, wrap: [wrap; 3], ..SamplerState::default() },
            texels: Texels::Explicit(self.texels.clone().unwrap_or_else(all)),
        }
    }
}

impl Row {
    fn environment(&self) -> Environment {
        let mut textures = Vec::new();
        for unit in &self.textures {
            // These programs do not read lower units without a texture.
            textures.resize(textures.len().max(unit.unit + 1), Texture::default());
            textures[unit.unit] = unit.texture();
        }
        Environment {
            constants: dense(&self.constants.f),
            ints: dense(&self.constants.i),
            bools: dense(&self.constants.b),
            textures,
            fuel: 1 << 12,
            lanes: match &self.lanes {
                Some(lanes) => lanes.iter().map(lane).collect(),
                None => vec![lane(&self.inputs); if self.profile.starts_with("ps") { 4 } else { 1 }],
            },
            ..Environment::default()
        }
    }

    /// Whether a component equals the observed colour. Colours are clamped to the range from 0 to 1, NaN becomes 0, and a colour has 8 bits.
    fn same(&self, ours: f32, seen: f32) -> bool {
        let clamped = if ours.is_nan() { 0.0 } else { ours.clamp(0.0, 1.0) };
        (clamped - seen).abs() <= self.tolerance.unwrap_or(0.0) + 0.5 / 255.0 + 1e-6
    }
}

fn case(fact: &Row, tokens: &[String], env: Environment) -> Case {
    let (bytes, options) = (bytes(tokens), fact.options.clone());
    Case { isa: IsaId::D3d9, bytes, entry: EntryRef::Own(0), options, env }
}

/// Runs a case. Returns the outcome and the first lane's outputs by register, of the reference if `ours` is 0 and otherwise of the executor.
fn outputs(case: &Case, ours: usize) -> Result<(Outcome, BTreeMap<String, Components>), String> {
    let resolved = case.resolve::<D3d9>().map_err(|e| e.to_string())?;
    let [reference, executor] = outcomes(&resolved)?;
    let (_, outcome) = if ours == 0 { reference } else { executor };
    let mut found: BTreeMap<String, Components> = BTreeMap::new();
    let mut values = outcome.lanes[0].outputs.iter();
    for port in &resolved.entry.interface.outputs {
        let register = found.entry(D3d9::output_name(&resolved.entry, port.slot)).or_default();
        for c in (0..4).filter(|c| port.mask >> c & 1 == 1) {
            register[c] = values.next().copied();
        }
    }
    Ok((outcome, found))
}

fn differs(
    fact: &Row,
    seen: &BTreeMap<String, Components>,
    ours: &BTreeMap<String, Components>,
) -> Option<String> {
    for (register, seen) in seen {
        // A target that the shader does not write keeps its clear colour.
        let ours = ours.get(register).copied().unwrap_or_default();
        for (c, seen) in seen.iter().enumerate() {
            let Some(seen) = seen else { continue };
            match ours[c] {
                Some(value) if fact.same(value, *seen) => {}
                value => return Some(format!("{register}.{c}: {value:?}, where {seen} was seen")),
            }
        }
    }
    None
}

/// Compares the observed values with a run of the reference if `ours` is 0 and otherwise with a run of the executor.
fn values(fact: &Row, ours: usize) -> Result<(), String> {
    let (outcome, mut found) = outputs(&case(fact, &fact.tokens, fact.environment()), ours)?;
    let lane = &outcome.lanes[0];
    if fact.killed.is_some_and(|killed| killed != lane.killed) {
        return Err(format!("killed: {}", lane.killed));
    }
    if lane.killed {
        return Ok(());
    }
    if let Some(then) = &fact.then {
        // The rasteriser turns infinities into NaN.
        let cross = |v: Option<f32>| v.map_or(0.0, |v| if v.is_infinite() { f32::NAN } else { v });
        let inputs: BTreeMap<String, [f32; 4]> = then
            .link
            .iter()
            .map(|(input, output)| (input.clone(), found.get(output).copied().unwrap_or_default().map(cross)))
            .collect();
        let env = Environment {
            fuel: 1 << 12,
            lanes: vec![LaneInput { slots: slots(&inputs) }; 4],
            ..Environment::default()
        };
        (_, found) = outputs(&case(fact, &then.tokens, env), ours)?;
    }
    for (place, [above, at_most]) in fact.ranges.iter().flatten() {
        let (register, _) = place.split_once('.').expect("a register and x");
        let value = found.get(register).and_then(|r| r[0]).ok_or_else(|| format!("no {register}"))?;
        let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
        if above.is_some_and(|above| value <= above) || at_most.is_some_and(|most| value > most) {
            return Err(format!("{place} is {value}, seen between {above:?} and {at_most:?}"));
        }
    }
    if let Some(columns) = &fact.any_of {
        let wrong = columns.iter().map(|column| differs(fact, &column.expect, &found));
        let wrong: Vec<_> = wrong.zip(columns).map(|(wrong, column)| (wrong, &column.driver)).collect();
        let one = wrong.iter().any(|(wrong, _)| wrong.is_none());
        return if one { Ok(()) } else { Err(format!("equal to the result of no driver: {wrong:?}")) };
    }
    let seen = fact.expect.as_ref().filter(|seen| !seen.is_empty());
    assert!(
        seen.is_some() || fact.killed.is_some() || fact.ranges.is_some(),
        "{}: nothing to compare",
        fact.id
    );
    match seen.and_then(|seen| differs(fact, seen, &found)) {
        Some(wrong) => Err(wrong),
        None => Ok(()),
    }
}

/// Fails unless encoding the decoded program reproduces its bytes, and assembling the disassembled program reproduces the program.
fn round_trip(fact: &Row) -> Result<(), String> {
    let bytes = bytes(&fact.tokens);
    let program = D3d9::decode(&bytes).map_err(|e| e.to_string())?;
    if D3d9::encode(&program) != bytes {
        return Err("encodes to other bytes".to_owned());
    }
    match D3d9::assemble(&D3d9::disassemble(&program)) {
        Ok(again) if again == program => Ok(()),
        other => Err(format!("reads back as {other:?}")),
    }
}

/// Returns the first error-level rule that the program breaks.
fn refused(fact: &Row) -> Result<Option<String>, String> {
    let case = case(fact, &fact.tokens, Environment::default());
    let resolved = case.resolve::<D3d9>().map_err(|e| e.to_string())?;
    let all = D3d9::validate(&resolved.context());
    Ok(all.into_iter().find(|v| v.level == Level::Error).map(|v| v.to_string()))
}

fn holds(fact: &Row) -> Result<(), String> {
    assert_eq!(fact.kind == "none", fact.skipped.is_some(), "{}: skipped without a reason", fact.id);
    if fact.kind == "reject" {
        // A version that does not exist may not even decode.
        return match refused(fact) {
            Ok(None) => Err("no rule at error level is broken".to_owned()),
            Ok(Some(_)) | Err(_) => Ok(()),
        };
    }
    round_trip(fact)?;
    match fact.kind.as_str() {
        "values" => (0..2).try_for_each(|ours| values(fact, ours)),
        "accept" => match refused(fact)? {
            None => Ok(()),
            Some(rule) => Err(rule),
        },
        // Validation was off or no value was observed, so only the round trips are checked.
        _ => Ok(()),
    }
}

fn facts() -> Option<Vec<Row>> {
    lines("d3d9", "wine-facts.jsonl")
}

#[test]
fn every_fact_of_d3d9_holds() {
    let Some(all) = facts() else { return };
    for (kind, count) in KINDS {
        assert_eq!(all.iter().filter(|fact| fact.kind == kind).count(), count, "{kind}");
    }
    let mut judged = Facts::new(EXCEPTIONS);
    for fact in &all {
        judged.judge(&fact.id, holds(fact));
    }
    judged.finish(COUNT);
}

/// Infinities become NaN between the stages. The defaults then match the r600 column of Wine's test of special numbers. If the reciprocal, the
/// reciprocal square root and the logarithm of zero are infinite, the results match the nv50 column.
#[test]
fn two_drivers_have_their_columns_of_special_numbers() {
    let Some(mut all) = facts() else { return };
    let infinite =
        ["reciprocal_zero", "rsq_zero", "log_zero"].map(|option| (option.to_owned(), "infinity".to_owned()));
    let columns = [("r600", BTreeMap::new()), ("nv50", BTreeMap::from(infinite))];
    for (driver, options) in columns {
        let mut rows = 0;
        for fact in all.iter_mut().filter(|fact| fact.id.starts_with("fp-special")) {
            let every = fact.any_of.take().expect("columns");
            fact.any_of = Some(every.iter().filter(|column| column.driver == driver).cloned().collect());
            fact.options.clone_from(&options);
            (0..2)
                .for_each(|ours| values(fact, ours).unwrap_or_else(|e| panic!("{driver} {}: {e}", fact.id)));
            fact.any_of = Some(every);
            rows += 1;
        }
        assert_eq!(rows, 11, "{driver}");
    }
}

/// A change of any fact of the kind `values` is detected: a colour changed by more than twice the tolerance, an inverted discard, a range that
/// excludes the value, and changed columns of drivers.
#[test]
fn a_fact_of_d3d9_that_is_changed_fails() {
    let Some(mut all) = facts() else { return };
    let (mut colours, mut kills, mut ranges, mut columns) = (0, 0, 0, 0);
    for fact in all.iter_mut().filter(|fact| fact.kind == "values") {
        let seen = fact.expect.iter_mut().flat_map(BTreeMap::values_mut).flatten().flatten().next();
        if let Some(killed) = &mut fact.killed {
            (*killed, kills) = (!*killed, kills + 1);
        } else if let Some(range) = fact.ranges.iter_mut().flat_map(BTreeMap::values_mut).next() {
            (*range, ranges) = ([Some(2.0), None], ranges + 1);
        } else if let Some(any_of) = &mut fact.any_of {
            any_of.iter_mut().flat_map(|c| c.expect.values_mut()).for_each(|v| v[0] = v[0].map(|_| 0.75));
            columns += 1;
        } else if let Some(seen) = seen {
            *seen +=
                if *seen > 0.5 { -1.0 } else { 1.0 } * (2.0 * fact.tolerance.unwrap_or(0.0) + 3.0 / 255.0);
            colours += 1;
        }
        assert!(values(fact, 0).is_err(), "{}: not detected with the reference", fact.id);
        assert!(values(fact, 1).is_err(), "{}: not detected with the executor", fact.id);
    }
    assert_eq!((colours, kills, ranges, columns), (303, 32, 7, 12));
}
