//! An adapter for Ruffle's translator of AGAL. The translator builds a module for naga, naga writes the module as GLSL, and `judge` runs that.

use naga::back::glsl;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga_agal::{VertexAttributeFormat, agal_to_naga, parse_bytecode};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};

/// Translates a program to GLSL. Also returns the names of the uniform blocks of its constants.
fn glsl(bytes: &[u8], vertex: bool) -> Result<(String, Vec<String>), String> {
    let parsed = parse_bytecode(bytes).map_err(|error| format!("{error:?}"))?;
    let attributes = std::array::from_fn(|_| Some(VertexAttributeFormat::Float4));
    let module = agal_to_naga(&parsed, &attributes).map_err(|error| format!("{error:?}"))?;
    let validated = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
    // Ruffle cannot run a module that naga refuses.
    let info = validated.map_err(|error| format!("naga: {error:?}"))?;
    let options = glsl::Options {
        version: glsl::Version::Desktop(330),
        writer_flags: glsl::WriterFlags::empty(),
        ..glsl::Options::default()
    };
    let shader_stage = if vertex { naga::ShaderStage::Vertex } else { naga::ShaderStage::Fragment };
    let pipeline = glsl::PipelineOptions { shader_stage, entry_point: "main".to_owned(), multiview: None };
    let mut text = String::new();
    let policies = naga::proc::BoundsCheckPolicies::default();
    let writer = glsl::Writer::new(&mut text, &module, &info, &options, &pipeline, policies);
    let reflected = writer.and_then(|mut writer| writer.write()).map_err(|error| format!("naga: {error:?}"))?;
    Ok((text, reflected.uniforms.into_values().collect()))
}

/// Returns the GLSL variable of a register. naga names variables by location.
fn place(register: &str, vertex: bool, output: bool) -> Value {
    let number: String = register.chars().filter(char::is_ascii_digit).collect();
    let name = match (register, vertex, output) {
        ("op", ..) => "gl_Position".to_owned(),
        ("oc", ..) => "_fs2p_location0".to_owned(),
        (_, true, false) => format!("_p2vs_location{number}"),
        _ => format!("_vs2fs_location{number}"),
    };
    json!({ "name": name })
}

fn translate(program: &Value) -> Value {
    let text = program["bytes"].as_str().unwrap_or_default();
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap_or_default();
    let bytes: Vec<u8> = (0..text.len() / 2 * 2).step_by(2).map(byte).collect();
    let entry = &program["entry"];
    let vertex = entry["stage"] == "vertex";
    let (source, blocks) = match glsl(&bytes, vertex) {
        Ok(glsl) => glsl,
        Err(message) if message.starts_with("Unimplemented") => {
            return json!({ "verdict": "unsupported", "message": message });
        }
        Err(message) => return json!({ "verdict": "rejected", "message": message }),
    };
    let inputs = entry["interface"]["inputs"].as_array().map_or(&[][..], Vec::as_slice);
    let input = |port: &Value| {
        let register = format!("{}{}", if vertex { "va" } else { "v" }, port["slot"]);
        (register.clone(), place(&register, vertex, false))
    };
    let outputs = entry["outputs"].as_object().map(|all| all.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let outputs = outputs.into_iter().map(|register| (register.clone(), place(&register, vertex, true)));
    let count = if vertex { 128 } else { 28 };
    json!({
        "verdict": "accepted", "language": "glsl", "source": source,
        "inputs": inputs.iter().map(input).collect::<Map<_, _>>(),
        "outputs": outputs.collect::<Map<_, _>>(),
        "constants": blocks.iter().map(|name| json!({ "name": name, "first": 0, "count": count, "block": true })).collect::<Vec<_>>(),
    })
}

fn main() {
    let descriptor = |name: &str| format!("/dev/fd/{}", std::env::var(name).expect("a descriptor"));
    let host = BufReader::new(File::open(descriptor("LOCKSTEP_IN")).expect("the host"));
    let mut out = File::options().append(true).open(descriptor("LOCKSTEP_OUT")).expect("the host");
    for line in host.lines() {
        let message: Value = serde_json::from_str(&line.expect("a line")).expect("a message");
        let batch = message.as_array().cloned().unwrap_or_else(|| vec![message]);
        let answer = |message: &Value| {
            let result = match message["method"].as_str() {
                Some("initialize") => json!({
                    "protocol": 1, "name": "Ruffle's naga-agal", "isas": ["agal"], "abilities": ["translate"],
                }),
                _ => translate(&message["params"]),
            };
            json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })
        };
        let answers: Vec<Value> = batch.iter().map(answer).collect();
        writeln!(out, "{}", Value::from(answers)).expect("the host");
    }
}
