//! The lowering: translates instructions to scalar IR, component by component, in the order of the reference's computation.
//!
//! In the node form, the stacks are part of the [`ControlState`], and only numbers (loop counters and `aL`) are variables. In the fallback, the
//! stacks are variables too. In both forms the newest frame of a stack has number 0, so no index is computed at run time.

mod arithmetic;
mod fallback;
mod outline;
mod successors;

use super::Pica200;
use super::opcode::Opcode;
use super::options::Choice;
use super::program::{Instruction, MEMORY, Target};
use super::variables::File;
use super::word::Emitted;
use crate::ir::{Builder, Op, Ty, Value, Var};
use crate::isa::Context;
use crate::isa::registers::plain_outputs;
pub use fallback::word;
pub use outline::Outline;
pub use successors::{ControlState, HANG_ADDRESS, node, successors};

type Cx<'a> = Context<'a, Pica200>;

/// Kind of the effect that begins an emitted vertex.
const EMIT: u8 = 1;
/// Kind of an effect that is an output register of the emitted vertex.
const EMITTED: u8 = 2;

fn float(b: &mut Builder, file: File, index: usize, component: usize) -> Var {
    b.var(file.key(index, component), Ty::F32, 0)
}

fn int(b: &mut Builder, file: File, index: usize, component: usize) -> Var {
    b.var(file.key(index, component), Ty::I32, 0)
}

fn condition_var(b: &mut Builder, component: usize) -> Var {
    b.var(File::Condition.key(0, component), Ty::Bool, 0)
}

/// Declares the outputs in the entry's interface.
pub fn declare(cx: &Cx<'_>, b: &mut Builder) {
    for port in plain_outputs::<Pica200>(cx.entry) {
        for c in (0..4).filter(|c| port.mask >> c & 1 == 1) {
            let var = float(b, File::Output, usize::from(port.slot), c);
            b.output(port.slot * 4 + c as u16, var);
        }
    }
}

/// Whether the word at `pc` ends the program regardless of its contents.
fn ends_program(cx: &Cx<'_>, pc: u32) -> bool {
    pc + 1 == MEMORY && cx.options.get(Choice::LastWord as usize) == 0
}

/// Lowers the effects of an instruction other than control flow.
fn body(cx: &Cx<'_>, outline: &Outline, instruction: &Instruction, b: &mut Builder) {
    let Some(op) = instruction.op() else { return };
    match op {
        Opcode::Emit => emit(cx, outline, b),
        Opcode::Setemit => {
            let Instruction::Emission(e) = instruction else { return };
            for (c, chosen) in [e.vtx, e.prim, e.winding].into_iter().enumerate() {
                let value = b.i(i32::from(chosen));
                let var = int(b, File::Emission, 0, c);
                b.write(var, value);
            }
        }
        _ if op.has_descriptor() => arithmetic::lower(cx, op, instruction, b),
        _ => {}
    }
}

/// Returns the registers of an emitted vertex, bit n for `on`.
fn emitted(cx: &Cx<'_>) -> u16 {
    Emitted::from_word(cx.entry.extra[1]).outputs
}

/// Returns the output registers for which both banks are tracked, bit n for `on`: those in the entry's output mask, and those that any instruction
/// writes.
pub fn double_banked(cx: &Cx<'_>) -> u32 {
    let written = cx.program.code.iter().filter_map(|i| match i.dst() {
        Some(Target::Output(n)) => Some(1u32 << n),
        _ => None,
    });
    written.fold(emitted(cx).into(), |all, one| all | one)
}

fn emit(cx: &Cx<'_>, outline: &Outline, b: &mut Builder) {
    let always = b.b(true);
    let zero = b.f(0.0);
    let chosen: [Value; 3] = std::array::from_fn(|c| {
        let var = int(b, File::Emission, 0, c);
        let value = b.read(var);
        b.op(Op::ToF, &[value])
    });
    b.effect(always, (EMIT, 0, 7), [chosen[0], chosen[1], chosen[2], zero]);
    for n in (0..16u16).filter(|n| outline.double_banked >> n & 1 == 1) {
        let register = usize::from(n);
        let mut values = [zero; 4];
        for (c, value) in values.iter_mut().enumerate() {
            let (active, inactive) =
                (float(b, File::Output, register, c), float(b, File::Inactive, register, c));
            let (active_value, inactive_value) = (b.read(active), b.read(inactive));
            *value = active_value;
            b.write(active, inactive_value);
            b.write(inactive, active_value);
        }
        if emitted(cx) >> n & 1 == 1 {
            b.effect(always, (EMITTED, n, 15), values);
        }
    }
}
