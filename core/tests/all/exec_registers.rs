//! More values at once than the processor has registers, in groups of lanes of which only some run: each level equals the evaluator, for many numbers
//! of values and of lanes.

use lockstep_core::exec::check::RunResult;
use lockstep_core::exec::{Batch, Compiled, Level, plan};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::ir::{BlockId, Builder, Op, Program, Terminator, Ty, Value, VarKey};
use lockstep_core::value::FCmp;

/// Builds a program in which `count` products are live at once in the lanes whose first input is negative.
fn products_at_once(count: u16) -> Program {
    let mut b = Builder::new(1);
    let out = b.var(VarKey { file: 0, index: 0, component: 0 }, Ty::F32, 0);
    let (first, zero) = (b.op(Op::Input(0), &[]), b.f(0.0));
    let negative = b.cmp(FCmp::Lt, first, zero);
    b.end_block(0, Terminator::Branch(negative, BlockId(1), BlockId(2)));
    let inputs: Vec<Value> = (0..=count).map(|k| b.op(Op::Input(k), &[])).collect();
    let products: Vec<Value> = inputs.windows(2).map(|pair| b.mul(pair[0], pair[1])).collect();
    let maxima: Vec<Value> = products.windows(2).map(|pair| b.max(pair[0], pair[1])).collect();
    let all = products.iter().rev().chain(&maxima).copied();
    let sum = all.reduce(|sum, value| b.sub(value, sum)).unwrap();
    b.write(out, sum);
    b.end_block(1, Terminator::Return);
    let other = b.op(Op::Input(1), &[]);
    b.write(out, other);
    b.end_block(2, Terminator::Return);
    b.output(0, out);
    b.finish(BlockId(0))
}

/// Lanes that diverge within every group of eight lanes, differently from group to group.
fn environment(lanes: usize, count: u16) -> Environment {
    let input = |lane: usize, slot: usize| -> [f32; 4] {
        let number = |c: usize| ((lane * 7 + slot * 5 + c * 3) % 17) as f32 / 4.0 - 1.5;
        let mut vector = std::array::from_fn(number);
        if slot == 0 {
            vector[0] = if lane * lane % 7 < 3 { -1.25 } else { 1.25 };
        }
        vector
    };
    let slots = usize::from(count / 4) + 1;
    let lane = |lane| LaneInput { slots: (0..slots).map(|slot| input(lane, slot)).collect() };
    Environment { lanes: (0..lanes).map(lane).collect(), fuel: 10, ..Environment::default() }
}

#[test]
fn any_number_of_values_at_once_in_some_lanes_equals_the_evaluator() {
    let (mut batch, mut expected, mut seen) = (Batch::new(), RunResult::default(), RunResult::default());
    let mut check = |count: u16, sizes: &mut dyn Iterator<Item = usize>| {
        let program = products_at_once(count);
        let plan = plan(&program);
        let levels: Vec<(Level, Option<Compiled>)> = Level::available()
            .map(|level| (level, level.is_compiled().then(|| Compiled::new(&plan, level).unwrap())))
            .collect();
        for lanes in sizes {
            let env = environment(lanes, count);
            expected.evaluate(&program, &env);
            for (level, compiled) in &levels {
                match compiled {
                    Some(code) => batch.run_compiled(&plan, &env, code),
                    None => batch.run(&plan, &env, *level),
                }
                seen.take_batch(&program, &batch);
                assert_eq!(expected.difference(&seen), None, "{count} values, {lanes} lanes, {level:?}");
            }
        }
    };
    for count in 1..80 {
        check(count, &mut [7, 64, 79].into_iter());
    }
    for count in [13, 14, 15, 16, 30, 31, 32, 33] {
        check(count, &mut (1..=130));
    }
}
