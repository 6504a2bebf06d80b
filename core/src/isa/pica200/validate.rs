//! The validator: checks the words that are reachable from the entry. [`super::rules`] defines each rule and its severity.

mod scopes;
mod unwritten;

use super::Pica200;
use super::interface::{dvle_index, reachable, stage};
use super::opcode::{Format, Opcode};
use super::program::{Container, Instruction, MEMORY, Program, Register, Target, VERTEX_MEMORY};
use super::reads::write;
use super::rules::Rule;
use super::word::{Comparison, DvleKind, Emitted};
use crate::isa::registers::{is_final, is_initial};
use crate::isa::{Entry, Stage, Violation, are_valid_ports};
use scopes::Scopes;

/// Returns all violations: first those of the entry and of the length of the code, then those of instructions in program order, then that of a
/// missing `end`.
pub fn validate(program: &Program, entry: &Entry) -> Vec<Violation> {
    let reach = reachable(program, entry.start);
    let mut check = Check {
        program,
        vertex: entry.stage == Stage::Vertex,
        found: Vec::new(),
        word: None,
        written: [0; 16],
    };
    check.entry(entry);
    let scopes = Scopes::new(program, &reach);
    let unwritten = unwritten::reads(program, entry);
    let mut mova = false;
    for (at, instruction) in program.code.iter().enumerate().take(reach.len()) {
        if reach[at] {
            check.word = Some(at as u32);
            check.instruction(instruction, at as u32);
            check.scopes(&scopes, instruction, at as u32);
            check.report_if(Rule::Unwritten, unwritten[at]);
            let is_mova = instruction.op() == Some(Opcode::Mova);
            check.report_if(Rule::TwoMova, mova && is_mova);
            mova = is_mova;
        } else {
            mova = false;
        }
    }
    check.word = None;
    let ends = program.code.iter().zip(&reach).any(|(i, seen)| *seen && i.op() == Some(Opcode::End));
    check.report_if(Rule::NoEnd, !ends && (entry.start as usize) < program.code.len());
    check.found
}

struct Check<'a> {
    program: &'a Program,
    vertex: bool,
    found: Vec<Violation>,
    word: Option<u32>,
    /// Output components written so far, in program order.
    written: [u8; 16],
}

impl Check<'_> {
    fn report(&mut self, rule: Rule) {
        self.found.push(rule.row().violation(self.word));
    }

    /// Records a violation if the rule is broken.
    fn report_if(&mut self, rule: Rule, broken: bool) {
        if broken {
            self.report(rule);
        }
    }

    fn entry(&mut self, entry: &Entry) {
        let ports = &entry.interface;
        let mut mismatch = entry.version != 0
            || entry.stage == Stage::Fragment
            || Emitted::from_word(entry.extra[1]).has_reserved()
            || !are_valid_ports(&ports.inputs, |p| p.slot < 16 || is_initial::<Pica200>(entry, p))
            || !are_valid_ports(&ports.outputs, |p| p.slot < 16 || is_final::<Pica200>(entry, p));
        match &self.program.container {
            Container::Raw(raw) => mismatch |= raw.stage != entry.stage || dvle_index(entry).is_some(),
            Container::Shbin(shbin) => match dvle_index(entry).and_then(|n| shbin.dvles.get(n)) {
                Some(dvle) => {
                    mismatch |= stage(dvle) != entry.stage;
                    self.report_if(Rule::EntryKind, DvleKind::from_number(dvle.kind).is_none());
                }
                None => mismatch = true,
            },
        }
        self.report_if(Rule::EntryMismatch, mismatch);
        self.report_if(
            Rule::EntryRange,
            entry.start as usize >= self.program.code.len().min(MEMORY as usize),
        );
        self.report_if(Rule::CodeLength, self.program.code.len() > MEMORY as usize);
    }

    /// Returns the size in words of the program memory of the units that run this program.
    fn memory(&self) -> u32 {
        if self.vertex { VERTEX_MEMORY } else { MEMORY }
    }

    fn instruction(&mut self, instruction: &Instruction, at: u32) {
        self.report_if(Rule::VertexMemory, self.vertex && at >= VERTEX_MEMORY);
        let Some(op) = instruction.op() else { return self.report(Rule::Opcode) };
        let geometry = matches!(op, Opcode::Emit | Opcode::Setemit);
        self.report_if(Rule::GeometryOnly, self.vertex && geometry);
        if let Instruction::Emission(i) = instruction {
            self.report_if(Rule::VertexSlot, i.vtx == 3);
        }
        if let Instruction::Compare(i) = instruction {
            self.report_if(
                Rule::Operator,
                [i.cmpx, i.cmpy].into_iter().any(|operator| Comparison::from_number(operator).is_none()),
            );
        }
        if let (Instruction::Uniform(i), Opcode::Loop) = (instruction, op) {
            self.report_if(Rule::LoopInteger, i.id != i.integer());
        }
        self.target(instruction, op);
        if !op.has_descriptor() {
            return;
        }
        if self.program.descriptor(instruction).is_none() {
            return self.report(Rule::Descriptor);
        }
        let mut inputs = instruction.sources().into_iter().flatten().filter_map(|(number, _)| {
            match Register::source(number) {
                Register::Input(n) => Some(n),
                _ => None,
            }
        });
        let first = inputs.next();
        let two = inputs.any(|n| Some(n) != first);
        self.report_if(Rule::TwoInputs, two);
        if let (true, Some((Target::Output(n), mask))) = (self.vertex, write(self.program, instruction)) {
            let before = &mut self.written[usize::from(n)];
            let twice = *before & mask != 0;
            *before |= mask;
            self.report_if(Rule::OutputTwice, twice);
        }
    }

    /// Checks the target of control flow, if the operation uses it.
    fn target(&mut self, instruction: &Instruction, op: Opcode) {
        let Some((dst, num)) = instruction.flow() else { return };
        let (dst, num) = (u32::from(dst), u32::from(num));
        let memory = self.memory();
        let out_of_range = match op {
            Opcode::Breakc => return,
            Opcode::Jmpc | Opcode::Jmpu | Opcode::Loop => dst >= memory,
            Opcode::Ifc | Opcode::Ifu => dst + num > memory,
            // A call of zero words still jumps to its target.
            _ => dst >= memory || dst + num > memory,
        };
        self.report_if(Rule::Target, out_of_range);
    }

    fn scopes(&mut self, scopes: &Scopes, instruction: &Instruction, at: u32) {
        let op = instruction.op();
        let breaks = matches!(op, Some(Opcode::Break | Opcode::Breakc));
        self.report_if(Rule::StrayBreak, breaks && !scopes.in_loop(at));
        self.report_if(Rule::BreakApart, breaks && scopes.in_loop(at) && !scopes.in_text_of_loop(at));
        if let (Some(Opcode::Jmpc | Opcode::Jmpu), Some((dst, _))) = (op, instruction.flow()) {
            self.report_if(Rule::IntoArm, scopes.is_into_arm(at, dst.into()));
        }
        let opens = op.is_some_and(|op| {
            matches!(op.row().format, Format::Conditional | Format::Uniform) && op != Opcode::Breakc
        });
        let lost =
            matches!(op, Some(Opcode::Jmpc | Opcode::Jmpu | Opcode::Call | Opcode::Callc | Opcode::Callu));
        self.report_if(Rule::LastWord, lost && scopes.ends_scope(at) || breaks && scopes.ends_loop(at));
        if opens {
            self.report_if(Rule::SharedEnd, scopes.shares_end(at));
            self.report_if(Rule::OuterEnd, scopes.ends_with_outer(self.program, at));
            self.report_if(Rule::Backwards, scopes.is_backwards(at));
            let [calls, blocks, loops] = scopes.too_deep(at);
            self.report_if(Rule::CallDepth, calls);
            self.report_if(Rule::IfDepth, blocks);
            self.report_if(Rule::LoopDepth, loops);
        }
    }
}
