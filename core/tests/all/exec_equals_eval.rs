//! The executor equals the IR evaluator on random programs, for several numbers of lanes and on every level.

use lockstep_core::exec::check::{
    COMMITTED_HASHES, FUNCTION_VECTORS, RunResult, batches, damaged_batches, functions, nans,
};
use lockstep_core::exec::{Batch, Compiled, Fault, Kernel, Level, Plan, Planner, Target, WIDTH};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::ir::random::{self, Rules, Source};
use lockstep_core::ir::{Block, BlockId, Builder, Op, Program, Terminator, Ty, VarKey, verify};
use lockstep_core::isa::End;
use lockstep_core::value::same;

fn check(seeds: std::ops::Range<u64>, lanes: &[usize]) {
    let (mut batch, mut planner, mut plan) = (Batch::new(), Planner::default(), Plan::default());
    let (mut expected, mut seen) = (RunResult::default(), RunResult::default());
    for seed in seeds {
        let mut source = Source::seeded(seed);
        let program = random::program(&mut source, Rules::Lax);
        let mut ruled = program.clone();
        ruled.group = 4;
        ruled.outputs.retain(|(_, var)| program.var(*var).ty == Ty::F32);
        assert_eq!(verify(&ruled), Ok(()), "seed {seed}");
        planner.plan(&program, &mut plan);
        for &n in lanes {
            let env = random::environment(&mut source, n);
            expected.evaluate(&program, &env);
            for level in Level::available() {
                batch.run(&plan, &env, level);
                seen.take_batch(&program, &batch);
                if let Some(what) = expected.difference(&seen) {
                    panic!("seed {seed}, {n} lanes, {level:?}: {what}\n{program:#?}\n{plan:#?}");
                }
            }
        }
    }
}

#[test]
fn every_level_equals_the_evaluator() {
    check(0..5_000, &[1, 8]);
}

#[test]
fn every_number_of_lanes_equals_the_evaluator() {
    check(100_000..101_000, &[0, 1, 4, 7, 8, 9, 16, 17, 63, 64, 65, 80, 81, 130]);
}

/// Returns the program with block n moved to number n * `apart`. The numbers in between get empty blocks that no lane reaches.
fn spread(program: &Program, apart: u32) -> Program {
    let moved = |BlockId(block): &BlockId| BlockId(block * apart);
    let mut blocks = Vec::with_capacity(program.blocks.len() * apart as usize);
    for block in &program.blocks {
        let terminator = match &block.terminator {
            Terminator::Jump(to) => Terminator::Jump(moved(to)),
            Terminator::Branch(condition, yes, no) => Terminator::Branch(*condition, moved(yes), moved(no)),
            Terminator::Switch(value, targets) => {
                Terminator::Switch(*value, targets.iter().map(moved).collect())
            }
            end @ (Terminator::Return | Terminator::Hang) => end.clone(),
        };
        let insts = block.insts.clone();
        let empty = Block { insts: insts.end..insts.end, terminator: Terminator::Hang, origin: block.origin };
        blocks.push(Block { insts, terminator, origin: block.origin });
        blocks.extend((1..apart).map(|_| empty.clone()));
    }
    Program { blocks, entry: program.entry * apart, ..program.clone() }
}

// The executor looks for the next block in sets of 64 blocks, and for the next set in groups of 64 sets. A small program lies within the first set,
// so the blocks are spread over several sets and groups.
#[test]
fn blocks_run_in_order_in_every_lane_set() {
    let (mut batch, mut planner, mut plan) = (Batch::new(), Planner::default(), Plan::default());
    let (mut expected, mut seen) = (RunResult::default(), RunResult::default());
    let mut backwards = 0;
    for (apart, seeds) in [(1, 0..50), (63, 50..250), (64, 250..450), (4095, 450..520), (4096, 520..590)] {
        for seed in seeds {
            let mut source = Source::seeded(400_000 + seed);
            let program = random::program(&mut source, Rules::Lax);
            let far = spread(&program, apart);
            let is_backward = |(at, block): (u32, &Block)| block.terminator.targets().any(|to| to.0 < at);
            backwards += usize::from(apart > 4000 && (0..).zip(&program.blocks).any(is_backward));
            planner.plan(&far, &mut plan);
            let env = random::environment(&mut source, 65);
            expected.evaluate(&program, &env);
            for level in [Level::Portable, Level::detect()] {
                batch.run(&plan, &env, level);
                seen.take_batch(&far, &batch);
                assert_eq!(expected.difference(&seen), None, "seed {seed}, {level:?}, blocks {apart} apart");
            }
        }
    }
    assert!(backwards > 20, "{backwards} programs in which lanes go back beyond the last set");
}

/// Asserts that streams of a program have the results of a batch, for several numbers of lanes and on every level.
fn assert_streams_equal_runs(program: &Program, source: &mut Source<'_>, what: &str) {
    let (mut batch, mut streamed) = (Batch::new(), Batch::new());
    let plan = lockstep_core::exec::plan(program);
    for n in [1, 8, 15, 64, 79, 100, 200] {
        let env = random::environment(source, n);
        let blocks = n.div_ceil(WIDTH);
        let mut inputs = vec![0.0; blocks * plan.inputs().len() * WIDTH];
        for (lane, input) in env.lanes.iter().enumerate() {
            for (k, &(number, _)) in plan.inputs().iter().enumerate() {
                let slot = input.slots.get(usize::from(number / 4)).copied().unwrap_or_default();
                inputs[(lane / WIDTH * plan.inputs().len() + k) * WIDTH + lane % WIDTH] =
                    slot[usize::from(number % 4)];
            }
        }
        for level in Level::available() {
            let mut outputs = vec![0.0; blocks * plan.outputs().len() * WIDTH];
            batch.run(&plan, &env, level);
            streamed.stream(&plan, &env, level, &inputs, &mut outputs, n);
            for lane in 0..n {
                assert_eq!(batch.end(lane), streamed.end(lane), "{what}, {level:?}, lane {lane} of {n}");
                assert_eq!(batch.is_killed(lane), streamed.is_killed(lane), "{what}, {level:?}");
                assert_eq!(batch.effects(lane), streamed.effects(lane), "{what}, {level:?}");
                for (k, &(number, _)) in plan.outputs().iter().enumerate() {
                    let value = outputs[(lane / WIDTH * plan.outputs().len() + k) * WIDTH + lane % WIDTH];
                    let expected = batch.output(lane, number);
                    assert!(
                        same(value, expected),
                        "{what}, {level:?}, lane {lane} of {n}: {value}, {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn streaming_equals_running() {
    for seed in 200_000..200_300 {
        let mut source = Source::seeded(seed);
        let program = random::program(&mut source, Rules::Lax);
        assert_streams_equal_runs(&program, &mut source, &format!("seed {seed}"));
    }
}

/// Returns a program without branches whose outputs are sums of two neighbouring inputs.
fn sums(inputs: u16, outputs: u16) -> Program {
    let mut b = Builder::new(1);
    for n in 0..outputs {
        let var = b.var(VarKey { file: 0, index: n, component: 0 }, Ty::F32, 0);
        let (x, y) = (b.op(Op::Input(n % inputs), &[]), b.op(Op::Input((n + 1) % inputs), &[]));
        let sum = b.add(x, y);
        b.write(var, sum);
        b.output(n, var);
    }
    b.end_block(0, Terminator::Return);
    b.finish(BlockId(0))
}

// Random programs have branches, kills or effects, so lanes end in several ways. Without these, the blocks of a stream run only compiled code.
#[test]
fn streaming_equals_running_without_branches() {
    for (inputs, outputs) in [(1, 1), (2, 2), (1, 7), (9, 2), (5, 5)] {
        let what = format!("{inputs} inputs, {outputs} outputs");
        assert_streams_equal_runs(&sums(inputs, outputs), &mut Source::seeded(1), &what);
    }
}

#[test]
fn the_generator_reaches_every_operation() {
    let (mut insts, mut code) = (0, 0);
    let (mut spent, mut hung, mut full, mut killed, mut effects, mut blocks, mut lanes) =
        (0, 0, 0, 0, 0, 0, 0);
    let (mut batch, mut planner, mut plan) = (Batch::new(), Planner::default(), Plan::default());
    let mut kernels = std::collections::BTreeSet::new();
    for seed in 0..5000 {
        let mut source = Source::seeded(seed);
        let program = random::program(&mut source, Rules::Lax);
        planner.plan(&program, &mut plan);
        kernels.extend(plan.code().iter().map(|i| i.kernel));
        (insts, code) = (insts + program.insts.len(), code + plan.code().len());
        blocks += plan.blocks().len();
        let env = random::environment(&mut source, 8);
        batch.run(&plan, &env, Level::Portable);
        for lane in 0..8 {
            lanes += 1;
            spent += u32::from(batch.end(lane) == End::OutOfFuel);
            hung += u32::from(batch.end(lane) == End::Hung);
            full += u32::from(batch.end(lane) == End::EffectsFull);
            killed += u32::from(batch.is_killed(lane));
            effects += batch.effects(lane).len();
        }
    }
    // Rare outcomes must occur often enough to be tested, common ones must leave room for others.
    assert!(spent > lanes / 50 && spent < lanes / 2, "out of fuel: {spent} of {lanes}");
    assert!(hung > lanes / 50 && hung < lanes / 4, "hung: {hung} of {lanes}");
    assert!(full > 100 && killed > 1000 && effects > 1000, "{full} full, {killed} killed, {effects} effects");
    assert!(blocks > 15_000, "{blocks} blocks");
    assert!(code > insts / 4, "{code} of {insts} instructions left: too much code is dead");
    for kernel in lockstep_core::exec::Kernel::ALL {
        let planted_only = *kernel == lockstep_core::exec::Kernel::Flip;
        assert!(kernels.contains(kernel) != planted_only, "{kernel:?}");
    }
}

#[test]
fn a_planted_fault_changes_the_output() {
    let (mut planner, mut plan) = (Planner::default(), Plan::default());
    let (mut batch, mut planted, mut shown, mut by_origin) = (Batch::new(), 0, 0, 0);
    let (mut expected, mut seen) = (RunResult::default(), RunResult::default());
    for seed in 300_000..300_100 {
        let mut source = Source::seeded(seed);
        let program = random::program(&mut source, Rules::Lax);
        let env = random::environment(&mut source, 8);
        planner.plan(&program, &mut plan);
        expected.evaluate(&program, &env);
        for at in 0..plan.code().len() as u32 {
            let mut faulty = plan.clone();
            if faulty.plant(Fault { target: Target::At(at), bit: 31 }) == 1 {
                assert!(faulty.is_sound());
                batch.run(&faulty, &env, Level::detect());
                planted += 1;
                seen.take_batch(&program, &batch);
                shown += u32::from(expected.difference(&seen).is_some());
            }
        }
        for block in plan.blocks() {
            let mut faulty = plan.clone();
            by_origin +=
                faulty.plant(Fault { target: Target::Origin { origin: block.origin, result: 0 }, bit: 0 });
        }
    }
    // Much code is never reached with these inputs, and many results are NaN, whose sign is not compared.
    assert!(
        planted > 1000 && shown > planted / 20 && by_origin > 100,
        "{shown} of {planted} shown, {by_origin}"
    );
}

#[test]
fn every_level_gives_the_committed_hashes_in_every_floating_point_mode() {
    let levels: Vec<Level> = Level::available().collect();
    let reports: Vec<_> = (0..COMMITTED_HASHES.len()).map(|part| batches(part, &levels)).collect();
    let mismatches: Vec<_> = reports.iter().filter_map(|r| r.mismatch.clone()).collect();
    let hashes: Vec<u64> = reports.iter().map(|r| r.hashes[0]).collect();
    assert!(mismatches.is_empty(), "{mismatches:#?}\n{hashes:#018x?}");
    assert!(reports.iter().all(|r| r.cases == 1000 && r.words > 100_000), "{reports:?}");
}

#[test]
fn a_fault_in_any_one_lane_of_a_batch_is_noticed() {
    let levels = [Level::detect()];
    for lane in 0..64 {
        let plant = |plan: &mut Plan| {
            for kernel in [Kernel::Copy, Kernel::Add, Kernel::Mul] {
                plan.plant_in(Fault { target: Target::Kernel(kernel), bit: 30 }, 1 << lane);
            }
        };
        let report = damaged_batches(0, &levels, &plant);
        assert!(report.mismatch.is_some(), "lane {lane}");
    }
    assert_eq!(damaged_batches(0, &levels, &|_| {}).mismatch, None);
}

#[test]
fn non_canonical_nans_enter_through_every_input() {
    let levels: Vec<Level> = Level::available().collect();
    let (words, wrong) = nans(&levels);
    assert_eq!(wrong, None);
    // Five sources, seven NaNs, 7 + 64 + 71 lanes, ten results.
    assert_eq!(words, 5 * 7 * 142 * 10);
}

#[test]
fn the_elementary_functions_are_right_at_the_limits_of_argument_reduction() {
    let levels: Vec<Level> = Level::available().collect();
    let (results, wrong) = functions(&levels);
    assert_eq!(wrong, Vec::<String>::new());
    // Batches of 65 lanes and of one.
    assert_eq!(results, FUNCTION_VECTORS * 66);
}

#[test]
fn a_stream_with_too_little_memory_for_its_lanes_is_refused() {
    let plan = lockstep_core::exec::plan(&sums(2, 2));
    let env = Environment::default();
    let memory = [0.0; 4 * WIDTH];
    for level in Level::available() {
        let streams = |inputs: usize, outputs: usize, lanes: usize| {
            let mut out = memory;
            let (inputs, outputs) = (&memory[..inputs], &mut out[..outputs]);
            let run = std::panic::AssertUnwindSafe(|| {
                Batch::new().stream(&plan, &env, level, inputs, outputs, lanes);
            });
            std::panic::catch_unwind(run).is_ok()
        };
        assert!(streams(2 * WIDTH, 2 * WIDTH, WIDTH), "{level:?}");
        assert!(
            !streams(2 * WIDTH - 1, 2 * WIDTH, WIDTH) && !streams(2 * WIDTH, 2 * WIDTH - 1, WIDTH),
            "{level:?}"
        );
        // With this many lanes, the size of the inputs in elements exceeds 64 bits and would wrap around to 0.
        assert!(!streams(0, 0, 1 << 63), "{level:?}");
    }
}

/// The number of lanes does not matter: without lanes, no code would run.
#[test]
fn machine_code_of_a_plan_of_another_size_is_refused() {
    let [own, other] = [1, 2].map(|outputs| lockstep_core::exec::plan(&sums(2, outputs)));
    for level in Level::available().filter(|level| level.is_compiled()) {
        let code = Compiled::new(&own, level).unwrap();
        for lanes in [0, 1, WIDTH] {
            let env = Environment { lanes: vec![LaneInput::default(); lanes], ..Environment::default() };
            let runs = |plan: &Plan| {
                let run = std::panic::AssertUnwindSafe(|| Batch::new().run_compiled(plan, &env, &code));
                std::panic::catch_unwind(run).is_ok()
            };
            let streams = |plan: &Plan| {
                let (inputs, mut outputs) = ([0.0; 2 * WIDTH], [0.0; 2 * WIDTH]);
                let run = std::panic::AssertUnwindSafe(|| {
                    Batch::new().stream_compiled(plan, &env, &code, &inputs, &mut outputs, lanes);
                });
                std::panic::catch_unwind(run).is_ok()
            };
            assert!(runs(&own) && streams(&own), "{level:?}, {lanes} lanes");
            assert!(!runs(&other) && !streams(&other), "{level:?}, {lanes} lanes");
        }
    }
}
