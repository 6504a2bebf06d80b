//! Inputs and outputs of programs, compared with golden runs by another translator.

use crate::d3d9::corpus::{Shader, folder, shaders};
use lockstep_core::host::Environment;
use lockstep_core::isa::d3d9::assemble::assemble;
use lockstep_core::isa::d3d9::decode::decode;
use lockstep_core::isa::d3d9::interface::{
    COORDINATES_SLOT, FIRST_STAGE_CONSTANT, entries, preset, stage_textures,
};
use lockstep_core::isa::d3d9::names::output_name;
use lockstep_core::isa::d3d9::program::Relative;
use std::collections::{BTreeMap, BTreeSet};

/// The text in braces after `"key":`.
fn object<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let start = text.find(&format!("\"{key}\":{{"))? + key.len() + 4;
    let mut depth = 1;
    let end = text[start..].find(|c| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    Some(&text[start..start + end])
}

/// The members of an object: each name with the text up to the next.
fn members(object: &str) -> BTreeMap<String, String> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in object.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&object[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&object[start..]);
    let pair = |part: &str| {
        let (name, value) = part.split_once(':')?;
        Some((name.trim_matches('"').to_owned(), value.trim_matches('"').to_owned()))
    };
    parts.into_iter().filter_map(pair).collect()
}

fn runs(shader: &Shader) -> Option<String> {
    std::fs::read_to_string(folder().unwrap().join("golden").join(format!("{}.runs.json", shader.name))).ok()
}

/// Register numbers to which the first run assigns values.
fn assigned_registers(runs: &str, key: &str) -> BTreeSet<u16> {
    let first = runs.lines().nth(1).unwrap();
    object(first, key).map(members).unwrap_or_default().keys().map(|k| k.parse().unwrap()).collect()
}

#[test]
fn interfaces_are_those_of_the_golden_runs() {
    let Some(shaders) = shaders() else { return };
    let mut files = 0;
    for shader in &shaders {
        let Some(runs) = runs(shader) else { continue };
        files += 1;
        let program = decode(&shader.bytes).unwrap();
        let entry = entries(&program).remove(0);
        let interface = &entry.interface;
        // The translator calls r0 of ps_1_x oC0.
        let name = |slot| match output_name(program.version, slot) {
            r if r == "r0" => "oC0".to_owned(),
            r => r,
        };
        let mask =
            |m: u8| (0..4).map(|k| if m >> k & 1 != 0 { ['x', 'y', 'z', 'w'][k] } else { '_' }).collect();
        let written: BTreeMap<String, String> =
            interface.outputs.iter().map(|p| (name(p.slot), mask(p.mask))).collect();
        let theirs = members(object(&runs, "written").unwrap());
        for (register, components) in &theirs {
            // oFog is a single number in the golden runs.
            let is_expected = register == "oFog" || written.get(register) == Some(components);
            assert!(is_expected, "{}: {register} {components}, not {written:?}", shader.name);
        }
        assert_eq!(written.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "{}", shader.name);
        let slots = |range: std::ops::Range<u16>| {
            let inside = interface.inputs.iter().filter(|p| range.contains(&p.slot));
            inside.map(|p| p.slot - range.start).collect::<BTreeSet<_>>()
        };
        assert_eq!(slots(0..16), assigned_registers(&runs, "v"), "{}: v", shader.name);
        assert_eq!(slots(COORDINATES_SLOT..32), assigned_registers(&runs, "t"), "{}: t", shader.name);
        let samplers: BTreeSet<u16> = interface.samplers.iter().map(|s| u16::from(*s)).collect();
        assert_eq!(samplers, assigned_registers(&runs, "s"), "{}: s", shader.name);
        let constants = assigned_registers(&runs, "c");
        let relative =
            program.instructions.iter().flat_map(|i| &i.sources).any(|s| s.relative != Relative::Direct);
        let most = constants.last().map_or(0, |c| c + 1);
        // The bump-environment matrices are constants of our interface, but are listed with the samplers in the golden runs. The golden runs also
        // list constants that are defined but not read.
        let fits = if runs.contains("\"bem\"") {
            interface.constants == FIRST_STAGE_CONSTANT + 2 * (samplers.last().unwrap() + 1)
        } else if relative {
            interface.constants >= most
        } else {
            interface.constants <= most
        };
        assert!(fits, "{}: {} constants, not {most}", shader.name, interface.constants);
        check_defined_constants(shader, &runs);
    }
    assert_eq!(files, 86);
}

/// Constants that the program defines have the values of the golden runs.
fn check_defined_constants(shader: &Shader, runs: &str) {
    let program = decode(&shader.bytes).unwrap();
    let mut env = Environment::default();
    preset(&program, &mut env);
    let values = object(runs.lines().nth(1).unwrap(), "c").map(members).unwrap_or_default();
    for i in program.instructions.iter().filter(|i| i.immediates.len() == 4) {
        let Some(number) = i.dest.and_then(|d| d.constant()) else { continue };
        let Some(value) = values.get(&number.to_string()) else { continue };
        let ours = env.constants[usize::from(number)].map(|v| format!("\"{:08x}\"", v.to_bits())).join(",");
        assert_eq!(value.trim_matches(['[', ']']), ours, "{}: c{number}", shader.name);
    }
}

#[test]
fn defined_constants_override_the_environment() {
    let text = "vs_2_0\ndef c1, 1, 2, 3, 4\ndef c1, 5, 6, 7, 8\ndefi i2, 3, -1, 2, 0\ndefb b1, true\nmov r0, c3\nrep i2\nendrep\nif b4\nendif";
    let program = assemble(text).unwrap();
    let mut env = Environment { constants: vec![[9.0; 4]; 2], ..Environment::default() };
    preset(&program, &mut env);
    assert_eq!(env.constants, [[9.0; 4], [5.0, 6.0, 7.0, 8.0]]);
    assert_eq!(env.ints, [[0; 4], [0; 4], [3, -1, 2, 0]]);
    assert_eq!(env.bools, [false, true]);
    let interface = entries(&program).remove(0).interface;
    assert_eq!((interface.constants, interface.ints, interface.bools), (4, 3, 5));
}

#[test]
fn stages_before_version_two_declare_the_textures_that_instructions_read() {
    let text = "ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3tex t3, t0\nmov r0, t3";
    let program = assemble(text).unwrap();
    assert_eq!(stage_textures(&program), 0x3002);
    let entry = entries(&program).remove(0);
    assert_eq!((entry.extra[0], entry.interface.samplers.as_slice()), (0x3002, &[0, 3][..]));
}
