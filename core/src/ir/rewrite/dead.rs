//! The backward pass: finds the instructions on which outputs, effects and branches depend, and removes all others.

use super::Stats;
use super::forward::Forward;
use super::uses::Kind;
use crate::ir::program::{Block, BlockId, Inst, Program, Terminator, Value};
use crate::work::count_work;

/// The maximum number of passes over all blocks. Beyond this limit or [`MAX_WORDS`], every variable counts as live at the end of every block that has
/// successors.
const MAX_PASSES: usize = 32;
/// The maximum number of 64-bit words in the live sets of all blocks together.
const MAX_WORDS: usize = 1 << 20;

/// Returns, for each instruction, whether an output, effect or branch depends on it. A variable is live at a point if its value there may reach a
/// needed read, or the end of the lane if the variable is an output.
pub(super) fn needed(forward: &Forward) -> Vec<bool> {
    let program = &forward.program;
    let words = program.vars.len().div_ceil(64);
    let blocks = program.blocks.len();
    let mut pass = Pass { forward, needed: vec![false; program.insts.len()], live: vec![0; words] };
    let mut at_return = vec![0u64; words];
    for (_, var) in &program.outputs {
        let (word, bit) = word_and_bit(var.0 as usize);
        at_return[word] |= bit;
    }
    if blocks.saturating_mul(words) <= MAX_WORDS {
        // The live sets at the starts of blocks are computed as the least fixed point, beginning with empty sets. A block is revisited if the live
        // set of one of its successors has changed since the last visit.
        let mut live_in = vec![0u64; blocks * words];
        let (mut visit, mut changed, mut now) = (vec![0u32; blocks], vec![0u32; blocks], 0);
        let order = post_order(program);
        for _ in 0..MAX_PASSES {
            let before = now;
            for &b in &order {
                let terminator = &program.blocks[b].terminator;
                if visit[b] > 0 && terminator.targets().all(|to| changed[to.0 as usize] < visit[b]) {
                    continue;
                }
                now += 1;
                visit[b] = now;
                pass.live.fill(0);
                if *terminator == Terminator::Return {
                    pass.live.copy_from_slice(&at_return);
                }
                for BlockId(to) in terminator.targets() {
                    let from = &live_in[to as usize * words..][..words];
                    pass.live.iter_mut().zip(from).for_each(|(l, f)| *l |= f);
                }
                pass.block(b);
                let start = &mut live_in[b * words..][..words];
                if pass.live != start {
                    now += 1;
                    changed[b] = now;
                    start.copy_from_slice(&pass.live);
                }
            }
            if now == before {
                return pass.needed;
            }
        }
    }
    for b in (0..blocks).rev() {
        match program.blocks[b].terminator {
            Terminator::Return => pass.live.copy_from_slice(&at_return),
            Terminator::Hang => pass.live.fill(0),
            _ => pass.live.fill(u64::MAX),
        }
        pass.block(b);
    }
    pass.needed
}

/// Returns every block once, in an order in which each block follows its successors, except along the back edges of loops.
fn post_order(program: &Program) -> Vec<usize> {
    let blocks = program.blocks.len();
    let mut order = Vec::with_capacity(blocks);
    let mut visited = vec![false; blocks];
    let mut open = Vec::new();
    for first in std::iter::once(program.entry as usize).chain(0..blocks) {
        if std::mem::replace(&mut visited[first], true) {
            continue;
        }
        open.push((first, program.blocks[first].terminator.targets()));
        while let Some((b, targets)) = open.last_mut() {
            match targets.find(|to| !visited[to.0 as usize]) {
                Some(BlockId(to)) => {
                    visited[to as usize] = true;
                    open.push((to as usize, program.blocks[to as usize].terminator.targets()));
                }
                None => {
                    order.push(*b);
                    open.pop();
                }
            }
        }
    }
    order
}

/// The word and the bit of a variable in a live set.
fn word_and_bit(var: usize) -> (usize, u64) {
    (var / 64, 1 << (var % 64))
}

struct Pass<'a> {
    forward: &'a Forward,
    needed: Vec<bool>,
    /// The live variables, one bit each.
    live: Vec<u64>,
}

impl Pass<'_> {
    /// Marks the needed instructions of a block. Before the call, `live` contains the live variables at the end of the block; after it, those at its
    /// start.
    fn block(&mut self, b: usize) {
        let Forward { program, definition, uses } = self.forward;
        let Block { insts, terminator, .. } = &program.blocks[b];
        let range = insts.start as usize..insts.end as usize;
        count_work(range.len() + self.live.len());
        self.needed[range.clone()].fill(false);
        if let Some(Value(value)) = terminator.operand() {
            self.needed[definition[value as usize] as usize] = true;
        }
        for at in range.rev() {
            let kind = uses.kind(at);
            match kind {
                Kind::Write => {
                    let (word, bit) = word_and_bit(uses.var(at));
                    self.needed[at] = self.live[word] & bit != 0;
                    self.live[word] &= !bit;
                }
                Kind::Effect => self.needed[at] = true,
                Kind::Read | Kind::Value => {}
            }
            if !self.needed[at] {
                continue;
            }
            if kind == Kind::Read {
                let (word, bit) = word_and_bit(uses.var(at));
                self.live[word] |= bit;
            }
            for &definition in uses.definitions(at, kind) {
                self.needed[definition as usize] = true;
            }
        }
    }
}

/// Returns the program without the instructions that are not needed. Values are renumbered.
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
