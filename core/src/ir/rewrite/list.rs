//! The list of all rules.

use super::build::{X, Y, op};
use super::rule::Rule;
use super::{discrete, float};
use crate::ir::op::{Op, Ty};
use crate::value::{BBin, FCmp, IBin, ICmp};
use std::sync::LazyLock;

/// Returns every rule. If several rules match, the first is applied; therefore those that order operands are at the end.
pub fn rules() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let mut rules = float::arithmetic();
        rules.extend(float::order());
        rules.extend(float::rounding());
        rules.extend(discrete::integers());
        rules.extend(discrete::truth());
        rules.extend(discrete::selection());
        rules.extend(COMMUTATIVE.iter().map(|&(name, ty, operation)| Rule {
            ordering: true,
            ..Rule::new(
                name,
                "the operation commutes exactly, and all NaNs are equal",
                [ty; 2],
                op(operation, [X, Y]),
                op(operation, [Y, X]),
            )
        }));
        rules
    });
    &RULES
}

/// The commutative operations. Minimum and maximum are not commutative: for ties and NaN they return the second operand.
pub(super) const COMMUTATIVE: [(&str, Ty, Op); 14] = [
    ("add-order", Ty::F32, Op::Add),
    ("mul-order", Ty::F32, Op::Mul),
    ("mulz-order", Ty::F32, Op::Mulz),
    ("mulz-inf-order", Ty::F32, Op::MulzInf),
    ("eq-order", Ty::F32, Op::Cmp(FCmp::Eq)),
    ("ieq-order", Ty::I32, Op::ICmp(ICmp::Eq)),
    ("iadd-order", Ty::I32, Op::IBin(IBin::Add)),
    ("imul-order", Ty::I32, Op::IBin(IBin::Mul)),
    ("iand-order", Ty::I32, Op::IBin(IBin::And)),
    ("ior-order", Ty::I32, Op::IBin(IBin::Or)),
    ("ixor-order", Ty::I32, Op::IBin(IBin::Xor)),
    ("and-order", Ty::Bool, Op::Logic(BBin::And)),
    ("or-order", Ty::Bool, Op::Logic(BBin::Or)),
    ("xor-order", Ty::Bool, Op::Logic(BBin::Xor)),
];
