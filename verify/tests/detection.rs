//! Faults planted in the executor are found: in every class of instructions, with the lowest bit of a result wrong.

#![allow(clippy::unwrap_used)]

use lockstep::engine::{Executor, Tier, compare, reference_with};
use lockstep::generate::{Entropy, Generate, Wish, case};
use lockstep_core::exec::{Fault, Plan, Target, plan};
use lockstep_core::ir::explore::PC_FILE;
use lockstep_core::ir::{self, Mode, Op, Program, Ty};
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::{ClassPoint, Context, Isa, IsaId, lower};
use lockstep_core::with_isa;
use std::time::Instant;

/// Programs in which a fault of a class has to be found.
const PROGRAMS: u64 = 2000;
/// The most results of one instruction that faults are planted in.
const RESULTS: usize = 6;

/// The places in the executor's code that compute numbers, or compare them, for a source instruction; not those that decide where
/// control goes next, where a fault would be an endless loop that no fuel ends.
fn places(program: &Program, plan: &Plan, word: u32) -> Vec<u32> {
    let origin = |inst: u32| {
        let block = program.blocks.iter().find(|b| b.insts.contains(&inst));
        block.map(|b| b.origin)
    };
    let counts = |inst: u32| match program.insts[inst as usize].op {
        Op::Write(var) => program.var(var).key.file != PC_FILE,
        Op::Cmp(_) => true,
        op => op.results().is_none_or(|(ty, n)| ty == Ty::F32 && n > 0),
    };
    let code = plan.code().iter().enumerate();
    code.filter(|(at, inst)| {
        let source = plan.source(*at).filter(|source| (*source as usize) < program.insts.len());
        inst.kernel.has_row() && source.is_some_and(|source| origin(source) == Some(word) && counts(source))
    })
    .map(|(at, _)| at as u32)
    .collect()
}

/// The IR with a wrong place to go after an instruction that chooses, or has no result at all: its truth value is wrong, or it goes to
/// the instruction after the next, or to the next where it should pass it.
fn misled(program: &Program, word: u32) -> Option<Program> {
    let mut wrong = program.clone();
    let block = program.blocks.iter().find(|b| b.origin == word && !b.insts.is_empty())?;
    let insts = &program.insts[block.insts.start as usize..block.insts.end as usize];
    let write =
        insts.iter().find(|i| matches!(i.op, Op::Write(var) if program.var(var).key.file == PC_FILE))?;
    let target = program.args(write)[0];
    let at =
        program.insts.iter().position(|i| i.result == target && i.op.results().is_some_and(|r| r.1 > 0))?;
    let next = word as i32 + 1;
    match program.insts[at].op {
        Op::I32(to) => wrong.insts[at].op = Op::I32(if to == next { next + 1 } else { next }),
        Op::Sel(Ty::I32) => {
            let args = program.insts[at].args as usize;
            wrong.pool.swap(args + 1, args + 2);
        }
        _ => return None,
    }
    Some(wrong)
}

/// Whether an instruction may go to several places.
fn chooses(program: &Program, word: u32) -> bool {
    let insts = program.blocks.iter().filter(|b| b.origin == word).flat_map(|b| b.insts.clone());
    insts.into_iter().any(|at| program.insts[at as usize].op == Op::Sel(Ty::I32))
}

/// How many programs it took until a fault in an instruction of the class was found.
fn programs_until_found<I: Generate>(class: &ClassPoint) -> Option<u64> {
    let mut executor = Executor::new(Tier::best());
    for seed in 0..PROGRAMS {
        let wish = Wish { class: Some(class.clone()), size: Some(6), ..Wish::default() };
        let case = case::<I>(&mut Entropy::seeded(seed), &wish);
        let resolved = case.resolve::<I>().unwrap();
        let cx: Context<'_, I> = resolved.context();
        let words = (0..I::words(&cx)).filter(|w| I::classes(cx.program, *w).contains(class));
        // The lowering with a block for each instruction, so that a result belongs to one of them.
        let program = lower(&cx, Mode::Fallback).unwrap();
        let expected = reference_with::<I, false>(&cx, &resolved.env);
        let sound = executor.run(cx.entry, &program, &resolved.env);
        compare(cx.entry, &expected, &sound).unwrap();
        let plan = plan(&program);
        for word in words {
            let places = places(&program, &plan, word);
            // The last ones are what it comes to; what comes before may be lost in rounding.
            for at in places.iter().rev().take(RESULTS) {
                let fault = Fault { target: Target::At(*at), bit: 0 };
                let (run, hits) = executor.run_with_fault(cx.entry, &program, &resolved.env, fault);
                assert_eq!(hits, 1);
                if compare(cx.entry, &expected, &run).is_err() {
                    return Some(seed + 1);
                }
            }
            if (places.is_empty() || chooses(&program, word))
                && let Some(wrong) = misled(&program, word)
                && ir::verify(&wrong).is_ok()
                && compare(cx.entry, &expected, &executor.run(cx.entry, &wrong, &resolved.env)).is_err()
            {
                return Some(seed + 1);
            }
        }
    }
    None
}

fn every_class<I: Generate>() {
    let started = Instant::now();
    let classes = I::all_classes();
    assert!(!classes.is_empty());
    let (mut sum, mut most) = (0, (0, String::new()));
    let mut missed = Vec::new();
    for class in &classes {
        let name = format!("{} {}", class.opcode, class.modifier);
        match programs_until_found::<I>(class) {
            Some(programs) => {
                sum += programs;
                most = most.max((programs, name));
            }
            None => missed.push(name),
        }
    }
    println!(
        "{}: faults found in {} of {} classes, {:.1} programs each, at most {} ({}), {:.1?}",
        I::ID,
        classes.len() - missed.len(),
        classes.len(),
        sum as f64 / classes.len() as f64,
        most.0,
        most.1,
        started.elapsed()
    );
    assert_eq!(missed, Vec::<String>::new(), "no fault of these classes was found");
}

#[test]
fn a_wrong_bit_in_any_class_of_instructions_is_found() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => every_class::<I>());
    }
}

#[test]
fn an_executor_without_faults_is_not_suspected() {
    // The same search with a fault that strikes nothing finds nothing: a word behind the last.
    let case = case::<Agal>(&mut Entropy::seeded(1), &Wish::default());
    let resolved = case.resolve::<Agal>().unwrap();
    let cx = resolved.context();
    let program = lower(&cx, Mode::Fallback).unwrap();
    let fault = Fault { target: Target::Origin { origin: Agal::words(&cx) + 9, result: 0 }, bit: 0 };
    let (run, hits) = Executor::new(Tier::best()).run_with_fault(cx.entry, &program, &resolved.env, fault);
    assert_eq!(hits, 0);
    assert!(compare(cx.entry, &reference_with::<Agal, false>(&cx, &resolved.env), &run).is_ok());
}
