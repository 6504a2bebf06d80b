//! Paths: the conditions at which control flow branched, with their answers.

use super::node::Term;
use crate::sabotage::{self, Sabotage};

/// One path: the conditions decided so far with their truth values, and a script: the truth values for all conditions in the order in which they are
/// decided.
#[derive(Clone, Debug, Default)]
pub struct Path {
    script: Vec<bool>,
    taken: Vec<(Term, bool)>,
}

impl Path {
    /// Returns the truth value of a condition that is not a literal: the value decided before, else the script's next value, else true.
    pub fn decide(&mut self, condition: Term) -> bool {
        if let Some(answer) = self.answer(condition) {
            return answer;
        }
        let answer = self.script.get(self.taken.len()).copied().unwrap_or(true);
        self.taken.push((condition, answer));
        answer
    }

    /// Returns the truth value decided before; `None` if the condition has not been decided.
    fn answer(&self, condition: Term) -> Option<bool> {
        self.taken.iter().find(|(c, _)| *c == condition).map(|(_, answer)| *answer)
    }

    /// Assumes that a condition holds, as if it had been decided to be true.
    pub fn assume(&mut self, condition: Term) {
        self.taken.push((condition, true));
    }

    /// Returns the path condition: the decided conditions with their truth values.
    pub fn taken(&self) -> &[(Term, bool)] {
        &self.taken
    }

    /// Whether this path, on which no condition has been decided yet, would decide the conditions of `other` as `other` does.
    pub fn leads_to(&self, other: &Path) -> bool {
        let answers = self.script.iter().copied().chain(std::iter::repeat(true));
        other.taken.iter().zip(answers).all(|((_, taken), answer)| *taken == answer)
    }

    /// Returns this path after it has decided the conditions of `other`. Requires [`Path::leads_to`].
    pub fn after(&self, other: &Path) -> Path {
        Path { script: self.script.clone(), taken: other.taken.clone() }
    }

    /// Returns the next path in depth-first order, before any condition is decided; `None` after the last path.
    fn next(&self) -> Option<Path> {
        let last = self.taken.iter().rposition(|(_, answer)| *answer)?;
        let mut script: Vec<bool> = self.taken[..last].iter().map(|(_, answer)| *answer).collect();
        script.push(false);
        Some(Path { script, taken: Vec::new() })
    }
}

/// Runs `body` once for each path, at most `limit` times. `body` takes a path and returns it with all conditions decided. Returns whether all paths
/// were followed.
pub(super) fn explore(limit: usize, mut body: impl FnMut(Path) -> Path) -> bool {
    let mut path = Path::default();
    for _ in 0..limit {
        match body(path).next() {
            Some(next) if !sabotage::is(Sabotage::PathDropped) => path = next,
            _ => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_seen_once_and_repeated_questions_agree() {
        let mut seen = Vec::new();
        let all = explore(100, |mut path| {
            let a = path.decide(Term(1));
            let b = if a { path.decide(Term(2)) } else { path.decide(Term(3)) };
            assert_eq!(path.decide(Term(1)), a);
            seen.push((a, b));
            path
        });
        assert!(all);
        assert_eq!(seen, [(true, true), (true, false), (false, true), (false, false)]);
        assert!(!explore(3, |mut path| {
            path.decide(Term(1));
            path.decide(Term(2));
            path
        }));
    }

    #[test]
    fn a_path_follows_its_script_and_then_answers_yes() {
        let path = |script: &[bool], asked: &[u32]| {
            let mut path = Path { script: script.to_vec(), taken: Vec::new() };
            for t in asked {
                path.decide(Term(*t));
            }
            path
        };
        let no_yes = path(&[false], &[1, 2]);
        assert_eq!(no_yes.taken(), [(Term(1), false), (Term(2), true)]);
        assert!(path(&[false], &[]).leads_to(&no_yes) && path(&[false, true, false], &[]).leads_to(&no_yes));
        assert!(!path(&[], &[]).leads_to(&no_yes) && !path(&[false, false], &[]).leads_to(&no_yes));
        // The next condition gets the next answer of the script.
        let mut on = path(&[false, true, false], &[]).after(&no_yes);
        assert!(!on.decide(Term(3)) && on.decide(Term(4)));
        assert_eq!(on.taken().len(), 4);
    }
}
