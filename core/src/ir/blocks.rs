//! The structure of nested blocks: where control flow continues if a part of a block is skipped. Used for instruction sets in which instructions open
//! and close blocks.

/// The role of a word in the structure of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The word has no role in the structure.
    No,
    /// The word opens a block. A lane may skip to after the block's first dividing word ([`Mark::Divides`]), or if there is none, over the whole block.
    Opens,
    /// The word divides the innermost block, as ELSE does. A lane that reaches it skips the rest of the block.
    Divides,
    /// The word leaves the innermost block: a lane skips the rest of the block.
    Leaves,
    /// The word closes a block.
    Closes,
}

/// Returns, for each word from which a lane may skip, the word after the skipped part. The last skipped word divides or closes a block. If there is
/// no such word, and for words from which no lane skips, the result is the number of words. A dividing or leaving word outside any block skips to
/// after the next unmatched closing word. Takes time linear in the number of words.
pub fn skip_targets(marks: impl ExactSizeIterator<Item = Mark>) -> Vec<u32> {
    let words = marks.len() as u32;
    let mut skip_targets = vec![words; words as usize];
    // The open blocks. Each has the word that opened it (`None` after its first dividing word), and the index in `waiting` from which words wait for
    // its closing word.
    let mut open: Vec<(Option<u32>, usize)> = Vec::new();
    let mut waiting: Vec<u32> = Vec::new();
    for (at, mark) in (0u32..).zip(marks) {
        match mark {
            Mark::No => {}
            Mark::Opens => open.push((Some(at), waiting.len())),
            Mark::Divides | Mark::Leaves => {
                if let (Mark::Divides, Some((opener, _))) = (mark, open.last_mut())
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

    fn targets(text: &str) -> Vec<u32> {
        let mark = |c: u8| match c {
            b'(' => Mark::Opens,
            b'|' => Mark::Divides,
            b'^' => Mark::Leaves,
            b')' => Mark::Closes,
            _ => Mark::No,
        };
        skip_targets(text.bytes().map(mark))
    }

    #[test]
    fn a_skipped_part_of_a_block_ends_at_else_or_close() {
        assert_eq!(targets("(.|.)."), [3, 6, 5, 6, 6, 6]);
        assert_eq!(targets("(()^)"), [5, 3, 5, 5, 5]);
        // A second dividing word does not affect the opening word.
        assert_eq!(targets("(||)"), [2, 4, 4, 4]);
    }

    #[test]
    fn unmatched_words_skip_to_the_next_unmatched_close_or_the_end() {
        assert_eq!(targets("(^"), [2, 2]);
        assert_eq!(targets("^()|)^)"), [5, 3, 7, 5, 7, 7, 7]);
    }
}
