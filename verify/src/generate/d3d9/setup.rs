//! Generation of a program's declarations: inputs, samplers, constants, and the outputs to be written.

use super::body::{Body, Output};
use crate::generate::Entropy;
use crate::generate::value::{Extremes, vector};
use lockstep_core::isa::Violation;
use lockstep_core::isa::d3d9::interface::entries;
use lockstep_core::isa::d3d9::opcode::Opcode;
use lockstep_core::isa::d3d9::program::{Dest, File, Instruction, Program, Usage};
use lockstep_core::isa::d3d9::validate::validate;
use lockstep_core::isa::d3d9::word::TextureType;

/// The usages, by number and index, assigned in turn to inputs of vertex shaders: position, normal, texcoord0, color, texcoord1.
const INPUTS: [(u8, u8); 5] = [(0, 0), (3, 0), (5, 0), (10, 0), (5, 1)];
/// The usage number of texture coordinates.
const TEXCOORD: u8 = 5;

/// Returns the violations in a program at its entry.
pub(super) fn violations(program: &Program) -> Vec<Violation> {
    entries(program).first().map(|entry| validate(program, entry)).unwrap_or_default()
}

fn declare(body: &mut Body, usage: Usage, file: File, number: u16, mask: u8) {
    let mut dcl = Instruction::new(Opcode::Dcl);
    dcl.usage = Some(usage);
    dcl.dest = Some(Dest::register(file, number, mask));
    body.heads.push(dcl);
}

/// Chooses the registers to use, and declares or defines them.
pub(super) fn registers(e: &mut Entropy<'_>, body: &mut Body) {
    inputs(e, body);
    samplers(e, body);
    constants(e, body);
    outputs(e, body);
}

fn inputs(e: &mut Entropy<'_>, body: &mut Body) {
    if body.is_ps1() {
        body.inputs = vec![(File::Input, 0), (File::Input, 1)];
        return;
    }
    let second = body.is_pixel() && body.major() == 2;
    let count = e.between(2, 4) as u16;
    if second {
        for (file, number) in [(File::Input, 0), (File::Address, 0), (File::Input, 1), (File::Address, 1)] {
            if body.inputs.len() < usize::from(count) {
                let number = if file == File::Address && e.chance(30) { 2 + number } else { number };
                declare(body, Usage::of(0, 0), file, number, 15);
                body.inputs.push((file, number));
            }
        }
        return;
    }
    let most = body.limits().inputs;
    let first = if e.chance(75) { 0 } else { e.below(usize::from(most - count) + 1) as u16 };
    // Shaders for Direct3D 8 have no declarations.
    let declares = body.is_pixel() || body.major() > 1 || e.chance(80);
    for k in 0..count {
        let (usage, index) = INPUTS[usize::from(k) % INPUTS.len()];
        let usage = if body.is_pixel() { Usage::of(TEXCOORD, k as u8) } else { Usage::of(usage, index) };
        if declares {
            declare(body, usage, File::Input, first + k, 15);
        }
        body.inputs.push((File::Input, first + k));
    }
    if body.is_pixel() && e.chance(15) {
        declare(body, Usage::of(0, 0), File::Misc, 0, 3);
        declare(body, Usage::of(0, 0), File::Misc, 1, 15);
        body.inputs.extend([(File::Misc, 0), (File::Misc, 1)]);
    }
}

fn samplers(e: &mut Entropy<'_>, body: &mut Body) {
    if body.major() < 2 || body.limits().samplers == 0 {
        return;
    }
    let count = e.between(1, 3) as u16;
    let first =
        if e.chance(80) { 0 } else { e.below(usize::from(body.limits().samplers - count) + 1) as u16 };
    for k in 0..count {
        let texture = if body.allows_warnings && e.chance(20) {
            TextureType::Line
        } else {
            [TextureType::Plane, TextureType::Cube, TextureType::Volume][e.weighted(&[60, 20, 20])]
        } as u8;
        declare(body, Usage::of_texture(texture), File::Sampler, first + k, 15);
        body.samplers.push((first + k, texture));
    }
}

fn constants(e: &mut Entropy<'_>, body: &mut Body) {
    let most = usize::from(body.limits().constants.guaranteed.min(256));
    let count = e.between(2, 6).min(most);
    let first = if e.chance(70) { 0 } else { e.below(most - count + 1) };
    body.constants = (first..first + count).map(|n| n as u16).collect();
    if e.chance(35) {
        for _ in 0..e.between(1, 2) {
            let number = first + e.below(count);
            let mut def = Instruction::new(Opcode::Def);
            def.dest = Some(Dest::register(File::Constant, number as u16, 15));
            def.immediates.extend(vector(e, Extremes::None).map(f32::to_bits));
            if body.heads.iter().all(|i| i.op() != Some(Opcode::Def) || i.dest != def.dest) {
                body.heads.push(def);
            }
        }
    }
}

fn outputs(e: &mut Entropy<'_>, body: &mut Body) {
    match (body.is_pixel(), body.major()) {
        (true, 1) => require_output(body, File::Temporary, 0, 15),
        (true, _) => {
            let colors = if e.chance(70) { 1 } else { e.between(1, 4) } as u16;
            (0..colors).for_each(|n| require_output(body, File::PixelColor, n, 15));
            if e.chance(12) {
                require_output(body, File::PixelDepth, 0, 1);
            }
        }
        (false, 3) => {
            let count = 1 + e.weighted(&[25, 40, 25, 10]) as u16;
            let position = e.below(usize::from(count)) as u16;
            for n in 0..count {
                let mask = if n == position || e.chance(70) { 15 } else { [7, 3][e.below(2)] };
                let usage = if n == position { Usage::of(0, 0) } else { Usage::of(TEXCOORD, n as u8) };
                declare(body, usage, File::CoordinateOut, n, mask);
                require_output(body, File::CoordinateOut, n, mask);
            }
        }
        (false, _) => {
            require_output(body, File::Rasterizer, 0, 15);
            let coordinates = e.weighted(&[40, 35, 15, 10]) as u16;
            for n in 0..coordinates {
                let mask = [15, 7, 3, 1][e.weighted(&[55, 20, 20, 5])];
                require_output(body, File::CoordinateOut, n, mask);
            }
            for n in 0..e.weighted(&[60, 30, 10]) as u16 {
                require_output(body, File::ColorOut, n, 15);
            }
            for n in 1..3 {
                if e.chance(10) {
                    require_output(body, File::Rasterizer, n, 1);
                }
            }
        }
    }
}

fn require_output(body: &mut Body, file: File, number: u16, left: u8) {
    body.outputs.push(Output { file, number, left });
}
