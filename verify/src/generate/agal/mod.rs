//! Generator for AGAL programs, based on the opcode table.

mod body;
mod build;
mod drain;
mod invalidate;
mod range;
mod sampler;
mod source;

use super::{Entropy, Generate, Health, Needs, ProgramRequest};
use crate::generate::retry::{invalidated, is_noticed};
use body::{Body, Output};
use lockstep_core::host::Dimension;
use lockstep_core::isa::agal::opcode::{Opcode, Row, Shape, TABLE};
use lockstep_core::isa::agal::program::{File, Program};
use lockstep_core::isa::agal::word::{HEADER, Header, TOKEN};
use lockstep_core::isa::agal::{Agal, word};
use lockstep_core::isa::{Context, Stage};

/// All existing versions of AGAL.
const VERSIONS: [u32; 4] = [2, 3, 1, 4];
/// The maximum number of invalidations tried until a program violates a rule.
const INVALIDATIONS: usize = 4;

impl Generate for Agal {
    const STAGES: &'static [Stage] = &[Stage::Fragment, Stage::Vertex];

    /// Generated programs never read a temporary, or a component of one, that has not been written.
    const HEALTH: Health = Health {
        clean: 95.0,
        never: &[3647, 3648],
        live: 80.9,
        reached: 96.9,
        refused: 95.1,
        ..Health::USUAL
    };

    fn program(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        build(e, request)
    }

    fn near_valid(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        let valid = build(e, request);
        let invalidate_once = |e: &mut Entropy<'_>, mut program: Program| {
            invalidate::invalidate(e, &mut program);
            program
        };
        invalidated(e, &valid, INVALIDATIONS, invalidate_once, is_noticed::<Agal>)
    }

    fn noise(e: &mut Entropy<'_>) -> Vec<u8> {
        let header = Header::new(VERSIONS[e.below(4)], e.below(2) as u8);
        let mut bytes = header.to_bytes().to_vec();
        for _ in 0..e.between(1, 6) {
            let start = bytes.len();
            bytes.extend(e.bytes(TOKEN));
            bytes.resize(start + TOKEN, 0);
            // Most numbers are not opcodes, and would be refused for that reason alone.
            if let Some(row) = e.pick(TABLE) {
                bytes[start..start + 4].copy_from_slice(&row.number.to_le_bytes());
            }
        }
        if e.chance(20) {
            let end = bytes.len() - e.below(TOKEN);
            bytes.truncate(end.max(HEADER));
        }
        bytes
    }

    fn needs(cx: &Context<'_, Agal>) -> Needs {
        let mut units: Vec<(u8, Dimension)> = Vec::new();
        for sampler in cx.program.tokens.iter().filter_map(|t| t.sampler()) {
            let unit = sampler.number as u8;
            let dimension = match word::Dimension::from_number(sampler.dimension) {
                Some(word::Dimension::Cube) => Dimension::Cube,
                Some(word::Dimension::Volume) => Dimension::Three,
                _ => Dimension::Two,
            };
            if sampler.number < 16 && units.iter().all(|(u, _)| *u != unit) {
                units.push((unit, dimension));
            }
        }
        Needs { textures: units, ..Needs::default() }
    }

    fn splice(e: &mut Entropy<'_>, a: &Program, b: &Program) -> Option<Program> {
        if (a.version, a.stage) != (b.version, b.stage) {
            return None;
        }
        let mut tokens = a.tokens[..e.between(1, a.tokens.len()).min(a.tokens.len())].to_vec();
        tokens.extend_from_slice(&b.tokens[e.below(b.tokens.len() + 1).min(b.tokens.len())..]);
        // Closes blocks that lost their end, and drops ends that lost their block.
        let mut open = Vec::new();
        tokens.retain(|token| match token.op() {
            Some(op) if op.row().shape == Shape::Compare => {
                open.push(false);
                true
            }
            Some(Opcode::Els) => open.last_mut().is_some_and(|other| !std::mem::replace(other, true)),
            Some(Opcode::Eif) => open.pop().is_some(),
            _ => true,
        });
        let end = TABLE.iter().find(|row| row.opcode == Opcode::Eif)?;
        tokens.extend(open.iter().map(|_| invalidate::bare(end)));
        (!tokens.is_empty()).then_some(Program { tokens, ..*a })
    }
}

/// Converts a request to an opcode row, a stage and a version.
fn decide(e: &mut Entropy<'_>, request: &ProgramRequest) -> (Option<&'static Row>, Stage, u32) {
    let row = request.opcode.and_then(|name| TABLE.iter().find(|row| row.mnemonic == name));
    let stage = request.stage.unwrap_or_else(|| *e.pick(Agal::STAGES).unwrap_or(&Stage::Fragment));
    let stage = match row {
        Some(row) if !row.stages.contains(&stage) => row.stages[0],
        _ => stage,
    };
    let least = row.map_or(1, |row| row.version);
    let versions: Vec<u32> = VERSIONS.into_iter().filter(|v| *v >= least).collect();
    let version = request.version.filter(|v| versions.contains(v));
    let version = version.unwrap_or_else(|| e.pick(&versions).copied().unwrap_or(1));
    (row, stage, version)
}

/// Builds a program.
fn build(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
    let (row, stage, version) = decide(e, request);
    let mut body = Body::new(stage, version);
    // Some coverage points exist only in programs that cause warnings.
    body.allows_warnings = e.chance(6);
    body.working = [4, 3, 6, 10, 26][e.weighted(&[40, 20, 20, 10, 10])];
    choose_outputs(e, &mut body);
    choose_favourites(e, &mut body);
    let size = request.size.unwrap_or_else(|| match e.weighted(&[40, 42, 14, 4]) {
        0 => e.between(1, 6),
        1 => e.between(7, 20),
        2 => e.between(21, 50),
        _ => e.between(51, 140),
    });
    let size = size.min(body.most() * 2 / 3);
    let at = row.map(|_| e.below(size.max(1)));
    while body.program.tokens.len() < size && (!e.is_exhausted() || body.program.tokens.is_empty()) {
        match row {
            Some(row) if at.is_some_and(|at| body.program.tokens.len() >= at) && e.chance(40) => {
                append_requested(e, &mut body, row);
            }
            _ => build::step(e, &mut body),
        }
    }
    if let Some(row) = row
        && body.program.tokens.iter().all(|t| t.opcode != row.number)
    {
        append_requested(e, &mut body, row);
    }
    build::close(e, &mut body);
    drain::outputs(e, &mut body);
    body.program
}

/// Appends an instruction with the requested opcode.
fn append_requested(e: &mut Entropy<'_>, body: &mut Body, row: &'static Row) {
    if build::is_derivative(row) {
        build::close(e, body);
    }
    build::instruction(e, body, row);
}

/// Chooses the outputs that the program will write.
fn choose_outputs(e: &mut Entropy<'_>, body: &mut Body) {
    let mut require_output = |file, number, left| body.outputs.push(Output { file, number, left });
    let count =
        |file| lockstep_core::isa::agal::limits::count(body.program.version, body.program.stage, file);
    if body.program.stage == Stage::Fragment {
        let colours = usize::from(count(File::Output));
        let colours = if e.chance(70) { 1 } else { e.between(1, colours) };
        (0..colours as u16).for_each(|number| require_output(File::Output, number, 0xf));
        if count(File::Depth) > 0 && e.chance(20) {
            require_output(File::Depth, 0, 1);
        }
        return;
    }
    require_output(File::Output, 0, 0xf);
    let limit = usize::from(count(File::Varying));
    let first = e.below(limit);
    for k in 0..e.weighted(&[30, 40, 20, 10]) {
        require_output(File::Varying, ((first + k) % limit) as u16, 0xf);
    }
}

/// Chooses a few input and constant registers to prefer for reads, so that programs need small environments.
fn choose_favourites(e: &mut Entropy<'_>, body: &mut Body) {
    for (file, most) in [(body.input_file(), 4), (File::Constant, 6)] {
        let count = usize::from(body.count(file));
        let first = if e.chance(70) { 0 } else { e.below(count) };
        body.preferred[file as usize] =
            (0..e.between(2, most)).map(|k| ((first + k) % count.max(1)) as u16).collect();
    }
}
