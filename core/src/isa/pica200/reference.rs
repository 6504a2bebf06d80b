//! The reference interpreter, in the terms of S1 rev 20748.
//!
//! A lane is a program counter, registers, two condition bits, and three stacks. A push on a full stack drops the oldest frame. Every instruction
//! reads its sources as whole vectors, swizzles and negates them, computes component by component, and writes the components in the mask of its
//! descriptor. Then the next address is compared with the top frame of each stack.

mod arithmetic;
mod flow;
mod operands;
mod stack;

use super::Pica200;
use super::opcode::Opcode;
use super::options::Choice;
use super::program::{Instruction, MEMORY, Target};
use super::word::{Comparison, Emitted};
use crate::host::{Effect, Host};
use crate::isa::{Context, LaneState};
use crate::value::{Domain, FUn, Freedom, IBin};
pub use flow::{Call, If, Loop};
pub use stack::Ring;

type Vec4<D> = [<D as Domain>::F; 4];
type Cx<'a> = Context<'a, Pica200>;

/// The program counter of a lane that has executed `end` or reached the end of program memory.
pub const ENDED: u32 = MEMORY;
/// Kind of the first effect of an `emit`: components x, y, z are vertex slot, whether a primitive is complete, and winding.
pub const EMIT: u8 = 1;
/// Kind of the other effects of an `emit`: each is an output register of the emitted vertex, with the register's number as the effect's index.
pub const EMITTED: u8 = 2;

/// A lane: program counter, registers and stacks.
#[derive(Clone, Debug)]
pub struct Lane<D: Domain> {
    /// Address of the next instruction, or [`ENDED`].
    pub pc: u32,
    /// `r0` to `r15`.
    pub temporaries: [Vec4<D>; 16],
    /// `o0` to `o15`.
    pub outputs: [Vec4<D>; 16],
    /// The other bank of output registers, which `emit` swaps with `outputs`.
    pub inactive: [Vec4<D>; 16],
    /// `a0.x`, `a0.y`, `aL`.
    pub address: [D::I; 3],
    /// `cmp.x`, `cmp.y`.
    pub cmp: [D::B; 2],
    /// The settings of `setemit`: vertex slot, whether the vertex completes a primitive, winding.
    pub emission: [D::I; 3],
    /// Active calls.
    pub calls: Ring<Call, 4>,
    /// Conditional blocks whose first arm is being executed.
    pub ifs: Ring<If, 8>,
    /// Active loops.
    pub loops: Ring<Loop<D>, 4>,
    /// Whether the lane is discarded, as by kill instructions of other instruction sets. No PICA200 instruction sets it.
    pub killed: D::B,
}

impl<D: Domain> Lane<D> {
    /// Returns a lane before its first instruction: all registers zero, all stacks empty.
    pub fn new(d: &D, pc: u32) -> Lane<D> {
        let zeros = || std::array::from_fn(|_| std::array::from_fn(|_| d.f(0.0)));
        Lane {
            pc,
            temporaries: zeros(),
            outputs: zeros(),
            inactive: zeros(),
            address: std::array::from_fn(|_| d.i(0)),
            cmp: std::array::from_fn(|_| d.b(false)),
            emission: std::array::from_fn(|_| d.i(0)),
            calls: Ring::default(),
            ifs: Ring::default(),
            loops: Ring::default(),
            killed: d.b(false),
        }
    }
}

/// The execution context of one instruction of one lane: domain, host, program, and the lane's number.
struct LaneContext<'a, D: Domain, H> {
    d: &'a D,
    host: &'a mut H,
    cx: &'a Cx<'a>,
    at: usize,
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    fn choice(&self, option: Choice) -> u8 {
        self.cx.options.get(option as usize)
    }

    fn record(&mut self, freedom: Freedom, when: &D::B) {
        self.host.record(freedom, when);
    }
}

/// Runs the active lanes through the instruction at their program counter.
pub fn step<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Cx<'_>,
    group: &mut [LaneState<Lane<D>>],
    active: u8,
) {
    for (at, running) in group.iter_mut().enumerate().filter(|(at, _)| active >> at & 1 == 1) {
        lane_step(d, host, cx, at, running);
    }
}

fn lane_step<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Cx<'_>,
    at: usize,
    running: &mut LaneState<Lane<D>>,
) {
    let lane = &mut running.lane;
    let Some(instruction) = cx.program.code.get(lane.pc as usize) else { return };
    let last = lane.pc + 1 == MEMORY;
    host.record(Freedom::ProgramEnd, &d.b(last));
    if last && cx.options.get(Choice::LastWord as usize) == 0 {
        lane.pc = ENDED;
        return;
    }
    let Some(op) = instruction.op() else {
        // The validator rejects unknown opcodes. Here they have no effect, and the program continues.
        flow::advance(d, host, cx, lane, None, false);
        return;
    };
    match op {
        Opcode::End => lane.pc = ENDED,
        Opcode::Break
        | Opcode::Breakc
        | Opcode::Call
        | Opcode::Callc
        | Opcode::Callu
        | Opcode::Ifu
        | Opcode::Ifc
        | Opcode::Loop
        | Opcode::Jmpc
        | Opcode::Jmpu => flow::run(d, host, cx, op, instruction, running),
        _ => {
            LaneContext { d: &*d, host: &mut *host, cx, at }.run(op, instruction, lane);
            flow::advance(d, host, cx, lane, None, false);
        }
    }
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Runs an instruction other than control flow.
    fn run(&mut self, op: Opcode, instruction: &Instruction, lane: &mut Lane<D>) {
        match (op, instruction) {
            (Opcode::Emit, _) => self.emit(lane),
            (Opcode::Setemit, Instruction::Emission(e)) => {
                let chosen = [e.vtx, e.prim, e.winding];
                lane.emission = std::array::from_fn(|k| self.d.i(i32::from(chosen[k])));
            }
            (Opcode::Cmp, Instruction::Compare(words)) => self.compare(words, instruction, lane),
            (Opcode::Mova, _) => self.mova(instruction, lane),
            (Opcode::Nop, _) => {}
            _ => {
                let Some(result) = self.compute(op, instruction, lane) else { return };
                let (Some(target), Some(descriptor)) =
                    (instruction.dst(), self.cx.program.descriptor(instruction))
                else {
                    return;
                };
                let register = match target {
                    Target::Output(n) => &mut lane.outputs[usize::from(n)],
                    Target::Temporary(n) => &mut lane.temporaries[usize::from(n)],
                };
                for (c, value) in result.into_iter().enumerate().filter(|(c, _)| descriptor.writes(*c)) {
                    register[c] = value;
                }
            }
        }
    }

    /// Emits the enabled outputs and swaps the banks.
    fn emit(&mut self, lane: &mut Lane<D>) {
        let d = self.d;
        let [slot, primitive, winding] = &lane.emission;
        let values = [d.to_f(slot), d.to_f(primitive), d.to_f(winding), d.f(0.0)];
        self.host.effect(d, self.at, Effect { when: d.b(true), kind: EMIT, index: 0, mask: 0b0111, values });
        let enabled = Emitted::from_word(self.cx.entry.extra[1]).outputs;
        for (n, register) in (0u16..).zip(&lane.outputs).filter(|(n, _)| enabled >> n & 1 == 1) {
            let effect =
                Effect { when: d.b(true), kind: EMITTED, index: n, mask: 0b1111, values: register.clone() };
            self.host.effect(d, self.at, effect);
        }
        std::mem::swap(&mut lane.outputs, &mut lane.inactive);
    }

    /// Sets the condition bits; the descriptor's mask is ignored.
    fn compare(&mut self, words: &super::program::Compare, instruction: &Instruction, lane: &mut Lane<D>) {
        let [Some(a), Some(b), _] = self.cx.program.sources(instruction) else { return };
        let (a, b) = (self.source(lane, &a), self.source(lane, &b));
        for (c, operator) in [words.cmpx, words.cmpy].into_iter().enumerate() {
            if let Some(bit) = self.evaluate_operator(operator, &a[c], &b[c]) {
                lane.cmp[c] = bit;
            }
        }
    }

    /// Evaluates an operator of `cmp`; `None` if the bit keeps its value.
    fn evaluate_operator(&mut self, operator: u8, a: &D::F, b: &D::F) -> Option<D::B> {
        let d = self.d;
        let Some(comparison) = Comparison::from_number(operator) else {
            self.record(Freedom::UndefinedComparison, &d.b(true));
            return (self.choice(Choice::CompareOperator) == 0).then(|| d.b(true));
        };
        Some(match comparison {
            Comparison::Equal => d.eq(a, b),
            Comparison::NotEqual => d.not(&d.eq(a, b)),
            Comparison::Less => d.lt(a, b),
            Comparison::LessEqual => d.le(a, b),
            Comparison::Greater => d.lt(b, a),
            Comparison::GreaterEqual => d.le(b, a),
        })
    }

    /// Sets the address registers from the first two components.
    fn mova(&mut self, instruction: &Instruction, lane: &mut Lane<D>) {
        let d = self.d;
        let [Some(a), ..] = self.cx.program.sources(instruction) else { return };
        let Some(descriptor) = self.cx.program.descriptor(instruction) else { return };
        let a = self.source(lane, &a);
        for c in (0..2).filter(|c| descriptor.writes(*c)) {
            let inside = d.le(&d.f(-128.0), &a[c]);
            let inside = d.and(&inside, &d.lt(&a[c], &d.f(128.0)));
            self.record(Freedom::IndexConversion, &d.not(&inside));
            let down = d.un(FUn::Floor, &a[c]);
            self.record(Freedom::IndexConversion, &d.not(&d.eq(&down, &d.un(FUn::Trunc, &a[c]))));
            let whole = if self.choice(Choice::MovaRound) == 0 { &a[c] } else { &down };
            let truncated = d.trunc_i(whole);
            lane.address[c] = if self.choice(Choice::MovaRange) == 0 {
                // Engines on x86 store `i32::MIN`, the processor's integer indefinite value, if the number does not fit.
                let holds = d.lt(&d.abs(&a[c]), &d.f(2_147_483_648.0));
                d.sel_i(&holds, &truncated, &d.i(i32::MIN))
            } else {
                let (low, high) = (d.i(-128), d.i(127));
                let below = d.icmp(crate::value::ICmp::LtS, &truncated, &low);
                let above = d.icmp(crate::value::ICmp::LtS, &high, &truncated);
                d.sel_i(&below, &low, &d.sel_i(&above, &high, &truncated))
            };
        }
    }
}

/// `a + b` on integers.
fn sum<D: Domain>(d: &D, a: &D::I, b: &D::I) -> D::I {
    d.ibin(IBin::Add, a, b)
}
