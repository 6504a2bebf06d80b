//! Blocks in a text: where control goes on that passes over a part of one. For lowerings of instruction sets whose blocks open and close.

/// What a word is to blocks of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    No,
    /// Opens a block. Passed over is what comes before the block's first turn, or all of it.
    Opens,
    /// Parts the block that it stands in. Passed over is the rest.
    Turns,
    /// Stands in a block and leaves it.
    Leaves,
    /// Closes a block.
    Closes,
}

/// For each word that passes over something, the word behind what is passed over, which a turn or a close is the last of; the number of
/// words where that is missing, and for every other word. A word that stands in no block goes behind the next close that closes none.
/// Takes time linear in the number of words.
pub fn behind(marks: impl ExactSizeIterator<Item = Mark>) -> Vec<u32> {
    let words = marks.len() as u32;
    let mut behind = vec![words; words as usize];
    // The blocks that are open: which word opened each and has no turn yet, and where in `waiting` those begin that wait for its close.
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
                    behind[opener as usize] = at + 1;
                }
                waiting.push(at);
            }
            Mark::Closes => {
                let (opener, first) = open.pop().unwrap_or((None, 0));
                for word in waiting.drain(first..).chain(opener) {
                    behind[word as usize] = at + 1;
                }
            }
        }
    }
    behind
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
        behind(text.bytes().map(mark))
    }

    #[test]
    fn a_part_of_a_block_is_passed_over_to_its_turn_or_close() {
        assert_eq!(of("(.|.)."), [3, 6, 5, 6, 6, 6]);
        assert_eq!(of("(()^)"), [5, 3, 5, 5, 5]);
        // A second turn changes nothing for the opener.
        assert_eq!(of("(||)"), [2, 4, 4, 4]);
    }

    #[test]
    fn what_is_open_at_the_end_or_stands_in_no_block_has_an_answer() {
        assert_eq!(of("(^"), [2, 2]);
        assert_eq!(of("^()|)^)"), [5, 3, 7, 5, 7, 7, 7]);
    }
}
