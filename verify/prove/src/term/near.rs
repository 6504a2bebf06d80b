//! Near misses of folds: operations that result from the listed instance of a fold by replacing one part. A fold that fires on such an operation must
//! be valid, too. A run proves only the folds that fire in it, and possibly no run builds these operations.

use super::arena::Arena;
use super::folds::FOLDS;
use super::node::{Node, Term, Ty};
use super::signs::SIGN_FOLDS;
use crate::goal::Goal;
use crate::number::{boundaries, search};
use lockstep_core::value::{BBin, FBin, FCmp, IBin, ICmp};

/// The number of draws on which each operation is compared with the term that it is folded to.
const DRAWS: u64 = 80;

/// Returns terms of the same type that replace `term` in near misses: unknowns, some of which also occur in the listed folds, and literals.
fn others(arena: &mut Arena, term: Term) -> Vec<Term> {
    let ty = arena.ty(term);
    let names = match ty {
        Ty::F => ["x", "y", "other"],
        Ty::I => ["i", "j", "other i"],
        Ty::B => ["p", "q", "other p"],
    };
    let mut all: Vec<Term> = names.into_iter().map(|name| arena.unknown(ty, name)).collect();
    let literals: Vec<Node> = match ty {
        Ty::F => [0.0, -0.0, 1.0, -1.0, 5.0, f32::MIN_POSITIVE, f32::INFINITY, f32::NAN]
            .map(|v| Node::LitF(v.to_bits()))
            .to_vec(),
        Ty::I => [0, 1, 5, 7, -1, i32::MIN, i32::MAX].map(Node::LitI).to_vec(),
        Ty::B => [true, false].map(Node::LitB).to_vec(),
    };
    all.extend(literals.into_iter().map(|literal| arena.intern(literal)));
    all.retain(|other| *other != term);
    all
}

/// Returns operations of the same kind on the same operands. For a select, returns the select with its two choices exchanged.
fn relatives(node: &Node) -> Vec<Node> {
    match *node {
        Node::Bin(_, a, b) => [FBin::Add, FBin::Mul, FBin::Div].map(|op| Node::Bin(op, a, b)).to_vec(),
        Node::Cmp(_, a, b) => [FCmp::Lt, FCmp::Le, FCmp::Eq].map(|op| Node::Cmp(op, a, b)).to_vec(),
        Node::ICmp(_, a, b) => [ICmp::Eq, ICmp::LtS, ICmp::LtU].map(|op| Node::ICmp(op, a, b)).to_vec(),
        Node::Logic(_, a, b) => [BBin::And, BBin::Or, BBin::Xor].map(|op| Node::Logic(op, a, b)).to_vec(),
        Node::IBin(_, a, b) => [IBin::Add, IBin::Sub, IBin::And, IBin::Or, IBin::Xor, IBin::Shl]
            .map(|op| Node::IBin(op, a, b))
            .to_vec(),
        Node::Sel(ty, c, a, b) => vec![Node::Sel(ty, c, b, a)],
        _ => Vec::new(),
    }
}

/// Returns every node that differs from this one in one part, at any depth. Parts are built without folding.
fn near(arena: &mut Arena, node: &Node) -> Vec<Node> {
    let mut all = relatives(node);
    for (at, operand) in node.operands().into_iter().enumerate() {
        let mut instead = others(arena, operand);
        let inside = arena.node(operand).clone();
        for other in near(arena, &inside) {
            instead.push(arena.intern(other));
        }
        for other in instead {
            let mut place = 0..;
            all.push(node.map(|term| if place.next() == Some(at) { other } else { term }));
        }
    }
    all.retain(|other| other != node);
    all
}

#[test]
fn near_misses_of_folds_are_folded_correctly_or_not_at_all() {
    let (boundaries, mut values) = (boundaries(), Vec::new());
    let (mut tried, mut folded) = (0, 0);
    for row in FOLDS.iter().chain(SIGN_FOLDS) {
        let arena = &mut Arena::default();
        let node = (row.node)(arena);
        for node in near(arena, &node) {
            tried += 1;
            let plain = arena.intern(node.clone());
            let term = arena.fold(node.clone());
            if term == plain {
                continue;
            }
            folded += 1;
            let (goal, _) = Goal::new(arena, plain, term);
            let wrong = search(&goal, &boundaries, 0..DRAWS, &mut values);
            assert!(!wrong, "near '{}': {node:?} is folded to {:?}\n{goal:#?}", row.name, arena.node(term));
        }
    }
    assert!(tried > 3000 && folded > 1000, "{tried} tried, {folded} folded");
}
