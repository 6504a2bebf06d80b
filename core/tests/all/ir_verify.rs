//! The verifier detects each kind of damage.

use lockstep_core::ir::{
    Array, ArrayDecl, BlockId, MAX_ARRAY_ELEMENTS, Op, Program, Ty, Value, Var, VerifyError as E, parse,
    verify,
};
use lockstep_core::ir::{Sampler, Terminator};

const GOOD: &str = "group 4
entry 0
var v0 0.0.0 f32 = 0.0
var v1 0.0.1 bool = false
array a0 file 0 len 4
sampler s0 unit 0 2d explicit bound
output 0 = v0
block 0 @0:
  %0 = f32 1.0
  %1 = i32 2
  %2 = add %0, %0
  %3..%6 = sample s0 (%0, %0, %0, %2)
  %7 = read v1
  write v0, %3
  branch %7, 0, 1
block 1 @1:
  %8 = i32 0
  %9 = f32 0.0
  %10 = bool true
  effect 0 0 0x1 (%10, %9, %9, %9, %9)
  switch %8 (0, 1)
";

fn good() -> Program {
    parse(GOOD).unwrap()
}

type Damage = fn(&mut Program);

#[test]
fn each_kind_of_damage_is_reported() {
    assert_eq!(verify(&good()), Ok(()));
    let cases: [(Damage, E); 31] = [
        (|p| p.group = 2, E::Group(2)),
        (|p| p.entry = 2, E::Entry(2)),
        (|p| p.vars[1].init = 2, E::Init(1, 2)),
        (
            |p| {
                p.arrays.push(ArrayDecl {
                    len: u32::MAX,
                    file: 0,
                    component: None,
                    init: lockstep_core::ir::ArrayInit::Zero,
                });
            },
            E::Arrays(u64::from(u32::MAX) + 4),
        ),
        (|p| p.outputs.push((7, Var(1))), E::Output(7)),
        (|p| p.outputs.push((7, Var(2))), E::Output(7)),
        (|p| p.blocks[0].insts.start = 1, E::Tiling(0)),
        (|p| p.blocks[0].insts.end = 99, E::Tiling(0)),
        (|p| p.blocks[1].insts.start = 5, E::Tiling(1)),
        (|p| p.blocks[1].insts.end = 8, E::Tiling(1)),
        (|p| p.blocks[0].terminator = Terminator::Jump(BlockId(2)), E::Target(0, 2)),
        (|p| p.blocks[1].terminator = Terminator::Switch(Value(8), vec![]), E::EmptySwitch(1)),
        (|p| p.blocks[1].terminator = Terminator::Switch(Value(1), vec![BlockId(0)]), E::Condition(1, 1)),
        (
            |p| p.blocks[0].terminator = Terminator::Branch(Value(1), BlockId(0), BlockId(0)),
            E::Condition(0, 1),
        ),
        (
            |p| p.blocks[0].terminator = Terminator::Branch(Value(8), BlockId(0), BlockId(0)),
            E::Condition(0, 8),
        ),
        (|p| p.insts[2].args = 1, E::Pool(2)),
        (|p| p.pool.push(Value(0)), E::Pool(9)),
        (|p| p.pool.truncate(10), E::Pool(9)),
        (|p| p.insts[2].op = Op::Fma, E::Arity(2, 2, 3)),
        (|p| p.insts[2].op = Op::Not, E::Arity(2, 2, 1)),
        (|p| p.samplers[0].lod = lockstep_core::ir::LodKind::Base, E::Arity(3, 4, 3)),
        (|p| p.pool[0] = Value(2), E::Undefined(2, 2)),
        (|p| p.pool[7] = Value(2), E::Undefined(9, 2)),
        (|p| p.pool[0] = Value(1), E::Type(2, 0, Ty::I32, Ty::F32)),
        (|p| p.vars[0].ty = Ty::I32, E::Output(0)),
        (|p| p.insts[5].op = Op::Write(Var(1)), E::Type(5, 0, Ty::F32, Ty::Bool)),
        (|p| p.insts[2].result = Value(3), E::Numbering(2, 3, 2)),
        (|p| p.values = 9, E::Values(9, 11)),
        (|p| p.insts[4].op = Op::Read(Var(2)), E::Range(4)),
        (|p| p.insts[3].op = Op::Sample(Sampler(1)), E::Range(3)),
        (|p| p.insts[9].op = Op::Effect { kind: 0, index: 0, mask: 16 }, E::Range(9)),
    ];
    for (n, (damage, error)) in cases.into_iter().enumerate() {
        let mut program = good();
        damage(&mut program);
        assert_eq!(verify(&program), Err(error), "case {n}");
    }
}

#[test]
fn references_to_missing_things_are_reported() {
    let mut program = good();
    program.insts[2] = lockstep_core::ir::Inst { op: Op::Load(Array(1)), ..program.insts[2] };
    assert_eq!(verify(&program), Err(E::Range(2)));
    let mut program = good();
    program.insts[2].op = Op::UniformAt(4);
    assert_eq!(verify(&program), Err(E::Range(2)));
    let mut program = good();
    program.arrays[0].len = MAX_ARRAY_ELEMENTS as u32 + 1;
    assert_eq!(verify(&program), Err(E::Arrays(MAX_ARRAY_ELEMENTS + 1)));
    let mut program = good();
    program.group = 1;
    program.insts[2].op = Op::Ddx { fine: false };
    assert_eq!(verify(&program), Err(E::Quad(2)));
    let nothing = Program { group: 1, ..Program::default() };
    assert_eq!(verify(&nothing), Err(E::Entry(0)));
}

/// Arrays of these numbers of elements.
fn with_arrays(lengths: &[u64]) -> Program {
    let mut program = good();
    let array = program.arrays[0];
    program.arrays = lengths.iter().map(|len| ArrayDecl { len: *len as u32, ..array }).collect();
    program
}

#[test]
fn each_limit_is_admitted_and_one_more_is_refused() {
    let most = MAX_ARRAY_ELEMENTS;
    let cases: [(Program, Program); 7] = [
        (with_arrays(&[most]), with_arrays(&[most + 1])),
        (with_arrays(&[most / 2, most / 2]), with_arrays(&[most / 2, most / 2 + 1])),
        (with_arrays(&[1, most - 2, 1]), with_arrays(&[1, most - 1, 1])),
        {
            let component = |c: u8| {
                let mut program = good();
                program.arrays[0].component = Some(c);
                program
            };
            (component(3), component(4))
        },
        {
            let mask = |mask: u8| {
                let mut program = good();
                program.insts[9].op = Op::Effect { kind: 0, index: 0, mask };
                program
            };
            (mask(15), mask(16))
        },
        {
            let init = |init: u32| {
                let mut program = good();
                program.vars[1].init = init;
                program
            };
            (init(1), init(2))
        },
        {
            let entry = |entry: u32| Program { entry, ..good() };
            (entry(1), entry(2))
        },
    ];
    for (n, (within, beyond)) in cases.into_iter().enumerate() {
        assert_eq!(verify(&within), Ok(()), "case {n}");
        assert!(verify(&beyond).is_err(), "case {n}");
    }
}
