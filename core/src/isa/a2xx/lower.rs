//! The lowering: turns clauses and slots into scalar IR, component by component, in the same order of operations as the reference.
//!
//! When lowering by nodes, the active calls, the active loops and the last full fetch (the VERTEX whose address later fetches may reuse) are part of
//! the [`ControlState`]. In the fallback, they are in variables, except loops whose nesting is known statically.

mod alu;
mod arithmetic;
mod fallback;
mod fetch;
mod operands;
mod outline;
mod scalar;
mod successors;
mod texture;
mod vector;

use super::A2xx;
use super::opcode::{ScalarOp, VectorOp};
use super::options::Choice;
use super::program::{Alu, Shader, Slot};
use super::variables::File;
use crate::ir::{Array, Builder, Op, Ty, Value, Var};
use crate::isa::Context;
use crate::value::{IBin, ICmp};
pub use fallback::{order, word};
pub use outline::{Outline, has_few_fetch_pairs, word_determines_control};
pub use successors::{ControlState, Order, at, entry, node, successors};

type Cx<'a> = Context<'a, A2xx>;

/// Number of general registers.
const REGISTERS: u32 = 64;
/// Maximum depth of nested calls, and of nested loops.
const MAX_NESTING: usize = 4;
/// The kind number of export effects.
const EXPORT: u8 = 1;

/// Returns the shader that the entry runs, and the number of its first word.
fn shader<'a>(cx: &Cx<'a>) -> Option<(&'a Shader, u32)> {
    let (k, _) = cx.program.locate(cx.entry.start)?;
    Some((&cx.program.shaders[k], cx.program.first_word(k)))
}

/// Whether a slot has a register operand relative to aL.
fn is_relative(slot: &Slot) -> bool {
    match slot {
        Slot::Alu(alu) => {
            let source = |n: u8| {
                let source = alu.source(n);
                source.register && source.relative
            };
            (1..=3).any(source) || alu.export == 0 && (alu.vdest_rel != 0 || alu.sdest_rel != 0)
        }
        Slot::Vertex(v) => v.src_rel != 0 || v.dst_rel != 0,
        Slot::Texture(t) => t.src_rel != 0 || t.dst_rel != 0,
        Slot::Raw(_) => false,
    }
}

/// Whether a slot may kill the lane.
fn kills(slot: &Slot) -> bool {
    let alu =
        |alu: &Alu| alu.vector().is_some_and(VectorOp::kills) || alu.scalar().is_some_and(ScalarOp::kills);
    matches!(slot, Slot::Alu(words) if alu(words))
}

/// Declares arrays for the registers if any register number is computed at run time, and the flag for dropped exports if any slot may kill.
pub fn declare(cx: &Cx<'_>, b: &mut Builder) {
    let Some((shader, _)) = shader(cx) else { return };
    if shader.slots.iter().any(is_relative) {
        for c in 0..4 {
            b.registers(File::Register as u8, c, REGISTERS);
        }
    }
    if shader.slots.iter().any(kills) {
        b.var(File::Flag.key(0, 1), Ty::Bool, 0);
    }
}

/// Fills the input registers at the entry.
pub fn prologue(cx: &Cx<'_>, b: &mut Builder) {
    for port in cx.entry.interface.inputs.iter().filter(|port| u32::from(port.slot) < REGISTERS) {
        for c in (0..4u16).filter(|c| port.mask >> c & 1 == 1) {
            let value = b.op(Op::Input(port.slot * 4 + c), &[]);
            set_register(b, &Number::Fixed(port.slot as u8), usize::from(c), value);
        }
    }
}

/// A register number: constant, or computed at run time.
#[derive(Clone, Copy)]
enum Number {
    Fixed(u8),
    At(Value),
}

fn register_var(b: &mut Builder, number: u8, c: usize) -> Var {
    b.var(File::Register.key(number.into(), c), Ty::F32, 0)
}

/// Returns a component of a register. If any register number is computed at run time, registers are in arrays, one per component; otherwise they are
/// in variables.
fn register(b: &mut Builder, number: &Number, c: usize) -> Value {
    match *number {
        Number::Fixed(n) if b.arrays() == 0 => {
            let var = register_var(b, n, c);
            b.read(var)
        }
        Number::Fixed(n) => {
            let n = b.i(n.into());
            b.op(Op::Load(Array(c as u32)), &[n])
        }
        Number::At(n) => b.op(Op::Load(Array(c as u32)), &[n]),
    }
}

fn set_register(b: &mut Builder, number: &Number, c: usize, value: Value) {
    match *number {
        Number::Fixed(n) if b.arrays() == 0 => {
            let var = register_var(b, n, c);
            b.write(var, value);
        }
        Number::Fixed(n) => {
            let n = b.i(n.into());
            b.op(Op::Store(Array(c as u32)), &[n, value]);
        }
        Number::At(n) => {
            b.op(Op::Store(Array(c as u32)), &[n, value]);
        }
    }
}

/// The representation of the active loops during lowering.
#[derive(Clone, Copy)]
enum Loops {
    /// No loop is active.
    None,
    /// The depth of the innermost loop, and the number of its loop constant.
    Innermost(usize, u8),
    /// aL is in a variable.
    Variable,
}

/// The representation of the last full fetch: the last VERTEX that computed the index of an element.
#[derive(Clone, Copy)]
enum LastFullFetch {
    /// The number of the fetch's slot is known statically; `None` if there was no such fetch.
    Known(Option<usize>),
    /// A variable contains the number of the fetch's slot plus one.
    Variable,
}

/// The context in which a slot is lowered.
struct Lower<'a, 'b> {
    cx: &'a Cx<'a>,
    outline: &'a Outline,
    shader: &'a Shader,
    b: &'b mut Builder,
    loops: Loops,
    last_full_fetch: LastFullFetch,
}

/// Returns count, start and step of a loop constant, each extracted from its dword.
fn loop_constant(b: &mut Builder, id: u8) -> [Value; 3] {
    let [count, start, step] = [0, 1, 2].map(|c| b.op(Op::IntUniform(u16::from(id) * 4 + c), &[]));
    let byte = b.i(0xff);
    let (count, start) = (b.ibin(IBin::And, count, byte), b.ibin(IBin::And, start, byte));
    let upper = b.i(24);
    let left = b.ibin(IBin::Shl, step, upper);
    [count, start, b.ibin(IBin::ShrS, left, upper)]
}

fn pass_var(b: &mut Builder, depth: usize) -> Var {
    b.var(File::Pass.key(depth, 0), Ty::I32, 0)
}

/// Returns the value of aL after `passes` passes.
fn address_after(b: &mut Builder, passes: Value, start: Value, step: Value) -> Value {
    let moved = b.ibin(IBin::Mul, passes, step);
    let address = b.ibin(IBin::Add, moved, start);
    let (low, high) = (b.i(-256), b.i(256));
    let below = b.icmp(ICmp::LtS, address, low);
    let address = b.sel_i(below, low, address);
    let above = b.icmp(ICmp::LtS, high, address);
    b.sel_i(above, high, address)
}

impl Lower<'_, '_> {
    fn option_is(&self, option: Choice, choice: u8) -> bool {
        self.cx.options.get(option as usize) == choice
    }

    /// Returns the value of aL.
    fn address(&mut self) -> Value {
        match self.loops {
            Loops::None => self.b.i(0),
            Loops::Innermost(depth, id) => {
                let [_, start, step] = loop_constant(self.b, id);
                let var = pass_var(self.b, depth);
                let passes = self.b.read(var);
                address_after(self.b, passes, start, step)
            }
            Loops::Variable => {
                let var = self.b.var(File::Address.key(0, 1), Ty::I32, 0);
                self.b.read(var)
            }
        }
    }

    fn register_number(&mut self, number: u8, relative: bool) -> Number {
        let number = number & 63;
        if !relative {
            return Number::Fixed(number);
        }
        let address = self.address();
        let number = self.b.i(number.into());
        let sum = self.b.ibin(IBin::Add, number, address);
        let ring = self.b.i(63);
        Number::At(self.b.ibin(IBin::And, sum, ring))
    }

    fn predicate_var(&mut self) -> Var {
        self.b.var(File::Flag.key(0, 0), Ty::Bool, 0)
    }

    fn a0_var(&mut self) -> Var {
        self.b.var(File::Address.key(0, 0), Ty::I32, 0)
    }

    fn float_var(&mut self, component: usize) -> Var {
        self.b.var(File::Float.key(0, component), Ty::F32, 0)
    }

    /// Returns the condition under which a slot runs; `None` if unconditional.
    fn run_condition(&mut self, enabled: u8, condition: u8) -> Option<Value> {
        if enabled == 0 {
            return None;
        }
        let var = self.predicate_var();
        let predicate = self.b.read(var);
        Some(if condition == 0 { self.b.not(predicate) } else { predicate })
    }

    /// Assigns a value to a float variable if the slot runs.
    fn write_var(&mut self, var: Var, value: Value, runs: Option<Value>) {
        let value = match runs {
            Some(runs) => {
                let old = self.b.read(var);
                self.b.sel(runs, value, old)
            }
            None => value,
        };
        self.b.write(var, value);
    }

    /// Assigns a value to a component of a register if the slot runs.
    fn write(&mut self, number: &Number, c: usize, value: Value, runs: Option<Value>) {
        let value = match runs {
            Some(runs) => {
                let old = register(self.b, number, c);
                self.b.sel(runs, value, old)
            }
            None => value,
        };
        set_register(self.b, number, c, value);
    }

    /// Lowers slot `at`, counted from the first slot after the clauses.
    fn slot(&mut self, at: usize) {
        let shader = self.shader;
        match shader.slots.get(at) {
            Some(Slot::Alu(alu)) => self.alu(alu),
            Some(Slot::Vertex(vertex)) => self.vertex(at, vertex),
            Some(Slot::Texture(texture)) => self.texture(texture),
            Some(Slot::Raw(_)) | None => {}
        }
    }
}
