//! Breaking one thing in a valid program: for each rule something that it forbids.

use crate::generate::Entropy;
use lockstep_core::isa::pica200::container::Dvle;
use lockstep_core::isa::pica200::opcode::{Opcode, TABLE};
use lockstep_core::isa::pica200::program::{Container, Instruction, Program};

/// Numbers without known meaning.
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
    entries(program).into_iter().for_each(|dvle| dvle.main = start);
}

/// The places of words with this quality.
fn places(program: &Program, which: impl Fn(&Instruction) -> bool) -> Vec<usize> {
    (0..program.code.len()).filter(|at| which(&program.code[*at])).collect()
}

/// A bare word.
fn word(op: Opcode) -> Instruction {
    Instruction::from_word(op.row().number << 26)
}

/// Breaks one thing.
pub(super) fn break_one(e: &mut Entropy<'_>, program: &mut Program) {
    let at = e.below(program.code.len());
    let flows = places(program, |i| i.flow().is_some() && i.op() != Some(Opcode::Breakc));
    let described = places(program, |i| i.desc().is_some());
    let some = |e: &mut Entropy<'_>, from: &[usize]| e.pick(from).copied();
    match e.weighted(&[16, 14, 14, 12, 5, 10, 8, 4, 5, 5, 4, 4, 3, 3]) {
        0 => {
            let number = e.pick(&UNKNOWN).copied().unwrap_or(0x10);
            program.code[at] = Instruction::from_word(number << 26 | e.bits() as u32 & 0x03ff_ffff);
        }
        1 => {
            // A descriptor that is not in the table.
            let rows = program.descriptors.len() as u32;
            if let Some(at) = some(e, &described) {
                let number = if e.chance(50) { rows } else { rows + e.below(96) as u32 };
                let most = if program.code[at].layout().field("src3").is_some() { 31 } else { 127 };
                let file = matches!(program.container, Container::Shbin(_));
                if number > most && !file {
                    program.descriptors.truncate(program.code[at].desc().unwrap_or_default().into());
                } else {
                    program.code[at] = program.code[at].with_field("desc", number.min(most));
                }
            }
        }
        2 => {
            // A target behind memory.
            let at = some(e, &flows).unwrap_or(at);
            if program.code[at].flow().is_none() {
                program.code[at] = word(Opcode::Jmpc);
            }
            let dst = [4095, 512, 4000, 1024][e.below(4)];
            program.code[at] = program.code[at].with_field("dst", dst).with_field("num", 255);
        }
        3 => {
            // A break where no loop is, or may be.
            let calls = places(program, |i| i.op() == Some(Opcode::Loop));
            match some(e, &calls) {
                Some(at) if e.chance(60) => program.code[at] = word(Opcode::Break),
                _ => program.code[at] = word([Opcode::Break, Opcode::Breakc][e.below(2)]),
            }
        }
        4 => {
            let emission = word(Opcode::Setemit).with_field("vtx", 3);
            program.code[at] = if e.chance(60) { emission } else { word(Opcode::Emit) };
        }
        5 => set_start(program, [program.code.len() as u32, u32::MAX, 4096][e.below(3)]),
        6 => {
            let kind = 2 + e.below(254) as u8;
            let mut files = entries(program);
            if files.is_empty() {
                set_start(program, u32::MAX - 1);
            }
            files = entries(program);
            files.iter_mut().for_each(|dvle| dvle.kind = kind);
        }
        7 => {
            // Another operation with the same bits.
            if let Some(row) = e.pick(TABLE) {
                let bits = program.code[at].to_word() & 0x03ff_ffff;
                program.code[at] = Instruction::from_word(row.number << 26 | bits);
            }
        }
        8 => {
            // More words than a vertex unit holds, run through to the last; a file has no place for them.
            if let Container::Shbin(_) = program.container {
                set_start(program, u32::MAX);
            } else {
                let nops = 512 - program.code.len().min(511);
                program.code.splice(0..0, vec![word(Opcode::Nop); nops + e.below(8)]);
            }
        }
        9 => {
            // Any bit of any word.
            program.code[at] = Instruction::from_word(program.code[at].to_word() ^ 1 << e.below(32));
        }
        10 => {
            // Scopes that end elsewhere.
            let at = some(e, &flows).unwrap_or(at);
            let dst = program.code[at].field("dst");
            program.code[at] =
                program.code[at].with_field("dst", (dst + 1).saturating_sub(2 * e.below(2) as u32));
        }
        11 => {
            let ends = places(program, |i| i.op() == Some(Opcode::End));
            for at in ends {
                program.code[at] = word(Opcode::Nop);
            }
        }
        12 => {
            // The last word before a scope's end, or any other, jumps.
            let bits = (program.code.len() as u32 - 1) << 10;
            program.code[at] = Instruction::from_word(Opcode::Jmpc.row().number << 26 | bits);
        }
        _ => {
            program.code[at] = word(Opcode::Cmp).with_field("cmpx", 6 + e.below(2) as u32);
        }
    }
}
