//! The rasteriser as a subject: runs programs whose questions include their translations.

use super::gl::{Gl, Program, Row, Uniform};
use super::shader::{POSITION, attribute, feeding_vertex_shader, invariant};
use crate::judge::Ability;
use crate::judge::subject::{
    Bits, Components, Decoded, EntryData, Failure, FailureKind, Greeting, Hello, LaneData, LaneStatus,
    PROTOCOL, ProgramData, Ran, RunData, ShaderVariable, Span, Subject, Translation, Vector, Verdict,
};
use std::collections::BTreeMap;

/// The initial content of pixels, which marks them as unwritten: a NaN that no computation produces.
const EMPTY: Row = [0x7fc0_dead; 4];

/// A software rasteriser. It is opened when the greeting arrives.
#[derive(Default)]
pub struct Rasteriser {
    gl: Option<Gl>,
}

impl Subject for Rasteriser {
    fn hello(&mut self, greeting: &Greeting) -> Result<Hello, String> {
        let gl = Gl::open()?;
        let name = gl.renderer().to_owned();
        self.gl = Some(gl);
        Ok(Hello {
            protocol: PROTOCOL,
            name,
            version: String::new(),
            isas: vec![greeting.isa.name().to_owned()],
            abilities: vec![Ability::Run],
            profile: None,
        })
    }

    fn decode(&mut self, _: &ProgramData) -> Result<Decoded, Failure> {
        Err(reported_failure("a rasteriser does not decode"))
    }

    fn run(&mut self, run: &RunData) -> Result<Ran, Failure> {
        let Some(gl) = &self.gl else { return Err(reported_failure("'initialize' was not sent")) };
        let Some(translation) = &run.translation else { return Err(malformed("there is no translation")) };
        let Some(entry) = &run.program.entry else { return Err(malformed("there is no entry")) };
        if translation.language != "glsl" {
            return Err(malformed(format!("'{}' is not a language that is run", translation.language)));
        }
        let unsupported = |why: &str| {
            Ok(Ran { verdict: Verdict::Unsupported, lanes: Vec::new(), message: Some(why.to_owned()) })
        };
        if !entry.interface.samplers.is_empty() {
            return unsupported("textures are not bound");
        }
        if ["dFdx", "dFdy", "fwidth"].iter().any(|word| translation.source.contains(word)) {
            return unsupported("each lane is a point of its own, which has no derivatives");
        }
        if entry.stage == "fragment" && entry.outputs.is_empty() {
            return unsupported("whether a fragment without outputs is discarded does not show");
        }
        let lanes = match entry.stage.as_str() {
            "vertex" => vertices(gl, run, entry, translation)?,
            "fragment" => fragments(gl, run, entry, translation)?,
            _ => return unsupported("only vertex and fragment shaders are run"),
        };
        Ok(Ran { verdict: Verdict::Accepted, lanes, message: None })
    }
}

fn reported_failure(message: impl Into<String>) -> Failure {
    Failure { kind: FailureKind::Said, message: message.into() }
}

fn malformed(message: impl Into<String>) -> Failure {
    Failure { kind: FailureKind::NoAnswer, message: message.into() }
}

fn not_compiled(message: String) -> Failure {
    Failure { kind: FailureKind::NotCompiled, message }
}

/// Returns the compared registers of an entry with their variables in the translation.
fn outputs<'a>(
    entry: &'a EntryData,
    translation: &'a Translation,
) -> Result<Vec<(&'a str, &'a Components, &'a ShaderVariable)>, Failure> {
    let place = |(register, components): (&'a String, &'a Components)| {
        let place = translation.outputs.get(register);
        let place =
            place.ok_or_else(|| malformed(format!("the translation does not say where {register} is")));
        Ok((register.as_str(), components, place?))
    };
    entry.outputs.iter().map(place).collect()
}

/// Returns the values of an input in each lane; zeros for lanes without a value.
fn column(run: &RunData, register: &str) -> Vec<Row> {
    let of =
        |lane: &BTreeMap<String, Vector>| lane.get(register).copied().unwrap_or_default().map(|bits| bits.0);
    run.lanes.iter().map(of).collect()
}

/// Returns the elements of a list that a span covers. Elements beyond the end of the list are zero.
fn part<T: Copy + Default>(all: &[T], span: &Span) -> Vec<T> {
    let at = |at: usize| all.get(at).copied().unwrap_or_default();
    (span.first..span.first.saturating_add(span.count.min(1 << 14))).map(at).collect()
}

/// Sets the uniforms that contain constants.
fn bind(program: &Program<'_>, run: &RunData, translation: &Translation) -> Result<(), Failure> {
    let constants: Vec<Row> = run.constants.iter().map(|vector| vector.map(|bits| bits.0)).collect();
    for span in &translation.constants {
        let rows = part(&constants, span);
        let columns: Option<&[Row; 4]> = rows.first_chunk().filter(|_| span.matrix);
        let value = match columns {
            Some(columns) => Uniform::Matrix(columns),
            None if span.block => Uniform::Block(&rows),
            None => Uniform::Floats(&rows),
        };
        program.set(&span.name, &value).map_err(malformed)?;
    }
    for span in &translation.ints {
        program.set(&span.name, &Uniform::Ints(&part(&run.ints, span))).map_err(malformed)?;
    }
    for span in &translation.bools {
        program.set(&span.name, &Uniform::Bools(&part(&run.bools, span))).map_err(malformed)?;
    }
    Ok(())
}

/// Returns the compared components of a register, from the values of its variable.
fn compared_components(components: &Components, values: &[u32]) -> [Option<Bits>; 4] {
    let value =
        |(at, letter)| components.contains(letter).then(|| Bits(values.get(at).copied().unwrap_or_default()));
    let mut all = [None; 4];
    for (place, letter) in all.iter_mut().zip("xyzw".chars().enumerate()) {
        *place = value(letter);
    }
    all
}

fn vertices(
    gl: &Gl,
    run: &RunData,
    entry: &EntryData,
    translation: &Translation,
) -> Result<Vec<LaneData>, Failure> {
    let outputs = outputs(entry, translation)?;
    let names: Vec<&str> = outputs.iter().map(|(_, _, place)| place.name.as_str()).collect();
    let program = gl.program(&invariant(&translation.source), None, &names).map_err(not_compiled)?;
    bind(&program, run, translation)?;
    let attributes: Vec<(&str, Vec<Row>)> = translation
        .inputs
        .iter()
        .map(|(register, place)| (place.name.as_str(), column(run, register)))
        .collect();
    let width = outputs.iter().map(|(_, _, place)| usize::from(place.components)).sum::<usize>().max(1);
    let all = program.vertices(&attributes, run.lanes.len(), width).map_err(reported_failure)?;
    let lane = |values: &[u32]| {
        let mut rest = values;
        let outputs = outputs.iter().map(|(register, components, place)| {
            let (own, others) = rest.split_at(usize::from(place.components).min(rest.len()));
            rest = others;
            ((*register).to_owned(), compared_components(components, own))
        });
        LaneData {
            status: LaneStatus::Finished,
            killed: false,
            outputs: outputs.collect(),
            effects: Vec::new(),
        }
    };
    Ok(all.chunks(width).map(lane).collect())
}

fn fragments(
    gl: &Gl,
    run: &RunData,
    entry: &EntryData,
    translation: &Translation,
) -> Result<Vec<LaneData>, Failure> {
    let outputs = outputs(entry, translation)?;
    let vertex = feeding_vertex_shader(&translation.source, &translation.inputs).map_err(malformed)?;
    let program = gl.program(&vertex, Some(&translation.source), &[]).map_err(not_compiled)?;
    bind(&program, run, translation)?;
    let target = |name: &str| match name.strip_prefix("gl_FragData[").and_then(|rest| rest.strip_suffix(']'))
    {
        Some(number) => number.parse().ok(),
        None if name == "gl_FragColor" => Some(0),
        None => program.target(name),
    };
    let mut targets = Vec::with_capacity(outputs.len());
    for (register, _, place) in &outputs {
        let at = target(&place.name).filter(|at| *at < 8);
        targets.push(
            at.ok_or_else(|| malformed(format!("{register}: the shader has no output {}", place.name)))?,
        );
    }
    let count = run.lanes.len();
    // The middle of each pixel of a row.
    let middle = |lane: usize| (lane as f32 + 0.5) / count as f32 * 2.0 - 1.0;
    let position = (0..count).map(|lane| [middle(lane), 0.0, 0.0, 1.0].map(f32::to_bits)).collect();
    let names: Vec<String> = (0..translation.inputs.len()).map(attribute).collect();
    let mut attributes = vec![(POSITION, position)];
    attributes.extend(
        names
            .iter()
            .zip(translation.inputs.keys())
            .map(|(name, register)| (name.as_str(), column(run, register))),
    );
    let number = targets.iter().max().map_or(1, |most| most + 1);
    let all = program.pixels(&attributes, count, number, EMPTY).map_err(reported_failure)?;
    let lane = |lane: usize| {
        let pixel =
            |target: usize| all.get(target).and_then(|pixels| pixels.get(lane)).copied().unwrap_or(EMPTY);
        let killed = targets.iter().all(|target| pixel(*target) == EMPTY);
        let each = outputs.iter().zip(&targets).filter(|_| !killed);
        let each = each.map(|((register, components, _), target)| {
            ((*register).to_owned(), compared_components(components, &pixel(*target)))
        });
        LaneData { status: LaneStatus::Finished, killed, outputs: each.collect(), effects: Vec::new() }
    };
    Ok((0..count).map(lane).collect())
}
