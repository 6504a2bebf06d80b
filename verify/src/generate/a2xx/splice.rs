//! Splicing: joins the beginning of one shader and the end of another.

use super::link::{self, Run};
use crate::generate::Entropy;
use lockstep_core::isa::a2xx::interface::stage_of;
use lockstep_core::isa::a2xx::opcode::CfOp;
use lockstep_core::isa::a2xx::program::{Clause, Exec, Kind, Program};

/// Returns a program with one shader, made of clauses of the first shader of each program; `None` if the stages of these differ, or `a` has the
/// form of a driver program or a trace. A LOOP_START or LOOP_END without its counterpart is replaced by a NOP.
pub(super) fn splice(e: &mut Entropy<'_>, a: &Program, b: &Program) -> Option<Program> {
    let (first, second) = (a.shaders.first()?, b.shaders.first()?);
    let stage = stage_of(first);
    if stage != stage_of(second) || a.kind == Kind::Driver || a.kind == Kind::Trace {
        return None;
    }
    let (mut left, right) = (link::runs(first), link::runs(second));
    let (cut, from) = (e.between(1, left.len()), e.below(right.len()));
    left.truncate(cut);
    for (clause, _) in &mut left {
        // A clause that ended the first shader no longer ends it.
        if let Clause::Exec(exec) = clause
            && exec.op() == CfOp::ExecEnd
        {
            *exec = Exec { opcode: CfOp::Exec as u8, ..*exec };
        }
    }
    let moved = |to: u16| to.saturating_sub(from as u16).saturating_add(cut as u16);
    let mut runs: Vec<Run> = left;
    runs.extend(right.into_iter().skip(from).map(|(mut clause, slots)| {
        match &mut clause {
            Clause::Branch(branch) if branch.opcode != CfOp::Return as u8 => branch.addr = moved(branch.addr),
            Clause::LoopStart(start) => start.addr = moved(start.addr),
            Clause::LoopEnd(end) => end.addr = moved(end.addr),
            _ => {}
        }
        (clause, slots)
    }));
    let last = runs.len() as u16 - 1;
    let mut open: Vec<usize> = Vec::new();
    let mut matched = vec![false; runs.len()];
    for (k, (clause, _)) in runs.iter().enumerate() {
        match clause {
            Clause::LoopStart(_) => open.push(k),
            Clause::LoopEnd(_) => {
                if let Some(start) = open.pop() {
                    (matched[start], matched[k]) = (true, true);
                }
            }
            _ => {}
        }
    }
    let nothing = Clause::from_word(0);
    for (k, (clause, _)) in runs.iter_mut().enumerate() {
        match clause {
            Clause::Branch(branch) => branch.addr = branch.addr.min(last),
            Clause::LoopStart(_) | Clause::LoopEnd(_) if !matched[k] => *clause = nothing,
            Clause::LoopStart(start) => start.addr = start.addr.min(last),
            Clause::LoopEnd(end) => end.addr = end.addr.min(last),
            _ => {}
        }
    }
    if !runs.iter().any(|(clause, _)| clause.op() == CfOp::ExecEnd) {
        let end = Exec { opcode: CfOp::ExecEnd as u8, ..Exec::default() };
        runs.push((Clause::Exec(end), Vec::new()));
    }
    let shader = link::lay_out(&runs);
    Some(match a.kind {
        Kind::Xenos => link::xenos(stage, shader),
        Kind::Packets => link::packets(vec![(stage, shader)]),
        _ => link::bare(shader),
    })
}
