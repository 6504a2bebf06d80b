//! Checks that a step simulation covered everything required. The requirements are determined from the program and the tables, independently of the
//! simulation's code.
//!
//! Every reachable node must have a block in the lowered program. Every reachable block must have been run: as a step of its own if it has
//! instructions, and with partly ended quads if it has operations across lanes. A block without instructions must only consume fuel,
//! except the entry, which contains the prologue. If the instructions of a block determine the condition of its branch, only the successor for that
//! truth value counts as reachable.

use lockstep_core::ir::{self, BlockId, Op, Terminator, Value, Var};
use lockstep_core::isa::lowering::Nodes;
use lockstep_core::isa::{Context, Lowering};
use lockstep_core::text;
use lockstep_core::value::{BBin, FCmp};
use std::collections::{BTreeMap, BTreeSet};

/// Records of a proof: which blocks of the lowered program it ran, and which checks it made on them.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    /// Whether the initial state was checked.
    pub(super) initial_checked: bool,
    /// Blocks run as a step: the number of lanes, a bit mask of the lanes that ran, and the number of instructions that the reference ran.
    pub(super) steps: BTreeSet<(BlockId, usize, u8, usize)>,
    /// Blocks run between two steps.
    pub(super) between: BTreeSet<BlockId>,
    /// Whether each claim must be shown to fail on a corrupted lane. This is required only under default options, and not for mutants.
    pub(super) can_fail: bool,
    /// Blocks for which each claim was shown to fail on a corrupted lane.
    pub(super) shown_to_fail: BTreeSet<BlockId>,
    /// Whether the claims about the initial state were shown to fail on a corrupted lane.
    pub(super) initial_shown_to_fail: bool,
}

/// Returns a sentence about a required run or check that was not done. With `quads`, every block of a
/// program that runs in quads must have been run with whole and with partly ended quads, not only blocks with operations across lanes.
pub(super) fn find_missing<I: Lowering>(
    cx: &Context<'_, I>,
    program: &ir::Program,
    nodes: &Nodes<I::ControlState>,
    done: &Coverage,
    quads: bool,
) -> Option<String> {
    if !done.initial_checked {
        return Some("the initial state was not checked".to_owned());
    }
    if done.can_fail && !done.initial_shown_to_fail {
        return Some("it was not shown that the claims about the initial state can fail".to_owned());
    }
    let placed: BTreeSet<&I::ControlState> = nodes.iter().map(|(_, control)| control).collect();
    if let Some(control) = reachable_nodes(cx).iter().find(|control| !placed.contains(control)) {
        return Some(format!("{control:?} has no block"));
    }
    let mut within: BTreeMap<BlockId, usize> = BTreeMap::new();
    for (block, _) in nodes {
        *within.entry(*block).or_default() += 1;
    }
    reachable_blocks(program).into_iter().find_map(|block| match within.get(&block) {
        Some(count) => {
            let across = quads || program.block(block).iter().any(|inst| inst.op.is_quad());
            let hangs = program.blocks[block.0 as usize].terminator == Terminator::Hang;
            find_missing_run(done, block, *count, across && program.group == 4, hangs)
        }
        None if block.0 == program.entry => None,
        None if !done.between.contains(&block) => {
            Some(format!("block {} only consumes fuel, but no path of a step reached it", block.0))
        }
        None => {
            let more = program.block(block).iter().any(|inst| !matches!(inst.op, Op::Fuel(_)));
            more.then(|| format!("block {} has no instruction but does more than consume fuel", block.0))
        }
    })
}

/// Returns a sentence about what is missing for a block with `count` instructions. If the block `hangs` its lanes, the reference has already hung, so
/// there are no claims about the block.
fn find_missing_run(
    done: &Coverage,
    block: BlockId,
    count: usize,
    quad: bool,
    hangs: bool,
) -> Option<String> {
    let as_step = |lanes: usize, some: &dyn Fn(u32) -> bool| {
        done.steps.iter().any(|(at, group, active, ran)| {
            *at == block && *ran == count && *group >= lanes && some(active.count_ones())
        })
    };
    let number = block.0;
    if !as_step(1, &|active| active > 0) {
        return Some(format!("block {number} was not run with its {}", text::count(count, "instruction")));
    }
    if quad && !as_step(4, &|active| active == 4) {
        return Some(format!("block {number} was not run with a whole quad"));
    }
    if quad && !as_step(4, &|active| active > 0 && active < 4) {
        return Some(format!("block {number} was not run with lanes of a quad that have ended"));
    }
    if done.can_fail && !hangs && !done.shown_to_fail.contains(&block) {
        return Some(format!("block {number}: it was not shown that the claims about it can fail"));
    }
    None
}

/// Returns every node reachable from the entry.
fn reachable_nodes<I: Lowering>(cx: &Context<'_, I>) -> BTreeSet<I::ControlState> {
    let outline = I::outline(cx);
    let mut seen = BTreeSet::new();
    let mut work: Vec<I::ControlState> = I::entry_control(cx).into_iter().collect();
    while let Some(control) = work.pop() {
        if !seen.contains(&control) {
            work.extend(I::successors(cx, &outline, &control));
            seen.insert(control);
        }
    }
    seen
}

/// Returns every block reachable from the entry. A branch whose condition is decided in its own block leads only to the successor for that value.
fn reachable_blocks(program: &ir::Program) -> BTreeSet<BlockId> {
    let mut seen = BTreeSet::new();
    let mut work = vec![BlockId(program.entry)];
    while let Some(block) = work.pop() {
        if !seen.insert(block) {
            continue;
        }
        match (&program.blocks[block.0 as usize].terminator, known_branch(program, block)) {
            (Terminator::Branch(_, taken, _), Some(true)) => work.push(*taken),
            (Terminator::Branch(_, _, other), Some(false)) => work.push(*other),
            (terminator, _) => work.extend(terminator.targets()),
        }
    }
    seen
}

/// Returns the value of a block's branch condition if the block's own instructions determine it, whatever the registers contain. For example, a
/// comparison without known meaning writes a constant, so a conditional call after it in the same block may be impossible. Computed from the IR only.
fn known_branch(program: &ir::Program, block: BlockId) -> Option<bool> {
    let Terminator::Branch(condition, ..) = program.blocks[block.0 as usize].terminator else { return None };
    let mut known: BTreeMap<Value, bool> = BTreeMap::new();
    let mut written: BTreeMap<Var, Option<bool>> = BTreeMap::new();
    let input = |value: Value| {
        program.block(block).iter().find_map(|inst| match inst.op {
            Op::Input(number) if inst.result == value => Some(number),
            _ => None,
        })
    };
    // An input is the same number wherever it is read.
    let is_same = |a: Value, b: Value| a == b || input(a).is_some_and(|number| input(b) == Some(number));
    for inst in program.block(block) {
        let operand = |n: usize| program.args(inst).get(n).and_then(|value| known.get(value)).copied();
        let value = match inst.op {
            Op::Bool(value) => Some(value),
            // No number is less than itself, and NaN is less than nothing.
            Op::Cmp(FCmp::Lt) if is_same(program.args(inst)[0], program.args(inst)[1]) => Some(false),
            Op::Read(var) => written.get(&var).copied().flatten(),
            Op::Write(var) => {
                written.insert(var, operand(0));
                None
            }
            Op::Not => operand(0).map(|value| !value),
            Op::Logic(BBin::And) => match (operand(0), operand(1)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (a, b) => a.and(b),
            },
            Op::Logic(BBin::Or) => match (operand(0), operand(1)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (a, b) => a.and(b),
            },
            _ => None,
        };
        if let Some(value) = value {
            known.insert(inst.result, value);
        }
    }
    known.get(&condition).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::lowering::lower_with_nodes;
    use lockstep_core::isa::pica200::Pica200;
    use lockstep_core::isa::{Format, Options, Syntax, Tables};

    /// Returns the number of all blocks, of reachable blocks, and of decided branches, the latter by value.
    fn counts(operator: &str, condition: &str) -> (usize, usize, [usize; 2]) {
        counts_with(operator, "v1", condition)
    }

    /// Like [`counts`], with the second operand of the comparison.
    fn counts_with(operator: &str, second: &str, condition: &str) -> (usize, usize, [usize; 2]) {
        let text = format!(
            ".raw vertex, outputs=0x1, entry=0x0\nL0:\n    mov r0, v0\n    cmp v0, {operator}, <, {second}\n    callc {condition}, L0, 1\n    mov o0, r0\n    end\n"
        );
        let program = Pica200::assemble(&text).unwrap();
        let (entry, options) = (Pica200::entries(&program).remove(0), Options::new(Pica200::option_specs()));
        let cx: Context<'_, Pica200> = Context { program: &program, entry: &entry, options: &options };
        let (program, _) = lower_with_nodes(&cx).unwrap();
        let values =
            (0..program.blocks.len() as u32).filter_map(|block| known_branch(&program, BlockId(block)));
        let values: Vec<bool> = values.collect();
        let of = |wanted| values.iter().filter(|value| **value == wanted).count();
        (program.blocks.len(), reachable_blocks(&program).len(), [of(false), of(true)])
    }

    #[test]
    fn a_comparison_of_a_value_with_itself_is_decided_if_it_is_strict() {
        let (all, reachable, values) = counts_with("<", "v0", "cmp.x || cmp.y");
        assert!(reachable < all && values == [1, 0], "{reachable} of {all}, {values:?}");
        // NaN is not less than or equal to itself.
        let (all, reachable, values) = counts_with("<=", "v0", "cmp.x || cmp.y");
        assert!(reachable == all && values == [0, 0], "{reachable} of {all}, {values:?}");
    }

    #[test]
    fn a_branch_that_its_block_decides_leads_to_one_block() {
        // Operator 6 has no known meaning and gives true: the first condition is always false, the second always true.
        let (all, reachable, values) = counts("6", "!cmp.x && cmp.y");
        assert!(reachable < all && values == [1, 0], "{reachable} of {all}, {values:?}");
        // The called function returns, so every block is reachable.
        let (all, reachable, values) = counts("6", "cmp.x || cmp.y");
        assert!(reachable == all && values == [0, 1], "{reachable} of {all}, {values:?}");
        // Conditions that depend on registers are undecided.
        for condition in ["!cmp.x && cmp.y", "cmp.x || cmp.y"] {
            let (all, reachable, values) = counts("<", condition);
            assert!(reachable == all && values == [0, 0], "{reachable} of {all}, {values:?}");
        }
    }
}
