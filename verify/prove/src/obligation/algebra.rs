//! The equalities that are used: folds of terms, and rewrite rules.

use super::{Attempt, Kind, Task, fate};
use crate::claims::{Claiming, Claims};
use crate::goal::Goal;
use crate::host::{term, unknown};
use crate::number::{search, show};
use crate::term::folds::{AXIOMS, FOLDS};
use crate::term::signs::SIGNS;
use crate::term::{Node, Path, Term, Terms, Ty};
use crate::verdict::{Counterexample, Verdict};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::rewrite::{Rule, rules};
use lockstep_core::value::{BBin, Domain, FBin, FCmp, FUn, IBin, ICmp};

pub(super) fn tasks() -> Vec<Task> {
    let mut all = folds();
    all.extend(rules().iter().map(|rule| {
        let name = format!("{} {}", Kind::RewriteRule.name(), rule.name);
        Task::new(name.clone(), move |boundaries| vec![rewrite_rule(&name, rule, boundaries)])
    }));
    all
}

/// Draws in search of operands that satisfy a guard.
const GUARD_DRAWS: u64 = 200_000;

fn rewrite_rule(name: &str, rule: &Rule, boundaries: &[u32]) -> Attempt {
    let (claims, guard) = sides(rule);
    let mut attempt = Attempt::new(Kind::RewriteRule, name.to_owned(), claims);
    // A guard that nothing satisfies would make any rule true.
    let mut values = Vec::new();
    let satisfied = guard.is_none_or(|goal| search(&goal, boundaries, 0..GUARD_DRAWS, &mut values));
    if !satisfied {
        let reason = "no operands were found that satisfy the guard".to_owned();
        return Attempt::settled(Kind::RewriteRule, name.to_owned(), Verdict::Unknown { reason });
    }
    for (what, mutant) in rule.mutants() {
        attempt.mutants.push((what, fate(sides(&mutant).0, false, boundaries)));
    }
    attempt
}

/// The claim of a rule; and, if it has a guard, a goal that numbers refute exactly where the guard holds.
fn sides(rule: &Rule) -> (Claims, Option<Goal>) {
    let d = Terms::default();
    let operands: Vec<Scalar<Terms>> = rule
        .operands
        .iter()
        .enumerate()
        .map(|(k, o)| unknown(&d, o.ty, ["x", "y", "z", "w"][k & 3]))
        .collect();
    let guard = rule.guard.eval(&d, &operands).0;
    let mut path = Path::default();
    let truth = d.b(true).0;
    if guard != truth {
        path.assume(guard);
    }
    d.set_path(path);
    let (left, right) = (term(&rule.lhs.eval(&d, &operands)), term(&rule.rhs.eval(&d, &operands)));
    let mut claims = Claiming::default();
    claims.holds(&d, || "the types of the sides".to_owned(), left.0 == right.0);
    if left.0 == right.0 {
        claims.equal(&d, || rule.name.clone(), left.1, right.1);
    }
    let never = d.b(false).0;
    let guard = (guard != truth).then(|| Goal::new(&d.arena(), guard, never).0);
    (claims.claims(&d), guard)
}

fn folds() -> Vec<Task> {
    FOLDS
        .iter()
        .chain(SIGNS)
        .map(|fold| {
            let name = format!("{} {}", Kind::Fold.name(), fold.name);
            Task::new(name.clone(), move |boundaries| {
                let d = Terms::default();
                let node = (fold.node)(&mut d.arena_mut());
                let plain = d.arena_mut().intern(node.clone());
                let folded = d.arena_mut().fold(node.clone());
                let mut claims = Claiming::default();
                claims.equal(&d, || fold.name.to_owned(), plain, folded);
                if let Some(law) = fold.law {
                    let (left, right) = law(&mut d.arena_mut());
                    claims.equal(&d, || format!("{}, for all values", fold.name), left, right);
                }
                let mut attempt = Attempt::new(Kind::Fold, name.clone(), claims.claims(&d));
                for (what, mutant) in mutants(&d, &node) {
                    let mut claims = Claiming::default();
                    claims.equal(&d, || what.clone(), mutant, folded);
                    attempt.mutants.push((what, fate(claims.claims(&d), false, boundaries)));
                }
                vec![attempt]
            })
        })
        .chain(AXIOMS.iter().map(|(what, holds)| {
            let name = format!("{} {what}", Kind::Fold.name());
            Task::new(name.clone(), move |boundaries| vec![axiom(&name, *holds, boundaries)])
        }))
        .collect()
}

/// Values between those that an axiom is tried on: odd, so that all mantissas turn up.
const STRIDE: usize = 4099;

fn axiom(name: &str, holds: fn(f32) -> bool, boundaries: &[u32]) -> Attempt {
    let mut values = 0;
    for bits in (0..=u32::MAX).step_by(STRIDE).chain(boundaries.iter().copied()) {
        values += 1;
        if !holds(f32::from_bits(bits)) {
            let example = Counterexample {
                what: name.to_owned(),
                inputs: vec![("x".to_owned(), show(Ty::F, bits))],
                path: Vec::new(),
                left: Vec::new(),
                right: Vec::new(),
            };
            return Attempt::settled(Kind::Fold, name.to_owned(), Verdict::Refuted(Box::new(example)));
        }
    }
    Attempt::settled(Kind::Fold, name.to_owned(), Verdict::Tested { values })
}

/// The same operands under an operation that is mistaken for this one.
fn mutants(d: &Terms, node: &Node) -> Vec<(String, Term)> {
    let other = match node {
        Node::Bin(FBin::Add, a, b) => Node::Bin(FBin::Mul, *a, *b),
        Node::Bin(_, a, b) => Node::Bin(FBin::Add, *a, *b),
        Node::Fma(a, b, c) => Node::Fma(*a, *c, *b),
        Node::Cmp(_, a, b) => Node::Cmp(FCmp::Le, *a, *b),
        Node::IBin(IBin::Add, a, b) => Node::IBin(IBin::Mul, *a, *b),
        Node::IBin(_, a, b) => Node::IBin(IBin::Sub, *a, *b),
        Node::ICmp(_, a, b) => Node::ICmp(ICmp::LtU, *a, *b),
        Node::Logic(BBin::And, a, b) => Node::Logic(BBin::Or, *a, *b),
        Node::Logic(_, a, b) => Node::Logic(BBin::And, *a, *b),
        Node::Un(FUn::Neg, a) => Node::Un(FUn::Abs, *a),
        Node::Un(_, a) => Node::Un(FUn::Neg, *a),
        Node::Sel(ty, c, a, b) => Node::Sel(*ty, *c, *b, *a),
        other => other.clone(),
    };
    if other == *node {
        return Vec::new();
    }
    let term = d.arena_mut().intern(other.clone());
    vec![(format!("is {other:?}"), term)]
}
