//! Lowers control flow. In the node form, the active calls are part of a node's control state; in the fallback they are variables.

use super::{Cx, Lower, Outline, body, int};
use crate::ir::{Builder, Op, Ty, Value, Var};
use crate::isa::d3d9::opcode::{Kind, Opcode};
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::Instruction;
use crate::isa::d3d9::variables::File;
use crate::isa::lowering::{BranchSelect, FallbackExit, Successors};
use crate::value::{IBin, ICmp};
use smallvec::{SmallVec, smallvec};

/// The maximum nesting depth of calls.
const CALLS: usize = 4;

/// The control state of a node: the active call instructions (outermost first), the current instruction, then zeros. The derived `Ord` equals the
/// order of the reference's positions: an unused element is 0, and the current instruction of a lane inside a call is never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ControlState(pub [u32; CALLS + 1]);

impl ControlState {
    /// Returns the number of active calls.
    #[inline]
    pub fn depth(&self) -> usize {
        self.0.iter().rposition(|word| *word != 0).unwrap_or(0)
    }

    /// Returns the index of the current instruction.
    #[inline]
    pub fn pc(&self) -> u32 {
        self.0[self.depth()]
    }

    /// Returns the active call instructions, outermost first.
    pub fn sites(&self) -> &[u32] {
        &self.0[..self.depth()]
    }

    /// Returns the node of instruction `pc` inside `depth` calls. If `pc` is after the last instruction, the calls return, to this node.
    fn at(mut self, depth: usize, pc: u32, words: u32) -> ControlState {
        self.0[depth] = pc;
        if pc >= words && depth > 0 { self.return_node(depth, words) } else { self }
    }

    /// Returns the node that the innermost call returns to.
    fn return_node(mut self, depth: usize, words: u32) -> ControlState {
        self.0[depth] = 0;
        let site = self.0[depth - 1];
        self.at(depth - 1, site + 1, words)
    }
}

/// A possible successor of an instruction, without the context of its calls.
enum LocalSuccessor {
    To(u32),
    /// A call of the subroutine at this word.
    Call(u32),
    /// A return from the subroutine, or the end of the program.
    Return,
}

fn local_successors(cx: &Cx<'_>, outline: &Outline, pc: u32) -> SmallVec<[LocalSuccessor; 2]> {
    use Opcode::*;
    let next = LocalSuccessor::To(pc + 1);
    let Some(op) = cx.program.instructions.get(pc as usize).and_then(Instruction::op) else {
        return smallvec![next];
    };
    if op.row().kind != Kind::Flow {
        return smallvec![next];
    }
    match op {
        If | Ifc => smallvec![next, LocalSuccessor::To(outline.branch_end(pc))],
        Else => smallvec![LocalSuccessor::To(outline.branch_end(pc))],
        Loop | Rep => smallvec![next, LocalSuccessor::To(outline.loop_end(pc))],
        Endloop | Endrep => match outline.loop_start(pc) {
            Some(start) => smallvec![LocalSuccessor::To(start + 1), next],
            None => smallvec![next],
        },
        Break => smallvec![LocalSuccessor::To(outline.loop_end(pc))],
        Breakc | Breakp => smallvec![LocalSuccessor::To(outline.loop_end(pc)), next],
        Call | Callnz => match outline.call_target(pc) {
            Some(to) if op == Call => smallvec![LocalSuccessor::Call(to)],
            Some(to) => smallvec![LocalSuccessor::Call(to), next],
            None => smallvec![next],
        },
        Ret => smallvec![LocalSuccessor::Return],
        _ => smallvec![next],
    }
}

/// Returns the successors of a node. The position after the last instruction is a node too: lanes end there.
pub fn successors(cx: &Cx<'_>, outline: &Outline, control: &ControlState) -> Successors<ControlState> {
    let (depth, words) = (control.depth(), cx.program.instructions.len() as u32);
    let pc = control.0[depth];
    if pc >= words {
        return Successors::new();
    }
    let mut successors: Successors<ControlState> = local_successors(cx, outline, pc)
        .into_iter()
        .map(|way| match way {
            LocalSuccessor::To(to) => control.at(depth, to, words),
            LocalSuccessor::Call(to) if depth < CALLS => control.at(depth + 1, to, words),
            LocalSuccessor::Call(_) => control.at(depth, pc + 1, words),
            LocalSuccessor::Return if depth > 0 => control.return_node(depth, words),
            LocalSuccessor::Return => ControlState([words, 0, 0, 0, 0]),
        })
        .collect();
    successors.dedup();
    successors
}

/// Lowers the instruction of a node.
pub fn node(cx: &Cx<'_>, outline: &Outline, control: &ControlState, b: &mut Builder) -> BranchSelect {
    let pc = control.pc();
    match lower_control(cx, outline, pc, b) {
        Some(condition) if successors(cx, outline, control).len() == 2 => BranchSelect::If(condition),
        _ => BranchSelect::Only,
    }
}

/// Lowers an instruction. Returns the condition that decides between its two successors, if it has two.
fn lower_control(cx: &Cx<'_>, outline: &Outline, pc: u32, b: &mut Builder) -> Option<Value> {
    use Opcode::*;
    let i = cx.program.instructions.get(pc as usize)?;
    let op = i.op()?;
    if op.row().kind != Kind::Flow {
        body(cx, outline, pc, b);
        return None;
    }
    match op {
        If | Ifc | Callnz => Some(condition(cx, outline, op, i, b)),
        Breakc | Breakp => {
            let holds = condition(cx, outline, op, i, b);
            if let Some((counter, outer)) = counter_of(cx, outline, outline.loop_start(pc), b) {
                let (now, before) = (b.read(counter), b.read(outer));
                let value = b.sel_i(holds, before, now);
                b.write(counter, value);
            }
            Some(holds)
        }
        Break => {
            restore(cx, outline, outline.loop_start(pc), b);
            None
        }
        Ret => {
            // A return ends all loops of the subroutine, so aL is restored from the variable of the outermost loop.
            restore(cx, outline, outline.outermost_counted(pc), b);
            None
        }
        Loop | Rep => Some(enter(cx, outline, pc, op, i, b)),
        Endloop | Endrep => outline.loop_start(pc).map(|start| end_pass(cx, outline, start, b)),
        _ => None,
    }
}

fn condition(cx: &Cx<'_>, outline: &Outline, op: Opcode, i: &Instruction, b: &mut Builder) -> Value {
    let mut l = Lower { cx, outline, b, partner: None, flushes: false, lane: None };
    match (op, &i.sources[..]) {
        (Opcode::Ifc | Opcode::Breakc, [x, y]) => {
            let (x, y) = (l.scalars(x, 1), l.scalars(y, 1));
            match (x[0], y[0]) {
                (Some(x), Some(y)) => l.compare(i.control, x, y),
                _ => l.b.b(false),
            }
        }
        (_, [source] | [_, source]) => l.condition_value(source, 0),
        _ => l.b.b(false),
    }
}

fn is_loop(cx: &Cx<'_>, at: u32) -> bool {
    cx.program.instructions[at as usize].op() == Some(Opcode::Loop)
}

/// Returns the variable of aL, and the variable with the value that aL had before the loop at `start`; `None` if no `loop` begins there.
fn counter_of(cx: &Cx<'_>, outline: &Outline, start: Option<u32>, b: &mut Builder) -> Option<(Var, Var)> {
    let start = start.filter(|start| is_loop(cx, *start))?;
    let outer = int(b, File::Loop, outline.loop_number(start), 2);
    Some((int(b, File::Counter, 0, 0), outer))
}

/// Restores the value that aL had before a loop.
fn restore(cx: &Cx<'_>, outline: &Outline, start: Option<u32>, b: &mut Builder) {
    if let Some((counter, outer)) = counter_of(cx, outline, start, b) {
        let before = b.read(outer);
        b.write(counter, before);
    }
}

/// Initialises the variables of a loop. Returns whether the loop has any pass.
fn enter(cx: &Cx<'_>, outline: &Outline, pc: u32, op: Opcode, i: &Instruction, b: &mut Builder) -> Value {
    let int_constant = i.sources.last().map_or(0, |s| s.number);
    let [passes, first, step] = [0, 1, 2].map(|c| b.op(Op::IntUniform(int_constant * 4 + c), &[]));
    let zero = b.i(0);
    let any = if cx.options.get(Choice::LoopCount.option()) == 0 {
        b.icmp(ICmp::LtS, zero, passes)
    } else {
        let none = b.icmp(ICmp::Eq, passes, zero);
        b.not(none)
    };
    let number = outline.loop_number(pc);
    // These variables are not read if the loop has no pass, so they are written unconditionally.
    let counted = int(b, File::Loop, number, 0);
    b.write(counted, passes);
    if op == Opcode::Loop {
        let (counter, outer) = (int(b, File::Counter, 0, 0), int(b, File::Loop, number, 2));
        let by = int(b, File::Loop, number, 1);
        let before = b.read(counter);
        b.write(outer, before);
        b.write(by, step);
        let now = b.sel_i(any, first, before);
        b.write(counter, now);
    }
    any
}

/// Lowers the end of a loop pass. Returns whether another pass follows.
fn end_pass(cx: &Cx<'_>, outline: &Outline, start: u32, b: &mut Builder) -> Value {
    let number = outline.loop_number(start);
    let counted = int(b, File::Loop, number, 0);
    let passes = b.read(counted);
    let (minus, zero) = (b.i(-1), b.i(0));
    let left = b.ibin(IBin::Add, passes, minus);
    b.write(counted, left);
    let over = b.icmp(ICmp::Eq, left, zero);
    if let Some((counter, outer)) = counter_of(cx, outline, Some(start), b) {
        let by = int(b, File::Loop, number, 1);
        let (now, step, before) = (b.read(counter), b.read(by), b.read(outer));
        let grown = b.ibin(IBin::Add, now, step);
        let value = b.sel_i(over, before, grown);
        b.write(counter, value);
    }
    b.not(over)
}

/// Returns the order in which the fallback runs words: each subroutine comes before its callers. `None` if there are no subroutines.
///
/// In the order of positions, lanes in a call run before lanes after the call. A lane that makes a call is at the lowest position, and all lanes at
/// that position make the call together. While they are in the call, the other lanes wait at positions after the call instruction. So all lanes that
/// are in calls have the same chain of calls. Of two subroutines in that chain, the called one, whose label comes later in the program, runs first.
pub fn word_order(cx: &Cx<'_>) -> Option<Vec<u32>> {
    let words = cx.program.instructions.len() as u32;
    let is_label = |word: &u32| cx.program.instructions[*word as usize].op() == Some(Opcode::Label);
    let labels: Vec<u32> = (0..words).filter(is_label).collect();
    if labels.is_empty() {
        return None;
    }
    let ends = labels.iter().skip(1).copied().chain([words]);
    let parts =
        std::iter::once(0..labels[0]).chain(labels.iter().copied().zip(ends).map(|(from, to)| from..to));
    let mut parts: Vec<std::ops::Range<u32>> = parts.collect();
    parts.reverse();
    Some(parts.into_iter().flatten().collect())
}

/// Returns the variable that holds the return address of a subroutine. Its initial value is the end of the program.
fn return_address(cx: &Cx<'_>, label: u16, b: &mut Builder) -> Var {
    b.var(File::Return.key(label, 0), Ty::I32, cx.program.instructions.len() as u32)
}

/// A successor of a word in the fallback.
#[derive(Clone, Copy)]
struct FallbackSuccessor {
    /// The successor word, if it is static.
    to: u32,
    /// Whether the successor is reached by a return, or by the end of the program.
    is_exit: bool,
    /// Whether the edge consumes fuel.
    costs_fuel: bool,
}

/// Lowers one instruction word for the fallback.
pub fn word(cx: &Cx<'_>, outline: &Outline, word: u32, b: &mut Builder) -> FallbackExit {
    let words = cx.program.instructions.len() as u32;
    let Some(i) = cx.program.instructions.get(word as usize) else {
        return FallbackExit::Static(BranchSelect::Only, Successors::new());
    };
    let paths = local_successors(cx, outline, word);
    if let (Some(LocalSuccessor::Call(_)), Some(label)) = (paths.first(), i.sources.first()) {
        // A call is never the last word, because its label comes later: see `Rule::LabelMissing`.
        let back = b.i(word as i32 + 1);
        let var = return_address(cx, label.number, b);
        b.write(var, back);
    }
    let condition = lower_control(cx, outline, word, b);
    // The exit is static unless a successor is reached by a call or a return.
    let calls = paths.iter().any(|way| matches!(way, LocalSuccessor::Call(_)));
    let targets: SmallVec<[FallbackSuccessor; 2]> = paths
        .iter()
        .map(|way| match *way {
            LocalSuccessor::To(to) => FallbackSuccessor { to, is_exit: to >= words, costs_fuel: to <= word },
            LocalSuccessor::Call(to) => FallbackSuccessor { to, is_exit: false, costs_fuel: true },
            LocalSuccessor::Return => FallbackSuccessor { to: words, is_exit: true, costs_fuel: false },
        })
        .collect();
    let var = match outline.subroutine(word) {
        Some(label) if targets.iter().any(|target| target.is_exit) => Some(return_address(cx, label, b)),
        _ => None,
    };
    match targets.first() {
        Some(first) if var.is_some() || calls => {
            let resolve =
                |b: &mut Builder, FallbackSuccessor { to, is_exit, costs_fuel }: FallbackSuccessor| {
                    let number = match var {
                        Some(var) if is_exit => b.read(var),
                        _ => b.i(to.min(words) as i32),
                    };
                    (number, b.b(costs_fuel))
                };
            let (next, back) = resolve(b, *first);
            match (condition, targets.get(1)) {
                (Some(condition), Some(other)) => {
                    let (other, other_back) = resolve(b, *other);
                    let next = b.sel_i(condition, next, other);
                    let back = b.sel_b(condition, back, other_back);
                    FallbackExit::Computed { next, costs_fuel: Some(back) }
                }
                _ => FallbackExit::Computed { next, costs_fuel: Some(back) },
            }
        }
        _ => {
            let mut successors: Successors<u32> = targets.iter().map(|target| target.to.min(words)).collect();
            successors.dedup();
            match condition {
                Some(condition) if successors.len() == 2 => {
                    FallbackExit::Static(BranchSelect::If(condition), successors)
                }
                _ => {
                    successors.truncate(1);
                    FallbackExit::Static(BranchSelect::Only, successors)
                }
            }
        }
    }
}
