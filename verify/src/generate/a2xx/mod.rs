//! Generator for A2xx programs, based on the opcode tables.

/// The name of a facet, checked against the table at compile time.
macro_rules! facet {
    ($name:expr) => {
        const { lockstep_core::isa::facet::Name::of(lockstep_core::isa::a2xx::facets::FACETS, $name) }
    };
}

mod alu;
mod body;
mod branch;
mod drain;
mod fetch;
mod flow;
mod invalidate;
mod link;
mod never_together;
mod operands;
mod range;
mod source;
mod splice;
mod weights;

use super::{BufferNeed, Entropy, Generate, Health, Needs, NeverTogether, ProgramRequest};
use crate::generate::requested::has_opcode;
use crate::generate::retry::{first_granted, invalidated, until};
use body::Body;
use lockstep_core::host::{Dimension, FetchKind};
use lockstep_core::isa::a2xx::interface::{XENOS, shader_of};
use lockstep_core::isa::a2xx::opcode::{CfOp, FetchOp, ScalarOp, VectorOp};
use lockstep_core::isa::a2xx::program::{Program, Shader, Slot, Vertex};
use lockstep_core::isa::a2xx::{A2xx, validate};
use lockstep_core::isa::{Context, Format, Level, Stage};

/// The maximum number of programs tried for a requested opcode.
const PROGRAMS: usize = 40;
/// The maximum number of invalidations tried until a program violates a rule.
const INVALIDATIONS: usize = 8;
/// The maximum number of slots that a program is planned to have.
const LARGEST: usize = 90;

impl Generate for A2xx {
    const STAGES: &'static [Stage] = &[Stage::Vertex, Stage::Fragment];
    const NEVER_TOGETHER: &'static [NeverTogether] = never_together::NEVER_TOGETHER;

    // Programs write some exports repeatedly, which causes a warning. Every write is an effect and is compared.
    const HEALTH: Health =
        Health { uninformative: 9.4, clean: 86.2, live: 78.7, mutants: 75.0, ..Health::USUAL };

    fn program(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        first_granted(e, request, PROGRAMS, build, |program| has_opcode::<A2xx>(program, request))
    }

    fn near_valid(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        let valid = build(e, request);
        // Most programs must be refused; some only cause a warning.
        let wanted = if e.chance(12) { Level::Warning } else { Level::Error };
        let invalidate_once = |e: &mut Entropy<'_>, mut program: Program| {
            if let Some(shader) = program.shaders.first_mut() {
                invalidate::invalidate(e, shader);
            }
            link::with_resized_container(program)
        };
        invalidated(e, &valid, INVALIDATIONS, invalidate_once, |program| level(program) == Some(wanted))
    }

    fn noise(e: &mut Entropy<'_>) -> Vec<u8> {
        let area = e.between(1, 3);
        let slots = e.between(1, 8);
        let mut bytes = Vec::new();
        for k in 0..area {
            let mut words = [e.bits() & 0xffff_ffff_ffff, e.bits() & 0xffff_ffff_ffff];
            // Random clauses rarely run a slot, so the second word is mostly replaced by a valid one.
            if e.chance(70) {
                let end = if k + 1 == area { 2 } else { 1 };
                let count = e.between(1, slots.min(6)) as u64;
                words[1] = end << 44 | (e.bits() & 0xfff) << 16 | count << 12 | area as u64;
            }
            for word in words {
                bytes.extend(&word.to_le_bytes()[..6]);
            }
        }
        for _ in 0..slots {
            bytes.extend(e.bytes(12));
            bytes.resize(bytes.len().next_multiple_of(12), 0);
        }
        if e.chance(20) {
            let end = bytes.len() - e.below(12);
            bytes.truncate(end);
        }
        bytes
    }

    fn needs(cx: &Context<'_, A2xx>) -> Needs {
        let mut needs = Needs { bytes: true, ..Needs::default() };
        let Some(shader) = shader_of(cx.program, cx.entry) else { return needs };
        let xenos = cx.entry.version == XENOS;
        for slot in &shader.slots {
            match slot {
                Slot::Vertex(v) => needs.buffers.push(buffer(v, xenos)),
                Slot::Texture(t) => {
                    let dimension = match (xenos, t.dimension & 3) {
                        (true, 0) => Dimension::One,
                        (true, 2) => Dimension::Three,
                        (true, 3) => Dimension::Cube,
                        // Adreno uses the dimension that the texture itself has.
                        (false, _) if t.const_index % 4 == 3 => Dimension::Cube,
                        (false, _) if t.const_index % 4 == 2 => Dimension::Three,
                        _ => Dimension::Two,
                    };
                    if needs.textures.iter().all(|(unit, _)| *unit != t.const_index) {
                        needs.textures.push((t.const_index, dimension));
                    }
                }
                Slot::Alu(_) | Slot::Raw(_) => {}
            }
        }
        needs
    }

    fn splice(e: &mut Entropy<'_>, a: &Program, b: &Program) -> Option<Program> {
        splice::splice(e, a, b)
    }
}

/// Returns the buffer that a vertex fetch needs.
fn buffer(v: &Vertex, xenos: bool) -> BufferNeed {
    let kind = match v.format {
        36 | 37 | 38 | 57 => FetchKind::Float32,
        30..=32 if xenos => FetchKind::Float16Finite,
        30..=32 => FetchKind::Float16,
        _ => match (v.integer != 0, v.signed != 0) {
            (true, true) => FetchKind::Sint,
            (true, false) => FetchKind::Uint,
            (false, true) => FetchKind::Snorm,
            (false, false) => FetchKind::Unorm,
        },
    };
    let unit = if xenos { 4 } else { 1 };
    let offset = if v.offset >> 22 & 1 == 0 { v.offset } else { 0 };
    // Fetches at the indices of ordinary lanes stay within this size.
    let bytes = (u32::from(v.stride) * 9).saturating_add(offset).saturating_mul(unit).saturating_add(16);
    BufferNeed { number: 3 * v.const_index + v.const_sub, words: bytes.div_ceil(4), kind }
}

/// Returns the highest level of the violations in a program; `None` if there are none.
fn level(program: &Program) -> Option<Level> {
    let entries = A2xx::entries(program);
    entries.iter().flat_map(|entry| validate::validate(program, entry)).map(|violation| violation.level).max()
}

/// The operation that a request names.
#[derive(Clone, Copy, Debug)]
enum Op {
    Flow(CfOp),
    Vector(VectorOp),
    Scalar(ScalarOp),
    Fetch(FetchOp),
}

fn operation(name: &str) -> Option<Op> {
    None.or_else(|| CfOp::from_mnemonic(name).map(Op::Flow))
        .or_else(|| VectorOp::from_mnemonic(name).map(Op::Vector))
        .or_else(|| ScalarOp::from_mnemonic(name).map(Op::Scalar))
        .or_else(|| FetchOp::from_mnemonic(name).map(Op::Fetch))
}

/// Builds a program that satisfies the request on a best-effort basis.
fn build(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
    let op = request.opcode.and_then(operation);
    let stage = stage(e, request, op);
    let xenos = request.version == Some(XENOS) || request.version.is_none() && e.chance(8);
    let packed = e.chance(5) || stage == Stage::Fragment && matches!(op, Some(Op::Fetch(FetchOp::Vertex)));
    let shader = write(e, request, op, stage, xenos);
    if xenos {
        return link::xenos(stage, shader);
    }
    if !packed {
        return link::bare(shader);
    }
    let mut shaders = vec![(stage, shader)];
    if op.is_none() && request.stage.is_none() && e.chance(50) {
        let small = ProgramRequest { size: Some(4), ..ProgramRequest::default() };
        let other = if stage == Stage::Vertex { Stage::Fragment } else { Stage::Vertex };
        let second = write(e, &small, None, other, false);
        shaders.push((other, second));
    }
    link::packets(shaders)
}

/// Returns the requested stage, or one in which the operation can be used.
fn stage(e: &mut Entropy<'_>, request: &ProgramRequest, op: Option<Op>) -> Stage {
    let kills = match op {
        Some(Op::Vector(op)) => op.kills(),
        Some(Op::Scalar(op)) => op.kills(),
        _ => false,
    };
    let drawn = match op {
        _ if kills => Stage::Fragment,
        Some(Op::Fetch(FetchOp::Vertex)) => Stage::Vertex,
        Some(Op::Fetch(_)) => Stage::Fragment,
        _ => A2xx::STAGES[e.weighted(&[55, 45])],
    };
    request.stage.filter(|stage| A2xx::STAGES.contains(stage)).unwrap_or(drawn)
}

/// Generates one shader.
fn write(e: &mut Entropy<'_>, request: &ProgramRequest, op: Option<Op>, stage: Stage, xenos: bool) -> Shader {
    let size = request.size.unwrap_or_else(|| match e.weighted(&[38, 42, 15, 5]) {
        0 => e.between(1, 6),
        1 => e.between(7, 20),
        2 => e.between(21, 45),
        _ => e.between(46, LARGEST),
    });
    let size = size.min(LARGEST);
    let mut body = Body::new(stage, request.opcode.unwrap_or_default());
    body.xenos = xenos;
    body.relative = e.chance(40);
    body.allows_warnings = e.chance(4);
    registers(e, &mut body);
    drain::plan(e, &mut body);
    let at = op.map(|_| e.below(size.max(1)));
    let mut granted = false;
    while body.at() < size && (!e.is_exhausted() || body.at() == 0) {
        if let Some(op) = op
            && at.is_some_and(|at| body.at() >= at)
            && (!granted || e.chance(15))
        {
            append_requested(e, &mut body, op);
            granted = true;
        } else {
            let left = size - body.at();
            flow::step(e, &mut body, left);
        }
        until(&mut body, |body| body.unread_registers().len() <= 10, |body| drain::combine(e, body));
    }
    if let Some(op) = op
        && !granted
    {
        append_requested(e, &mut body, op);
    }
    drain::end(e, &mut body);
    link::shader(e, &body)
}

/// Appends an instruction with this operation, preceded by the setup it needs.
fn append_requested(e: &mut Entropy<'_>, body: &mut Body, op: Op) {
    match op {
        Op::Flow(op) => flow::flow(e, body, op, 6),
        Op::Fetch(op) => fetch::fetch(e, body, op),
        Op::Vector(op) => alu::slot(e, body, Some(op), None),
        Op::Scalar(op) => {
            let beside = e.chance(30).then_some(VectorOp::Mul);
            alu::slot(e, body, beside, Some(op));
        }
    }
}

/// Chooses the input registers, working registers and constants to use, so that programs need small environments.
fn registers(e: &mut Entropy<'_>, body: &mut Body) {
    let inputs = e.between(2, 4) as u8;
    let first = if e.chance(85) { 0 } else { e.below(48) as u8 };
    body.inputs = (first..first + inputs).collect();
    let count = [4, 3, 6, 10][e.weighted(&[40, 20, 25, 15])];
    let next = if e.chance(85) { first + inputs } else { first + inputs + e.below(64) as u8 };
    body.working =
        (0..64u8).map(|k| (next + k) & 63).filter(|n| !body.inputs.contains(n)).take(count).collect();
    let constants = e.between(2, 6);
    let first = if e.chance(75) { 0 } else { e.below(250) };
    body.constants = (first..first + constants).map(|n| n as u8).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::a2xx::program::Kind;
    use lockstep_core::isa::a2xx::rules::{RULES, Rule};
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_is_broken_by_some_program_that_is_nearly_valid() {
        let mut broken = BTreeSet::new();
        for seed in 0..3000 {
            let request = ProgramRequest { size: Some(6), ..ProgramRequest::default() };
            let program = A2xx::near_valid(&mut Entropy::seeded(seed), &request);
            for entry in A2xx::entries(&program) {
                broken.extend(validate::validate(&program, &entry).into_iter().map(|v| v.code));
            }
        }
        // A program always matches its own entries.
        let never = Rule::EntryMismatch.row().code;
        let missing: Vec<u16> = RULES
            .iter()
            .map(|row| row.code)
            .filter(|code| !broken.contains(code) && *code != never)
            .collect();
        assert_eq!(missing, Vec::<u16>::new());
    }

    #[test]
    fn containers_of_both_stages_round_trip() {
        let (mut kinds, mut both) = (BTreeSet::new(), 0);
        for seed in 0..300 {
            let program = A2xx::program(&mut Entropy::seeded(seed), &ProgramRequest::default());
            assert_eq!(A2xx::decode(&A2xx::encode(&program)).as_ref(), Ok(&program), "seed {seed}");
            let stages: BTreeSet<_> = A2xx::entries(&program).iter().map(|e| e.stage as u8).collect();
            both += u32::from(stages.len() == 2);
            kinds.insert(program.kind as u8);
        }
        assert_eq!(kinds, [Kind::Bare, Kind::Xenos, Kind::Packets].map(|kind| kind as u8).into());
        assert!(both > 2, "{both}");
    }
}
