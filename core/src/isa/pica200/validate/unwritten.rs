//! Finds words that read registers which have not been written.
//!
//! This is a forward data-flow analysis of the components that are written on every path to a word. After a call, the components written
//! before the call and those written by the called range count as written. At the end of a called range, control continues after each call of
//! the range; it continues with the word after the range only if it can enter the range without one of these calls.

use super::super::interface::{ADDRESS_SLOT, FIRST_TEMPORARY_SLOT};
use super::super::opcode::{MaskRule, Opcode};
use super::super::program::{Descriptor, Instruction, MEMORY, Program, Register, Target};
use super::super::reads;
use super::super::word::Condition;
use crate::isa::Entry;
use std::collections::{HashMap, HashSet};

/// A set of components: bit 4n + c for component c of `rn`, then three bits for `a0.x`, `a0.y`, `aL`, then two bits for `cmp.x`, `cmp.y`.
type Set = u128;

const fn temporary(n: u8, mask: u8) -> Set {
    (mask as Set) << (4 * n)
}
const fn address(n: u8) -> Set {
    1 << (64 + n)
}
const fn condition(mask: u8) -> Set {
    (mask as Set) << 67
}

/// Returns the components whose initial values are inputs of the entry.
fn entry_inputs(entry: &Entry) -> Set {
    entry.interface.inputs.iter().fold(0, |set, port| {
        set | match (port.slot.checked_sub(FIRST_TEMPORARY_SLOT), port.slot.checked_sub(ADDRESS_SLOT)) {
            (Some(n @ 0..16), _) => temporary(n as u8, port.mask),
            (_, Some(0)) => Set::from(port.mask & 7) << 64,
            (_, Some(1)) => condition(port.mask & 3),
            _ => 0,
        }
    })
}

fn read(program: &Program, instruction: &Instruction) -> Set {
    let mut set = 0;
    reads::reads(program, instruction, |read| {
        if let Register::Temporary(n) = read.register {
            set |= temporary(n, read.mask);
        }
        if read.idx != 0 && read.mask != 0 {
            set |= address(read.idx - 1);
        }
    });
    let tests = matches!(instruction.op(), Some(Opcode::Breakc | Opcode::Callc | Opcode::Ifc | Opcode::Jmpc));
    if let (Instruction::Conditional(words), true) = (instruction, tests) {
        set |= condition(match Condition::from_number(words.condop) {
            Some(Condition::X) => 1,
            Some(Condition::Y) => 2,
            Some(Condition::Either | Condition::Both) | None => 3,
        });
    }
    set
}

fn write(program: &Program, instruction: &Instruction) -> Set {
    let Some(op) = instruction.op() else { return 0 };
    let mask = program.descriptor(instruction).map_or(0, Descriptor::write_mask);
    let target = match reads::write(program, instruction) {
        Some((Target::Temporary(n), mask)) => temporary(n, mask),
        _ => 0,
    };
    target
        | match op {
            Opcode::Loop => address(2),
            Opcode::Cmp | Opcode::Litp => condition(3),
            _ if op.row().mask == MaskRule::Address => Set::from(mask & 3) << 64,
            _ => 0,
        }
}

/// The called ranges with a common end.
#[derive(Default)]
struct Called {
    /// The first word of the longest of these ranges.
    first: u32,
    /// The reached calls of these ranges.
    calls: Vec<u32>,
    /// Whether control can be in the longest range without one of these calls. Then it may also continue after the range.
    is_entered: bool,
}

/// A step of control from one word to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Edge {
    /// The word that control comes from; `None` at the start of the program.
    from: Option<u32>,
    to: u32,
    /// If the step is a call, the word after the called range.
    call_end: Option<u32>,
}

impl Edge {
    /// Returns whether the edge enters a range from outside such that control later reaches the range's end without having been called.
    fn enters(self, first: u32, end: u32) -> bool {
        let within = |word| (first..end).contains(&word);
        // A call of a part of the range returns before it can leave the range.
        within(self.to) && !self.from.is_some_and(within) && self.call_end.is_none_or(|called| called > end)
    }
}

struct Flow<'a> {
    program: &'a Program,
    /// The components written on every path to a word; `None` for words not reached yet.
    before: Vec<Option<Set>>,
    open: Vec<u32>,
    /// The called ranges reached, by the word after the range.
    called: HashMap<u32, Called>,
    /// All edges followed so far: steps within a call, and steps from a call to the first word of its range.
    edges: HashSet<Edge>,
    /// The edges that have not yet been compared with the called ranges.
    new_edges: Vec<Edge>,
    /// The ends of called ranges that have not yet been compared with the edges.
    new_ranges: Vec<u32>,
    /// For each `ifc` or `ifu` reached, the word after its else branch, keyed by the word after its then branch.
    arms: HashMap<u32, Vec<u32>>,
    /// By word: whether the word's call or branch has been added to `called` or `arms`.
    recorded: Vec<bool>,
    /// By word: the word after the innermost loop whose body contains the word.
    loop_exit: Vec<Option<u32>>,
}

/// Returns, for each word, the word after the innermost loop whose body contains the word. If loops overlap, the one that begins last
/// counts as the innermost.
fn loops(code: &[Instruction]) -> Vec<Option<u32>> {
    let mut open: Vec<u32> = Vec::new();
    let around = code.iter().zip(0u32..).map(|(instruction, at)| {
        while open.last().is_some_and(|last| *last < at) {
            open.pop();
        }
        let around = open.last().map(|last| last + 1);
        if let (Some(Opcode::Loop), Some((last, _))) = (instruction.op(), instruction.flow()) {
            open.push(last.into());
        }
        around
    });
    around.collect()
}

impl Flow<'_> {
    fn merge_into(&mut self, word: u32, set: Set) {
        let Some(before) = self.before.get_mut(word as usize) else { return };
        let merged = before.map_or(set, |before| before & set);
        if *before != Some(merged) {
            *before = Some(merged);
            self.open.push(word);
        }
    }

    /// Follows an edge with the components that are written before it.
    fn step(&mut self, edge: Edge, set: Set) {
        if self.edges.insert(edge) {
            self.new_edges.push(edge);
        }
        self.merge_into(edge.to, set);
    }

    fn go(&mut self, from: impl Into<Option<u32>>, to: u32, set: Set) {
        self.step(Edge { from: from.into(), to, call_end: None }, set);
    }

    /// Continues after the word `at`. If called ranges end there, control continues after their calls, and with the next word only if it can
    /// enter the longest of these ranges without a call. Otherwise control continues with the next word. The return from one range can also end
    /// another range, because a call may be the last word of a called range.
    fn fall(&mut self, at: u32, set: Set) {
        let mut open = vec![(at, set)];
        let mut seen = HashSet::from([at]);
        while let Some((at, set)) = open.pop() {
            let next = at + 1;
            let called = self.called.get(&next);
            for &call in called.map_or(&[][..], |called| &called.calls) {
                if let Some(before) = self.before[call as usize].filter(|_| seen.insert(call)) {
                    open.push((call, before | set));
                }
            }
            if called.is_none_or(|called| called.is_entered) {
                self.go(at, next, set);
            }
        }
    }

    /// Records a call that has been reached.
    fn record_call(&mut self, at: u32, first: u32, end: u32) {
        let called = self.called.entry(end).or_insert_with(|| Called { first, ..Called::default() });
        // An empty range has no last word that could return.
        called.is_entered |= first == end;
        called.calls.push(at);
        called.first = called.first.min(first);
        self.new_ranges.push(end);
    }

    /// Finds called ranges that control enters without a call, and queues their last words, because control now also continues after these ranges.
    fn find_entered(&mut self) {
        let edges = std::mem::take(&mut self.new_edges);
        let ranges = std::mem::take(&mut self.new_ranges);
        for (&end, called) in self.called.iter_mut().filter(|(_, called)| !called.is_entered) {
            called.is_entered = edges.iter().any(|edge| edge.enters(called.first, end))
                || ranges.contains(&end) && self.edges.iter().any(|edge| edge.enters(called.first, end));
            if called.is_entered {
                self.open.extend(end.checked_sub(1));
            }
        }
    }

    /// Propagates the components written after a word to its successors.
    fn propagate(&mut self, at: u32, after: Set) {
        let instruction = &self.program.code[at as usize];
        let next = at + 1;
        let (dst, num) = instruction.flow().map_or((0, 0), |(dst, num)| (u32::from(dst), u32::from(num)));
        let mut falls = true;
        let first_time = !std::mem::replace(&mut self.recorded[at as usize], true);
        match instruction.op() {
            Some(Opcode::End) => return,
            Some(Opcode::Break | Opcode::Breakc) => {
                if let Some(successor) = self.loop_exit[at as usize] {
                    self.go(at, successor, after);
                }
                falls = instruction.op() == Some(Opcode::Breakc);
            }
            Some(op @ (Opcode::Call | Opcode::Callc | Opcode::Callu)) => {
                let end = dst + num;
                falls = op != Opcode::Call;
                if first_time {
                    self.record_call(at, dst, end);
                }
                self.step(Edge { from: Some(at), to: dst, call_end: Some(end) }, after);
                if let Some(inner) = end.checked_sub(1).filter(|_| num > 0).and_then(|last| self.after(last))
                {
                    self.fall(at, after | inner);
                }
            }
            Some(Opcode::Ifc | Opcode::Ifu) => {
                self.go(at, dst, after);
                if first_time {
                    self.arms.entry(dst).or_default().push(dst + num);
                }
            }
            Some(Opcode::Jmpc | Opcode::Jmpu) => self.go(at, dst, after),
            _ => {}
        }
        for k in 0..self.arms.get(&next).map_or(0, Vec::len) {
            let successor = self.arms[&next][k];
            self.go(at, successor, after);
        }
        if falls {
            self.fall(at, after);
        }
    }

    /// Returns the components written after a word, if it has been reached.
    fn after(&self, at: u32) -> Option<Set> {
        let before = (*self.before.get(at as usize)?)?;
        Some(before | write(self.program, &self.program.code[at as usize]))
    }
}

/// Returns, for each word, whether it reads a component that is not written on some path to it.
pub(super) fn reads(program: &Program, entry: &Entry) -> Vec<bool> {
    let len = program.code.len().min(MEMORY as usize);
    let mut flow = Flow {
        program,
        before: vec![None; len],
        open: Vec::new(),
        called: HashMap::new(),
        edges: HashSet::new(),
        new_edges: Vec::new(),
        new_ranges: Vec::new(),
        arms: HashMap::new(),
        recorded: vec![false; len],
        loop_exit: loops(&program.code[..len]),
    };
    flow.go(None, entry.start, entry_inputs(entry));
    while !flow.open.is_empty() {
        while let Some(at) = flow.open.pop() {
            if let Some(after) = flow.after(at) {
                flow.propagate(at, after);
            }
        }
        flow.find_entered();
    }
    let unwritten = |(at, before): (usize, &Option<Set>)| {
        before.is_some_and(|before| read(program, &program.code[at]) & !before != 0)
    };
    flow.before.iter().enumerate().map(unwritten).collect()
}
