//! Control flow, as flacs found it by tests on the console (S1 rev 20748).
//!
//! After each instruction, each stack compares the end address of its top frame with its own copy of the following word's address. A return changes
//! only the call stack's copy, so one instruction can end several calls; the stacks of conditional blocks and loops still compare with the following
//! word.
//!
//! The sources of the next address are, by descending priority: the end of a loop, the end of a first arm, a return, the instruction's jump, the
//! following word.

use super::{Cx, ENDED, Lane, sum};
use crate::host::Host;
use crate::isa::pica200::opcode::Opcode;
use crate::isa::pica200::options::Choice;
use crate::isa::pica200::program::{Conditional, Instruction, MEMORY};
use crate::isa::pica200::word::Condition;
use crate::isa::{End, LaneState};
use crate::value::{Domain, Freedom, IBin, ICmp};

/// An active call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The word after the called range.
    pub end: u32,
    /// The return address.
    pub return_address: u32,
}

/// A conditional block whose first arm is being executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct If {
    /// The word after the first arm.
    pub end: u32,
    /// The word after the second arm.
    pub target: u32,
}

/// An active loop.
#[derive(Clone, Debug)]
pub struct Loop<D: Domain> {
    /// The first word of the body.
    pub start: u32,
    /// The word after the body.
    pub end: u32,
    /// The number of passes after the current one.
    pub counter: D::I,
    /// The step that each pass adds to `aL`.
    pub step: D::I,
    /// The value that `aL` takes when the loop ends inside another loop, unless the option `loop_address` is `keep`.
    pub outer: D::I,
}

/// Returns the condition of an instruction: the condition bits compared with the instruction's references.
fn condition<D: Domain>(d: &D, lane: &Lane<D>, words: &Conditional) -> D::B {
    let is = |c: usize, reference: u8| {
        d.not(&d.logic(crate::value::BBin::Xor, &lane.cmp[c], &d.b(reference != 0)))
    };
    match Condition::from_number(words.condop) {
        Some(Condition::Either) => d.or(&is(0, words.refx), &is(1, words.refy)),
        Some(Condition::Both) => d.and(&is(0, words.refx), &is(1, words.refy)),
        Some(Condition::X) => is(0, words.refx),
        // All four values are defined, so `None` does not occur.
        Some(Condition::Y) | None => is(1, words.refy),
    }
}

/// Runs a control-flow instruction.
pub(super) fn run<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Cx<'_>,
    op: Opcode,
    instruction: &Instruction,
    running: &mut LaneState<Lane<D>>,
) {
    let lane = &mut running.lane;
    let holds = match (op, instruction) {
        (Opcode::Breakc | Opcode::Callc | Opcode::Ifc | Opcode::Jmpc, Instruction::Conditional(words)) => {
            let condition = condition(d, lane, words);
            d.decide(&condition)
        }
        (Opcode::Callu | Opcode::Ifu, Instruction::Uniform(words)) => {
            let uniform = host.bool_constant(d, words.id.into());
            d.decide(&uniform)
        }
        (Opcode::Jmpu, Instruction::Uniform(words)) => {
            let uniform = host.bool_constant(d, words.id.into());
            d.decide(&uniform) != words.is_inverted()
        }
        _ => true,
    };
    let (dst, num) = instruction.flow().map_or((0, 0), |(dst, num)| (u32::from(dst), u32::from(num)));
    let next = lane.pc + 1;
    let mut jump = None;
    let mut leaves = false;
    match op {
        Opcode::Break | Opcode::Breakc if holds => {
            leaves = lane.loops.top().is_some();
            host.record(Freedom::StrayBreak, &d.b(!leaves));
            if !leaves && cx.options.get(Choice::StrayBreak as usize) == 0 {
                running.end = Some(End::Hung);
                return;
            }
        }
        Opcode::Call | Opcode::Callc | Opcode::Callu if holds => {
            host.record(Freedom::EmptyCall, &d.b(num == 0));
            if num > 0 || cx.options.get(Choice::EmptyCall as usize) == 0 {
                lane.calls.push(Call { end: dst + num, return_address: next });
                jump = Some(dst);
            }
        }
        Opcode::Ifu | Opcode::Ifc if holds => lane.ifs.push(If { end: dst, target: dst + num }),
        Opcode::Ifu | Opcode::Ifc => jump = Some(dst),
        Opcode::Jmpc | Opcode::Jmpu if holds => jump = Some(dst),
        Opcode::Loop => enter(d, host, cx, lane, instruction, dst),
        _ => {}
    }
    advance(d, host, cx, lane, jump, leaves);
}

fn enter<D: Domain, H: Host<D>>(
    d: &D,
    host: &mut H,
    cx: &Cx<'_>,
    lane: &mut Lane<D>,
    instruction: &Instruction,
    dst: u32,
) {
    let Instruction::Uniform(words) = instruction else { return };
    // An integer uniform consists of four unsigned bytes.
    let [count, first, step, _] =
        host.int_constant(d, u16::from(words.integer())).map(|v| d.ibin(IBin::And, &v, &d.i(0xff)));
    let outer = match cx.options.get(Choice::LoopAddress as usize) {
        2 => first.clone(),
        _ => lane.address[2].clone(),
    };
    lane.loops.push(Loop { start: lane.pc + 1, end: dst + 1, counter: count, step, outer });
    lane.address[2] = first;
}

/// Compares the top frames of the stacks with the address after the instruction, and sets the program counter. `jump` is the target of the
/// instruction's own jump. `leaves` is whether a `break` leaves the innermost loop.
pub(super) fn advance<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Cx<'_>,
    lane: &mut Lane<D>,
    jump: Option<u32>,
    leaves: bool,
) {
    let next = lane.pc + 1;
    let mut to = jump.unwrap_or(next);

    let mut copy = next;
    for popped in 0..4 {
        let Some(call) = lane.calls.top().copied().filter(|call| call.end == copy) else { break };
        lane.calls.pop();
        // The fourth simultaneous return pops its frame, but does not change the copy of the address.
        if popped < 3 {
            copy = call.return_address;
        }
        to = copy;
    }

    if let Some(arm) = lane.ifs.top().copied().filter(|arm| arm.end == next) {
        lane.ifs.pop();
        to = arm.target;
    }

    if let Some(top) = lane.loops.top().cloned().filter(|top| leaves || top.end == next) {
        host.record(Freedom::LoopRegister, &d.b(leaves));
        if !leaves || cx.options.get(Choice::BreakAddress as usize) == 0 {
            let grown = sum(d, &lane.address[2], &top.step);
            let beyond = d.icmp(ICmp::LtS, &d.i(0xff), &grown);
            host.record(Freedom::LoopRegister, &beyond);
            lane.address[2] = match cx.options.get(Choice::LoopWidth as usize) {
                0 => grown,
                _ => d.ibin(IBin::And, &grown, &d.i(0xff)),
            };
        }
        let spent = d.icmp(ICmp::Eq, &top.counter, &d.i(0));
        if !leaves && !d.decide(&spent) {
            if let Some(top) = lane.loops.top_mut() {
                top.counter = sum(d, &top.counter, &d.i(-1));
            }
            to = top.start;
        } else {
            lane.loops.pop();
            to = top.end;
            if lane.loops.top().is_some() {
                host.record(Freedom::LoopRegister, &d.b(true));
                if cx.options.get(Choice::LoopAddress as usize) != 1 {
                    lane.address[2] = top.outer;
                }
            }
        }
    }

    lane.pc = match (to.checked_sub(MEMORY), cx.options.peek(Choice::LastWord as usize)) {
        (None, _) => to,
        (Some(_), 0) => ENDED,
        (Some(past), _) => past,
    };
}
