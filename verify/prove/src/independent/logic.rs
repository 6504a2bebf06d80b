//! The domain whose values are Z3 terms.

use super::paths::Paths;
use lockstep_core::value::{
    BBin, CANONICAL_NAN, Concrete, Domain, FBin, FCmp, FUn, IBin, ICmp, Narrow, canonical_bits,
};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use z3::ast::{Ast, BV, Bool};
use z3::{FuncDecl, Sort};

/// A 32-bit word, which is a float or an integer.
#[derive(Clone, Debug)]
pub enum Word {
    /// A constant, the same for every input. As a float, the only NaN that it can be is the canonical one.
    Literal(u32),
    /// A 32-bit term.
    Term(BV),
}

/// A truth value.
#[derive(Clone, Debug)]
pub enum Truth {
    /// A constant, the same for every input.
    Literal(bool),
    /// A term.
    Term(Bool),
}

impl Word {
    /// Returns the word as a term.
    pub fn term(&self) -> BV {
        match self {
            Word::Literal(bits) => BV::from_u64(u64::from(*bits), 32),
            Word::Term(term) => term.clone(),
        }
    }

    fn float(&self) -> Option<f32> {
        match self {
            Word::Literal(bits) => Some(f32::from_bits(*bits)),
            Word::Term(_) => None,
        }
    }
}

impl Truth {
    /// Returns the truth value as a term.
    pub fn term(&self) -> Bool {
        match self {
            Truth::Literal(v) => Bool::from_bool(*v),
            Truth::Term(term) => term.clone(),
        }
    }
}

/// The domain of terms of the thread's Z3 context; clones share functions and paths.
#[derive(Clone, Debug, Default)]
pub struct Logic {
    functions: Rc<RefCell<HashMap<String, FuncDecl>>>,
    paths: Rc<RefCell<Paths>>,
    answered: Rc<RefCell<Vec<Bool>>>,
}

/// Returns the name of the uninterpreted function for an operation; `None` for operations that are exact formulas.
fn name(op: FUn) -> Option<&'static str> {
    Some(match op {
        FUn::Neg | FUn::Abs => return None,
        FUn::Sqrt => "f.sqrt",
        FUn::Floor => "f.floor",
        FUn::Trunc => "f.trunc",
        FUn::RoundEven => "f.even",
        FUn::Exp2 => "f.exp2",
        FUn::Log2 => "f.log2",
        FUn::Sin => "f.sin",
        FUn::Cos => "f.cos",
        FUn::Narrow(Narrow::F24Nearest) => "f.narrow.nearest",
        FUn::Narrow(Narrow::F24Zero) => "f.narrow.zero",
        FUn::Narrow(Narrow::F24ZeroSaturate) => "f.narrow.held",
    })
}

fn literal(bits: u32) -> BV {
    BV::from_u64(u64::from(bits), 32)
}

/// Returns the 31 bits below the sign bit.
fn magnitude(a: &BV) -> BV {
    a.extract(30, 0)
}

fn sign(a: &BV) -> Bool {
    a.extract(31, 31).eq(BV::from_u64(1, 1))
}

fn is_nan(a: &BV) -> Bool {
    magnitude(a).bvugt(BV::from_u64(0x7f80_0000, 31))
}

fn is_zero(a: &BV) -> Bool {
    magnitude(a).eq(BV::from_u64(0, 31))
}

/// Returns the word with its sign bit inverted.
pub fn negated(a: &BV) -> BV {
    a.extract(31, 31).bvnot().concat(magnitude(a))
}

/// Returns the word with its sign bit cleared.
pub fn absolute(a: &BV) -> BV {
    BV::from_u64(0, 1).concat(magnitude(a))
}

/// Returns the word, or the canonical NaN if it is a NaN.
pub fn canonical(a: &BV) -> BV {
    is_nan(a).ite(&literal(CANONICAL_NAN), a)
}

/// Compares floats by a formula on their words.
pub fn compared(op: FCmp, a: &BV, b: &BV) -> Bool {
    let (ma, mb) = (magnitude(a), magnitude(b));
    let zeros = Bool::and(&[is_zero(a), is_zero(b)]);
    let ordered = match op {
        FCmp::Eq => Bool::or(&[a.eq(b), zeros]),
        FCmp::Lt => {
            let negative = sign(b).ite(&mb.bvult(&ma), &zeros.not());
            let positive = Bool::and(&[sign(b).not(), ma.bvult(&mb)]);
            sign(a).ite(&negative, &positive)
        }
        FCmp::Le => {
            let negative = Bool::or(&[sign(b).not(), mb.bvule(&ma)]);
            let positive = sign(b).ite(&zeros, &ma.bvule(&mb));
            sign(a).ite(&negative, &positive)
        }
    };
    Bool::and(&[is_nan(a).not(), is_nan(b).not(), ordered])
}

impl Logic {
    /// Applies an uninterpreted function from words to a word.
    pub fn apply(&self, name: &str, operands: &[BV]) -> BV {
        let mut functions = self.functions.borrow_mut();
        let function = match functions.get(name) {
            Some(function) => function,
            None => {
                let word = Sort::bitvector(32);
                let domain: Vec<&Sort> = operands.iter().map(|_| &word).collect();
                functions.entry(name.to_owned()).or_insert_with(|| FuncDecl::new(name, &domain, &word))
            }
        };
        let operands: Vec<&dyn Ast> = operands.iter().map(|a| a as &dyn Ast).collect();
        // The function's range is words, so the fallback is not used; it would be an unconstrained result.
        function.apply(&operands).as_bv().unwrap_or_else(|| BV::fresh_const("anything", 32))
    }

    /// Returns the path, and the paths still to be followed, that determine the results of [`Domain::decide`].
    pub fn paths(&self) -> &RefCell<Paths> {
        &self.paths
    }

    /// Returns the decisions of [`Domain::decide`] since the last call, as terms that hold on this path. Decisions are recorded where they are made,
    /// independently of the bookkeeping in [`Paths`].
    pub fn take_answered(&self) -> Vec<Bool> {
        let mut seen = HashSet::new();
        let mut answered = self.answered.take();
        answered.retain(|answer| seen.insert(answer.clone()));
        answered
    }

    /// Applies an operation as an uninterpreted function of canonical words.
    fn unknown(&self, name: &str, operands: &[&Word]) -> Word {
        let operands: Vec<BV> = operands
            .iter()
            .map(|word| match word {
                Word::Literal(bits) => literal(canonical_bits(f32::from_bits(*bits))),
                Word::Term(term) => canonical(term),
            })
            .collect();
        Word::Term(self.apply(name, &operands))
    }
}

fn word(v: f32) -> Word {
    Word::Literal(canonical_bits(v))
}

impl Domain for Logic {
    type F = Word;
    type B = Truth;
    type I = Word;

    fn f(&self, v: f32) -> Word {
        word(v)
    }
    fn i(&self, v: i32) -> Word {
        Word::Literal(v as u32)
    }
    fn b(&self, v: bool) -> Truth {
        Truth::Literal(v)
    }

    fn un(&self, op: FUn, a: &Word) -> Word {
        match (a, name(op)) {
            (Word::Literal(bits), _) => word(Concrete.un(op, &f32::from_bits(*bits))),
            (_, Some(name)) => self.unknown(name, &[a]),
            (Word::Term(a), None) if op == FUn::Neg => Word::Term(negated(a)),
            (Word::Term(a), None) => Word::Term(absolute(a)),
        }
    }
    fn bin(&self, op: FBin, a: &Word, b: &Word) -> Word {
        if let (Some(a), Some(b)) = (a.float(), b.float()) {
            return word(Concrete.bin(op, &a, &b));
        }
        let name = match op {
            FBin::Add => "f.add",
            FBin::Mul => "f.mul",
            FBin::Div => "f.div",
        };
        self.unknown(name, &[a, b])
    }
    fn fma(&self, a: &Word, b: &Word, c: &Word) -> Word {
        match (a.float(), b.float(), c.float()) {
            (Some(a), Some(b), Some(c)) => word(Concrete.fma(&a, &b, &c)),
            _ => self.unknown("f.fma", &[a, b, c]),
        }
    }
    fn cmp(&self, op: FCmp, a: &Word, b: &Word) -> Truth {
        match (a.float(), b.float()) {
            (Some(a), Some(b)) => Truth::Literal(Concrete.cmp(op, &a, &b)),
            _ => Truth::Term(compared(op, &a.term(), &b.term())),
        }
    }

    fn ibin(&self, op: IBin, a: &Word, b: &Word) -> Word {
        if let (Word::Literal(a), Word::Literal(b)) = (a, b) {
            return Word::Literal(Concrete.ibin(op, &(*a as i32), &(*b as i32)) as u32);
        }
        let (a, b) = (a.term(), b.term());
        let places = || b.bvand(literal(31));
        Word::Term(match op {
            IBin::Add => a.bvadd(&b),
            IBin::Sub => a.bvsub(&b),
            IBin::Mul => a.bvmul(&b),
            IBin::And => a.bvand(&b),
            IBin::Or => a.bvor(&b),
            IBin::Xor => a.bvxor(&b),
            IBin::Shl => a.bvshl(places()),
            IBin::ShrU => a.bvlshr(places()),
            IBin::ShrS => a.bvashr(places()),
        })
    }
    fn icmp(&self, op: ICmp, a: &Word, b: &Word) -> Truth {
        if let (Word::Literal(a), Word::Literal(b)) = (a, b) {
            return Truth::Literal(Concrete.icmp(op, &(*a as i32), &(*b as i32)));
        }
        let (a, b) = (a.term(), b.term());
        Truth::Term(match op {
            ICmp::Eq => a.eq(&b),
            ICmp::LtS => a.bvslt(&b),
            ICmp::LtU => a.bvult(&b),
        })
    }
    fn logic(&self, op: BBin, a: &Truth, b: &Truth) -> Truth {
        match (op, a, b) {
            (BBin::And, Truth::Literal(false), _) | (BBin::And, _, Truth::Literal(false)) => {
                Truth::Literal(false)
            }
            (BBin::Or, Truth::Literal(true), _) | (BBin::Or, _, Truth::Literal(true)) => Truth::Literal(true),
            (BBin::And, Truth::Literal(true), other) | (BBin::And, other, Truth::Literal(true)) => {
                other.clone()
            }
            (BBin::Or | BBin::Xor, Truth::Literal(false), other)
            | (BBin::Or | BBin::Xor, other, Truth::Literal(false)) => other.clone(),
            (BBin::Xor, Truth::Literal(true), other) | (BBin::Xor, other, Truth::Literal(true)) => {
                self.not(other)
            }
            (BBin::And, Truth::Term(a), Truth::Term(b)) => Truth::Term(Bool::and(&[a, b])),
            (BBin::Or, Truth::Term(a), Truth::Term(b)) => Truth::Term(Bool::or(&[a, b])),
            (BBin::Xor, Truth::Term(a), Truth::Term(b)) => Truth::Term(a.xor(b)),
        }
    }
    fn not(&self, a: &Truth) -> Truth {
        match a {
            Truth::Literal(v) => Truth::Literal(!v),
            Truth::Term(a) => Truth::Term(a.not()),
        }
    }

    fn trunc_i(&self, a: &Word) -> Word {
        match a.float() {
            Some(a) => Word::Literal(Concrete.trunc_i(&a) as u32),
            None => self.unknown("f.to_int", &[a]),
        }
    }
    fn to_f(&self, a: &Word) -> Word {
        match a {
            Word::Literal(a) => word(Concrete.to_f(&(*a as i32))),
            Word::Term(a) => Word::Term(self.apply("f.of_int", std::slice::from_ref(a))),
        }
    }
    fn bits(&self, a: &Word) -> Word {
        match a {
            Word::Literal(a) => Word::Literal(canonical_bits(f32::from_bits(*a))),
            Word::Term(a) => Word::Term(canonical(a)),
        }
    }
    fn from_bits(&self, a: &Word) -> Word {
        match a {
            Word::Literal(a) => word(f32::from_bits(*a)),
            Word::Term(_) => a.clone(),
        }
    }

    fn sel(&self, c: &Truth, a: &Word, b: &Word) -> Word {
        match c {
            Truth::Literal(true) => a.clone(),
            Truth::Literal(false) => b.clone(),
            Truth::Term(c) => Word::Term(c.ite(&a.term(), &b.term())),
        }
    }
    fn sel_i(&self, c: &Truth, a: &Word, b: &Word) -> Word {
        self.sel(c, a, b)
    }
    fn sel_b(&self, c: &Truth, a: &Truth, b: &Truth) -> Truth {
        match c {
            Truth::Literal(true) => a.clone(),
            Truth::Literal(false) => b.clone(),
            Truth::Term(c) => Truth::Term(c.ite(&a.term(), &b.term())),
        }
    }

    fn known_f(&self, a: &Word) -> Option<f32> {
        a.float()
    }
    fn known_i(&self, a: &Word) -> Option<i32> {
        match a {
            Word::Literal(a) => Some(*a as i32),
            Word::Term(_) => None,
        }
    }
    fn known_b(&self, a: &Truth) -> Option<bool> {
        match a {
            Truth::Literal(a) => Some(*a),
            Truth::Term(_) => None,
        }
    }

    fn decide(&mut self, a: &Truth) -> bool {
        match a {
            Truth::Literal(v) => *v,
            Truth::Term(a) => {
                let answer = self.paths.borrow_mut().decide(a);
                self.answered.borrow_mut().push(if answer { a.clone() } else { a.not() });
                answer
            }
        }
    }
}
