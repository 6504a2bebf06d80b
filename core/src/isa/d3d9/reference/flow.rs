//! Blocks, loops and subroutines, as MS' flow-control pages have them (MS, MSCAPS, 9ON12).
//!
//! END ends a subroutine without `ret` as `ret` would. `aL` is that of the innermost `loop`, so after an inner one the outer one's is back.

use super::{Cx, Lane, Unit, sum};
use crate::host::Host;
use crate::isa::d3d9::opcode::Opcode;
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::{Instruction, Modifier};
use crate::value::{Domain, Freedom, ICmp};

/// A call under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The calling instruction.
    pub site: u32,
    /// How many loops were under way there.
    pub loops: usize,
}

/// A loop under way.
#[derive(Clone, Debug)]
pub struct Loop<D: Domain> {
    /// The instruction that began it.
    pub start: u32,
    /// Passes to come, the present one among them.
    pub passes: D::I,
    /// Of `loop`: what `aL` grows by, and what it is again afterwards.
    pub counter: Option<[D::I; 2]>,
}

/// Runs an instruction that steers.
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
        Opcode::If | Opcode::Ifc if !holds => behind_arm(cx, pc, true),
        Opcode::Else => behind_arm(cx, pc, false),
        Opcode::Loop | Opcode::Rep => enter(d, host, cx, op, i, lane),
        Opcode::Endloop | Opcode::Endrep => again(d, lane),
        Opcode::Break | Opcode::Breakc | Opcode::Breakp if holds => {
            leave(lane);
            behind_loop(cx, pc)
        }
        Opcode::Call | Opcode::Callnz if holds => call(cx, i, lane),
        Opcode::Ret => {
            give_back(cx, lane);
            return;
        }
        _ => next,
    };
    advance(cx, lane, to);
}

/// What decides; true for an instruction that nothing decides about.
fn condition<D: Domain, H: Host<D>>(
    d: &D,
    host: &mut H,
    cx: &Cx<'_>,
    op: Opcode,
    i: &Instruction,
    at: usize,
    lane: &Lane<D>,
) -> D::B {
    let mut unit = Unit { d, host, cx, at, partner: None, computes: false };
    match (op, &i.sources[..]) {
        (Opcode::If | Opcode::Breakp, [source]) | (Opcode::Callnz, [_, source]) => {
            let value = unit.truth(lane, source, 0);
            if source.modifier == Modifier::Not as u8 { d.not(&value) } else { value }
        }
        (Opcode::Ifc | Opcode::Breakc, [a, b]) => {
            let (a, b) = (unit.scalar(lane, a, 0), unit.scalar(lane, b, 0));
            unit.compare(i.control, &a, &b)
        }
        _ => d.b(true),
    }
}

/// Goes to an instruction; behind the last one, back to who called.
pub(super) fn advance<D: Domain>(cx: &Cx<'_>, lane: &mut Lane<D>, to: u32) {
    lane.pc = to;
    if to as usize >= cx.program.instructions.len() && !lane.calls.is_empty() {
        give_back(cx, lane);
    }
}

/// Ends a subroutine, or the program.
fn give_back<D: Domain>(cx: &Cx<'_>, lane: &mut Lane<D>) {
    let end = cx.program.instructions.len() as u32;
    let call = lane.calls.pop();
    while lane.loops.len() > call.map_or(0, |c| c.loops) {
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
    // Refused by the validator: no such label, or too many calls in one another.
    let Some(there) = there else { return site + 1 };
    if !lane.calls.push(Call { site, loops: lane.loops.len() }) {
        return site + 1;
    }
    site + 1 + there as u32
}

/// Begins a loop, unless it has no pass.
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
    host.touch(Freedom::LoopCount, &negative);
    let any = match cx.options.get(Choice::LoopCount.axis()) {
        0 => d.icmp(ICmp::LtS, &d.i(0), &passes),
        _ => d.not(&d.icmp(ICmp::Eq, &passes, &d.i(0))),
    };
    if !d.decide(&any) {
        return behind_loop(cx, start);
    }
    let counter = (op == Opcode::Loop).then(|| [step, std::mem::replace(&mut lane.counter, first)]);
    lane.loops.push(Loop { start, passes, counter });
    start + 1
}

/// The end of a pass.
fn again<D: Domain>(d: &mut D, lane: &mut Lane<D>) -> u32 {
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

/// The instruction behind the `endif` of the block that `pc` is in or begins, or behind its `else` if that comes first and counts.
fn behind_arm(cx: &Cx<'_>, pc: u32, or_else: bool) -> u32 {
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

/// The instruction behind the end of the loop that `pc` is in or begins.
fn behind_loop(cx: &Cx<'_>, pc: u32) -> u32 {
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
