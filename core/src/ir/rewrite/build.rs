//! Functions with short names that build terms, for the list of rules.

use super::term::Term;
use crate::ir::op::{Op, Ty};
use crate::value::{BBin, FCmp, FUn, IBin, ICmp};

/// Operand 0.
pub(super) const X: Term = Term::Operand(0);
/// Operand 1.
pub(super) const Y: Term = Term::Operand(1);
/// Operand 2.
pub(super) const Z: Term = Term::Operand(2);

/// An operation and its arguments.
pub(super) fn op<const N: usize>(op: Op, args: [Term; N]) -> Term {
    Term::Op(op, args.into())
}
/// A float literal.
pub(super) fn f(v: f32) -> Term {
    op(Op::F32(v.to_bits()), [])
}
/// An integer literal.
pub(super) fn i(v: i32) -> Term {
    op(Op::I32(v), [])
}
/// A truth literal.
pub(super) fn b(v: bool) -> Term {
    op(Op::Bool(v), [])
}
/// One-operand float arithmetic.
pub(super) fn un(kind: FUn, a: Term) -> Term {
    op(Op::Un(kind), [a])
}
/// -a.
pub(super) fn neg(a: Term) -> Term {
    un(FUn::Neg, a)
}
/// |a|.
pub(super) fn abs(a: Term) -> Term {
    un(FUn::Abs, a)
}
/// a + b.
pub(super) fn add(a: Term, b: Term) -> Term {
    op(Op::Add, [a, b])
}
/// a - b.
pub(super) fn sub(a: Term, b: Term) -> Term {
    op(Op::Sub, [a, b])
}
/// a * b.
pub(super) fn mul(a: Term, b: Term) -> Term {
    op(Op::Mul, [a, b])
}
/// Product that is +0 if either factor is zero ([`Op::Mulz`]).
pub(super) fn mulz(a: Term, b: Term) -> Term {
    op(Op::Mulz, [a, b])
}
/// a / b.
pub(super) fn div(a: Term, b: Term) -> Term {
    op(Op::Div, [a, b])
}
/// a < b ? a : b.
pub(super) fn min(a: Term, b: Term) -> Term {
    op(Op::Min, [a, b])
}
/// b < a ? a : b.
pub(super) fn max(a: Term, b: Term) -> Term {
    op(Op::Max, [a, b])
}
/// a < b.
pub(super) fn lt(a: Term, b: Term) -> Term {
    op(Op::Cmp(FCmp::Lt), [a, b])
}
/// a <= b.
pub(super) fn le(a: Term, b: Term) -> Term {
    op(Op::Cmp(FCmp::Le), [a, b])
}
/// a == b.
pub(super) fn eq(a: Term, b: Term) -> Term {
    op(Op::Cmp(FCmp::Eq), [a, b])
}
/// Integer arithmetic.
pub(super) fn ib(kind: IBin, a: Term, b: Term) -> Term {
    op(Op::IBin(kind), [a, b])
}
/// Comparison of integers.
pub(super) fn ic(kind: ICmp, a: Term, b: Term) -> Term {
    op(Op::ICmp(kind), [a, b])
}
/// Two-operand logic.
pub(super) fn logic(kind: BBin, a: Term, b: Term) -> Term {
    op(Op::Logic(kind), [a, b])
}
/// Negation of a truth value.
pub(super) fn not(a: Term) -> Term {
    op(Op::Not, [a])
}
/// c ? a : b.
pub(super) fn sel(ty: Ty, c: Term, a: Term, b: Term) -> Term {
    op(Op::Sel(ty), [c, a, b])
}
