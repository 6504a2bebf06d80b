//! Simplifies terms under the conditions of a path.
//!
//! If control state is held in variables, a branch that was taken remains in the terms as a select, and every later condition about the position of a
//! lane contains the branch's condition again. So each condition is rebuilt with the conditions that the path has already decided replaced by their
//! truth values.

use super::arena::Arena;
use super::fired;
use super::hash::Map;
use super::node::{Node, Term};
use super::path::Path;
use smallvec::SmallVec;

/// A cache of terms simplified under the conditions that a path has decided.
#[derive(Debug, Default)]
pub(super) struct PathSimplifier {
    answers: usize,
    simplified: Map<Term, Term>,
}

impl PathSimplifier {
    /// Empties the cache, before another path begins.
    pub(super) fn clear(&mut self) {
        self.answers = 0;
        self.simplified.clear();
    }

    /// Returns a term that is equal to `root` whenever the path is taken.
    pub(super) fn simplify(&mut self, arena: &mut Arena, path: &Path, root: Term) -> Term {
        // If no condition has been decided, there is nothing to replace.
        if path.taken().is_empty() {
            return root;
        }
        if path.taken().len() != self.answers {
            self.answers = path.taken().len();
            self.simplified.clear();
            for (condition, answer) in path.taken() {
                let literal = arena.intern(Node::LitB(*answer));
                self.simplified.insert(*condition, literal);
            }
        }
        // Iterative: terms may be deeper than the stack.
        let mut work = vec![(root, false)];
        while let Some((term, ready)) = work.pop() {
            if self.simplified.contains_key(&term) {
                continue;
            }
            let node = arena.node(term).clone();
            let operands = node.operands();
            if ready {
                let rebuilt = node.map(|t| self.simplified.get(&t).copied().unwrap_or(t));
                if rebuilt != node {
                    record(arena, path, &node, &rebuilt);
                }
                let new = if rebuilt == node { term } else { arena.fold(rebuilt) };
                // The result may itself be a condition that the path has decided.
                let new = self.simplified.get(&new).copied().unwrap_or(new);
                self.simplified.insert(term, new);
            } else {
                work.push((term, true));
                work.extend(operands.iter().map(|t| (*t, false)));
            }
        }
        self.simplified.get(&root).copied().unwrap_or(root)
    }
}

/// Records that those operands of `node` that are conditions of the path were replaced by their truth values.
fn record(arena: &Arena, path: &Path, node: &Node, rebuilt: &Node) {
    let (before, after) = (node.operands(), rebuilt.operands());
    let mut answers: SmallVec<[(Term, bool); 4]> = SmallVec::new();
    let mut asked = before.iter().zip(&after).map(|(b, a)| {
        let answer = if a == b { None } else { path.taken().iter().find(|(t, _)| t == b) };
        answers.extend(answer.copied());
        // The simplification of other operands is recorded at those operands.
        if answer.is_some() { *b } else { *a }
    });
    let asked = node.map(|t| asked.next().unwrap_or(t));
    if !answers.is_empty() {
        fired::record_answers(arena, &asked, &answers, rebuilt);
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::Ty;
    use super::*;
    use lockstep_core::value::{BBin, ICmp};

    #[test]
    fn answered_conditions_are_replaced_and_others_remain() {
        let mut a = Arena::default();
        let (p, q, i) = (a.unknown(Ty::B, "p"), a.unknown(Ty::B, "q"), a.unknown(Ty::I, "i"));
        let five = a.intern(Node::LitI(5));
        let place = a.intern(Node::Sel(Ty::I, p, i, five));
        let there = a.intern(Node::ICmp(ICmp::Eq, place, five));
        let both = a.intern(Node::Logic(BBin::And, there, q));
        let mut path = Path::default();
        let mut under = PathSimplifier::default();
        assert_eq!(under.simplify(&mut a, &path, both), both);
        path.assume(p);
        let is_five = a.intern(Node::ICmp(ICmp::Eq, i, five));
        let rest = a.fold(Node::Logic(BBin::And, is_five, q));
        assert_eq!(under.simplify(&mut a, &path, both), rest);
        path.assume(is_five);
        assert_eq!(under.simplify(&mut a, &path, both), q);
        under.clear();
        let not = a.intern(Node::Not(p));
        assert_eq!(under.simplify(&mut a, &Path::default(), not), not);
    }
}
