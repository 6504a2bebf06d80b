//! Terms, which are small expressions over operands: the sides and guards of rules.

use crate::ir::eval::{Scalar, arithmetic};
use crate::ir::op::{Op, Ty};
use crate::value::{Domain, FUn, IBin};

/// A term.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// The rule's operand with this number, from 0.
    Operand(u8),
    /// An operation that depends on its operands only; literals are such operations.
    Op(Op, Vec<Term>),
}

impl Term {
    /// Returns the value of the term, computed by the functions of the IR evaluator.
    pub fn eval<D: Domain>(&self, d: &D, operands: &[Scalar<D>]) -> Scalar<D> {
        let nothing = || Scalar::B(d.b(false));
        match self {
            Term::Operand(k) => operands.get(usize::from(*k)).cloned().unwrap_or_else(nothing),
            Term::Op(op, args) => {
                let args: Vec<Scalar<D>> = args.iter().map(|a| a.eval(d, operands)).collect();
                arithmetic(d, *op, |k| &args[k]).unwrap_or_else(nothing)
            }
        }
    }

    /// Returns the type of the term's value, given the operands of the rule.
    pub fn ty(&self, operands: &[super::Operand]) -> Ty {
        match self {
            Term::Operand(k) => operands.get(usize::from(*k)).map_or(Ty::Bool, |o| o.ty),
            Term::Op(op, _) => op.results().map_or(Ty::Bool, |(ty, _)| ty),
        }
    }

    /// Whether every operation has the right number of arguments, each of the right type.
    pub fn is_typed(&self, operands: &[super::Operand]) -> bool {
        match self {
            Term::Operand(k) => usize::from(*k) < operands.len(),
            Term::Op(op, args) => {
                let types = op.operands();
                args.len() == types.len()
                    && args.iter().zip(types).all(|(a, ty)| a.ty(operands) == *ty && a.is_typed(operands))
            }
        }
    }

    /// Whether the value depends on literals only. The rewriter folds such a term to a literal.
    pub fn is_literal(&self, operands: &[super::Operand]) -> bool {
        match self {
            Term::Operand(k) => operands.get(usize::from(*k)).is_some_and(|o| o.literal),
            Term::Op(_, args) => args.iter().all(|a| a.is_literal(operands)),
        }
    }

    /// The cost of a term: the sum of the weights of its operations, where a part that folds to a literal counts 1 and an operand 0. Every rule
    /// decreases the cost, except rules that order operands.
    pub fn cost(&self, operands: &[super::Operand]) -> u32 {
        match self {
            Term::Operand(_) => 0,
            Term::Op(..) if self.is_literal(operands) => 1,
            Term::Op(op, args) => weight(*op) + args.iter().map(|a| a.cost(operands)).sum::<u32>(),
        }
    }
}

/// The relative cost of an operation, roughly by the time that it takes. The exact values do not matter as long as every rule reduces
/// [`Term::cost`], except rules that order operands.
fn weight(op: Op) -> u32 {
    match op {
        Op::Un(FUn::Neg | FUn::Abs) | Op::Not => 2,
        Op::Logic(_) => 3,
        Op::Sub | Op::Cmp(crate::value::FCmp::Le) | Op::Sel(_) => 5,
        Op::Mul | Op::IBin(IBin::Sub | IBin::Mul) => 6,
        Op::Mulz | Op::MulzInf => 8,
        Op::Div => 12,
        _ => 4,
    }
}
