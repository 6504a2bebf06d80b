//! The forms of clauses and slots, as small programs for the proofs of the lowering rules: every opcode in every class of every modifier.
//!
//! What computes is gone through by variant: each takes the next mask, destination, register files, swizzles, signs and predicate, and together
//! they have every one of them. The other half of a slot, where it is not in question, is one that reads no option.

mod alu;
mod clauses;
mod fetch;

use super::opcode::CfOp;
use super::program::{Alloc, Clause, Exec, LoopEnd, LoopStart, Program, Shader, Slot};
use crate::isa::{RuleProgram, Stage};

/// The programs.
pub(super) fn forms() -> Vec<RuleProgram<Program>> {
    let mut list = List::default();
    alu::vector(&mut list);
    alu::scalar(&mut list);
    alu::together(&mut list);
    fetch::vertex(&mut list);
    fetch::texture(&mut list);
    clauses::clauses(&mut list);
    list.0
}

#[derive(Default)]
struct List(Vec<RuleProgram<Program>>);

/// Stages in turn.
fn stage(k: usize) -> Stage {
    if k.is_multiple_of(2) { Stage::Vertex } else { Stage::Fragment }
}

/// ALLOC.
fn alloc(buffer: u8) -> Clause {
    Clause::Alloc(Alloc { buffer, opcode: CfOp::Alloc as u8, ..Alloc::default() })
}

/// A clause that runs slots, `fetches` with a bit for each of them that is a fetch.
fn exec(op: CfOp, addr: usize, cnt: usize, fetches: u8) -> Clause {
    let seq = (0..cnt).filter(|k| fetches >> k & 1 == 1).fold(0, |seq, k| seq | 1 << (2 * k));
    Clause::Exec(Exec { addr: addr as u16, cnt: cnt as u8, seq, opcode: op as u8, ..Exec::default() })
}

fn is_fetch(slot: &Slot) -> bool {
    matches!(slot, Slot::Vertex(_) | Slot::Texture(_))
}

/// Which of some slots are fetches, a bit for each.
fn fetches(slots: &[Slot]) -> u8 {
    slots.iter().enumerate().filter(|(_, slot)| is_fetch(slot)).fold(0, |bits, (k, _)| bits | 1 << k)
}

impl List {
    /// Adds a program of these clauses and slots.
    fn push(&mut self, name: &str, mutate: bool, stage: Stage, mut clauses: Vec<Clause>, slots: Vec<Slot>) {
        if !clauses.len().is_multiple_of(2) {
            clauses.push(Clause::from_word(0));
        }
        let shader = Shader { clauses, slots, tail: Vec::new(), stage: Some(stage) };
        let program = Program { shaders: vec![shader], gaps: vec![Vec::new(); 2], ..Program::default() };
        let name = format!("{name} {}", stage.name());
        self.0.push(RuleProgram { name, program, mutate });
    }

    /// Adds a program that runs some slots, in a loop if that is to give aL a value.
    fn slots(&mut self, name: &str, mutate: bool, stage: Stage, in_loop: bool, slots: Vec<Slot>) {
        let fetches = fetches(&slots);
        let clauses = if in_loop {
            vec![
                Clause::LoopStart(LoopStart {
                    addr: 3,
                    loop_id: 1,
                    opcode: CfOp::LoopStart as u8,
                    ..LoopStart::default()
                }),
                exec(CfOp::Exec, 2, slots.len(), fetches),
                Clause::LoopEnd(LoopEnd {
                    addr: 1,
                    loop_id: 1,
                    opcode: CfOp::LoopEnd as u8,
                    ..LoopEnd::default()
                }),
                exec(CfOp::ExecEnd, 2, 0, 0),
            ]
        } else {
            vec![alloc(2), exec(CfOp::ExecEnd, 1, slots.len(), fetches)]
        };
        self.push(name, mutate, stage, clauses, slots);
    }
}

#[cfg(test)]
mod tests {
    use crate::isa::Isa;
    use crate::isa::a2xx::A2xx;
    use std::collections::BTreeSet;

    #[test]
    fn every_class_has_a_form() {
        let mut missing: BTreeSet<_> = A2xx::all_classes().into_iter().collect();
        for form in super::forms() {
            for word in 0..form.program.words() {
                for class in A2xx::classes(&form.program, word) {
                    missing.remove(&class);
                }
            }
        }
        let missing: Vec<_> = missing.iter().map(|c| format!("{} {}", c.opcode, c.modifier)).collect();
        assert!(missing.is_empty(), "{} classes without a form: {missing:#?}", missing.len());
    }

    #[test]
    fn names_are_told_apart() {
        let names: BTreeSet<_> = super::forms().into_iter().map(|form| form.name).collect();
        assert_eq!(names.len(), super::forms().len());
    }
}
