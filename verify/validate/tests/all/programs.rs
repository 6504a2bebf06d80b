//! Tests that the compiler's code for whole programs is accepted.

use lockstep_core::exec::{Compiled, Level, Plan, Planner, plan};
use lockstep_core::ir::random::{Rules, Source, program};
use lockstep_core::ir::{BlockId, Builder, Op, Terminator, Ty, Value, VarKey};
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::{Context, Format, Options, Syntax, Tables, lower};
use lockstep_validate::{Summary, Validator};

fn levels() -> impl Iterator<Item = Level> {
    Level::available().filter(|level| level.is_compiled())
}

/// Builds a program in which this many values are live at once.
fn values_at_once(count: u16) -> Plan {
    let mut b = Builder::new(1);
    let var = b.var(VarKey { file: 0, index: 0, component: 0 }, Ty::F32, 0);
    let inputs: Vec<Value> = (0..=count).map(|k| b.op(Op::Input(k), &[])).collect();
    let products: Vec<Value> = inputs.windows(2).map(|pair| b.mul(pair[0], pair[1])).collect();
    let sums: Vec<Value> = products.windows(2).map(|pair| b.op(Op::Max, &[pair[0], pair[1]])).collect();
    let all = products.iter().rev().chain(&sums).chain(&inputs).copied();
    let sum = all.reduce(|sum, value| b.sub(value, sum)).unwrap();
    b.write(var, sum);
    b.output(0, var);
    b.end_block(0, Terminator::Return);
    plan(&b.finish(BlockId(0)))
}

#[test]
fn the_code_of_any_program_is_accepted() {
    let (mut validator, mut planner, mut plan) = (Validator::default(), Planner::default(), Plan::default());
    for level in levels() {
        let (mut compiled, mut summary) = (Compiled::default(), Summary::default());
        for seed in 0..1500 {
            planner.plan(&program(&mut Source::seeded(seed), Rules::Lax), &mut plan);
            compiled.replace(&plan, level).unwrap();
            let found = validator.validate(&plan, &compiled);
            summary += found.unwrap_or_else(|error| panic!("{level:?}, seed {seed}: {error}"));
        }
        assert!(summary.functions > 5000 && summary.compared > 20_000, "{summary:?}");
        assert!(summary.compiled > 2 * summary.interpreted, "{summary:?}");
    }
}

#[test]
fn the_code_of_programs_with_more_values_than_registers_is_accepted() {
    let mut validator = Validator::default();
    for (level, count) in levels().flat_map(|level| (2..60).map(move |count| (level, count))) {
        let plan = values_at_once(count);
        let found = validator.validate(&plan, &Compiled::new(&plan, level).unwrap());
        let summary = found.unwrap_or_else(|error| panic!("{level:?}, {count} values: {error}"));
        assert!(summary.compared > 0 && summary.interpreted == 0, "{summary:?}");
    }
}

/// Regression test: the literal 0 is in one row both as a number and as a truth value. Flushing it to zero was a select between two truth values in
/// the plan and a mask operation in the code, so the validator refused the code. With subnormal numbers kept, the flush compares the literal with
/// zero, and the two are equal only because this comparison is folded. Found with mutants of PICA200 programs that were lowered by the fallback.
#[test]
fn the_code_of_a_flush_of_the_literal_zero_is_accepted() {
    let literal_sums = [
        ".raw vertex, outputs=0xf, entry=0x0\n.opdesc z, xyzw, y, xyzw\n.opdesc z, xyzw, w, xyzw\n\
         dsti r0.z, r0, v0.y\nadd o0.z, r0, v0.w\n",
        ".raw vertex, outputs=0x1, entry=0x0\n.opdesc w, xyzw, xyzw, xyzw\n.opdesc z, zwwz, w, xyzw\n\
         dsti r3.w, v0, r3\nadd o0.z, r3.zwwz, v0.w\n",
    ];
    for text in literal_sums {
        let program = Pica200::assemble(text).unwrap();
        let (entry, specs) = (&Pica200::entries(&program)[0], Pica200::option_specs());
        for subnormal in ["flush", "keep"] {
            let mut options = Options::new(specs);
            options.set_named("subnormal", subnormal).unwrap();
            let cx = Context::<Pica200> { program: &program, entry, options: &options };
            let (mut validator, plan) = (Validator::default(), plan(&lower(&cx, Mode::Fallback).unwrap()));
            for level in levels() {
                let found = validator.validate(&plan, &Compiled::new(&plan, level).unwrap());
                found.unwrap_or_else(|error| panic!("{text}, {subnormal}, {level:?}: {error}"));
            }
        }
    }
}
