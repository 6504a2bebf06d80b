//! The executor gives what the IR evaluator gives, on random programs, for every number of lanes and on every level.

mod random_ir;

use lockstep_core::exec::{Batch, Fault, Level, Plan, Planner, Target};
use lockstep_core::host::{Bound, Environment};
use lockstep_core::ir::eval::{self, Lane, Stop};
use lockstep_core::ir::{Program, Ty, verify};
use lockstep_core::isa::End;
use lockstep_core::value::{Concrete, same};
use random_ir::Random;

/// Runs the evaluator over all lanes of `env`, a group at a time, and compares what `batch` holds.
fn compare(program: &Program, env: &Environment, batch: &Batch) -> Result<(), String> {
    let group = usize::from(program.group);
    let mut host = Bound::<false>::new(env, 0);
    for base in (0..env.lanes.len()).step_by(group) {
        // A quad is always whole; those beyond the last lane are helpers with inputs of zero.
        let n = group.min(env.lanes.len() - base);
        host.restart(base);
        let mut lanes: Vec<Lane<Concrete>> =
            (0..group).map(|_| Lane::new(&Concrete, &mut host, program, env.fuel)).collect();
        eval::run(&mut Concrete, &mut host, program, &mut lanes);
        for (k, lane) in lanes.iter().enumerate().take(n) {
            let at = base + k;
            let end = match (host.overflowed(k), lane.stop) {
                (_, Some(Stop::OutOfFuel)) => End::OutOfFuel,
                (_, Some(Stop::Hung)) => End::Hung,
                (true, _) => End::EffectsFull,
                _ => End::Finished,
            };
            if batch.end(at) != end {
                return Err(format!("lane {at}: ended {:?}, not {end:?}", batch.end(at)));
            }
            if batch.killed(at) != lane.killed {
                return Err(format!("lane {at}: killed {}", batch.killed(at)));
            }
            if batch.effects(at) != host.records(k) {
                return Err(format!("lane {at}: effects {:?}, not {:?}", batch.effects(at), host.records(k)));
            }
            for &(number, var) in &program.outputs {
                let bits = match &lane.vars[var.0 as usize] {
                    eval::Scalar::F(v) => v.to_bits(),
                    eval::Scalar::I(v) => *v as u32,
                    eval::Scalar::B(v) => {
                        if *v {
                            u32::MAX
                        } else {
                            0
                        }
                    }
                };
                let got = batch.output(at, number);
                if !same(got, f32::from_bits(bits)) {
                    return Err(format!("lane {at}, output {number}: {:08x}, not {bits:08x}", got.to_bits()));
                }
            }
        }
    }
    Ok(())
}

fn check(seeds: std::ops::Range<u64>, lanes: &[usize]) {
    let (mut batch, mut planner, mut plan) = (Batch::new(), Planner::default(), Plan::default());
    for seed in seeds {
        let mut random = Random::new(seed);
        let program = random_ir::program(&mut random);
        // Beyond the rules, integers and truth values are handed over too, so that they can be compared, and lanes that run alone take
        // derivatives, which are 0. Else the programs keep the rules.
        let mut ruled = program.clone();
        ruled.group = 4;
        ruled.outputs.retain(|(_, var)| program.var(*var).ty == Ty::F32);
        assert_eq!(verify(&ruled), Ok(()), "seed {seed}");
        planner.plan(&program, &mut plan);
        for &n in lanes {
            let env = random_ir::environment(&mut random, n);
            for level in Level::available() {
                batch.run(&plan, &env, level);
                if let Err(what) = compare(&program, &env, &batch) {
                    panic!("seed {seed}, {n} lanes, {level:?}: {what}\n{program:#?}\n{plan:#?}");
                }
            }
        }
    }
}

#[test]
fn every_level_equals_the_evaluator() {
    check(0..20_000, &[1, 8]);
}

#[test]
fn every_number_of_lanes_equals_the_evaluator() {
    check(100_000..101_000, &[0, 1, 4, 7, 8, 9, 16, 17, 63, 64, 65, 80, 81, 130]);
}

#[test]
fn streaming_equals_running() {
    let (mut batch, mut planner, mut plan) = (Batch::new(), Planner::default(), Plan::default());
    let mut streamed = Batch::new();
    for seed in 200_000..200_300 {
        let mut random = Random::new(seed);
        let program = random_ir::program(&mut random);
        planner.plan(&program, &mut plan);
        for n in [1, 8, 15, 64, 79, 100] {
            let env = random_ir::environment(&mut random, n);
            let blocks = n.div_ceil(64);
            let mut inputs = vec![0.0; blocks * plan.inputs().len() * 64];
            for (lane, input) in env.lanes.iter().enumerate() {
                for (k, &(number, _)) in plan.inputs().iter().enumerate() {
                    let slot = input.slots.get(usize::from(number / 4)).copied().unwrap_or_default();
                    inputs[(lane / 64 * plan.inputs().len() + k) * 64 + lane % 64] =
                        slot[usize::from(number % 4)];
                }
            }
            let mut outputs = vec![0.0; blocks * plan.outputs().len() * 64];
            for level in Level::available() {
                batch.run(&plan, &env, level);
                streamed.stream(&plan, &env, level, &inputs, &mut outputs, n);
                for lane in 0..n {
                    assert_eq!(batch.end(lane), streamed.end(lane));
                    assert_eq!(batch.killed(lane), streamed.killed(lane));
                    assert_eq!(batch.effects(lane), streamed.effects(lane));
                    for (k, &(number, _)) in plan.outputs().iter().enumerate() {
                        let value = outputs[(lane / 64 * plan.outputs().len() + k) * 64 + lane % 64];
                        assert!(same(value, batch.output(lane, number)), "seed {seed}, lane {lane} of {n}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_generator_reaches_what_it_should() {
    let (mut insts, mut code) = (0, 0);
    let (mut spent, mut hung, mut full, mut killed, mut effects, mut blocks, mut lanes) =
        (0, 0, 0, 0, 0, 0, 0);
    let (mut batch, mut planner, mut plan) = (Batch::new(), Planner::default(), Plan::default());
    let mut kernels = std::collections::BTreeSet::new();
    for seed in 0..5000 {
        let mut random = Random::new(seed);
        let program = random_ir::program(&mut random);
        planner.plan(&program, &mut plan);
        kernels.extend(plan.code().iter().map(|i| i.kernel));
        (insts, code) = (insts + program.insts.len(), code + plan.code().len());
        blocks += plan.blocks().len();
        let env = random_ir::environment(&mut random, 8);
        batch.run(&plan, &env, Level::Portable);
        for lane in 0..8 {
            lanes += 1;
            spent += u32::from(batch.end(lane) == End::OutOfFuel);
            hung += u32::from(batch.end(lane) == End::Hung);
            full += u32::from(batch.end(lane) == End::EffectsFull);
            killed += u32::from(batch.killed(lane));
            effects += batch.effects(lane).len();
        }
    }
    // Rare things must happen often enough to be tested, common ones must leave room for others.
    assert!(spent > lanes / 50 && spent < lanes / 2, "out of fuel: {spent} of {lanes}");
    assert!(hung > lanes / 50 && hung < lanes / 4, "hung: {hung} of {lanes}");
    assert!(full > 100 && killed > 1000 && effects > 1000, "{full} full, {killed} killed, {effects} effects");
    assert!(blocks > 15_000, "{blocks} blocks");
    assert!(code > insts / 4, "{code} instructions left of {insts}: too much is dead");
    for kernel in lockstep_core::exec::Kernel::ALL {
        let planted_only = *kernel == lockstep_core::exec::Kernel::Flip;
        assert!(kernels.contains(kernel) != planted_only, "{kernel:?}");
    }
}

#[test]
fn a_planted_fault_shows_where_its_result_matters() {
    let (mut planner, mut plan) = (Planner::default(), Plan::default());
    let (mut batch, mut planted, mut shown, mut by_origin) = (Batch::new(), 0, 0, 0);
    for seed in 300_000..300_100 {
        let mut random = Random::new(seed);
        let program = random_ir::program(&mut random);
        let env = random_ir::environment(&mut random, 8);
        planner.plan(&program, &mut plan);
        for at in 0..plan.code().len() as u32 {
            let mut faulty = plan.clone();
            if faulty.plant(Fault { target: Target::At(at), bit: 31 }) == 1 {
                assert!(faulty.is_sound());
                batch.run(&faulty, &env, Level::detect());
                planted += 1;
                shown += u32::from(compare(&program, &env, &batch).is_err());
            }
        }
        for block in plan.blocks() {
            let mut faulty = plan.clone();
            by_origin +=
                faulty.plant(Fault { target: Target::Origin { origin: block.origin, result: 0 }, bit: 0 });
        }
    }
    // Much code is never reached with these inputs, and many results are NaN, of which the sign is not compared.
    assert!(
        planted > 1000 && shown > planted / 20 && by_origin > 100,
        "{shown} of {planted} shown, {by_origin}"
    );
}
