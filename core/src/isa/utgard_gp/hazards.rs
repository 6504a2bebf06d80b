//! Hazards: reads of results that do not exist, misuse of stages of complex functions, values read before they arrive.
//!
//! Results of units last for two words and never cross a block boundary, so `values` analyses them block by block. Registers, temporaries and address
//! registers persist, so `flow` analyses them along all paths.

mod flow;
mod values;

use super::program::{Program, Word};
use crate::isa::{Options, Violation};

/// Returns all hazards in `words`, ordered by word. `words` are the words that run: the first ones of the program.
pub(super) fn hazards(words: &[Word], program: &Program, options: &Options) -> Vec<Violation> {
    let leaders = leaders(words);
    let states = flow::fixed_point(words, &leaders, options);
    let mut found = values::hazards(words, &leaders, &states);
    found.extend(flow::hazards(words, &leaders, &states, &program.facts));
    found.sort_by_key(|v| v.word);
    found
}

/// Returns, for each word, whether it begins a basic block: the first word, a branch target, or a word after a branch.
pub fn leaders(words: &[Word]) -> Vec<bool> {
    let mut leaders = vec![false; words.len()];
    if let Some(first) = leaders.first_mut() {
        *first = true;
    }
    for (k, word) in words.iter().enumerate().filter(|(_, w)| w.branch != 0) {
        for leader in [k + 1, word.target() as usize] {
            if let Some(leader) = leaders.get_mut(leader) {
                *leader = true;
            }
        }
    }
    leaders
}
