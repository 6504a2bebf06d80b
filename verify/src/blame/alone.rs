//! Extracts one instruction from a lowered program as a separate program, so that two engines can be compared on it with given register values.

use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::ir::eval::{Lane, Scalar};
use lockstep_core::ir::{
    Array, ArrayInit, Block, BlockId, Inst, Op, Program, Terminator, Ty, Value, Var, VarDecl, VarKey, verify,
};
use lockstep_core::isa::{Entry, Interface, Port};
use lockstep_core::value::{Concrete, FCmp};

/// The extracted program, its environment, and the variables that its outputs represent.
pub(super) struct Isolated {
    pub(super) program: Program,
    pub(super) entry: Entry,
    pub(super) env: Environment,
    /// The variable of each output, by output number. If the block ends with a branch or a switch, the last output is the value that
    /// selects the successor, and its entry is `None`.
    pub(super) outputs: Vec<Option<VarKey>>,
}

/// Appends instructions to a program and numbers their values.
struct Writer<'p> {
    program: &'p mut Program,
    start: u32,
}

impl Writer<'_> {
    fn op(&mut self, op: Op, args: &[Value], results: u32) -> Value {
        let result = Value(self.program.values);
        self.program.values += results;
        let at = self.program.pool.len() as u32;
        self.program.pool.extend_from_slice(args);
        self.program.insts.push(Inst { op, args: at, arity: args.len() as u8, result });
        result
    }

    fn end(&mut self, origin: u32, terminator: Terminator) {
        let end = self.program.insts.len() as u32;
        self.program.blocks.push(Block { insts: self.start..end, terminator, origin });
        self.start = end;
    }
}

/// Returns the block of an instruction as a program, to be run on the state of `lanes`, the first of which is lane `base` of the environment. `None`
/// if the block does not exist, there are more values than input numbers, or the program does not verify.
pub(super) fn isolate(
    program: &Program,
    block: BlockId,
    lanes: &[Lane<Concrete>],
    (entry, env): (&Entry, &Environment),
    base: usize,
) -> Option<Isolated> {
    let from = program.blocks.get(block.0 as usize)?;
    let mut program_of_one = Program {
        vars: program.vars.clone(),
        arrays: program.arrays.clone(),
        samplers: program.samplers.clone(),
        group: program.group,
        ..Program::default()
    };
    // The lanes' state is passed as inputs, after the program's own inputs.
    let group = &env.lanes[base.min(env.lanes.len())..(base + lanes.len()).min(env.lanes.len())];
    let first = group.iter().map(|lane| lane.slots.len()).max().unwrap_or(0);
    let mut env = Environment { lanes: group.to_vec(), ..env.clone() };
    env.lanes.resize_with(lanes.len(), LaneInput::default);
    let mut held = 0;
    let mut hold = |value: &dyn Fn(&Lane<Concrete>) -> f32| {
        let (slot, c) = (first + held / 4, held % 4);
        for (lane, inputs) in lanes.iter().zip(&mut env.lanes) {
            if inputs.slots.len() <= slot {
                inputs.slots.resize(slot + 1, [0.0; 4]);
            }
            inputs.slots[slot][c] = value(lane);
        }
        held += 1;
        u16::try_from(slot * 4 + c).ok()
    };

    let mut writer = Writer { program: &mut program_of_one, start: 0 };
    for (at, decl) in program.vars.iter().enumerate() {
        let number = hold(&|lane| number_of(&lane.vars[at]))?;
        let input = writer.op(Op::Input(number), &[], 1);
        let value = match decl.ty {
            Ty::F32 => input,
            Ty::I32 => writer.op(Op::TruncI, &[input], 1),
            Ty::Bool => {
                let zero = writer.op(Op::F32(0), &[], 1);
                writer.op(Op::Cmp(FCmp::Lt), &[zero, input], 1)
            }
        };
        writer.op(Op::Write(Var(at as u32)), &[value], 0);
    }
    for (at, decl) in program.arrays.iter().enumerate() {
        // Arrays of constants already have their initial values.
        if decl.init != ArrayInit::Zero {
            continue;
        }
        for element in 0..decl.len as usize {
            let number = hold(&|lane| lane.arrays[at][element])?;
            let index = writer.op(Op::I32(element as i32), &[], 1);
            let input = writer.op(Op::Input(number), &[], 1);
            writer.op(Op::Store(Array(at as u32)), &[index, input], 0);
        }
    }
    writer.end(from.origin, Terminator::Jump(BlockId(1)));

    // Appends the IR instructions of the block, with renumbered values.
    let insts = &program.insts[from.insts.start as usize..from.insts.end as usize];
    let least = insts.iter().map(|inst| inst.result.0).min().unwrap_or(0);
    let shift = writer.program.values;
    let moved = |value: &Value| Value(value.0.wrapping_sub(least) + shift);
    let mut last = shift;
    for inst in insts {
        let args: Vec<Value> = program.args(inst).iter().map(moved).collect();
        let at = writer.program.pool.len() as u32;
        writer.program.pool.extend_from_slice(&args);
        let result = moved(&inst.result);
        writer.program.insts.push(Inst { args: at, result, ..*inst });
        let results = if matches!(inst.op, Op::Read(_)) { 1 } else { inst.op.results().map_or(0, |r| r.1) };
        last = last.max(result.0 + u32::from(results));
    }
    writer.program.values = last;
    let mut outputs: Vec<(u16, Var)> = Vec::new();
    let mut keys = Vec::new();
    let add = |program: &mut Program| {
        let key = VarKey { file: u8::MAX, index: program.vars.len() as u16, component: 0 };
        program.vars.push(VarDecl { ty: Ty::F32, key, init: 0 });
        Var(program.vars.len() as u32 - 1)
    };
    // The value that selects the successor, as a number.
    let way = match &from.terminator {
        Terminator::Branch(value, ..) => {
            let one = writer.op(Op::F32(1.0f32.to_bits()), &[], 1);
            let zero = writer.op(Op::F32(0), &[], 1);
            Some(writer.op(Op::Sel(Ty::F32), &[moved(value), one, zero], 1))
        }
        Terminator::Switch(value, _) => Some(writer.op(Op::ToF, &[moved(value)], 1)),
        _ => None,
    };
    let way = way.map(|value| {
        let var = add(writer.program);
        writer.op(Op::Write(var), &[value], 0);
        var
    });
    writer.end(from.origin, Terminator::Jump(BlockId(2)));

    for (at, decl) in program.vars.iter().enumerate() {
        let var = Var(at as u32);
        let out = match decl.ty {
            Ty::F32 => var,
            ty => {
                let held = writer.op(Op::Read(var), &[], 1);
                let value = if ty == Ty::I32 {
                    writer.op(Op::ToF, &[held], 1)
                } else {
                    let one = writer.op(Op::F32(1.0f32.to_bits()), &[], 1);
                    let zero = writer.op(Op::F32(0), &[], 1);
                    writer.op(Op::Sel(Ty::F32), &[held, one, zero], 1)
                };
                let out = add(writer.program);
                writer.op(Op::Write(out), &[value], 0);
                out
            }
        };
        outputs.push((outputs.len() as u16, out));
        keys.push(Some(decl.key));
    }
    if let Some(way) = way {
        outputs.push((outputs.len() as u16, way));
        keys.push(None);
    }
    writer.end(from.origin, Terminator::Return);
    program_of_one.outputs = outputs;
    verify(&program_of_one).ok()?;
    let count = keys.len();
    let port = |slot: usize| Port {
        slot: slot as u16,
        mask: if count >= 4 * slot + 4 { 0xf } else { (1u8 << (count % 4)) - 1 },
    };
    let interface =
        Interface { outputs: (0..count.div_ceil(4)).map(port).collect(), ..entry.interface.clone() };
    let entry = Entry { interface, ..entry.clone() };
    Some(Isolated { program: program_of_one, entry, env, outputs: keys })
}

/// Returns a value as the float that is passed as an input. A truth value becomes 0 or 1; an integer is exact up to a magnitude of 2^24.
fn number_of(value: &Scalar<Concrete>) -> f32 {
    match value {
        Scalar::F(v) => *v,
        Scalar::I(v) => *v as f32,
        Scalar::B(v) => f32::from(u8::from(*v)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::engine::evaluate;
    use lockstep_core::ir::Builder;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::{Format, IsaId, Syntax};

    #[test]
    fn an_isolated_instruction_takes_and_returns_variables_of_every_type() {
        let key = |index| VarKey { file: 0, index, component: 0 };
        let mut b = Builder::new(1);
        let truth = b.var(key(0), Ty::Bool, 0);
        let number = b.var(key(1), Ty::I32, 0);
        let result = b.var(key(2), Ty::F32, 0);
        // Computes result = (truth ? -5 : 7) + number, and inverts `truth`.
        let (held, integer) = (b.read(truth), b.read(number));
        let (yes, no) = (b.f(-5.0), b.f(7.0));
        let chosen = b.sel(held, yes, no);
        let integer = b.op(Op::ToF, &[integer]);
        let sum = b.add(chosen, integer);
        b.write(result, sum);
        let not = b.not(held);
        b.write(truth, not);
        let first = b.end_block(0, Terminator::Return);
        let program = b.finish(first);

        let mov = Agal::assemble("version 1 vertex\nmov op, va0\n").unwrap();
        let case = Case::bare(IsaId::Agal, &Agal::encode(&mov));
        let resolved = case.resolve::<Agal>().unwrap();
        for held in [false, true] {
            let lane = Lane {
                vars: vec![Scalar::B(held), Scalar::I(-3), Scalar::F(0.5)],
                arrays: vec![],
                killed: false,
                fuel: 9,
                next_block: first,
                stop: None,
                values: vec![],
            };
            let env = Environment { lanes: vec![LaneInput::default()], ..Environment::default() };
            let one = isolate(&program, first, &[lane], (&resolved.entry, &env), 0).unwrap();
            let run = evaluate(&one.entry, &one.program, &one.env);
            let expected = [f32::from(u8::from(!held)), -3.0, if held { -8.0 } else { 4.0 }];
            assert_eq!(run.lanes[0].outputs[..3], expected, "{held}");
        }
    }
}
