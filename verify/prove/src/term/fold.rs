//! The smart constructor: the equalities applied while terms are built.
//!
//! Operations on literals are folded by [`Concrete`] arithmetic, which the domain check compares with the solver. Every other fold that fires is
//! recorded and, unless it is an axiom, proved like any rewrite rule: the term without the fold equals the term with it, for all values. The folds
//! listed in `folds::FOLDS` and `signs::SIGN_FOLDS` must fire.

use super::arena::Arena;
use super::arm::Arm;
use super::fired;
use super::node::{Node, Term, Ty};
use lockstep_core::value::{BBin, Concrete, Domain, FCmp, FUn, IBin, ICmp, canonical_bits};

/// The depth to which `is_same_condition` compares two conditions.
const MAX_CONDITION_DEPTH: u32 = 4;

/// A folded term with the [`Arm`] that folded it; `None` if no fold applies. Every fold except those of literals returns this type, so it
/// has a named arm.
pub(super) type Folded = Option<(Arm, Term)>;

impl Arena {
    /// Returns the term for `node`, folded. A fold that fires for the first time on this thread is recorded, see [`super::fired`].
    pub fn fold(&mut self, node: Node) -> Term {
        let known = self.known_fold(&node);
        let mark = self.inner.len();
        let term = known.unwrap_or_else(|| {
            self.nested += 1;
            let term = self.folded_once(node.clone());
            let conditions = std::mem::take(&mut self.conditions);
            let plain = self.single_fold.take().filter(|plain| self.operands_folded(*plain) == term);
            self.nested -= 1;
            self.remember_fold(&node, term);
            match plain {
                Some(plain) => fired::folded(self, &node, plain, &[], &conditions),
                None if *self.node(term) != node => {
                    fired::folded(self, &node, term, &self.inner[mark..], &conditions);
                }
                None => {}
            }
            term
        });
        self.inner.truncate(mark);
        if self.nested > 0 && *self.node(term) != node {
            self.inner.push((node, term));
        }
        term
    }

    /// Folds the operands of a term, then its operation on them.
    fn operands_folded(&mut self, term: Term) -> Term {
        let node = self.node(term).clone();
        let node = node.map(|t| {
            let operand = self.node(t).clone();
            if operand.operands().is_empty() || matches!(operand, Node::Apply(..)) {
                t
            } else {
                self.fold(operand)
            }
        });
        self.fold(node)
    }

    fn folded_once(&mut self, node: Node) -> Term {
        if let Some(literal) = self.literals(&node) {
            return self.intern(literal);
        }
        // Operands of commutative operations are ordered by their shapes.
        let node = node.in_order_of(|t| (self.shape(t), t));
        #[cfg(test)]
        if let Some(wrong) = super::planted::fold(self, &node) {
            return wrong;
        }
        match self.shortcut(&node).or_else(|| self.signs(&node)) {
            Some((arm, term)) => {
                fired::count(arm);
                term
            }
            None => self.intern(node),
        }
    }

    fn float(&self, t: Term) -> Option<f32> {
        match self.node(t) {
            Node::LitF(bits) => Some(f32::from_bits(*bits)),
            _ => None,
        }
    }
    fn int(&self, t: Term) -> Option<i32> {
        match self.node(t) {
            Node::LitI(v) => Some(*v),
            _ => None,
        }
    }
    fn truth(&self, t: Term) -> Option<bool> {
        match self.node(t) {
            Node::LitB(v) => Some(*v),
            _ => None,
        }
    }

    /// Evaluates an operation on literals with [`Concrete`]. Logic operations and selects are left to `shortcut`.
    fn literals(&self, node: &Node) -> Option<Node> {
        let c = Concrete;
        let f = |v: f32| Node::LitF(canonical_bits(v));
        Some(match *node {
            Node::Un(op, a) => f(c.un(op, &self.float(a)?)),
            Node::Bin(op, a, b) => f(c.bin(op, &self.float(a)?, &self.float(b)?)),
            Node::Fma(x, y, z) => f(c.fma(&self.float(x)?, &self.float(y)?, &self.float(z)?)),
            Node::Cmp(op, a, b) => Node::LitB(c.cmp(op, &self.float(a)?, &self.float(b)?)),
            Node::IBin(op, a, b) => Node::LitI(c.ibin(op, &self.int(a)?, &self.int(b)?)),
            Node::ICmp(op, a, b) => Node::LitB(c.icmp(op, &self.int(a)?, &self.int(b)?)),
            Node::Not(a) => Node::LitB(!self.truth(a)?),
            Node::TruncI(a) => Node::LitI(c.trunc_i(&self.float(a)?)),
            Node::ToF(a) => f(c.to_f(&self.int(a)?)),
            Node::Bits(a) => Node::LitI(c.bits(&self.float(a)?)),
            Node::FromBits(a) => f(c.from_bits(&self.int(a)?)),
            _ => return None,
        })
    }

    /// Returns an equal, smaller term if one of the folds applies.
    fn shortcut(&mut self, node: &Node) -> Folded {
        match *node {
            Node::Un(FUn::Neg, a) => match self.node(a) {
                Node::Un(FUn::Neg, x) => Some((Arm::NegNeg, *x)),
                _ => None,
            },
            Node::Un(FUn::Abs, a) => match self.node(a) {
                Node::Un(FUn::Abs, _) => Some((Arm::AbsAbs, a)),
                Node::Un(FUn::Neg, x) => {
                    let x = *x;
                    Some((Arm::AbsNeg, self.fold(Node::Un(FUn::Abs, x))))
                }
                _ => None,
            },
            // An axiom, see AXIOMS.
            Node::Un(FUn::Cos, a) => match self.node(a) {
                Node::Un(FUn::Neg | FUn::Abs, x) => {
                    let x = *x;
                    Some((Arm::CosSign, self.fold(Node::Un(FUn::Cos, x))))
                }
                _ => None,
            },
            Node::FromBits(a) => match self.node(a) {
                Node::Bits(x) => Some((Arm::FromBitsBits, *x)),
                _ => None,
            },
            Node::Not(a) => match self.node(a) {
                Node::Not(x) => Some((Arm::NotNot, *x)),
                _ => None,
            },
            Node::TruncI(a) => match self.node(a) {
                Node::Un(FUn::Trunc, x) => {
                    let x = *x;
                    Some((Arm::TruncTrunc, self.fold(Node::TruncI(x))))
                }
                _ => None,
            },
            Node::Logic(op, a, b) => self.logic_shortcut(op, a, b),
            Node::ICmp(ICmp::Eq, a, b) if a == b => Some((Arm::EqualSelf, self.intern(Node::LitB(true)))),
            Node::ICmp(op, a, b) => {
                self.fold_select_comparison(op, a, b).or_else(|| self.fold_sum_comparison(op, a, b))
            }
            Node::IBin(IBin::Add, a, b) => {
                let (sum, literal) = self.with_literal(a, b)?;
                if self.int(literal) == Some(0) {
                    return Some((Arm::AddZero, sum));
                }
                let Node::IBin(IBin::Add, c, d) = *self.node(sum) else { return None };
                let (rest, inner) = self.with_literal(c, d)?;
                let literal = self.fold(Node::IBin(IBin::Add, inner, literal));
                Some((Arm::AddNested, self.fold(Node::IBin(IBin::Add, rest, literal))))
            }
            Node::Sel(ty, c, a, b) => {
                if a == b {
                    return Some((Arm::SelectSame, a));
                }
                match self.truth(c) {
                    Some(true) => return Some((Arm::SelectTrue, a)),
                    Some(false) => return Some((Arm::SelectFalse, b)),
                    None => {}
                }
                if let Node::Not(x) = self.node(c) {
                    let x = *x;
                    return Some((Arm::SelectNot, self.fold(Node::Sel(ty, x, b, a))));
                }
                if let Node::Sel(_, before, first, inner) = *self.node(b)
                    && first == a
                    && self.is_same_condition((c, b), (before, inner), MAX_CONDITION_DEPTH)
                {
                    return Some((Arm::SelectTwice, b));
                }
                if self.flushed(node).is_some() && self.flushed(self.node(b)).is_some() {
                    return Some((Arm::FlushTwice, b));
                }
                match (self.truth(a), self.truth(b)) {
                    (Some(true), Some(false)) => Some((Arm::SelectCondition, c)),
                    (Some(false), Some(true)) => Some((Arm::SelectNegation, self.fold(Node::Not(c)))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether `one` becomes the same term as `other` if `of_one` is replaced by `of_other` in it. Different terms nested deeper than `depth` are
    /// not compared and count as unequal.
    fn is_same_condition(
        &self,
        (one, of_one): (Term, Term),
        (other, of_other): (Term, Term),
        depth: u32,
    ) -> bool {
        if (one == of_one && other == of_other) || (one == other && one != of_one && other != of_other) {
            return true;
        }
        let (l, r) = (self.node(one), self.node(other));
        if depth == 0 || l.operands().is_empty() || l.map(|_| Term(0)) != r.map(|_| Term(0)) {
            return false;
        }
        let (a, b) = (l.operands(), r.operands());
        let same = |x: Term, y: Term| self.is_same_condition((x, of_one), (y, of_other), depth - 1);
        // Ordering may have exchanged the operands of one of the terms.
        let crossed = matches!(l, Node::Cmp(FCmp::Eq, ..) | Node::Logic(..));
        a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| same(*x, *y))
            || crossed && same(a[0], b[1]) && same(a[1], b[0])
    }

    /// Returns x if `node` has the form `abs x < smallest normal ? from_bits(bits x & sign) : x`, which flushes subnormals.
    pub(crate) fn flushed(&self, node: &Node) -> Option<Term> {
        let Node::Sel(Ty::F, c, zero, x) = *node else { return None };
        let Node::Cmp(FCmp::Lt, size, least) = *self.node(c) else { return None };
        let Node::FromBits(sign) = *self.node(zero) else { return None };
        let Node::IBin(IBin::And, m, n) = *self.node(sign) else { return None };
        let is_sign = |bits: Term, mask: Term| {
            self.int(mask) == Some(i32::MIN) && matches!(self.node(bits), Node::Bits(of) if *of == x)
        };
        let is_size = matches!(self.node(size), Node::Un(FUn::Abs, of) if *of == x);
        let is_least = self.float(least).is_some_and(|v| v.to_bits() == f32::MIN_POSITIVE.to_bits());
        #[cfg(test)]
        let is_least =
            is_least || self.float(least).is_some() && super::planted::is(super::planted::Planted::Threshold);
        (is_size && is_least && (is_sign(m, n) || is_sign(n, m))).then_some(x)
    }

    /// Folds the comparison of a literal with a select between literals: to the select's condition, its negation or a literal.
    fn fold_select_comparison(&mut self, op: ICmp, a: Term, b: Term) -> Folded {
        let choice = |t: Term| match self.node(t) {
            Node::Sel(Ty::I, c, x, y) if self.int(*x).is_some() && self.int(*y).is_some() => {
                Some((*c, *x, *y))
            }
            _ => None,
        };
        let ((c, x, y), flipped) = match (choice(a), choice(b)) {
            (Some(found), None) if self.int(b).is_some() => (found, false),
            (None, Some(found)) if self.int(a).is_some() => (found, true),
            _ => return None,
        };
        let side = |v: Term| if flipped { Node::ICmp(op, a, v) } else { Node::ICmp(op, v, b) };
        let (yes, no) = (self.intern(side(x)), self.intern(side(y)));
        let plain = self.intern(Node::Sel(Ty::B, c, yes, no));
        let (yes, no) = (self.fold(side(x)), self.fold(side(y)));
        let chosen = self.fold(Node::Sel(Ty::B, c, yes, no));
        self.single_fold = Some(plain);
        Some((Arm::CompareSelect, chosen))
    }

    /// Folds `x + m == n` with literals `m` and `n` to `x == n - m`.
    fn fold_sum_comparison(&mut self, op: ICmp, a: Term, b: Term) -> Folded {
        let (sum, literal) = self.with_literal(a, b)?;
        let Node::IBin(IBin::Add, c, d) = *self.node(sum) else { return None };
        let (rest, by) = self.with_literal(c, d)?;
        (op == ICmp::Eq).then(|| {
            let literal = self.fold(Node::IBin(IBin::Sub, literal, by));
            (Arm::CompareSum, self.fold(Node::ICmp(ICmp::Eq, rest, literal)))
        })
    }

    /// If one of two operands is an integer literal, returns the other operand and the literal.
    fn with_literal(&self, a: Term, b: Term) -> Option<(Term, Term)> {
        match (self.int(a), self.int(b)) {
            (Some(_), _) => Some((b, a)),
            (_, Some(_)) => Some((a, b)),
            _ => None,
        }
    }

    fn logic_shortcut(&mut self, op: BBin, a: Term, b: Term) -> Folded {
        if a == b {
            return Some(match op {
                BBin::And => (Arm::AndSame, a),
                BBin::Or => (Arm::OrSame, a),
                BBin::Xor => (Arm::XorSame, self.intern(Node::LitB(false))),
            });
        }
        let (known, other) = match (self.truth(a), self.truth(b)) {
            (Some(k), _) => (k, b),
            (_, Some(k)) => (k, a),
            _ => return None,
        };
        Some(match (op, known) {
            (BBin::And, true) => (Arm::AndTrue, other),
            (BBin::Or, false) => (Arm::OrFalse, other),
            (BBin::Xor, false) => (Arm::XorFalse, other),
            (BBin::And, false) => (Arm::AndFalse, self.intern(Node::LitB(false))),
            (BBin::Or, true) => (Arm::OrTrue, self.intern(Node::LitB(true))),
            (BBin::Xor, true) => (Arm::XorTrue, self.fold(Node::Not(other))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::folds::{AXIOM_FOLDS, FOLDS, x, y};
    use super::super::signs::SIGN_FOLDS;
    use super::*;
    use lockstep_core::value::FBin;

    #[test]
    fn every_row_is_folded() {
        for row in FOLDS {
            let arena = &mut Arena::default();
            let node = (row.node)(arena);
            let plain = arena.intern(node.clone());
            assert_ne!(arena.fold(node), plain, "{}", row.name);
        }
    }

    #[test]
    fn each_arm_fires_on_a_row_of_the_lists() {
        fired::forget();
        let ((), fired) = fired::recording(|| {
            for row in FOLDS.iter().chain(SIGN_FOLDS).chain(AXIOM_FOLDS) {
                let arena = &mut Arena::default();
                let node = (row.node)(arena);
                arena.fold(node);
            }
        });
        let idle: Vec<&Arm> = Arm::ALL.iter().filter(|arm| !fired.arms.contains_key(arm)).collect();
        assert!(idle.is_empty(), "{idle:?}");
        // Nothing is counted where nothing is recorded.
        let arena = &mut Arena::default();
        let node = (FOLDS[0].node)(arena);
        arena.fold(node);
        assert!(fired::recording(|| ()).1.arms.is_empty());
    }

    #[test]
    fn shapes_do_not_depend_on_the_order_of_construction() {
        let build = |names: [&str; 2]| {
            let mut arena = Arena::default();
            for name in names {
                arena.unknown(Ty::F, name);
            }
            let (x, y) = (x(&mut arena), y(&mut arena));
            let sum = arena.fold(Node::Bin(FBin::Add, x, y));
            arena.shape(sum)
        };
        assert_eq!(build(["x", "y"]), build(["y", "x"]));
    }
}
