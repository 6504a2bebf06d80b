//! Tests of the mutants that drop something. An obligation counts only if it refutes a mutant, so every lasting result of an instruction needs a
//! mutant that drops it.

use lockstep_core::ir::random::{self, Rules, Source};
use lockstep_core::ir::{Inst, Op, Program};
use lockstep_prove::mutate::{drops, mutations};

/// Whether an instruction has an effect besides its results. The match is exhaustive, so that a new operation has to be decided here.
fn has_lasting_effect(op: Op) -> bool {
    match op {
        Op::Write(_) | Op::Store(_) | Op::Kill | Op::Effect { .. } => true,
        // The fuel after each step has a separate claim.
        Op::Fuel(_) => false,
        Op::F32(_)
        | Op::I32(_)
        | Op::Bool(_)
        | Op::Input(_)
        | Op::QuadInput(..)
        | Op::Uniform(_)
        | Op::UniformAt(_)
        | Op::IntUniform(_)
        | Op::BoolUniform(_)
        | Op::Read(_)
        | Op::Load(_)
        | Op::Un(_)
        | Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Fma
        | Op::Min
        | Op::Max
        | Op::Mulz
        | Op::MulzInf
        | Op::Flush(_)
        | Op::Cmp(_)
        | Op::ICmp(_)
        | Op::IBin(_)
        | Op::Logic(_)
        | Op::Not
        | Op::Sel(_)
        | Op::TruncI
        | Op::ToF
        | Op::Bits
        | Op::FromBits
        | Op::Ddx { .. }
        | Op::Ddy { .. }
        | Op::Sample(_)
        | Op::Fetch { .. } => false,
    }
}

/// Returns the number of the instruction that a mutant drops, read from the beginning of the mutant's name.
fn dropped_instruction(name: &str) -> usize {
    let number = name.strip_prefix('%').and_then(|rest| rest.split(' ').next()).and_then(|n| n.parse().ok());
    assert!(name.ends_with(": dropped"), "{name}");
    number.unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn every_effect_has_a_mutant_that_drops_it() {
    let (mut kills, mut effects) = (0, 0);
    for seed in 0..100 {
        let program = random::program(&mut Source::seeded(seed), Rules::Lax);
        let found: Vec<usize> = drops(&program).map(|mutation| dropped_instruction(&mutation.name)).collect();
        let all = program.blocks.iter().flat_map(|block| block.insts.clone()).map(|at| at as usize);
        let left: Vec<usize> = all.filter(|at| has_lasting_effect(program.insts[*at].op)).collect();
        assert_eq!(found, left, "seed {seed}");
        kills += left.iter().filter(|at| program.insts[**at].op == Op::Kill).count();
        effects += left.iter().filter(|at| matches!(program.insts[**at].op, Op::Effect { .. })).count();
    }
    assert!(kills > 10 && effects > 10, "{kills} kill marks, {effects} effects");
}

/// Returns the program with the instructions of its last block stored before those of all others; `None` if it has only one block.
fn last_block_first(program: &Program) -> Option<Program> {
    let last = program.blocks.last().filter(|_| program.blocks.len() > 1)?.insts.clone();
    assert_eq!(last.end as usize, program.insts.len(), "blocks are stored in order");
    let mut other = program.clone();
    other.insts.rotate_left(last.start as usize);
    let (moved, ends) = (last.end - last.start, other.blocks.len() - 1);
    for block in &mut other.blocks[..ends] {
        block.insts = block.insts.start + moved..block.insts.end + moved;
    }
    other.blocks[ends].insts = 0..moved;
    Some(other)
}

#[test]
fn mutants_do_not_depend_on_the_order_in_which_blocks_are_stored() {
    let instructions = |program: &Program| -> Vec<Vec<Inst>> {
        let range = |insts: &std::ops::Range<u32>| insts.start as usize..insts.end as usize;
        program.blocks.iter().map(|block| program.insts[range(&block.insts)].to_vec()).collect()
    };
    let mut compared = 0;
    for seed in 0..40 {
        let program = random::program(&mut Source::seeded(seed), Rules::Lax);
        let Some(other) = last_block_first(&program) else { continue };
        let blocks: Vec<u32> = (0..).take(program.blocks.len()).collect();
        let (expected, found) = (mutations(&program, &blocks), mutations(&other, &blocks));
        assert_eq!(expected.len(), found.len(), "seed {seed}");
        for (one, two) in expected.iter().zip(&found) {
            let name = &one.name;
            let (one, two) = (instructions(&one.apply(&program)), instructions(&two.apply(&other)));
            assert_eq!(one, two, "seed {seed}: {name}");
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared}");
}
