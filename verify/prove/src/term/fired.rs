//! The folds that fire: every operation and the different term that the arena gives for it, as a goal of its own.
//!
//! A pair is cut off below a few operations, where everything is made unknown, unless numbers tell its sides apart then: it is cut off deeper
//! down in that case. Where a fold has folded other operations on its way, its pair has these as they were, since they are pairs themselves.
//! Each thread records what it meets for the first time; [`recording`] hands that over.

use super::arena::Arena;
use super::hash::{Map, Mix};
use super::node::{Node, Term, Ty};
use crate::goal::Goal;
use crate::number::boundaries;
use crate::rules::{Rules, told_apart};
use lockstep_core::value::FUn;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// How many operations on top of one another a pair is about, the first at which numbers do not tell its sides apart.
const DEPTHS: [u32; 5] = [3, 5, 7, 9, 24];
/// Draws that decide that.
const DRAWS: u64 = 300;

/// What fired while some work was done, by a hash of its structure.
#[derive(Debug, Default)]
pub struct Fired {
    /// Pairs with unknowns.
    pub pairs: BTreeMap<u64, Goal>,
    /// Operations on literals.
    pub literals: BTreeMap<u64, Goal>,
}

impl Fired {
    /// Adds what another thread has recorded.
    pub fn extend(&mut self, other: Fired) {
        self.pairs.extend(other.pairs);
        self.literals.extend(other.literals);
    }
}

/// What one thread has met.
struct Recorder {
    /// Pairs by their hash at some depth; whether they have to be cut off deeper down.
    met: Map<u64, bool>,
    fresh: Fired,
    /// What pairs that were met are instances of: these need not be tried on numbers.
    rules: Rules,
    boundaries: Vec<u32>,
    values: Vec<u32>,
}

thread_local! {
    static ON: Cell<bool> = const { Cell::new(false) };
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

/// Does some work and says what fired that had not fired before on this thread.
pub fn recording<R>(work: impl FnOnce() -> R) -> (R, Fired) {
    let before = ON.replace(true);
    let result = work();
    ON.set(before);
    let fresh = RECORDER.with_borrow_mut(|r| r.as_mut().map(|r| std::mem::take(&mut r.fresh)));
    (result, fresh.unwrap_or_default())
}

/// Forgets what this thread has met: another run begins.
pub fn forget() {
    RECORDER.set(None);
}

fn with(record: impl FnOnce(&mut Recorder)) {
    if !ON.get() {
        return;
    }
    RECORDER.with_borrow_mut(|r| {
        record(r.get_or_insert_with(|| Recorder {
            met: Map::default(),
            fresh: Fired::default(),
            rules: Rules::default(),
            boundaries: boundaries(),
            values: Vec::new(),
        }));
    });
}

/// Whether this thread records.
pub(super) fn is_on() -> bool {
    ON.get()
}

/// Records that `node` was folded to `term`, given some conditions; `inner` were folded on the way.
pub(super) fn folded(arena: &Arena, node: &Node, term: Term, inner: &[(Node, Term)], given: &[(Term, bool)]) {
    with(|recorder| recorder.folded(arena, node, term, inner, given));
}

/// Records that a condition was seen never to hold, given others.
pub(super) fn claimed(arena: &mut Arena, condition: Term, given: &[(Term, bool)]) {
    let never = arena.intern(Node::LitB(false));
    with(|recorder| recorder.folded(arena, &arena.node(condition).clone(), never, &[], given));
}

/// Records that under a path some operands of `node`, conditions that were asked, were replaced by their answers.
pub(super) fn answered(arena: &Arena, node: &Node, answers: &[(Term, bool)], anew: &Node) {
    with(|recorder| {
        let mut pair = Near::new(arena, &[], 1);
        pair.root(node);
        for (t, v) in answers {
            (pair.number(*t, 1), v).hash(&mut pair.hasher);
        }
        pair.root(anew);
        pair.explore();
        let key = pair.hasher.finish();
        if recorder.met.insert(key, false).is_none() {
            let goal = pair.goal(node, Err(anew), answers);
            recorder.fresh.pairs.insert(key, goal);
        }
    });
}

impl Recorder {
    fn folded(
        &mut self,
        arena: &Arena,
        node: &Node,
        term: Term,
        inner: &[(Node, Term)],
        given: &[(Term, bool)],
    ) {
        let literal = node.operands().iter().all(|t| arena.node(*t).literal().is_some());
        for depth in DEPTHS {
            let mut pair = Near::new(arena, inner, depth);
            pair.root(node);
            pair.explore();
            pair.left = pair.known.len();
            let number = pair.number(term, 0);
            number.hash(&mut pair.hasher);
            if number as usize == pair.left {
                pair.unfold(pair.left, inner.len());
            }
            pair.explore();
            for (condition, holds) in given {
                let number = pair.number(*condition, 0);
                (number, holds).hash(&mut pair.hasher);
                pair.explore();
            }
            let key = pair.hasher.finish();
            let deeper = match self.met.get(&key) {
                Some(deeper) => *deeper,
                None => {
                    let goal = pair.goal(node, Ok(term), given);
                    let last = literal || depth == DEPTHS[DEPTHS.len() - 1];
                    let deeper = !last && self.told_apart(&goal);
                    if !deeper {
                        let fresh = &mut self.fresh;
                        let kind = if literal { &mut fresh.literals } else { &mut fresh.pairs };
                        kind.insert(key, goal);
                    }
                    self.met.insert(key, deeper);
                    deeper
                }
            };
            if !deeper {
                return;
            }
        }
    }

    /// Whether numbers tell the sides of a pair apart.
    fn told_apart(&mut self, goal: &Goal) -> bool {
        if self.rules.have(goal) {
            return false;
        }
        if told_apart(goal, &self.boundaries, DRAWS, &mut self.values) {
            return true;
        }
        self.rules.learn(goal, &self.boundaries).is_err()
    }
}

/// The terms near the roots of a pair, in breadth-first order: those of the left side first.
struct Near<'a> {
    arena: &'a Arena,
    inner: &'a [(Node, Term)],
    limit: u32,
    hasher: Mix,
    /// Terms with their depth, and where in `inner` is what they were before.
    known: SmallVec<[(Term, u32, Option<usize>); 32]>,
    /// Terms that have been explored, and terms that the left side has.
    explored: usize,
    left: usize,
}

impl<'a> Near<'a> {
    fn new(arena: &'a Arena, inner: &'a [(Node, Term)], limit: u32) -> Self {
        // A pair that is cut off nowhere is another one at another depth.
        let mut hasher = Mix::default();
        limit.hash(&mut hasher);
        Near { arena, inner, limit, hasher, known: SmallVec::new(), explored: 0, left: usize::MAX }
    }

    fn number(&mut self, term: Term, depth: u32) -> u32 {
        let at = self.known.iter().position(|(known, ..)| *known == term).unwrap_or_else(|| {
            self.known.push((term, depth, None));
            self.known.len() - 1
        });
        at as u32
    }

    /// The operation of a term: on the right side, as it was before it was folded.
    fn node(&self, at: usize) -> &'a Node {
        let term = self.known[at].0;
        self.known[at].2.map_or_else(|| self.arena.node(term), |entry| &self.inner[entry].0)
    }

    /// Looks up what a term of the right side was before it was folded: among what was folded before that which it is an operand of, so that
    /// nothing leads back to itself.
    fn unfold(&mut self, at: usize, before: usize) {
        let term = self.known[at].0;
        let new =
            |t: &Term| self.known.iter().position(|(known, ..)| known == t).is_none_or(|k| k < self.left);
        let is_it = |(node, folded): &(Node, Term)| *folded == term && node.operands().iter().all(new);
        self.known[at].2 = self.inner[..before].iter().rposition(is_it);
    }

    fn root(&mut self, node: &Node) {
        op(&mut self.hasher, node);
        for operand in node.operands() {
            self.number(operand, 1).hash(&mut self.hasher);
        }
    }

    fn explore(&mut self) {
        while self.explored < self.known.len() {
            let at = self.explored;
            self.explored += 1;
            let (_, depth, unfolded) = self.known[at];
            let node = self.node(at);
            node.ty().hash(&mut self.hasher);
            if let Some(bits) = node.literal() {
                (true, bits).hash(&mut self.hasher);
            } else if !self.hidden(at) {
                op(&mut self.hasher, node);
                for operand in node.operands() {
                    let new = self.known.len();
                    let number = self.number(operand, depth + 1);
                    number.hash(&mut self.hasher);
                    if self.known.len() > new && at >= self.left {
                        self.unfold(new, unfolded.unwrap_or(self.inner.len()));
                    }
                }
            }
        }
    }

    fn hidden(&self, at: usize) -> bool {
        let node = self.node(at);
        // What a fold comes to is looked at in any case.
        let root = at == self.left && self.known[at].1 == 0;
        let unknown = matches!(node, Node::Unknown(..) | Node::Apply(..));
        node.literal().is_none() && (unknown || !root && (is_opaque(node) || self.known[at].1 >= self.limit))
    }

    /// The goal that the sides are equal wherever the answers are given.
    fn goal(&self, left: &Node, right: Result<Term, &Node>, answers: &[(Term, bool)]) -> Goal {
        let mut to = Arena::default();
        let mut copies = vec![None; self.known.len()];
        let mut root = |to: &mut Arena, node: &Node| {
            let node = node.map(|t| self.copy(self.at(t), to, &mut copies));
            to.intern(node)
        };
        let left = root(&mut to, left);
        let right = match right {
            Err(node) => root(&mut to, node),
            Ok(term) => self.copy(self.at(term), &mut to, &mut copies),
        };
        let path = answers.iter().map(|(t, v)| (self.copy(self.at(*t), &mut to, &mut copies), *v)).collect();
        Goal::on(&[path], &to, left, right).0
    }

    fn at(&self, term: Term) -> usize {
        self.known.iter().position(|(known, ..)| *known == term).unwrap_or_default()
    }

    fn copy(&self, at: usize, to: &mut Arena, copies: &mut [Option<Term>]) -> Term {
        if let Some(copy) = copies[at] {
            return copy;
        }
        let node = self.node(at);
        let copy = if self.hidden(at) {
            to.unknown(node.ty(), &at.to_string())
        } else {
            let node = node.map(|t| self.copy(self.at(t), to, copies));
            to.intern(node)
        };
        copies[at] = Some(copy);
        copy
    }
}

/// What the solver knows nothing of: numbers, which do, would make rules of it that it cannot follow.
fn is_opaque(node: &Node) -> bool {
    let unknown = matches!(node, Node::Unknown(..) | Node::Apply(..));
    unknown || matches!(node, Node::Un(FUn::Exp2 | FUn::Log2 | FUn::Sin | FUn::Cos, _))
}

/// Hashes an operation without its operands.
fn op(hasher: &mut Mix, node: &Node) {
    std::mem::discriminant(node).hash(hasher);
    match node {
        Node::Un(op, _) => op.hash(hasher),
        Node::Bin(op, ..) => op.hash(hasher),
        Node::Cmp(op, ..) => op.hash(hasher),
        Node::IBin(op, ..) => op.hash(hasher),
        Node::ICmp(op, ..) => op.hash(hasher),
        Node::Logic(op, ..) => op.hash(hasher),
        Node::Sel(ty, ..) => (ty as &Ty).hash(hasher),
        _ => {}
    }
}
