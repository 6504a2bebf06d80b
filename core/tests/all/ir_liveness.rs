//! Tests the rewriter's analysis of variables (which are needed, and which values they have) by comparing runs before and after rewriting, on
//! programs for which the analysis is hard. Their blocks are in any order, so that values also flow against that order; some have more blocks than
//! the analysis makes passes, and some more variables than live sets support.

use crate::ir_outcome::{environment, outcome};
use lockstep_core::ir::random::Source;
use lockstep_core::ir::rewrite::rewrite;
use lockstep_core::ir::{BlockId, Builder, Op, Program, Terminator, Ty, Var, VarKey, verify};

/// Builds a program whose lanes run through the blocks in the given order, and sometimes skip one. Each block reads some variables, writes some, and
/// reads some again.
fn path(source: &mut Source<'_>, order: &[u32], vars: u32) -> Program {
    let mut b = Builder::new(1);
    let count = order.len();
    let vars: Vec<Var> = (0..vars)
        .map(|n| {
            let key = VarKey { file: (n >> 16) as u8, index: n as u16, component: 0 };
            b.var(key, Ty::F32, (n as f32).to_bits())
        })
        .collect();
    for (number, var) in [(0, 0), (1, 1), (2, vars.len() - 1)] {
        b.output(number, vars[var]);
    }
    // The position of each block on the path.
    let mut place = vec![0; count];
    order.iter().enumerate().for_each(|(at, block)| place[*block as usize] = at);
    for at in place {
        // Draws one of the first or the last four variables, which are in the first or the last words of the live sets.
        let mut any = || {
            let near = source.below(4) as usize;
            vars[if source.one_in(2) {
                near.min(vars.len() - 1)
            } else {
                vars.len() - 1 - near.min(vars.len() - 1)
            }]
        };
        let [from, other, to, again] = std::array::from_fn(|_| any());
        // Uses the operations directly: the builder's own `read` and `write` would leave nothing to analyse.
        let read = |b: &mut Builder, var| b.op(Op::Read(var), &[]);
        let (old, kept, input) =
            (read(&mut b, from), read(&mut b, other), b.op(Op::Input(at as u16 % 16), &[]));
        let sum = b.add(old, input);
        b.op(Op::Write(to), &[sum]);
        let new = read(&mut b, again);
        let product = b.mul(new, kept);
        if source.one_in(2) {
            b.op(Op::Write(again), &[product]);
        }
        b.op(Op::Fuel(1), &[]);
        let block = |at: usize| BlockId(order[at.min(count - 1)]);
        let terminator = if at + 1 == count {
            Terminator::Return
        } else if source.one_in(4) {
            let (zero, next) = (b.f(0.0), read(&mut b, from));
            let past = b.cmp(lockstep_core::value::FCmp::Lt, zero, next);
            Terminator::Branch(past, block(at + 1), block(at + 2))
        } else {
            Terminator::Jump(block(at + 1))
        };
        b.end_block(at as u32, terminator);
    }
    b.finish(BlockId(order[0]))
}

fn check_rewriting(source: &mut Source<'_>, order: &[u32], vars: u32) {
    let before = path(source, order, vars);
    assert_eq!(verify(&before), Ok(()));
    let after = rewrite(&before);
    assert_eq!(verify(&after), Ok(()));
    for _ in 0..4 {
        let tape: Vec<u32> = (0..200).map(|_| source.below(u32::MAX)).collect();
        let mut environment = environment(&tape);
        environment.fuel = order.len() as u32;
        let (seen, expected) = (outcome(&after, &environment), outcome(&before, &environment));
        assert!(expected.iter().all(|lane| !lane.outputs.is_empty()), "a lane does not finish");
        assert_eq!(seen, expected, "{} blocks, {vars} variables, {order:?}", order.len());
    }
}

/// Returns the numbers below `count` in descending, ascending and shuffled order.
fn orders(source: &mut Source<'_>, count: u32) -> [Vec<u32>; 3] {
    let mut shuffled: Vec<u32> = (0..count).collect();
    for n in (1..count).rev() {
        shuffled.swap(n as usize, source.below(n + 1) as usize);
    }
    [(0..count).rev().collect(), (0..count).collect(), shuffled]
}

#[test]
fn values_propagate_against_block_order() {
    let mut source = Source::seeded(1);
    for count in 1..90 {
        for order in orders(&mut source, count) {
            for vars in [3, 8, 65, 130] {
                check_rewriting(&mut source, &order, vars);
            }
        }
    }
}

#[test]
fn programs_with_more_variables_than_live_sets_support_are_analysed() {
    let mut source = Source::seeded(2);
    // Live sets are limited to 2^20 words. 150 blocks with 7,000 words each are slightly more.
    let (count, vars) = (150, 64 * 7_000);
    for order in orders(&mut source, count) {
        check_rewriting(&mut source, &order, vars);
    }
}
