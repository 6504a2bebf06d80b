//! Generator for Direct3D 9 programs of every version, based on the opcode table.

// Opcodes are matched in long lists.
#![allow(clippy::enum_glob_use)]

/// The name of a facet, checked against the table at compile time.
macro_rules! facet {
    ($name:expr) => {
        const { lockstep_core::isa::facet::Name::of(lockstep_core::isa::d3d9::facets::FACETS, $name) }
    };
    // The facet of any source operand. No source has a facet that the first source lacks.
    (of source $kind:literal) => {
        facet!(concat!("a.", $kind))
    };
}

mod body;
mod build;
mod drain;
mod early;
mod flow;
mod invalidate;
mod range;
mod request;
mod setup;
mod source;

use super::{Entropy, Generate, Health, Needs, ProgramRequest};
use crate::generate::retry::first_fitting;
use body::Body;
use lockstep_core::host::Dimension;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::encode::encode;
use lockstep_core::isa::d3d9::facets::{IndexRegister, Role, profiles};
use lockstep_core::isa::d3d9::interface::declared_texture;
use lockstep_core::isa::d3d9::opcode::{Kind, Opcode, Row, TABLE};
use lockstep_core::isa::d3d9::profile::Profile;
use lockstep_core::isa::d3d9::program::{Dest, File, Instruction, Modifier, Program, Source};
use lockstep_core::isa::d3d9::word::{STAGE_TEXTURES, TextureType};
use lockstep_core::isa::{Context, Level, Stage};
use request::InstructionRequest;

/// The maximum number of attempts at an instruction with a requested coverage point before another program is tried.
const TRIES: usize = 40;
/// The maximum number of programs tried for a requested coverage point.
const PROGRAMS: usize = 24;
/// The maximum number of programs tried to get one that violates no rule.
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

/// A generated program, and how legal it is.
struct Built {
    program: Program,
    /// Whether the program violates no rule at error level.
    legal: bool,
    /// Whether the program violates only rules that it was meant to violate.
    clean: bool,
}

/// Returns a legal program that satisfies the request on a best-effort basis.
fn program(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
    let named = request.class.is_some() || request.opcode.is_some();
    let mut kept = None;
    for _ in 0..if named { request.attempts(PROGRAMS) } else { CLEAN } {
        let built = build(e, request);
        let meant = satisfies(&built.program, request);
        if built.legal && meant && (built.clean || request.class.is_some()) {
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

/// Whether a program satisfies the request.
fn satisfies(program: &Program, request: &ProgramRequest) -> bool {
    let words = 0..program.instructions.len() as u32;
    if request.class.is_some() {
        return words.into_iter().any(|word| request.has_points_at::<D3d9>(program, word));
    }
    request.opcode.is_none_or(|name| {
        program.instructions.iter().any(|i| i.op().is_some_and(|op| op.row().mnemonic == name))
    })
}

/// Converts a request to an opcode row and a version.
fn decide(e: &mut Entropy<'_>, request: &ProgramRequest) -> (Option<&'static Row>, Profile) {
    let name = request.class.as_ref().map(|class| class.opcode).or(request.opcode);
    let row = name.and_then(|name| TABLE.iter().find(|row| row.mnemonic == name));
    let able = |p: &&Profile| {
        row.is_none_or(|row| row.versions.has(**p)) && request.classes().all(|class| profiles(class).has(**p))
    };
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
    body.allows_warnings = e.chance(if request.class.is_some() { 45 } else { 6 });
    body.capable = matches!(profile, Profile::Vs2x | Profile::Ps2x)
        && e.chance(if request.class.is_some() || request.opcode.is_some() { 80 } else { 45 });
    body.working = [4, 3, 6, 10, 12][e.weighted(&[40, 20, 20, 10, 10])];
    body.request = InstructionRequest::of(request);
    body.abs_constants = match body.request.modifier(0).or(body.request.modifier(1)) {
        Some(modifier) => matches!(modifier, Modifier::Abs | Modifier::AbsNeg) && e.chance(30),
        None => e.chance(8),
    };
    setup::registers(e, &mut body);
    let hint = std::mem::take(&mut body.request);
    let size = request.size.unwrap_or_else(|| match e.weighted(&[40, 42, 14, 4]) {
        0 => e.between(1, 6),
        1 => e.between(7, 20),
        2 => e.between(21, 40),
        _ => e.between(41, LARGEST),
    });
    let wanted = row.map(|row| RequestedInstruction { op: row.opcode, hint, request });
    if body.is_ps1() {
        early_program(e, &mut body, wanted.as_ref(), size);
    } else {
        write(e, &mut body, wanted.as_ref(), size.min(LARGEST));
        drain::outputs(e, &mut body);
    }
    let program = body.whole();
    let broken = setup::violations(&program);
    let legal = broken.iter().all(|v| v.level < Level::Error);
    let clean = body.allows_warnings || broken.iter().all(|v| body.allows_warning(v));
    Built { program, legal, clean }
}

/// The requested instruction.
struct RequestedInstruction<'w> {
    op: Opcode,
    hint: InstructionRequest<'w>,
    request: &'w ProgramRequest,
}

/// Appends the instructions of a program, including the requested one, for all versions but ps_1_x.
fn write<'w>(
    e: &mut Entropy<'_>,
    body: &mut Body<'w>,
    wanted: Option<&RequestedInstruction<'w>>,
    size: usize,
) {
    let at = e.below(size.max(1));
    let mut pending_request = wanted;
    let mut tries = 0;
    while body.size() < size && tries < 2 * size + 4 && (!e.is_exhausted() || tries == 0) {
        tries += 1;
        if let Some(wanted) = pending_request.filter(|_| body.size() >= at) {
            append_requested(e, body, wanted);
            pending_request = None;
            continue;
        }
        let left = size - body.size();
        flow::step(e, body, left);
    }
    if let Some(wanted) = pending_request {
        append_requested(e, body, wanted);
    }
}

/// Appends an instruction with the requested opcode. It also has the requested coverage points if a few attempts find such an instruction.
fn append_requested<'w>(e: &mut Entropy<'_>, body: &mut Body<'w>, wanted: &RequestedInstruction<'w>) {
    let extend = |e: &mut Entropy<'_>, body: &mut Body<'w>| {
        let before = std::mem::replace(&mut body.request, wanted.hint);
        instruction_with_setup(e, body, wanted.op);
        body.request = before;
    };
    let fits = |body: &Body<'w>| wanted.request.class.is_none() || satisfies(&body.whole(), wanted.request);
    first_fitting(e, body, TRIES, extend, fits);
}

/// Appends an instruction with this operation, preceded by the setup it needs.
fn instruction_with_setup(e: &mut Entropy<'_>, body: &mut Body<'_>, op: Opcode) {
    let hint = body.request;
    if hint.concerns_predicates() {
        build::set_predicate(e, body, 15);
    }
    for component in hint.indices().filter_map(IndexRegister::component) {
        build::set_address(e, body, component.into());
    }
    if hint.loops() && (!body.is_pixel() || body.major() >= 3) {
        return flow::counted(e, body, op);
    }
    with_available_operands(e, body, op);
}

/// Appends an instruction with this operation. Its operands must be available already.
fn with_available_operands(e: &mut Entropy<'_>, body: &mut Body<'_>, op: Opcode) {
    match op {
        Opcode::Nop => body.emit(Instruction::new(op)),
        Opcode::Texkill if !body.is_ps1() => flow::kill(e, body),
        Opcode::Setp => {
            if build::instruction(e, body, op) {
                let hint = std::mem::take(&mut body.request);
                conditioned(e, body);
                body.request = hint;
            }
        }
        Opcode::Mova | Opcode::Mov if op == Opcode::Mova || body.request.dest() == Some(Role::Address) => {
            if build::instruction(e, body, op) {
                let hint = std::mem::take(&mut body.request);
                (0..2).for_each(|_| _ = build::any(e, body));
                body.request = hint;
            }
        }
        _ if op.row().kind == Kind::Flow => {
            if flow::fits(body, op) {
                flow::flow(e, body, op, 8);
            }
        }
        _ => {
            prepare(e, body, op);
            build::instruction(e, body, op);
        }
    }
}

/// Appends code that uses a predicate.
fn conditioned(e: &mut Entropy<'_>, body: &mut Body<'_>) {
    for _ in 0..6 {
        build::any(e, body);
        if body.unread(body::PREDICATE) == 0 {
            break;
        }
    }
}

/// Sets up registers that a requested instruction needs or should read.
fn prepare(e: &mut Entropy<'_>, body: &mut Body<'_>, op: Opcode) {
    let hint = std::mem::take(&mut body.request);
    let rows = op.rows().unwrap_or(1);
    let temporaries = (0..4).any(|k| hint.role(k) == Some(Role::Temporary));
    if temporaries && rows > 1 && body.writable.is_none() {
        for n in 0..u16::from(rows) {
            flow::initialize_temporary(e, body, n);
        }
    } else if temporaries || body.written_registers().is_empty() {
        build::any(e, body);
    }
    body.request = hint;
}

/// Appends a program of ps_1_x: texture instructions first, then arithmetic, in one phase or two.
fn early_program<'w>(
    e: &mut Entropy<'_>,
    body: &mut Body<'w>,
    wanted: Option<&RequestedInstruction<'w>>,
    size: usize,
) {
    let texture = wanted.filter(|w| w.op.row().kind == Kind::Texture);
    let arithmetic = wanted.filter(|w| w.op.row().kind != Kind::Texture);
    let room = if body.profile == Profile::Ps10 { 4 } else { 8 };
    let room = room.min(size.max(2) as u32);
    if body.is_ps1_0_to_ps1_3() {
        if let Some(wanted) = texture {
            body.request = wanted.hint;
        }
        early::stages(e, body, texture.map(|w| w.op));
        body.request = InstructionRequest::default();
        early_arithmetic(e, body, arithmetic, room);
        drain::outputs(e, body);
        return;
    }
    let bump = wanted.is_some_and(|w| w.op == Opcode::Bem) || e.chance(12);
    body.phased = bump || texture.is_some() || e.chance(60);
    let first = body.phased && e.chance(40) && texture.is_none_or(|w| w.op != Opcode::Texdepth);
    if body.phased {
        let inputs = std::mem::take(&mut body.inputs);
        body.first = true;
        phase(e, body, texture.filter(|_| first));
        let room = if bump { 3 } else { room.min(4) };
        early_arithmetic(e, body, arithmetic.filter(|w| first && w.op != Opcode::Bem), room);
        if bump {
            let of = wanted.filter(|w| w.op == Opcode::Bem);
            body.request = of.map(|w| w.hint).unwrap_or_default();
            early::bump(e, body);
            body.request = InstructionRequest::default();
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
    early_arithmetic(e, body, arithmetic.filter(|w| !(first && body.phased) && w.op != Opcode::Bem), room);
    drain::outputs(e, body);
}

/// Appends the texture instructions of a phase.
fn phase<'w>(e: &mut Entropy<'_>, body: &mut Body<'w>, wanted: Option<&RequestedInstruction<'w>>) {
    let depth = wanted.is_some_and(|w| w.op == Opcode::Texdepth);
    body.request = wanted.map(|w| w.hint).unwrap_or_default();
    early::phase(e, body, wanted.map(|w| w.op).filter(|op| *op != Opcode::Texdepth));
    if depth || !body.first && e.chance(4) {
        early::depth(e, body);
    }
    body.request = InstructionRequest::default();
}

/// Appends arithmetic of ps_1_x, and leaves room for the instructions that combine results.
fn early_arithmetic<'w>(
    e: &mut Entropy<'_>,
    body: &mut Body<'w>,
    wanted: Option<&RequestedInstruction<'w>>,
    room: u32,
) {
    let mut pending_request = wanted;
    let left = |body: &Body<'_>| body.used + body.unread_registers().len() as u32 + 1 < room;
    let mut tries = 0;
    while tries < 12 && (left(body) || pending_request.is_some()) && (!e.is_exhausted() || tries == 0) {
        tries += 1;
        if let Some(wanted) = pending_request.filter(|_| tries > 1 || e.chance(50) || !left(body)) {
            let pairs = wanted.request.modifiers().any(|(what, _)| what == facet!("coissue").text());
            if pairs {
                body.request = wanted.hint;
                build::pair(e, body, Some(wanted.op));
                body.request = InstructionRequest::default();
            } else {
                append_requested(e, body, wanted);
            }
            pending_request = None;
        } else if e.chance(25) {
            build::pair(e, body, None);
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
    use lockstep_core::isa::facet::points;
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
    fn every_coverage_point_can_be_requested() {
        let (mut met, mut asked) = (0, 0);
        let mut missing: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for class in points::<D3d9>() {
            let request =
                ProgramRequest { class: Some(class.clone()), size: Some(6), ..ProgramRequest::default() };
            asked += 1;
            let program = program(&mut Entropy::seeded(asked), &request);
            if satisfies(&program, &request) {
                met += 1;
            } else {
                missing.entry(class.modifier.clone()).or_default().push(class.opcode.to_owned());
            }
        }
        println!("{met} of {asked} met");
        assert!(met * 100 >= asked * 99, "{met} of {asked}: {missing:#?}");
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
