//! The list of folds that must fire. A fold that fires is proved whether it is listed or not.

use super::arena::Arena;
use super::node::{Node, Term, Ty};
use lockstep_core::value::{BBin, FBin, FCmp, FUn, IBin, ICmp};

/// A listed fold, given by an operation on which the fold fires.
pub struct Fold {
    /// Name.
    pub name: &'static str,
    /// Builds the operation, on unknowns of the arena and without folding its operands.
    pub node: fn(&mut Arena) -> Node,
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

/// Returns the unknowns `first` and `second`, ordered so that the fold has to exchange them.
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
fn choice_less(a: &mut Arena) -> Node {
    let (choice, literal) = choice(a, 6);
    Node::ICmp(ICmp::LtS, choice, literal)
}
/// Builds the operation that flushes a subnormal to a zero with the same sign.
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

fn sum_equal(a: &mut Arena) -> Node {
    let (i, five, seven) = (i(a), a.intern(Node::LitI(5)), a.intern(Node::LitI(7)));
    let sum = a.intern(Node::IBin(IBin::Add, i, five));
    Node::ICmp(ICmp::Eq, sum, seven)
}
/// `abs s < 5 ? y : s` where `s` is `abs x < 5 ? y : x`.
fn chosen_twice(a: &mut Arena) -> Node {
    let (x, y, five) = (x(a), y(a), a.intern(Node::LitF(5f32.to_bits())));
    let size = a.intern(Node::Un(FUn::Abs, x));
    let before = a.intern(Node::Cmp(FCmp::Lt, size, five));
    let once = a.intern(Node::Sel(Ty::F, before, y, x));
    let size = a.intern(Node::Un(FUn::Abs, once));
    let after = a.intern(Node::Cmp(FCmp::Lt, size, five));
    Node::Sel(Ty::F, after, y, once)
}

/// Instances of the folds that are axioms.
#[cfg(test)]
pub(crate) static AXIOM_FOLDS: &[Fold] = &[
    Fold {
        name: "cos(-x) = cos x",
        node: |a| {
            let x = x(a);
            let n = a.intern(Node::Un(FUn::Neg, x));
            Node::Un(FUn::Cos, n)
        },
    },
    Fold {
        name: "cos(abs x) = cos x",
        node: |a| {
            let x = x(a);
            let n = a.intern(Node::Un(FUn::Abs, x));
            Node::Un(FUn::Cos, n)
        },
    },
];

macro_rules! folds {
    ($($name:literal: |$a:ident| $node:expr;)*) => {
        /// An instance of every fold of `fold.rs`, except the folds of literals and those that are axioms.
        pub static FOLDS: &[Fold] = &[
            $(Fold { name: $name, node: |$a| $node },)*
            Fold { name: "(i + 5) + 7 = i + 12", node: nested_sum },
            Fold { name: "i + 5 == 7 is i == 2", node: sum_equal },
            Fold { name: "with s = (abs x < 5 ? y : x), (abs s < 5 ? y : s) = s", node: chosen_twice },
            Fold { name: "(p ? 5 : 7) == 5 is p", node: choice_equal },
            Fold { name: "(p ? 5 : 7) below 6 is p", node: choice_below },
            Fold { name: "(p ? 5 : 7) less than 6 is p", node: choice_less },
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
