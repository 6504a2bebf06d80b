//! Tests of damaged code: code with a flipped bit is refused or has the same effect; truncated code and bytes that are not code are refused.

use iced_x86::{Decoder, DecoderOptions, FlowControl, InstructionInfoFactory, Register};
use lockstep_core::exec::check::boundary;
use lockstep_core::exec::{CodePart, Compiled, Layout, Level, Plan, plan};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::random::Source;
use lockstep_core::ir::{BlockId, Builder, Flush, Op, Terminator, Ty, Value, VarKey};
use lockstep_core::value::{Concrete, FCmp, FUn, Narrow};
use lockstep_validate::numbers::{NumberRows, run};
use lockstep_validate::sequence::Vector;
use lockstep_validate::word::Word;
use lockstep_validate::{Invalid, Validator};
use std::collections::BTreeSet;

fn levels() -> impl Iterator<Item = Level> {
    Level::available().filter(|level| level.is_compiled())
}

/// Builds a chain of operations on `x`, each of which uses the previous result, so that no value is dead.
fn chain(b: &mut Builder, r: &mut Source<'_>, mut x: Value, count: u32) -> Value {
    for _ in 0..count {
        let n = r.below(4) as u16;
        let y = b.op(if r.one_in(2) { Op::Input(n) } else { Op::Uniform(n) }, &[]);
        x = match r.below(9) {
            0 => b.add(x, y),
            1 => b.mul(x, y),
            2 => b.sub(y, x),
            3 => b.min(x, y),
            4 => b.op(Op::Fma, &[x, y, y]),
            5 => {
                let z = b.op(Op::Mulz, &[x, y]);
                b.un(FUn::Narrow(Narrow::F24Nearest), z)
            }
            6 => b.op(Op::Flush(Flush::Subnormal), &[x]),
            7 => {
                let (lt, sum) = (b.cmp(FCmp::Le, x, y), b.add(x, y));
                b.sel(lt, y, sum)
            }
            _ => {
                let (i, five) = (b.op(Op::TruncI, &[x]), b.i(5));
                let product = b.ibin(lockstep_core::value::IBin::Mul, i, five);
                let f = b.op(Op::ToF, &[product]);
                b.op(Op::Div, &[y, f])
            }
        };
    }
    x
}

/// Builds a program without dead code: a straight line, or a branch to two blocks that join in a third.
fn random_plan(seed: u64) -> Plan {
    let mut r = Source::seeded(seed);
    let mut b = Builder::new(1);
    let var = b.var(VarKey { file: 0, index: 0, component: 0 }, Ty::F32, 0);
    let start = b.op(Op::Input(0), &[]);
    if seed.is_multiple_of(2) {
        let x = chain(&mut b, &mut r, start, 4);
        b.write(var, x);
    } else {
        let (x, limit) = (chain(&mut b, &mut r, start, 1), b.op(Op::Uniform(9), &[]));
        let condition = b.cmp(FCmp::Lt, x, limit);
        b.write(var, x);
        b.end_block(0, Terminator::Branch(condition, BlockId(1), BlockId(2)));
        for next in [2, 3] {
            let x = b.read(var);
            let x = chain(&mut b, &mut r, x, 1);
            b.write(var, x);
            b.end_block(next, Terminator::Jump(BlockId(3)));
        }
        let x = b.read(var);
        let x = b.un(FUn::Floor, x);
        b.write(var, x);
    }
    b.output(0, var);
    b.end_block(9, Terminator::Return);
    plan(&b.finish(BlockId(0)))
}

/// Builds a program that writes its output before and after its lane may run out of fuel. The first value is read only if the lane runs out.
fn ends_early() -> Plan {
    let mut b = Builder::new(1);
    let var = b.var(VarKey { file: 0, index: 0, component: 0 }, Ty::F32, 0);
    let [x, y] = [0, 1].map(|k| b.op(Op::Input(k), &[]));
    let sum = b.add(x, y);
    b.write(var, sum);
    b.op(Op::Fuel(1), &[]);
    let product = b.mul(x, y);
    b.write(var, product);
    b.output(0, var);
    b.end_block(0, Terminator::Return);
    plan(&b.finish(BlockId(0)))
}

/// A function: its offset, its vector length, and whether it serves groups with inactive lanes.
type FunctionInfo = (usize, Vector, bool);

fn functions(layout: &Layout) -> Vec<FunctionInfo> {
    let large = if layout.level == Level::Jit512 { Vector::Bits512 } else { Vector::Bits256 };
    let mut all = Vec::new();
    for piece in layout.blocks.iter().flatten() {
        if let CodePart::Code { all: whole, some, .. } = piece {
            for (offsets, partial) in [(Some(*whole), false), (*some, true)] {
                if let Some(offsets) = offsets {
                    all.push((offsets[0] as usize, large, partial));
                    all.push((offsets[1] as usize, Vector::Bits256, partial));
                }
            }
        }
    }
    all
}

/// Returns the offsets of the bytes that are read: instructions, and the constants that they load.
fn read_bytes(bytes: &[u8], layout: &Layout) -> BTreeSet<usize> {
    let (mut read, mut info) = (BTreeSet::new(), InstructionInfoFactory::new());
    for (offset, ..) in functions(layout) {
        let mut decoder = Decoder::new(64, bytes, DecoderOptions::NONE);
        decoder.set_position(offset).unwrap();
        decoder.set_ip(offset as u64);
        loop {
            let instruction = decoder.decode();
            read.extend(instruction.ip() as usize..instruction.next_ip() as usize);
            for memory in info.info(&instruction).used_memory().iter().filter(|m| m.base() == Register::None)
            {
                let start = memory.displacement() as usize;
                read.extend(start..start + memory.memory_size().size());
            }
            if instruction.flow_control() == FlowControl::Return {
                break;
            }
        }
    }
    read
}

fn same(a: &Word<Concrete>, b: &Word<Concrete>) -> bool {
    let bits = |word: &Word<Concrete>| match word {
        Scalar::F(v) => v.to_bits(),
        Scalar::I(v) => *v as u32,
        Scalar::B(v) => u32::from(*v).wrapping_neg(),
    };
    let nan = |word: &Word<Concrete>| f32::from_bits(bits(word)).is_nan();
    bits(a) == bits(b) || nan(a) && nan(b)
}

/// Whether the functions in `other` have the same effect on numbers as those in `bytes`: in active lanes, all rows and outputs are equal; in inactive
/// lanes, rows and outputs that `bytes` leaves unchanged are unchanged.
fn has_the_same_effect(plan: &Plan, layout: &Layout, bytes: &[u8], other: &[u8], sets: &[Vec<u32>]) -> bool {
    functions(layout).into_iter().all(|(offset, vector, partial)| {
        let lanes: &[Option<bool>] = if partial { &[Some(true), Some(false)] } else { &[None] };
        lanes.iter().all(|active| {
            sets.iter().all(|set| {
                let words = |from: usize, count: usize| {
                    NumberRows::words(&(0..count).map(|k| set[(from + k) % set.len()]).collect::<Vec<_>>())
                };
                let memory = NumberRows {
                    rows: words(0, plan.rows() as usize),
                    inputs: words(7, plan.inputs().len()),
                    outputs: words(11, plan.outputs().len()),
                    active: *active,
                };
                let run = |bytes: &[u8]| run((bytes, offset), vector, layout.level, memory.clone()).unwrap();
                let (expected, found) = (run(bytes), run(other));
                // The paths through both functions are found in the same order.
                let mut ways = expected.iter().zip(&found);
                expected.len() == found.len()
                    && ways.all(|(expected, found)| {
                        let rows = memory.rows.iter().zip(&expected.rows).zip(&found.rows);
                        let outputs = memory.outputs.iter().zip(&expected.outputs).zip(&found.outputs);
                        rows.chain(outputs).all(|((before, expected), found)| match active {
                            Some(false) => !same(before, expected) || same(before, found),
                            _ => same(expected, found),
                        })
                    })
            })
        })
    })
}

/// The seeds of the programs whose bits are flipped; more if LOCKSTEP_ALL_FLIPS is set.
fn seeds() -> std::ops::Range<u64> {
    0..if std::env::var_os("LOCKSTEP_ALL_FLIPS").is_some() { 20 } else { 2 }
}

#[test]
fn every_flipped_bit_is_refused_or_changes_nothing() {
    let (values, mut r) = (boundary(), Source::seeded(5));
    let sets: Vec<Vec<u32>> = (0..12).map(|_| (0..61).map(|_| r.pick(&values)).collect()).collect();
    let mut validator = Validator::default();
    let plans: Vec<(String, Plan)> =
        seeds().map(|seed| (format!("seed {seed}"), random_plan(seed))).collect();
    let plans = [plans, vec![("out of fuel".to_owned(), ends_early())]].concat();
    for (level, (name, plan)) in levels().flat_map(|level| plans.iter().map(move |plan| (level, plan))) {
        let compiled = Compiled::new(plan, level).unwrap();
        let (layout, mut bytes) = (compiled.layout(), compiled.bytes().to_vec());
        validator.validate(plan, &compiled).unwrap();
        let read = read_bytes(&bytes, &layout);
        let (mut refused, mut equivalent, mut unread) = (0, 0, 0);
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            match validator.validate_bytes(plan, &layout, &bytes) {
                Err(_) => refused += 1,
                Ok(_) if !read.contains(&(bit / 8)) => unread += 1,
                Ok(_) => {
                    let same = has_the_same_effect(plan, &layout, compiled.bytes(), &bytes, &sets);
                    assert!(same, "{level:?}, {name}: bit {bit} is not detected");
                    equivalent += 1;
                }
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        eprintln!("{level:?}, {name}: {refused} refused, {equivalent} equivalent, {unread} unread");
        assert_eq!(unread, 8 * (bytes.len() - read.len()), "bytes that nothing reads have no effect");
        assert!(refused > 8 * equivalent, "{refused} are refused, and {equivalent} change nothing");
    }
}

#[test]
fn truncated_code_and_random_bytes_are_refused() {
    let (mut validator, mut r) = (Validator::default(), Source::seeded(2));
    for level in levels() {
        let plan = random_plan(1);
        let compiled = Compiled::new(&plan, level).unwrap();
        let (layout, bytes) = (compiled.layout(), compiled.bytes());
        for end in 0..*read_bytes(bytes, &layout).last().unwrap() {
            let error = validator.validate_bytes(&plan, &layout, &bytes[..end]).unwrap_err();
            assert!(matches!(error, Invalid::Code { offset, .. } if offset <= bytes.len()), "{end}: {error}");
        }
        for _ in 0..2000 {
            let wild: Vec<u8> = bytes.iter().map(|_| r.bits() as u8).collect();
            assert!(validator.validate_bytes(&plan, &layout, &wild).is_err());
        }
        // Correct code at wrong offsets is refused.
        for piece in 0..layout.blocks[0].len() {
            let mut layout = layout.clone();
            if let CodePart::Code { all, .. } = &mut layout.blocks[0][piece] {
                *all = [u32::MAX, all[1] + 1];
                assert!(validator.validate_bytes(&plan, &layout, bytes).is_err());
            }
        }
    }
}

#[test]
fn a_test_of_only_some_lanes_of_a_group_is_refused() {
    if !Level::Jit512.is_available() {
        return;
    }
    let plan = random_plan(1);
    let compiled = Compiled::new(&plan, Level::Jit512).unwrap();
    let mut bytes = compiled.bytes().to_vec();
    // test si, si becomes test sil, sil: lanes 8 to 15 are not tested.
    let at = bytes.windows(3).position(|code| code == [0x66, 0x85, 0xf6]).expect("a test of sixteen lanes");
    bytes[at..at + 3].copy_from_slice(&[0x40, 0x84, 0xf6]);
    let refused = Validator::default().validate_bytes(&plan, &compiled.layout(), &bytes);
    assert!(matches!(refused, Err(Invalid::Code { offset, .. }) if offset == at), "{refused:?}");
}
