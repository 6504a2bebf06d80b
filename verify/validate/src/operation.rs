//! The semantics of vector instructions, on one lane.
//!
//! The semantics are functions over a domain: on numbers they are compared with the processor (`tests/all/processor.rs`), on terms they validate
//! code. Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, with MXCSR at its default: rounding to nearest, subnormals
//! kept.

use crate::word::{Word, Words, float, int, select, sign, truth};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::value::{FUn, IBin, ICmp};

/// The function that an instruction computes in each lane from its sources a, b and c.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// a.
    Copy,
    /// a + b.
    Add,
    /// a - b.
    Sub,
    /// a * b.
    Mul,
    /// a / b.
    Div,
    /// a if a < b, else b.
    Min,
    /// a if a > b, else b.
    Max,
    /// a * b + c, rounded once.
    Fma,
    /// Square root.
    Sqrt,
    /// Rounds to an integer, toward negative infinity.
    Floor,
    /// Rounds to an integer, toward zero.
    Trunc,
    /// Rounds to the nearest integer, ties to even.
    RoundEven,
    /// Converts a signed integer to a float.
    FromInt,
    /// Converts a float to a signed integer, toward zero; out-of-range values and NaN give 0x80000000.
    ToInt,
    /// a AND b.
    And,
    /// (NOT a) AND b.
    AndNot,
    /// a OR b.
    Or,
    /// a XOR b.
    Xor,
    /// a + b on integers.
    AddInt,
    /// a - b on integers.
    SubInt,
    /// a * b on integers, the low 32 bits.
    MulInt,
    /// a shifted right by a constant, zero-filled; 0 for counts from 32 on.
    ShiftRightBy(u8),
    /// a shifted left by b; 0 for counts from 32 on.
    ShiftLeft,
    /// a shifted right by b, zero-filled; 0 for counts from 32 on.
    ShiftRight,
    /// a shifted right by b, sign-filled; only copies of the sign for counts from 32 on.
    ShiftRightSigned,
    /// Compares floats with this predicate, 0 to 31; gives a truth value.
    Compare(u8),
    /// Compares integers with this predicate, 0 to 7; gives a truth value.
    CompareInt {
        /// Whether the integers are unsigned.
        unsigned: bool,
        /// The predicate's number in the manual's table.
        predicate: u8,
    },
    /// b where the highest bit of c is set, else a.
    BlendBySign,
    /// A bitwise function of a, b and c: result bits are those of this table at index `a << 2 | b << 1 | c`.
    Ternary(u8),
}

impl Operation {
    /// Returns the number of sources.
    pub fn sources(self) -> usize {
        use Operation::{
            BlendBySign, Copy, Floor, Fma, FromInt, RoundEven, ShiftRightBy, Sqrt, Ternary, ToInt, Trunc,
        };
        match self {
            Copy | Sqrt | Floor | Trunc | RoundEven | FromInt | ToInt | ShiftRightBy(_) => 1,
            Fma | BlendBySign | Ternary(_) => 3,
            _ => 2,
        }
    }

    /// Returns the result for these sources; `None` if their number is not [`Operation::sources`].
    pub fn apply<D: Words>(self, d: &D, sources: &[Word<D>]) -> Option<Word<D>> {
        use Operation::{
            Add, AddInt, And, AndNot, BlendBySign, Compare, CompareInt, Copy, Div, Floor, Fma, FromInt, Max,
            Min, Mul, MulInt, Or, RoundEven, ShiftLeft, ShiftRight, ShiftRightBy, ShiftRightSigned, Sqrt,
            Sub, SubInt, Ternary, ToInt, Trunc, Xor,
        };
        let [a, b, c] = match sources {
            [a] => [a, a, a],
            [a, b] => [a, b, b],
            [a, b, c] => [a, b, c],
            _ => return None,
        };
        if sources.len() != self.sources() {
            return None;
        }
        let f = |w: &Word<D>| float(d, w);
        let ints = |op: IBin| Scalar::I(d.ibin(op, &int(d, a), &int(d, b)));
        Some(match self {
            Copy => a.clone(),
            Add => Scalar::F(d.add(&f(a), &f(b))),
            Sub => Scalar::F(d.sub(&f(a), &f(b))),
            Mul => Scalar::F(d.mul(&f(a), &f(b))),
            Div => Scalar::F(d.div(&f(a), &f(b))),
            Min => select(d, &d.lt(&f(a), &f(b)), a, b),
            Max => select(d, &d.lt(&f(b), &f(a)), a, b),
            Fma => Scalar::F(d.fma(&f(a), &f(b), &f(c))),
            Sqrt => Scalar::F(d.un(FUn::Sqrt, &f(a))),
            Floor => Scalar::F(d.un(FUn::Floor, &f(a))),
            Trunc => Scalar::F(d.un(FUn::Trunc, &f(a))),
            RoundEven => Scalar::F(d.un(FUn::RoundEven, &f(a))),
            FromInt => Scalar::F(d.to_f(&int(d, a))),
            ToInt => {
                let within = d.lt(&f(a), &d.f(2f32.powi(31)));
                Scalar::I(d.sel_i(&within, &d.trunc_i(&f(a)), &d.i(i32::MIN)))
            }
            And => and(d, a, b),
            AndNot => and_not(d, a, b),
            Or => match (truth(d, a), truth(d, b)) {
                (Some(p), Some(q)) => Scalar::B(d.or(&p, &q)),
                _ => ints(IBin::Or),
            },
            Xor => xor(d, a, b),
            AddInt => ints(IBin::Add),
            SubInt => ints(IBin::Sub),
            MulInt => ints(IBin::Mul),
            ShiftRightBy(count) if count < 32 => {
                Scalar::I(d.ibin(IBin::ShrU, &int(d, a), &d.i(i32::from(count))))
            }
            ShiftRightBy(_) => Scalar::I(d.i(0)),
            ShiftLeft => shifted(d, IBin::Shl, a, b),
            ShiftRight => shifted(d, IBin::ShrU, a, b),
            ShiftRightSigned => shifted(d, IBin::ShrS, a, b),
            Compare(predicate) => Scalar::B(compare(d, predicate, a, b)),
            CompareInt { unsigned, predicate } => Scalar::B(compare_int(d, unsigned, predicate, a, b)),
            BlendBySign => select(d, &sign(d, c), b, a),
            Ternary(table) => ternary(d, table, a, b, c),
        })
    }
}

fn and<D: Words>(d: &D, a: &Word<D>, b: &Word<D>) -> Word<D> {
    let zero = Scalar::I(d.i(0));
    match (truth(d, a), truth(d, b)) {
        (Some(p), Some(q)) => Scalar::B(d.and(&p, &q)),
        (Some(p), None) => select(d, &p, b, &zero),
        (None, Some(q)) => select(d, &q, a, &zero),
        (None, None) => Scalar::I(d.ibin(IBin::And, &int(d, a), &int(d, b))),
    }
}

fn and_not<D: Words>(d: &D, a: &Word<D>, b: &Word<D>) -> Word<D> {
    match (truth(d, a), truth(d, b)) {
        (Some(p), Some(q)) => Scalar::B(d.and(&d.not(&p), &q)),
        (Some(p), None) => select(d, &p, &Scalar::I(d.i(0)), b),
        (None, _) => {
            let inverted = d.ibin(IBin::Xor, &int(d, a), &d.i(-1));
            Scalar::I(d.ibin(IBin::And, &inverted, &int(d, b)))
        }
    }
}

fn xor<D: Words>(d: &D, a: &Word<D>, b: &Word<D>) -> Word<D> {
    let is_all = |q: &D::B| d.known_b(q) == Some(true);
    match (truth(d, a), truth(d, b)) {
        (Some(p), Some(q)) if is_all(&q) => Scalar::B(d.not(&p)),
        (Some(p), Some(q)) => Scalar::B(d.logic(lockstep_core::value::BBin::Xor, &p, &q)),
        _ => Scalar::I(d.ibin(IBin::Xor, &int(d, a), &int(d, b))),
    }
}

/// Computes a shift whose count is not taken modulo 32.
fn shifted<D: Words>(d: &D, op: IBin, a: &Word<D>, b: &Word<D>) -> Word<D> {
    let (a, count) = (int(d, a), int(d, b));
    let within = d.icmp(ICmp::LtU, &count, &d.i(32));
    let beyond = match op {
        IBin::ShrS => d.ibin(op, &a, &d.i(31)),
        _ => d.i(0),
    };
    Scalar::I(d.sel_i(&within, &d.ibin(op, &a, &count), &beyond))
}

/// Evaluates a predicate of VCMPPS. The fifth bit of the predicate only determines which NaNs raise an exception.
fn compare<D: Words>(d: &D, predicate: u8, a: &Word<D>, b: &Word<D>) -> D::B {
    let (a, b) = (float(d, a), float(d, b));
    let ordered = || d.and(&d.eq(&a, &a), &d.eq(&b, &b));
    let unordered = || d.not(&ordered());
    match predicate & 15 {
        0 => d.eq(&a, &b),
        1 => d.lt(&a, &b),
        2 => d.le(&a, &b),
        3 => unordered(),
        4 => d.not(&d.eq(&a, &b)),
        5 => d.not(&d.lt(&a, &b)),
        6 => d.not(&d.le(&a, &b)),
        7 => ordered(),
        8 => d.or(&d.eq(&a, &b), &unordered()),
        9 => d.not(&d.le(&b, &a)),
        10 => d.not(&d.lt(&b, &a)),
        11 => d.b(false),
        12 => d.and(&d.not(&d.eq(&a, &b)), &ordered()),
        13 => d.le(&b, &a),
        14 => d.lt(&b, &a),
        _ => d.b(true),
    }
}

/// Evaluates a predicate of VPCMPD or VPCMPUD.
fn compare_int<D: Words>(d: &D, unsigned: bool, predicate: u8, a: &Word<D>, b: &Word<D>) -> D::B {
    let (a, b) = (int(d, a), int(d, b));
    let less = if unsigned { ICmp::LtU } else { ICmp::LtS };
    match predicate & 7 {
        0 => d.icmp(ICmp::Eq, &a, &b),
        1 => d.icmp(less, &a, &b),
        2 => d.not(&d.icmp(less, &b, &a)),
        3 => d.b(false),
        4 => d.not(&d.icmp(ICmp::Eq, &a, &b)),
        5 => d.not(&d.icmp(less, &a, &b)),
        6 => d.icmp(less, &b, &a),
        _ => d.b(true),
    }
}

/// The truth tables of the second and the third operand, for a fixed value of the first.
const SECOND_OPERAND: u8 = 0b1100;
const THIRD_OPERAND: u8 = 0b1010;

fn ternary<D: Words>(d: &D, table: u8, a: &Word<D>, b: &Word<D>, c: &Word<D>) -> Word<D> {
    let chosen = |half: u8| match half {
        SECOND_OPERAND => Some(b),
        THIRD_OPERAND => Some(c),
        _ => None,
    };
    if let (Some(condition), Some(yes), Some(no)) = (truth(d, a), chosen(table >> 4), chosen(table & 15)) {
        return select(d, &condition, yes, no);
    }
    let operands = [int(d, a), int(d, b), int(d, c)];
    let mut sum = d.i(0);
    for row in (0..8).filter(|row| table >> row & 1 == 1) {
        let mut product = d.i(-1);
        for (k, operand) in operands.iter().enumerate() {
            let factor = match row >> (2 - k) & 1 {
                1 => operand.clone(),
                _ => d.ibin(IBin::Xor, operand, &d.i(-1)),
            };
            product = d.ibin(IBin::And, &product, &factor);
        }
        sum = d.ibin(IBin::Or, &sum, &product);
    }
    Scalar::I(sum)
}
