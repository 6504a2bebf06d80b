//! Invalidation of a valid program: makes one change, which usually violates a rule. For each rule that one change can violate, there is a change.

use crate::generate::Entropy;
use lockstep_core::isa::pica200::container::Dvle;
use lockstep_core::isa::pica200::opcode::{Opcode, TABLE};
use lockstep_core::isa::pica200::program::{
    CALL_DEPTH, Container, IF_DEPTH, Instruction, LOOP_DEPTH, MEMORY, Program,
};
use lockstep_core::isa::pica200::word::{Comparison, fields};

/// Opcode numbers without a known meaning.
const UNKNOWN: [u32; 10] = [0x10, 0x11, 0x14, 0x15, 0x16, 0x17, 0x1c, 0x1d, 0x1e, 0x1f];

fn entries(program: &mut Program) -> Vec<&mut Dvle> {
    match &mut program.container {
        Container::Shbin(shbin) => shbin.dvles.iter_mut().collect(),
        Container::Raw(_) => Vec::new(),
    }
}

fn set_start(program: &mut Program, start: u32) {
    if let Container::Raw(raw) = &mut program.container {
        raw.start = start;
    }
    for dvle in entries(program) {
        dvle.main = start;
    }
}

/// Returns the positions of instructions that satisfy a condition.
fn places(program: &Program, which: impl Fn(&Instruction) -> bool) -> Vec<usize> {
    (0..program.code.len()).filter(|at| which(&program.code[*at])).collect()
}

/// Returns an instruction without operands.
fn word(op: Opcode) -> Instruction {
    Instruction::from_word(op.row().number << 26)
}

pub(super) fn invalidate(e: &mut Entropy<'_>, program: &mut Program) {
    let at = e.below(program.code.len());
    let flows = places(program, |i| i.flow().is_some() && i.op() != Some(Opcode::Breakc));
    let described = places(program, |i| i.desc().is_some());
    let some = |e: &mut Entropy<'_>, from: &[usize]| e.pick(from).copied();
    match e.weighted(&[16, 14, 14, 12, 5, 10, 8, 4, 5, 5, 4, 4, 3, 9]) {
        0 => {
            let number = e.pick(&UNKNOWN).copied().unwrap_or(0x10);
            program.code[at] = Instruction::from_word(number << 26 | e.bits() as u32 & 0x03ff_ffff);
        }
        1 => {
            // Uses a descriptor number past the end of the table.
            let rows = program.descriptors.len() as u32;
            if let Some(at) = some(e, &described) {
                let number = if e.chance(50) { rows } else { rows + e.below(96) as u32 };
                let most = if program.code[at].layout().field(fields::SRC3).is_some() { 31 } else { 127 };
                let file = matches!(program.container, Container::Shbin(_));
                if number > most && !file {
                    program.descriptors.truncate(program.code[at].desc().unwrap_or_default().into());
                } else {
                    program.code[at] = program.code[at].with_field(fields::DESC, number.min(most));
                }
            }
        }
        2 => {
            // Sets a target past the end of memory.
            let at = some(e, &flows).unwrap_or(at);
            if program.code[at].flow().is_none() {
                program.code[at] = word(Opcode::Jmpc);
            }
            let dst = [4095, 512, 4000, 1024][e.below(4)];
            program.code[at] = program.code[at].with_field(fields::DST, dst).with_field(fields::NUM, 255);
        }
        3 => {
            // Places a break outside loops, or at a position where it is not allowed.
            let loops = places(program, |i| i.op() == Some(Opcode::Loop));
            match some(e, &loops) {
                Some(at) if e.chance(60) => program.code[at] = word(Opcode::Break),
                _ => program.code[at] = word([Opcode::Break, Opcode::Breakc][e.below(2)]),
            }
        }
        4 => {
            let emission = word(Opcode::Setemit).with_field(fields::VTX, 3);
            program.code[at] = if e.chance(60) { emission } else { word(Opcode::Emit) };
        }
        5 => set_start(program, [program.code.len() as u32, u32::MAX, 4096][e.below(3)]),
        6 => {
            let kind = 2 + e.below(254) as u8;
            if entries(program).is_empty() {
                set_start(program, u32::MAX - 1);
            }
            for dvle in entries(program) {
                dvle.kind = kind;
            }
        }
        7 => {
            // Changes the operation and keeps the operand bits.
            if let Some(row) = e.pick(TABLE) {
                let bits = program.code[at].to_word() & 0x03ff_ffff;
                program.code[at] = Instruction::from_word(row.number << 26 | bits);
            }
        }
        8 => {
            // Prepends nops up to a size of at least 513 words; a vertex unit holds 512. A SHBIN file cannot contain that many.
            if let Container::Shbin(_) = program.container {
                set_start(program, u32::MAX);
            } else {
                let nops = 513 - program.code.len().min(512);
                program.code.splice(0..0, vec![word(Opcode::Nop); nops + e.below(8)]);
            }
        }
        9 => {
            // Flips a random bit of the word.
            program.code[at] = Instruction::from_word(program.code[at].to_word() ^ 1 << e.below(32));
        }
        10 => {
            // Moves the end of a scope.
            if let Some(at) = some(e, &flows) {
                let dst = program.code[at].field(fields::DST) + 1;
                let dst = dst.saturating_sub(2 * e.below(2) as u32).min(MEMORY - 1);
                program.code[at] = program.code[at].with_field(fields::DST, dst);
            }
        }
        11 => {
            let ends = places(program, |i| i.op() == Some(Opcode::End));
            for at in ends {
                program.code[at] = word(Opcode::Nop);
            }
        }
        12 => {
            // Replaces a word, such as the last one of a scope, by a jump.
            let bits = (program.code.len() as u32 - 1) << 10;
            program.code[at] = Instruction::from_word(Opcode::Jmpc.row().number << 26 | bits);
        }
        _ => {
            // Inserts an unusual sequence that runs before the program. A SHBIN file cannot contain it.
            if let Container::Raw(raw) = &mut program.container {
                let (base, start) = (program.code.len() as u32, raw.start);
                program.code.extend(unusual_sequence(e, base, start));
                raw.start = base;
            } else if let Some(at) = some(e, &described) {
                program.code[at] = word(Opcode::Cmp).with_field(fields::CMPX, unknown_operator(e));
            }
        }
    }
}

/// Returns one of several sequences that assemblers do not emit. It is placed at `base` and continues at `start`.
fn unusual_sequence(e: &mut Entropy<'_>, base: u32, start: u32) -> Vec<Instruction> {
    let flow =
        |op: Opcode, dst: u32, num: u32| word(op).with_field(fields::DST, dst).with_field(fields::NUM, num);
    let nops = |count: u32| vec![word(Opcode::Nop); count as usize];
    // Two jumps on opposite conditions, one of which is always taken.
    let on = || [flow(Opcode::Jmpu, start, 0), flow(Opcode::Jmpu, start, 1)];
    let mut code = Vec::new();
    let [calls, blocks, loops] = [CALL_DEPTH, IF_DEPTH, LOOP_DEPTH].map(|depth| depth as u32 + 1);
    match e.below(9) {
        0 => {
            code.push(flow(Opcode::Call, base + 3, 2));
            code.extend(on());
            for level in 1..calls {
                code.extend([flow(Opcode::Call, base + 3 + 2 * level, 2), word(Opcode::Nop)]);
            }
            code.extend(nops(2));
            return code;
        }
        1 => {
            code.extend((0..blocks).map(|k| flow(Opcode::Ifc, base + 3 * blocks - 2 * k, 0)));
            code.extend(nops(2 * blocks));
        }
        2 => {
            code.extend((0..loops).map(|k| flow(Opcode::Loop, base + 3 * loops - 2 * k, 0)));
            code.extend(nops(2 * loops + 1));
        }
        3 => {
            let outer = [Opcode::Ifc, Opcode::Loop][e.below(2)];
            let last = u32::from(outer == Opcode::Ifc);
            code.extend([flow(outer, base + 2 + last, 0), flow(Opcode::Ifu, base + 3, 0), word(Opcode::Nop)]);
        }
        4 => code.extend([word(Opcode::Nop), flow(Opcode::Ifc, base + [0, 1, 2][e.below(3)], 0)]),
        5 => code.extend([
            flow(Opcode::Loop, base + 1, 0).with_field(fields::ID, 4 + e.below(12) as u32),
            word(Opcode::Nop),
        ]),
        6 => code.extend([word(Opcode::Mova), word(Opcode::Mova)]),
        7 => {
            // A branch whose second arm ends with the enclosing loop, and a jump into that arm.
            code.extend([
                flow(Opcode::Jmpu, base + 5, 0),
                flow(Opcode::Loop, base + 5, 0),
                word(Opcode::Nop),
            ]);
            code.extend([flow(Opcode::Ifu, base + 5, 1), word(Opcode::Nop), word(Opcode::Nop)]);
        }
        _ => {
            // An add of two different input registers, or a compare with an undefined operator.
            let two = word(Opcode::Add)
                .with_field(fields::DST, 0x1f)
                .with_field(fields::SRC2, 1 + e.below(15) as u32);
            let six = word(Opcode::Cmp).with_field(fields::CMPX, unknown_operator(e));
            code.push([two, six][e.below(2)]);
        }
    }
    code.extend(on());
    code
}

/// Returns an operator number without a known meaning.
fn unknown_operator(e: &mut Entropy<'_>) -> u32 {
    let known = Comparison::ALL.len();
    (known + e.below(8 - known)) as u32
}
