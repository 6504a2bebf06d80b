//! Splicing: joins the beginning of one program and the end of another.

use crate::generate::Entropy;
use lockstep_core::isa::utgard_gp::hazards::leaders;
use lockstep_core::isa::utgard_gp::program::{Program, Word};
use lockstep_core::isa::utgard_gp::validate::MAX_WORDS;

/// Returns the positions across which no unit result is read: the end of the program and the boundaries of blocks.
fn cuts(words: &[Word]) -> Vec<usize> {
    let leaders = leaders(words);
    (0..=words.len()).filter(|k| leaders.get(*k).copied().unwrap_or(true)).collect()
}

/// Joins the beginning of `a` and the end of `b`; `None` if the result would be empty or too long. The result has the facts of `a`, except that
/// prefetch is not given.
pub(super) fn splice(e: &mut Entropy<'_>, a: &Program, b: &Program) -> Option<Program> {
    let end = e.pick(&cuts(&a.words)).copied()?.max(1).min(a.words.len());
    let start = e.pick(&cuts(&b.words)).copied()?;
    let mut words = a.words[..end].to_vec();
    let count = (end + b.words.len() - start) as u32;
    if count > MAX_WORDS || count == 0 {
        return None;
    }
    for word in &b.words[start..] {
        let mut word = *word;
        if word.branch != 0 {
            // The target has moved. A target before the cut becomes the cut itself.
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
