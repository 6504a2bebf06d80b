//! Generator for PICA200 programs, based on the opcode table.

mod body;
mod build;
mod drain;
mod flow;
mod geometry;
mod invalidate;
mod link;
mod range;
mod source;

use super::{Entropy, Generate, Health, Needs, ProgramRequest};
use crate::generate::retry::{is_noticed, until};
use body::{Body, Output, Word};
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::pica200::decode::RAW_MAGIC;
use lockstep_core::isa::pica200::interface::output_mask;
use lockstep_core::isa::pica200::opcode::{Opcode, TABLE};
use lockstep_core::isa::pica200::program::{Container, DESCRIPTORS, Instruction, MEMORY, Program, Raw};
use lockstep_core::isa::pica200::word::fields;
use lockstep_core::isa::{Context, Format, Stage};
use lockstep_core::value::Narrow;

/// The maximum number of invalidations tried until a program violates a rule.
const INVALIDATIONS: usize = 6;
/// The maximum number of words that a program is planned to have.
const LARGEST: usize = 90;

impl Generate for Pica200 {
    const STAGES: &'static [Stage] = &[Stage::Vertex, Stage::Geometry];
    // Temporaries, a0, aL and cmp keep their values from the previous program, so reading an unwritten register only causes a warning. In generated
    // environments they start as 0, so programs that rely on this can be run.
    const HEALTH: Health = Health {
        uninformative: 12.0,
        clean: 53.2,
        live: 75.3,
        reached: 98.0,
        refused: 77.0,
        mutants: 74.4,
        ..Health::USUAL
    };

    fn program(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        build(e, request)
    }

    fn near_valid(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        let valid = build(e, request);
        let mut program = valid.clone();
        for _ in 0..INVALIDATIONS {
            program.clone_from(&valid);
            invalidate::invalidate(e, &mut program);
            let whole = Pica200::decode(&Pica200::encode(&program)).is_ok_and(|again| again == program);
            if whole && (e.is_exhausted() || is_noticed::<Pica200>(&program)) {
                return program;
            }
        }
        valid
    }

    fn noise(e: &mut Entropy<'_>) -> Vec<u8> {
        let mut bytes = RAW_MAGIC.to_vec();
        let (words, rows) = (e.between(1, 24), e.between(1, 6));
        bytes.extend((e.below(2) as u16).to_le_bytes());
        bytes.extend((e.bits() as u16).to_le_bytes());
        let start = if e.chance(90) { e.below(3) as u32 } else { e.bits() as u32 };
        for number in [start, words as u32, rows as u32] {
            bytes.extend(number.to_le_bytes());
        }
        for _ in 0..words {
            let mut word = e.bits() as u32;
            // Most numbers are opcodes, but few descriptors and targets exist.
            if let Some(row) = e.pick(TABLE) {
                let near = if row.opcode.has_descriptor() { !0x78 } else { !(0xff8 << 10 | 0xf8) };
                word = row.number << 26 | word & 0x03ff_ffff & near;
            }
            bytes.extend(word.to_le_bytes());
        }
        for _ in 0..rows {
            bytes.extend((e.bits() as u32).to_le_bytes());
            bytes.extend([0; 4]);
        }
        if e.chance(20) {
            let end = bytes.len() - e.below(12);
            bytes.truncate(end);
        }
        bytes
    }

    fn needs(_cx: &Context<'_, Pica200>) -> Needs {
        Needs { bytes: true, narrow: Some(Narrow::F24Zero), ..Needs::default() }
    }

    fn splice(e: &mut Entropy<'_>, a: &Program, b: &Program) -> Option<Program> {
        let first = Pica200::entries(a).into_iter().next()?;
        let (cut, from) = (e.between(1, a.code.len()), e.below(b.code.len() + 1));
        let mut code: Vec<Instruction> = a.code.iter().take(cut).copied().collect();
        let mut descriptors: Vec<_> = a.descriptors.iter().take(DESCRIPTORS).copied().collect();
        let shift = descriptors.len();
        descriptors.extend(b.descriptors.iter().take(DESCRIPTORS - shift));
        let moved =
            |target: u32| target.saturating_sub(from as u32).saturating_add(cut as u32).min(MEMORY - 1);
        for instruction in b.code.iter().skip(from) {
            let mut instruction = *instruction;
            if instruction.flow().is_some() && instruction.op() != Some(Opcode::Breakc) {
                instruction = instruction.with_field(fields::DST, moved(instruction.field(fields::DST)));
            }
            if let Some(desc) = instruction.desc() {
                let most = if instruction.layout().field(fields::SRC3).is_some() { 32 } else { DESCRIPTORS };
                let number = usize::from(desc) + shift;
                // A number that does not fit the shorter field is left unchanged.
                let number = if number < most { number } else { usize::from(desc) };
                instruction = instruction.with_field(fields::DESC, number as u32);
            }
            code.push(instruction);
        }
        code.truncate(MEMORY as usize);
        if code.is_empty() {
            return None;
        }
        let start = if first.start < code.len() as u32 { first.start } else { 0 };
        let raw = Raw { stage: first.stage, output_mask: output_mask(&first), start };
        Some(Program { container: Container::Raw(raw), code, descriptors })
    }
}

/// Converts a request to an operation and a stage.
fn decide(e: &mut Entropy<'_>, request: &ProgramRequest) -> (Option<Opcode>, Stage) {
    let row = request.opcode.and_then(|name| TABLE.iter().find(|row| row.mnemonic == name));
    let stage = request.stage.filter(|stage| Pica200::STAGES.contains(stage));
    let stage = stage.unwrap_or(Pica200::STAGES[e.weighted(&[84, 16])]);
    match row {
        // An operation that only one stage has determines the stage.
        Some(row) if !row.stages.contains(&stage) => (Some(row.opcode), row.stages[0]),
        row => (row.map(|row| row.opcode), stage),
    }
}

/// Builds a program.
fn build(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
    let (op, stage) = decide(e, request);
    let size = request.size.unwrap_or_else(|| match e.weighted(&[38, 42, 15, 5]) {
        0 => e.between(1, 6),
        1 => e.between(7, 20),
        2 => e.between(21, 45),
        _ => e.between(46, LARGEST),
    });
    let file = e.chance(20);
    let procedures_first = e.chance(20);
    let mut body = Body::new(stage);
    write(e, &mut body, op, size.min(LARGEST));
    if !file {
        return link::raw(&body, procedures_first);
    }
    let mut bodies = vec![body];
    if op.is_none() && e.chance(40) {
        let stage = request.stage.unwrap_or(Pica200::STAGES[e.below(2)]);
        let mut other = Body::new(if Pica200::STAGES.contains(&stage) { stage } else { Stage::Vertex });
        other.descriptors.clone_from(&bodies[0].descriptors);
        let size = e.between(1, 8);
        write(e, &mut other, None, size);
        bodies.push(other);
    }
    link::shbin(e, &bodies, procedures_first)
}

/// Generates a main program and its procedures.
fn write(e: &mut Entropy<'_>, body: &mut Body, op: Option<Opcode>, size: usize) {
    // Some coverage points exist only in programs that cause warnings.
    body.allows_warnings = e.chance(5);
    body.working = [4, 3, 6, 10, 16][e.weighted(&[40, 20, 20, 10, 10])];
    choose_registers(e, body);
    let at = op.map(|_| e.below(size.max(1)));
    let own = !matches!(op, Some(Opcode::Emit | Opcode::Setemit));
    while body.at() < size && (!e.is_exhausted() || body.at() == 0) {
        match op {
            Some(op) if own && at.is_some_and(|at| body.at() >= at) && e.chance(40) => {
                instruction_with_setup(e, body, op);
            }
            _ => {
                let left = size - body.at();
                flow::step(e, body, left);
            }
        }
        until(body, |body| body.unread_temporaries().len() <= 10, |body| drain::combine(e, body));
    }
    if let Some(op) = op
        && own
        && !op_is_there(body, op)
    {
        instruction_with_setup(e, body, op);
    }
    if body.stage == Stage::Geometry {
        match op {
            Some(op) if !own => instruction_with_setup(e, body, op),
            _ => geometry::vertices(e, body, size.min(6)),
        }
    } else {
        drain::outputs(e, body);
    }
}

fn op_is_there(body: &Body, op: Opcode) -> bool {
    let words = body.parts.iter().flat_map(|part| &part.words);
    words.into_iter().any(|word| match word {
        Word::Plain(i) | Word::Described(i, _) | Word::Flow(i) | Word::Call(i, _) => i.op() == Some(op),
    })
}

/// Appends an instruction with this operation, which must be legal at this position, preceded by the setup it needs.
fn instruction_with_setup(e: &mut Entropy<'_>, body: &mut Body, op: Opcode) {
    match op {
        Opcode::Nop => {
            build::arithmetic(e, body);
            body.bare(Opcode::Nop);
            build::arithmetic(e, body);
        }
        Opcode::Emit | Opcode::Setemit => {
            let count = e.between(1, 2);
            (0..count).for_each(|number| geometry::vertex(e, body, number, 2));
        }
        Opcode::Cmp => {
            build::compare(e, body);
            flow::flow(e, body, Opcode::Ifc, 4);
        }
        Opcode::Mova => {
            build::arithmetic(e, body);
            build::mova(e, body);
            build::instruction(e, body, Opcode::Mov);
        }
        _ if op.has_dest() => build::instruction(e, body, op),
        _ => flow::flow(e, body, op, 6),
    }
}

/// Chooses the outputs of the program and a few registers to read, so that programs need small environments.
fn choose_registers(e: &mut Entropy<'_>, body: &mut Body) {
    let geometry = body.stage == Stage::Geometry;
    let count = if geometry { e.between(2, 4) } else { 1 + e.weighted(&[35, 35, 20, 10]) };
    let first = if e.chance(80) { 0 } else { e.below(17 - count) };
    // Geometry programs have seven outputs.
    let first = if geometry { first.min(7 - count) } else { first };
    body.outputs = (0..count).map(|k| Output { number: (first + k) as u8, left: 0xf }).collect();
    let inputs = e.between(2, 4);
    let first = if e.chance(80) { 0 } else { e.below(17 - inputs) };
    body.inputs = (0..inputs).map(|k| (first + k) as u8).collect();
    let uniforms = e.between(2, 6);
    let first = if e.chance(70) { 0 } else { e.below(97 - uniforms) };
    body.uniforms = (0..uniforms).map(|k| (first + k) as u8).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::pica200::rules::{RULES, Rule};
    use lockstep_core::isa::pica200::validate;
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_is_broken_by_some_program_that_is_nearly_valid() {
        let mut broken = BTreeSet::new();
        for seed in 0..3000 {
            let request = ProgramRequest { size: Some(6), ..ProgramRequest::default() };
            let program = Pica200::near_valid(&mut Entropy::seeded(seed), &request);
            for entry in Pica200::entries(&program) {
                broken.extend(validate::validate(&program, &entry).into_iter().map(|v| v.code));
            }
        }
        // A program always matches its own entries, and programs larger than memory would take most of the tests' time.
        let never = [Rule::EntryMismatch, Rule::CodeLength].map(|rule| rule.row().code);
        let missing: Vec<u16> = RULES
            .iter()
            .map(|row| row.code)
            .filter(|code| !broken.contains(code) && !never.contains(code))
            .collect();
        assert_eq!(missing, Vec::<u16>::new());
    }

    #[test]
    fn some_files_have_several_entries_and_constants() {
        let (mut files, mut several, mut shared, mut constants) = (0, 0, 0, 0);
        for seed in 0..600 {
            let program = Pica200::program(&mut Entropy::seeded(seed), &ProgramRequest::default());
            let Container::Shbin(shbin) = &program.container else { continue };
            let starts: BTreeSet<u32> = shbin.dvles.iter().map(|dvle| dvle.main).collect();
            files += 1;
            several += u32::from(starts.len() > 1);
            shared += u32::from(starts.len() < shbin.dvles.len());
            constants += u32::from(shbin.dvles.iter().any(|dvle| !dvle.constants.rows.is_empty()));
        }
        assert!(
            files > 60 && several > 10 && shared > 10 && constants > 40,
            "{files} {several} {shared} {constants}"
        );
    }
}
