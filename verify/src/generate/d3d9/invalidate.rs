//! Invalidation of a legal program: makes one change, which usually violates a rule.

use crate::generate::Entropy;
use lockstep_core::isa::d3d9::encode;
use lockstep_core::isa::d3d9::opcode::{END, Kind, Opcode, Row, TABLE};
use lockstep_core::isa::d3d9::program::{File, Index, Instruction, Program, Relative, Source, Version};
use lockstep_core::isa::d3d9::word::{InstructionWord, MAX_LENGTH};

pub(super) fn invalidate(e: &mut Entropy<'_>, program: &mut Program) {
    if program.instructions.is_empty() {
        return;
    }
    let at = e.below(program.instructions.len());
    match e.weighted(&[28, 30, 12, 12, 10, 6, 2, 6]) {
        0 => dest(e, &mut program.instructions[at]),
        1 => source(e, &mut program.instructions[at]),
        2 => head(e, &mut program.instructions[at]),
        3 => renumber(e, program, at),
        4 => flow(e, program, at),
        5 => missing(e, program),
        6 => version(e, program),
        _ => declaration(e, program),
    }
}

/// Changes a bit field of an instruction's first word, its predicate or its declared usage, or adds a surplus word.
fn head(e: &mut Entropy<'_>, i: &mut Instruction) {
    match e.below(6) {
        0 => i.control = e.below(256) as u8,
        1 => i.coissue ^= 1,
        2 => i.zero29 ^= 1,
        3 => {
            i.predicated = 1;
            i.predicate = Some(Source::register(File::Predicate, e.below(2) as u16, e.below(256) as u8));
        }
        4 => {
            if let Some(usage) = &mut i.usage {
                usage.usage = e.below(32) as u8;
                usage.texture = e.below(16) as u8;
            } else {
                i.control ^= 1 << e.below(3);
            }
        }
        _ => {
            // Adds words that the instruction does not use.
            i.surplus.push(e.bits() as u32 | 1 << 31);
        }
    }
}

fn relative(e: &mut Entropy<'_>) -> Relative {
    let file = [File::Loop, File::Address, File::Temporary, File::Int][e.below(4)];
    Relative::Indexed(Index { swizzle: e.below(256) as u8, ..Index::register(file, 0) })
}

fn number(e: &mut Entropy<'_>) -> u16 {
    match e.below(3) {
        0 => e.below(2048) as u16,
        1 => [11, 12, 15, 16, 31, 32, 95, 96, 255, 256, 2047][e.below(11)],
        _ => e.below(32) as u16,
    }
}

fn dest(e: &mut Entropy<'_>, i: &mut Instruction) {
    let Some(d) = &mut i.dest else { return head(e, i) };
    match e.weighted(&[20, 25, 15, 15, 10, 10, 5]) {
        0 => d.number = number(e),
        1 => d.file = e.below(32) as u8,
        2 => d.mask = [0, e.below(16) as u8][e.below(2)],
        3 => d.modifier = e.below(16) as u8,
        4 => d.shift = e.below(16) as u8,
        5 => d.relative = relative(e),
        _ => [d.zero14, d.one31] = [[1, d.one31], [d.zero14, 0]][e.below(2)],
    }
}

fn source(e: &mut Entropy<'_>, i: &mut Instruction) {
    let count = i.sources.len();
    if count == 0 {
        return dest(e, i);
    }
    let s = &mut i.sources[e.below(count)];
    match e.weighted(&[20, 25, 15, 25, 10, 5]) {
        0 => s.number = number(e),
        1 => s.file = e.below(32) as u8,
        2 => s.swizzle = e.below(256) as u8,
        3 => s.modifier = e.below(16) as u8,
        4 => s.relative = relative(e),
        _ => [s.zero14, s.one31] = [[1, s.one31], [s.zero14, 0]][e.below(2)],
    }
}

/// Changes the opcode to one with the same operands, or sometimes to an undefined one with as many words.
fn renumber(e: &mut Entropy<'_>, program: &mut Program, at: usize) {
    let version = program.version;
    let i = &mut program.instructions[at];
    let Some(now) = i.op().and_then(|op| op.operands(version)) else { return };
    let rows: Vec<&Row> = TABLE.iter().filter(|r| r.opcode.operands(version) == Some(now)).collect();
    match e.pick(&rows) {
        // An undefined opcode has no operands, only words.
        Some(_) if version.has_lengths() && e.chance(10) => {
            let count = i.length();
            *i = Instruction::new(Opcode::Nop);
            i.opcode = 49 + e.below(15) as u16;
            i.surplus.extend((0..count).map(|_| e.bits() as u32 | 1 << 31));
        }
        Some(row) => i.opcode = row.number,
        None => {}
    }
}

/// Duplicates or changes a declaration, definition, `phase`, `label` or `ret`, or drops all instructions after it.
/// Without any of these, drops all instructions but the first, or all.
fn declaration(e: &mut Entropy<'_>, program: &mut Program) {
    let is = |i: &Instruction| {
        i.op()
            .is_some_and(|op| op.row().kind == Kind::Declaration || matches!(op, Opcode::Label | Opcode::Ret))
    };
    let places: Vec<usize> =
        (0..program.instructions.len()).filter(|k| is(&program.instructions[*k])).collect();
    let Some(&place) = e.pick(&places) else { return program.instructions.truncate(e.below(2)) };
    match e.below(4) {
        0 => {
            let twice = program.instructions[place].clone();
            program.instructions.insert(place, twice);
        }
        1 => program.instructions.truncate(place + 1),
        2 => program.instructions[place].immediates.iter_mut().for_each(|v| *v ^= e.bits() as u32),
        _ => {
            let i = &mut program.instructions[place];
            if let Some(usage) = &mut i.usage {
                if e.chance(50) {
                    [usage.usage, usage.index] = [e.below(16) as u8, 0];
                } else {
                    usage.zero5 = e.below(2048) as u16;
                }
            }
            if let Some(label) = i.sources.first_mut() {
                label.number = e.below(40) as u16;
            }
        }
    }
}

/// Removes or duplicates a control-flow instruction, or inserts `else`, a block end, `ret` or `break`.
fn flow(e: &mut Entropy<'_>, program: &mut Program, at: usize) {
    let is_flow = |i: &Instruction| i.op().is_some_and(|op| op.row().kind == Kind::Flow);
    let places: Vec<usize> =
        (0..program.instructions.len()).filter(|k| is_flow(&program.instructions[*k])).collect();
    match e.pick(&places) {
        Some(place) if e.chance(50) => {
            program.instructions.remove(*place);
        }
        Some(place) if e.chance(40) => {
            let twice = program.instructions[*place].clone();
            program.instructions.insert(*place, twice);
        }
        _ => {
            let all =
                [Opcode::Else, Opcode::Endif, Opcode::Endrep, Opcode::Endloop, Opcode::Ret, Opcode::Break];
            program.instructions.insert(at, Instruction::new(all[e.below(all.len())]));
        }
    }
}

/// Removes a `dcl` or the last instruction.
fn missing(e: &mut Entropy<'_>, program: &mut Program) {
    let is = |i: &Instruction| i.op() == Some(Opcode::Dcl);
    let places: Vec<usize> =
        (0..program.instructions.len()).filter(|k| is(&program.instructions[*k])).collect();
    match e.pick(&places) {
        Some(place) if e.chance(70) => _ = program.instructions.remove(*place),
        _ => _ = program.instructions.pop(),
    }
}

/// Changes the version to another one with the same length encoding, or to an undefined one.
fn version(e: &mut Entropy<'_>, program: &mut Program) {
    let Version { stage, major, .. } = program.version;
    program.version = match e.below(3) {
        0 => Version { stage, major, minor: e.below(256) as u8 },
        1 if major >= 2 => Version { stage, major: e.between(2, 9) as u8, minor: 0 },
        _ => Version { stage, major, minor: e.below(5) as u8 },
    };
}

/// Returns bytes that resemble a program: a version, then random instructions, nearly all with the right number of words.
pub(super) fn noise(e: &mut Entropy<'_>) -> Vec<u8> {
    use lockstep_core::isa::d3d9::profile::Profile;
    let profile = *e.pick(Profile::ALL).unwrap_or(&Profile::Ps20);
    let version = profile.version();
    let mut words: Vec<u32> = vec![encode::version(version)];
    for _ in 0..e.between(1, 8) {
        let Some(row) = e.pick(TABLE) else { break };
        let Some(o) = row.opcode.operands(version) else { continue };
        let count = u8::from(o.usage) + u8::from(o.dest) + o.sources + o.immediates;
        let count = if e.chance(6) { e.below(MAX_LENGTH + 1) as u8 } else { count };
        let length = if version.has_lengths() && row.opcode != Opcode::Phase { count } else { 0 };
        // Controls above those of comparisons are rarely valid.
        let control = if e.chance(20) { InstructionWord::from_word(e.bits() as u32).control % 8 } else { 0 };
        words.push(Instruction { control, ..Instruction::new(row.opcode) }.first_word(length).to_word());
        for _ in 0..count {
            let word = e.bits() as u32;
            // Relative addresses take words of their own.
            let direct = || Source { one31: 1, ..Source::from_word(word, Relative::Direct) }.to_word();
            words.push(if e.chance(85) { direct() } else { word });
        }
    }
    if e.chance(90) {
        words.push(END.into());
    }
    let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    if e.chance(10) {
        // There are only four bytes if the version has none of the opcodes drawn and there is no end token.
        let end = bytes.len() - e.below(8.min(bytes.len() + 1));
        bytes.truncate(end);
    }
    bytes
}

/// Joins the beginning of one program and the end of another of the same version. Closes blocks that lost their end, and drops ends that lost
/// their block, calls, `label` and `ret`.
pub(super) fn splice(e: &mut Entropy<'_>, a: &Program, b: &Program) -> Option<Program> {
    if a.version != b.version {
        return None;
    }
    let (cut, from) = (e.between(1, a.instructions.len()), e.below(b.instructions.len() + 1));
    let first = a.instructions.iter().take(cut);
    let declares =
        |i: &&Instruction| i.op().is_some_and(|op| op.row().kind == Kind::Declaration && op != Opcode::Phase);
    // Adds the declarations that the second half needs.
    let heads = b.instructions.iter().take(from).filter(declares);
    let mut instructions: Vec<Instruction> =
        first.chain(heads).chain(b.instructions.iter().skip(from)).cloned().collect();
    let mut open: Vec<Opcode> = Vec::new();
    instructions.retain(|i| match i.op() {
        Some(Opcode::If | Opcode::Ifc) => {
            open.push(Opcode::Endif);
            true
        }
        Some(Opcode::Rep) => {
            open.push(Opcode::Endrep);
            true
        }
        Some(Opcode::Loop) => {
            open.push(Opcode::Endloop);
            true
        }
        Some(end @ (Opcode::Endif | Opcode::Endrep | Opcode::Endloop)) => {
            open.pop_if(|o| *o == end).is_some()
        }
        Some(Opcode::Else) => open.last() == Some(&Opcode::Endif),
        Some(Opcode::Call | Opcode::Callnz | Opcode::Label | Opcode::Ret) => false,
        Some(Opcode::Break | Opcode::Breakc | Opcode::Breakp) => open.iter().any(|o| *o != Opcode::Endif),
        _ => true,
    });
    instructions.extend(open.into_iter().rev().map(Instruction::new));
    (!instructions.is_empty()).then(|| Program {
        version: a.version,
        instructions,
        comments: Vec::new(),
        tail: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::d3d9::profile::Profile;
    use lockstep_core::isa::d3d9::program::Dest;

    #[test]
    fn noise_may_be_empty() {
        // The result is empty if the version has none of the opcodes drawn, there is no end token, and the truncation removes the version.
        let lengths: Vec<usize> = (0..50_000).map(|seed| noise(&mut Entropy::seeded(seed)).len()).collect();
        assert!(lengths.contains(&0) && lengths.contains(&1));
    }

    #[test]
    fn only_programs_of_one_version_are_spliced() {
        let program = |profile: Profile| Program {
            version: profile.version(),
            instructions: vec![{
                let mut i = Instruction::new(Opcode::Mov);
                i.dest = Some(Dest::register(File::Temporary, 0, 15));
                i.sources.push(Source::register(File::Constant, 0, Source::XYZW));
                i
            }],
            comments: Vec::new(),
            tail: Vec::new(),
        };
        let (a, b) = (program(Profile::Ps20), program(Profile::Ps30));
        assert!(splice(&mut Entropy::seeded(1), &a, &b).is_none());
        assert!(splice(&mut Entropy::seeded(1), &a, &a).is_some());
    }
}
