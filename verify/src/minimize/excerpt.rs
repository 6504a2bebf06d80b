//! Minimises a program to an excerpt: a few consecutive words, or any number of words from the program's start. Operands that are computed outside
//! the excerpt become inputs.
//!
//! Single edits are not enough if instructions refer to each other by distance: removing one breaks the next. The inputs with which an excerpt fails
//! are seldom those of the whole program, so a few environments are drawn for each excerpt.

use super::FailurePredicate;
use super::redraw::drawn;
use crate::case::{Case, EntryRef};
use crate::generate::Generate;

/// The maximum number of words of an excerpt that does not start at the program's start.
const WORDS: u32 = 10;
/// The maximum number of attempts for all excerpts of a program.
const TRIES: u32 = 6000;
/// The number of environments drawn for each excerpt, besides the given one.
const DRAWS: u64 = 12;

/// Tries excerpts from short to long, and replaces the program by the first excerpt that fails. Returns whether there was one.
pub(super) fn shrink<I: Generate>(case: &mut Case, predicate: &mut FailurePredicate<'_>) -> bool {
    let Ok(program) = I::decode(&case.bytes) else { return false };
    let words = super::program::words::<I>(case, &program);
    let last = predicate.tries + TRIES;
    for length in 1..words {
        // Long excerpts are taken only from the program's start, which gives truncated programs.
        let starts = if length <= WORDS { words - length + 1 } else { 1 };
        for from in 0..starts {
            for excerpt in I::excerpts(&program, from..from + length) {
                let mut candidate = case.with_program::<I>(&excerpt);
                if let EntryRef::Own(at) = &mut candidate.entry {
                    *at = 0;
                }
                let Ok(resolved) = candidate.resolve::<I>() else { continue };
                for draw in 0..=DRAWS {
                    if predicate.tries >= last {
                        return false;
                    }
                    if draw > 0 {
                        candidate.env = drawn(&resolved, draw);
                    }
                    if predicate.keeps_failing(&candidate) {
                        *case = candidate;
                        return true;
                    }
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::{Format, Syntax};

    /// Any instruction may fail by itself, including the last.
    #[test]
    fn each_single_instruction_is_an_excerpt() {
        let text = "version 1 vertex\nadd vt0, va0, va1\nmul vt0, vt0, va1\nmin op, vt0, va1\n";
        let lanes = vec![LaneInput { slots: vec![[1.0; 4]; 2] }];
        let env = Environment { lanes, fuel: 100, ..Environment::default() };
        let whole = Case::new::<Agal>(&Agal::assemble(text).unwrap(), env);
        for opcode in ["add", "mul", "min"] {
            let listing = |case: &Case| Agal::disassemble(&Agal::decode(&case.bytes).unwrap());
            let mut case = whole.clone();
            let mut fails = |case: &Case| listing(case).contains(opcode);
            assert!(
                shrink::<Agal>(&mut case, &mut FailurePredicate { fails: &mut fails, tries: 0 }),
                "{opcode}"
            );
            let others = ["add", "mul", "min"].into_iter().filter(|other| *other != opcode);
            let left = listing(&case);
            assert!(others.into_iter().all(|other| !left.contains(other)), "{opcode}: {left}");
        }
    }
}
