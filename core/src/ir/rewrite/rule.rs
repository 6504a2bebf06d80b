//! One rewrite rule.

use super::term::Term;
use crate::ir::eval::Scalar;
use crate::ir::op::Ty;
use crate::value::Domain;

/// What a rule says of one of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its type.
    pub ty: Ty,
    /// The rule applies only where it is a literal.
    pub literal: bool,
}

/// A condition on literal operands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guard {
    /// A term of type Bool over literal operands; `None` always holds.
    pub term: Option<Term>,
}

impl Guard {
    /// Whether the guard holds for these operands, of which it looks at literal ones only.
    pub fn eval<D: Domain>(&self, d: &D, operands: &[Scalar<D>]) -> D::B {
        self.term.as_ref().map_or_else(|| d.b(true), |term| term.eval(d, operands).b(d))
    }
}

/// Two terms of at most three operands that are equal, bit for bit but for the payload of NaN, wherever the guard holds.
///
/// The rewriter replaces the left side by the right. Each rule is a proof obligation by existing.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Unique name.
    pub name: String,
    /// Why it holds, NaN, zeros of either sign and infinities included.
    pub why: &'static str,
    /// The operands, by number.
    pub operands: Vec<Operand>,
    /// What is replaced. Every operand occurs in it.
    pub lhs: Term,
    /// When.
    pub guard: Guard,
    /// By what.
    pub rhs: Term,
    /// The rule only puts operands in order, so it applies only where operand 0 ranks after operand 1: literals rank after
    /// everything else, later values after earlier ones. All other rules make the term cheaper by [`Term::cost`].
    pub ordering: bool,
}

impl Rule {
    /// A rule without guard over operands that need not be literals.
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

    /// The same where these operands are literals and, if given, this holds of them.
    #[must_use]
    pub fn literals<const N: usize>(mut self, which: [usize; N], guard: Option<Term>) -> Rule {
        for (k, operand) in self.operands.iter_mut().enumerate() {
            operand.literal |= which.contains(&k);
        }
        self.guard = Guard { term: guard };
        self
    }
}
