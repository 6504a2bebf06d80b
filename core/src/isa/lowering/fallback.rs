//! The fallback lowering: control state is in variables, each word has a block, and a dispatching block selects the block of the next word.

use super::{BranchSelect, FallbackExit, LowerError, Lowering, choose};
use crate::ir::{BlockId, Builder, Op, Program, Terminator, Ty, VarKey};
use crate::isa::{Context, registers};
use crate::value::ICmp;
use smallvec::SmallVec;

/// The file number of the variable in which the fallback keeps the program counter.
pub const PC_FILE: u8 = 255;

/// Returns the word number that represents a hang, in [`FallbackExit::Computed`] and in the successors of [`FallbackExit::Static`], for a program of
/// `words` words.
pub fn hang_word(words: u32) -> u32 {
    words + 1
}

/// Lowers by the fallback. Calls `lowered` with the number of each word after the word is lowered, for the step simulation of the fallback.
///
/// # Errors
/// As [`lower_validated`](super::lower_validated) in [`Mode::Fallback`](super::Mode::Fallback).
pub fn lower_by_words<I: Lowering>(
    cx: &Context<'_, I>,
    lowered: impl FnMut(u32),
) -> Result<Program, LowerError> {
    I::entry_control(cx).ok_or(LowerError::NoEntry)?;
    fallback(cx, lowered)
}

/// Lowers by the fallback. Calls `lowered` with the number of each word after the word is lowered, in the order of the blocks.
pub(super) fn fallback<I: Lowering>(
    cx: &Context<'_, I>,
    mut lowered: impl FnMut(u32),
) -> Result<Program, LowerError> {
    let words = I::instruction_count(cx);
    let outline = I::outline(cx);
    let mut b = Builder::new(I::group(cx));
    I::declare(cx, &mut b);
    registers::declare_final::<I>(cx, &mut b);
    I::prologue(cx, &mut b);
    registers::lower_initial::<I>(cx, &mut b);
    let dispatch = BlockId(u32::from(b.is_open()));
    let key = VarKey { file: PC_FILE, index: 0, component: 0 };
    let start = I::entry_control(cx).map_or(0, |c| I::control_word(&c));
    let pc = b.var(key, Ty::I32, start);
    if dispatch.0 == 1 {
        b.end_block(start, Terminator::Jump(dispatch));
    }
    // Each word has two blocks: the word itself, and a block that consumes fuel for a backward transfer. The last two blocks end the lane by a return
    // and by a hang.
    let order = I::word_order(cx).filter(|order| order.len() == words as usize);
    let mut rank: Vec<u32> = (0..=words).collect();
    for (at, word) in order.iter().flatten().enumerate() {
        if let Some(rank) = rank.get_mut(*word as usize) {
            *rank = at as u32;
        }
    }
    let word_block = |w: u32| BlockId(dispatch.0 + 1 + 2 * rank[w as usize]);
    let (end, hang) = (word_block(words), BlockId(word_block(words).0 + 1));
    let at = b.read(pc);
    let targets = (0..words).map(word_block).chain([end, hang, end]).collect();
    b.end_block(0, Terminator::Switch(at, targets));
    for at in 0..words {
        let word = order.as_ref().map_or(at, |order| order[at as usize]);
        let mut costs = None;
        let next = match I::lower_word(cx, &outline, word, &mut b) {
            FallbackExit::Hang => Err(Terminator::Hang),
            FallbackExit::Computed { next, costs_fuel: back } => {
                costs = back;
                Ok(next)
            }
            FallbackExit::Static(select, successors) => {
                let numbers: SmallVec<[i32; 4]> = successors.iter().map(|w| *w as i32).collect();
                match (select, numbers.as_slice()) {
                    (BranchSelect::Hang, []) => Err(Terminator::Hang),
                    (BranchSelect::Only, []) => {
                        registers::lower_final::<I>(cx, &mut b);
                        Err(Terminator::Return)
                    }
                    (BranchSelect::Only, [only]) => Ok(b.i(*only)),
                    (BranchSelect::If(c), [yes, no]) => {
                        let (yes, no) = (b.i(*yes), b.i(*no));
                        Ok(b.sel_i(c, yes, no))
                    }
                    (BranchSelect::First(conditions), all) if all.len() == conditions.len() + 1 => {
                        Ok(choose(&mut b, &conditions, all))
                    }
                    _ => return Err(LowerError::Internal { word, successor_count: successors.len() }),
                }
            }
        };
        match next {
            Err(terminator) => {
                b.end_block(word, terminator);
            }
            Ok(next) => {
                b.write(pc, next);
                // Compares next <= word as unsigned numbers. A number out of range counts as forward, because it ends the lane.
                let here = b.i(word as i32 + 1);
                let back = costs.unwrap_or_else(|| b.icmp(ICmp::LtU, next, here));
                b.end_block(word, Terminator::Branch(back, BlockId(word_block(word).0 + 1), dispatch));
            }
        }
        b.op(Op::Fuel(1), &[]);
        b.end_block(word, Terminator::Jump(dispatch));
        lowered(word);
    }
    registers::lower_final::<I>(cx, &mut b);
    b.end_block(words, Terminator::Return);
    b.end_block(words, Terminator::Hang);
    Ok(b.finish(BlockId(0)))
}

/// Returns the word number of the instruction of a block in a program that was lowered by the fallback. `None` for the prologue and for blocks that
/// dispatch, consume fuel or end the lane.
pub fn fallback_word(program: &Program, block: BlockId) -> Option<u32> {
    let dispatches =
        |b: u32| matches!(program.blocks.get(b as usize)?.terminator, Terminator::Switch(..)).then_some(b);
    let first = dispatches(0).or_else(|| dispatches(1))? + 1;
    let after = block.0.checked_sub(first)?;
    let is_word = after % 2 == 0 && block.0 as usize + 2 < program.blocks.len();
    is_word.then(|| program.blocks[block.0 as usize].origin)
}
