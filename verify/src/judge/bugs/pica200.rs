//! The changes to PICA200 programs that are implemented as functions. Each re-enacts how a published bug misreads a program.

use super::change::Misread;
use lockstep_core::host::Environment;
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::pica200::opcode::Opcode;
use lockstep_core::isa::pica200::program::{DESCRIPTORS, DescriptorRow, Instruction, Plain, Program};

impl Misread for Pica200 {
    const CHANGES: &'static [(&'static str, super::change::Coded<Pica200>)] = &[
        ("litp does nothing", |program, _| replace_by_nop(program, &[Opcode::Litp])),
        ("dst does nothing", |program, _| replace_by_nop(program, &[Opcode::Dst, Opcode::Dsti])),
        ("break does nothing", |program, _| replace_by_nop(program, &[Opcode::Break])),
        ("breakc does nothing", |program, _| replace_by_nop(program, &[Opcode::Breakc])),
        ("mad without an index", |program, _| {
            for instruction in &mut program.code {
                match instruction {
                    Instruction::Ternary(i) => i.idx = 0,
                    Instruction::TernaryInverse(i) => i.idx = 0,
                    _ => {}
                }
            }
        }),
        ("jmpu without inversion", |program, _| {
            for instruction in with_opcode(program, Opcode::Jmpu) {
                if let Instruction::Uniform(i) = instruction {
                    i.num &= !1;
                }
            }
        }),
        ("dph as dp4", |program, _| {
            for instruction in with_opcode(program, Opcode::Dph) {
                if let Instruction::Binary(i) = instruction {
                    i.opcode = Opcode::Dp4.row().number as u8;
                }
            }
        }),
        ("dp3 leaves w", |program, _| dp3_leaves_w(program)),
        ("loops end a word early", |program, _| {
            for instruction in with_opcode(program, Opcode::Loop) {
                if let Instruction::Uniform(i) = instruction {
                    i.dst = i.dst.saturating_sub(1);
                }
            }
        }),
        ("loops run once more", |_, env| change_loop_counts(env, |x| x.saturating_add(1))),
        ("loops run once", |_, env| change_loop_counts(env, |_| 0)),
    ];
}

fn with_opcode(program: &mut Program, op: Opcode) -> impl Iterator<Item = &mut Instruction> {
    program.code.iter_mut().filter(move |i| i.op() == Some(op))
}

/// Replaces all instructions with these opcodes by nop.
fn replace_by_nop(program: &mut Program, ops: &[Opcode]) {
    for instruction in program.code.iter_mut().filter(|i| i.op().is_some_and(|op| ops.contains(&op))) {
        *instruction = Instruction::Plain(Plain { ignored: 0, opcode: Opcode::Nop.row().number as u8 });
    }
}

/// Gives each dp3 that writes w a new descriptor without w, as long as descriptors are free.
fn dp3_leaves_w(program: &mut Program) {
    const W: u8 = 1;
    for at in 0..program.code.len() {
        let instruction = program.code[at];
        let (Some(Opcode::Dp3), Some(descriptor)) =
            (instruction.op(), program.descriptor(&instruction).copied())
        else {
            continue;
        };
        let number = program.descriptors.len();
        if descriptor.mask & W != 0 && number < DESCRIPTORS {
            let mut changed = descriptor;
            changed.mask &= !W;
            program.descriptors.push(DescriptorRow { descriptor: changed, second: 0 });
            program.code[at] = instruction.with_field("desc", number as u32);
        }
    }
}

/// Changes the loop counts: x of the integer constants, which is the number of iterations minus one.
fn change_loop_counts(env: &mut Environment, change: fn(u8) -> u8) {
    for int in &mut env.ints {
        int[0] = i32::from(change(u8::try_from(int[0] & 0xff).unwrap_or(0)));
    }
}
