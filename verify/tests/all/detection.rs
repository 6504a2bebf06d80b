//! Faults planted in the executor are found for every coverage point except [`WITHOUT_EFFECT`]. A fault makes the lowest bit of a result wrong, or
//! sends a lane to a wrong position.

use crate::control_flow_faults::{block_of, has_several_successors, is_only_control_flow, misled};
use lockstep::engine::{Executor, Tier, compare, reference_with};
use lockstep::generate::{Entropy, Generate, ProgramRequest, case, case_with};
use lockstep_core::exec::{Fault, Plan, Target, plan};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::ir::{self, BlockId, Builder, Inst, Op, Program, Terminator, Ty, Value, Var, VarKey};
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::facet::points;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::lowering::PC_FILE;
use lockstep_core::isa::{Context, CoverPoint, End, Entry, Format, Interface, IsaId, Port, Stage, lower};
use lockstep_core::with_isa;
use std::collections::BTreeSet;
use std::time::Instant;

/// The maximum number of programs that are run to find a fault in a coverage point.
const PROGRAMS: u64 = 2000;
/// The maximum number of results of one instruction in which a fault is planted.
const RESULTS: usize = 6;
/// The coverage point in which no fault is found: the fetch writes no register.
const WITHOUT_EFFECT: (IsaId, &str) = (IsaId::A2xx, "VERTEX result=none");

/// Returns the numbers of the variables that select the next position: the position itself, and the variables from which it is read, such as return
/// addresses.
fn position_variables(program: &Program) -> BTreeSet<u32> {
    let is_position = |var: Var| program.var(var).key.file == PC_FILE;
    let mut found: BTreeSet<u32> =
        (0..program.vars.len() as u32).filter(|var| is_position(Var(*var))).collect();
    let mut values: Vec<Value> = Vec::new();
    for inst in program.insts.iter().filter(|inst| matches!(inst.op, Op::Write(var) if is_position(var))) {
        values.extend(program.args(inst));
    }
    // The next position is selected among at most three, which takes two nested selections and a read.
    for _ in 0..3 {
        let of: Vec<&Inst> = program
            .insts
            .iter()
            .filter(|inst| inst.op.results().is_none_or(|r| r.1 > 0) && values.contains(&inst.result))
            .collect();
        values.clear();
        for inst in of {
            match inst.op {
                Op::Read(var) => _ = found.insert(var.0),
                Op::Sel(_) => values.extend(&program.args(inst)[1..]),
                _ => {}
            }
        }
    }
    found
}

/// Returns the indices of the executor's instructions that compute or compare numbers for a source instruction. Instructions that select the next
/// position are left out, because a fault there could cause an endless loop that uses no fuel.
fn places(program: &Program, plan: &Plan, word: u32) -> Vec<u32> {
    let Some(block) = block_of(program, word) else { return Vec::new() };
    let position_variables = position_variables(program);
    let counts = |inst: u32| match program.insts[inst as usize].op {
        Op::Write(var) => !position_variables.contains(&var.0),
        Op::Cmp(_) => true,
        op => op.results().is_none_or(|(ty, n)| ty == Ty::F32 && n > 0),
    };
    let code = plan.code().iter().enumerate();
    code.filter(|(at, inst)| {
        let source = plan.source(*at).filter(|source| program.blocks[block].insts.contains(source));
        inst.kernel.has_row() && source.is_some_and(&counts)
    })
    .map(|(at, _)| at as u32)
    .collect()
}

/// Returns the number of programs that were run until a fault was found in an instruction with the coverage point, or `None` if no fault was found.
fn programs_until_found<I: Generate>(point: &CoverPoint) -> Option<u64> {
    let mut executor = Executor::new(Tier::best_interpreted());
    let mut programs = 0;
    for seed in 0..PROGRAMS {
        let request = ProgramRequest { size: Some(6), ..ProgramRequest::default() };
        let case = case_with::<I>(&mut Entropy::seeded(seed), std::slice::from_ref(point), &request);
        let resolved = case.resolve::<I>().unwrap();
        let cx: Context<'_, I> = resolved.context();
        let words =
            (0..I::instruction_count(&cx)).filter(|w| I::facets().points(cx.program, *w).contains(point));
        // The fallback has separate blocks for each instruction, so each result belongs to one instruction.
        if !I::has_fallback(&cx) {
            continue;
        }
        programs += 1;
        let program = lower(&cx, Mode::Fallback).unwrap();
        let expected = reference_with::<I, false>(&cx, &resolved.env);
        let sound = executor.run(cx.entry, &program, &resolved.env);
        compare(cx.entry, &expected, &sound).unwrap();
        let plan = plan(&program);
        for word in words {
            let places = places(&program, &plan, word);
            // The last instructions compute the result; a fault in an earlier one may be lost in rounding.
            for at in places.iter().rev().take(RESULTS) {
                let fault = Fault { target: Target::At(*at), bit: 0 };
                let (run, hits) = executor.run_with_fault(cx.entry, &program, &resolved.env, fault);
                assert_eq!(hits, 1);
                if compare(cx.entry, &expected, &run).is_err() {
                    return Some(programs);
                }
            }
            if (places.is_empty()
                || has_several_successors(&program, word)
                || is_only_control_flow(&program, word))
                && let Some(wrong) = misled(&program, word)
                && ir::verify(&wrong).is_ok()
                && compare(cx.entry, &expected, &executor.run(cx.entry, &wrong, &resolved.env)).is_err()
            {
                return Some(programs);
            }
        }
    }
    None
}

fn check_every_point<I: Generate>() {
    let started = Instant::now();
    let all = points::<I>();
    assert!(!all.is_empty());
    let (mut sum, mut most) = (0, (0, String::new()));
    let mut missed = Vec::new();
    for point in all {
        let name = format!("{} {}", point.opcode, point.modifier);
        match programs_until_found::<I>(point) {
            Some(programs) => {
                sum += programs;
                most = most.max((programs, name));
            }
            None => missed.push(name),
        }
    }
    println!(
        "{}: faults found in {} of {} coverage points, {:.1} programs each, at most {} ({}), {:.1?}",
        I::ID,
        all.len() - missed.len(),
        all.len(),
        sum as f64 / all.len() as f64,
        most.0,
        most.1,
        started.elapsed()
    );
    let (isa, point) = WITHOUT_EFFECT;
    let expected: Vec<String> = (isa == I::ID).then(|| point.to_owned()).into_iter().collect();
    assert_eq!(missed, expected, "no fault in these coverage points was found");
}

#[test]
fn a_wrong_bit_in_any_coverage_point_is_found() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => check_every_point::<I>());
    }
}

#[test]
fn an_executor_without_faults_is_not_suspected() {
    // The fault is in a word after the last, so it affects nothing, and the comparison must find no difference.
    let case = case::<Agal>(&mut Entropy::seeded(1), &ProgramRequest::default());
    let resolved = case.resolve::<Agal>().unwrap();
    let cx = resolved.context();
    let program = lower(&cx, Mode::Fallback).unwrap();
    let fault =
        Fault { target: Target::Origin { origin: Agal::instruction_count(&cx) + 9, result: 0 }, bit: 0 };
    let (run, hits) =
        Executor::new(Tier::best_interpreted()).run_with_fault(cx.entry, &program, &resolved.env, fault);
    assert_eq!(hits, 0);
    assert!(compare(cx.entry, &reference_with::<Agal, false>(&cx, &resolved.env), &run).is_ok());
}

/// Returns a program of four words in the form of the fallback. Word 0 sets a variable to `link` and continues at word 2. Word 1 ends the lane. Word 2
/// adds 1 to the output and continues at the word whose number the variable contains. Word 3 adds 16 to the output and ends the lane.
fn with_a_return(link: i32) -> Program {
    let mut b = Builder::new(1);
    let key = |file| VarKey { file, index: 0, component: 0 };
    let out = b.var(key(0), Ty::F32, 0);
    b.output(0, out);
    let stack = b.var(key(1), Ty::I32, 0);
    let pc = b.var(key(PC_FILE), Ty::I32, 0);
    let at = b.read(pc);
    // Two blocks per word, the end, and the hang.
    b.end_block(0, Terminator::Switch(at, [1, 3, 5, 7, 9, 10, 9].map(BlockId).to_vec()));
    for word in 0..4 {
        let next = match word {
            0 => {
                let link = b.i(link);
                b.write(stack, link);
                Some(b.i(2))
            }
            2 => Some(b.read(stack)),
            _ => None,
        };
        if let Some(by) = [None, None, Some(1.0), Some(16.0)][word as usize] {
            let (old, by) = (b.read(out), b.f(by));
            let new = b.op(Op::Add, &[old, by]);
            b.write(out, new);
        }
        match next {
            Some(next) => {
                b.write(pc, next);
                // A return uses fuel, whatever its target.
                let back = b.op(Op::Bool(word == 2), &[]);
                b.end_block(word, Terminator::Branch(back, BlockId(2 * word + 2), BlockId(0)));
            }
            None => {
                b.end_block(word, Terminator::Return);
            }
        }
        b.op(Op::Fuel(1), &[]);
        b.end_block(word, Terminator::Jump(BlockId(0)));
    }
    b.end_block(4, Terminator::Return);
    b.end_block(4, Terminator::Hang);
    b.finish(BlockId(0))
}

#[test]
fn lanes_are_sent_to_a_wrong_position_after_jumps_and_ends() {
    let run = |program: &Program| {
        assert_eq!(ir::verify(program), Ok(()), "{program:?}");
        let ports = vec![Port { slot: 0, mask: 1 }];
        let interface = Interface { outputs: ports, ..Interface::default() };
        let entry = Entry { stage: Stage::Vertex, start: 0, version: 0, interface, extra: [0; 4] };
        let env = Environment { fuel: 9, lanes: vec![LaneInput::default()], ..Environment::default() };
        let lane = &Executor::new(Tier::best_interpreted()).run(&entry, program, &env).lanes[0];
        (lane.end, lane.outputs[0])
    };
    let sound = with_a_return(1);
    assert_eq!(run(&sound), (End::Finished, 1.0));
    assert!(
        has_several_successors(&sound, 1)
            && has_several_successors(&sound, 2)
            && !has_several_successors(&sound, 0)
    );
    // The misled call continues at the word after it.
    assert_eq!(run(&misled(&sound, 0).unwrap()), (End::Finished, 0.0));
    // A return to word 2 is a loop. The misled return continues at the following word, 3.
    assert_eq!(run(&with_a_return(2)).0, End::OutOfFuel);
    assert_eq!(run(&misled(&with_a_return(2), 2).unwrap()), (End::Finished, 17.0));
    // Instead of ending the lane, the misled word 1 continues at word 2, which returns to word 1 as long as there is fuel.
    assert_eq!(run(&misled(&sound, 1).unwrap()).0, End::OutOfFuel);
    assert!(misled(&sound, 3).is_none(), "nothing follows the last word");
}
