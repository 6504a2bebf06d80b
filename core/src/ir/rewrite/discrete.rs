//! Rules about integers, truth values and selection.

use super::build::*;
use super::rule::Rule;
use crate::ir::op::Ty::{Bool, F32, I32};
use crate::value::{BBin, IBin, ICmp};

/// Rules about two's complement integers.
pub(super) fn integers() -> Vec<Rule> {
    use IBin::{Add, And, Mul, Or, Shl, ShrS, ShrU, Sub, Xor};
    const A: [crate::ir::op::Ty; 1] = [I32];
    const WRAP: &str = "addition modulo 2^32 is a group";
    let mut rules = vec![
        Rule::new("iadd-zero", WRAP, A, ib(Add, X, i(0)), X),
        Rule::new("isub-zero", WRAP, A, ib(Sub, X, i(0)), X),
        Rule::new("isub-self", WRAP, A, ib(Sub, X, X), i(0)),
        Rule::new("imul-one", "holds for multiplication modulo 2^32", A, ib(Mul, X, i(1)), X),
        Rule::new("imul-zero", "holds for multiplication modulo 2^32", A, ib(Mul, X, i(0)), i(0)),
        Rule::new("iand-self", "holds for each bit", A, ib(And, X, X), X),
        Rule::new("iand-zero", "holds for each bit", A, ib(And, X, i(0)), i(0)),
        Rule::new("iand-ones", "holds for each bit", A, ib(And, X, i(-1)), X),
        Rule::new("ior-self", "holds for each bit", A, ib(Or, X, X), X),
        Rule::new("ior-zero", "holds for each bit", A, ib(Or, X, i(0)), X),
        Rule::new("ior-ones", "holds for each bit", A, ib(Or, X, i(-1)), i(-1)),
        Rule::new("ixor-self", "holds for each bit", A, ib(Xor, X, X), i(0)),
        Rule::new("ixor-zero", "holds for each bit", A, ib(Xor, X, i(0)), X),
        Rule::new("ieq-self", "every integer equals itself", A, ic(ICmp::Eq, X, X), b(true)),
        Rule::new("ilt-self", "no integer is below itself", A, ic(ICmp::LtS, X, X), b(false)),
        Rule::new("ult-self", "no integer is below itself", A, ic(ICmp::LtU, X, X), b(false)),
        Rule::new("isub-literal", WRAP, [I32; 2], ib(Sub, X, Y), ib(Add, X, ib(Sub, i(0), Y)))
            .literals([1], None),
        Rule::new("iadd-iadd", WRAP, [I32; 3], ib(Add, ib(Add, X, Y), Z), ib(Add, X, ib(Add, Y, Z)))
            .literals([1, 2], None),
        Rule::new("ieq-iadd", WRAP, [I32; 3], ic(ICmp::Eq, ib(Add, X, Y), Z), ic(ICmp::Eq, X, ib(Sub, Z, Y)))
            .literals([1, 2], None),
    ];
    for (name, shift) in [("ishl-zero", Shl), ("ushr-zero", ShrU), ("ishr-zero", ShrS)] {
        rules.push(Rule::new(name, "a shift by 0 moves no bit", A, ib(shift, X, i(0)), X));
    }
    rules
}

/// Rules about truth values.
pub(super) fn truth() -> Vec<Rule> {
    use BBin::{And, Or, Xor};
    const A: [crate::ir::op::Ty; 1] = [Bool];
    const AB: [crate::ir::op::Ty; 2] = [Bool, Bool];
    const WHY: &str = "two-valued logic";
    let not_x = || not(X);
    vec![
        Rule::new("not-not", WHY, A, not(not(X)), X),
        Rule::new("and-true", WHY, A, logic(And, X, b(true)), X),
        Rule::new("and-false", WHY, A, logic(And, X, b(false)), b(false)),
        Rule::new("and-self", WHY, A, logic(And, X, X), X),
        Rule::new("and-not-self", WHY, A, logic(And, X, not_x()), b(false)),
        Rule::new("or-true", WHY, A, logic(Or, X, b(true)), b(true)),
        Rule::new("or-false", WHY, A, logic(Or, X, b(false)), X),
        Rule::new("or-self", WHY, A, logic(Or, X, X), X),
        Rule::new("or-not-self", WHY, A, logic(Or, X, not_x()), b(true)),
        Rule::new("xor-true", WHY, A, logic(Xor, X, b(true)), not_x()),
        Rule::new("xor-false", WHY, A, logic(Xor, X, b(false)), X),
        Rule::new("xor-self", WHY, A, logic(Xor, X, X), b(false)),
        Rule::new("and-not-not", WHY, AB, logic(And, not(X), not(Y)), not(logic(Or, X, Y))),
        Rule::new("or-not-not", WHY, AB, logic(Or, not(X), not(Y)), not(logic(And, X, Y))),
        Rule::new("xor-not-not", WHY, AB, logic(Xor, not(X), not(Y)), logic(Xor, X, Y)),
        Rule::new("sel-true-false", WHY, A, sel(Bool, X, b(true), b(false)), X),
        Rule::new("sel-false-true", WHY, A, sel(Bool, X, b(false), b(true)), not_x()),
    ]
}

/// Rules about selection, for every type.
pub(super) fn selection() -> Vec<Rule> {
    const WHY: &str = "selection does not change bits";
    let mut rules = Vec::new();
    for (ty, suffix) in [(F32, ""), (I32, "-i32"), (Bool, "-bool")] {
        let named = |name: &str| format!("{name}{suffix}");
        rules.extend([
            Rule::new(named("sel-same"), WHY, [Bool, ty], sel(ty, X, Y, Y), Y),
            Rule::new(named("sel-not"), WHY, [Bool, ty, ty], sel(ty, not(X), Y, Z), sel(ty, X, Z, Y)),
            Rule::new(named("sel-true"), WHY, [ty, ty], sel(ty, b(true), X, Y), X),
            Rule::new(named("sel-false"), WHY, [ty, ty], sel(ty, b(false), X, Y), Y),
            Rule::new(
                named("sel-sel-then"),
                WHY,
                [Bool, ty, ty],
                sel(ty, X, sel(ty, X, Y, Z), Z),
                sel(ty, X, Y, Z),
            ),
            Rule::new(
                named("sel-sel-else"),
                WHY,
                [Bool, ty, ty],
                sel(ty, X, Y, sel(ty, X, Y, Z)),
                sel(ty, X, Y, Z),
            ),
        ]);
    }
    rules
}
