//! The rasteriser as a subject: runs programs whose questions include their translations.

use super::gl::{Gl, Program, Row, Source, Uniform, VarId};
use super::shader::{POSITION, attribute, feeding_vertex_shader, invariant};
use super::source::{Shader, place, slot};
use super::spirv::{Stage, fragment_input_shader as feeding_module, read_input, with_recorded_outputs};
use crate::judge::Ability;
use crate::judge::subject::{
    Bits, Components, ConstantRange, Decoded, EntryData, Failure, FailureKind, Greeting, Hello, LaneData,
    LaneStatus, Language, PROTOCOL, ProgramData, Ran, RunData, ShaderVariable, Subject, Translation, Vector,
    Verdict,
};
use lockstep_core::isa;
use std::collections::BTreeMap;

/// The initial content of pixels, which marks them as unwritten: a NaN that no computation produces.
const EMPTY: Row = [0x7fc0_dead; 4];

/// A software rasteriser, which is opened when the greeting arrives.
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
            language: Language::default(),
        })
    }

    fn decode(&mut self, _: &ProgramData) -> Result<Decoded, Failure> {
        Err(reported_failure("a rasteriser does not decode"))
    }

    fn run(&mut self, run: &RunData) -> Result<Ran, Failure> {
        let Some(gl) = &self.gl else { return Err(reported_failure("'initialize' was not sent")) };
        let Some(translation) = &run.translation else { return Err(malformed("there is no translation")) };
        let Some(entry) = &run.program.entry else { return Err(malformed("there is no entry")) };
        let unsupported = |why: &str| {
            Ok(Ran { verdict: Verdict::Unsupported, lanes: Vec::new(), message: Some(why.to_owned()) })
        };
        if !entry.interface.samplers.is_empty() {
            return unsupported("textures are not bound");
        }
        let stage = match entry.stage {
            isa::Stage::Vertex => Stage::Vertex,
            isa::Stage::Fragment => Stage::Fragment,
            isa::Stage::Geometry => return unsupported("only vertex and fragment shaders are run"),
        };
        if stage == Stage::Fragment && entry.outputs.is_empty() {
            return unsupported("a fragment without outputs does not show whether it is discarded");
        }
        let shader = Shader::new(translation, stage).map_err(not_compiled)?;
        if shader.has_derivatives() {
            return unsupported("each lane is drawn as a separate point, which has no derivatives");
        }
        let lanes = match stage {
            Stage::Vertex => vertices(gl, run, entry, translation, &shader)?,
            Stage::Fragment => fragments(gl, run, entry, translation, &shader)?,
        };
        Ok(Ran { verdict: Verdict::Accepted, lanes, message: None })
    }
}

fn reported_failure(message: impl Into<String>) -> Failure {
    Failure { kind: FailureKind::Reported, message: message.into() }
}

fn malformed(message: impl Into<String>) -> Failure {
    Failure { kind: FailureKind::MalformedAnswer, message: message.into() }
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
        let place = place
            .ok_or_else(|| malformed(format!("the translation names no variable for output {register}")));
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

/// Returns the elements of a list that a range covers, at most 2^14. Elements beyond the end of the list are zero.
fn elements_in_range<T: Copy + Default>(all: &[T], range: &ConstantRange) -> Vec<T> {
    let at = |at: usize| all.get(at).copied().unwrap_or_default();
    (range.first..range.first.saturating_add(range.count.min(1 << 14))).map(at).collect()
}

/// Sets the uniforms that contain constants.
fn bind(program: &Program<'_>, run: &RunData, translation: &Translation) -> Result<(), Failure> {
    let constants: Vec<Row> = run.constants.iter().map(|vector| vector.map(|bits| bits.0)).collect();
    let set = |range: &ConstantRange, value: &Uniform<'_>| {
        place(translation.language, &range.name)
            .and_then(|place| program.set(place, value))
            .map_err(malformed)
    };
    for range in &translation.constants {
        let rows = elements_in_range(&constants, range);
        let columns: Option<&[Row; 4]> = rows.first_chunk().filter(|_| range.matrix);
        let value = match columns {
            Some(columns) => Uniform::Matrix(columns),
            None if range.block => Uniform::Block(&rows),
            None => Uniform::Floats(&rows),
        };
        set(range, &value)?;
    }
    for range in &translation.ints {
        let rows = elements_in_range(&run.ints, range);
        if range.block {
            let rows: Vec<Row> = rows.iter().map(|row| row.map(i32::cast_unsigned)).collect();
            set(range, &Uniform::Block(&rows))?;
        } else {
            set(range, &Uniform::Ints(&rows))?;
        }
    }
    for range in &translation.bools {
        let all = elements_in_range(&run.bools, range);
        if range.block {
            let rows: Vec<Row> = all.iter().map(|one| [u32::from(*one), 0, 0, 0]).collect();
            set(range, &Uniform::Block(&rows))?;
        } else {
            set(range, &Uniform::Bools(&all))?;
        }
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
    shader: &Shader<'_>,
) -> Result<Vec<LaneData>, Failure> {
    let outputs = outputs(entry, translation)?;
    let program = match shader {
        Shader::Text(source) => {
            let names: Vec<&str> = outputs.iter().map(|(_, _, place)| place.name.as_str()).collect();
            gl.program(Source::Text(&invariant(source)), None, &names)
        }
        Shader::Module(module, entry) => {
            let mut slots = Vec::with_capacity(outputs.len());
            for (.., variable) in &outputs {
                slots.push((slot(&variable.name).map_err(malformed)?, variable.components));
            }
            let module = with_recorded_outputs(module, entry, &slots).map_err(malformed)?;
            gl.program(Source::Words(module.words(), &entry.name), None, &[])
        }
    };
    let program = program.map_err(not_compiled)?;
    bind(&program, run, translation)?;
    let mut attributes = Vec::with_capacity(translation.inputs.len());
    for (register, variable) in &translation.inputs {
        let place = place(translation.language, &variable.name).map_err(malformed)?;
        attributes.push((place, column(run, register)));
    }
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
            finals: BTreeMap::new(),
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
    shader: &Shader<'_>,
) -> Result<Vec<LaneData>, Failure> {
    let outputs = outputs(entry, translation)?;
    let number = translation.inputs.len();
    // The vertex shader has attributes for the position and for the value of each input.
    let (program, position_place, places) = match shader {
        Shader::Text(source) => {
            let vertex = feeding_vertex_shader(source, &translation.inputs).map_err(malformed)?;
            let names: Vec<String> = (0..number).map(attribute).collect();
            (gl.program(Source::Text(&vertex), Some(shader.source()), &[]), None, names)
        }
        Shader::Module(module, entry) => {
            let mut inputs = Vec::with_capacity(number);
            for variable in translation.inputs.values() {
                let slot = slot(&variable.name).map_err(malformed)?;
                inputs.push(read_input(module, entry, slot, variable.components).map_err(malformed)?);
            }
            let (vertex, main) = feeding_module(&inputs);
            let vertex = Source::Words(vertex.words(), &main.name);
            (gl.program(vertex, Some(shader.source()), &[]), Some(VarId::Number(0)), Vec::new())
        }
    };
    let program = program.map_err(not_compiled)?;
    bind(&program, run, translation)?;
    let target = |name: &str| match name.strip_prefix("gl_FragData[").and_then(|rest| rest.strip_suffix(']'))
    {
        Some(number) => number.parse().ok(),
        None if name == "gl_FragColor" => Some(0),
        None => program.target(place(translation.language, name).ok()?),
    };
    let mut targets = Vec::with_capacity(outputs.len());
    for (register, _, place) in &outputs {
        let at = target(&place.name).filter(|at| *at < 8);
        targets.push(at.ok_or_else(|| {
            malformed(format!(
                "{register}: '{}' is not a shader output at one of the locations 0 to 7",
                place.name
            ))
        })?);
    }
    let count = run.lanes.len();
    // The x coordinate of the centre of each pixel in the row.
    let middle = |lane: usize| (lane as f32 + 0.5) / count as f32 * 2.0 - 1.0;
    let position = (0..count).map(|lane| [middle(lane), 0.0, 0.0, 1.0].map(f32::to_bits)).collect();
    let mut attributes = vec![(position_place.unwrap_or(VarId::Name(POSITION)), position)];
    for (register, number) in translation.inputs.keys().zip(0..) {
        let place = places.get(number).map_or(VarId::Number(number as u32 + 1), |name| VarId::Name(name));
        attributes.push((place, column(run, register)));
    }
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
        LaneData {
            status: LaneStatus::Finished,
            killed,
            outputs: each.collect(),
            finals: BTreeMap::new(),
            effects: Vec::new(),
        }
    };
    Ok((0..count).map(lane).collect())
}
