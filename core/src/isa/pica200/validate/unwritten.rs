//! Finds words that read registers which have not been written.
//!
//! This is a forward data-flow analysis of the components that are written on every path to a word. After a call, the components written
//! before the call and those written by the called range count as written. Only intended paths are followed: control does not fall from
//! the word before a called range into that range.

use super::super::interface::{FIRST_ADDRESS_SLOT, FIRST_TEMPORARY_SLOT};
use super::super::opcode::{MaskRule, Opcode};
use super::super::program::{Descriptor, Instruction, MEMORY, Program, Register, Target};
use super::super::reads;
use super::super::word::Condition;
use crate::isa::Entry;
use std::collections::HashMap;

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

/// Returns the components that the entry takes from inputs.
fn entry_inputs(entry: &Entry) -> Set {
    entry.interface.inputs.iter().fold(0, |set, port| {
        set | match (port.slot.checked_sub(FIRST_TEMPORARY_SLOT), port.slot.checked_sub(FIRST_ADDRESS_SLOT)) {
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

struct Flow<'a> {
    program: &'a Program,
    /// The components written on every path to a word; `None` for words not reached yet.
    before: Vec<Option<Set>>,
    open: Vec<u32>,
    /// The calls reached, by the word after their range.
    calls: HashMap<u32, Vec<u32>>,
    /// For each branch reached, the word after its second arm, keyed by the word after its first arm.
    arms: HashMap<u32, Vec<u32>>,
    /// By word: whether the word's call or branch has been added to `calls` or `arms`.
    recorded: Vec<bool>,
    /// By word: the word after the innermost loop whose body contains the word.
    loop_exit: Vec<Option<u32>>,
}

/// Returns, for each word, the word after the loop with the latest beginning among the loops whose bodies contain the word.
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
                    self.merge_into(successor, after);
                }
                falls = instruction.op() == Some(Opcode::Breakc);
            }
            Some(op @ (Opcode::Call | Opcode::Callc | Opcode::Callu)) => {
                self.merge_into(dst, after);
                falls = op != Opcode::Call;
                let end = dst + num;
                if first_time {
                    self.calls.entry(end).or_default().push(at);
                }
                if let Some(inner) = end.checked_sub(1).filter(|_| num > 0).and_then(|last| self.after(last))
                {
                    self.merge_into(next, after | inner);
                }
            }
            Some(Opcode::Ifc | Opcode::Ifu) => {
                self.merge_into(dst, after);
                if first_time {
                    self.arms.entry(dst).or_default().push(dst + num);
                }
            }
            Some(Opcode::Jmpc | Opcode::Jmpu) => self.merge_into(dst, after),
            _ => {}
        }
        for k in 0..self.arms.get(&next).map_or(0, Vec::len) {
            let successor = self.arms[&next][k];
            self.merge_into(successor, after);
        }
        let returns = self.calls.get(&next).map_or(0, Vec::len);
        for k in 0..returns {
            let call = self.calls[&next][k];
            if let Some(before) = self.before[call as usize] {
                self.merge_into(call + 1, before | after);
            }
        }
        if falls && returns == 0 {
            self.merge_into(next, after);
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
        calls: HashMap::new(),
        arms: HashMap::new(),
        recorded: vec![false; len],
        loop_exit: loops(&program.code[..len]),
    };
    flow.merge_into(entry.start, entry_inputs(entry));
    while let Some(at) = flow.open.pop() {
        if let Some(after) = flow.after(at) {
            flow.propagate(at, after);
        }
    }
    let unwritten = |(at, before): (usize, &Option<Set>)| {
        before.is_some_and(|before| read(program, &program.code[at]) & !before != 0)
    };
    flow.before.iter().enumerate().map(unwritten).collect()
}
