//! What must have been done for a step simulation to count, worked out from the program and the tables apart from what does it.
//!
//! Every node that lanes come to has a place in the lowered program; every block that lanes come to was run, as a step of its own if it has
//! instructions, and with parted quads where lanes look at each other; a block without instructions does nothing but take fuel.

use lockstep_core::ir::{self, BlockId, Nodes, Op, Terminator};
use lockstep_core::isa::{Context, Isa};
use std::collections::{BTreeMap, BTreeSet};

/// Blocks that were run, noted where each was run.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// Whether the beginning was looked at.
    pub(super) begun: bool,
    /// As a step: the lanes in the group, a bit for each that ran, and how many instructions the reference ran beside it.
    pub(super) steps: BTreeSet<(BlockId, usize, u8, usize)>,
    /// On the way from one step to the next.
    pub(super) between: BTreeSet<BlockId>,
    /// Whether claims have to be seen to fail: under default options, and not of mutants, which are refuted or not.
    pub(super) can_fail: bool,
    /// Steps after which each claim was seen to fail of a lane made wrong.
    pub(super) refuting: BTreeSet<BlockId>,
    /// Whether the same was seen of the claims about the beginning.
    pub(super) refuting_begun: bool,
}

/// What was not done that had to be. `quads` if lanes of a quad are to be run together in every block, and not only where the lowering has them look
/// at each other.
pub(super) fn missed<I: Isa>(
    cx: &Context<'_, I>,
    program: &ir::Program,
    nodes: &Nodes<I::Config>,
    done: &Done,
    quads: bool,
) -> Option<String> {
    if !done.begun {
        return Some("the beginning".to_owned());
    }
    if done.can_fail && !done.refuting_begun {
        return Some("that claims about the beginning can fail".to_owned());
    }
    let placed: BTreeSet<&I::Config> = nodes.iter().map(|(_, config)| config).collect();
    if let Some(config) = reached(cx).iter().find(|config| !placed.contains(config)) {
        return Some(format!("{config:?}, which has no block"));
    }
    let mut within: BTreeMap<BlockId, usize> = BTreeMap::new();
    for (block, _) in nodes {
        *within.entry(*block).or_default() += 1;
    }
    blocks(program).into_iter().find_map(|block| match within.get(&block) {
        Some(count) => {
            let across = quads || program.block(block).iter().any(|inst| inst.op.is_quad());
            let gone = program.blocks[block.0 as usize].terminator == Terminator::Hang;
            step(done, block, *count, across && program.group == 4, gone)
        }
        None if block.0 == program.entry => None,
        None if !done.between.contains(&block) => Some(format!("block {}", block.0)),
        None => {
            let more = program.block(block).iter().any(|inst| !matches!(inst.op, Op::Fuel(_)));
            more.then(|| format!("block {}, which has no instruction and does more than take fuel", block.0))
        }
    })
}

/// What is missing of a block with `count` instructions; of one that hangs lanes which are `gone` already nothing is claimed.
fn step(done: &Done, block: BlockId, count: usize, quad: bool, gone: bool) -> Option<String> {
    let as_step = |lanes: usize, some: &dyn Fn(u32) -> bool| {
        done.steps.iter().any(|(at, group, active, ran)| {
            *at == block && *ran == count && *group >= lanes && some(active.count_ones())
        })
    };
    let number = block.0;
    if !as_step(1, &|active| active > 0) {
        return Some(format!("block {number} with {count} instructions"));
    }
    if quad && !as_step(4, &|active| active == 4) {
        return Some(format!("block {number} with a whole quad"));
    }
    if quad && !as_step(4, &|active| active > 0 && active < 4) {
        return Some(format!("block {number} with lanes of a quad that have ended"));
    }
    if done.can_fail && !gone && !done.refuting.contains(&block) {
        return Some(format!("block {number}: that the claims about it can fail"));
    }
    None
}

/// Every node that lanes come to from the entry.
fn reached<I: Isa>(cx: &Context<'_, I>) -> BTreeSet<I::Config> {
    let outline = I::outline(cx);
    let mut seen = BTreeSet::new();
    let mut work: Vec<I::Config> = I::entry_config(cx).into_iter().collect();
    while let Some(config) = work.pop() {
        if !seen.contains(&config) {
            work.extend(I::exits(cx, &outline, &config));
            seen.insert(config);
        }
    }
    seen
}

/// Every block that lanes come to from the entry.
fn blocks(program: &ir::Program) -> BTreeSet<BlockId> {
    let mut seen = BTreeSet::new();
    let mut work = vec![BlockId(program.entry)];
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            work.extend(program.blocks[block.0 as usize].terminator.targets());
        }
    }
    seen
}
