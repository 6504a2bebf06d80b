//! Rewrite rules.

use super::term::Term;
use crate::ir::eval::Scalar;
use crate::ir::op::Ty;
use crate::value::Domain;

/// A rule's requirements on one of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The type of the operand.
    pub ty: Ty,
    /// Whether the operand must be a literal.
    pub literal: bool,
}

/// A condition on literal operands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guard {
    /// A term of type Bool over literal operands. `None` means always true.
    pub term: Option<Term>,
}

impl Guard {
    /// Whether the guard holds for these operands. The guard reads only literal operands.
    pub fn eval<D: Domain>(&self, d: &D, operands: &[Scalar<D>]) -> D::B {
        self.term.as_ref().map_or_else(|| d.b(true), |term| term.eval(d, operands).b(d))
    }
}

/// A rewrite rule: two terms of at most three operands that are equal if the guard holds. The two terms are equal bit for bit, except that all NaNs
/// count as equal.
///
/// The rewriter replaces the left side with the right side. The prover proves every rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The unique name of the rule.
    pub name: String,
    /// The reason why the rule is valid, including for NaN, zeros of either sign and infinities.
    pub why: &'static str,
    /// The operands, by number.
    pub operands: Vec<Operand>,
    /// The left side: the term to replace. Every operand occurs in the left side.
    pub lhs: Term,
    /// The condition under which the rule is valid.
    pub guard: Guard,
    /// The right side: the replacement.
    pub rhs: Term,
    /// Whether the rule only orders operands. A rule that orders operands applies only if operand 0 ranks after operand 1. Literals rank after all
    /// other values, and later values after earlier ones. All other rules reduce [`Term::cost`].
    pub ordering: bool,
}

impl Rule {
    /// A rule without a guard and with operands that need not be literals.
    pub fn new<const N: usize>(
        name: impl Into<String>,
        why: &'static str,
        operands: [Ty; N],
        lhs: Term,
        rhs: Term,
    ) -> Rule {
        let operands = operands.into_iter().map(|ty| Operand { ty, literal: false }).collect();
        Rule { name: name.into(), why, operands, lhs, guard: Guard::default(), rhs, ordering: false }
    }

    /// Returns the rule restricted to literals for the operands with these numbers, and with `guard` as its guard.
    #[must_use]
    pub fn literals<const N: usize>(mut self, numbers: [usize; N], guard: Option<Term>) -> Rule {
        for (k, operand) in self.operands.iter_mut().enumerate() {
            operand.literal |= numbers.contains(&k);
        }
        self.guard = Guard { term: guard };
        self
    }
}
