//! Folds as rules: each fold that fired is generalised as far as sampling allows, so that thousands of instances become a few hundred goals.
//!
//! An instance follows from a rule if it is the rule with terms in place of unknowns, up to the order of the operands of
//! commutative operations. Commutativity is a fold of its own.

use crate::goal::{Goal, Names};
use crate::number::{Assignment, evaluate, refutes, search};
use crate::smt;
use crate::term::{Arena, Function, Node, Term, Ty};
use lockstep_core::value::{CANONICAL_NAN, FUn};
use std::collections::HashMap;
use std::fmt::Write;

/// The number of draws of each of the two kinds (see [`distinguishes`]) that a rule must survive.
const DRAWS: u64 = 4000;
/// The maximum number of commutative operations whose operands are tried in both orders to find a goal's normal form.
const MAX_EXCHANGES: u32 = 6;

/// A rule, and the instance from which it was generalised.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The generalised goal.
    pub goal: Goal,
    /// The instance from which the goal was generalised: a fold that fired.
    pub instance: Goal,
}

/// Whether some draw distinguishes the sides of a goal: first `draws` draws of values that often coincide, then as many draws of
/// [`search`].
pub fn distinguishes(goal: &Goal, boundaries: &[u32], draws: u64, values: &mut Vec<u32>) -> bool {
    let special = [0, 1 << 31, 0x3f80_0000, CANONICAL_NAN];
    let ints = special.into_iter().chain([1, i32::MAX as u32]).collect();
    let mut collisions = CoincidingValues { ints, floats: special.to_vec(), draw: 0 };
    for node in &goal.nodes {
        match node {
            Node::LitI(v) => collisions.ints.push(*v as u32),
            Node::LitF(bits) => {
                collisions.floats.push(*bits);
                collisions.ints.push(*bits);
            }
            _ => {}
        }
    }
    (0..draws).any(|draw| {
        collisions.draw = draw;
        evaluate(goal, &mut collisions, values);
        refutes(goal, values)
    }) || search(goal, boundaries, 0..draws, values)
}

/// Draws unknowns from the literals of a goal and a few more values, so that unknowns often have equal values.
struct CoincidingValues {
    ints: Vec<u32>,
    floats: Vec<u32>,
    draw: u64,
}

impl Assignment for CoincidingValues {
    fn value(&mut self, function: Function, ty: Ty, _: &[u32]) -> u32 {
        let mixed = (self.draw + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ u64::from(function.0) << 17 | 1);
        let pick = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33;
        match (ty, self.draw % 3) {
            // Long sums show the sign of zero only where all addends are zeros.
            (Ty::F, 0) => ((pick & 1) as u32) << 31,
            (Ty::F, _) => self.floats[pick as usize % self.floats.len()],
            (Ty::I, _) => self.ints[pick as usize % self.ints.len()],
            (Ty::B, _) => (pick & 1) as u32,
        }
    }
}

/// Rules, indexed by the operation at the root of the left side.
#[derive(Debug, Default)]
pub struct Rules {
    by_root: HashMap<Node, Vec<Rule>>,
}

/// Returns the operation at the root of the left side, without its operands.
fn root(goal: &Goal) -> Node {
    goal.node(goal.left).map(|_| Term(0))
}

impl Rules {
    /// Whether an instance follows from one of the rules.
    pub fn contains_rule_for(&self, instance: &Goal) -> bool {
        let rules = self.by_root.get(&root(instance));
        let commutes = is_commutativity(instance);
        let is_of = |rule: &Rule| commutes == is_commutativity(&rule.goal) && follows(&rule.goal, instance);
        rules.is_some_and(|rules| rules.iter().any(is_of))
    }

    /// Generalises `instance` to a rule and adds the rule.
    ///
    /// # Errors
    /// The values of the instance's terms if evaluation refutes it.
    pub fn learn(&mut self, instance: &Goal, boundaries: &[u32]) -> Result<(), Vec<u32>> {
        let mut values = Vec::new();
        if distinguishes(instance, boundaries, DRAWS, &mut values) {
            return Err(values);
        }
        let goal = generalise(instance, boundaries);
        self.by_root.entry(root(instance)).or_default().push(Rule { goal, instance: instance.clone() });
        Ok(())
    }

    /// Returns all rules, ordered by the texts of their goals.
    pub fn all(&self) -> Vec<&Rule> {
        let mut all: Vec<&Rule> = self.by_root.values().flatten().collect();
        all.sort_by_cached_key(|rule| smt::query(&rule.goal));
        all
    }
}

/// Whether one side of a goal is the other with its operands exchanged. In comparisons of all other goals, the order of operands of commutative
/// operations does not matter.
pub fn is_commutativity(goal: &Goal) -> bool {
    let (left, right) = (goal.node(goal.left), goal.node(goal.right));
    let (a, b) = (left.operands(), right.operands());
    left.map(|_| Term(0)) == right.map(|_| Term(0)) && a.len() == 2 && a[0] == b[1] && a[1] == b[0]
}

/// Whether `instance` is `rule` with terms in place of unknowns, and each of its paths has all conditions of the rule.
pub fn follows(rule: &Goal, instance: &Goal) -> bool {
    let [conditions] = rule.paths.as_slice() else { return false };
    let sides = vec![(rule.left, instance.left), (rule.right, instance.right)];
    instance.paths.iter().all(|path| follows_on(rule, instance, conditions, path, &sides))
}

/// Whether `instance` follows from `rule` on one path, given pairs of terms that must match. Each condition of the rule is paired with a condition of
/// the path that has the same truth value.
fn follows_on(
    rule: &Goal,
    instance: &Goal,
    conditions: &[(Term, bool)],
    path: &[(Term, bool)],
    pairs: &[(Term, Term)],
) -> bool {
    let Some(((of_rule, holds), rest)) = conditions.split_first() else {
        return bind(rule, instance, pairs, vec![None; rule.nodes.len()]).is_some();
    };
    path.iter().filter(|(_, v)| v == holds).any(|(term, _)| {
        let pairs: Vec<(Term, Term)> = pairs.iter().copied().chain([(*of_rule, *term)]).collect();
        follows_on(rule, instance, rest, path, &pairs)
    })
}

type Bound = Vec<Option<Term>>;

/// Extends a binding so that each pair, a term of the rule and a term of the instance, matches.
fn bind(rule: &Goal, instance: &Goal, pairs: &[(Term, Term)], mut bound: Bound) -> Option<Bound> {
    let Some(((of_rule, term), rest)) = pairs.split_first() else { return Some(bound) };
    let (of_rule, term) = (*of_rule, *term);
    match bound[of_rule.0 as usize] {
        Some(known) if known == term => return bind(rule, instance, rest, bound),
        Some(_) => return None,
        None => bound[of_rule.0 as usize] = Some(term),
    }
    let (general, node) = (rule.node(of_rule), instance.node(term));
    // A non-negative literal is its own absolute value.
    if let (Node::Un(FUn::Abs, of), Node::LitF(bits)) = (general, node)
        && bits >> 31 == 0
    {
        let pairs: Vec<(Term, Term)> = [(*of, term)].into_iter().chain(rest.iter().copied()).collect();
        return bind(rule, instance, &pairs, bound);
    }
    if let Node::Unknown(ty, _) = general {
        return if *ty == node.ty() { bind(rule, instance, rest, bound) } else { None };
    }
    if general.map(|_| Term(0)) != node.map(|_| Term(0)) {
        return None;
    }
    let (a, b) = (general.operands(), node.operands());
    let more = |exchanged: bool| -> Vec<(Term, Term)> {
        let other = |k: usize| if exchanged { b[1 - k] } else { b[k] };
        a.iter().enumerate().map(|(k, t)| (*t, other(k))).chain(rest.iter().copied()).collect()
    };
    let straight = bind(rule, instance, &more(false), bound.clone());
    if straight.is_some() || !node.commutes() {
        return straight;
    }
    bind(rule, instance, &more(true), bound)
}

/// Replaces as many terms by unknowns, and drops as many conditions, as sampling allows. Returns the normal
/// form, except that commutativity itself is returned as it is.
fn generalise(instance: &Goal, boundaries: &[u32]) -> Goal {
    let (mut goal, mut values) = (instance.clone(), Vec::new());
    // From the root down: an unknown has nothing below it.
    let mut at = 0;
    while let Some(term) = candidates(&goal).get(at).copied() {
        let unknown = rebuild(&goal, &|t, node| {
            if t == term { Replacement::Unknown } else { Replacement::Node(node.clone()) }
        });
        // Of a non-negative literal, perhaps only its sign is needed.
        let size = rebuild(&goal, &|t, node| {
            if t == term { Replacement::Absolute } else { Replacement::Node(node.clone()) }
        });
        let has_sign = !matches!(goal.node(term), Node::LitF(bits) if bits >> 31 == 0);
        let mut holds = |general: &Goal| !distinguishes(general, boundaries, DRAWS, &mut values);
        if holds(&unknown) {
            goal = unknown;
        } else if !has_sign && holds(&size) {
            goal = size;
            at += 1;
        } else {
            at += 1;
        }
    }
    for path in 0..goal.paths.len() {
        let mut at = 0;
        while at < goal.paths[path].len() {
            let mut general = goal.clone();
            general.paths[path].remove(at);
            if distinguishes(&general, boundaries, DRAWS, &mut values) {
                at += 1;
            } else {
                goal = general;
            }
        }
    }
    if is_commutativity(&goal) { goal } else { normal_form(&goal) }
}

/// Returns the terms of the left side that may be replaced by unknowns, those nearest the root first.
fn candidates(goal: &Goal) -> Vec<Term> {
    let mut found = vec![goal.left];
    let mut at = 0;
    while let Some(term) = found.get(at) {
        for operand in goal.node(*term).operands() {
            if !found.contains(&operand) {
                found.push(operand);
            }
        }
        at += 1;
    }
    found.retain(|t| *t != goal.left && !matches!(goal.node(*t), Node::Unknown(..)));
    found
}

/// The replacement for a term.
enum Replacement {
    /// An operation on the replaced operands.
    Node(Node),
    /// An unknown.
    Unknown,
    /// The absolute value of an unknown.
    Absolute,
}

/// Returns the goal with each term replaced as `change` specifies.
fn rebuild(goal: &Goal, change: &dyn Fn(Term, &Node) -> Replacement) -> Goal {
    let mut arena = Arena::default();
    let functions: Vec<_> =
        (0..goal.symbols.len()).map(|number| arena.function(&format!("s{number}"))).collect();
    let mut copies: Vec<Term> = Vec::with_capacity(goal.nodes.len());
    for (at, node) in goal.nodes.iter().enumerate() {
        let copy = match change(Term(at as u32), node) {
            Replacement::Unknown => arena.unknown(node.ty(), &format!("t{at}")),
            Replacement::Absolute => {
                let unknown = arena.unknown(Ty::F, &format!("t{at}"));
                arena.intern(Node::Un(FUn::Abs, unknown))
            }
            Replacement::Node(node) => {
                let mut node = node.map(|t| copies[t.0 as usize]);
                if let Node::Unknown(_, f) | Node::Apply(_, f, _) = &mut node {
                    *f = functions[f.0 as usize];
                }
                arena.intern(node)
            }
        };
        copies.push(copy);
    }
    let copy = |t: Term| copies[t.0 as usize];
    let paths: Vec<_> =
        goal.paths.iter().map(|path| path.iter().map(|(t, v)| (copy(*t), *v)).collect()).collect();
    Goal::on_paths(&paths, &arena, copy(goal.left), copy(goal.right)).0
}

/// Returns a normal form of a goal: goals that differ only in the order of operands of their first `MAX_EXCHANGES` commutative operations have the
/// same normal form.
pub fn normal_form(goal: &Goal) -> Goal {
    let commuting: Vec<Term> =
        (0..goal.nodes.len() as u32).map(Term).filter(|t| goal.node(*t).commutes()).collect();
    let exchanges = 1u32 << commuting.len().min(MAX_EXCHANGES as usize);
    let forms = (0..exchanges).map(|exchanged| {
        rebuild(goal, &|t, node| {
            let at = commuting.iter().position(|c| *c == t);
            if at.is_some_and(|at| at < MAX_EXCHANGES as usize && exchanged >> at & 1 == 1) {
                let mut operands = node.operands().into_iter().rev();
                return Replacement::Node(node.map(|t| operands.next().unwrap_or(t)));
            }
            Replacement::Node(node.clone())
        })
    });
    forms.min_by_cached_key(smt::query).unwrap_or_else(|| goal.clone())
}

trait MinByCachedKey: Iterator + Sized {
    fn min_by_cached_key<K: Ord>(self, key: impl Fn(&Self::Item) -> K) -> Option<Self::Item> {
        self.map(|item| (key(&item), item)).min_by(|a, b| a.0.cmp(&b.0)).map(|(_, item)| item)
    }
}
impl<T: Iterator> MinByCachedKey for T {}

/// Returns names for the unknowns of a rule: `x` for floats, `i` for integers, `p` for truth values, each with a number.
pub fn names(goal: &Goal) -> Names {
    let letter = |ty: Ty| match ty {
        Ty::F => "x",
        Ty::I => "i",
        Ty::B => "p",
    };
    goal.symbols.iter().enumerate().map(|(k, s)| format!("{}{k}", letter(s.ty))).collect()
}

/// Returns a rule as one line of text.
pub fn text(goal: &Goal) -> String {
    let names = names(goal);
    let mut line =
        format!("{} = {}", expression(goal, &names, goal.left), expression(goal, &names, goal.right));
    for (t, v) in goal.paths.iter().flatten() {
        let _ = write!(line, " where {} is {v}", expression(goal, &names, *t));
    }
    line
}

fn expression(goal: &Goal, names: &Names, term: Term) -> String {
    let node = goal.node(term);
    if let Some(bits) = node.literal() {
        return match node.ty() {
            Ty::F => format!("{:?}", f32::from_bits(bits)),
            Ty::I => (bits as i32).to_string(),
            Ty::B => (bits != 0).to_string(),
        };
    }
    if let Node::Unknown(_, f) = node {
        return names[f.0 as usize].clone();
    }
    let operands: Vec<String> = node.operands().iter().map(|t| expression(goal, names, *t)).collect();
    format!("{}({})", crate::verdict::operation(goal, names, term), operands.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::boundaries;
    use lockstep_core::value::{BBin, FBin, FCmp, IBin};

    fn goal(build: impl FnOnce(&mut Arena) -> (Term, Term)) -> Goal {
        let mut arena = Arena::default();
        let (left, right) = build(&mut arena);
        Goal::new(&arena, left, right).0
    }

    fn x(a: &mut Arena) -> Term {
        a.unknown(Ty::F, "x")
    }
    fn double_negation(a: &mut Arena, x: Term) -> (Term, Term) {
        let once = a.intern(Node::Un(FUn::Neg, x));
        (a.intern(Node::Un(FUn::Neg, once)), x)
    }

    #[test]
    fn an_instance_is_generalised_to_its_rule() {
        let instance = goal(|a| {
            let x = x(a);
            let floor = a.intern(Node::Un(FUn::Floor, x));
            let sum = a.intern(Node::Bin(FBin::Add, x, floor));
            double_negation(a, sum)
        });
        let rule = goal(|a| {
            let x = x(a);
            double_negation(a, x)
        });
        let mut rules = Rules::default();
        assert!(!rules.contains_rule_for(&instance));
        rules.learn(&instance, &boundaries()).unwrap();
        assert_eq!(rules.all()[0].goal, rule);
        assert!(rules.contains_rule_for(&instance) && rules.contains_rule_for(&rule));
        // Another root operation does not match, and the other side must match too.
        assert!(!rules.contains_rule_for(&goal(|a| (a.unknown(Ty::F, "x"), a.unknown(Ty::F, "y")))));
        let wrong = goal(|a| {
            let (x, y) = (x(a), a.unknown(Ty::F, "y"));
            (double_negation(a, x).0, y)
        });
        assert!(!rules.contains_rule_for(&wrong));
        assert!(rules.learn(&wrong, &boundaries()).is_err());
    }

    #[test]
    fn literals_become_unknown_where_the_sides_agree_for_all_of_them() {
        let instance = |folded: bool| {
            goal(|a| {
                let (i, five, seven) =
                    (a.unknown(Ty::I, "i"), a.intern(Node::LitI(5)), a.intern(Node::LitI(7)));
                let inner = a.intern(Node::IBin(IBin::Add, i, five));
                let left = a.intern(Node::IBin(IBin::Add, inner, seven));
                let sum = if folded { Node::LitI(12) } else { Node::IBin(IBin::Add, five, seven) };
                let sum = a.intern(sum);
                (left, a.intern(Node::IBin(IBin::Add, i, sum)))
            })
        };
        let (general, special) =
            (generalise(&instance(false), &boundaries()), generalise(&instance(true), &boundaries()));
        assert_eq!(general.symbols.len(), 3);
        assert_eq!(special.symbols.len(), 1);
        assert!(follows(&general, &instance(false)) && follows(&special, &instance(true)));
        assert!(!follows(&general, &instance(true)));
    }

    #[test]
    fn operands_in_another_order_make_the_same_rule_and_order_counts_elsewhere() {
        let sum = |swapped: bool, op: FCmp| {
            goal(|a| {
                let (x, y) = (x(a), a.unknown(Ty::F, "y"));
                let both = if swapped { Node::Bin(FBin::Add, y, x) } else { Node::Bin(FBin::Add, x, y) };
                let both = a.intern(both);
                let negated = a.intern(Node::Un(FUn::Neg, x));
                (a.intern(Node::Cmp(op, negated, both)), a.intern(Node::Cmp(op, both, negated)))
            })
        };
        assert_eq!(normal_form(&sum(false, FCmp::Eq)), normal_form(&sum(true, FCmp::Eq)));
        assert!(follows(&sum(false, FCmp::Eq), &sum(true, FCmp::Eq)));
        assert_ne!(sum(false, FCmp::Lt), sum(true, FCmp::Lt));
        assert!(!follows(&sum(false, FCmp::Eq), &sum(false, FCmp::Lt)));
    }

    #[test]
    fn conditions_are_kept_where_they_are_needed() {
        let mut a = Arena::default();
        let (p, q, x, y) = (a.unknown(Ty::B, "p"), a.unknown(Ty::B, "q"), x(&mut a), a.unknown(Ty::F, "y"));
        let choice = a.intern(Node::Sel(Ty::F, p, x, y));
        let (instance, _) = Goal::on_paths(&[vec![(p, true), (q, true)]], &a, choice, x);
        let rule = generalise(&instance, &boundaries());
        assert_eq!(rule.paths[0].len(), 1);
        assert!(follows(&rule, &instance));
        let (elsewhere, _) = Goal::on_paths(&[vec![(p, false)]], &a, choice, x);
        assert!(!follows(&rule, &elsewhere));
        // The condition may match either operand, so both are tried.
        let (both, no) = (a.intern(Node::Logic(BBin::And, p, q)), a.intern(Node::LitB(false)));
        let given = |condition: Term| Goal::on_paths(&[vec![(condition, false)]], &a, both, no).0;
        assert!(follows(&given(p), &given(q)));
    }
}
