//! The terms of the validator. Only comparisons, integer and logic operations on literals are folded, and selects whose condition is a literal.
//! Structurally equal terms have equal numbers, and different terms have different numbers. The literals 0 and false are different terms, which the
//! validator compares by their bits: a row may hold 0 as a number for one instruction and as a truth value for another, and code may then compute a
//! select as a mask operation.

use crate::word::Words;
use lockstep_core::value::{BBin, Concrete, Domain, FBin, FCmp, FUn, IBin, ICmp, canonical_bits};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Term(u32);

/// A value that the code does not compute: the origin of an unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// A row's value before the code runs.
    Row(u32),
    /// An input.
    Input(u32),
    /// The old contents of an input's row into which the input was not copied.
    Stale(u32),
    /// An output's value before the code runs.
    Output(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    F(u32),
    I(i32),
    B(bool),
    Word(Source),
    Truth(Source),
    Un(FUn, Term),
    Bin(FBin, Term, Term),
    Fma(Term, Term, Term),
    Cmp(FCmp, Term, Term),
    IBin(IBin, Term, Term),
    ICmp(ICmp, Term, Term),
    Logic(BBin, Term, Term),
    Not(Term),
    TruncI(Term),
    ToF(Term),
    Bits(Term),
    FromBits(Term),
    Raw(Term),
    Sel(Term, Term, Term),
}

#[derive(Default)]
struct Fast(u64);

impl Hasher for Fast {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u8(&mut self, v: u8) {
        self.write_u64(u64::from(v));
    }
    fn write_u32(&mut self, v: u32) {
        self.write_u64(u64::from(v));
    }
    fn write_u64(&mut self, v: u64) {
        self.0 = (self.0.rotate_left(5) ^ v).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    fn write_isize(&mut self, v: isize) {
        self.write_u64(v as u64);
    }
}

#[derive(Default)]
struct Arena {
    nodes: Vec<Node>,
    ids: HashMap<Node, Term, BuildHasherDefault<Fast>>,
}

/// The domain whose values are the validator's terms.
#[derive(Default)]
pub(crate) struct Terms(RefCell<Arena>);

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Terms({})", self.0.borrow().nodes.len())
    }
}

/// [`Domain`] requires `Clone`. A copy shares no terms with the original; no term is ever used with a copy.
impl Clone for Terms {
    fn clone(&self) -> Terms {
        Terms::default()
    }
}

impl Terms {
    /// Forgets all terms.
    pub(crate) fn clear(&self) {
        let mut arena = self.0.borrow_mut();
        arena.nodes.clear();
        arena.ids.clear();
    }

    /// Returns the unknown word of a source.
    pub(crate) fn word(&self, source: Source) -> Term {
        self.term(Node::Word(source))
    }

    /// Returns the unknown truth value of a source.
    pub(crate) fn truth(&self, source: Source) -> Term {
        self.term(Node::Truth(source))
    }

    fn term(&self, node: Node) -> Term {
        let arena = &mut *self.0.borrow_mut();
        *arena.ids.entry(node).or_insert_with(|| {
            arena.nodes.push(node);
            Term(arena.nodes.len() as u32 - 1)
        })
    }

    /// Builds a select; folded to one of its operands if the condition is a literal.
    fn choice(&self, c: &Term, a: &Term, b: &Term) -> Term {
        match self.known_b(c) {
            Some(true) => *a,
            Some(false) => *b,
            None => self.term(Node::Sel(*c, *a, *b)),
        }
    }

    /// Returns the value of a literal float, which may be given by its bits.
    fn literal_float(&self, term: &Term) -> Option<f32> {
        match self.node(*term) {
            Some(Node::FromBits(bits)) => self.known_i(&bits).map(|bits| f32::from_bits(bits as u32)),
            _ => self.known_f(term),
        }
    }

    fn node(&self, term: Term) -> Option<Node> {
        self.0.borrow().nodes.get(term.0 as usize).copied()
    }
}

impl Words for Terms {
    fn raw(&self, a: &Term) -> Term {
        self.term(Node::Raw(*a))
    }
}

impl Domain for Terms {
    type F = Term;
    type B = Term;
    type I = Term;

    fn f(&self, v: f32) -> Term {
        self.term(Node::F(canonical_bits(v)))
    }
    fn i(&self, v: i32) -> Term {
        self.term(Node::I(v))
    }
    fn b(&self, v: bool) -> Term {
        self.term(Node::B(v))
    }
    fn un(&self, op: FUn, a: &Term) -> Term {
        self.term(Node::Un(op, *a))
    }
    fn bin(&self, op: FBin, a: &Term, b: &Term) -> Term {
        self.term(Node::Bin(op, *a, *b))
    }
    fn fma(&self, a: &Term, b: &Term, c: &Term) -> Term {
        self.term(Node::Fma(*a, *b, *c))
    }
    fn cmp(&self, op: FCmp, a: &Term, b: &Term) -> Term {
        match (self.literal_float(a), self.literal_float(b)) {
            (Some(a), Some(b)) => self.b(Concrete.cmp(op, &a, &b)),
            _ => self.term(Node::Cmp(op, *a, *b)),
        }
    }
    fn ibin(&self, op: IBin, a: &Term, b: &Term) -> Term {
        match (self.known_i(a), self.known_i(b)) {
            (Some(a), Some(b)) => self.i(Concrete.ibin(op, &a, &b)),
            _ => self.term(Node::IBin(op, *a, *b)),
        }
    }
    fn icmp(&self, op: ICmp, a: &Term, b: &Term) -> Term {
        match (self.known_i(a), self.known_i(b)) {
            (Some(a), Some(b)) => self.b(Concrete.icmp(op, &a, &b)),
            _ => self.term(Node::ICmp(op, *a, *b)),
        }
    }
    fn logic(&self, op: BBin, a: &Term, b: &Term) -> Term {
        match (self.known_b(a), self.known_b(b)) {
            (Some(a), Some(b)) => self.b(Concrete.logic(op, &a, &b)),
            _ => self.term(Node::Logic(op, *a, *b)),
        }
    }
    fn not(&self, a: &Term) -> Term {
        match self.known_b(a) {
            Some(a) => self.b(!a),
            None => self.term(Node::Not(*a)),
        }
    }
    fn trunc_i(&self, a: &Term) -> Term {
        self.term(Node::TruncI(*a))
    }
    fn to_f(&self, a: &Term) -> Term {
        self.term(Node::ToF(*a))
    }
    fn bits(&self, a: &Term) -> Term {
        self.term(Node::Bits(*a))
    }
    fn from_bits(&self, a: &Term) -> Term {
        self.term(Node::FromBits(*a))
    }
    fn sel(&self, c: &Term, a: &Term, b: &Term) -> Term {
        self.choice(c, a, b)
    }
    fn sel_i(&self, c: &Term, a: &Term, b: &Term) -> Term {
        self.choice(c, a, b)
    }
    fn sel_b(&self, c: &Term, a: &Term, b: &Term) -> Term {
        self.choice(c, a, b)
    }
    fn known_f(&self, a: &Term) -> Option<f32> {
        match self.node(*a) {
            Some(Node::F(bits)) => Some(f32::from_bits(bits)),
            _ => None,
        }
    }
    fn known_i(&self, a: &Term) -> Option<i32> {
        match self.node(*a) {
            Some(Node::I(v)) => Some(v),
            _ => None,
        }
    }
    fn known_b(&self, a: &Term) -> Option<bool> {
        match self.node(*a) {
            Some(Node::B(v)) => Some(v),
            _ => None,
        }
    }
    /// Never called with an unknown condition, because instructions and kernels do not branch on data.
    fn decide(&mut self, a: &Term) -> bool {
        self.known_b(a).unwrap_or_default()
    }
}
