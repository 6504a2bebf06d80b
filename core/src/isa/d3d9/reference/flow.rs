//! Blocks, loops and subroutines, as MS' flow-control pages describe them (MS, MSCAPS, 9ON12).
//!
//! END ends a subroutine that has no `ret`, as `ret` would. `aL` belongs to the innermost `loop`, so the end of an inner loop restores the `aL` of
//! the outer one.

use super::{Cx, Lane, LaneContext, sum};
use crate::host::Host;
use crate::isa::d3d9::opcode::Opcode;
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::{Instruction, Modifier};
use crate::value::{Domain, Freedom, ICmp};

/// An active call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The index of the call instruction.
    pub site: u32,
    /// The number of loops active at the call.
    pub loop_depth: usize,
}

/// An active loop.
#[derive(Clone, Debug)]
pub struct Loop<D: Domain> {
    /// The index of the instruction that begins the loop.
    pub start: u32,
    /// The number of passes left, including the current one.
    pub passes: D::I,
    /// For a `loop`: the step of `aL`, and the value of `aL` to restore afterwards.
    pub counter: Option<[D::I; 2]>,
}

/// Runs a flow instruction.
pub(super) fn run<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Cx<'_>,
    op: Opcode,
    i: &Instruction,
    at: usize,
    lane: &mut Lane<D>,
) {
    let condition = condition(d, host, cx, op, i, at, lane);
    let holds = d.decide(&condition);
    let pc = lane.pc;
    let next = pc + 1;
    let to = match op {
        Opcode::If | Opcode::Ifc if !holds => after_branch(cx, pc, true),
        Opcode::Else => after_branch(cx, pc, false),
        Opcode::Loop | Opcode::Rep => enter(d, host, cx, op, i, lane),
        Opcode::Endloop | Opcode::Endrep => end_pass(d, lane),
        Opcode::Break | Opcode::Breakc | Opcode::Breakp if holds => {
            leave(lane);
            after_loop(cx, pc)
        }
        Opcode::Call | Opcode::Callnz if holds => call(cx, i, lane),
        Opcode::Ret => {
            return_from_call(cx, lane);
            return;
        }
        _ => next,
    };
    advance(cx, lane, to);
}

/// Returns the condition of an instruction; true for an instruction without a condition.
fn condition<D: Domain, H: Host<D>>(
    d: &D,
    host: &mut H,
    cx: &Cx<'_>,
    op: Opcode,
    i: &Instruction,
    at: usize,
    lane: &Lane<D>,
) -> D::B {
    let mut unit = LaneContext { d, host, cx, at, partner: None, is_arithmetic: false };
    match (op, &i.sources[..]) {
        (Opcode::If | Opcode::Breakp, [source]) | (Opcode::Callnz, [_, source]) => {
            let value = unit.condition_value(lane, source, 0);
            if source.modifier == Modifier::Not as u8 { d.not(&value) } else { value }
        }
        (Opcode::Ifc | Opcode::Breakc, [a, b]) => {
            let (a, b) = (unit.scalar(lane, a, 0), unit.scalar(lane, b, 0));
            unit.compare(i.control, &a, &b)
        }
        _ => d.b(true),
    }
}

/// Continues a lane at instruction `to`. After the last instruction, the lane returns from the subroutine that it is in.
pub(super) fn advance<D: Domain>(cx: &Cx<'_>, lane: &mut Lane<D>, to: u32) {
    lane.pc = to;
    if to as usize >= cx.program.instructions.len() && !lane.calls.is_empty() {
        return_from_call(cx, lane);
    }
}

/// Returns from a subroutine, or ends the program.
fn return_from_call<D: Domain>(cx: &Cx<'_>, lane: &mut Lane<D>) {
    let end = cx.program.instructions.len() as u32;
    let call = lane.calls.pop();
    while lane.loops.len() > call.map_or(0, |c| c.loop_depth) {
        leave(lane);
    }
    match call {
        Some(call) => advance(cx, lane, call.site + 1),
        None => lane.pc = end,
    }
}

fn call<D: Domain>(cx: &Cx<'_>, i: &Instruction, lane: &mut Lane<D>) -> u32 {
    let site = lane.pc;
    let label = i.sources.first().map_or(0, |s| s.number);
    let is_label =
        |i: &Instruction| i.op() == Some(Opcode::Label) && i.sources.iter().any(|s| s.number == label);
    let there = cx.program.instructions.iter().skip(site as usize + 1).position(is_label);
    // The validator rejects a missing label and calls that are nested too deeply.
    let Some(there) = there else { return site + 1 };
    if !lane.calls.push(Call { site, loop_depth: lane.loops.len() }) {
        return site + 1;
    }
    site + 1 + there as u32
}

/// Begins a loop, or skips the loop if it has no pass. Returns the index of the next instruction.
fn enter<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Cx<'_>,
    op: Opcode,
    i: &Instruction,
    lane: &mut Lane<D>,
) -> u32 {
    let start = lane.pc;
    let Some(int) = i.sources.last() else { return start + 1 };
    let [passes, first, step, _] = host.int_constant(d, int.number);
    let negative = d.icmp(ICmp::LtS, &passes, &d.i(0));
    host.record(Freedom::LoopCount, &negative);
    let any = match cx.options.get(Choice::LoopCount.option()) {
        0 => d.icmp(ICmp::LtS, &d.i(0), &passes),
        _ => d.not(&d.icmp(ICmp::Eq, &passes, &d.i(0))),
    };
    if !d.decide(&any) {
        return after_loop(cx, start);
    }
    let counter = (op == Opcode::Loop).then(|| [step, std::mem::replace(&mut lane.counter, first)]);
    lane.loops.push(Loop { start, passes, counter });
    start + 1
}

/// Ends a pass of the innermost loop. Returns the index of the next instruction.
fn end_pass<D: Domain>(d: &mut D, lane: &mut Lane<D>) -> u32 {
    let next = lane.pc + 1;
    let Some(top) = lane.loops.top_mut() else { return next };
    top.passes = sum(d, &top.passes, &d.i(-1));
    let over = d.icmp(ICmp::Eq, &top.passes, &d.i(0));
    let (start, step) = (top.start, top.counter.as_ref().map(|[step, _]| step.clone()));
    if d.decide(&over) {
        leave(lane);
        return next;
    }
    if let Some(step) = step {
        lane.counter = sum(d, &lane.counter, &step);
    }
    start + 1
}

/// Ends the innermost loop.
fn leave<D: Domain>(lane: &mut Lane<D>) {
    if let Some(Loop { counter: Some([_, outer]), .. }) = lane.loops.pop() {
        lane.counter = outer;
    }
}

/// Returns the index of the instruction after the `endif` of the block that contains `pc` or begins there; with `or_else`, of the instruction after
/// the block's `else`, if it has one.
fn after_branch(cx: &Cx<'_>, pc: u32, or_else: bool) -> u32 {
    let mut depth = 0u32;
    for (k, i) in cx.program.instructions.iter().enumerate().skip(pc as usize + 1) {
        match i.op() {
            Some(Opcode::If | Opcode::Ifc) => depth += 1,
            Some(Opcode::Else) if depth == 0 && or_else => return k as u32 + 1,
            Some(Opcode::Endif) if depth == 0 => return k as u32 + 1,
            Some(Opcode::Endif) => depth -= 1,
            _ => {}
        }
    }
    cx.program.instructions.len() as u32
}

/// Returns the index of the instruction after the end of the loop that contains `pc` or begins there.
fn after_loop(cx: &Cx<'_>, pc: u32) -> u32 {
    let mut depth = 0u32;
    for (k, i) in cx.program.instructions.iter().enumerate().skip(pc as usize + 1) {
        match i.op() {
            Some(Opcode::Loop | Opcode::Rep) => depth += 1,
            Some(Opcode::Endloop | Opcode::Endrep) if depth == 0 => return k as u32 + 1,
            Some(Opcode::Endloop | Opcode::Endrep) => depth -= 1,
            _ => {}
        }
    }
    cx.program.instructions.len() as u32
}
