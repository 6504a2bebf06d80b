//! Matches a pair of terms against a goal: a goal that holds for all values of its unknowns also holds with any terms in their place.

use crate::goal::Goal;
use crate::term::{Arena, Node, Term};
use std::collections::HashMap;

/// The terms substituted for the unknowns of a goal.
type Substitution = HashMap<Term, Term>;

/// Whether some substitution for the goal's unknowns turns its sides into these two terms. Operands of commutative operations may be in either order.
/// A goal that holds only under conditions has no instances.
pub(crate) fn is_instance(goal: &Goal, arena: &Arena, left: Term, right: Term) -> bool {
    goal.paths.iter().any(Vec::is_empty)
        && matches(goal, arena, &[(goal.left, left), (goal.right, right)], &Substitution::new())
}

fn matches(goal: &Goal, arena: &Arena, pairs: &[(Term, Term)], substitution: &Substitution) -> bool {
    let [(ours, term), rest @ ..] = pairs else { return true };
    let (node, other) = (goal.node(*ours), arena.node(*term));
    if let Some(known) = substitution.get(ours) {
        return known == term && matches(goal, arena, rest, substitution);
    }
    if let Node::Unknown(ty, _) = node {
        let mut substitution = substitution.clone();
        substitution.insert(*ours, *term);
        return *ty == arena.ty(*term) && matches(goal, arena, rest, &substitution);
    }
    if matches!(node, Node::Apply(..)) || node.map(|_| Term(0)) != other.map(|_| Term(0)) {
        return false;
    }
    let (a, b) = (node.operands(), other.operands());
    let with = |order: &mut dyn Iterator<Item = (Term, Term)>| {
        let pairs: Vec<(Term, Term)> = order.chain(rest.iter().copied()).collect();
        matches(goal, arena, &pairs, substitution)
    };
    let straight = with(&mut a.iter().copied().zip(b.iter().copied()));
    straight || node.commutes() && with(&mut a.iter().copied().zip(b.iter().rev().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Ty;
    use lockstep_core::value::{FBin, FUn};

    #[test]
    fn a_goal_matches_exactly_its_instances() {
        let mut a = Arena::default();
        let [x, y, z] = ["x", "y", "z"].map(|name| a.unknown(Ty::F, name));
        let (zero, i) = (a.intern(Node::LitF(0)), a.unknown(Ty::I, "i"));
        let mut sum = |p: Term, q: Term| a.intern(Node::Bin(FBin::Add, p, q));
        // (x + y) + 0 = y + x.
        let (xy, yx, yz, zy) = (sum(x, y), sum(y, x), sum(y, z), sum(z, y));
        let (left, deep, turned, other) = (sum(xy, zero), sum(yz, zero), sum(zero, zy), sum(yz, x));
        let minus = a.intern(Node::Un(FUn::Neg, deep));
        let (goal, _) = Goal::new(&a, left, yx);
        let is = |left: Term, right: Term| is_instance(&goal, &a, left, right);
        assert!(is(left, yx) && is(deep, zy) && is(deep, yz) && is(turned, yz));
        assert!(!is(deep, yx), "z is in place of y");
        assert!(!is(other, zy), "x is in place of 0");
        assert!(!is(minus, zy) && !is(left, i));
        let (under, _) = Goal::on_paths(&[vec![(i, true)]], &a, left, yx);
        assert!(!is_instance(&under, &a, left, yx), "it holds only on a path");
    }
}
