//! Control-flow faults, which send lanes to a wrong position. The faults are planted in IR that was lowered with the fallback.

use lockstep_core::ir::{BlockId, Inst, Op, Program, Terminator, Ty, Value};
use lockstep_core::isa::lowering::{PC_FILE, fallback_word};
use lockstep_core::value::IBin;

/// Returns the block of an instruction.
pub(crate) fn block_of(program: &Program, word: u32) -> Option<usize> {
    (0..program.blocks.len()).find(|b| fallback_word(program, BlockId(*b as u32)) == Some(word))
}

/// Returns the indices of two IR instructions: the one of the block that writes the next position, and the one that computes this position.
fn target(program: &Program, block: usize) -> Option<(usize, usize)> {
    let insts = program.blocks[block].insts.clone();
    let write = insts.into_iter().find(
        |at| matches!(program.insts[*at as usize].op, Op::Write(var) if program.var(var).key.file == PC_FILE),
    )? as usize;
    let target = program.args(&program.insts[write])[0];
    let defines = |inst: &Inst| inst.result == target && inst.op.results().is_none_or(|r| r.1 > 0);
    Some((write, program.insts.iter().position(defines)?))
}

/// Whether an instruction has several successors, or may end the lane.
pub(crate) fn has_several_successors(program: &Program, word: u32) -> bool {
    let Some(block) = block_of(program, word) else { return false };
    match target(program, block) {
        Some((_, at)) => !matches!(program.insts[at].op, Op::I32(_)),
        None => true,
    }
}

/// Whether control flow is an instruction's only effect.
pub(crate) fn is_only_control_flow(program: &Program, word: u32) -> bool {
    let Some(block) = block_of(program, word) else { return false };
    let mut insts = program.block(BlockId(block as u32)).iter();
    insts.all(|inst| match inst.op {
        Op::Write(var) => program.var(var).key.file == PC_FILE,
        Op::Effect { .. } | Op::Store(_) | Op::Kill => false,
        _ => true,
    })
}

/// Returns the program with a wrong successor after an instruction, or `None` if there is no instruction to continue at. A choice between two targets
/// is inverted. A fixed target becomes the next instruction, or the instruction after the next if it was the next. A computed target is increased by
/// one. Where the lane ended or hung, it continues. None of these changes leads backward without using fuel.
pub(crate) fn misled(program: &Program, word: u32) -> Option<Program> {
    let block = block_of(program, word)?;
    let mut wrong = program.clone();
    let Some((write, at)) = target(program, block) else {
        // The lane continues via the word's own block that uses fuel, because a subroutine after the end may lead back to this word.
        let next = block_of(program, word + 1)?;
        wrong.blocks[block].terminator = Terminator::Jump(BlockId(block as u32 + 1));
        wrong.blocks[block + 1].terminator = Terminator::Jump(BlockId(next as u32));
        return Some(wrong);
    };
    let next = word as i32 + 1;
    match program.insts[at].op {
        Op::I32(to) => wrong.insts[at].op = Op::I32(if to == next { next + 1 } else { next }),
        // Inverting a choice between equal targets would change nothing.
        Op::Sel(Ty::I32) if has_equal_targets(program, &program.insts[at]) => {
            add_one(&mut wrong, write);
        }
        Op::Sel(Ty::I32) => {
            let args = program.insts[at].args as usize;
            wrong.pool.swap(args + 1, args + 2);
        }
        _ => add_one(&mut wrong, write),
    }
    // The lane uses fuel whatever its target, because after the end of a program there may be subroutines, which return without using fuel.
    if let Terminator::Branch(_, fuel, _) = wrong.blocks[block].terminator {
        wrong.blocks[block].terminator = Terminator::Jump(fuel);
    }
    Some(wrong)
}

/// Whether both targets of a select are equal.
fn has_equal_targets(program: &Program, choice: &Inst) -> bool {
    let args = program.args(choice);
    args[1] == args[2] || literal(program, args[1]).is_some_and(|v| literal(program, args[2]) == Some(v))
}

/// Returns the integer value of a literal.
fn literal(program: &Program, value: Value) -> Option<i32> {
    program.insts.iter().find_map(|inst| match inst.op {
        Op::I32(v) if inst.result == value => Some(v),
        _ => None,
    })
}

/// Makes the instruction at `write`, which writes an I32 variable, write a value larger by one.
fn add_one(program: &mut Program, write: usize) {
    let Inst { args, result: one, .. } = program.insts[write];
    let sum = Value(one.0 + 1);
    let moved = |v: Value| if v.0 >= one.0 { Value(v.0 + 2) } else { v };
    let before = program.pool[args as usize];
    for operand in &mut program.pool {
        *operand = moved(*operand);
    }
    program.pool[args as usize] = sum;
    program.pool.splice(args as usize..args as usize, [before, one]);
    for inst in &mut program.insts[write..] {
        inst.args += 2;
        inst.result = moved(inst.result);
    }
    let new = [
        Inst { op: Op::I32(1), args, arity: 0, result: one },
        Inst { op: Op::IBin(IBin::Add), args, arity: 2, result: sum },
    ];
    program.insts.splice(write..write, new);
    program.values += 2;
    for block in &mut program.blocks {
        let later = |at: u32| if at as usize > write { at + 2 } else { at };
        block.insts = later(block.insts.start)..later(block.insts.end);
        if let Terminator::Branch(v, ..) | Terminator::Switch(v, _) = &mut block.terminator {
            *v = moved(*v);
        }
    }
}
