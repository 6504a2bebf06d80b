//! Congruence: two applications of an operation are equal if their operands are equal.
//!
//! If two long sums differ only in a part deep inside them, their equality is too hard for a solver, but the equality of the differing parts is easy.
//! So a goal is split into the pairs of operands that are different terms, provided that no random sample gives the two terms of a pair different
//! values. If the parts hold, so does the goal. If a part does not hold, the goal itself must be put to the solver. Terms that both sides share are
//! replaced by unknowns, since sides that are equal for any value of a shared term are equal.

use crate::claims::OpenGoal;
use crate::goal::{Goal, Names};
use crate::number::{Signatures, search};
use crate::term::{Arena, Node, Term};
use std::collections::{HashMap, HashSet};

/// The number of draws that must not refute a part before it is put to the solver.
const DRAWS: u64 = 300;

/// Returns parts that together imply the goal; `None` if there are no smaller ones.
///
/// `failed` are goals that are not to be used as parts again.
///
/// # Errors
/// As [`crate::sweep::sweep`].
#[allow(clippy::implicit_hasher)] // one set, made in one place
pub fn reduce(
    open: &OpenGoal,
    boundaries: &[u32],
    failed: &HashSet<Goal>,
) -> Result<Option<Vec<OpenGoal>>, String> {
    let parts = smaller_goals(open, boundaries, failed)?;
    let conditions = |part: &OpenGoal| {
        crate::infeasible::conditions_of_difference(part, boundaries)
            .filter(|parts| !parts.iter().any(|part| failed.contains(&part.goal)))
    };
    Ok(match parts {
        Some(parts) => {
            Some(parts.into_iter().flat_map(|part| conditions(&part).unwrap_or_else(|| vec![part])).collect())
        }
        None => conditions(open),
    })
}

/// Returns lemmas found by sweeping, otherwise pairs of operands.
fn smaller_goals(
    open: &OpenGoal,
    boundaries: &[u32],
    failed: &HashSet<Goal>,
) -> Result<Option<Vec<OpenGoal>>, String> {
    match crate::sweep::sweep(open, boundaries, failed)?.as_deref() {
        Some([only]) if only.goal == open.goal => return Ok(None),
        Some(lemmas) => return Ok(Some(lemmas.to_vec())),
        None => {}
    }
    Ok(operand_parts(open, boundaries))
}

/// Returns parts that are pairs of operands of the two sides; `None` if there are none.
fn operand_parts(open: &OpenGoal, boundaries: &[u32]) -> Option<Vec<OpenGoal>> {
    let arena = open.goal.arena(&open.names);
    let seen = Signatures::new(&open.goal, boundaries, DRAWS);
    let mut reducer = Reducer {
        open,
        arena: &arena,
        boundaries,
        signatures: seen,
        values: Vec::new(),
        visited: HashSet::new(),
    };
    if !reducer.are_equal_on_draws(open.goal.left, open.goal.right) {
        return None;
    }
    let mut parts = Vec::new();
    reducer.add_parts(open.goal.left, open.goal.right, &mut parts);
    match parts.as_slice() {
        [] => None,
        [only] if only.goal == open.goal => None,
        _ => Some(parts),
    }
}

struct Reducer<'a> {
    open: &'a OpenGoal,
    arena: &'a Arena,
    boundaries: &'a [u32],
    signatures: Signatures,
    values: Vec<u32>,
    /// Pairs whose parts have been appended. Terms share operands; without this a pair would be visited once for each way to reach it.
    visited: HashSet<(Term, Term)>,
}

impl Reducer<'_> {
    /// Appends the smallest parts that imply left = right, unless already appended.
    fn add_parts(&mut self, left: Term, right: Term, parts: &mut Vec<OpenGoal>) {
        if !self.visited.insert((left, right)) {
            return;
        }
        for pairs in pairings(self.arena, left, right) {
            let differing: Vec<(Term, Term)> = pairs.into_iter().filter(|(a, b)| a != b).collect();
            if differing.iter().all(|(a, b)| self.are_equal_on_draws(*a, *b)) {
                for (a, b) in differing {
                    self.add_parts(a, b, parts);
                }
                return;
            }
        }
        let part = self.part(left, right);
        parts.push(part);
    }

    /// Whether two terms have the same value on every draw that takes one of the goal's paths.
    fn are_equal_on_draws(&self, left: Term, right: Term) -> bool {
        self.signatures.on_paths[left.0 as usize] == self.signatures.on_paths[right.0 as usize]
    }

    /// Returns the goal that two terms are equal: on all inputs if sampling does not refute that, otherwise on the paths of the original goal.
    fn part(&mut self, left: Term, right: Term) -> OpenGoal {
        let seen = |t: Term| (self.signatures.everywhere[t.0 as usize], self.signatures.first[t.0 as usize]);
        let everywhere = seen(left) == seen(right);
        let general = if everywhere { self.generalise(left, right) } else { None };
        let anywhere = [Vec::new()];
        let paths = if everywhere { &anywhere[..] } else { &self.open.goal.paths };
        let (goal, names) = general.unwrap_or_else(|| Goal::on_paths(paths, self.arena, left, right));
        OpenGoal { what: self.open.what.clone(), goal, names, parts: None, fault: None }
    }
}

impl Reducer<'_> {
    /// Returns the goal in which unknowns replace the largest terms that both sides share; `None` if the sides share no term other than unknowns
    /// and literals, if one side is part of the other, or if sampling refutes the result.
    fn generalise(&mut self, left: Term, right: Term) -> Option<(Goal, Names)> {
        let below = |root: Term| {
            let mut seen = HashSet::from([root]);
            let mut work = vec![root];
            while let Some(term) = work.pop() {
                work.extend(self.arena.node(term).operands().into_iter().filter(|t| seen.insert(*t)));
            }
            seen
        };
        let (l, r) = (below(left), below(right));
        let shared: HashSet<Term> = l.intersection(&r).copied().collect();
        if shared.contains(&left) || shared.contains(&right) {
            return None;
        }
        let mut arena = Arena::default();
        let mut copies: HashMap<Term, Term> = HashMap::new();
        let mut hidden = false;
        // Operands have smaller numbers, so ascending order meets them first.
        let mut all: Vec<Term> = l.union(&r).copied().collect();
        all.sort_unstable();
        for term in all {
            let node = self.arena.node(term);
            let copy = match node {
                Node::Unknown(ty, f) => arena.unknown(*ty, self.arena.name(*f)),
                _ if node.literal().is_some() => arena.intern(node.clone()),
                _ if shared.contains(&term) => {
                    hidden = true;
                    arena.unknown(node.ty(), &format!("shared {}", term.0))
                }
                _ => {
                    let mut node = node.map(|t| copies.get(&t).copied().unwrap_or(t));
                    if let Node::Apply(_, f, _) = &mut node {
                        *f = arena.function(self.arena.name(*f));
                    }
                    arena.intern(node)
                }
            };
            copies.insert(term, copy);
        }
        let (goal, names) = Goal::new(&arena, *copies.get(&left)?, *copies.get(&right)?);
        (hidden && !search(&goal, self.boundaries, 0..DRAWS, &mut self.values)).then_some((goal, names))
    }
}

/// Returns the ways to pair the operands of two applications of one operation, the more likely one first. Returns none for different operations.
pub(crate) fn pairings(arena: &Arena, left: Term, right: Term) -> Vec<Vec<(Term, Term)>> {
    let (l, r) = (arena.node(left), arena.node(right));
    let (a, b) = (l.operands(), r.operands());
    if a.is_empty() || a.len() != b.len() || l.map(|_| Term(0)) != r.map(|_| Term(0)) {
        return Vec::new();
    }
    if a.iter().zip(&b).any(|(x, y)| arena.ty(*x) != arena.ty(*y)) {
        return Vec::new();
    }
    let straight: Vec<(Term, Term)> = a.iter().copied().zip(b.iter().copied()).collect();
    if !l.commutes() {
        return vec![straight];
    }
    let crossed = vec![(a[0], b[1]), (a[1], b[0])];
    if a[0] == b[1] || a[1] == b[0] { vec![crossed, straight] } else { vec![straight, crossed] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::boundaries;
    use crate::term::Ty;
    use lockstep_core::value::{BBin, FBin, FCmp, IBin, ICmp};

    /// Operands may be paired crosswise only if exchanging them never changes a result.
    #[test]
    fn only_operands_of_commutative_operations_are_paired_crosswise() {
        let (boundaries, mut values) = (boundaries(), Vec::new());
        let mut check = |ty: Ty, op: &dyn Fn(Term, Term) -> Node| {
            let mut arena = Arena::default();
            let [x, y, u, v] = ["x", "y", "u", "v"].map(|name| arena.unknown(ty, name));
            let [left, right, exchanged] = [op(x, y), op(u, v), op(y, x)].map(|node| arena.intern(node));
            let changes = search(&Goal::new(&arena, left, exchanged).0, &boundaries, 0..2000, &mut values);
            let expected = if changes { 1 } else { 2 };
            assert_eq!(pairings(&arena, left, right).len(), expected, "{:?}", op(x, y));
        };
        for op in [FBin::Add, FBin::Mul, FBin::Div] {
            check(Ty::F, &|a, b| Node::Bin(op, a, b));
        }
        for op in [FCmp::Lt, FCmp::Le, FCmp::Eq] {
            check(Ty::F, &|a, b| Node::Cmp(op, a, b));
        }
        for op in IBin::ALL {
            check(Ty::I, &|a, b| Node::IBin(op, a, b));
        }
        for op in [ICmp::Eq, ICmp::LtS, ICmp::LtU] {
            check(Ty::I, &|a, b| Node::ICmp(op, a, b));
        }
        for op in [BBin::And, BBin::Or, BBin::Xor] {
            check(Ty::B, &|a, b| Node::Logic(op, a, b));
        }
    }
}
