//! Folds of signs, neutral operands and equal operands, the parts that program rewriting changes most often. With these folds, most rewritten
//! programs become the same terms as their reference, without lemmas.

use super::arena::Arena;
use super::arm::Arm;
use super::fired;
use super::fold::Folded;
use super::folds::{Fold, p, x, y};
use super::node::{Node, Term, Ty};
use lockstep_core::value::{BBin, FBin, FCmp, FUn, IBin, ICmp};

/// The depth to which a term is searched to determine its sign.
const MAX_SIGN_DEPTH: u32 = 3;

impl Arena {
    /// Returns an equal term if one of the folds of this module applies.
    pub(super) fn signs(&mut self, node: &Node) -> Folded {
        match *node {
            Node::Un(FUn::Abs, a) => {
                let without = self.has_clear_sign(a, MAX_SIGN_DEPTH);
                without.then(|| (Arm::AbsClear, self.given_clear_signs(&[a], a)))
            }
            Node::Bin(op, a, b) => self
                .fold_product(op, a, b)
                .or_else(|| self.fold_literal(op, a, b))
                .or_else(|| self.fold_plus_zero(op, a, b)),
            Node::Cmp(op, a, b) => self.fold_comparison(op, a, b),
            Node::Logic(op @ (BBin::And | BBin::Or), a, b) => {
                let (Node::Not(p), Node::Not(q)) = (self.node(a), self.node(b)) else { return None };
                let (p, q) = (*p, *q);
                let (arm, opposite) =
                    if op == BBin::And { (Arm::NotAndNot, BBin::Or) } else { (Arm::NotOrNot, BBin::And) };
                let other = self.fold(Node::Logic(opposite, p, q));
                Some((arm, self.fold(Node::Not(other))))
            }
            Node::Sel(ty, c, a, b) => self.fold_select(ty, c, a, b),
            Node::IBin(IBin::And, a, b) => self.fold_int_and(a, b),
            Node::IBin(IBin::Or, a, b) if a == b => Some((Arm::IntOrSelf, a)),
            Node::IBin(IBin::Sub, a, b) => {
                let (Node::LitI(_), zero) = (self.node(b).clone(), self.intern(Node::LitI(0))) else {
                    return None;
                };
                let opposite = self.fold(Node::IBin(IBin::Sub, zero, b));
                Some((Arm::SubLiteral, self.fold(Node::IBin(IBin::Add, a, opposite))))
            }
            _ => None,
        }
    }

    fn fold_int_and(&mut self, a: Term, b: Term) -> Folded {
        if a == b {
            return Some((Arm::IntAndSelf, a));
        }
        let int = |t: Term| match self.node(t) {
            Node::LitI(v) => Some(*v),
            _ => None,
        };
        // Which operand is the literal depends on the shapes of both.
        let (mask, other) = match (int(a), int(b)) {
            (Some(mask), _) => (mask, b),
            (_, Some(mask)) => (mask, a),
            _ => return None,
        };
        let zero = self.intern(Node::LitI(0));
        match (mask, self.node(other)) {
            (0, _) => Some((Arm::IntAndZero, zero)),
            (i32::MIN, Node::Bits(x)) => {
                let x = *x;
                self.has_clear_sign(x, MAX_SIGN_DEPTH)
                    .then(|| (Arm::SignOfClear, self.given_clear_signs(&[x], zero)))
            }
            _ => None,
        }
    }

    /// Whether a value's sign bit is recognised as always clear. Each step of the argument is recorded as a separate goal.
    fn has_clear_sign(&mut self, t: Term, depth: u32) -> bool {
        let (arm, because): (Arm, Option<[Term; 2]>) = match self.node(t).clone() {
            Node::LitF(bits) if bits >> 31 == 0 => {
                fired::count(Arm::ClearLiteral);
                return true;
            }
            Node::Un(FUn::Abs, _) => (Arm::ClearAbs, None),
            Node::Bin(FBin::Mul, x, y) if x == y => (Arm::ClearSquare, None),
            Node::Bin(FBin::Add, x, y) if self.is_fraction(x, y) || self.is_fraction(y, x) => {
                (Arm::ClearFraction, None)
            }
            Node::Sel(_, _, a, b)
                if depth > 0 && self.has_clear_sign(a, depth - 1) && self.has_clear_sign(b, depth - 1) =>
            {
                (Arm::ClearSelect, Some([a, b]))
            }
            _ => return false,
        };
        fired::count(arm);
        if fired::is_recording() {
            let because = because.into_iter().flatten();
            let because: Vec<(Term, bool)> = because.map(|t| (self.has_sign(t), false)).collect();
            let claim = self.has_sign(t);
            fired::record_never_holds(self, claim, &because);
        }
        true
    }

    /// Returns the condition that the sign bit of a value is set.
    fn has_sign(&mut self, t: Term) -> Term {
        let (bits, zero) = (self.intern(Node::Bits(t)), self.intern(Node::LitI(0)));
        self.intern(Node::ICmp(ICmp::LtS, bits, zero))
    }

    /// Returns the condition that a value is -0.
    fn minus_zero(&mut self, t: Term) -> Term {
        let (bits, least) = (self.intern(Node::Bits(t)), self.intern(Node::LitI(i32::MIN)));
        self.intern(Node::ICmp(ICmp::Eq, bits, least))
    }

    /// Returns `folded`. The current fold is recorded with the condition that the sign bits of `values` are clear.
    fn given_clear_signs(&mut self, values: &[Term], folded: Term) -> Term {
        if fired::is_recording() {
            self.conditions = values.iter().map(|t| (self.has_sign(*t), false)).collect();
        }
        folded
    }

    /// Whether the second value is the negated floor of the first.
    fn is_fraction(&self, x: Term, minus_floor: Term) -> bool {
        self.neg_operand(minus_floor).is_some_and(|t| *self.node(t) == Node::Un(FUn::Floor, x))
    }

    /// Whether a value is recognised as never being -0. Each step of the argument is recorded as a separate goal.
    fn is_never_minus_zero(&mut self, t: Term, depth: u32) -> bool {
        let mut because = Vec::new();
        let seen = self.has_clear_sign(t, depth);
        let arm = if seen {
            because.push(self.has_sign(t));
            Arm::NeverMinusZeroClear
        } else {
            match self.node(t).clone() {
                Node::LitF(bits) if bits != 1 << 31 => {
                    fired::count(Arm::NeverMinusZeroLiteral);
                    return true;
                }
                // A sum is -0 only if both addends are.
                Node::Bin(FBin::Add, x, y) if depth > 0 => {
                    let Some(one) = [x, y].into_iter().find(|t| self.is_never_minus_zero(*t, depth - 1))
                    else {
                        return false;
                    };
                    because.push(self.minus_zero(one));
                    Arm::NeverMinusZeroSum
                }
                Node::Sel(_, c, a, b) => {
                    // An operand that is chosen because it is greater than 0, or because it (or the value it negates) is not 0.
                    let (above, not_zero) = match *self.node(c) {
                        Node::Cmp(FCmp::Lt, zero, x) if self.is_zero(zero) => (Some(x), None),
                        Node::Cmp(FCmp::Eq, zero, x) if self.is_zero(zero) => (None, Some(x)),
                        Node::Cmp(FCmp::Eq, x, zero) if self.is_zero(zero) => (None, Some(x)),
                        _ => (None, None),
                    };
                    let of_b = self.neg_operand(b).unwrap_or(b);
                    for (t, settled) in [(a, above == Some(a)), (b, not_zero == Some(of_b))] {
                        if settled {
                            continue;
                        }
                        if depth == 0 || !self.is_never_minus_zero(t, depth - 1) {
                            return false;
                        }
                        because.push(self.minus_zero(t));
                    }
                    Arm::NeverMinusZeroSelect
                }
                _ => return false,
            }
        };
        fired::count(arm);
        if fired::is_recording() {
            let because: Vec<(Term, bool)> = because.into_iter().map(|t| (t, false)).collect();
            let claim = self.minus_zero(t);
            fired::record_never_holds(self, claim, &because);
        }
        true
    }

    fn is_zero(&self, t: Term) -> bool {
        self.bits_of(t).is_some_and(|bits| bits << 1 == 0)
    }

    /// Folds the sum of 0 and a value that is never -0 to that value.
    fn fold_plus_zero(&mut self, op: FBin, a: Term, b: Term) -> Folded {
        let other = match (self.bits_of(a), self.bits_of(b)) {
            (Some(0), None) => b,
            (None, Some(0)) => a,
            _ => return None,
        };
        if op != FBin::Add || !self.is_never_minus_zero(other, MAX_SIGN_DEPTH) {
            return None;
        }
        if fired::is_recording() {
            self.conditions = vec![(self.minus_zero(other), false)];
        }
        Some((Arm::PlusZero, other))
    }

    fn neg_operand(&self, t: Term) -> Option<Term> {
        match self.node(t) {
            Node::Un(FUn::Neg, x) => Some(*x),
            _ => None,
        }
    }
    fn abs_operand(&self, t: Term) -> Option<Term> {
        match self.node(t) {
            Node::Un(FUn::Abs, x) => Some(*x),
            _ => None,
        }
    }
    fn bits_of(&self, t: Term) -> Option<u32> {
        match self.node(t) {
            Node::LitF(bits) => Some(*bits),
            _ => None,
        }
    }

    /// Folds products and quotients of two negated values, and products of an absolute value and a value whose sign bit is clear.
    fn fold_product(&mut self, op: FBin, a: Term, b: Term) -> Folded {
        if op == FBin::Add {
            return None;
        }
        if let (Some(x), Some(y)) = (self.neg_operand(a), self.neg_operand(b)) {
            return Some((Arm::NegProduct, self.fold(Node::Bin(op, x, y))));
        }
        let (of_a, of_b) = (self.abs_operand(a), self.abs_operand(b));
        if op == FBin::Mul
            && (of_a.is_some() || of_b.is_some())
            && (of_a.is_some() || self.has_clear_sign(a, MAX_SIGN_DEPTH))
            && (of_b.is_some() || self.has_clear_sign(b, MAX_SIGN_DEPTH))
        {
            let product = self.fold(Node::Bin(op, of_a.unwrap_or(a), of_b.unwrap_or(b)));
            let size = self.fold(Node::Un(FUn::Abs, product));
            let plain: Vec<Term> =
                [(a, of_a), (b, of_b)].into_iter().filter(|(_, of)| of.is_none()).map(|(t, _)| t).collect();
            return Some((Arm::AbsProduct, self.given_clear_signs(&plain, size)));
        }
        None
    }

    /// Folds operations with a literal that leaves the other operand unchanged, negates it or doubles it.
    fn fold_literal(&mut self, op: FBin, a: Term, b: Term) -> Folded {
        let (x, literal) = match (self.bits_of(a), self.bits_of(b)) {
            (_, Some(v)) => (a, v),
            (Some(v), _) if op != FBin::Div => (b, v),
            _ => return None,
        };
        match (op, literal) {
            (FBin::Add, 0x8000_0000) => Some((Arm::AddMinusZero, x)),
            (FBin::Mul, 0x3f80_0000) => Some((Arm::MulOne, x)),
            (FBin::Div, 0x3f80_0000) => Some((Arm::DivOne, x)),
            (FBin::Mul, 0xbf80_0000) => Some((Arm::MulMinusOne, self.fold(Node::Un(FUn::Neg, x)))),
            (FBin::Mul, 0x4000_0000) => Some((Arm::MulTwo, self.fold(Node::Bin(FBin::Add, x, x)))),
            _ => None,
        }
    }

    fn fold_comparison(&mut self, op: FCmp, a: Term, b: Term) -> Folded {
        if a == b {
            return match op {
                FCmp::Lt => Some((Arm::LessSelf, self.intern(Node::LitB(false)))),
                FCmp::Le => Some((Arm::LessEqualSelf, self.fold(Node::Cmp(FCmp::Eq, a, a)))),
                FCmp::Eq => None,
            };
        }
        match (self.neg_operand(a), self.neg_operand(b)) {
            (Some(x), Some(y)) => return Some((Arm::CompareNegs, self.fold(Node::Cmp(op, y, x)))),
            (Some(x), None) => {
                self.bits_of(b)?;
                let opposite = self.fold(Node::Un(FUn::Neg, b));
                return Some((Arm::CompareNegLiteral, self.fold(Node::Cmp(op, opposite, x))));
            }
            (None, Some(y)) => {
                self.bits_of(a)?;
                let opposite = self.fold(Node::Un(FUn::Neg, a));
                return Some((Arm::CompareLiteralNeg, self.fold(Node::Cmp(op, y, opposite))));
            }
            (None, None) => {}
        }
        let (zero, other) = match (self.is_zero(a), self.is_zero(b)) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => return None,
        };
        match (op, self.abs_operand(other)) {
            (FCmp::Eq, Some(x)) => Some((Arm::EqualAbsZero, self.fold(Node::Cmp(FCmp::Eq, zero, x)))),
            (FCmp::Eq, None) if self.bits_of(zero) == Some(1 << 31) => {
                let zero = self.intern(Node::LitF(0));
                Some((Arm::EqualMinusZero, self.fold(Node::Cmp(FCmp::Eq, zero, other))))
            }
            (FCmp::Lt, Some(_)) if other == a => Some((Arm::AbsBelowZero, self.intern(Node::LitB(false)))),
            _ => None,
        }
    }

    fn fold_select(&mut self, ty: Ty, c: Term, a: Term, b: Term) -> Folded {
        if let Node::Sel(_, d, inner, _) = *self.node(a)
            && d == c
        {
            return Some((Arm::SelectThenSame, self.fold(Node::Sel(ty, c, inner, b))));
        }
        match *self.node(b) {
            Node::Sel(_, d, _, inner) if d == c => {
                Some((Arm::SelectElseSame, self.fold(Node::Sel(ty, c, a, inner))))
            }
            Node::Un(FUn::Abs, x) if self.bits_of(a).is_some_and(|bits| bits >> 31 == 0) => {
                let chosen = self.fold(Node::Sel(ty, c, a, x));
                Some((Arm::SelectAbs, self.fold(Node::Un(FUn::Abs, chosen))))
            }
            Node::Bin(FBin::Mul, x, y) if x == y && self.bits_of(a) == Some(0) => {
                let Node::Cmp(FCmp::Eq, m, n) = *self.node(c) else { return None };
                let is_zero = |t: Term| self.bits_of(t) == Some(0);
                (m == x && is_zero(n) || n == x && is_zero(m)).then_some((Arm::SelectSquare, b))
            }
            _ => None,
        }
    }
}

fn un(a: &mut Arena, op: FUn, t: Term) -> Term {
    a.intern(Node::Un(op, t))
}
fn lit(a: &mut Arena, v: f32) -> Term {
    a.intern(Node::LitF(v.to_bits()))
}

/// Returns two unknowns, each with the same sign operation applied.
fn both(a: &mut Arena, op: FUn) -> (Term, Term) {
    let (x, y) = (x(a), y(a));
    (un(a, op, x), un(a, op, y))
}

fn with_literal(a: &mut Arena, op: FCmp, literal_first: bool) -> Node {
    let (x, five) = (x(a), lit(a, 5.0));
    let minus = un(a, FUn::Neg, x);
    if literal_first { Node::Cmp(op, five, minus) } else { Node::Cmp(op, minus, five) }
}
fn nested(a: &mut Arena, ty: Ty, within_then: bool) -> Node {
    let p = p(a);
    let [m, n, o] = ["m", "n", "o"].map(|name| a.unknown(ty, name));
    let inner = a.intern(Node::Sel(ty, p, m, n));
    if within_then { Node::Sel(ty, p, inner, o) } else { Node::Sel(ty, p, o, inner) }
}
fn opposites(a: &mut Arena, op: BBin) -> Node {
    let (p, q) = (p(a), a.unknown(Ty::B, "q"));
    let (not_p, not_q) = (a.intern(Node::Not(p)), a.intern(Node::Not(q)));
    Node::Logic(op, not_p, not_q)
}

fn fraction(a: &mut Arena, x: Term) -> Term {
    let floor = un(a, FUn::Floor, x);
    let minus = un(a, FUn::Neg, floor);
    a.intern(Node::Bin(FBin::Add, x, minus))
}
/// `0 + t`.
fn zero_plus(a: &mut Arena, t: Term) -> Node {
    let zero = lit(a, 0.0);
    Node::Bin(FBin::Add, zero, t)
}
/// `0 < x ? x : 0`.
fn above_zero(a: &mut Arena) -> Term {
    let (x, zero) = (x(a), lit(a, 0.0));
    let above = a.intern(Node::Cmp(FCmp::Lt, zero, x));
    a.intern(Node::Sel(Ty::F, above, x, zero))
}
/// `x == 0 ? 0 : x`, or with `-x`.
fn unless_zero(a: &mut Arena, negated: bool) -> Term {
    let (x, zero) = (x(a), lit(a, 0.0));
    let c = a.intern(Node::Cmp(FCmp::Eq, x, zero));
    let other = if negated { un(a, FUn::Neg, x) } else { x };
    a.intern(Node::Sel(Ty::F, c, zero, other))
}

macro_rules! folds {
    ($($name:literal: |$a:ident| $node:expr;)*) => {
        /// The folds of this module; each must fire.
        pub static SIGN_FOLDS: &[Fold] = &[$(Fold { name: $name, node: |$a| $node }),*];
    };
}

folds! {
    "abs(x * x) = x * x": |a| { let x = x(a); let n = a.intern(Node::Bin(FBin::Mul, x, x)); Node::Un(FUn::Abs, n) };
    "abs(p ? x * x : 5) = p ? x * x : 5": |a| {
        let (p, x, five) = (p(a), x(a), lit(a, 5.0));
        let square = a.intern(Node::Bin(FBin::Mul, x, x));
        let n = a.intern(Node::Sel(Ty::F, p, square, five));
        Node::Un(FUn::Abs, n)
    };
    "abs(x - floor x) = x - floor x": |a| {
        let x = x(a);
        Node::Un(FUn::Abs, fraction(a, x))
    };
    "0 + abs x = abs x": |a| { let x = x(a); let n = un(a, FUn::Abs, x); zero_plus(a, n) };
    "0 + (0 < x ? x : 0) = 0 < x ? x : 0": |a| { let n = above_zero(a); zero_plus(a, n) };
    "0 + (y + (0 < x ? x : 0)) = y + (0 < x ? x : 0)": |a| {
        let (y, n) = (y(a), above_zero(a));
        let sum = a.intern(Node::Bin(FBin::Add, y, n));
        zero_plus(a, sum)
    };
    "0 + (x == 0 ? 0 : x) = x == 0 ? 0 : x": |a| { let n = unless_zero(a, false); zero_plus(a, n) };
    "0 + (x == 0 ? 0 : -x) = x == 0 ? 0 : -x": |a| { let n = unless_zero(a, true); zero_plus(a, n) };
    "0 + (p ? -5 : abs x) = p ? -5 : abs x": |a| {
        let (p, x, minus_five) = (p(a), x(a), lit(a, -5.0));
        let size = un(a, FUn::Abs, x);
        let n = a.intern(Node::Sel(Ty::F, p, minus_five, size));
        zero_plus(a, n)
    };
    "sign bit of abs x = 0": |a| {
        let (x, mask) = (x(a), a.intern(Node::LitI(i32::MIN)));
        let n = un(a, FUn::Abs, x);
        let n = a.intern(Node::Bits(n));
        Node::IBin(IBin::And, n, mask)
    };
    "i & i = i": |a| { let i = a.unknown(Ty::I, "i"); Node::IBin(IBin::And, i, i) };
    "i | i = i": |a| { let i = a.unknown(Ty::I, "i"); Node::IBin(IBin::Or, i, i) };
    "-x * -y = x * y": |a| { let (m, n) = both(a, FUn::Neg); Node::Bin(FBin::Mul, m, n) };
    "-x / -y = x / y": |a| { let (m, n) = both(a, FUn::Neg); Node::Bin(FBin::Div, m, n) };
    "abs x * abs y = abs(x * y)": |a| { let (m, n) = both(a, FUn::Abs); Node::Bin(FBin::Mul, m, n) };
    "abs x * (y - floor y) = abs(x * (y - floor y))": |a| {
        let (x, y) = (x(a), y(a));
        let (size, fraction) = (un(a, FUn::Abs, x), fraction(a, y));
        Node::Bin(FBin::Mul, size, fraction)
    };
    "x + -0 = x": |a| { let (x, v) = (x(a), lit(a, -0.0)); Node::Bin(FBin::Add, x, v) };
    "x * 1 = x": |a| { let (x, v) = (x(a), lit(a, 1.0)); Node::Bin(FBin::Mul, x, v) };
    "x / 1 = x": |a| { let (x, v) = (x(a), lit(a, 1.0)); Node::Bin(FBin::Div, x, v) };
    "x * -1 = -x": |a| { let (x, v) = (x(a), lit(a, -1.0)); Node::Bin(FBin::Mul, x, v) };
    "x * 2 = x + x": |a| { let (x, v) = (x(a), lit(a, 2.0)); Node::Bin(FBin::Mul, x, v) };
    "x < x is false": |a| { let x = x(a); Node::Cmp(FCmp::Lt, x, x) };
    "x <= x is x == x": |a| { let x = x(a); Node::Cmp(FCmp::Le, x, x) };
    "-x < -y is y < x": |a| { let (m, n) = both(a, FUn::Neg); Node::Cmp(FCmp::Lt, m, n) };
    "-x <= -y is y <= x": |a| { let (m, n) = both(a, FUn::Neg); Node::Cmp(FCmp::Le, m, n) };
    "-x == -y is y == x": |a| { let (m, n) = both(a, FUn::Neg); Node::Cmp(FCmp::Eq, m, n) };
    "-x < 5 is -5 < x": |a| with_literal(a, FCmp::Lt, false);
    "5 < -x is x < -5": |a| with_literal(a, FCmp::Lt, true);
    "-x <= 5 is -5 <= x": |a| with_literal(a, FCmp::Le, false);
    "5 <= -x is x <= -5": |a| with_literal(a, FCmp::Le, true);
    "-x == 5 is -5 == x": |a| with_literal(a, FCmp::Eq, false);
    "abs x == 0 is x == 0": |a| { let (x, v) = (x(a), lit(a, 0.0)); let n = un(a, FUn::Abs, x); Node::Cmp(FCmp::Eq, n, v) };
    "x == -0 is x == 0": |a| { let (x, v) = (x(a), lit(a, -0.0)); Node::Cmp(FCmp::Eq, x, v) };
    "abs x < 0 is false": |a| { let (x, v) = (x(a), lit(a, 0.0)); let n = un(a, FUn::Abs, x); Node::Cmp(FCmp::Lt, n, v) };
    "not p and not q is not (p or q)": |a| opposites(a, BBin::And);
    "not p or not q is not (p and q)": |a| opposites(a, BBin::Or);
    "p ? (p ? m : n) : o = p ? m : o": |a| nested(a, Ty::F, true);
    "p ? o : (p ? m : n) = p ? o : n": |a| nested(a, Ty::F, false);
    "p ? (p ? i : j) : k = p ? i : k": |a| nested(a, Ty::I, true);
    "p ? k : (p ? i : j) = p ? k : j": |a| nested(a, Ty::I, false);
    "p ? 5 : abs x = abs(p ? 5 : x)": |a| {
        let (p, x, five) = (p(a), x(a), lit(a, 5.0));
        let n = un(a, FUn::Abs, x);
        Node::Sel(Ty::F, p, five, n)
    };
    "x == 0 ? 0 : x * x = x * x": |a| {
        let (x, zero) = (x(a), lit(a, 0.0));
        let (c, square) = (a.intern(Node::Cmp(FCmp::Eq, x, zero)), a.intern(Node::Bin(FBin::Mul, x, x)));
        Node::Sel(Ty::F, c, zero, square)
    };
    "i & 0 = 0": |a| { let (i, zero) = (a.unknown(Ty::I, "i"), a.intern(Node::LitI(0))); Node::IBin(IBin::And, i, zero) };
    "i - 5 = i + -5": |a| { let (i, five) = (a.unknown(Ty::I, "i"), a.intern(Node::LitI(5))); Node::IBin(IBin::Sub, i, five) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_folded() {
        for row in SIGN_FOLDS {
            let arena = &mut Arena::default();
            let node = (row.node)(arena);
            let plain = arena.intern(node.clone());
            assert_ne!(arena.fold(node), plain, "{}", row.name);
        }
    }

    #[test]
    fn near_misses_are_not_folded() {
        let arena = &mut Arena::default();
        let (x, y, zero, minus_five) = (x(arena), y(arena), lit(arena, 0.0), lit(arena, -5.0));
        let size = un(arena, FUn::Abs, x);
        let negated = un(arena, FUn::Neg, y);
        let c = arena.intern(Node::Cmp(FCmp::Eq, y, zero));
        let square = arena.intern(Node::Bin(FBin::Mul, x, x));
        let above = arena.intern(Node::Cmp(FCmp::Lt, zero, x));
        let at_most_zero = arena.intern(Node::Sel(Ty::F, above, zero, x));
        let another_than_zero = arena.intern(Node::Sel(Ty::F, c, zero, x));
        for node in [
            Node::Bin(FBin::Add, x, zero), // -0 + 0 is +0
            Node::Bin(FBin::Add, at_most_zero, zero),
            Node::Bin(FBin::Add, another_than_zero, zero),
            Node::Bin(FBin::Mul, size, negated),
            Node::Cmp(FCmp::Lt, zero, size),
            Node::Sel(Ty::F, c, minus_five, size),
            Node::Sel(Ty::F, c, zero, square), // y is zero, not x
            Node::Cmp(FCmp::Eq, x, x),         // false for NaN
        ] {
            assert_eq!(arena.signs(&node), None, "{node:?}");
        }
    }
}
