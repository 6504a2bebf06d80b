//! Tests of code with one damaged instruction: each kind of damage is made at every place where it can be made, and each is refused.

use iced_x86::{
    ConstantOffsets, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register,
};
use lockstep_core::exec::{CodePart, Compiled, Layout, Level, Plan, plan};
use lockstep_core::ir::{BlockId, Builder, Op, Terminator, Ty, Value, Var, VarKey};
use lockstep_core::value::FCmp;
use lockstep_validate::{Invalid, Validator};
use std::collections::BTreeSet;

fn levels() -> impl Iterator<Item = Level> {
    Level::available().filter(|level| level.is_compiled())
}

/// The ways from the first block of a program to the others.
#[derive(Clone, Copy, Debug)]
enum Way {
    Jump,
    Branch,
    /// To this many blocks.
    Switch(u32),
}

impl Way {
    const ALL: [Way; 6] =
        [Way::Jump, Way::Branch, Way::Switch(1), Way::Switch(2), Way::Switch(3), Way::Switch(4)];

    fn targets(self) -> u32 {
        match self {
            Way::Jump => 1,
            Way::Branch => 2,
            Way::Switch(count) => count,
        }
    }

    /// Ends the first block, with operands that differ from lane to lane.
    fn end_block(self, b: &mut Builder) {
        let input = b.op(Op::Input(3), &[]);
        let terminator = match self {
            Way::Jump => Terminator::Jump(BlockId(1)),
            Way::Branch => {
                let zero = b.f(0.0);
                Terminator::Branch(b.cmp(FCmp::Lt, input, zero), BlockId(1), BlockId(2))
            }
            Way::Switch(count) => {
                let index = b.op(Op::TruncI, &[input]);
                Terminator::Switch(index, (1..=count).map(BlockId).collect())
            }
        };
        b.end_block(0, terminator);
    }
}

fn var(b: &mut Builder, index: u16) -> Var {
    b.var(VarKey { file: 0, index, component: 0 }, Ty::F32, 0)
}

fn inputs(b: &mut Builder) -> [Value; 2] {
    [0, 1].map(|k| b.op(Op::Input(k), &[]))
}

/// The first block adds. Only block `reader` reads the sum.
fn read_in_one_block(way: Way, reader: u32) -> Plan {
    let mut b = Builder::new(1);
    let (sum, out) = (var(&mut b, 0), var(&mut b, 1));
    let [x, y] = inputs(&mut b);
    let value = b.add(x, y);
    b.write(sum, value);
    way.end_block(&mut b);
    for block in 1..=way.targets() {
        let value = if block == reader { b.read(sum) } else { b.op(Op::Input(2), &[]) };
        b.write(out, value);
        b.end_block(block, Terminator::Return);
    }
    b.output(0, out);
    plan(&b.finish(BlockId(0)))
}

/// The first block adds and writes the output, and its lanes may end there.
fn ends_in_the_first_block(end: &Terminator, with_fuel: bool) -> Plan {
    let mut b = Builder::new(1);
    let out = var(&mut b, 0);
    let [x, y] = inputs(&mut b);
    let value = b.add(x, y);
    // The operation itself, because the builder's own `write` takes effect at the end of the block.
    b.op(Op::Write(out), &[value]);
    if with_fuel {
        b.op(Op::Fuel(1), &[]);
        let product = b.mul(x, y);
        b.op(Op::Write(out), &[product]);
    }
    b.output(0, out);
    b.end_block(0, end.clone());
    plan(&b.finish(BlockId(0)))
}

/// Each block but the first writes the output and ends its lanes. They return, or hang if their block's bit in `hung` is set.
fn ends_in_each_block(way: Way, hung: u32) -> Plan {
    let mut b = Builder::new(1);
    let out = var(&mut b, 0);
    way.end_block(&mut b);
    for block in 1..=way.targets() {
        let [x, y] = inputs(&mut b);
        let value = if block % 2 == 0 { b.mul(x, y) } else { b.sub(x, y) };
        b.write(out, value);
        b.end_block(block, if hung >> block & 1 == 1 { Terminator::Hang } else { Terminator::Return });
    }
    b.output(0, out);
    plan(&b.finish(BlockId(0)))
}

/// The offsets of all functions, and those of functions for groups with inactive lanes.
fn functions(layout: &Layout) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let (mut every, mut partial) = (BTreeSet::new(), BTreeSet::new());
    for piece in layout.blocks.iter().flatten() {
        if let CodePart::Code { all, some, .. } = piece {
            every.extend(all);
            every.extend(some.iter().flatten());
            partial.extend(some.iter().flatten());
        }
    }
    (every, partial)
}

/// The instructions of a function, with the positions of their constants.
fn instructions(bytes: &[u8], offset: u32) -> Vec<(Instruction, ConstantOffsets)> {
    let mut decoder = Decoder::new(64, bytes, DecoderOptions::NONE);
    decoder.set_position(offset as usize).unwrap();
    decoder.set_ip(u64::from(offset));
    let mut all = Vec::new();
    loop {
        let instruction = decoder.decode();
        all.push((instruction, decoder.get_constant_offsets(&instruction)));
        if instruction.flow_control() == FlowControl::Return {
            return all;
        }
    }
}

/// Compiled code whose bytes can be changed.
struct Code {
    plan: Plan,
    layout: Layout,
    bytes: Vec<u8>,
    validator: Validator,
}

impl Code {
    fn new(plan: &Plan, level: Level) -> Code {
        let compiled = Compiled::new(plan, level).unwrap();
        let mut validator = Validator::default();
        validator.validate(plan, &compiled).unwrap();
        Code { plan: plan.clone(), layout: compiled.layout(), bytes: compiled.bytes().to_vec(), validator }
    }

    /// Validates the code with other bytes from `at` on, and restores it.
    fn with(&mut self, at: usize, bytes: &[u8]) -> Result<(), Invalid> {
        let range = at..at + bytes.len();
        let before = self.bytes[range.clone()].to_vec();
        assert_ne!(before, bytes);
        self.bytes[range.clone()].copy_from_slice(bytes);
        let found = self.validator.validate_bytes(&self.plan, &self.layout, &self.bytes);
        self.bytes[range].copy_from_slice(&before);
        found.map(|_| ())
    }
}

/// Returns whether the instruction has an EVEX prefix, of four bytes; the VEX prefixes of compiled code have three.
fn is_evex(bytes: &[u8], instruction: &Instruction) -> bool {
    bytes[instruction.ip() as usize] == 0x62
}

#[test]
fn a_wrong_result_is_refused_in_every_function_whatever_reads_it() {
    let mut plans: Vec<(String, Plan)> = Vec::new();
    for way in Way::ALL {
        for reader in 1..=way.targets() {
            plans.push((format!("{way:?}, read in block {reader}"), read_in_one_block(way, reader)));
        }
    }
    for (end, with_fuel) in
        [(Terminator::Return, false), (Terminator::Hang, false), (Terminator::Return, true)]
    {
        plans.push((format!("{end:?}, fuel {with_fuel}"), ends_in_the_first_block(&end, with_fuel)));
    }
    for (level, (name, plan)) in levels().flat_map(|level| plans.iter().map(move |plan| (level, plan))) {
        let mut code = Code::new(plan, level);
        let mut added = 0;
        for function in functions(&code.layout).0 {
            let all = instructions(&code.bytes, function);
            let Some((sum, _)) = all.iter().find(|(i, _)| i.mnemonic() == Mnemonic::Vaddps) else { continue };
            added += 1;
            let at = sum.ip() as usize + if is_evex(&code.bytes, sum) { 4 } else { 3 };
            assert_eq!(code.bytes[at], 0x58, "the opcode of VADDPS");
            // SUBPS, MULPS, MINPS.
            for other in [0x5c, 0x59, 0x5d] {
                let found = code.with(at, &[other]);
                assert!(
                    matches!(found, Err(Invalid::Result { .. })),
                    "{level:?}, {name}, {function}: {found:?}"
                );
            }
        }
        assert!(added > 0, "{level:?}, {name}: no function adds");
    }
}

#[test]
fn an_unmasked_store_of_an_output_is_refused_in_every_block() {
    let mut plans: Vec<(String, Plan)> = Vec::new();
    for way in Way::ALL {
        for hung in (0..1 << (way.targets() + 1)).step_by(2) {
            plans.push((format!("{way:?}, hung {hung:#b}"), ends_in_each_block(way, hung)));
        }
    }
    plans.push(("out of fuel".to_owned(), ends_in_the_first_block(&Terminator::Return, true)));
    for (level, (name, plan)) in levels().flat_map(|level| plans.iter().map(move |plan| (level, plan))) {
        let mut code = Code::new(plan, level);
        let output = plan.outputs()[0].1;
        let mut stores = 0;
        for function in functions(&code.layout).1 {
            for (store, _) in instructions(&code.bytes, function) {
                let row = store.memory_displacement64() == u64::from(output) * 256;
                if store.op0_kind() != OpKind::Memory || store.memory_base() != Register::R8 || !row {
                    continue;
                }
                let at = store.ip() as usize;
                let (first, mut changed) = (at, code.bytes[at..at + 4].to_vec());
                if is_evex(&code.bytes, &store) {
                    assert!(store.has_op_mask(), "{store:?}");
                    changed[3] &= !7;
                } else {
                    // VMASKMOVPS becomes VMOVUPS: map 1, no second register, no mandatory prefix.
                    assert_eq!(store.mnemonic(), Mnemonic::Vmaskmovps);
                    changed = vec![0xc4, changed[1] & !0x1f | 1, (changed[2] | 0x78) & !3, 0x11];
                }
                let found = code.with(first, &changed);
                let is_named =
                    |what: &str| what == format!("row {output} is changed in lanes that do not run");
                let refused = matches!(&found, Err(Invalid::Result { what, .. }) if is_named(what));
                assert!(refused, "{level:?}, {name}, byte {at}: {found:?}");
                stores += 1;
            }
        }
        assert!(stores > 0, "{level:?}, {name}");
    }
}

#[test]
fn rows_inputs_and_outputs_at_other_lanes_are_refused() {
    let plans = [read_in_one_block(Way::Switch(3), 2), ends_in_the_first_block(&Terminator::Return, false)];
    for (level, plan) in levels().flat_map(|level| plans.iter().map(move |plan| (level, plan))) {
        let mut code = Code::new(plan, level);
        let mut bases = BTreeSet::new();
        for function in functions(&code.layout).0 {
            for (instruction, constants) in instructions(&code.bytes, function) {
                let is_vector = instruction.memory_size().size() >= 32;
                if !is_vector || [Register::None, Register::RIP].contains(&instruction.memory_base()) {
                    continue;
                }
                bases.insert(instruction.memory_base() as u32);
                let at = instruction.ip() as usize + constants.displacement_offset();
                // A displacement of one byte counts vectors of 64 bytes in EVEX, and bytes in VEX. A row has 256 bytes.
                let steps: &[u8] = match (constants.displacement_size(), is_evex(&code.bytes, &instruction)) {
                    (1, true) => &[1, 2, 3],
                    _ => &[1, 4, 32, 64],
                };
                for step in steps {
                    let moved = code.bytes[at].wrapping_add(*step);
                    let found = code.with(at, &[moved]);
                    let refused = matches!(&found, Err(Invalid::Code { offset, .. }) if *offset as u64 == instruction.ip());
                    assert!(refused, "{level:?}, {instruction:?} moved by {step}: {found:?}");
                }
            }
        }
        assert!(bases.len() >= 2, "{level:?}: {bases:?}");
    }
}

#[test]
fn only_registers_that_a_call_may_change_are_changed() {
    let mut b = Builder::new(1);
    let out = var(&mut b, 0);
    let condition = b.op(Op::BoolUniform(0), &[]);
    b.end_block(0, Terminator::Branch(condition, BlockId(1), BlockId(2)));
    for block in [1, 2] {
        let value = b.f(block as f32);
        b.write(out, value);
        b.end_block(block, Terminator::Return);
    }
    b.output(0, out);
    let plan = plan(&b.finish(BlockId(0)));
    assert!(plan.inputs().is_empty(), "no code needs the address of the inputs");
    // The System V convention: a call preserves rbx, rsp, rbp and r12 to r15. rdi is the argument, which the following instructions read.
    let preserved = [3, 4, 5, 12, 13, 14, 15];
    for level in levels() {
        let mut code = Code::new(&plan, level);
        for function in functions(&code.layout).0 {
            let at = function as usize;
            assert_eq!(code.bytes[at..at + 4], [0x4c, 0x8b, 0x4f, 8], "mov r9, [rdi + 8]");
            for register in (0..16u8).filter(|register| *register != 9) {
                let other = [0x48 | (register >> 3) << 2, 0x8b, 0x47 | (register & 7) << 3, 8];
                let found = code.with(at, &other);
                let refused = matches!(&found, Err(Invalid::Code { offset, .. }) if preserved.contains(&register) && *offset == at);
                let expected =
                    if preserved.contains(&register) { refused } else { found.is_err() == (register == 7) };
                assert!(expected, "{level:?}, function {function}, register {register}: {found:?}");
            }
        }
    }
}
