//! Mutants of rules, to test whether a checker detects them.

use super::list::COMMUTATIVE;
use super::rule::{Guard, Operand, Rule};
use super::term::Term;
use crate::ir::op::{Flush, Op, Ty};
use crate::value::{BBin, FCmp, FUn, IBin, ICmp};

/// Pairs of operations that are easily confused. A mutation replaces either operation with the other.
const SIBLINGS: [(Op, Op); 19] = [
    (Op::Add, Op::Sub),
    (Op::Mul, Op::Div),
    (Op::Min, Op::Max),
    (Op::Mulz, Op::Mul),
    (Op::MulzInf, Op::Mul),
    (Op::Flush(Flush::Subnormal), Op::Flush(Flush::Sign)),
    (Op::Flush(Flush::F24), Op::Flush(Flush::F24Unsigned)),
    (Op::Un(FUn::Neg), Op::Un(FUn::Abs)),
    (Op::Un(FUn::Floor), Op::Un(FUn::Trunc)),
    (Op::Un(FUn::RoundEven), Op::Un(FUn::Trunc)),
    (Op::Cmp(FCmp::Lt), Op::Cmp(FCmp::Le)),
    (Op::Cmp(FCmp::Eq), Op::Cmp(FCmp::Le)),
    (Op::ICmp(ICmp::LtS), Op::ICmp(ICmp::LtU)),
    (Op::ICmp(ICmp::Eq), Op::ICmp(ICmp::LtU)),
    (Op::IBin(IBin::Add), Op::IBin(IBin::Sub)),
    (Op::IBin(IBin::And), Op::IBin(IBin::Or)),
    (Op::IBin(IBin::Xor), Op::IBin(IBin::Or)),
    (Op::Logic(BBin::And), Op::Logic(BBin::Or)),
    (Op::Logic(BBin::Xor), Op::Logic(BBin::Or)),
];

/// Mutants that are nevertheless valid rules: the rule, the mutation and the reason.
pub const EQUIVALENT_MUTANTS: [(&str, &str, &str); 14] = [
    ("abs-neg", "negation added, argument 0", "abs clears the sign again"),
    ("abs-abs", "negation added, argument 0", "abs clears the sign again"),
    ("abs-square", "mulz for mul", "a square of zero is +0 in both kinds of product"),
    ("mul-abs-abs", "negation added, argument 0", "abs clears the sign again"),
    ("mul-abs-abs", "negation added, argument 0, argument 0", "abs clears the sign of the product"),
    ("mul-abs-abs", "negation added, argument 1, argument 0", "abs clears the sign of the product"),
    ("mulz-square", "mulz for mul", "the mutant replaces the left side with itself"),
    ("abs-square", "mulzinf for mul", "a square is no product of zero and infinity"),
    ("mulz-square", "mulzinf for mul", "a square is no product of zero and infinity"),
    (
        "div-power-of-two",
        "mulzinf for mul",
        "a power of two is neither zero nor infinite, so no product of numbers is NaN",
    ),
    ("mulz-abs-abs", "negation added, argument 0", "abs clears the sign again"),
    ("mulz-abs-abs", "negation added, argument 0, argument 0", "abs clears the sign of the product"),
    ("mulz-abs-abs", "negation added, argument 1, argument 0", "abs clears the sign of the product"),
    ("le-self", "cmp(le) for cmp(eq)", "the mutant replaces the left side with itself"),
];

impl Rule {
    /// Returns all mutants with one change, each with a description: the guard dropped, or, in the right side, two neighbouring operands of one type
    /// swapped, a negation (for integers: 1) added, a negation or another unary operation dropped, a literal changed, an operation replaced by a
    /// similar one. Operands of commutative operations are not swapped. Some mutants are valid rules.
    pub fn mutants(&self) -> Vec<(String, Rule)> {
        let mut all = Vec::new();
        if self.guard.term.is_some() {
            all.push(("guard dropped".to_owned(), Rule { guard: Guard::default(), ..self.clone() }));
        }
        let mut changes = Vec::new();
        single_mutations(&self.rhs, &self.operands, &mut |mutation, rhs| changes.push((mutation, rhs)));
        all.extend(changes.into_iter().map(|(mutation, rhs)| (mutation, Rule { rhs, ..self.clone() })));
        all
    }
}

fn name(op: Op) -> String {
    format!("{op:?}").to_lowercase()
}

/// Calls `found` with every term that differs from `term` by one mutation.
fn single_mutations(term: &Term, operands: &[Operand], found: &mut dyn FnMut(String, Term)) {
    match term.ty(operands) {
        Ty::F32 => found("negation added".to_owned(), Term::Op(Op::Un(FUn::Neg), vec![term.clone()])),
        Ty::Bool => found("negation added".to_owned(), Term::Op(Op::Not, vec![term.clone()])),
        Ty::I32 => {
            let one = Term::Op(Op::I32(1), Vec::new());
            found("one added".to_owned(), Term::Op(Op::IBin(IBin::Add), vec![term.clone(), one]));
        }
    }
    let Term::Op(op, args) = term else { return };
    match *op {
        Op::F32(bits) => {
            for (field, bits) in
                [("sign", bits ^ 1 << 31), ("last bit", bits ^ 1), ("exponent", bits ^ 1 << 23)]
            {
                found(format!("literal changed in its {field}"), Term::Op(Op::F32(bits), Vec::new()));
            }
        }
        Op::I32(v) => found("literal increased".to_owned(), Term::Op(Op::I32(v.wrapping_add(1)), Vec::new())),
        Op::Bool(v) => found("literal inverted".to_owned(), Term::Op(Op::Bool(!v), Vec::new())),
        Op::Un(_) | Op::Not => found(format!("{} dropped", name(*op)), args[0].clone()),
        _ => {}
    }
    for (a, b) in SIBLINGS {
        for (from, to) in [(a, b), (b, a)] {
            if from == *op {
                found(format!("{} for {}", name(to), name(from)), Term::Op(to, args.clone()));
            }
        }
    }
    let commutes = COMMUTATIVE.iter().any(|(_, _, commutative)| commutative == op);
    for j in 1..args.len() {
        let same_type = args[j].ty(operands) == args[j - 1].ty(operands);
        if same_type && args[j] != args[j - 1] && !commutes {
            let mut swapped = args.clone();
            swapped.swap(j, j - 1);
            found(format!("operands of {} swapped", name(*op)), Term::Op(*op, swapped));
        }
    }
    for (k, arg) in args.iter().enumerate() {
        single_mutations(arg, operands, &mut |mutation, mutated| {
            let mut args = args.clone();
            args[k] = mutated;
            found(format!("{mutation}, argument {k}"), Term::Op(*op, args));
        });
    }
}
