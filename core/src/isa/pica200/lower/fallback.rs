//! Lowers control flow for the fallback: the stacks are variables. After each word, the next address is compared with the top frames of the stacks.

use super::successors::{advanced, begin, condition};
use super::{Cx, File, Outline, body, ends_program, int};
use crate::ir::{Builder, Ty, Value, Var};
use crate::isa::lowering::{BranchSelect, FallbackExit, Successors, hang_word};
use crate::isa::pica200::opcode::Opcode;
use crate::isa::pica200::options::Choice;
use crate::isa::pica200::program::{Instruction, MEMORY};
use crate::isa::pica200::variables::NO_FRAME;
use crate::value::{BBin, IBin, ICmp};

/// Maximum number of frames on the stack of calls.
const CALLS: usize = 4;
/// Maximum number of frames on the stack of conditional blocks.
const ARMS: usize = 8;
/// Maximum number of frames on the stack of loops.
const LOOPS: usize = 4;

/// Lowers a word for the fallback.
pub fn word(cx: &Cx<'_>, outline: &Outline, word: u32, b: &mut Builder) -> FallbackExit {
    let over = || FallbackExit::Static(BranchSelect::Only, Successors::new());
    let Some(instruction) = cx.program.code.get(word as usize) else { return over() };
    let op = instruction.op();
    if ends_program(cx, word) || op == Some(Opcode::End) {
        return over();
    }
    body(cx, outline, instruction, b);
    let words = cx.program.code.len() as u32;
    let next = word + 1;
    let (dst, num) = instruction.flow().map_or((0, 0), |(dst, num)| (u32::from(dst), u32::from(num)));
    let mut s = Stacks { cx, b };
    let always = s.b.b(true);
    let holds = match op {
        Some(Opcode::Call | Opcode::Break | Opcode::Loop) | None => always,
        Some(_) if instruction.flow().is_some() => condition(instruction, s.b),
        Some(_) => always,
    };

    let plain = s.b.i(next as i32);
    let aim = s.b.i(dst as i32);
    let mut to = plain;
    let (mut leaves, mut hangs) = (None, None);
    match op {
        Some(Opcode::Break | Opcode::Breakc) => {
            let there = s.has_loop();
            leaves = Some(s.b.logic(BBin::And, holds, there));
            if cx.options.get(Choice::StrayBreak as usize) == 0 {
                let none = s.b.not(there);
                hangs = Some(s.b.logic(BBin::And, holds, none));
            }
        }
        Some(Opcode::Call | Opcode::Callc | Opcode::Callu)
            if num > 0 || cx.options.get(Choice::EmptyCall as usize) == 0 =>
        {
            s.push(File::Call, CALLS, holds, [(dst + num) as i32, next as i32]);
            to = s.b.sel_i(holds, aim, plain);
        }
        Some(Opcode::Ifu | Opcode::Ifc) => {
            s.push(File::Arm, ARMS, holds, [dst as i32, (dst + num) as i32]);
            to = s.b.sel_i(holds, plain, aim);
        }
        Some(Opcode::Jmpc | Opcode::Jmpu) => to = s.b.sel_i(holds, aim, plain),
        Some(Opcode::Loop) => s.enter(instruction, dst, next),
        _ => {}
    }

    let ends = outline.ends(next);
    if ends.call {
        to = s.lower_returns(plain, to);
    }
    if ends.arm {
        to = s.lower_arm_end(plain, to);
    }
    if ends.body || leaves.is_some() {
        to = s.lower_loop_end(plain, leaves, to);
    }
    to = s.clamp_address(to, words);
    if let Some(hangs) = hangs {
        let stop = s.b.i(hang_word(words) as i32);
        to = s.b.sel_i(hangs, stop, to);
    }
    FallbackExit::Computed { next: to, costs_fuel: None }
}

struct Stacks<'a, 'b> {
    cx: &'a Cx<'a>,
    b: &'b mut Builder,
}

impl Stacks<'_, '_> {
    /// Returns the variable of an address in a frame.
    fn frame_var(&mut self, file: File, frame: usize, component: usize) -> Var {
        self.b.var(file.key(frame, component), Ty::I32, NO_FRAME as u32)
    }

    fn get(&mut self, file: File, frame: usize, component: usize) -> Value {
        let var = self.frame_var(file, frame, component);
        self.b.read(var)
    }

    fn set(&mut self, file: File, frame: usize, component: usize, value: Value) {
        let var = self.frame_var(file, frame, component);
        self.b.write(var, value);
    }

    fn counter(&mut self, frame: usize, component: usize) -> Value {
        let var = int(self.b, File::Loop, frame, component);
        self.b.read(var)
    }

    fn set_counter(&mut self, frame: usize, component: usize, value: Value) {
        let var = int(self.b, File::Loop, frame, component);
        self.b.write(var, value);
    }

    /// Pushes a frame, if `holds` is true.
    fn push(&mut self, file: File, depth: usize, holds: Value, frame: [i32; 2]) {
        for (component, address) in frame.into_iter().enumerate() {
            for at in (1..depth).rev() {
                let (below, above) = (self.get(file, at, component), self.get(file, at - 1, component));
                let value = self.b.sel_i(holds, above, below);
                self.set(file, at, component, value);
            }
            let (address, old) = (self.b.i(address), self.get(file, 0, component));
            let value = self.b.sel_i(holds, address, old);
            self.set(file, 0, component, value);
        }
    }

    /// Pops the top frame, if `when` is true.
    fn pop(&mut self, file: File, depth: usize, when: Value) {
        for component in 0..2 {
            for at in 0..depth {
                let old = self.get(file, at, component);
                let above =
                    if at + 1 < depth { self.get(file, at + 1, component) } else { self.b.i(NO_FRAME) };
                let value = self.b.sel_i(when, above, old);
                self.set(file, at, component, value);
            }
        }
    }

    fn is_top(&mut self, file: File, component: usize, address: Value) -> Value {
        let end = self.get(file, 0, component);
        self.b.icmp(ICmp::Eq, end, address)
    }

    fn has_loop(&mut self) -> Value {
        let none = self.b.i(NO_FRAME);
        let empty = self.is_top(File::LoopPlace, 1, none);
        self.b.not(empty)
    }

    /// Returns from calls that end at `next`, up to four at once. The fourth return pops its frame but does not change the address.
    fn lower_returns(&mut self, next: Value, to: Value) -> Value {
        let (mut copy, mut to, mut chain) = (next, to, None);
        for returned in 1..=4 {
            let hit = self.is_top(File::Call, 0, copy);
            let hit = match chain {
                Some(before) => self.b.logic(BBin::And, before, hit),
                None => hit,
            };
            if returned < 4 {
                let back = self.get(File::Call, 0, 1);
                copy = self.b.sel_i(hit, back, copy);
            }
            self.pop(File::Call, CALLS, hit);
            to = self.b.sel_i(hit, copy, to);
            chain = Some(hit);
        }
        to
    }

    fn lower_arm_end(&mut self, next: Value, to: Value) -> Value {
        let hit = self.is_top(File::Arm, 0, next);
        let target = self.get(File::Arm, 0, 1);
        self.pop(File::Arm, ARMS, hit);
        self.b.sel_i(hit, target, to)
    }

    /// Enters a loop.
    fn enter(&mut self, instruction: &Instruction, dst: u32, next: u32) {
        let [count, first, step] = begin(instruction, self.b);
        let al = int(self.b, File::Address, 0, 2);
        let before = self.b.read(al);
        let outer = if self.cx.options.get(Choice::LoopAddress as usize) == 2 { first } else { before };
        for component in 0..3 {
            for at in (1..LOOPS).rev() {
                let above = self.counter(at - 1, component);
                self.set_counter(at, component, above);
            }
        }
        for (component, value) in [count, step, outer].into_iter().enumerate() {
            self.set_counter(0, component, value);
        }
        let always = self.b.b(true);
        self.push(File::LoopPlace, LOOPS, always, [next as i32, dst as i32 + 1]);
        self.b.write(al, first);
    }

    /// Continues or ends the innermost loop, if its body ends at `next` or a `break` leaves it.
    fn lower_loop_end(&mut self, next: Value, leaves: Option<Value>, to: Value) -> Value {
        let through = self.is_top(File::LoopPlace, 1, next);
        let (start, end) = (self.get(File::LoopPlace, 0, 0), self.get(File::LoopPlace, 0, 1));
        let [counter, step, outer] = [0, 1, 2].map(|c| self.counter(0, c));
        let event = match leaves {
            Some(leaves) => self.b.logic(BBin::Or, leaves, through),
            None => through,
        };
        let zero = self.b.i(0);
        let spent = self.b.icmp(ICmp::Eq, counter, zero);
        let stops = match leaves {
            Some(leaves) => self.b.logic(BBin::Or, leaves, spent),
            None => spent,
        };
        let goes_on = self.b.not(stops);
        let again = self.b.logic(BBin::And, event, goes_on);
        let over = self.b.logic(BBin::And, event, stops);

        let al = int(self.b, File::Address, 0, 2);
        let before = self.b.read(al);
        let grown = advanced(self.cx, before, step, self.b);
        let grows = match leaves {
            Some(leaves) if self.cx.options.get(Choice::BreakAddress as usize) != 0 => {
                let stays = self.b.not(leaves);
                self.b.logic(BBin::And, event, stays)
            }
            _ => event,
        };
        let mut address = self.b.sel_i(grows, grown, before);

        let minus = self.b.i(-1);
        let fewer = self.b.ibin(IBin::Add, counter, minus);
        let counted = self.b.sel_i(again, fewer, counter);
        self.set_counter(0, 0, counted);
        for component in 0..3 {
            for at in 0..LOOPS - 1 {
                let (old, above) = (self.counter(at, component), self.counter(at + 1, component));
                let value = self.b.sel_i(over, above, old);
                self.set_counter(at, component, value);
            }
        }
        self.pop(File::LoopPlace, LOOPS, over);
        if self.cx.options.get(Choice::LoopAddress as usize) != 1 {
            let inside = self.has_loop();
            let restores = self.b.logic(BBin::And, over, inside);
            address = self.b.sel_i(restores, outer, address);
        }
        self.b.write(al, address);
        let place = self.b.sel_i(over, end, to);
        self.b.sel_i(again, start, place)
    }

    /// Maps an address to a word of the program. All addresses after the last word become the address directly after it.
    fn clamp_address(&mut self, to: Value, words: u32) -> Value {
        let to = if self.cx.options.peek(Choice::LastWord as usize) == 0 {
            to
        } else {
            let memory = self.b.i(MEMORY as i32 - 1);
            self.b.ibin(IBin::And, to, memory)
        };
        let end = self.b.i(words as i32);
        let inside = self.b.icmp(ICmp::LtU, to, end);
        self.b.sel_i(inside, to, end)
    }
}
