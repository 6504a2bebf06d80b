//! The outline: facts computed once per program, namely where blocks end, which loops are active, and which subroutine a call enters.

use super::Cx;
use crate::ir::blocks::{self, Mark};
use crate::isa::d3d9::opcode::{Kind, Opcode};
use crate::isa::d3d9::program::{File, Instruction};
use std::collections::HashMap;

/// An index that no instruction has.
const NONE: u32 = u32::MAX;

/// The loops and the subroutine that contain an instruction.
#[derive(Clone, Copy)]
struct Nesting {
    /// The first instruction of the innermost active loop in the same subroutine, or [`NONE`].
    innermost: u32,
    /// The first instruction of the outermost active `loop` in the same subroutine, or [`NONE`]. `rep` loops do not count.
    outermost_counted: u32,
    /// The number of loops that begin before the instruction in program order.
    number: u16,
    /// The label of the subroutine that contains the instruction; `None` in the main program.
    subroutine: Option<u16>,
}

/// The outline of a program: its block structure, calls and samplers.
pub struct Outline {
    /// For each instruction that can skip a branch of a condition, the instruction after that branch. This vector and the next three fields are empty
    /// if the program has no flow instruction.
    branch_ends: Vec<u32>,
    /// For each instruction that can skip the body of a loop, the instruction after the loop.
    loop_ends: Vec<u32>,
    nestings: Vec<Nesting>,
    /// For each call instruction, the index of its label, which comes later in the program.
    calls: HashMap<u32, u32>,
    /// The texture type that each sampler is declared with.
    samplers: HashMap<u16, u8>,
}

fn is_loop(op: Option<Opcode>) -> bool {
    matches!(op, Some(Opcode::Loop | Opcode::Rep))
}

fn condition_mark(i: &Instruction) -> Mark {
    match i.op() {
        Some(Opcode::If | Opcode::Ifc) => Mark::Opens,
        Some(Opcode::Else) => Mark::Divides,
        Some(Opcode::Endif) => Mark::Closes,
        _ => Mark::No,
    }
}

fn loop_mark(i: &Instruction) -> Mark {
    match i.op() {
        op if is_loop(op) => Mark::Opens,
        Some(Opcode::Break | Opcode::Breakc | Opcode::Breakp) => Mark::Leaves,
        Some(Opcode::Endloop | Opcode::Endrep) => Mark::Closes,
        _ => Mark::No,
    }
}

fn label(i: &Instruction) -> Option<u16> {
    i.sources.first().map(|s| s.number)
}

impl Outline {
    /// Computes the outline of a program.
    pub fn of(cx: &Cx<'_>) -> Outline {
        let all = &cx.program.instructions;
        let mut samplers = HashMap::new();
        let mut has_flow = false;
        for i in all {
            let Some(op) = i.op() else { continue };
            has_flow |= op.row().kind == Kind::Flow;
            if let (Opcode::Dcl, Some(usage), Some(dest)) = (op, &i.usage, &i.dest)
                && dest.file == File::Sampler as u8
            {
                samplers.insert(dest.number, usage.texture);
            }
        }
        if !has_flow {
            return Outline {
                branch_ends: Vec::new(),
                loop_ends: Vec::new(),
                nestings: Vec::new(),
                calls: HashMap::new(),
                samplers,
            };
        }
        Outline {
            branch_ends: blocks::skip_targets(all.iter().map(condition_mark)),
            loop_ends: blocks::skip_targets(all.iter().map(loop_mark)),
            nestings: nestings(all),
            calls: calls(all),
            samplers,
        }
    }

    /// Returns the instruction after the branch that the instruction at `pc` can skip.
    pub(super) fn branch_end(&self, pc: u32) -> u32 {
        self.branch_ends.get(pc as usize).copied().unwrap_or(pc + 1)
    }

    /// Returns the instruction after the loop that the instruction at `pc` begins or leaves.
    pub(super) fn loop_end(&self, pc: u32) -> u32 {
        self.loop_ends.get(pc as usize).copied().unwrap_or(pc + 1)
    }

    /// Returns the first instruction of the innermost loop that contains the instruction at `pc`, or ends with it; `None` outside loops.
    pub(super) fn loop_start(&self, pc: u32) -> Option<u32> {
        self.nestings.get(pc as usize).map(|nesting| nesting.innermost).filter(|at| *at != NONE)
    }

    /// Returns the outermost `loop` (with `aL`) that contains the instruction, within the same subroutine.
    pub(super) fn outermost_counted(&self, pc: u32) -> Option<u32> {
        self.nestings.get(pc as usize).map(|nesting| nesting.outermost_counted).filter(|at| *at != NONE)
    }

    /// Returns the number that identifies the variables of the loop beginning here; see [`crate::isa::d3d9::variables::loop_number`].
    pub(super) fn loop_number(&self, start: u32) -> u16 {
        self.nestings.get(start as usize).map_or(0, |nesting| nesting.number)
    }

    /// Returns the label of the subroutine that contains the instruction. If several labels follow each other, only the last one counts.
    pub(super) fn subroutine(&self, pc: u32) -> Option<u16> {
        self.nestings.get(pc as usize)?.subroutine
    }

    /// Returns the index of the label instruction that the call at `pc` jumps to.
    pub(super) fn call_target(&self, pc: u32) -> Option<u32> {
        self.calls.get(&pc).copied()
    }

    /// Returns the texture type that a sampler is declared with; 0 for an undeclared sampler.
    pub(super) fn sampler(&self, number: u16) -> u8 {
        self.samplers.get(&number).copied().unwrap_or(0)
    }
}

fn nestings(all: &[Instruction]) -> Vec<Nesting> {
    // For each active loop, its first instruction, and that of the outermost enclosing `loop` (which may be the loop itself).
    let mut open: Vec<(u32, u32)> = Vec::new();
    let (mut number, mut subroutine) = (0u16, None);
    let mut nestings = Vec::with_capacity(all.len());
    for (at, i) in (0u32..).zip(all) {
        let op = i.op();
        if op == Some(Opcode::Label) {
            subroutine = label(i);
        }
        let (innermost, counted) = open.last().copied().unwrap_or((NONE, NONE));
        nestings.push(Nesting { innermost, outermost_counted: counted, number, subroutine });
        match op {
            Some(Opcode::Label) => open.clear(),
            Some(Opcode::Endloop | Opcode::Endrep) => _ = open.pop(),
            op if is_loop(op) => {
                number = number.saturating_add(1);
                let own = if counted == NONE && op == Some(Opcode::Loop) { at } else { counted };
                open.push((at, own));
            }
            _ => {}
        }
    }
    nestings
}

fn calls(all: &[Instruction]) -> HashMap<u32, u32> {
    let mut labels: HashMap<u16, u32> = HashMap::new();
    let mut calls = HashMap::new();
    for (at, i) in all.iter().enumerate().rev() {
        let (at, Some(name)) = (at as u32, label(i)) else { continue };
        match i.op() {
            Some(Opcode::Call | Opcode::Callnz) => calls.extend(labels.get(&name).map(|to| (at, *to))),
            Some(Opcode::Label) => _ = labels.insert(name, at),
            _ => {}
        }
    }
    calls
}
