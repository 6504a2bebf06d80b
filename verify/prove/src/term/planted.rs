//! Unsound folds that tests plant to check that they are refuted. Outside tests there are none.

use super::arena::Arena;
use super::node::{Node, Term};
use crate::sabotage::{self, Sabotage};
use lockstep_core::value::{FBin, IBin};
use std::cell::Cell;

/// A fault in the term constructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Planted {
    /// `x * 0 = 0`.
    TimesZero,
    /// `x + 0 = x`.
    PlusZero,
    /// `(i + a) + b` becomes `i + (a + b)`, where the sum of the literals saturates.
    Saturating,
    /// A comparison with any literal is treated as the comparison in a flush of subnormals.
    Threshold,
}

thread_local! {
    static PLANTED: Cell<Option<Planted>> = const { Cell::new(None) };
}

/// Calls `work` with this fault planted on this thread, or with none.
pub(crate) fn planted<R>(fault: Option<Planted>, work: impl FnOnce() -> R) -> R {
    let before = PLANTED.replace(fault);
    let result = work();
    PLANTED.set(before);
    result
}

/// Whether this fault is planted: on this thread or, if it is [`Planted::TimesZero`], by [`Sabotage::UnsoundFold`] on all threads.
pub(super) fn is(fault: Planted) -> bool {
    let everywhere = fault == Planted::TimesZero && sabotage::is(Sabotage::UnsoundFold);
    everywhere || PLANTED.get() == Some(fault)
}

/// Returns the result of the wrong fold of an operation, if a planted fault applies to the operation.
pub(super) fn fold(arena: &mut Arena, node: &Node) -> Option<Term> {
    let zero = |t: Term| *arena.node(t) == Node::LitF(0);
    let int = |t: Term| if let Node::LitI(v) = arena.node(t) { Some(*v) } else { None };
    match *node {
        Node::Bin(FBin::Mul, a, b) if is(Planted::TimesZero) => [a, b].into_iter().find(|t| zero(*t)),
        Node::Bin(FBin::Add, a, b) if is(Planted::PlusZero) && zero(a) => Some(b),
        Node::Bin(FBin::Add, a, b) if is(Planted::PlusZero) && zero(b) => Some(a),
        Node::IBin(IBin::Add, a, b) if is(Planted::Saturating) => {
            let (sum, by) = int(b).map(|v| (a, v)).or_else(|| int(a).map(|v| (b, v)))?;
            let Node::IBin(IBin::Add, c, d) = *arena.node(sum) else { return None };
            let (rest, inner) = int(d).map(|v| (c, v)).or_else(|| int(c).map(|v| (d, v)))?;
            let literal = arena.intern(Node::LitI(inner.saturating_add(by)));
            Some(arena.fold(Node::IBin(IBin::Add, rest, literal)))
        }
        _ => None,
    }
}
