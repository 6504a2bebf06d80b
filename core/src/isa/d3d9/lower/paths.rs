//! Control flow: blocks by the text, calls by the path that leads to a node, or in the fallback by variables.

use super::{Cx, Lower, body, int};
use crate::ir::{Builder, Decision, Exits, Op, Ty, Value, Var, WordExit};
use crate::isa::d3d9::opcode::{Kind, Opcode};
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::Instruction;
use crate::isa::d3d9::variables::{File, loop_number};
use crate::value::{IBin, ICmp};
use smallvec::{SmallVec, smallvec};

/// Calls in one another.
const CALLS: usize = 4;

/// The instructions that called what runs, the first call first, then the instruction itself, then zeros: an order of positions, because a
/// called instruction never is the first one of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Config(pub [u32; CALLS + 1]);

impl Config {
    /// How many calls are under way.
    #[inline]
    pub fn depth(&self) -> usize {
        self.0.iter().rposition(|word| *word != 0).unwrap_or(0)
    }

    /// The instruction.
    #[inline]
    pub fn pc(&self) -> u32 {
        self.0[self.depth()]
    }

    /// The calling instructions.
    pub fn sites(&self) -> &[u32] {
        &self.0[..self.depth()]
    }

    /// Another instruction under the same calls; behind the last one, where those lead back to.
    fn at(mut self, depth: usize, pc: u32, words: u32) -> Config {
        self.0[depth] = pc;
        if pc >= words && depth > 0 { self.back(depth, words) } else { self }
    }

    /// Back to who called.
    fn back(mut self, depth: usize, words: u32) -> Config {
        self.0[depth] = 0;
        let site = self.0[depth - 1];
        self.at(depth - 1, site + 1, words)
    }
}

/// Where an instruction may go, as the text has it.
enum Way {
    To(u32),
    /// Into the subroutine at this word.
    Call(u32),
    /// Out of the subroutine, or the program.
    Back,
}

fn ways(cx: &Cx<'_>, pc: u32) -> SmallVec<[Way; 2]> {
    use Opcode::*;
    let next = Way::To(pc + 1);
    let Some((op, i)) = cx.program.instructions.get(pc as usize).and_then(|i| Some((i.op()?, i))) else {
        return smallvec![next];
    };
    if op.row().kind != Kind::Flow {
        return smallvec![next];
    }
    match op {
        If | Ifc => smallvec![next, Way::To(arm_end(cx, pc, true))],
        Else => smallvec![Way::To(arm_end(cx, pc, false))],
        Loop | Rep => smallvec![next, Way::To(loop_end(cx, pc))],
        Endloop | Endrep => match begin(cx, pc) {
            Some(start) => smallvec![Way::To(start + 1), next],
            None => smallvec![next],
        },
        Break => smallvec![Way::To(loop_end(cx, pc))],
        Breakc | Breakp => smallvec![Way::To(loop_end(cx, pc)), next],
        Call | Callnz => match label(cx, pc, i) {
            Some(to) if op == Call => smallvec![Way::Call(to)],
            Some(to) => smallvec![Way::Call(to), next],
            None => smallvec![next],
        },
        Ret => smallvec![Way::Back],
        _ => smallvec![next],
    }
}

/// The first word from `pc` on that closes what `pc` opens or is in; `opens` and `closes` tell what counts.
fn scan(cx: &Cx<'_>, pc: u32, opens: fn(Opcode) -> bool, closes: fn(Opcode) -> bool, turn: bool) -> u32 {
    let mut open = 1u32;
    let mut at = pc as usize + 1;
    while let Some(i) = cx.program.instructions.get(at) {
        at += 1;
        let Some(op) = i.op() else { continue };
        if turn && op == Opcode::Else && open == 1 {
            break;
        }
        if opens(op) {
            open += 1;
        } else if closes(op) {
            open -= 1;
            if open == 0 {
                break;
            }
        }
    }
    at as u32
}

fn arm_end(cx: &Cx<'_>, pc: u32, at_else: bool) -> u32 {
    scan(cx, pc, |op| matches!(op, Opcode::If | Opcode::Ifc), |op| op == Opcode::Endif, at_else)
}

fn begins_loop(op: Opcode) -> bool {
    matches!(op, Opcode::Loop | Opcode::Rep)
}

fn ends_loop(op: Opcode) -> bool {
    matches!(op, Opcode::Endloop | Opcode::Endrep)
}

fn loop_end(cx: &Cx<'_>, pc: u32) -> u32 {
    scan(cx, pc, begins_loop, ends_loop, false)
}

/// The loops that are open at `pc` in its own subroutine, the innermost first.
fn open_loops<'a>(cx: &'a Cx<'_>, pc: u32) -> impl Iterator<Item = u32> + 'a {
    let mut closed = 0u32;
    (0..pc)
        .rev()
        .map_while(|at| {
            let op = cx.program.instructions[at as usize].op();
            (op != Some(Opcode::Label)).then_some((at, op))
        })
        .filter_map(move |(at, op)| {
            let op = op?;
            if ends_loop(op) {
                closed += 1;
            } else if begins_loop(op) {
                if closed == 0 {
                    return Some(at);
                }
                closed -= 1;
            }
            None
        })
}

/// The loop that the instruction at `pc` is in, or ends.
fn begin(cx: &Cx<'_>, pc: u32) -> Option<u32> {
    open_loops(cx, pc).next()
}

/// The subroutine that a call enters: its label is further on.
fn label(cx: &Cx<'_>, pc: u32, i: &Instruction) -> Option<u32> {
    let name = i.sources.first()?.number;
    let names = |i: &Instruction| {
        i.op() == Some(Opcode::Label) && i.sources.first().is_some_and(|s| s.number == name)
    };
    let after = pc + 1;
    let all = cx.program.instructions.get(after as usize..)?;
    all.iter().position(names).map(|at| after + at as u32)
}

/// Where a node may go. The place behind the last instruction is a node too; lanes end there.
pub fn exits(cx: &Cx<'_>, config: &Config) -> Exits<Config> {
    let (depth, words) = (config.depth(), cx.program.instructions.len() as u32);
    let pc = config.0[depth];
    if pc >= words {
        return Exits::new();
    }
    let mut exits: Exits<Config> = ways(cx, pc)
        .into_iter()
        .map(|way| match way {
            Way::To(to) => config.at(depth, to, words),
            Way::Call(to) if depth < CALLS => config.at(depth + 1, to, words),
            Way::Call(_) => config.at(depth, pc + 1, words),
            Way::Back if depth > 0 => config.back(depth, words),
            Way::Back => Config([words, 0, 0, 0, 0]),
        })
        .collect();
    exits.dedup();
    exits
}

/// Lowers a node's instruction.
pub fn node(cx: &Cx<'_>, config: &Config, b: &mut Builder) -> Decision {
    let pc = config.pc();
    match steer(cx, pc, b) {
        Some(condition) if exits(cx, config).len() == 2 => Decision::If(condition),
        _ => Decision::Only,
    }
}

/// Lowers an instruction; gives back what decides between its two ways, if it has two.
fn steer(cx: &Cx<'_>, pc: u32, b: &mut Builder) -> Option<Value> {
    use Opcode::*;
    let i = cx.program.instructions.get(pc as usize)?;
    let op = i.op()?;
    if op.row().kind != Kind::Flow {
        body(cx, pc, b);
        return None;
    }
    match op {
        If | Ifc | Callnz => Some(condition(cx, op, i, b)),
        Breakc | Breakp => {
            let holds = condition(cx, op, i, b);
            if let Some((counter, outer)) = counter_of(cx, begin(cx, pc), b) {
                let (now, before) = (b.read(counter), b.read(outer));
                let value = b.sel_i(holds, before, now);
                b.write(counter, value);
            }
            Some(holds)
        }
        Break => {
            restore(cx, begin(cx, pc), b);
            None
        }
        Ret => {
            // All loops of the subroutine end; the outermost one knows what aL was before them.
            let outermost = open_loops(cx, pc).filter(|at| is_loop(cx, *at)).last();
            restore(cx, outermost, b);
            None
        }
        Loop | Rep => Some(enter(cx, pc, op, i, b)),
        Endloop | Endrep => begin(cx, pc).map(|start| again(cx, start, b)),
        _ => None,
    }
}

fn condition(cx: &Cx<'_>, op: Opcode, i: &Instruction, b: &mut Builder) -> Value {
    let mut l = Lower { cx, b, partner: None, flushes: false };
    match (op, &i.sources[..]) {
        (Opcode::Ifc | Opcode::Breakc, [x, y]) => {
            let (x, y) = (l.scalars(x, 1), l.scalars(y, 1));
            match (x[0], y[0]) {
                (Some(x), Some(y)) => l.compare(i.control, x, y),
                _ => l.b.b(false),
            }
        }
        (_, [source] | [_, source]) => l.holds(source, 0),
        _ => l.b.b(false),
    }
}

fn is_loop(cx: &Cx<'_>, at: u32) -> bool {
    cx.program.instructions[at as usize].op() == Some(Opcode::Loop)
}

/// aL, and the aL to go back to after the loop that begins at `start`, if it is one with aL.
fn counter_of(cx: &Cx<'_>, start: Option<u32>, b: &mut Builder) -> Option<(Var, Var)> {
    let start = start.filter(|start| is_loop(cx, *start))?;
    let outer = int(b, File::Loop, loop_number(cx.program, start), 2);
    Some((int(b, File::Counter, 0, 0), outer))
}

/// aL as it was before a loop.
fn restore(cx: &Cx<'_>, start: Option<u32>, b: &mut Builder) {
    if let Some((counter, outer)) = counter_of(cx, start, b) {
        let before = b.read(outer);
        b.write(counter, before);
    }
}

/// The registers of a loop that begins; whether it does.
fn enter(cx: &Cx<'_>, pc: u32, op: Opcode, i: &Instruction, b: &mut Builder) -> Value {
    let int_constant = i.sources.last().map_or(0, |s| s.number);
    let [passes, first, step] = [0, 1, 2].map(|c| b.op(Op::IntUniform(int_constant * 4 + c), &[]));
    let zero = b.i(0);
    let any = if cx.options.get(Choice::LoopCount.axis()) == 0 {
        b.icmp(ICmp::LtS, zero, passes)
    } else {
        let none = b.icmp(ICmp::Eq, passes, zero);
        b.not(none)
    };
    let number = loop_number(cx.program, pc);
    // Where there is no pass, nobody reads what the loop's own registers hold.
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

/// The end of a pass; whether another one follows.
fn again(cx: &Cx<'_>, start: u32, b: &mut Builder) -> Value {
    let number = loop_number(cx.program, start);
    let counted = int(b, File::Loop, number, 0);
    let passes = b.read(counted);
    let (minus, zero) = (b.i(-1), b.i(0));
    let left = b.ibin(IBin::Add, passes, minus);
    b.write(counted, left);
    let over = b.icmp(ICmp::Eq, left, zero);
    if let Some((counter, outer)) = counter_of(cx, Some(start), b) {
        let by = int(b, File::Loop, number, 1);
        let (now, step, before) = (b.read(counter), b.read(by), b.read(outer));
        let grown = b.ibin(IBin::Add, now, step);
        let value = b.sel_i(over, before, grown);
        b.write(counter, value);
    }
    b.not(over)
}

/// Subroutines before what calls them.
///
/// By position, lanes in a call go before those behind it. While any are in it, the others wait behind the calling instruction: a lane
/// that calls is at the lowest position, and those at the same position call with it. So lanes that are in calls are all in the same chain of
/// calls, and of two subroutines in it the called one, whose label is further on, goes first.
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

/// The label of the subroutine that `pc` is in; the first one of several labels with nothing in between counts for nothing.
fn subroutine(cx: &Cx<'_>, pc: u32) -> Option<u16> {
    let before = &cx.program.instructions[..=pc as usize];
    let label = before.iter().rfind(|i| i.op() == Some(Opcode::Label))?;
    label.sources.first().map(|s| s.number)
}

/// The variable that says where a subroutine returns to: at first, where the program ends.
fn return_address(cx: &Cx<'_>, label: u16, b: &mut Builder) -> Var {
    b.var(File::Return.key(label, 0), Ty::I32, cx.program.instructions.len() as u32)
}

/// Lowers the word for the fallback.
pub fn word(cx: &Cx<'_>, word: u32, b: &mut Builder) -> WordExit {
    let words = cx.program.instructions.len() as u32;
    let Some(i) = cx.program.instructions.get(word as usize) else {
        return WordExit::Static(Decision::Only, Exits::new());
    };
    let ways = ways(cx, word);
    if let (Some(Way::Call(_)), Some(label)) = (ways.first(), i.sources.first()) {
        // Where the call is the last word, it returns to where its own subroutine does.
        let last = word + 1 >= words;
        let back = match if last { subroutine(cx, word) } else { None } {
            Some(own) => {
                let own = return_address(cx, own, b);
                b.read(own)
            }
            _ => b.i(word as i32 + 1),
        };
        let var = return_address(cx, label.number, b);
        b.write(var, back);
    }
    let condition = steer(cx, word, b);
    // Static, unless a way leads out of a subroutine.
    let to = |way: &Way| match way {
        Way::To(to) | Way::Call(to) => (*to, *to >= words),
        Way::Back => (words, true),
    };
    let aims: SmallVec<[(u32, bool); 2]> = ways.iter().map(to).collect();
    let leaves = aims.iter().any(|(_, out)| *out);
    match if leaves { subroutine(cx, word) } else { None } {
        Some(label) => {
            let var = return_address(cx, label, b);
            let aim = |b: &mut Builder, (to, out): (u32, bool)| {
                let number = if out { b.read(var) } else { b.i(to as i32) };
                (number, b.b(!out && to <= word))
            };
            let (next, back) = aim(b, aims[0]);
            match (condition, aims.get(1)) {
                (Some(condition), Some(other)) => {
                    let (other, other_back) = aim(b, *other);
                    let next = b.sel_i(condition, next, other);
                    let back = b.sel_b(condition, back, other_back);
                    WordExit::Computed { next, back: Some(back) }
                }
                _ => WordExit::Computed { next, back: Some(back) },
            }
        }
        None => {
            let mut exits: Exits<u32> = aims.iter().map(|(to, _)| (*to).min(words)).collect();
            exits.dedup();
            match condition {
                Some(condition) if exits.len() == 2 => WordExit::Static(Decision::If(condition), exits),
                _ => {
                    exits.truncate(1);
                    WordExit::Static(Decision::Only, exits)
                }
            }
        }
    }
}
