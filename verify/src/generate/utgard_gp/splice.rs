//! The beginning of one program and the end of another.

use crate::generate::Entropy;
use lockstep_core::isa::utgard_gp::hazards::leaders;
use lockstep_core::isa::utgard_gp::program::{Program, Word};
use lockstep_core::isa::utgard_gp::validate::MOST_WORDS;

/// Places where nothing is handed on from one word to the next, or at least no unit's results: the ends and the edges of blocks.
fn cuts(words: &[Word]) -> Vec<usize> {
    let leaders = leaders(words);
    (0..=words.len()).filter(|k| leaders.get(*k).copied().unwrap_or(true)).collect()
}

/// The beginning of `a` with the end of `b`. What is known of `a` is taken to hold for both.
pub(super) fn splice(e: &mut Entropy<'_>, a: &Program, b: &Program) -> Option<Program> {
    let end = e.pick(&cuts(&a.words)).copied()?.max(1).min(a.words.len());
    let start = e.pick(&cuts(&b.words)).copied()?;
    let mut words = a.words[..end].to_vec();
    let count = (end + b.words.len() - start) as u32;
    if count > MOST_WORDS || count == 0 {
        return None;
    }
    for word in &b.words[start..] {
        let mut word = *word;
        if word.branch != 0 {
            // What was there is now somewhere else, or where it was is now the seam.
            let target = word.target() as usize;
            word.set_target(((target.max(start) - start + end) as u32).min(count - 1))?;
        }
        words.push(word);
    }
    for word in words.iter_mut().filter(|word| word.branch != 0) {
        word.set_target(word.target().min(count - 1))?;
    }
    let mut facts = a.facts.clone();
    facts.prefetch = None;
    Some(Program { words, tail: Vec::new(), facts })
}
