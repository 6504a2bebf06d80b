//! Extracts one shader from its file and merges clauses that run adjacent slots.

use super::super::decode;
use super::super::encode::{encode, to_dwords};
use super::super::interface::shader_of;
use super::super::opcode::CfOp;
use super::super::program::{Clause, Exec, Kind, Mode, Order, Program, Shader};
use super::super::word::MAX_RUN;
use super::{each_target, pad_and_relocate};
use crate::binary::exact;
use crate::isa::Entry;

/// Returns the entry's shader as bare words, without its tail and with clauses merged where possible. `None` if this changes nothing, or if the bare
/// words would decode to a different program.
pub fn strip(program: &Program, entry: &Entry) -> Option<Program> {
    let mut shader = Shader { stage: None, tail: Vec::new(), ..shader_of(program, entry)?.clone() };
    merge(&mut shader)?;
    let shader = decode::from_dwords(&to_dwords(&shader));
    let gaps = vec![Vec::new(); 2];
    let stripped = Program { kind: Kind::Bare, order: Order::Little, shaders: vec![shader], gaps };
    let read = decode::decode(&encode(&stripped)).ok()?;
    (read == stripped && stripped != *program).then_some(stripped)
}

/// Merges consecutive unconditional clauses that run adjacent slots, up to the maximum number of slots of a clause. The target of a branch or loop
/// always begins a new clause.
fn merge(shader: &mut Shader) -> Option<()> {
    let mut is_target = vec![false; shader.clauses.len()];
    each_target(shader, |target| {
        if let Some(mark) = is_target.get_mut(usize::from(*target)) {
            *mark = true;
        }
    });
    let mut clauses: Vec<Clause> = Vec::with_capacity(shader.clauses.len());
    // For each clause, the number of removed clauses before it.
    let mut gone = Vec::with_capacity(shader.clauses.len());
    for (clause, is_target) in shader.clauses.iter().zip(is_target) {
        gone.push(gone.len() - clauses.len());
        match clauses.last_mut().filter(|_| !is_target).and_then(|last| Some((joined(last, clause)?, last))) {
            Some((both, last)) => *last = both,
            None => clauses.push(*clause),
        }
    }
    let area = shader.clauses.len() / 2;
    let all = shader.clauses.len() - clauses.len();
    shader.clauses = clauses;
    // At most as many clauses were removed before a target as there are before it, so the difference is not negative.
    each_target(shader, |target| {
        let at = usize::from(*target);
        *target = exact(at - gone.get(at).copied().unwrap_or(all));
    });
    // Removes NOP clauses from the end, at most as many as were merged.
    for _ in 0..all {
        if shader.clauses.last().is_some_and(|last| last.to_word() == 0) {
            shader.clauses.pop();
        }
    }
    pad_and_relocate(shader, area)
}

/// Merges two consecutive EXEC clauses if both are unconditional, only the second may end the program, and they run at most six adjacent slots.
fn joined(a: &Clause, b: &Clause) -> Option<Clause> {
    let (Clause::Exec(a), Clause::Exec(b)) = (a, b) else { return None };
    let goes_on = a.opcode == CfOp::Exec as u8;
    let plain = goes_on && [CfOp::Exec as u8, CfOp::ExecEnd as u8].contains(&b.opcode);
    let adjoin = b.addr == a.addr + u16::from(a.cnt) && a.cnt + b.cnt <= MAX_RUN;
    (plain && adjoin).then(|| {
        let mut both = Exec { addr: a.addr, cnt: a.cnt + b.cnt, ..*b };
        // Modes of slots that the clauses do not run are dropped.
        let mut modes = [Mode::default(); MAX_RUN as usize];
        let b_modes = b.run_modes();
        for (mode, run_mode) in modes.iter_mut().zip(a.run_modes().into_iter().chain(b_modes)) {
            *mode = run_mode;
        }
        both.set_modes(modes);
        Clause::Exec(both)
    })
}
