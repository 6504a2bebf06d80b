//! Removals of instructions for the minimiser: aligned runs whose lengths are powers of two, and removals that keep blocks balanced.

use super::Edit;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

/// The role of an instruction in the structure of nested blocks. A value of `B` tells blocks of different instructions apart, such as branches and
/// loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::isa) enum BlockRole<B> {
    /// The instruction neither begins, divides nor ends a block.
    None,
    /// The instruction begins a block.
    Open(B),
    /// The instruction separates the two branches of the innermost block.
    Else,
    /// The instruction ends a block.
    Close(B),
}

impl<B: PartialEq> BlockRole<B> {
    /// Whether two adjacent instructions may be swapped. Blocks stay balanced if at least one of the two has no role in the structure of blocks.
    pub(in crate::isa) fn may_swap(&self, other: &BlockRole<B>) -> bool {
        *self == BlockRole::None || *other == BlockRole::None
    }
}

/// Returns aligned runs that cover `len` instructions. With p the smallest power of two that is at least `len`, the first runs have the length p / 2,
/// the following p / 4, and so on down to 1. The last run of a length is skipped if it is no longer than the next shorter length, because it occurs
/// again among the runs of that or a shorter length. There are no runs if `len` is 0 or 1.
pub(in crate::isa) fn aligned_runs(len: usize) -> impl Iterator<Item = Range<usize>> {
    sizes(len).flat_map(move |size| (0..len).step_by(size).filter_map(move |start| run(len, start, size)))
}

/// Returns the runs of [`aligned_runs`] that begin at `start`, longest first.
pub(in crate::isa) fn aligned_runs_at(len: usize, start: usize) -> impl Iterator<Item = Range<usize>> {
    sizes(len).filter(move |size| start.is_multiple_of(*size)).filter_map(move |size| run(len, start, size))
}

fn sizes(len: usize) -> impl Iterator<Item = usize> {
    let largest = len.next_power_of_two() / 2;
    std::iter::successors(Some(largest), |size| Some(size / 2)).take_while(|size| *size > 0)
}

fn run(len: usize, start: usize, size: usize) -> Option<Range<usize>> {
    let run = start..(start + size).min(len);
    (run.len() > size / 2).then_some(run)
}

/// Whether removing these instructions keeps the surrounding blocks balanced. The blocks stay balanced if the removed instructions close each block
/// that they open, and open each block that they close. An `else` may be removed without its block, which merges the two branches.
pub(in crate::isa) fn is_balanced<T, B: PartialEq>(
    instructions: &[T],
    role: impl Fn(&T) -> BlockRole<B>,
) -> bool {
    let mut open = Vec::new();
    let closes = instructions.iter().all(|instruction| match role(instruction) {
        BlockRole::Open(kind) => {
            open.push(kind);
            true
        }
        BlockRole::Close(kind) => open.pop() == Some(kind),
        BlockRole::Else | BlockRole::None => true,
    });
    closes && open.is_empty()
}

/// Lists removals that keep blocks balanced and leave at least one instruction, longest first: aligned runs whose lengths are powers of two, whole
/// blocks, `else` branches, and single instructions.
pub(in crate::isa) fn removals<T, B: PartialEq>(
    instructions: &[T],
    role: impl Fn(&T) -> BlockRole<B>,
) -> Vec<Edit> {
    let whole = aligned_runs(instructions.len()).filter(|run| is_balanced(&instructions[run.clone()], &role));
    let mut runs: BTreeSet<(Reverse<usize>, usize)> =
        whole.map(|run| (Reverse(run.len()), run.start)).collect();
    // The open blocks: the index of the opening instruction, the index of the `else` if there is one, and the kind.
    let mut open: Vec<(usize, Option<usize>, B)> = Vec::new();
    for (at, instruction) in instructions.iter().enumerate() {
        match role(instruction) {
            BlockRole::Open(kind) => open.push((at, None, kind)),
            BlockRole::Else => {
                if let Some((_, else_at, _)) = open.last_mut() {
                    *else_at = Some(at);
                }
            }
            BlockRole::Close(kind) => match open.pop() {
                Some((start, else_at, opened)) if opened == kind => {
                    runs.insert((Reverse(at + 1 - start), start));
                    runs.extend(else_at.map(|else_at| (Reverse(at - else_at), else_at)));
                }
                // The end does not match the innermost block, so the open blocks are ignored.
                _ => open.clear(),
            },
            BlockRole::None => {}
        }
    }
    let some = runs.into_iter().filter(|(count, _)| count.0 < instructions.len());
    some.map(|(count, at)| Edit::Remove { at: at as u32, count: count.0 as u32 }).collect()
}

/// Lists those [`removals`] that begin at instruction `at`.
pub(in crate::isa) fn removals_at<T, B: PartialEq>(
    instructions: &[T],
    at: usize,
    role: impl Fn(&T) -> BlockRole<B>,
) -> Vec<Edit> {
    let is_here = |edit: &Edit| matches!(edit, Edit::Remove { at: first, .. } if *first as usize == at);
    match instructions.get(at).map(&role) {
        // The end of the block depends on the instructions that follow.
        Some(BlockRole::Open(_) | BlockRole::Else) => {
            removals(instructions, role).into_iter().filter(is_here).collect()
        }
        Some(BlockRole::None | BlockRole::Close(_)) => {
            let len = instructions.len();
            let whole = aligned_runs_at(len, at)
                .filter(|run| run.len() < len && is_balanced(&instructions[run.clone()], &role));
            whole.map(|run| Edit::Remove { at: at as u32, count: run.len() as u32 }).collect()
        }
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In these tests instructions are characters. Two kinds of brackets open and close blocks, and a bar is an `else`.
    fn role(letter: &char) -> BlockRole<char> {
        match letter {
            '(' => BlockRole::Open(')'),
            '[' => BlockRole::Open(']'),
            '|' => BlockRole::Else,
            ')' | ']' => BlockRole::Close(*letter),
            _ => BlockRole::None,
        }
    }

    fn letters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn runs_of_each_length_cover_the_program() {
        assert_eq!(aligned_runs(0).count(), 0);
        assert_eq!(aligned_runs(1).count(), 0);
        let runs: Vec<_> = aligned_runs(5).collect();
        assert_eq!(runs, [0..4, 0..2, 2..4, 0..1, 1..2, 2..3, 3..4, 4..5]);
        assert_eq!(aligned_runs(7).filter(|run| run.end == 7).collect::<Vec<_>>(), [4..7, 6..7]);
        for len in 0..20 {
            for start in 0..len {
                let here: Vec<_> = aligned_runs(len).filter(|run| run.start == start).collect();
                assert_eq!(aligned_runs_at(len, start).collect::<Vec<_>>(), here, "{len} {start}");
            }
        }
    }

    #[test]
    fn blocks_are_balanced_if_each_is_closed_by_its_kind() {
        for whole in ["", "a", "(a)", "([a]|b)", "|"] {
            assert!(is_balanced(&letters(whole), role), "{whole}");
        }
        for broken in ["(", ")", "(]", "([)]", ")("] {
            assert!(!is_balanced(&letters(broken), role), "{broken}");
        }
    }

    #[test]
    fn removals_are_listed_from_long_to_short() {
        let removed = |text: &str| -> Vec<String> {
            let all = letters(text);
            let runs = removals(&all, role).into_iter().map(|edit| match edit {
                Edit::Remove { at, count } => all[at as usize..(at + count) as usize].iter().collect(),
                other => panic!("{other:?}"),
            });
            runs.collect()
        };
        assert_eq!(removed("x(ab|c)"), ["(ab|c)", "ab", "|c", "x", "a", "b", "|", "c"]);
        assert_eq!(removed("a[b)c]d"), ["a", "b", "c", "d"]);
        assert_eq!(removed("(a)"), ["a"], "the whole program stays");
        for text in ["x(ab|c)", "a[b)c]d", "(a)", "((ab)|c|d)e", "|", "a"] {
            let all = letters(text);
            for at in 0..=all.len() {
                let begins =
                    |edit: &Edit| matches!(edit, Edit::Remove { at: first, .. } if *first as usize == at);
                let here: Vec<Edit> = removals(&all, role).into_iter().filter(begins).collect();
                assert_eq!(removals_at(&all, at, role), here, "{text} {at}");
            }
        }
    }

    #[test]
    fn two_block_boundaries_are_not_swapped() {
        let may = |a, b| role(&a).may_swap(&role(&b));
        assert!(may('a', 'b') && may('a', '(') && may('|', 'a'));
        assert!(!may('(', '[') && !may('|', ')'));
    }
}
