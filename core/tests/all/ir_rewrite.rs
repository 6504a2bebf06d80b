//! Random programs before and after rewriting.

use crate::ir_outcome::{environment, outcome, program};
use lockstep_core::host::Environment;
use lockstep_core::ir::rewrite::{RuleSet, rewrite, rewrite_with, rules};
use lockstep_core::ir::{Op, Program, parse, print, verify};
use proptest::prelude::*;

fn read(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Returns an environment with nothing but fuel.
fn with_fuel() -> Environment {
    Environment { fuel: 12, ..Environment::default() }
}

/// Returns the effects, which no rewrite may drop or reorder, with their immediates.
fn effects(program: &Program) -> Vec<Op> {
    program.insts.iter().map(|i| i.op).filter(|op| op.is_effect() && !matches!(op, Op::Write(_))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rewriting_preserves_outcomes(
        tape in proptest::collection::vec(any::<u32>(), 0..400),
        values in proptest::collection::vec(any::<u32>(), 0..200),
    ) {
        let before = program(&tape);
        prop_assert_eq!(verify(&before), Ok(()));
        let after = rewrite(&before);
        prop_assert_eq!(verify(&after), Ok(()), "{}", after);
        prop_assert_eq!(effects(&before), effects(&after));
        let environment = environment(&values);
        prop_assert_eq!(outcome(&before, &environment), outcome(&after, &environment), "{}\n{}", before, after);
        prop_assert!(after.insts.len() <= before.insts.len() + 8, "{}\n{}", before, after);
        let again = rewrite(&after);
        prop_assert_eq!(print(&after), print(&again), "from\n{}", before);
    }
}

/// Random programs, drawn as in `rewriting_preserves_outcomes` but from tapes of at least 200 numbers, make every rewrite rule fire.
#[test]
fn random_programs_fire_every_rule() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let tapes = proptest::collection::vec(any::<u32>(), 200..400);
    let mut fired = vec![0u32; rules().len()];
    for _ in 0..16_000 {
        let tape = tapes.new_tree(&mut runner).unwrap().current();
        let (_, stats) = rewrite_with(&program(&tape), RuleSet::all());
        fired.iter_mut().zip(&stats.fired).for_each(|(total, n)| *total += n);
    }
    let silent: Vec<&str> =
        rules().iter().zip(&fired).filter(|(_, n)| **n == 0).map(|(r, _)| r.name.as_str()).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn dead_writes_are_removed_even_around_a_loop() {
    // v1 only feeds itself; v2 controls when the loop ends; v0 is the output.
    let text = "group 1
entry 0
var v0 0.0.0 f32 = 0.0
var v1 0.0.1 f32 = 1.5
var v2 0.0.2 f32 = 0.0
output 0 = v0
block 0 @0:
  %0 = read v1
  %1 = add %0, %0
  write v1, %1
  %2 = read v2
  %3 = f32 1.0
  %4 = add %2, %3
  write v2, %4
  %5 = f32 3.0
  %6 = lt %4, %5
  fuel 1
  branch %6, 0, 1
block 1 @1:
  %7 = read v2
  write v0, %7
  return
";
    let after = rewrite(&read(text));
    assert!(!print(&after).contains("v1,"), "{after}");
    let environment = with_fuel();
    let seen = outcome(&after, &environment);
    assert_eq!(seen[0].outputs, [3f32.to_bits()]);
}

#[test]
fn derivatives_are_not_merged_across_fuel() {
    // Lanes 1 to 3 may run out of fuel at the fuel instruction; then lane 0's second derivative is 0 but its first is not.
    let text = "group 4
entry 0
var v0 0.0.0 f32 = 0.0
var v1 0.0.1 f32 = 0.0
output 0 = v0
output 1 = v1
block 0 @0:
  %0 = input 0
  %1 = ddx %0
  fuel 1
  %2 = ddx %0
  %3 = ddx %0
  %4 = add %2, %3
  write v0, %1
  write v1, %4
  return
";
    let after = rewrite(&read(text));
    let derivatives = after.insts.iter().filter(|i| i.op.is_quad()).count();
    assert_eq!(derivatives, 2, "{after}");
}

#[test]
fn loads_are_not_merged_across_a_store() {
    let text = "group 1
entry 0
var v0 0.0.0 f32 = 0.0
array a0 file 1 len 2
output 0 = v0
block 0 @0:
  %0 = i32 1
  %1 = load a0, %0
  %2 = f32 5.0
  store a0, %0, %2
  %3 = load a0, %0
  %4 = load a0, %0
  %5 = add %3, %4
  %6 = add %5, %1
  write v0, %6
  return
";
    let (after, stats) = rewrite_with(&read(text), RuleSet::all());
    assert_eq!(after.insts.iter().filter(|i| matches!(i.op, Op::Load(_))).count(), 2, "{after}");
    assert_eq!(stats.merged, 1);
    assert_eq!(outcome(&after, &with_fuel())[0].outputs, [10f32.to_bits()]);
}

#[test]
fn constants_fold_through_every_kind_of_operation() {
    let text = "group 1
entry 0
var v0 0.0.0 f32 = 0.0
output 0 = v0
block 0 @0:
  %0 = f32 2.0
  %1 = f32 -9.0
  %2 = abs %1
  %3 = sqrt %2
  %4 = exp2 %3
  %5 = trunc_i %4
  %6 = i32 4
  %7 = ishl %5, %6
  %8 = to_f %7
  %9 = lt %8, %0
  %10 = not %9
  %11 = sel %10, %8, %0
  write v0, %11
  return
";
    // sqrt 9 = 3, 2^3 = 8, 8 << 4 = 128, which is not below 2.
    let after = rewrite(&read(text));
    assert_eq!(after.insts.len(), 2, "{after}");
    assert_eq!(after.insts[0].op, Op::F32(128f32.to_bits()));
}

#[test]
fn an_overwritten_unread_write_is_removed() {
    let text = "group 1
entry 0
var v0 0.0.0 f32 = 0.0
output 0 = v0
block 0 @0:
  %0 = input 0
  %1 = input 1
  write v0, %0
  jump 1
block 1 @1:
  %2 = input 2
  write v0, %2
  return
";
    let (after, stats) = rewrite_with(&read(text), RuleSet::all());
    assert_eq!(stats.dropped, 3, "{after}");
    assert!(after.block(lockstep_core::ir::BlockId(0)).is_empty(), "{after}");
}

#[test]
fn a_sum_is_found_in_either_order_and_literals_come_last() {
    let text = "group 1
entry 0
var v0 0.0.0 f32 = 0.0
output 0 = v0
block 0 @0:
  %0 = f32 3.0
  %1 = input 0
  %2 = input 1
  %3 = add %1, %2
  %4 = add %2, %1
  %5 = mul %3, %4
  %6 = add %0, %5
  write v0, %6
  return
";
    let (after, stats) = rewrite_with(&read(text), RuleSet::all());
    let order = rules().iter().position(|r| r.name == "add-order").unwrap();
    assert_eq!((stats.fired[order], stats.merged), (2, 1), "{after}");
    assert!(print(&after).contains("%5 = add %4, %0\n"), "{after}");
}
