//! Axioms about `exp2`, `sin` and `cos`, which are uninterpreted for the solver. Each is declared once: evaluation tests the same SMT-LIB
//! text that queries assert, or the same two sides that a fold uses.

use super::arena::Arena;
use super::node::{Node, Term};
use crate::goal::Goal;
use crate::number::{Assignment, evaluate, refutes};
use crate::term::{Function, Ty};
use lockstep_core::value::{Concrete, Domain, FUn};

/// A fact that proofs use although the solver has not proved it.
pub struct Axiom {
    /// The name of the axiom and of its obligation.
    pub name: &'static str,
    /// The fact.
    pub statement: Statement,
}

/// The fact of an axiom.
pub enum Statement {
    /// A condition on every value of a function, as asserted in queries: SMT-LIB in which `{}` is the value.
    Asserted(FUn, &'static str),
    /// A fold, given by its two sides.
    Fold(fn(&mut Arena) -> (Term, Term)),
}

const NOT_NEGATIVE: &str = "(not (fp.isNegative {}))";
const AT_MOST_ONE: &str =
    "(or (fp.isNaN {}) (fp.leq (fp.abs {}) (fp #b0 #b01111111 #b00000000000000000000000)))";

/// The axioms. Each is tested on values.
pub static AXIOMS: &[Axiom] = &[
    Axiom { name: "cos(-x) = cos x", statement: Statement::Fold(|a| cosine(a, FUn::Neg)) },
    Axiom { name: "cos(abs x) = cos x", statement: Statement::Fold(|a| cosine(a, FUn::Abs)) },
    Axiom { name: "exp2 is never negative, nor -0", statement: Statement::Asserted(FUn::Exp2, NOT_NEGATIVE) },
    Axiom { name: "abs(sin x) <= 1", statement: Statement::Asserted(FUn::Sin, AT_MOST_ONE) },
    Axiom { name: "abs(cos x) <= 1", statement: Statement::Asserted(FUn::Cos, AT_MOST_ONE) },
];

/// Returns the cosine of a value whose sign was changed, and the cosine of the value.
fn cosine(a: &mut Arena, sign: FUn) -> (Term, Term) {
    let x = super::folds::x(a);
    let changed = a.intern(Node::Un(sign, x));
    (a.intern(Node::Un(FUn::Cos, changed)), a.intern(Node::Un(FUn::Cos, x)))
}

/// Returns the assertions about the result of `function`, which the query calls `value`.
pub fn assertions(function: FUn, value: &str) -> impl Iterator<Item = String> {
    AXIOMS.iter().filter_map(move |axiom| match axiom.statement {
        Statement::Asserted(of, text) if of == function => Some(text.replace("{}", value)),
        _ => None,
    })
}

/// A function that returns whether an axiom holds for a number.
pub type AxiomPredicate = Box<dyn Fn(f32) -> bool>;

impl Axiom {
    /// Like [`Axiom::holds`], for a wrong version of the axiom: one that is stated for a different function, or a fold with one side negated.
    ///
    /// # Errors
    /// As [`Axiom::holds`].
    pub fn wrong(&self) -> Result<AxiomPredicate, String> {
        match self.statement {
            Statement::Asserted(function, text) => {
                let other = if function == FUn::Exp2 { FUn::Sin } else { FUn::Exp2 };
                Axiom { name: self.name, statement: Statement::Asserted(other, text) }.holds()
            }
            Statement::Fold(sides) => Ok(sides_are_equal(|arena| {
                let (left, right) = sides(arena);
                (left, arena.intern(Node::Un(FUn::Neg, right)))
            })),
        }
    }

    /// Returns a function that checks whether the axiom holds for a number.
    ///
    /// # Errors
    /// If the axiom's SMT-LIB text contains an operation or literal that this function cannot parse.
    pub fn holds(&self) -> Result<AxiomPredicate, String> {
        match self.statement {
            Statement::Asserted(function, text) => {
                let condition = read(text)?;
                Ok(Box::new(move |x| condition.value(Concrete.un(function, &x)) == Value::Truth(true)))
            }
            Statement::Fold(sides) => Ok(sides_are_equal(sides)),
        }
    }
}

/// Returns a function that checks whether the sides of a fold are equal for a number.
fn sides_are_equal(sides: impl Fn(&mut Arena) -> (Term, Term)) -> AxiomPredicate {
    let mut arena = Arena::default();
    let (left, right) = sides(&mut arena);
    let (goal, _) = Goal::new(&arena, left, right);
    Box::new(move |x| {
        let mut values = Vec::new();
        evaluate(&goal, &mut Always(x.to_bits()), &mut values);
        !refutes(&goal, &values)
    })
}

/// Assigns one value to every unknown.
struct Always(u32);

impl Assignment for Always {
    fn value(&mut self, _: Function, _: Ty, _: &[u32]) -> u32 {
        self.0
    }
}

/// A value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Number(f32),
    Truth(bool),
    Bits(u32),
    /// The result of an operation that is not supported here.
    None,
}

/// An SMT-LIB expression over one value.
#[derive(Clone, Debug)]
enum Expression {
    Input,
    Bits(u32),
    Of(&'static str, Vec<Expression>),
}

impl Expression {
    fn value(&self, input: f32) -> Value {
        use Value::{Bits, Number, Truth};
        let (name, operands) = match self {
            Expression::Input => return Number(input),
            Expression::Bits(bits) => return Bits(*bits),
            Expression::Of(name, operands) => (*name, operands),
        };
        let at = |n: usize| operands.get(n).map_or(Value::None, |operand| operand.value(input));
        match (name, at(0), at(1), at(2)) {
            ("not", Truth(a), ..) => Truth(!a),
            ("or", Truth(a), Truth(b), _) => Truth(a || b),
            ("and", Truth(a), Truth(b), _) => Truth(a && b),
            ("fp.isNaN", Number(a), ..) => Truth(a.is_nan()),
            // In SMT-LIB, a NaN has no sign.
            ("fp.isNegative", Number(a), ..) => Truth(!a.is_nan() && a.is_sign_negative()),
            ("fp.abs", Number(a), ..) => Number(a.abs()),
            ("fp.leq", Number(a), Number(b), _) => Truth(a <= b),
            ("fp.lt", Number(a), Number(b), _) => Truth(a < b),
            ("fp", Bits(sign), Bits(exponent), Bits(fraction)) => {
                Number(f32::from_bits(sign << 31 | exponent << 23 | fraction))
            }
            _ => Value::None,
        }
    }
}

const NAMES: [&str; 9] = ["not", "or", "and", "fp.isNaN", "fp.isNegative", "fp.abs", "fp.leq", "fp.lt", "fp"];

/// Parses an expression.
fn read(text: &str) -> Result<Expression, String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut tokens = spaced.split_whitespace();
    let all = read_one(&mut tokens)?;
    match tokens.next() {
        Some(word) => Err(format!("«{word}» after the end of the expression in «{text}»")),
        None => Ok(all),
    }
}

fn read_one<'t>(tokens: &mut impl Iterator<Item = &'t str>) -> Result<Expression, String> {
    match tokens.next() {
        Some("{}") => Ok(Expression::Input),
        Some("(") => {
            let word = tokens.next().unwrap_or_default();
            let name = NAMES.into_iter().find(|name| *name == word);
            let name = name.ok_or_else(|| format!("unknown operation «{word}»"))?;
            let mut operands = Vec::new();
            loop {
                match read_one(tokens) {
                    Ok(operand) => operands.push(operand),
                    Err(word) if word == ")" => return Ok(Expression::Of(name, operands)),
                    Err(other) => return Err(other),
                }
            }
        }
        Some(word) => match word.strip_prefix("#b").map(|bits| u32::from_str_radix(bits, 2)) {
            Some(Ok(bits)) => Ok(Expression::Bits(bits)),
            _ => Err(word.to_owned()),
        },
        None => Err("unexpected end of the text".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::boundaries;

    fn evaluate_text(text: &str, input: f32) -> Value {
        read(text).unwrap().value(input)
    }

    #[test]
    fn text_is_evaluated_as_in_the_theory_of_floats() {
        let lt = AT_MOST_ONE.replace("leq", "lt");
        for (text, it, truth_of) in [
            (NOT_NEGATIVE, 0.0, true),
            (NOT_NEGATIVE, -0.0, false),
            (NOT_NEGATIVE, -f32::NAN, true),
            (AT_MOST_ONE, 1.0, true),
            (AT_MOST_ONE, -1.0, true),
            (AT_MOST_ONE, 1f32.next_up(), false),
            (AT_MOST_ONE, f32::NAN, true),
            (lt.as_str(), 1.0, false),
            (lt.as_str(), 1f32.next_down(), true),
        ] {
            assert_eq!(evaluate_text(text, it), Value::Truth(truth_of), "{text} of {it}");
        }
        for wrong in ["", "(not {}", "(fp.neg {})", "(not {}) {}", "x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn properties_that_functions_do_not_have_are_refuted() {
        // Sine and cosine both take the value 1, so "less than 1" does not hold.
        let lt: &'static str = Box::leak(AT_MOST_ONE.replace("leq", "lt").into_boxed_str());
        for function in [FUn::Sin, FUn::Cos] {
            let axiom = Axiom { name: "less than 1", statement: Statement::Asserted(function, lt) };
            let holds = axiom.holds().unwrap();
            let all = boundaries().into_iter().map(f32::from_bits).chain([std::f32::consts::FRAC_PI_2]);
            assert!(all.into_iter().any(|x| !holds(x)), "{function:?}");
        }
        let odd = Axiom {
            name: "odd",
            statement: Statement::Fold(|a| {
                let x = super::super::folds::x(a);
                let (sine, changed) = (a.intern(Node::Un(FUn::Sin, x)), a.intern(Node::Un(FUn::Neg, x)));
                (sine, a.intern(Node::Un(FUn::Sin, changed)))
            }),
        };
        assert!(!odd.holds().unwrap()(1.0) && odd.holds().unwrap()(f32::NAN));
    }

    #[cfg(feature = "solver")]
    #[test]
    fn the_solver_parses_the_text_to_the_same_goal() {
        for axiom in AXIOMS {
            let Statement::Asserted(_, text) = axiom.statement else { continue };
            let condition = read(text).unwrap();
            for bits in boundaries() {
                let Value::Truth(holds) = condition.value(f32::from_bits(bits)) else { panic!("{text}") };
                let value =
                    crate::smt::literal(Ty::F, lockstep_core::value::canonical_bits(f32::from_bits(bits)));
                let solver = z3::Solver::new();
                solver.from_string(format!("(assert (not (= {holds} {})))", text.replace("{}", &value)));
                assert_eq!(solver.check(), z3::SatResult::Unsat, "{} of {bits:08x}", axiom.name);
            }
        }
    }
}
