//! Generator for Direct3D 9 programs of every version, based on the opcode table.

// Opcodes are matched in long lists.
#![allow(clippy::enum_glob_use)]

mod body;
mod build;
mod drain;
mod early;
mod flow;
mod invalidate;
mod range;
mod setup;
mod source;

use super::{Entropy, Generate, Health, Needs, ProgramRequest};
use crate::generate::requested::has_opcode;
use body::Body;
use lockstep_core::host::Dimension;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::encode::encode;
use lockstep_core::isa::d3d9::interface::declared_texture;
use lockstep_core::isa::d3d9::opcode::{Kind, Opcode, Row, TABLE};
use lockstep_core::isa::d3d9::profile::Profile;
use lockstep_core::isa::d3d9::program::{Dest, File, Instruction, Program, Source};
use lockstep_core::isa::d3d9::word::{STAGE_TEXTURES, TextureType};
use lockstep_core::isa::{Context, Level, Stage};

/// The maximum number of programs tried for a requested opcode.
const PROGRAMS: usize = 24;
/// The maximum number of programs tried, without a requested opcode, to get one that violates only rules that it was meant to violate.
const CLEAN: usize = 6;
/// The maximum number of invalidations tried until a program violates a rule.
const INVALIDATIONS: usize = 8;
/// The maximum number of instructions that a program is planned to have.
const LARGEST: usize = 60;

impl Generate for D3d9 {
    const STAGES: &'static [Stage] = &[Stage::Fragment, Stage::Vertex];

    /// Many of the 3200 coverage points belong to one opcode in one of seventeen versions, which is rarely drawn at random; on request, all are
    /// generated. Capabilities that only some devices of 2_x have cause a warning wherever they are used. A sixth of the instructions are
    /// declarations without effect.
    /// A register may be read if some of its components are unwritten, but not if all are.
    const HEALTH: Health =
        Health { clean: 92.0, never: &[140], live: 75.6, reached: 80.6, refused: 97.3, ..Health::USUAL };

    fn program(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        program(e, request)
    }

    fn near_valid(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        near_valid(e, request)
    }

    fn noise(e: &mut Entropy<'_>) -> Vec<u8> {
        invalidate::noise(e)
    }

    fn needs(cx: &Context<'_, D3d9>) -> Needs {
        let dimension = |number: u8| match TextureType::from_number(number) {
            Some(TextureType::Line) => Dimension::One,
            Some(TextureType::Cube) => Dimension::Cube,
            Some(TextureType::Volume) => Dimension::Three,
            Some(TextureType::Plane | TextureType::None) | None => Dimension::Two,
        };
        let early = cx.entry.extra[0];
        let unit = |unit: u8| {
            let declared = declared_texture(cx.program, u16::from(unit));
            let stage = STAGE_TEXTURES.get(early, unit.into());
            (unit, dimension(declared.unwrap_or(stage)))
        };
        let textures = cx.entry.interface.samplers.iter().map(|number| unit(*number)).collect();
        // Hardware supports loop counts and starts of 0 to 255.
        Needs { textures, bytes: true, ..Needs::default() }
    }

    fn splice(e: &mut Entropy<'_>, a: &Program, b: &Program) -> Option<Program> {
        invalidate::splice(e, a, b)
    }
}

/// A generated program, with the result of its validation.
struct Built {
    program: Program,
    /// Whether the program violates no rule at error level.
    legal: bool,
    /// Whether the program violates only rules that it was meant to violate.
    clean: bool,
}

/// Returns a legal program that satisfies the request on a best-effort basis.
fn program(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
    let mut kept = None;
    for _ in 0..if request.opcode.is_some() { PROGRAMS } else { CLEAN } {
        let built = build(e, request);
        let meant = has_opcode::<D3d9>(&built.program, request);
        if built.legal && meant && built.clean {
            return built.program;
        }
        if built.legal && kept.as_ref().is_none_or(|(_, was)| meant && !was) {
            kept = Some((built.program, meant));
        }
        if e.is_exhausted() {
            break;
        }
    }
    kept.map_or_else(|| plain(decide(e, request).1), |(program, _)| program)
}

/// Returns a program after one invalidating change.
fn near_valid(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
    let valid = program(e, request);
    let mut program = valid.clone();
    for _ in 0..INVALIDATIONS {
        program.clone_from(&valid);
        invalidate::invalidate(e, &mut program);
        let again = lockstep_core::isa::d3d9::decode::decode(&encode(&program));
        if again.as_ref() != Ok(&program) {
            program.clone_from(&valid);
            continue;
        }
        let level = setup::violations(&program).iter().map(|v| v.level).max();
        if e.is_exhausted() || level == Some(Level::Error) || level.is_some() && e.chance(10) {
            break;
        }
    }
    program
}

/// Converts a request to an opcode row and a version.
fn decide(e: &mut Entropy<'_>, request: &ProgramRequest) -> (Option<&'static Row>, Profile) {
    let row = request.opcode.and_then(|name| TABLE.iter().find(|row| row.mnemonic == name));
    let able = |p: &&Profile| row.is_none_or(|row| row.versions.has(**p));
    let mut fits: Vec<Profile> = Profile::ALL.iter().filter(able).copied().collect();
    let mut narrow = |test: &dyn Fn(Profile) -> bool| {
        let some: Vec<Profile> = fits.iter().copied().filter(|p| test(*p)).collect();
        if !some.is_empty() {
            fits = some;
        }
    };
    narrow(&|p| request.stage.is_none_or(|stage| p.stage() == stage));
    narrow(&|p| request.version.is_none_or(|number| p.version().number() == number));
    (row, e.pick(&fits).copied().unwrap_or(Profile::Ps20))
}

/// Returns the smallest program of a version: it moves an input to an output.
fn plain(profile: Profile) -> Program {
    let mut e = Entropy::from_bytes(&[]);
    let mut body = Body::new(profile);
    setup::registers(&mut e, &mut body);
    let from = body.inputs.iter().find(|(file, _)| *file != File::Misc).copied();
    let (file, number) = from.unwrap_or((File::Input, 0));
    let mut required = body.outputs.clone();
    let mut from = Source::register(file, number, Source::XYZW);
    if profile.is_pixel() && profile.major() == 2 {
        // Outputs are written from a temporary.
        required.insert(0, body::Output { file: File::Temporary, number: 0, left: 15 });
    }
    for output in required {
        let mut i = Instruction::new(Opcode::Mov);
        i.dest = Some(Dest::register(output.file, output.number, output.left));
        i.sources.push(from);
        body.emit(i);
        if output.file == File::Temporary {
            from = Source::register(File::Temporary, 0, Source::XYZW);
        }
    }
    body.whole()
}

/// Builds a program that satisfies the request on a best-effort basis.
fn build(e: &mut Entropy<'_>, request: &ProgramRequest) -> Built {
    let (row, profile) = decide(e, request);
    let mut body = Body::new(profile);
    // Some coverage points exist only in programs that cause warnings.
    body.allows_warnings = e.chance(6);
    body.capable = matches!(profile, Profile::Vs2x | Profile::Ps2x)
        && e.chance(if request.opcode.is_some() { 80 } else { 45 });
    body.working = [4, 3, 6, 10, 12][e.weighted(&[40, 20, 20, 10, 10])];
    body.abs_constants = e.chance(8);
    setup::registers(e, &mut body);
    let size = request.size.unwrap_or_else(|| match e.weighted(&[40, 42, 14, 4]) {
        0 => e.between(1, 6),
        1 => e.between(7, 20),
        2 => e.between(21, 40),
        _ => e.between(41, LARGEST),
    });
    let requested = row.map(|row| row.opcode);
    if body.is_ps1() {
        early_program(e, &mut body, requested, size);
    } else {
        write(e, &mut body, requested, size.min(LARGEST));
        drain::outputs(e, &mut body);
    }
    let program = body.whole();
    let broken = setup::violations(&program);
    let legal = broken.iter().all(|v| v.level < Level::Error);
    let clean = body.allows_warnings || broken.iter().all(|v| body.allows_warning(v));
    Built { program, legal, clean }
}

/// Appends the instructions of a program, including the requested one, for all versions but ps_1_x.
fn write(e: &mut Entropy<'_>, body: &mut Body, requested: Option<Opcode>, size: usize) {
    let at = e.below(size.max(1));
    let mut pending = requested;
    let mut tries = 0;
    while body.size() < size && tries < 2 * size + 4 && (!e.is_exhausted() || tries == 0) {
        tries += 1;
        if let Some(op) = pending.filter(|_| body.size() >= at) {
            instruction_with_setup(e, body, op);
            pending = None;
            continue;
        }
        let left = size - body.size();
        flow::step(e, body, left);
    }
    if let Some(op) = pending {
        instruction_with_setup(e, body, op);
    }
}

/// Appends an instruction with this operation, preceded by the setup it needs and followed by instructions that use a result that only few operations
/// read.
fn instruction_with_setup(e: &mut Entropy<'_>, body: &mut Body, op: Opcode) {
    match op {
        Opcode::Nop => body.emit(Instruction::new(op)),
        Opcode::Texkill if !body.is_ps1() => flow::kill(e, body),
        Opcode::Setp => {
            if build::instruction(e, body, op) {
                conditioned(e, body);
            }
        }
        Opcode::Mova => {
            if build::instruction(e, body, op) {
                (0..2).for_each(|_| _ = build::any(e, body));
            }
        }
        _ if op.row().kind == Kind::Flow => {
            if flow::fits(body, op) {
                flow::flow(e, body, op, 8);
            }
        }
        _ => {
            if body.written_registers().is_empty() {
                build::any(e, body);
            }
            build::instruction(e, body, op);
        }
    }
}

/// Appends up to six instructions, until one of them has read the predicate.
fn conditioned(e: &mut Entropy<'_>, body: &mut Body) {
    for _ in 0..6 {
        build::any(e, body);
        if body.unread(body::PREDICATE) == 0 {
            break;
        }
    }
}

/// Appends a program of ps_1_x: texture instructions first, then arithmetic, in one phase or two.
fn early_program(e: &mut Entropy<'_>, body: &mut Body, requested: Option<Opcode>, size: usize) {
    let texture = requested.filter(|op| op.row().kind == Kind::Texture);
    let arithmetic = requested.filter(|op| op.row().kind != Kind::Texture);
    let room = if body.profile == Profile::Ps10 { 4 } else { 8 };
    let room = room.min(size.max(2) as u32);
    if body.is_ps1_0_to_ps1_3() {
        early::stages(e, body, texture);
        early_arithmetic(e, body, arithmetic, room);
        drain::outputs(e, body);
        return;
    }
    let bump = requested == Some(Opcode::Bem) || e.chance(12);
    body.phased = bump || texture.is_some() || e.chance(60);
    let first = body.phased && e.chance(40) && texture != Some(Opcode::Texdepth);
    if body.phased {
        let inputs = std::mem::take(&mut body.inputs);
        body.first = true;
        phase(e, body, texture.filter(|_| first));
        let room = if bump { 3 } else { room.min(4) };
        early_arithmetic(e, body, arithmetic.filter(|op| first && *op != Opcode::Bem), room);
        if bump {
            early::bump(e, body);
        }
        body.inputs = inputs;
        let size = body.unread_registers().len();
        for _ in 2..size {
            drain::combine(e, body);
        }
        body.emit(Instruction::new(Opcode::Phase));
        (0..32).for_each(|place| body.mark_unwritten(place, 8));
        (body.first, body.used) = (false, 0);
    }
    phase(e, body, texture.filter(|_| !first));
    early_arithmetic(e, body, arithmetic.filter(|op| !(first && body.phased) && *op != Opcode::Bem), room);
    drain::outputs(e, body);
}

/// Appends the texture instructions of a phase.
fn phase(e: &mut Entropy<'_>, body: &mut Body, requested: Option<Opcode>) {
    early::phase(e, body, requested.filter(|op| *op != Opcode::Texdepth));
    if requested == Some(Opcode::Texdepth) || !body.first && e.chance(4) {
        early::depth(e, body);
    }
}

/// Appends arithmetic of ps_1_x, and leaves room for the instructions that combine results.
fn early_arithmetic(e: &mut Entropy<'_>, body: &mut Body, requested: Option<Opcode>, room: u32) {
    let mut pending = requested;
    let left = |body: &Body| body.used + body.unread_registers().len() as u32 + 1 < room;
    let mut tries = 0;
    while tries < 12 && (left(body) || pending.is_some()) && (!e.is_exhausted() || tries == 0) {
        tries += 1;
        if let Some(op) = pending.filter(|_| tries > 1 || e.chance(50) || !left(body)) {
            instruction_with_setup(e, body, op);
            pending = None;
        } else if e.chance(25) {
            build::pair(e, body);
        } else {
            build::any(e, body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::d3d9::disassemble::disassemble;
    use lockstep_core::isa::d3d9::rules::{RULES, Rule};
    use std::collections::{BTreeMap, BTreeSet};

    /// Generates programs of every version. A refused first attempt indicates that the generator ignores some rule.
    #[test]
    fn programs_of_every_version_are_legal_at_the_first_attempt() {
        let mut broken: BTreeMap<u16, (u32, String)> = BTreeMap::new();
        let (mut built, mut legal, mut clean) = (0, 0, 0);
        let mut versions = BTreeSet::new();
        for seed in 0..3000 {
            let b = build(&mut Entropy::seeded(seed), &ProgramRequest::default());
            built += 1;
            legal += u32::from(b.legal);
            clean += u32::from(b.clean);
            versions.insert(b.program.version.profile());
            for v in setup::violations(&b.program) {
                if !b.clean || !b.legal {
                    let text = || format!("{v:?}\n{}", disassemble(&b.program));
                    broken.entry(v.code).or_insert_with(|| (0, text())).0 += 1;
                }
            }
        }
        let list: Vec<String> = broken.values().map(|(n, text)| format!("{n} times {text}")).collect();
        println!("{built} built, {legal} legal, {clean} clean");
        assert_eq!(versions.len(), Profile::ALL.len());
        assert!(legal * 100 >= built * 98 && clean * 100 >= built * 90, "{}", list.join("\n"));
    }

    #[test]
    fn every_rule_at_error_level_is_broken_by_some_program_that_is_nearly_valid() {
        let mut broken = BTreeSet::new();
        for seed in 0..6000 {
            let request = ProgramRequest { size: Some(6), ..ProgramRequest::default() };
            let program = near_valid(&mut Entropy::seeded(seed), &request);
            broken.extend(setup::violations(&program).into_iter().map(|v| v.code));
        }
        // A program always matches its own entries, and one invalidating change cannot nest five loops.
        let never = [Rule::EntryMismatch, Rule::Depth].map(|rule| rule.row().code);
        let missing: Vec<u16> = RULES
            .iter()
            .filter(|row| row.level == Level::Error)
            .map(|row| row.code)
            .filter(|code| !broken.contains(code) && !never.contains(code))
            .collect();
        assert_eq!(missing, Vec::<u16>::new());
    }
}
