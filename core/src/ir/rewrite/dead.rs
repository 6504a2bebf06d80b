//! The program without what nothing depends on.

use super::Stats;
use super::forward::Forward;
use crate::ir::program::{Block, Inst, Program, Terminator, Value};

/// The program without the instructions that are not needed, renumbered.
pub(super) fn compact(forward: &Forward, needed: &[bool], stats: &mut Stats) -> Program {
    let old = &forward.program;
    let mut out = Program {
        vars: old.vars.clone(),
        arrays: old.arrays.clone(),
        samplers: old.samplers.clone(),
        outputs: old.outputs.clone(),
        insts: Vec::with_capacity(old.insts.len()),
        pool: Vec::with_capacity(old.pool.len()),
        blocks: Vec::with_capacity(old.blocks.len()),
        ..*old
    };
    out.values = 0;
    let mut renamed = vec![Value(0); old.values as usize];
    for block in &old.blocks {
        let start = out.insts.len() as u32;
        for at in block.insts.clone() {
            let inst = &old.insts[at as usize];
            if !needed[at as usize] {
                stats.dropped += 1;
                continue;
            }
            let args = out.pool.len() as u32;
            out.pool.extend(old.args(inst).iter().map(|a| renamed[a.0 as usize]));
            let (_, count) = old.results(inst);
            for k in 0..u32::from(count) {
                renamed[(inst.result.0 + k) as usize] = Value(out.values + k);
            }
            out.insts.push(Inst { args, result: Value(out.values), ..*inst });
            out.values += u32::from(count);
        }
        let renamed = |v: &Value| renamed[v.0 as usize];
        let terminator = match &block.terminator {
            Terminator::Branch(v, yes, no) => Terminator::Branch(renamed(v), *yes, *no),
            Terminator::Switch(v, targets) => Terminator::Switch(renamed(v), targets.clone()),
            other => other.clone(),
        };
        out.blocks.push(Block { insts: start..out.insts.len() as u32, terminator, origin: block.origin });
    }
    out
}
