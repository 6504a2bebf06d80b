//! The block structure of a program: where control flow continues after a part of a block is skipped. For lowerings of instruction sets with opening
//! and closing instructions.

/// The role of a word for one kind of block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The word is no part of the block structure.
    No,
    /// Opens a block. A lane may skip from it to the block's first turn, or over the whole block.
    Opens,
    /// Divides the innermost block, as ELSE does. Skips the rest of the block.
    Turns,
    /// Leaves the innermost block. Skips its rest.
    Leaves,
    /// Closes a block.
    Closes,
}

/// For each word that skips, returns the word after the skipped part; the last skipped word is a turn or a close. Returns the number of words if
/// there is no such word, and for all words that do not skip. A word outside any block continues after the next unmatched close. Takes time linear in
/// the number of words.
pub fn skip_targets(marks: impl ExactSizeIterator<Item = Mark>) -> Vec<u32> {
    let words = marks.len() as u32;
    let mut skip_targets = vec![words; words as usize];
    // The open blocks, each with the word that opened it (`None` after its first turn) and the start in `waiting` of the words that wait for its
    // close.
    let mut open: Vec<(Option<u32>, usize)> = Vec::new();
    let mut waiting: Vec<u32> = Vec::new();
    for (at, mark) in (0u32..).zip(marks) {
        match mark {
            Mark::No => {}
            Mark::Opens => open.push((Some(at), waiting.len())),
            Mark::Turns | Mark::Leaves => {
                if let (Mark::Turns, Some((opener, _))) = (mark, open.last_mut())
                    && let Some(opener) = opener.take()
                {
                    skip_targets[opener as usize] = at + 1;
                }
                waiting.push(at);
            }
            Mark::Closes => {
                let (opener, first) = open.pop().unwrap_or((None, 0));
                for word in waiting.drain(first..).chain(opener) {
                    skip_targets[word as usize] = at + 1;
                }
            }
        }
    }
    skip_targets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<u32> {
        let mark = |c: u8| match c {
            b'(' => Mark::Opens,
            b'|' => Mark::Turns,
            b'^' => Mark::Leaves,
            b')' => Mark::Closes,
            _ => Mark::No,
        };
        skip_targets(text.bytes().map(mark))
    }

    #[test]
    fn a_skipped_part_of_a_block_ends_at_else_or_close() {
        assert_eq!(of("(.|.)."), [3, 6, 5, 6, 6, 6]);
        assert_eq!(of("(()^)"), [5, 3, 5, 5, 5]);
        // A second turn does not affect the opener.
        assert_eq!(of("(||)"), [2, 4, 4, 4]);
    }

    #[test]
    fn unbalanced_blocks_are_handled() {
        assert_eq!(of("(^"), [2, 2]);
        assert_eq!(of("^()|)^)"), [5, 3, 7, 5, 7, 7, 7]);
    }
}
