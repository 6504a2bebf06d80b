//! Differences on infeasible paths.
//!
//! Two terms may differ only under conditions that exclude each other: `c ? (p ? x : ...) : ...` and `c ? (p ? y : ...) : ...` where `c` and `p` are
//! never both true. For a solver the equality as a whole is hard, but it is easy to show that the conditions exclude each other.

use crate::claims::OpenGoal;
use crate::goal::Goal;
use crate::number::{NearLiterals, Sample, evaluate};
use crate::reduce::pairings;
use crate::term::{Arena, Node, Term};

/// The draws tried before the solver: if one of them satisfies the conditions, they do not exclude each other.
const DRAWS: u64 = 2000;
/// The maximum number of term pairs visited; [`MAX_CONDITION_SETS`] limits the number of condition sets found.
const MAX_TERM_PAIRS: usize = 1000;
const MAX_CONDITION_SETS: usize = 8;

type Conditions = Vec<(Term, bool)>;

/// Returns goals that state that the conditions under which the sides of a goal differ never hold together; `None` if the sides also differ
/// unconditionally or at too many positions, or if sampling satisfies the conditions.
pub(crate) fn conditions_of_difference(open: &OpenGoal, boundaries: &[u32]) -> Option<Vec<OpenGoal>> {
    let goal = &open.goal;
    let mut walk = Walk { arena: open.goal.arena(&open.names), steps: 0, condition_sets: Vec::new() };
    walk.visit_pair(goal.left, goal.right, &mut Vec::new())?;
    let (near, mut values) = (NearLiterals::new(goal), Vec::new());
    for number in 0..DRAWS {
        evaluate(goal, &mut Sample::new(boundaries, &near, number), &mut values);
        let holds =
            |conditions: &Conditions| conditions.iter().all(|(t, v)| (values[t.0 as usize] != 0) == *v);
        if goal.takes_a_path(&values) && walk.condition_sets.iter().any(holds) {
            return None;
        }
    }
    let Walk { mut arena, condition_sets: met, .. } = walk;
    let (yes, no) = (arena.intern(Node::LitB(true)), arena.intern(Node::LitB(false)));
    let part = |conditions: &Conditions| {
        let paths: Vec<Conditions> =
            goal.paths.iter().map(|path| path.iter().chain(conditions).copied().collect()).collect();
        let (goal, names) = Goal::on_paths(&paths, &arena, yes, no);
        OpenGoal { what: open.what.clone(), goal, names, parts: None, fault: None }
    };
    Some(met.iter().map(part).collect())
}

struct Walk {
    /// The goal's terms, numbered as in the goal.
    arena: Arena,
    steps: usize,
    /// The sets of conditions under which the sides differ.
    condition_sets: Vec<Conditions>,
}

impl Walk {
    /// Collects the conditions under which two terms differ; `None` if they differ unconditionally or at too many positions.
    fn visit_pair(&mut self, left: Term, right: Term, conditions: &mut Conditions) -> Option<()> {
        if left == right {
            return Some(());
        }
        self.steps += 1;
        if self.steps > MAX_TERM_PAIRS {
            return None;
        }
        if let (Node::Sel(_, c, a, b), Node::Sel(_, d, x, y)) =
            (self.arena.node(left), self.arena.node(right))
            && c == d
        {
            for (one, other, condition) in [(*a, *x, (*c, true)), (*b, *y, (*c, false))] {
                conditions.push(condition);
                let found = self.visit_pair(one, other, conditions);
                conditions.pop();
                found?;
            }
            return Some(());
        }
        if let Some(pairs) = pairings(&self.arena, left, right).into_iter().next() {
            return pairs.into_iter().try_for_each(|(a, b)| self.visit_pair(a, b, conditions));
        }
        if !self.condition_sets.contains(conditions) {
            self.condition_sets.push(conditions.clone());
        }
        (!conditions.is_empty() && self.condition_sets.len() <= MAX_CONDITION_SETS).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::boundaries;
    use crate::term::Ty;
    use lockstep_core::value::{FBin, FCmp};

    #[test]
    fn differences_under_exclusive_conditions_reduce_to_the_conditions() {
        let mut a = Arena::default();
        let [x, y, z, u] = ["x", "y", "z", "u"].map(|name| a.unknown(Ty::F, name));
        let half = a.intern(Node::LitF(0.5f32.to_bits()));
        let minus = a.intern(Node::LitF((-0.5f32).to_bits()));
        let (low, high) = (a.intern(Node::Cmp(FCmp::Lt, u, minus)), a.intern(Node::Cmp(FCmp::Lt, half, u)));
        let mut side = |condition: Term, t: Term| {
            let inner = a.intern(Node::Sel(Ty::F, condition, t, z));
            let sum = a.intern(Node::Bin(FBin::Add, inner, half));
            a.intern(Node::Sel(Ty::F, low, sum, z))
        };
        let ((left, right), (yes, no)) = ((side(high, x), side(high, y)), (side(low, x), side(low, y)));
        let open = |left: Term, right: Term| {
            let (goal, names) = Goal::new(&a, left, right);
            OpenGoal { what: String::new(), goal, names, parts: None, fault: None }
        };
        let parts = conditions_of_difference(&open(left, right), &boundaries()).unwrap();
        let [part] = &parts[..] else { panic!("{parts:?}") };
        assert!(part.goal.nodes.len() <= 7 && part.goal.left != part.goal.right, "{part:?}");
        assert_eq!(part.goal.paths[0].len(), 2);
        // If the conditions can hold together, or if there are none, there is no result.
        assert!(conditions_of_difference(&open(yes, no), &boundaries()).is_none());
        assert!(conditions_of_difference(&open(x, y), &boundaries()).is_none());
    }
}
