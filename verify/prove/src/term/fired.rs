//! Records the folds that fire: each operation and the different term that the arena returned for it become a goal of their own.
//!
//! In such a goal, subterms more than a few operations below the roots are replaced by unknowns. If sampling then distinguishes the two sides, the
//! subterms are replaced at a greater depth. If other operations were folded during a fold, the fold's goal contains them unfolded, since each of
//! them has a goal of its own. Each thread records a fold only the first time it occurs; [`recording`] returns the recorded folds.

use super::arena::Arena;
use super::arm::Arm;
use super::hash::{Map, StableHash};
use super::node::{Node, Term, Ty};
use crate::goal::Goal;
use crate::number::boundaries;
use crate::rules::{Rules, distinguishes};
use lockstep_core::value::FUn;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// The depths, in order, to which the two sides of a pair are copied. The first depth at which sampling does not distinguish the sides is
/// used, otherwise the last one.
const DEPTHS: [u32; 5] = [3, 5, 7, 9, 24];
/// The number of draws of each of two kinds with which sampling compares the two sides of a pair, see [`distinguishes`].
const DRAWS: u64 = 300;

/// The folds that fired during a call, by a hash of their structure.
#[derive(Debug, Default)]
pub struct Fired {
    /// Goals for the folds of operations with at least one operand that is not a literal.
    pub pairs: BTreeMap<u64, Goal>,
    /// Folds of operations on literals.
    pub literals: BTreeMap<u64, Goal>,
    /// How often each arm (a place in the term constructor that folds) has fired. An operation that an arena has folded before is not counted.
    pub arms: BTreeMap<Arm, u64>,
}

impl Fired {
    /// Adds the folds that another thread has recorded.
    pub fn extend(&mut self, other: Fired) {
        self.pairs.extend(other.pairs);
        self.literals.extend(other.literals);
        for (arm, count) in other.arms {
            *self.arms.entry(arm).or_default() += count;
        }
    }
}

const ARM_COUNT: usize = Arm::ALL.len();

/// The state of recording on one thread.
struct Recorder {
    /// Hashes of the pairs seen so far, cut off at some depth, which is part of the hash. The value is true if the pair has to be cut off deeper.
    seen_pairs: Map<u64, bool>,
    new_folds: Fired,
    /// Rules generalised from the pairs seen so far: further instances of a rule need not be evaluated.
    rules: Rules,
    boundaries: Vec<u32>,
    values: Vec<u32>,
}

thread_local! {
    static ON: Cell<bool> = const { Cell::new(false) };
    static ARMS: RefCell<[u64; ARM_COUNT]> = const { RefCell::new([0; ARM_COUNT]) };
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

/// Runs `work`. Returns its result and the folds that fired for the first time on this thread; the counts of arms also
/// include folds that have fired before in another arena.
pub fn recording<R>(work: impl FnOnce() -> R) -> (R, Fired) {
    let before = ON.replace(true);
    let result = work();
    ON.set(before);
    let fresh = RECORDER.with_borrow_mut(|r| r.as_mut().map(|r| std::mem::take(&mut r.new_folds)));
    let mut fired = fresh.unwrap_or_default();
    let counts = ARMS.replace([0; ARM_COUNT]);
    fired.arms = Arm::ALL.iter().copied().zip(counts).filter(|(_, count)| *count > 0).collect();
    (result, fired)
}

/// Forgets the folds that this thread has recorded, before another run begins.
pub fn forget() {
    RECORDER.set(None);
    ARMS.set([0; ARM_COUNT]);
}

fn with_recorder(record: impl FnOnce(&mut Recorder)) {
    if !ON.get() {
        return;
    }
    RECORDER.with_borrow_mut(|r| {
        record(r.get_or_insert_with(|| Recorder {
            seen_pairs: Map::default(),
            new_folds: Fired::default(),
            rules: Rules::default(),
            boundaries: boundaries(),
            values: Vec::new(),
        }));
    });
}

/// Counts that an arm has fired.
pub(super) fn count(arm: Arm) {
    if ON.get() {
        ARMS.with_borrow_mut(|arms| arms[arm as usize] += 1);
    }
}

/// Whether this thread records folds.
pub(super) fn is_recording() -> bool {
    ON.get()
}

/// Records that `node` was folded to `term` under `conditions`; `inner` are the operations folded during this fold.
pub(super) fn folded(
    arena: &Arena,
    node: &Node,
    term: Term,
    inner: &[(Node, Term)],
    conditions: &[(Term, bool)],
) {
    with_recorder(|recorder| recorder.folded(arena, node, term, inner, conditions));
}

/// Records that `condition` was found to be false whenever `conditions` have the given truth values.
pub(super) fn record_never_holds(arena: &mut Arena, condition: Term, conditions: &[(Term, bool)]) {
    let never = arena.intern(Node::LitB(false));
    with_recorder(|recorder| recorder.folded(arena, &arena.node(condition).clone(), never, &[], conditions));
}

/// Records that operands of `node` that a path has decided, with their truth values in `answers`, were replaced by these values, giving `rebuilt`.
pub(super) fn record_answers(arena: &Arena, node: &Node, answers: &[(Term, bool)], rebuilt: &Node) {
    with_recorder(|recorder| {
        let mut pair = PairWalk::new(arena, &[], 1);
        pair.root(node);
        for (t, v) in answers {
            (pair.number(*t, 1), v).hash(&mut pair.hasher);
        }
        pair.root(rebuilt);
        pair.explore();
        let key = pair.hasher.finish();
        if recorder.seen_pairs.insert(key, false).is_none() {
            let goal = pair.goal(node, Err(rebuilt), answers);
            recorder.new_folds.pairs.insert(key, goal);
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
        conditions: &[(Term, bool)],
    ) {
        let literal = node.operands().iter().all(|t| arena.node(*t).literal().is_some());
        for depth in DEPTHS {
            let mut pair = PairWalk::new(arena, inner, depth);
            pair.root(node);
            pair.explore();
            pair.left = pair.known.len();
            let number = pair.number(term, 0);
            number.hash(&mut pair.hasher);
            if number as usize == pair.left {
                pair.unfold(pair.left, inner.len());
            }
            pair.explore();
            for (condition, holds) in conditions {
                let number = pair.number(*condition, 0);
                (number, holds).hash(&mut pair.hasher);
                pair.explore();
            }
            let key = pair.hasher.finish();
            let deeper = match self.seen_pairs.get(&key) {
                Some(deeper) => *deeper,
                None => {
                    let goal = pair.goal(node, Ok(term), conditions);
                    let last = literal || depth == DEPTHS[DEPTHS.len() - 1];
                    let deeper = !last && self.distinguishes(&goal);
                    if !deeper {
                        let fresh = &mut self.new_folds;
                        let kind = if literal { &mut fresh.literals } else { &mut fresh.pairs };
                        kind.insert(key, goal);
                    }
                    self.seen_pairs.insert(key, deeper);
                    deeper
                }
            };
            if !deeper {
                return;
            }
        }
    }

    /// Whether sampling distinguishes the sides of a pair.
    fn distinguishes(&mut self, goal: &Goal) -> bool {
        if self.rules.contains_rule_for(goal) {
            return false;
        }
        if distinguishes(goal, &self.boundaries, DRAWS, &mut self.values) {
            return true;
        }
        self.rules.learn(goal, &self.boundaries).is_err()
    }
}

/// The terms near the roots of a pair in breadth-first order, those of the left side first.
struct PairWalk<'a> {
    arena: &'a Arena,
    inner: &'a [(Node, Term)],
    limit: u32,
    hasher: StableHash,
    /// Terms with their depth, and the index in `inner` of the term's unfolded form.
    known: SmallVec<[(Term, u32, Option<usize>); 32]>,
    /// The number of terms explored.
    explored: usize,
    /// The number of terms of the left side.
    left: usize,
}

impl<'a> PairWalk<'a> {
    fn new(arena: &'a Arena, inner: &'a [(Node, Term)], limit: u32) -> Self {
        // The depth is part of the hash even if nothing was cut off.
        let mut hasher = StableHash::default();
        limit.hash(&mut hasher);
        PairWalk { arena, inner, limit, hasher, known: SmallVec::new(), explored: 0, left: usize::MAX }
    }

    fn number(&mut self, term: Term, depth: u32) -> u32 {
        let at = self.known.iter().position(|(known, ..)| *known == term).unwrap_or_else(|| {
            self.known.push((term, depth, None));
            self.known.len() - 1
        });
        at as u32
    }

    /// Returns the node of a term; on the right side, the node before it was folded.
    fn node(&self, at: usize) -> &'a Node {
        let term = self.known[at].0;
        self.known[at].2.map_or_else(|| self.arena.node(term), |entry| &self.inner[entry].0)
    }

    /// Looks up the unfolded form of a term of the right side. Only operations that were folded before the operation that uses the term are searched,
    /// so that there are no cycles.
    fn unfold(&mut self, at: usize, before: usize) {
        let term = self.known[at].0;
        let new =
            |t: &Term| self.known.iter().position(|(known, ..)| known == t).is_none_or(|k| k < self.left);
        let is_it = |(node, folded): &(Node, Term)| *folded == term && node.operands().iter().all(new);
        self.known[at].2 = self.inner[..before].iter().rposition(is_it);
    }

    fn root(&mut self, node: &Node) {
        hash_operation(&mut self.hasher, node);
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
                hash_operation(&mut self.hasher, node);
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
        // The result of the fold is always included.
        let root = at == self.left && self.known[at].1 == 0;
        let unknown = matches!(node, Node::Unknown(..) | Node::Apply(..));
        node.literal().is_none() && (unknown || !root && (is_opaque(node) || self.known[at].1 >= self.limit))
    }

    /// Returns the goal that the sides are equal where the conditions have these truth values.
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
        Goal::on_paths(&[path], &to, left, right).0
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

/// Whether a node is uninterpreted for the solver. These nodes can be evaluated, but evaluating them would lead to rules that the solver cannot
/// prove.
fn is_opaque(node: &Node) -> bool {
    let unknown = matches!(node, Node::Unknown(..) | Node::Apply(..));
    unknown || matches!(node, Node::Un(FUn::Exp2 | FUn::Log2 | FUn::Sin | FUn::Cos, _))
}

/// Hashes an operation without its operands.
fn hash_operation(hasher: &mut StableHash, node: &Node) {
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
