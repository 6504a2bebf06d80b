//! Sweeping: merges terms of a goal from the leaves up, each merge justified by a small lemma.
//!
//! A rewritten program differs from its reference in many places, each of them small: a comparison of a value with itself, a sum with zero. As a
//! whole, such a goal is too hard for a solver. So its terms are rebuilt, operands first. An earlier term or a literal replaces a later term if both
//! have the same values on some random samples, and still have the same values after their deeper subterms are replaced by unknowns. The equality of
//! the two terms becomes a lemma. If both sides of the goal become one term, the lemmas imply the goal. If two conditions of a path become one term,
//! but have different truth values on the path, the lemmas imply that the path is infeasible.

use crate::claims::OpenGoal;
use crate::goal::{Goal, Names};
use crate::instance::is_instance;
use crate::number::{Signatures, search};
use crate::sabotage::{self, Sabotage};
use crate::term::{Arena, Function, Node, Term, Ty};
use lockstep_core::value::FUn;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The number of draws on which two terms must have the same values to be merged.
const MERGE_DRAWS: u64 = 64;
/// The number of draws that must not refute a lemma before it is put to the solver.
const DRAWS: u64 = 4000;
/// The maximum number of terms with the same values with which a term is compared.
const MAX_CANDIDATES: usize = 6;
/// The maximum depth of a lemma's terms. Random sampling rarely distinguishes deeper terms.
const MAX_DEPTH: usize = 3;

/// Returns lemmas that together imply the goal; `None` if the lemmas found do not imply it.
///
/// `failed` are goals not to be used as lemmas: the solver has refuted them or gave no answer for them.
///
/// # Errors
/// If a term has replaced another although their equality is an instance of none of the lemmas.
#[allow(clippy::implicit_hasher)] // one set, made in one place
pub fn sweep(
    open: &OpenGoal,
    boundaries: &[u32],
    failed: &HashSet<Goal>,
) -> Result<Option<Vec<OpenGoal>>, String> {
    let goal = &open.goal;
    let seen = Signatures::new(goal, boundaries, MERGE_DRAWS);
    let mut sweeper = Sweeper::new(open, boundaries, failed);
    for (at, node) in goal.nodes.iter().enumerate() {
        sweeper.add(node, seen.everywhere[at], seen.first[at], seen.constant[at]);
    }
    sweeper.conclusion()
}

struct Sweeper<'a> {
    open: &'a OpenGoal,
    boundaries: &'a [u32],
    failed: &'a HashSet<Goal>,
    arena: Arena,
    functions: Vec<Function>,
    /// The replacement of each term of the goal, and the lemmas that imply that the two are equal.
    merged: Vec<(Term, BTreeSet<usize>)>,
    /// Terms by their values on the draws, each with its first value. A condition and its negation share an entry.
    by_values: HashMap<(Ty, u64), Vec<(Term, u32)>>,
    /// The replacement of each replaced term, and the lemma that justifies it.
    replaced: HashMap<Term, (Term, usize)>,
    lemmas: Vec<(Goal, Names)>,
    values: Vec<u32>,
}

impl<'a> Sweeper<'a> {
    fn new(open: &'a OpenGoal, boundaries: &'a [u32], failed: &'a HashSet<Goal>) -> Self {
        let mut arena = Arena::default();
        let functions = open.names.iter().map(|name| arena.function(name)).collect();
        Sweeper {
            open,
            boundaries,
            failed,
            arena,
            functions,
            merged: Vec::new(),
            by_values: HashMap::new(),
            replaced: HashMap::new(),
            lemmas: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Rebuilds the next term of the goal from its replaced operands, and looks for a term to replace it with.
    fn add(&mut self, node: &Node, hash: u64, first: u32, constant: Option<u32>) {
        let mut needed = BTreeSet::new();
        for operand in node.operands() {
            needed.extend(&self.merged[operand.0 as usize].1);
        }
        let built = self.build(node);
        let mut became = built;
        if let Some((other, lemma)) = self.replaced.get(&built) {
            became = *other;
            needed.insert(*lemma);
        } else if sabotage::is(Sabotage::MergesUnequal)
            && let Some((other, _)) =
                self.by_values.iter().find_map(|((ty, _), all)| (*ty == node.ty()).then_some(all)?.first())
        {
            became = *other;
        } else if self.is_replaceable(built) {
            let ty = self.arena.ty(built);
            let literal = constant.map(|bits| self.literal(ty, bits));
            let known = self.by_values.entry((ty, hash)).or_default();
            if !known.contains(&(built, first)) {
                let (arena, known) = (&mut self.arena, known.iter().take(MAX_CANDIDATES));
                let alike = known
                    .map(|(t, v)| if *v == first || ty != Ty::B { *t } else { arena.fold(Node::Not(*t)) });
                let candidates: Vec<Term> = literal.into_iter().chain(alike).collect();
                // A candidate may be the term itself: the negation of an earlier condition.
                let found = if candidates.contains(&built) {
                    None
                } else {
                    candidates.into_iter().take(MAX_CANDIDATES).find_map(|c| Some((c, self.lemma(built, c)?)))
                };
                match found {
                    Some((other, lemma)) => {
                        let number = self.lemmas.len();
                        self.lemmas.push(lemma);
                        self.replaced.insert(built, (other, number));
                        needed.insert(number);
                        became = other;
                    }
                    None => self.by_values.entry((ty, hash)).or_default().push((built, first)),
                }
            }
        }
        self.merged.push((became, needed));
    }

    /// Rebuilds a term of the goal from its replaced operands.
    fn build(&mut self, node: &Node) -> Term {
        let mut node = node.map(|t| self.merged[t.0 as usize].0);
        if let Node::Unknown(_, f) | Node::Apply(_, f, _) = &mut node {
            *f = self.functions[f.0 as usize];
        }
        self.arena.fold(node)
    }

    /// Whether a term may be replaced: it is neither a literal nor opaque.
    fn is_replaceable(&self, term: Term) -> bool {
        let node = self.arena.node(term);
        node.literal().is_none() && !is_opaque(node)
    }

    fn literal(&mut self, ty: Ty, bits: u32) -> Term {
        self.arena.intern(match ty {
            Ty::F => Node::LitF(bits),
            Ty::I => Node::LitI(bits as i32),
            Ty::B => Node::LitB(bits != 0),
        })
    }

    /// Returns the shallowest lemma that states that two terms are equal and that sampling does not refute; `None` if there is none up to
    /// [`MAX_DEPTH`].
    fn lemma(&mut self, left: Term, right: Term) -> Option<(Goal, Names)> {
        (0..=MAX_DEPTH).find_map(|depth| {
            let (goal, names) = self.goal_at_depth(left, right, depth)?;
            let refuted = search(&goal, self.boundaries, 0..DRAWS, &mut self.values);
            (!refuted && !self.failed.contains(&goal)).then_some((goal, names))
        })
    }

    /// Returns the goal that two terms are equal, in which unknowns replace every term `depth` or more operations below the two. Depth 0 is for a
    /// term and one of its operands: only the operation on the operand is kept. `None` if `right` is no operand of `left` at depth 0.
    fn goal_at_depth(&self, left: Term, right: Term, depth: usize) -> Option<(Goal, Names)> {
        let mut open = HashSet::new();
        let mut level = vec![left, right];
        if depth == 0 {
            level = self.open_one(left, &mut open);
            if !level.contains(&right) {
                return None;
            }
        }
        for _ in 0..depth {
            let mut next = Vec::new();
            for term in level {
                if !open.contains(&term) {
                    next.extend(self.open_one(term, &mut open));
                }
            }
            level = next;
        }
        let mut all: Vec<Term> = open.iter().copied().chain(level).collect();
        all.sort_unstable();
        all.dedup();
        let mut arena = Arena::default();
        let mut copies: HashMap<Term, Term> = HashMap::new();
        // Operands have smaller numbers, so ascending order meets them first.
        for term in all {
            let node = self.arena.node(term);
            let hidden = !open.contains(&term) || is_opaque(node);
            let copy = if node.literal().is_some() {
                arena.intern(node.clone())
            } else if hidden {
                let name = match node {
                    Node::Unknown(_, f) => self.arena.name(*f).to_owned(),
                    _ => format!("shared {}", term.0),
                };
                arena.unknown(node.ty(), &name)
            } else {
                let node = node.map(|t| copies.get(&t).copied().unwrap_or(t));
                // Literals first, so that a lemma and its mirror image are the same query.
                let node = node.in_order_of(|t| (arena.node(t).literal().is_none(), t));
                arena.intern(node)
            };
            copies.insert(term, copy);
        }
        Some(Goal::new(&arena, *copies.get(&left)?, *copies.get(&right)?))
    }

    /// Opens a term and the terms that form one operation with it: the condition of a select, or all the terms of a flush of subnormals. Returns
    /// the operands.
    fn open_one(&self, term: Term, open: &mut HashSet<Term>) -> Vec<Term> {
        open.insert(term);
        let node = self.arena.node(term);
        if is_opaque(node) {
            return Vec::new();
        }
        let flushed = self.arena.flushed(node);
        let mut operands = Vec::new();
        let mut work: Vec<Term> = node.operands().to_vec();
        while let Some(operand) = work.pop() {
            let below = self.arena.node(operand);
            let belongs = match flushed {
                Some(x) => operand != x && below.literal().is_none(),
                None => {
                    matches!(node, Node::Sel(..))
                        && matches!(below, Node::Cmp(..) | Node::ICmp(..) | Node::Logic(..) | Node::Not(..))
                }
            };
            if belongs {
                open.insert(operand);
                work.extend(below.operands());
            } else {
                operands.push(operand);
            }
        }
        operands
    }

    /// Returns the lemmas that imply the goal; `None` if the lemmas found do not imply it.
    fn conclusion(mut self) -> Result<Option<Vec<OpenGoal>>, String> {
        let goal = &self.open.goal;
        let became = |t: Term| &self.merged[t.0 as usize];
        let equal = (became(goal.left).0 == became(goal.right).0).then_some((goal.left, goal.right));
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        let mut roots: Vec<Term> = Vec::new();
        for path in &goal.paths {
            let Some((one, other)) = equal.or_else(|| self.contradiction(path)) else { return Ok(None) };
            needed.extend(became(one).1.union(&became(other).1));
            roots.extend([one, other]);
        }
        self.check_instances(&roots, &needed)?;
        let lemma = |(goal, names): &(Goal, Names)| OpenGoal {
            what: self.open.what.clone(),
            goal: goal.clone(),
            names: names.clone(),
            parts: None,
            fault: None,
        };
        Ok(Some(needed.into_iter().map(|k| lemma(&self.lemmas[k])).collect()))
    }

    /// Checks that every term at or below `roots` became the term rebuilt from its replaced operands, or a term whose equality with the rebuilt one
    /// is an instance of one of `lemmas`.
    fn check_instances(&mut self, roots: &[Term], lemmas: &BTreeSet<usize>) -> Result<(), String> {
        let goal = &self.open.goal;
        let Some(last) = roots.iter().max() else { return Ok(()) };
        let mut below = vec![false; last.0 as usize + 1];
        for root in roots {
            below[root.0 as usize] = true;
        }
        for at in (0..below.len()).rev().filter(|at| goal.nodes.len() > *at) {
            if !below[at] {
                continue;
            }
            let node = &goal.nodes[at];
            node.operands().iter().for_each(|operand| below[operand.0 as usize] = true);
            let (built, became) = (self.build(node), self.merged[at].0);
            let said = |k: &usize| is_instance(&self.lemmas[*k].0, &self.arena, built, became);
            if built != became && !lemmas.iter().any(said) {
                return Err("a term has taken the place of another without a lemma".to_owned());
            }
        }
        Ok(())
    }

    /// Returns two conditions of a path that merging turned into the same term although they have different truth values on the path. If merging
    /// turned a condition into a literal other than its truth value on the path, returns this condition twice.
    fn contradiction(&self, path: &[(Term, bool)]) -> Option<(Term, Term)> {
        let became = |t: Term| self.merged[t.0 as usize].0;
        let mut answers: HashMap<Term, (Term, bool)> = HashMap::new();
        path.iter().find_map(|(t, v)| {
            let now = became(*t);
            if self.arena.node(now).literal().is_some_and(|bits| (bits != 0) != *v) {
                return Some((*t, *t));
            }
            let (now, v) = match self.arena.node(now) {
                Node::Not(opposite) => (*opposite, !*v),
                _ => (now, *v),
            };
            let (first, answer) = *answers.entry(now).or_insert((*t, v));
            (answer != v).then_some((first, *t))
        })
    }
}

/// Whether a lemma should treat a term as an unknown. Evaluation never gives -0 for log2 and cos, but a solver, for which they are
/// uninterpreted functions, would refute lemmas that rely on this.
fn is_opaque(node: &Node) -> bool {
    matches!(node, Node::Unknown(..) | Node::Apply(..) | Node::Un(FUn::Log2 | FUn::Cos, _))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::boundaries;
    use lockstep_core::value::{FBin, FCmp, ICmp};

    fn open(arena: &Arena, assume: &[(Term, bool)], left: Term, right: Term) -> OpenGoal {
        let (goal, names) = Goal::on_paths(&[assume.to_vec()], arena, left, right);
        OpenGoal { what: "test".into(), goal, names, parts: None, fault: None }
    }

    #[test]
    fn nested_differences_become_separate_lemmas() {
        let mut a = Arena::default();
        let (x, y) = (a.unknown(Ty::F, "x"), a.unknown(Ty::F, "y"));
        // sin(i < i ? 1 : 0) is sin 0, and floor(floor x) is floor x.
        let (product, i) = (a.intern(Node::Bin(FBin::Mul, x, y)), a.unknown(Ty::I, "i"));
        let less = a.intern(Node::ICmp(ICmp::LtS, i, i));
        let (one, zero) = (a.intern(Node::LitF(0x3f80_0000)), a.intern(Node::LitF(0)));
        let choice = a.intern(Node::Sel(Ty::F, less, one, zero));
        let sine = a.intern(Node::Un(FUn::Sin, choice));
        let floor = a.intern(Node::Un(FUn::Floor, product));
        let twice = a.intern(Node::Un(FUn::Floor, floor));
        let left = a.intern(Node::Bin(FBin::Add, twice, sine));
        let right = a.intern(Node::Bin(FBin::Add, floor, zero));
        let lemmas = sweep(&open(&a, &[], left, right), &boundaries(), &HashSet::new()).unwrap().unwrap();
        assert_eq!(lemmas.len(), 2);
        for lemma in &lemmas {
            assert!(lemma.goal.nodes.len() <= 3, "{:?}", lemma.goal); // an operand, an operation, a literal
        }
        // A lemma that failed is not tried again.
        let failed: HashSet<Goal> = lemmas.iter().map(|lemma| lemma.goal.clone()).collect();
        let others = sweep(&open(&a, &[], left, right), &boundaries(), &failed).unwrap().unwrap_or_default();
        assert!(others.iter().all(|lemma| !failed.contains(&lemma.goal)));
        // Without the sum only one of the lemmas is needed.
        let of_one = sweep(&open(&a, &[], twice, floor), &boundaries(), &HashSet::new()).unwrap().unwrap();
        assert_eq!(of_one.len(), 1);
    }

    #[test]
    fn equal_conditions_cannot_have_different_answers_and_others_can() {
        let mut a = Arena::default();
        let (x, y) = (a.unknown(Ty::F, "x"), a.unknown(Ty::F, "y"));
        let floor = a.intern(Node::Un(FUn::Floor, x));
        let twice = a.intern(Node::Un(FUn::Floor, floor));
        let (of_one, of_two) =
            (a.intern(Node::Cmp(FCmp::Lt, floor, y)), a.intern(Node::Cmp(FCmp::Lt, twice, y)));
        let (opposite, lt) = (a.intern(Node::Not(of_two)), a.intern(Node::Cmp(FCmp::Lt, x, y)));
        let (b, none) = (boundaries(), HashSet::new());
        let lemmas = |path: &[(Term, bool)]| Some(sweep(&open(&a, path, x, y), &b, &none).unwrap()?.len());
        assert_eq!(lemmas(&[(of_one, true), (of_two, false)]), Some(1));
        assert_eq!(lemmas(&[(of_one, true), (opposite, true)]), Some(1));
        assert_eq!(lemmas(&[(of_one, true), (of_two, true)]), None);
        assert_eq!(lemmas(&[(of_one, true), (lt, false)]), None);
        // One feasible path is enough to keep the goal open.
        let paths = [vec![(of_one, true), (of_two, false)], vec![(of_one, true)]];
        let (goal, names) = Goal::on_paths(&paths, &a, x, y);
        let open = OpenGoal { what: "test".into(), goal, names, parts: None, fault: None };
        assert!(sweep(&open, &b, &none).unwrap().is_none());
    }

    #[test]
    fn terms_that_evaluation_distinguishes_are_not_merged() {
        let mut a = Arena::default();
        let (x, zero) = (a.unknown(Ty::F, "x"), a.intern(Node::LitF(0)));
        let sum = a.intern(Node::Bin(FBin::Add, x, zero)); // -0 + 0 is +0
        assert!(sweep(&open(&a, &[], sum, x), &boundaries(), &HashSet::new()).unwrap().is_none());
    }
}
