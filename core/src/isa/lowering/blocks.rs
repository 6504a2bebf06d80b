//! Lowers a control-flow graph. Each sequence of nodes that control flow enters only at the first node and leaves only at the last one becomes a
//! basic block.

use super::graph::{Flow, Node, explore};
use super::{BranchSelect, LowerError, Lowering, Mode, choose, costs_fuel, max_nodes};
use crate::ir::{BlockId, Builder, Op, Program, Terminator};
use crate::isa::{Context, registers};
use smallvec::SmallVec;

/// The nodes of a lowered program in order, each with the block that contains its instruction. Blocks that are not listed contain the prologue or
/// only consume fuel.
pub type Nodes<C> = Vec<(BlockId, C)>;

/// Lowers by nodes and also returns the block of each node. The step simulation starts from these blocks.
///
/// # Errors
/// As [`lower_validated`](super::lower_validated) in [`Mode::Nodes`].
pub fn lower_with_nodes<I: Lowering>(
    cx: &Context<'_, I>,
) -> Result<(Program, Nodes<I::ControlState>), LowerError> {
    lower_noting(cx, |block, _, control| (block, control.clone()))
}

/// Lowers by nodes and also returns the source of the IR instructions: for each node, in order, the index of its first IR instruction and the word
/// number of its shader instruction.
///
/// # Errors
/// As [`lower_validated`](super::lower_validated) in [`Mode::Nodes`].
pub fn lower_with_origins<I: Lowering>(
    cx: &Context<'_, I>,
) -> Result<(Program, Vec<(u32, u32)>), LowerError> {
    lower_noting(cx, |_, first, control| (first, I::control_word(control)))
}

/// Lowers by nodes and calls `note` with the block, the index of the first IR instruction and the control state of each node. Also returns the
/// results of `note`.
fn lower_noting<I: Lowering, T>(
    cx: &Context<'_, I>,
    note: impl Fn(BlockId, u32, &I::ControlState) -> T,
) -> Result<(Program, Vec<T>), LowerError> {
    let entry = I::entry_control(cx).ok_or(LowerError::NoEntry)?;
    let outline = I::outline(cx);
    let flow = explore(cx, &outline, &entry, max_nodes(cx, Mode::Nodes)).ok_or(LowerError::TooManyNodes)?;
    let mut notes = Vec::with_capacity(flow.nodes.len());
    let program = emit(cx, &outline, &flow, |block, first, control| notes.push(note(block, first, control)))?;
    Ok((program, notes))
}

/// Stands for the block number of a node that continues the block of the previous node.
const JOINED: u32 = u32::MAX;

/// Builds the IR of a control-flow graph. Calls `note` with the block, the index of the first IR instruction and the control state of each node, in
/// order.
pub(super) fn emit<I: Lowering>(
    cx: &Context<'_, I>,
    outline: &I::Outline,
    Flow { nodes, entry }: &Flow<I::ControlState>,
    mut note: impl FnMut(BlockId, u32, &I::ControlState),
) -> Result<Program, LowerError> {
    let mut b = Builder::new(I::group(cx));
    I::declare(cx, &mut b);
    registers::declare_final::<I>(cx, &mut b);
    I::prologue(cx, &mut b);
    registers::lower_initial::<I>(cx, &mut b);
    let first = u32::from(b.is_open());

    // Blocks are numbered before they are built. A node other than the entry continues the previous block if the previous node is its only
    // predecessor, has no other successor, and transfers control without a cost of fuel. Otherwise the node is a leader: the first node of a block. A
    // block with several successors is followed by an extra block for each successor that costs fuel.
    let control_of = |number: &u32| &nodes[*number as usize].control;
    let mut block_of = Vec::with_capacity(nodes.len());
    let mut next = first;
    for (k, Node { control, successors, in_degree }) in nodes.iter().enumerate() {
        let joined = k > 0
            && *in_degree == 1
            && matches!(nodes[k - 1].successors.as_slice(), [only] if *only as usize == k)
            && !costs_fuel::<I>(&nodes[k - 1].control, control)
            && k != *entry as usize;
        block_of.push(if joined { JOINED } else { next });
        next += u32::from(!joined);
        if successors.len() > 1 {
            next += successors.iter().filter(|to| costs_fuel::<I>(control, control_of(to))).count() as u32;
        }
    }
    let block_at = |to: &u32| BlockId(block_of[*to as usize]);

    if first == 1 {
        b.end_block(I::control_word(control_of(entry)), Terminator::Jump(block_at(entry)));
    }
    let mut origin = 0;
    for (k, node) in nodes.iter().enumerate() {
        let control = &node.control;
        note(BlockId(b.blocks()), b.instructions(), control);
        if block_of[k] != JOINED {
            origin = I::control_word(control);
        }
        let select = I::lower_node(cx, outline, control, &mut b);
        if block_of.get(k + 1) == Some(&JOINED) {
            continue;
        }
        if let [only] = node.successors.as_slice() {
            if costs_fuel::<I>(control, control_of(only)) {
                b.op(Op::Fuel(1), &[]);
            }
            b.end_block(origin, Terminator::Jump(block_at(only)));
            continue;
        }
        let here = b.blocks();
        let mut extra = SmallVec::<[BlockId; 2]>::new();
        let targets: SmallVec<[BlockId; 2]> = node
            .successors
            .iter()
            .map(|to| {
                let block = block_at(to);
                if costs_fuel::<I>(control, control_of(to)) {
                    extra.push(block);
                    BlockId(here + extra.len() as u32)
                } else {
                    block
                }
            })
            .collect();
        let successor_count = targets.len();
        if successor_count == 0 && matches!(select, BranchSelect::Only) {
            registers::lower_final::<I>(cx, &mut b);
        }
        let terminator = terminator(&mut b, select, &targets)
            .ok_or(LowerError::Internal { word: I::control_word(control), successor_count })?;
        b.end_block(origin, terminator);
        for block in extra {
            b.op(Op::Fuel(1), &[]);
            b.end_block(origin, Terminator::Jump(block));
        }
    }
    let entry = if first == 1 { BlockId(0) } else { block_at(entry) };
    Ok(b.finish(entry))
}

/// Builds the terminator of a block. Returns `None` if `select` does not fit the number of targets.
fn terminator(b: &mut Builder, select: BranchSelect, targets: &[BlockId]) -> Option<Terminator> {
    Some(match (select, targets) {
        (BranchSelect::Hang, []) => Terminator::Hang,
        (BranchSelect::Only, []) => Terminator::Return,
        (BranchSelect::Only, [only]) => Terminator::Jump(*only),
        (BranchSelect::If(c), [yes, no]) => Terminator::Branch(c, *yes, *no),
        (BranchSelect::First(conditions), _) if targets.len() == conditions.len() + 1 => {
            let number = choose(b, &conditions, &(0..targets.len() as i32).collect::<SmallVec<[i32; 4]>>());
            Terminator::Switch(number, targets.to_vec())
        }
        _ => return None,
    })
}
