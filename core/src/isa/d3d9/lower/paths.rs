//! Control flow: blocks by the text, calls by the path that leads to a node, or in the fallback by variables.

use super::{Cx, Lower, Outline, body, int};
use crate::ir::{Builder, Decision, Exits, Op, Ty, Value, Var, WordExit};
use crate::isa::d3d9::opcode::{Kind, Opcode};
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::Instruction;
use crate::isa::d3d9::variables::File;
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

fn ways(cx: &Cx<'_>, outline: &Outline, pc: u32) -> SmallVec<[Way; 2]> {
    use Opcode::*;
    let next = Way::To(pc + 1);
    let Some(op) = cx.program.instructions.get(pc as usize).and_then(Instruction::op) else {
        return smallvec![next];
    };
    if op.row().kind != Kind::Flow {
        return smallvec![next];
    }
    match op {
        If | Ifc => smallvec![next, Way::To(outline.arm_end(pc))],
        Else => smallvec![Way::To(outline.arm_end(pc))],
        Loop | Rep => smallvec![next, Way::To(outline.loop_end(pc))],
        Endloop | Endrep => match outline.begin(pc) {
            Some(start) => smallvec![Way::To(start + 1), next],
            None => smallvec![next],
        },
        Break => smallvec![Way::To(outline.loop_end(pc))],
        Breakc | Breakp => smallvec![Way::To(outline.loop_end(pc)), next],
        Call | Callnz => match outline.label(pc) {
            Some(to) if op == Call => smallvec![Way::Call(to)],
            Some(to) => smallvec![Way::Call(to), next],
            None => smallvec![next],
        },
        Ret => smallvec![Way::Back],
        _ => smallvec![next],
    }
}

/// Where a node may go. The place behind the last instruction is a node too; lanes end there.
pub fn exits(cx: &Cx<'_>, outline: &Outline, config: &Config) -> Exits<Config> {
    let (depth, words) = (config.depth(), cx.program.instructions.len() as u32);
    let pc = config.0[depth];
    if pc >= words {
        return Exits::new();
    }
    let mut exits: Exits<Config> = ways(cx, outline, pc)
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
pub fn node(cx: &Cx<'_>, outline: &Outline, config: &Config, b: &mut Builder) -> Decision {
    let pc = config.pc();
    match steer(cx, outline, pc, b) {
        Some(condition) if exits(cx, outline, config).len() == 2 => Decision::If(condition),
        _ => Decision::Only,
    }
}

/// Lowers an instruction; gives back what decides between its two ways, if it has two.
fn steer(cx: &Cx<'_>, outline: &Outline, pc: u32, b: &mut Builder) -> Option<Value> {
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
            if let Some((counter, outer)) = counter_of(cx, outline, outline.begin(pc), b) {
                let (now, before) = (b.read(counter), b.read(outer));
                let value = b.sel_i(holds, before, now);
                b.write(counter, value);
            }
            Some(holds)
        }
        Break => {
            restore(cx, outline, outline.begin(pc), b);
            None
        }
        Ret => {
            // All loops of the subroutine end; the outermost one knows what aL was before them.
            restore(cx, outline, outline.outermost_counted(pc), b);
            None
        }
        Loop | Rep => Some(enter(cx, outline, pc, op, i, b)),
        Endloop | Endrep => outline.begin(pc).map(|start| again(cx, outline, start, b)),
        _ => None,
    }
}

fn condition(cx: &Cx<'_>, outline: &Outline, op: Opcode, i: &Instruction, b: &mut Builder) -> Value {
    let mut l = Lower { cx, outline, b, partner: None, flushes: false };
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
fn counter_of(cx: &Cx<'_>, outline: &Outline, start: Option<u32>, b: &mut Builder) -> Option<(Var, Var)> {
    let start = start.filter(|start| is_loop(cx, *start))?;
    let outer = int(b, File::Loop, outline.loop_number(start), 2);
    Some((int(b, File::Counter, 0, 0), outer))
}

/// aL as it was before a loop.
fn restore(cx: &Cx<'_>, outline: &Outline, start: Option<u32>, b: &mut Builder) {
    if let Some((counter, outer)) = counter_of(cx, outline, start, b) {
        let before = b.read(outer);
        b.write(counter, before);
    }
}

/// The registers of a loop that begins; whether it does.
fn enter(cx: &Cx<'_>, outline: &Outline, pc: u32, op: Opcode, i: &Instruction, b: &mut Builder) -> Value {
    let int_constant = i.sources.last().map_or(0, |s| s.number);
    let [passes, first, step] = [0, 1, 2].map(|c| b.op(Op::IntUniform(int_constant * 4 + c), &[]));
    let zero = b.i(0);
    let any = if cx.options.get(Choice::LoopCount.axis()) == 0 {
        b.icmp(ICmp::LtS, zero, passes)
    } else {
        let none = b.icmp(ICmp::Eq, passes, zero);
        b.not(none)
    };
    let number = outline.loop_number(pc);
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
fn again(cx: &Cx<'_>, outline: &Outline, start: u32, b: &mut Builder) -> Value {
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

/// The variable that says where a subroutine returns to: at first, where the program ends.
fn return_address(cx: &Cx<'_>, label: u16, b: &mut Builder) -> Var {
    b.var(File::Return.key(label, 0), Ty::I32, cx.program.instructions.len() as u32)
}

/// A way as the fallback takes it.
#[derive(Clone, Copy)]
struct Aim {
    /// The word, where it is known.
    to: u32,
    /// Whether it leads out of the subroutine or the program.
    out: bool,
    /// Whether it costs fuel.
    fuel: bool,
}

/// Lowers the word for the fallback.
pub fn word(cx: &Cx<'_>, outline: &Outline, word: u32, b: &mut Builder) -> WordExit {
    let words = cx.program.instructions.len() as u32;
    let Some(i) = cx.program.instructions.get(word as usize) else {
        return WordExit::Static(Decision::Only, Exits::new());
    };
    let ways = ways(cx, outline, word);
    if let (Some(Way::Call(_)), Some(label)) = (ways.first(), i.sources.first()) {
        // Where the call is the last word, it returns to where its own subroutine does.
        let last = word + 1 >= words;
        let back = match if last { outline.subroutine(word) } else { None } {
            Some(own) => {
                let own = return_address(cx, own, b);
                b.read(own)
            }
            _ => b.i(word as i32 + 1),
        };
        let var = return_address(cx, label.number, b);
        b.write(var, back);
    }
    let condition = steer(cx, outline, word, b);
    // Static, unless a way leads out of a subroutine or into one.
    let calls = ways.iter().any(|way| matches!(way, Way::Call(_)));
    let aims: SmallVec<[Aim; 2]> = ways
        .iter()
        .map(|way| match *way {
            Way::To(to) => Aim { to, out: to >= words, fuel: to <= word },
            Way::Call(to) => Aim { to, out: false, fuel: true },
            Way::Back => Aim { to: words, out: true, fuel: false },
        })
        .collect();
    let var = match outline.subroutine(word) {
        Some(label) if aims.iter().any(|aim| aim.out) => Some(return_address(cx, label, b)),
        _ => None,
    };
    match aims.first() {
        Some(first) if var.is_some() || calls => {
            let aim = |b: &mut Builder, Aim { to, out, fuel }: Aim| {
                let number = match var {
                    Some(var) if out => b.read(var),
                    _ => b.i(to.min(words) as i32),
                };
                (number, b.b(fuel))
            };
            let (next, back) = aim(b, *first);
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
        _ => {
            let mut exits: Exits<u32> = aims.iter().map(|aim| aim.to.min(words)).collect();
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
