//! The changes to Direct3D 9 programs that are implemented as functions. Each re-enacts how a published bug misreads a program.

use super::change::Misread;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::opcode::Opcode;
use lockstep_core::isa::d3d9::program::{Instruction, Program, Source};

impl Misread for D3d9 {
    const CHANGES: &'static [(&'static str, super::change::Coded<D3d9>)] = &[
        ("cmp and cnd component by component", |program, _| by_component(program)),
        ("predicates from x only", |program, _| {
            for predicate in program.instructions.iter_mut().filter_map(|i| i.predicate.as_mut()) {
                predicate.swizzle = 0;
            }
        }),
        ("no co-issue", |program, _| {
            for instruction in &mut program.instructions {
                instruction.coissue = 0;
            }
        }),
        ("expp as exp", |program, _| {
            if program.version.major == 1 {
                for instruction in with_opcode(program, Opcode::Expp) {
                    instruction.opcode = Opcode::Exp.row().number;
                }
            }
        }),
        ("def without the signs of zeros", |program, _| {
            let zeros = with_opcode(program, Opcode::Def).flat_map(|def| &mut def.immediates);
            zeros.filter(|bits| **bits == (-0.0f32).to_bits()).for_each(|bits| *bits = 0);
        }),
        ("setp without its mask", |program, _| {
            for dest in with_opcode(program, Opcode::Setp).filter_map(|i| i.dest.as_mut()) {
                dest.mask = 15;
            }
        }),
    ];
}

fn with_opcode(program: &mut Program, op: Opcode) -> impl Iterator<Item = &mut Instruction> {
    program.instructions.iter_mut().filter(move |i| i.op() == Some(op))
}

/// Makes cmp and cnd whose destination is also a source write each component before they read the next one.
fn by_component(program: &mut Program) {
    let mut changed = Vec::with_capacity(program.instructions.len());
    for instruction in &program.instructions {
        let selects = matches!(instruction.op(), Some(Opcode::Cmp | Opcode::Cnd));
        let is_dest = |source: &Source| {
            instruction.dest.is_some_and(|dest| (dest.file, dest.number) == (source.file, source.number))
        };
        let Some(dest) = instruction.dest.filter(|_| selects && instruction.sources.iter().any(is_dest))
        else {
            changed.push(instruction.clone());
            continue;
        };
        for component in (0..4).filter(|c| dest.mask >> c & 1 == 1) {
            let mut single = instruction.clone();
            single.dest = Some(lockstep_core::isa::d3d9::program::Dest { mask: 1 << component, ..dest });
            single.coissue = 0;
            changed.push(single);
        }
    }
    program.instructions = changed;
}
