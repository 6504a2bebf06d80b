//! Terms and the kinds of nodes.

use lockstep_core::value::{BBin, FBin, FCmp, FUn, IBin, ICmp};
use smallvec::SmallVec;

/// A term of an arena. Two terms of one arena have the same number exactly if they have the same structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub u32);

/// The type of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ty {
    /// A binary32 number; all NaNs are the same value.
    F,
    /// A 32-bit integer.
    I,
    /// A truth value.
    B,
}

/// A name in an arena: of an unknown, or of an uninterpreted function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Function(pub u32);

/// The structure of a term: an operation of [`lockstep_core::value::Domain`] on terms, a literal, an unknown or an uninterpreted function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A float literal, as bits; NaN has its canonical bits.
    LitF(u32),
    /// An integer literal.
    LitI(i32),
    /// A truth literal.
    LitB(bool),
    /// An unknown.
    Unknown(Ty, Function),
    /// An uninterpreted function of operands of any type.
    Apply(Ty, Function, SmallVec<[Term; 4]>),
    /// One-operand arithmetic.
    Un(FUn, Term),
    /// Two-operand arithmetic.
    Bin(FBin, Term, Term),
    /// a * b + c, rounded once.
    Fma(Term, Term, Term),
    /// Comparison of floats.
    Cmp(FCmp, Term, Term),
    /// Integer arithmetic.
    IBin(IBin, Term, Term),
    /// Comparison of integers.
    ICmp(ICmp, Term, Term),
    /// Two-operand logic.
    Logic(BBin, Term, Term),
    /// Negation of a truth value.
    Not(Term),
    /// Truncation to an integer.
    TruncI(Term),
    /// Integer to float.
    ToF(Term),
    /// Float to bits.
    Bits(Term),
    /// Bits to float.
    FromBits(Term),
    /// Choice between two terms of one type.
    Sel(Ty, Term, Term, Term),
}

impl Node {
    /// Returns the type of the node's value.
    pub fn ty(&self) -> Ty {
        match self {
            Node::LitF(_)
            | Node::Un(..)
            | Node::Bin(..)
            | Node::Fma(..)
            | Node::ToF(_)
            | Node::FromBits(_) => Ty::F,
            Node::LitI(_) | Node::IBin(..) | Node::TruncI(_) | Node::Bits(_) => Ty::I,
            Node::LitB(_) | Node::Cmp(..) | Node::ICmp(..) | Node::Logic(..) | Node::Not(_) => Ty::B,
            Node::Unknown(ty, _) | Node::Apply(ty, ..) | Node::Sel(ty, ..) => *ty,
        }
    }

    /// Returns the operands, in order.
    pub fn operands(&self) -> SmallVec<[Term; 4]> {
        match self {
            Node::LitF(_) | Node::LitI(_) | Node::LitB(_) | Node::Unknown(..) => SmallVec::new(),
            Node::Apply(_, _, args) => args.clone(),
            Node::Un(_, a)
            | Node::Not(a)
            | Node::TruncI(a)
            | Node::ToF(a)
            | Node::Bits(a)
            | Node::FromBits(a) => SmallVec::from_slice(&[*a]),
            Node::Bin(_, a, b)
            | Node::Cmp(_, a, b)
            | Node::IBin(_, a, b)
            | Node::ICmp(_, a, b)
            | Node::Logic(_, a, b) => SmallVec::from_slice(&[*a, *b]),
            Node::Fma(a, b, c) | Node::Sel(_, a, b, c) => SmallVec::from_slice(&[*a, *b, *c]),
        }
    }

    /// Returns the same operation with each operand replaced by the result of `map`, which is called in the order of operands.
    #[must_use]
    pub fn map(&self, mut map: impl FnMut(Term) -> Term) -> Node {
        match self {
            Node::LitF(_) | Node::LitI(_) | Node::LitB(_) | Node::Unknown(..) => self.clone(),
            Node::Apply(ty, f, args) => Node::Apply(*ty, *f, args.iter().map(|a| map(*a)).collect()),
            Node::Un(op, a) => Node::Un(*op, map(*a)),
            Node::Bin(op, a, b) => Node::Bin(*op, map(*a), map(*b)),
            Node::Fma(a, b, c) => Node::Fma(map(*a), map(*b), map(*c)),
            Node::Cmp(op, a, b) => Node::Cmp(*op, map(*a), map(*b)),
            Node::IBin(op, a, b) => Node::IBin(*op, map(*a), map(*b)),
            Node::ICmp(op, a, b) => Node::ICmp(*op, map(*a), map(*b)),
            Node::Logic(op, a, b) => Node::Logic(*op, map(*a), map(*b)),
            Node::Not(a) => Node::Not(map(*a)),
            Node::TruncI(a) => Node::TruncI(map(*a)),
            Node::ToF(a) => Node::ToF(map(*a)),
            Node::Bits(a) => Node::Bits(map(*a)),
            Node::FromBits(a) => Node::FromBits(map(*a)),
            Node::Sel(ty, a, b, c) => Node::Sel(*ty, map(*a), map(*b), map(*c)),
        }
    }

    /// Whether the operation is commutative. Each of these commutative laws is proved as a fold.
    pub fn commutes(&self) -> bool {
        match self {
            Node::Bin(op, ..) => matches!(op, FBin::Add | FBin::Mul),
            Node::Cmp(op, ..) => *op == FCmp::Eq,
            Node::IBin(op, ..) => matches!(op, IBin::Add | IBin::Mul | IBin::And | IBin::Or | IBin::Xor),
            Node::ICmp(op, ..) => *op == ICmp::Eq,
            Node::Logic(op, ..) => matches!(op, BBin::And | BBin::Or | BBin::Xor),
            _ => false,
        }
    }

    /// Returns the node, with its operands ordered by their keys if the operation is commutative.
    #[must_use]
    pub fn in_order_of<K: Ord>(self, key: impl Fn(Term) -> K) -> Node {
        if !self.commutes() {
            return self;
        }
        match self.operands()[..] {
            [a, b] if key(a) > key(b) => {
                let mut exchanged = [b, a].into_iter();
                self.map(|t| exchanged.next().unwrap_or(t))
            }
            _ => self,
        }
    }

    /// Returns a literal's value as bits; `None` for other nodes.
    pub fn literal(&self) -> Option<u32> {
        match self {
            Node::LitF(bits) => Some(*bits),
            Node::LitI(v) => Some(*v as u32),
            Node::LitB(v) => Some(u32::from(*v)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::value::{Concrete, Domain, canonical_bits};

    /// Bit patterns that, as operands, reveal whether an operation depends on the order of its operands.
    const BITS: [u32; 14] = [
        0,
        0x8000_0000,
        1,
        0x3f80_0000,
        0xbf80_0000,
        0x4040_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x7f7f_ffff,
        0x0080_0000,
        0xffff_ffff,
        31,
        5,
    ];

    /// Whether an operation gives the same result for its operands in both orders, on all these values.
    fn commutes_on_numbers(op: &Node) -> bool {
        let d = Concrete;
        let value = |[a, b]: [u32; 2]| -> u32 {
            let [x, y] = [a, b].map(f32::from_bits);
            let [i, j] = [a, b].map(|v| v as i32);
            let [p, q] = [a, b].map(|v| v & 1 == 1);
            match op {
                Node::Bin(op, ..) => canonical_bits(d.bin(*op, &x, &y)),
                Node::Cmp(op, ..) => u32::from(d.cmp(*op, &x, &y)),
                Node::IBin(op, ..) => d.ibin(*op, &i, &j) as u32,
                Node::ICmp(op, ..) => u32::from(d.icmp(*op, &i, &j)),
                Node::Logic(op, ..) => u32::from(d.logic(*op, &p, &q)),
                _ => panic!("{op:?} does not have two operands of one type"),
            }
        };
        BITS.iter().all(|a| BITS.iter().all(|b| value([*a, *b]) == value([*b, *a])))
    }

    /// Returns every operation with two operands of one type.
    fn binary_operations(a: Term, b: Term) -> Vec<Node> {
        let mut all: Vec<Node> = [FBin::Add, FBin::Mul, FBin::Div].map(|op| Node::Bin(op, a, b)).into();
        all.extend([FCmp::Lt, FCmp::Le, FCmp::Eq].map(|op| Node::Cmp(op, a, b)));
        all.extend(IBin::ALL.map(|op| Node::IBin(op, a, b)));
        all.extend([ICmp::Eq, ICmp::LtS, ICmp::LtU].map(|op| Node::ICmp(op, a, b)));
        all.extend([BBin::And, BBin::Or, BBin::Xor].map(|op| Node::Logic(op, a, b)));
        all
    }

    #[test]
    fn exactly_the_commutative_operations_are_sorted() {
        let (a, b) = (Term(0), Term(1));
        let mut commuting = 0;
        for (node, in_order) in binary_operations(b, a).into_iter().zip(binary_operations(a, b)) {
            let commutes = commutes_on_numbers(&node);
            assert_eq!(node.commutes(), commutes, "{node:?}");
            let expected = if commutes { &in_order } else { &node };
            assert_eq!(node.clone().in_order_of(|t| t), *expected);
            assert_eq!(in_order.clone().in_order_of(|t| t), in_order, "ordered operands are kept");
            commuting += u32::from(commutes);
        }
        // Float sum and product, float equality, five integer operations, integer equality, all of logic.
        assert_eq!(commuting, 2 + 1 + 5 + 1 + 3);
        for node in [
            Node::Sel(Ty::F, Term(2), b, a),
            Node::Fma(b, a, Term(2)),
            Node::Apply(Ty::F, Function(0), SmallVec::from_slice(&[b, a])),
        ] {
            assert_eq!(node.clone().in_order_of(|t| t), node);
        }
    }
}
