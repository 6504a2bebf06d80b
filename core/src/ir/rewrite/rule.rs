//! One rewrite rule.

use super::term::Term;
use crate::ir::eval::Scalar;
use crate::ir::op::Ty;
use crate::value::Domain;

/// A rule's requirements on one of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its type.
    pub ty: Ty,
    /// Whether the rule requires a literal here.
    pub literal: bool,
}

/// A condition on literal operands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guard {
    /// A term of type Bool over literal operands; `None` is always true.
    pub term: Option<Term>,
}

impl Guard {
    /// Whether the guard holds for these operands. The guard reads only literal operands.
    pub fn eval<D: Domain>(&self, d: &D, operands: &[Scalar<D>]) -> D::B {
        self.term.as_ref().map_or_else(|| d.b(true), |term| term.eval(d, operands).b(d))
    }
}

/// Two terms of at most three operands that are equal, bit for bit except for the payload of NaN, wherever the guard holds.
///
/// The rewriter replaces the left side by the right. Every rule is a proof obligation.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Unique name.
    pub name: String,
    /// Why it holds, including for NaN, zeros of either sign and infinities.
    pub why: &'static str,
    /// The operands, by number.
    pub operands: Vec<Operand>,
    /// The term to replace. Every operand occurs in it.
    pub lhs: Term,
    /// The condition.
    pub guard: Guard,
    /// The replacement.
    pub rhs: Term,
    /// The rule only orders operands, so it applies only if operand 0 ranks after operand 1: literals rank after everything else, later values after
    /// earlier ones. All other rules make the term cheaper by [`Term::cost`].
    pub ordering: bool,
}

impl Rule {
    /// A rule without a guard whose operands need not be literals.
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

    /// The same rule, restricted to literals for these operands and, if given, to this guard.
    #[must_use]
    pub fn literals<const N: usize>(mut self, which: [usize; N], guard: Option<Term>) -> Rule {
        for (k, operand) in self.operands.iter_mut().enumerate() {
            operand.literal |= which.contains(&k);
        }
        self.guard = Guard { term: guard };
        self
    }
}
