//! The smart constructor: the few equalities that are used while terms are built.
//!
//! Folding of literals is Concrete arithmetic, which the domain check compares with the solver. Every other fold is a row of
//! [`FOLDS`] or of `signs::SIGNS` and is proved like any rewrite rule: the term without the fold equals the term with it, for all values.

use super::arena::Arena;
use super::node::{Node, Term, Ty};
use lockstep_core::value::{
    BBin, Concrete, Domain, FBin, FCmp, FUn, IBin, ICmp, canonical_bits, elementary, same,
};

/// How deep conditions on a choice and on what it chooses from are compared.
const SAID_DEPTH: u32 = 4;

impl Arena {
    /// The term for `node`, folded.
    pub fn fold(&mut self, node: Node) -> Term {
        if let Some(literal) = self.literals(&node) {
            return self.intern(literal);
        }
        let node = self.ordered(node);
        match self.shortcut(&node).or_else(|| self.signs(&node)) {
            Some(term) => term,
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

    /// Any operation of literals is the literal that [`Concrete`] gives.
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
            Node::Logic(op, a, b) => Node::LitB(c.logic(op, &self.truth(a)?, &self.truth(b)?)),
            Node::Not(a) => Node::LitB(!self.truth(a)?),
            Node::TruncI(a) => Node::LitI(c.trunc_i(&self.float(a)?)),
            Node::ToF(a) => f(c.to_f(&self.int(a)?)),
            Node::Bits(a) => Node::LitI(c.bits(&self.float(a)?)),
            Node::FromBits(a) => f(c.from_bits(&self.int(a)?)),
            _ => return None,
        })
    }

    /// Operands of commutative operations in the order of their shapes.
    fn ordered(&self, node: Node) -> Node {
        let swap = |a: Term, b: Term| (self.shape(a), a) > (self.shape(b), b);
        match node {
            Node::Bin(op @ (FBin::Add | FBin::Mul), a, b) if swap(a, b) => Node::Bin(op, b, a),
            Node::Cmp(FCmp::Eq, a, b) if swap(a, b) => Node::Cmp(FCmp::Eq, b, a),
            Node::IBin(op @ (IBin::Add | IBin::Mul | IBin::And | IBin::Or | IBin::Xor), a, b)
                if swap(a, b) =>
            {
                Node::IBin(op, b, a)
            }
            Node::ICmp(ICmp::Eq, a, b) if swap(a, b) => Node::ICmp(ICmp::Eq, b, a),
            Node::Logic(op, a, b) if swap(a, b) => Node::Logic(op, b, a),
            other => other,
        }
    }

    /// A smaller term that is equal, if one of the folds applies.
    fn shortcut(&mut self, node: &Node) -> Option<Term> {
        match *node {
            Node::Un(FUn::Neg, a) => match self.node(a) {
                Node::Un(FUn::Neg, x) => Some(*x),
                _ => None,
            },
            Node::Un(FUn::Abs, a) => match self.node(a) {
                Node::Un(FUn::Abs, _) => Some(a),
                Node::Un(FUn::Neg, x) => {
                    let x = *x;
                    Some(self.fold(Node::Un(FUn::Abs, x)))
                }
                _ => None,
            },
            // An axiom, see AXIOMS.
            Node::Un(FUn::Cos, a) => match self.node(a) {
                Node::Un(FUn::Neg | FUn::Abs, x) => {
                    let x = *x;
                    Some(self.fold(Node::Un(FUn::Cos, x)))
                }
                _ => None,
            },
            Node::FromBits(a) => match self.node(a) {
                Node::Bits(x) => Some(*x),
                _ => None,
            },
            Node::Not(a) => match self.node(a) {
                Node::Not(x) => Some(*x),
                _ => None,
            },
            Node::TruncI(a) => match self.node(a) {
                Node::Un(FUn::Trunc, x) => {
                    let x = *x;
                    Some(self.fold(Node::TruncI(x)))
                }
                _ => None,
            },
            Node::Logic(op, a, b) => self.logic_shortcut(op, a, b),
            Node::ICmp(ICmp::Eq, a, b) if a == b => Some(self.intern(Node::LitB(true))),
            Node::ICmp(op, a, b) => self.chosen(op, a, b).or_else(|| self.shifted(op, a, b)),
            Node::IBin(IBin::Add, a, b) => {
                let (sum, literal) = match (self.int(a), self.int(b)) {
                    (Some(v), _) => (b, v),
                    (_, Some(v)) => (a, v),
                    _ => return None,
                };
                if literal == 0 {
                    return Some(sum);
                }
                let Node::IBin(IBin::Add, c, d) = *self.node(sum) else { return None };
                let (rest, inner) = match (self.int(c), self.int(d)) {
                    (Some(v), _) => (d, v),
                    (_, Some(v)) => (c, v),
                    _ => return None,
                };
                let literal = self.intern(Node::LitI(inner.wrapping_add(literal)));
                Some(self.fold(Node::IBin(IBin::Add, rest, literal)))
            }
            Node::Sel(ty, c, a, b) => {
                if a == b {
                    return Some(a);
                }
                if let Some(known) = self.truth(c) {
                    return Some(if known { a } else { b });
                }
                if let Node::Not(x) = self.node(c) {
                    let x = *x;
                    return Some(self.fold(Node::Sel(ty, x, b, a)));
                }
                if let Node::Sel(_, before, first, inner) = *self.node(b)
                    && first == a
                    && self.is_said_of((c, b), (before, inner), SAID_DEPTH)
                {
                    return Some(b);
                }
                if self.flushed(node).is_some() && self.flushed(self.node(b)).is_some() {
                    return Some(b);
                }
                match (self.truth(a), self.truth(b)) {
                    (Some(true), Some(false)) => Some(c),
                    (Some(false), Some(true)) => Some(self.fold(Node::Not(c))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether `one` says of `of_one` what `other` says of `of_other`: whether putting the one for the other makes the same term of them.
    fn is_said_of(&self, (one, of_one): (Term, Term), (other, of_other): (Term, Term), depth: u32) -> bool {
        if (one == of_one && other == of_other) || (one == other && one != of_one && other != of_other) {
            return true;
        }
        let (l, r) = (self.node(one), self.node(other));
        if depth == 0 || l.operands().is_empty() || l.map(|_| Term(0)) != r.map(|_| Term(0)) {
            return false;
        }
        let (a, b) = (l.operands(), r.operands());
        let same = |x: Term, y: Term| self.is_said_of((x, of_one), (y, of_other), depth - 1);
        // Ordering may have exchanged the operands of one of them.
        let crossed = matches!(l, Node::Cmp(FCmp::Eq, ..) | Node::Logic(..));
        a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| same(*x, *y))
            || crossed && same(a[0], b[1]) && same(a[1], b[0])
    }

    /// What a term flushes, if it is `abs x < smallest normal ? from_bits(bits x & sign) : x`.
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
        (is_size && is_least && (is_sign(m, n) || is_sign(n, m))).then_some(x)
    }

    /// Comparison of a choice between literals with a literal, which is the choice's condition, its opposite or settled.
    fn chosen(&mut self, op: ICmp, a: Term, b: Term) -> Option<Term> {
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
        let mut side = |v: Term| self.fold(if flipped { Node::ICmp(op, a, v) } else { Node::ICmp(op, v, b) });
        let (yes, no) = (side(x), side(y));
        Some(self.fold(Node::Sel(Ty::B, c, yes, no)))
    }

    /// Equality of a sum of a literal with a literal, which is one of what is left with their difference.
    fn shifted(&mut self, op: ICmp, a: Term, b: Term) -> Option<Term> {
        let (sum, literal) = match (self.int(a), self.int(b)) {
            (Some(v), None) => (b, v),
            (None, Some(v)) => (a, v),
            _ => return None,
        };
        let Node::IBin(IBin::Add, c, d) = *self.node(sum) else { return None };
        let (rest, by) = match (self.int(c), self.int(d)) {
            (Some(v), _) => (d, v),
            (_, Some(v)) => (c, v),
            _ => return None,
        };
        (op == ICmp::Eq).then(|| {
            let literal = self.intern(Node::LitI(literal.wrapping_sub(by)));
            self.fold(Node::ICmp(ICmp::Eq, rest, literal))
        })
    }

    fn logic_shortcut(&mut self, op: BBin, a: Term, b: Term) -> Option<Term> {
        if a == b {
            return Some(match op {
                BBin::And | BBin::Or => a,
                BBin::Xor => self.intern(Node::LitB(false)),
            });
        }
        let (known, other) = match (self.truth(a), self.truth(b)) {
            (Some(k), _) => (k, b),
            (_, Some(k)) => (k, a),
            _ => return None,
        };
        match (op, known) {
            (BBin::And, true) | (BBin::Or | BBin::Xor, false) => Some(other),
            (BBin::And, false) | (BBin::Or, true) => Some(self.intern(Node::LitB(known))),
            (BBin::Xor, true) => Some(self.fold(Node::Not(other))),
        }
    }
}

/// What is used of the correctly rounded functions, which to the solver are unknown functions. Each is tried on numbers.
pub static AXIOMS: &[(&str, fn(f32) -> bool)] = &[
    ("cos(-x) = cos x", |x| same(elementary::cos(-x), elementary::cos(x))),
    ("exp2 is never negative, nor -0", |x| {
        elementary::exp2(x).is_nan() || elementary::exp2(x).is_sign_positive()
    }),
    ("abs(sin x) <= 1", |x| elementary::sin(x).is_nan() || elementary::sin(x).abs() <= 1.0),
    ("abs(cos x) <= 1", |x| elementary::cos(x).is_nan() || elementary::cos(x).abs() <= 1.0),
    ("cos(abs x) = cos x", |x| same(elementary::cos(x.abs()), elementary::cos(x))),
];

/// A fold: an operation whose operands are built without folding.
pub struct Fold {
    /// Name, which is also the obligation's.
    pub name: &'static str,
    /// The operation, on unknowns of the arena.
    pub node: fn(&mut Arena) -> Node,
    /// For a fold that applies to literals: the two sides for all values, of which the fold is an instance.
    pub law: Option<fn(&mut Arena) -> (Term, Term)>,
}

pub(super) fn x(a: &mut Arena) -> Term {
    a.unknown(Ty::F, "x")
}
pub(super) fn y(a: &mut Arena) -> Term {
    a.unknown(Ty::F, "y")
}
fn i(a: &mut Arena) -> Term {
    a.unknown(Ty::I, "i")
}
fn j(a: &mut Arena) -> Term {
    a.unknown(Ty::I, "j")
}
pub(super) fn p(a: &mut Arena) -> Term {
    a.unknown(Ty::B, "p")
}
fn q(a: &mut Arena) -> Term {
    a.unknown(Ty::B, "q")
}
fn truth(a: &mut Arena, v: bool) -> Term {
    a.intern(Node::LitB(v))
}

/// The unknowns `first` and `second`, the one with the greater shape first, so that ordering has something to do.
fn backwards(a: &mut Arena, first: fn(&mut Arena) -> Term, second: fn(&mut Arena) -> Term) -> (Term, Term) {
    let (m, n) = (first(a), second(a));
    if a.shape(m) > a.shape(n) { (m, n) } else { (n, m) }
}

/// `p ? 5 : 7`, and a literal.
fn choice(a: &mut Arena, literal: i32) -> (Term, Term) {
    let (p, five, seven) = (p(a), a.intern(Node::LitI(5)), a.intern(Node::LitI(7)));
    (a.intern(Node::Sel(Ty::I, p, five, seven)), a.intern(Node::LitI(literal)))
}
fn choice_equal(a: &mut Arena) -> Node {
    let (choice, literal) = choice(a, 5);
    Node::ICmp(ICmp::Eq, choice, literal)
}
fn choice_below(a: &mut Arena) -> Node {
    let (choice, literal) = choice(a, 6);
    Node::ICmp(ICmp::LtU, choice, literal)
}
fn choice_above(a: &mut Arena) -> Node {
    let (choice, literal) = choice(a, 6);
    Node::ICmp(ICmp::LtU, literal, choice)
}
fn choice_less(a: &mut Arena) -> Node {
    let (choice, literal) = choice(a, 6);
    Node::ICmp(ICmp::LtS, choice, literal)
}
/// A comparison of a choice is a choice of comparisons.
fn choice_law(a: &mut Arena, op: ICmp, flipped: bool) -> (Term, Term) {
    let (p, i, j, k) = (p(a), i(a), j(a), a.unknown(Ty::I, "k"));
    let compare =
        |a: &mut Arena, v: Term| a.intern(if flipped { Node::ICmp(op, k, v) } else { Node::ICmp(op, v, k) });
    let choice = a.intern(Node::Sel(Ty::I, p, i, j));
    let (left, yes, no) = (compare(a, choice), compare(a, i), compare(a, j));
    (left, a.intern(Node::Sel(Ty::B, p, yes, no)))
}
fn choice_equal_law(a: &mut Arena) -> (Term, Term) {
    choice_law(a, ICmp::Eq, false)
}
fn choice_below_law(a: &mut Arena) -> (Term, Term) {
    choice_law(a, ICmp::LtU, false)
}
fn choice_above_law(a: &mut Arena) -> (Term, Term) {
    choice_law(a, ICmp::LtU, true)
}
fn choice_less_law(a: &mut Arena) -> (Term, Term) {
    choice_law(a, ICmp::LtS, false)
}

/// A subnormal becomes zero of its sign.
fn flush(a: &mut Arena, x: Term) -> Node {
    let (size, bits) = (a.intern(Node::Un(FUn::Abs, x)), a.intern(Node::Bits(x)));
    let (least, mask) = (a.intern(Node::LitF(f32::MIN_POSITIVE.to_bits())), a.intern(Node::LitI(i32::MIN)));
    let (tiny, sign) =
        (a.intern(Node::Cmp(FCmp::Lt, size, least)), a.intern(Node::IBin(IBin::And, bits, mask)));
    let zero = a.intern(Node::FromBits(sign));
    Node::Sel(Ty::F, tiny, zero, x)
}
fn flush_twice(a: &mut Arena) -> Node {
    let x = x(a);
    let once = flush(a, x);
    let once = a.intern(once);
    flush(a, once)
}

fn nested_sum(a: &mut Arena) -> Node {
    let (i, five, seven) = (i(a), a.intern(Node::LitI(5)), a.intern(Node::LitI(7)));
    let inner = a.intern(Node::IBin(IBin::Add, i, five));
    Node::IBin(IBin::Add, inner, seven)
}

fn sums_associate(a: &mut Arena) -> (Term, Term) {
    let (i, j, k) = (i(a), j(a), a.unknown(Ty::I, "k"));
    let left = a.intern(Node::IBin(IBin::Add, i, j));
    let right = a.intern(Node::IBin(IBin::Add, j, k));
    (a.intern(Node::IBin(IBin::Add, left, k)), a.intern(Node::IBin(IBin::Add, i, right)))
}

fn sum_equal(a: &mut Arena) -> Node {
    let (i, five, seven) = (i(a), a.intern(Node::LitI(5)), a.intern(Node::LitI(7)));
    let sum = a.intern(Node::IBin(IBin::Add, i, five));
    Node::ICmp(ICmp::Eq, sum, seven)
}
fn sum_equal_law(a: &mut Arena) -> (Term, Term) {
    let (i, j, k) = (i(a), j(a), a.unknown(Ty::I, "k"));
    let (sum, difference) = (a.intern(Node::IBin(IBin::Add, i, j)), a.intern(Node::IBin(IBin::Sub, k, j)));
    (a.intern(Node::ICmp(ICmp::Eq, sum, k)), a.intern(Node::ICmp(ICmp::Eq, i, difference)))
}

/// Where `s` is `c(x) ? y : x`, `c(s) ? y : s`, for any condition.
fn chosen_twice(a: &mut Arena) -> Node {
    let (x, y, c) = (x(a), y(a), a.function("c"));
    let before = a.intern(Node::Apply(Ty::B, c, vec![x].into()));
    let once = a.intern(Node::Sel(Ty::F, before, y, x));
    let after = a.intern(Node::Apply(Ty::B, c, vec![once].into()));
    Node::Sel(Ty::F, after, y, once)
}

macro_rules! folds {
    ($($name:literal: |$a:ident| $node:expr;)*) => {
        /// Every fold except that of literals.
        pub static FOLDS: &[Fold] = &[
            $(Fold { name: $name, node: |$a| $node, law: None },)*
            Fold { name: "(i + 5) + 7 = i + 12", node: nested_sum, law: Some(sums_associate) },
            Fold { name: "i + 5 == 7 is i == 2", node: sum_equal, law: Some(sum_equal_law) },
            Fold { name: "with s = (c(x) ? y : x), (c(s) ? y : s) = s", node: chosen_twice, law: None },
            Fold { name: "(p ? 5 : 7) == 5 is p", node: choice_equal, law: Some(choice_equal_law) },
            Fold { name: "(p ? 5 : 7) below 6 is p", node: choice_below, law: Some(choice_below_law) },
            Fold { name: "6 below (p ? 5 : 7) is not p", node: choice_above, law: Some(choice_above_law) },
            Fold { name: "(p ? 5 : 7) less than 6 is p", node: choice_less, law: Some(choice_less_law) },
        ];
    };
}

folds! {
    "x + y = y + x": |a| { let (m, n) = backwards(a, x, y); Node::Bin(FBin::Add, m, n) };
    "x * y = y * x": |a| { let (m, n) = backwards(a, x, y); Node::Bin(FBin::Mul, m, n) };
    "x == y is y == x": |a| { let (m, n) = backwards(a, x, y); Node::Cmp(FCmp::Eq, m, n) };
    "i + j = j + i": |a| { let (m, n) = backwards(a, i, j); Node::IBin(IBin::Add, m, n) };
    "i * j = j * i": |a| { let (m, n) = backwards(a, i, j); Node::IBin(IBin::Mul, m, n) };
    "i & j = j & i": |a| { let (m, n) = backwards(a, i, j); Node::IBin(IBin::And, m, n) };
    "i | j = j | i": |a| { let (m, n) = backwards(a, i, j); Node::IBin(IBin::Or, m, n) };
    "i ^ j = j ^ i": |a| { let (m, n) = backwards(a, i, j); Node::IBin(IBin::Xor, m, n) };
    "i == j is j == i": |a| { let (m, n) = backwards(a, i, j); Node::ICmp(ICmp::Eq, m, n) };
    "p and q = q and p": |a| { let (m, n) = backwards(a, p, q); Node::Logic(BBin::And, m, n) };
    "p or q = q or p": |a| { let (m, n) = backwards(a, p, q); Node::Logic(BBin::Or, m, n) };
    "p xor q = q xor p": |a| { let (m, n) = backwards(a, p, q); Node::Logic(BBin::Xor, m, n) };
    "-(-x) = x": |a| { let x = x(a); let n = a.intern(Node::Un(FUn::Neg, x)); Node::Un(FUn::Neg, n) };
    "abs(abs x) = abs x": |a| { let x = x(a); let n = a.intern(Node::Un(FUn::Abs, x)); Node::Un(FUn::Abs, n) };
    "abs(-x) = abs x": |a| { let x = x(a); let n = a.intern(Node::Un(FUn::Neg, x)); Node::Un(FUn::Abs, n) };
    "from_bits(bits x) = x": |a| { let x = x(a); let n = a.intern(Node::Bits(x)); Node::FromBits(n) };
    "trunc_i(trunc x) = trunc_i x": |a| { let x = x(a); let n = a.intern(Node::Un(FUn::Trunc, x)); Node::TruncI(n) };
    "not not p = p": |a| { let p = p(a); let n = a.intern(Node::Not(p)); Node::Not(n) };
    "p and p = p": |a| { let p = p(a); Node::Logic(BBin::And, p, p) };
    "p or p = p": |a| { let p = p(a); Node::Logic(BBin::Or, p, p) };
    "p xor p = false": |a| { let p = p(a); Node::Logic(BBin::Xor, p, p) };
    "p and true = p": |a| { let (p, t) = (p(a), truth(a, true)); Node::Logic(BBin::And, p, t) };
    "p and false = false": |a| { let (p, t) = (p(a), truth(a, false)); Node::Logic(BBin::And, p, t) };
    "p or true = true": |a| { let (p, t) = (p(a), truth(a, true)); Node::Logic(BBin::Or, p, t) };
    "p or false = p": |a| { let (p, t) = (p(a), truth(a, false)); Node::Logic(BBin::Or, p, t) };
    "p xor true = not p": |a| { let (p, t) = (p(a), truth(a, true)); Node::Logic(BBin::Xor, p, t) };
    "p xor false = p": |a| { let (p, t) = (p(a), truth(a, false)); Node::Logic(BBin::Xor, p, t) };
    "i == i": |a| { let i = i(a); Node::ICmp(ICmp::Eq, i, i) };
    "i + 0 = i": |a| { let i = i(a); let zero = a.intern(Node::LitI(0)); Node::IBin(IBin::Add, i, zero) };
    "p ? x : x = x": |a| { let (p, x) = (p(a), x(a)); Node::Sel(Ty::F, p, x, x) };
    "p ? i : i = i": |a| { let (p, i) = (p(a), i(a)); Node::Sel(Ty::I, p, i, i) };
    "p ? q : q = q": |a| { let (p, q) = (p(a), q(a)); Node::Sel(Ty::B, p, q, q) };
    "true ? x : y = x": |a| { let (c, x, y) = (truth(a, true), x(a), y(a)); Node::Sel(Ty::F, c, x, y) };
    "false ? x : y = y": |a| { let (c, x, y) = (truth(a, false), x(a), y(a)); Node::Sel(Ty::F, c, x, y) };
    "(not p) ? x : y = p ? y : x": |a| {
        let (p, x, y) = (p(a), x(a), y(a));
        let n = a.intern(Node::Not(p));
        Node::Sel(Ty::F, n, x, y)
    };
    "flush(flush x) = flush x": |a| flush_twice(a);
    "p ? true : false = p": |a| { let (p, t, f) = (p(a), truth(a, true), truth(a, false)); Node::Sel(Ty::B, p, t, f) };
    "p ? false : true = not p": |a| { let (p, t, f) = (p(a), truth(a, true), truth(a, false)); Node::Sel(Ty::B, p, f, t) };
}

#[cfg(test)]
mod tests {
    use super::*;

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
