//! Lowers control flow to nodes. All addresses on the stacks are part of a node's control state.

use super::{Cx, File, Outline, body, condition_var, ends_program, int};
use crate::ir::{Builder, Op, Value};
use crate::isa::lowering::{BranchSelect, Successors};
use crate::isa::pica200::opcode::Opcode;
use crate::isa::pica200::options::Choice;
use crate::isa::pica200::program::{Conditional, Instruction, MEMORY};
use crate::isa::pica200::word::Condition;
use crate::value::{BBin, IBin, ICmp};
use smallvec::{SmallVec, smallvec};

/// The two addresses of a frame: the word after the range, and the address where execution continues.
type Frame = (u32, u32);

/// An address and the stacks, newest frame first, without loop counters and `aL`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ControlState {
    /// Address of the instruction. At [`HANG_ADDRESS`] the machine hangs; at other addresses after the code, the lane has ended.
    pub pc: u32,
    /// The stack of calls, at most 4 frames, each with the word after the called range and the return address.
    pub calls: SmallVec<[Frame; 1]>,
    /// The stack of conditional blocks, at most 8 frames, each with the word after the first arm and the word after the second arm.
    pub arms: SmallVec<[Frame; 2]>,
    /// The stack of loops, at most 4 frames, each with the word after the body and the first word of the body.
    pub loops: SmallVec<[Frame; 1]>,
}

/// The address of the node at which the machine hangs. This address is after all addresses of program memory.
pub const HANG_ADDRESS: u32 = MEMORY + 1;

/// Pushes a frame on a stack. If the stack then has more than `depth` frames, the oldest is dropped.
fn push<A: smallvec::Array<Item = Frame>>(stack: &mut SmallVec<A>, depth: usize, frame: Frame) {
    stack.insert(0, frame);
    stack.truncate(depth);
}

/// One path through an instruction.
struct Path {
    /// Whether the instruction's condition holds; `None` if the instruction has no condition.
    holds: Option<bool>,
    /// Whether the innermost loop continues; `None` if the instruction does not reach the end of the loop's body.
    loop_continues: Option<bool>,
    to: ControlState,
}

/// The effect of an instruction on the innermost loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LoopEvent {
    Nothing,
    /// The end of the loop body is reached.
    EndReached,
    /// A `break` leaves the loop.
    Break,
}

/// The stacks and the jump target after an instruction, before the next address is compared with the frames.
struct Outcome {
    control: ControlState,
    jump: Option<u32>,
    at_loop: LoopEvent,
}

fn outcome(cx: &Cx<'_>, control: &ControlState, instruction: &Instruction, holds: bool) -> Option<Outcome> {
    let next = control.pc + 1;
    let mut done = Outcome { control: control.clone(), jump: None, at_loop: LoopEvent::Nothing };
    let (dst, num) = instruction.flow().map_or((0, 0), |(dst, num)| (u32::from(dst), u32::from(num)));
    match instruction.op() {
        Some(Opcode::Break | Opcode::Breakc) if holds => {
            if !control.loops.is_empty() {
                done.at_loop = LoopEvent::Break;
            } else if cx.options.get(Choice::StrayBreak as usize) == 0 {
                return None;
            }
        }
        Some(Opcode::Call | Opcode::Callc | Opcode::Callu)
            if holds && (num > 0 || cx.options.get(Choice::EmptyCall as usize) == 0) =>
        {
            push(&mut done.control.calls, 4, (dst + num, next));
            done.jump = Some(dst);
        }
        Some(Opcode::Ifu | Opcode::Ifc) if holds => push(&mut done.control.arms, 8, (dst, dst + num)),
        Some(Opcode::Ifu | Opcode::Ifc) => done.jump = Some(dst),
        Some(Opcode::Jmpc | Opcode::Jmpu) if holds => done.jump = Some(dst),
        Some(Opcode::Loop) => push(&mut done.control.loops, 4, (dst + 1, next)),
        _ => {}
    }
    if done.at_loop == LoopEvent::Nothing && done.control.loops.first().is_some_and(|(end, _)| *end == next) {
        done.at_loop = LoopEvent::EndReached;
    }
    Some(done)
}

/// Compares the top frames of the stacks with the address after the instruction, and returns the next node. `again` states whether the innermost loop
/// continues if the end of its body is reached.
fn next_node(cx: &Cx<'_>, done: Outcome, pc: u32, again: bool) -> ControlState {
    let Outcome { mut control, jump, at_loop } = done;
    let next = pc + 1;
    let mut to = jump.unwrap_or(next);
    let mut copy = next;
    for returns in 1..=4 {
        match control.calls.first() {
            Some(&(end, back)) if end == copy => {
                control.calls.remove(0);
                // The fourth simultaneous return pops its frame but has no other effect.
                copy = if returns == 4 { copy } else { back };
                to = copy;
            }
            _ => break,
        }
    }
    if let Some(&(end, target)) = control.arms.first()
        && end == next
    {
        control.arms.remove(0);
        to = target;
    }
    if at_loop != LoopEvent::Nothing
        && let Some(&(end, start)) = control.loops.first()
    {
        if again {
            to = start;
        } else {
            control.loops.remove(0);
            to = end;
        }
    }
    let wraps = cx.options.peek(Choice::LastWord as usize) != 0;
    at(cx, ControlState { pc: if wraps { to % MEMORY } else { to }, ..control })
}

/// Returns the node of a control state. All control states after the end of the code are one node.
fn at(cx: &Cx<'_>, control: ControlState) -> ControlState {
    let words = cx.program.code.len() as u32;
    if control.pc < words { control } else { ControlState { pc: words, ..ControlState::default() } }
}

fn hanging() -> ControlState {
    ControlState { pc: HANG_ADDRESS, ..ControlState::default() }
}

/// Whether the instruction branches on a condition.
fn is_conditional(instruction: &Instruction) -> bool {
    matches!(
        instruction.op(),
        Some(
            Opcode::Breakc
                | Opcode::Callc
                | Opcode::Callu
                | Opcode::Ifc
                | Opcode::Ifu
                | Opcode::Jmpc
                | Opcode::Jmpu
        )
    )
}

/// Returns the paths from a node, in the order of the lowering's branch selector; none if lanes end there.
fn paths(cx: &Cx<'_>, control: &ControlState) -> SmallVec<[Path; 2]> {
    let mut ways = SmallVec::new();
    let Some(instruction) = cx.program.code.get(control.pc as usize) else { return ways };
    if ends_program(cx, control.pc) || instruction.op() == Some(Opcode::End) {
        return ways;
    }
    let conditional = is_conditional(instruction);
    for holds in [true, false].into_iter().take(if conditional { 2 } else { 1 }) {
        let known = conditional.then_some(holds);
        match outcome(cx, control, instruction, holds).map(|d| d.at_loop) {
            None => ways.push(Path { holds: known, loop_continues: None, to: hanging() }),
            Some(at_loop) => {
                let passes: &[Option<bool>] =
                    if at_loop == LoopEvent::EndReached { &[Some(true), Some(false)] } else { &[None] };
                for again in passes {
                    if let Some(done) = outcome(cx, control, instruction, holds) {
                        let to = next_node(cx, done, control.pc, again.unwrap_or(false));
                        ways.push(Path { holds: known, loop_continues: *again, to });
                    }
                }
            }
        }
    }
    ways
}

/// Returns the successors of a node.
pub fn successors(cx: &Cx<'_>, _: &Outline, control: &ControlState) -> Successors<ControlState> {
    paths(cx, control).into_iter().map(|way| way.to).collect()
}

/// The loop registers while a node is lowered: `aL`, and for each loop the counter, the step and the `aL` to restore.
#[derive(Clone)]
struct Loops {
    address: Value,
    frames: SmallVec<[[Value; 3]; 4]>,
}

/// Lowers a node's instruction.
pub fn node(cx: &Cx<'_>, outline: &Outline, control: &ControlState, b: &mut Builder) -> BranchSelect {
    if control.pc == HANG_ADDRESS {
        return BranchSelect::Hang;
    }
    let Some(instruction) = cx.program.code.get(control.pc as usize) else { return BranchSelect::Only };
    if ends_program(cx, control.pc) || instruction.op() == Some(Opcode::End) {
        return BranchSelect::Only;
    }
    body(cx, outline, instruction, b);
    let condition = is_conditional(instruction).then(|| condition(instruction, b));
    let again = loops(cx, control, instruction, condition, b);
    let ways = paths(cx, control);
    if ways.len() == 1 {
        return BranchSelect::Only;
    }
    let mut conditions: SmallVec<[Value; 2]> = ways[..ways.len() - 1]
        .iter()
        .filter_map(|way| {
            let holds = way.holds.zip(condition).map(|(holds, c)| if holds { c } else { b.not(c) });
            let passes = way.loop_continues.zip(again).map(|(again, c)| if again { c } else { b.not(c) });
            match (holds, passes) {
                (Some(holds), Some(passes)) => Some(b.logic(BBin::And, holds, passes)),
                (one, other) => one.or(other),
            }
        })
        .collect();
    if ways.len() == 2
        && let Some(first) = conditions.pop()
    {
        return BranchSelect::If(first);
    }
    BranchSelect::First(conditions)
}

/// Returns the condition of an instruction; true if it has none.
pub(super) fn condition(instruction: &Instruction, b: &mut Builder) -> Value {
    match instruction {
        Instruction::Conditional(word) => condition_bits_test(word, b),
        Instruction::Uniform(words) => {
            let uniform = b.op(Op::BoolUniform(words.id.into()), &[]);
            let inverted = instruction.op() == Some(Opcode::Jmpu) && words.is_inverted();
            if inverted { b.not(uniform) } else { uniform }
        }
        _ => b.b(true),
    }
}

/// Returns whether the condition of an instruction holds, which tests the condition bits `cmp.x` and `cmp.y`.
fn condition_bits_test(word: &Conditional, b: &mut Builder) -> Value {
    let is = |b: &mut Builder, c: usize, reference: u8| {
        let var = condition_var(b, c);
        let bit = b.read(var);
        if reference == 0 { b.not(bit) } else { bit }
    };
    match Condition::from_number(word.condop) {
        Some(combination @ (Condition::Either | Condition::Both)) => {
            let (x, y) = (is(b, 0, word.refx), is(b, 1, word.refy));
            b.logic(if combination == Condition::Either { BBin::Or } else { BBin::And }, x, y)
        }
        Some(Condition::X) => is(b, 0, word.refx),
        Some(Condition::Y) | None => is(b, 1, word.refy),
    }
}

/// Returns the initial loop registers of `for`: the number of passes minus one, the first `aL`, and the step.
pub(super) fn begin(instruction: &Instruction, b: &mut Builder) -> [Value; 3] {
    let id = if let Instruction::Uniform(words) = instruction { u16::from(words.integer()) } else { 0 };
    let byte = b.i(0xff);
    std::array::from_fn(|c| {
        let value = b.op(Op::IntUniform(id * 4 + c as u16), &[]);
        b.ibin(IBin::And, value, byte)
    })
}

/// Updates the loop counters and `aL` for the instruction. Returns whether the innermost loop continues, if the instruction reaches the end of its
/// body.
fn loops(
    cx: &Cx<'_>,
    control: &ControlState,
    instruction: &Instruction,
    condition: Option<Value>,
    b: &mut Builder,
) -> Option<Value> {
    let begins = instruction.op() == Some(Opcode::Loop);
    let outcome = |holds| outcome(cx, control, instruction, holds).map(|done| done.at_loop);
    let events = (outcome(true), outcome(condition.is_none()));
    let quiet = |event| matches!(event, None | Some(LoopEvent::Nothing));
    if !begins && quiet(events.0) && quiet(events.1) {
        return None;
    }
    let al = int(b, File::Address, 0, 2);
    let mut now = Loops { address: b.read(al), frames: SmallVec::new() };
    for k in 0..control.loops.len() {
        let frame = std::array::from_fn(|c| {
            let var = int(b, File::Loop, k, c);
            b.read(var)
        });
        now.frames.push(frame);
    }
    if begins {
        let [count, first, step] = begin(instruction, b);
        let outer = if cx.options.get(Choice::LoopAddress as usize) == 2 { first } else { now.address };
        now.frames.insert(0, [count, step, outer]);
        now.frames.truncate(4);
        now.address = first;
    }
    let (after, again) = match condition {
        None => after_event(cx, &now, events.0, b),
        Some(holds) => {
            let (yes, yes_again) = after_event(cx, &now, events.0, b);
            let (no, no_again) = after_event(cx, &now, events.1, b);
            (merge(holds, &yes, &no, b), yes_again.or(no_again))
        }
    };
    b.write(al, after.address);
    for (k, frame) in after.frames.iter().enumerate() {
        for (c, value) in frame.iter().enumerate() {
            let var = int(b, File::Loop, k, c);
            b.write(var, *value);
        }
    }
    again
}

/// Returns `aL` after a pass through the loop body.
pub(super) fn advanced(cx: &Cx<'_>, address: Value, step: Value, b: &mut Builder) -> Value {
    let sum = b.ibin(IBin::Add, address, step);
    if cx.options.get(Choice::LoopWidth as usize) == 0 {
        return sum;
    }
    let byte = b.i(0xff);
    b.ibin(IBin::And, sum, byte)
}

/// Returns the loop registers after an event at the innermost loop, and whether that loop continues.
fn after_event(
    cx: &Cx<'_>,
    now: &Loops,
    event: Option<LoopEvent>,
    b: &mut Builder,
) -> (Loops, Option<Value>) {
    let Some(&[counter, step, outer]) = now.frames.first() else { return (now.clone(), None) };
    let event = event.unwrap_or(LoopEvent::Nothing);
    if event == LoopEvent::Nothing {
        return (now.clone(), None);
    }
    let advances = event == LoopEvent::EndReached || cx.options.get(Choice::BreakAddress as usize) == 0;
    let grown = if advances { advanced(cx, now.address, step, b) } else { now.address };
    let inner = now.frames.len() > 1 && cx.options.get(Choice::LoopAddress as usize) != 1;
    let left = Loops {
        address: if inner { outer } else { grown },
        frames: now.frames.iter().skip(1).copied().collect(),
    };
    if event == LoopEvent::Break {
        return (left, None);
    }
    let zero = b.i(0);
    let spent = b.icmp(ICmp::Eq, counter, zero);
    let minus = b.i(-1);
    let fewer = b.ibin(IBin::Add, counter, minus);
    let mut goes_on = now.clone();
    goes_on.address = grown;
    goes_on.frames[0] = [fewer, step, outer];
    let after = merge(spent, &left, &goes_on, b);
    (after, Some(b.not(spent)))
}

/// Returns `c ? yes : no`. A frame that exists on one side only is taken from that side.
fn merge(c: Value, yes: &Loops, no: &Loops, b: &mut Builder) -> Loops {
    let mut pick = |yes: Value, no: Value| if yes == no { yes } else { b.sel_i(c, yes, no) };
    let address = pick(yes.address, no.address);
    let mut frames: SmallVec<[[Value; 3]; 4]> = smallvec![];
    for k in 0..yes.frames.len().max(no.frames.len()) {
        frames.push(match (yes.frames.get(k), no.frames.get(k)) {
            (Some(yes), Some(no)) => std::array::from_fn(|c| pick(yes[c], no[c])),
            (Some(frame), None) | (None, Some(frame)) => *frame,
            (None, None) => continue,
        });
    }
    Loops { address, frames }
}
