//! Sequences: the machine instructions that may compute each kernel of a plan, and the kernel's meaning.
//!
//! The list is closed: code that computes a kernel in another way is refused. It is proved once, not for each program, that each sequence computes
//! its kernel's meaning. Kernels of several operands are proved on the prover's terms and by Z3 (`lockstep prove`, obligations `kernels`), kernels of
//! one operand on all 2^32 words (`exhaust_sequences`). Kernels that round or flush each step are [`composed`] of kernels proved in these ways.

use crate::operation::Operation::{
    self, Add, AddInt, And, Compare, CompareInt, Copy, Div, Floor, Fma, FromInt, Max, Min, Mul, MulInt, Or,
    RoundEven, ShiftLeft, ShiftRight, ShiftRightBy, ShiftRightSigned, Sqrt, Sub, SubInt, ToInt, Trunc, Xor,
};
use crate::word::{Word, Words, float, int, select, truth};
use lockstep_core::exec::Kernel;
use lockstep_core::ir::eval::{Scalar, arithmetic};
use lockstep_core::ir::{Flush, Op, Ty};
use lockstep_core::value::{BBin, FCmp, FUn, IBin, ICmp, Narrow};

/// The length of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vector {
    /// 8 lanes, AVX2.
    Bits256,
    /// 16 lanes, AVX-512.
    Bits512,
}

impl Vector {
    /// Both lengths.
    pub const ALL: [Vector; 2] = [Vector::Bits256, Vector::Bits512];

    /// Returns the number of lanes.
    pub fn lanes(self) -> usize {
        match self {
            Vector::Bits256 => 8,
            Vector::Bits512 => 16,
        }
    }
}

const SIGN: u32 = 0x8000_0000;
const MAGNITUDE: u32 = 0x7fff_ffff;
const INFINITY: u32 = 0x7f80_0000;
const QUIET_NAN: u32 = 0x7fc0_0000;
/// Returns the bits of 2 to the power `exponent`.
const fn power(exponent: i32) -> u32 {
    ((127 + exponent) as u32) << 23
}
/// (2 - 2^-16) * 2^63, the largest f24.
const LARGEST_F24: u32 = 0x5f7f_ff80;

// Predicates of comparisons.
const EQ: u8 = 0x00;
const LT: u8 = 0x11;
const LE: u8 = 0x12;
const UNORDERED: u8 = 0x03;
const NOT_EQUAL: u8 = 0x04;
const ORDERED: u8 = 0x07;
const NOT_LESS: u8 = 0x15;
const GE: u8 = 0x1d;

/// Rounding to f24 toward zero, without subnormals and -0.
const F24: [Op; 2] = [Op::Un(FUn::Narrow(Narrow::F24Zero)), Op::Flush(Flush::F24Unsigned)];

/// Returns a word's truth value; `None` for other types.
fn as_truth<D: Words>(word: Word<D>) -> Option<D::B> {
    match word {
        Scalar::B(v) => Some(v),
        _ => None,
    }
}

/// Applies machine instructions to one lane.
struct Lane<'a, D: Words>(&'a D);

impl<D: Words> Lane<'_, D> {
    fn literal(&self, bits: u32) -> Word<D> {
        Scalar::I(self.0.i(bits as i32))
    }

    fn op(&self, operation: Operation, sources: &[&Word<D>]) -> Option<Word<D>> {
        let sources: smallvec::SmallVec<[Word<D>; 3]> = sources.iter().map(|w| (*w).clone()).collect();
        operation.apply(self.0, &sources)
    }

    /// Applies an operation with a constant as second source.
    fn with(&self, operation: Operation, a: &Word<D>, bits: u32) -> Option<Word<D>> {
        self.op(operation, &[a, &self.literal(bits)])
    }

    fn compare(&self, predicate: u8, a: &Word<D>, b: &Word<D>) -> Option<D::B> {
        as_truth(self.op(Compare(predicate), &[a, b])?)
    }

    /// Compares signed integers: a < b.
    fn less(&self, a: &Word<D>, b: &Word<D>) -> Option<D::B> {
        as_truth(self.op(CompareInt { unsigned: false, predicate: 1 }, &[a, b])?)
    }

    fn below(&self, a: &Word<D>, bits: u32) -> Option<D::B> {
        self.less(a, &self.literal(bits))
    }

    fn at_least(&self, a: &Word<D>, bits: u32) -> Option<D::B> {
        self.less(&self.literal(bits - 1), a)
    }

    fn select(&self, condition: &D::B, yes: &Word<D>, no: &Word<D>) -> Word<D> {
        select(self.0, condition, yes, no)
    }

    fn zero_where(&self, condition: &D::B, word: &Word<D>) -> Word<D> {
        self.select(condition, &self.literal(0), word)
    }

    fn keep_where(&self, condition: &D::B, word: &Word<D>) -> Word<D> {
        self.select(condition, word, &self.literal(0))
    }

    fn narrow_nearest(&self, x: &Word<D>) -> Option<Word<D>> {
        let a = self.with(And, x, MAGNITUDE)?;
        let small = self.aligned(&a)?;
        let odd = self.with(And, &self.op(ShiftRightBy(7), &[&a])?, 1)?;
        let raised = self.with(AddInt, &self.op(AddInt, &[&odd, &a])?, 0x3f)?;
        let large = self.with(And, &raised, !0x7f)?;
        let beyond = self.at_least(&large, power(64))?;
        let large = self.select(&beyond, &self.literal(INFINITY), &large);
        self.select_narrowed(x, &a, &small, &large)
    }

    fn narrow_zero(&self, x: &Word<D>, overflow: u32) -> Option<Word<D>> {
        let a = self.with(And, x, MAGNITUDE)?;
        let near = self.aligned(&a)?;
        let above = self.compare(LT, &a, &near)?;
        let lower = self.with(Sub, &near, power(-78))?;
        let small = self.select(&above, &lower, &near);
        let large = self.with(And, &a, !0x7f)?;
        let is_beyond = self.at_least(&a, power(64))?;
        let large = self.select(&is_beyond, &self.literal(overflow), &large);
        self.select_narrowed(x, &a, &small, &large)
    }

    /// Rounds a magnitude to a multiple of 2^-78.
    fn aligned(&self, a: &Word<D>) -> Option<Word<D>> {
        self.with(Sub, &self.with(Add, a, power(-55))?, power(-55))
    }

    fn select_narrowed(&self, x: &Word<D>, a: &Word<D>, small: &Word<D>, large: &Word<D>) -> Option<Word<D>> {
        let r = self.select(&self.below(a, power(-62))?, small, large);
        let r = self.op(Or, &[&r, &self.with(And, x, SIGN)?])?;
        Some(self.select(&self.below(a, INFINITY)?, &r, x))
    }

    fn flush(&self, kernel: Kernel, x: &Word<D>) -> Option<Word<D>> {
        let a = self.with(And, x, MAGNITUDE)?;
        Some(match kernel {
            Kernel::Flush => {
                let small = self.below(&a, power(-126))?;
                self.select(&small, &self.with(And, x, SIGN)?, x)
            }
            Kernel::FlushF24 => {
                let small = self.below(&a, power(-62))?;
                let some = self.less(&self.literal(0), &a)?;
                self.zero_where(&self.0.and(&small, &some), x)
            }
            Kernel::FlushF24Unsigned => self.zero_where(&self.below(&a, power(-62))?, x),
            _ => self.keep_where(&self.compare(NOT_EQUAL, x, &self.literal(0))?, x),
        })
    }

    fn round_f24(&self, x: &Word<D>) -> Option<Word<D>> {
        // Numbers beyond f24 overflow to infinity, and NaN stays NaN; scaling changes no other number.
        let scaled = self.with(Mul, x, power(64))?;
        let r = self.with(Mul, &scaled, power(-64))?;
        let a = self.with(And, &r, MAGNITUDE)?;
        let kept = self.compare(NOT_LESS, &a, &self.literal(power(-62)))?;
        Some(self.keep_where(&kept, &self.with(And, &r, !0x7f)?))
    }

    fn to_int(&self, a: &Word<D>) -> Option<Word<D>> {
        let r = self.op(ToInt, &[a])?;
        let large = self.compare(GE, a, &self.literal(power(31)))?;
        let r = self.select(&large, &self.literal(MAGNITUDE), &r);
        Some(self.keep_where(&self.compare(ORDERED, a, a)?, &r))
    }

    fn legacy_product(&self, a: &Word<D>, b: &Word<D>) -> Option<Word<D>> {
        let zero = self.literal(0);
        let some = self.0.and(&self.compare(NOT_EQUAL, a, &zero)?, &self.compare(NOT_EQUAL, b, &zero)?);
        Some(self.keep_where(&some, &self.op(Mul, &[a, b])?))
    }

    fn product_of_infinity(&self, a: &Word<D>, b: &Word<D>) -> Option<Word<D>> {
        let product = self.op(Mul, &[a, b])?;
        let nan = self.compare(UNORDERED, &product, &product)?;
        let invalid = self.0.and(&nan, &self.compare(ORDERED, a, b)?);
        Some(self.zero_where(&invalid, &product))
    }

    /// Adds the product of each pair in `rest` to `first`, which is a product or a multiply-add.
    fn sum(&self, first: Word<D>, rest: &[Word<D>]) -> Option<Word<D>> {
        rest.chunks(2).try_fold(first, |sum, pair| {
            let [a, b] = pair else { return None };
            self.op(Add, &[&sum, &self.op(Mul, &[a, b])?])
        })
    }
}

/// Returns a kernel's result as its sequence computes it; `None` for kernels without a sequence, or for operands in forms that the sequence does not
/// accept.
pub fn sequence<D: Words>(d: &D, vector: Vector, kernel: Kernel, x: &[Word<D>]) -> Option<Word<D>> {
    let lane = Lane(d);
    let op = |operation: Operation| lane.op(operation, &x.iter().collect::<smallvec::SmallVec<[_; 4]>>());
    let chosen = |predicate: u8| Some(lane.select(&lane.compare(predicate, &x[0], &x[1])?, &x[2], &x[3]));
    let shift = |operation: Operation| lane.op(operation, &[&x[0], &lane.with(And, &x[1], 31)?]);
    let product = || lane.op(Mul, &[&x[0], &x[1]]);
    if kernel.is_lane_wise() && x.len() != kernel.operands() + kernel.pooled().unwrap_or(0) {
        return None;
    }
    match kernel {
        Kernel::Copy => op(Copy),
        Kernel::Neg => lane.with(Xor, &x[0], SIGN),
        Kernel::Abs => lane.with(And, &x[0], MAGNITUDE),
        Kernel::Sqrt => op(Sqrt),
        Kernel::Floor => op(Floor),
        Kernel::Trunc => op(Trunc),
        Kernel::RoundEven => op(RoundEven),
        Kernel::NarrowNearest => lane.narrow_nearest(&x[0]),
        Kernel::NarrowZero => lane.narrow_zero(&x[0], INFINITY),
        Kernel::NarrowZeroSaturate => lane.narrow_zero(&x[0], LARGEST_F24),
        Kernel::Flush | Kernel::FlushF24 | Kernel::FlushF24Unsigned | Kernel::FlushSign => {
            lane.flush(kernel, &x[0])
        }
        Kernel::RoundF24 => lane.round_f24(&x[0]),
        Kernel::TruncI => lane.to_int(&x[0]),
        Kernel::ToF => op(FromInt),
        Kernel::Bits => {
            let nan = lane.compare(UNORDERED, &x[0], &x[0])?;
            Some(lane.select(&nan, &lane.literal(QUIET_NAN), &x[0]))
        }
        Kernel::Not => lane.with(Xor, &x[0], u32::MAX),
        Kernel::Add => op(Add),
        Kernel::Sub => op(Sub),
        Kernel::Mul => op(Mul),
        Kernel::Div => op(Div),
        Kernel::Min => op(Min),
        Kernel::Max => op(Max),
        Kernel::Mulz => lane.legacy_product(&x[0], &x[1]),
        Kernel::MulzInf => lane.product_of_infinity(&x[0], &x[1]),
        Kernel::Lt => op(Compare(LT)),
        Kernel::Le => op(Compare(LE)),
        Kernel::Eq => op(Compare(EQ)),
        Kernel::IEq => op(CompareInt { unsigned: false, predicate: 0 }),
        Kernel::ILtS => op(CompareInt { unsigned: false, predicate: 1 }),
        Kernel::ILtU => match vector {
            Vector::Bits512 => op(CompareInt { unsigned: true, predicate: 1 }),
            Vector::Bits256 => {
                let [a, b] = [lane.with(Xor, &x[0], SIGN)?, lane.with(Xor, &x[1], SIGN)?];
                lane.op(CompareInt { unsigned: false, predicate: 1 }, &[&a, &b])
            }
        },
        Kernel::IAdd => op(AddInt),
        Kernel::ISub => op(SubInt),
        Kernel::IMul => op(MulInt),
        Kernel::And => op(And),
        Kernel::Or => op(Or),
        Kernel::Xor => op(Xor),
        Kernel::Shl => shift(ShiftLeft),
        Kernel::ShrU => shift(ShiftRight),
        Kernel::ShrS => shift(ShiftRightSigned),
        Kernel::Fma => op(Fma),
        // The code blends by bits or by sign. Both give the same result for a truth value.
        Kernel::Select => Some(lane.select(&truth(d, &x[0])?, &x[1], &x[2])),
        Kernel::MulAdd => lane.op(Add, &[&product()?, &x[2]]),
        Kernel::MulSub => lane.op(Sub, &[&product()?, &x[2]]),
        Kernel::NegMulAdd => lane.op(Sub, &[&x[2], &product()?]),
        Kernel::Clamp => lane.op(Min, &[&lane.op(Max, &[&x[0], &x[1]])?, &x[2]]),
        Kernel::SelectLt => chosen(LT),
        Kernel::SelectLe => chosen(LE),
        Kernel::SelectEq => chosen(EQ),
        Kernel::Dot2 | Kernel::Dot3 | Kernel::Dot4 => lane.sum(product()?, &x[2..]),
        Kernel::Chain2 | Kernel::Chain3 => lane.sum(lane.op(Add, &[&product()?, &x[2]])?, &x[3..]),
        _ => composed(kernel, x, &|step, x| sequence(d, vector, step, x)),
    }
}

/// Returns the result of a kernel that rounds each of its steps, given a function that computes the steps' kernels; `None` for other kernels.
///
/// The sequence of such a kernel is composed of the sequences of its steps, so only the choice of the steps remains to be proved.
pub fn composed<D: Words>(
    kernel: Kernel,
    x: &[Word<D>],
    step: &dyn Fn(Kernel, &[Word<D>]) -> Option<Word<D>>,
) -> Option<Word<D>> {
    let (product, round) = kernel.rounded()?;
    let rounded =
        |kernel: Kernel, a: &Word<D>, b: &Word<D>| step(round, &[step(kernel, &[a.clone(), b.clone()])?]);
    match (kernel, x) {
        (Kernel::AddF24 | Kernel::AddFlush, [a, b]) => rounded(Kernel::Add, a, b),
        (Kernel::SubF24 | Kernel::SubFlush, [a, b]) => rounded(Kernel::Sub, a, b),
        (_, [a, b, rest @ ..]) => {
            let mut sum = rounded(product, a, b)?;
            let mut products = rest;
            if let ([c, others @ ..], 1) = (rest, rest.len() % 2) {
                sum = rounded(Kernel::Add, &sum, c)?;
                products = others;
            }
            products.chunks(2).try_fold(sum, |sum, pair| {
                let [a, b] = pair else { return None };
                rounded(Kernel::Add, &sum, &rounded(product, a, b)?)
            })
        }
        _ => None,
    }
}

/// Returns a kernel's result as the operations of the IR define it; `None` for kernels that are not computed lane by lane, or that are never
/// compiled.
pub fn meaning<D: Words>(d: &D, kernel: Kernel, x: &[Word<D>]) -> Option<Word<D>> {
    let ir = |op: Op, words: &[&Word<D>]| meaning_of(d, op, words);
    let all = |op: Op| ir(op, &x.iter().collect::<Vec<_>>());
    let both_truths = || truth(d, &x[0]).is_some() && truth(d, &x[1]).is_some();
    let bitwise = |op: IBin, logic: BBin| all(if both_truths() { Op::Logic(logic) } else { Op::IBin(op) });
    // The rounding of each step of a sum of products.
    let (mul, rounding): (Op, &[Op]) = match kernel.rounded() {
        Some((_, Kernel::RoundF24)) => (Op::MulzInf, &F24),
        Some(_) => (Op::Mul, &[Op::Flush(Flush::Subnormal)]),
        None => (Op::Mul, &[]),
    };
    let step = |op: Op, a: &Word<D>, b: &Word<D>| {
        rounding.iter().try_fold(ir(op, &[a, b])?, |value, op| ir(*op, &[&value]))
    };
    let product = |k: usize| step(mul, &x[k], &x[k + 1]);
    let sum = |first: Word<D>, from: usize| {
        (from..x.len()).step_by(2).try_fold(first, |sum, k| step(Op::Add, &sum, &product(k)?))
    };
    let chosen = |cmp: FCmp| {
        let condition = ir(Op::Cmp(cmp), &[&x[0], &x[1]])?;
        ir(Op::Sel(chosen_type(&x[2], &x[3])), &[&condition, &x[2], &x[3]])
    };
    match kernel {
        Kernel::Copy => Some(x[0].clone()),
        Kernel::Neg => all(Op::Un(FUn::Neg)),
        Kernel::Abs => all(Op::Un(FUn::Abs)),
        Kernel::Sqrt => all(Op::Un(FUn::Sqrt)),
        Kernel::Floor => all(Op::Un(FUn::Floor)),
        Kernel::Trunc => all(Op::Un(FUn::Trunc)),
        Kernel::RoundEven => all(Op::Un(FUn::RoundEven)),
        Kernel::NarrowNearest => all(Op::Un(FUn::Narrow(Narrow::F24Nearest))),
        Kernel::NarrowZero => all(Op::Un(FUn::Narrow(Narrow::F24Zero))),
        Kernel::NarrowZeroSaturate => all(Op::Un(FUn::Narrow(Narrow::F24ZeroSaturate))),
        Kernel::Flush => all(Op::Flush(Flush::Subnormal)),
        Kernel::FlushF24 => all(Op::Flush(Flush::F24)),
        Kernel::FlushF24Unsigned => all(Op::Flush(Flush::F24Unsigned)),
        Kernel::FlushSign => all(Op::Flush(Flush::Sign)),
        Kernel::TruncI => all(Op::TruncI),
        Kernel::ToF => all(Op::ToF),
        Kernel::Bits => all(Op::Bits),
        Kernel::Not if truth(d, &x[0]).is_some() => all(Op::Not),
        Kernel::Not => ir(Op::IBin(IBin::Xor), &[&x[0], &Scalar::I(d.i(-1))]),
        Kernel::Add => all(Op::Add),
        Kernel::Sub => all(Op::Sub),
        Kernel::Mul => all(Op::Mul),
        Kernel::Div => all(Op::Div),
        Kernel::Min => all(Op::Min),
        Kernel::Max => all(Op::Max),
        Kernel::Mulz => all(Op::Mulz),
        Kernel::MulzInf => all(Op::MulzInf),
        Kernel::Lt => all(Op::Cmp(FCmp::Lt)),
        Kernel::Le => all(Op::Cmp(FCmp::Le)),
        Kernel::Eq => all(Op::Cmp(FCmp::Eq)),
        Kernel::IEq => all(Op::ICmp(ICmp::Eq)),
        Kernel::ILtS => all(Op::ICmp(ICmp::LtS)),
        Kernel::ILtU => all(Op::ICmp(ICmp::LtU)),
        Kernel::IAdd => all(Op::IBin(IBin::Add)),
        Kernel::ISub => all(Op::IBin(IBin::Sub)),
        Kernel::IMul => all(Op::IBin(IBin::Mul)),
        Kernel::And => bitwise(IBin::And, BBin::And),
        Kernel::Or => bitwise(IBin::Or, BBin::Or),
        Kernel::Xor => bitwise(IBin::Xor, BBin::Xor),
        Kernel::Shl => all(Op::IBin(IBin::Shl)),
        Kernel::ShrU => all(Op::IBin(IBin::ShrU)),
        Kernel::ShrS => all(Op::IBin(IBin::ShrS)),
        Kernel::Fma => all(Op::Fma),
        Kernel::Select => all(Op::Sel(chosen_type(&x[1], &x[2]))),
        Kernel::RoundF24 => F24.iter().try_fold(x[0].clone(), |value, op| ir(*op, &[&value])),
        Kernel::AddF24 | Kernel::AddFlush => step(Op::Add, &x[0], &x[1]),
        Kernel::SubF24 | Kernel::SubFlush => step(Op::Sub, &x[0], &x[1]),
        Kernel::MulF24 | Kernel::MulFlush => product(0),
        Kernel::MulAdd | Kernel::MulAddF24 | Kernel::MulAddFlush => step(Op::Add, &product(0)?, &x[2]),
        Kernel::MulSub => ir(Op::Sub, &[&product(0)?, &x[2]]),
        Kernel::NegMulAdd => ir(Op::Sub, &[&x[2], &product(0)?]),
        Kernel::Clamp => ir(Op::Min, &[&ir(Op::Max, &[&x[0], &x[1]])?, &x[2]]),
        Kernel::SelectLt => chosen(FCmp::Lt),
        Kernel::SelectLe => chosen(FCmp::Le),
        Kernel::SelectEq => chosen(FCmp::Eq),
        Kernel::Dot2
        | Kernel::Dot3
        | Kernel::Dot4
        | Kernel::Dot2F24
        | Kernel::Dot3F24
        | Kernel::Dot4F24
        | Kernel::Dot2Flush
        | Kernel::Dot3Flush
        | Kernel::Dot4Flush => sum(product(0)?, 2),
        Kernel::Chain2
        | Kernel::Chain3
        | Kernel::Chain2F24
        | Kernel::Chain3F24
        | Kernel::Chain2Flush
        | Kernel::Chain3Flush => sum(step(Op::Add, &product(0)?, &x[2])?, 3),
        _ => None,
    }
}

/// Returns the type of a select between two words: Boolean or integer, which keep all bits, if both words have this type, otherwise float.
fn chosen_type<D: Words>(yes: &Word<D>, no: &Word<D>) -> Ty {
    match (yes, no) {
        (Scalar::B(_), Scalar::B(_)) => Ty::Bool,
        (Scalar::I(_), Scalar::I(_)) => Ty::I32,
        _ => Ty::F32,
    }
}

/// Returns the possible operand types of a kernel, one list for each combination of types that it accepts; empty for a kernel without a sequence.
pub fn operand_types(kernel: Kernel) -> Vec<Vec<Ty>> {
    const F: Ty = Ty::F32;
    const I: Ty = Ty::I32;
    const B: Ty = Ty::Bool;
    let count = kernel.operands() + kernel.pooled().unwrap_or(0);
    match kernel {
        Kernel::Exp2 | Kernel::Log2 | Kernel::Sin | Kernel::Cos => Vec::new(),
        kernel if !kernel.is_lane_wise() => Vec::new(),
        Kernel::Copy => vec![vec![F], vec![I], vec![B]],
        Kernel::ToF
        | Kernel::IEq
        | Kernel::ILtS
        | Kernel::ILtU
        | Kernel::IAdd
        | Kernel::ISub
        | Kernel::IMul
        | Kernel::Shl
        | Kernel::ShrU
        | Kernel::ShrS => vec![vec![I; count]],
        Kernel::Not | Kernel::And | Kernel::Or | Kernel::Xor => vec![vec![I; count], vec![B; count]],
        Kernel::Select => vec![vec![B, F, F], vec![B, I, I], vec![B, B, B]],
        Kernel::SelectLt | Kernel::SelectLe | Kernel::SelectEq => {
            vec![vec![F; 4], vec![F, F, I, I], vec![F, F, B, B]]
        }
        _ => vec![vec![F; count]],
    }
}

/// Evaluates an IR operation on words, each read as its operand's type; `None` if a truth value is needed but the word is not known to be one.
fn meaning_of<D: Words>(d: &D, op: Op, words: &[&Word<D>]) -> Option<Word<D>> {
    let typed = words.iter().zip(op.operands()).map(|(word, ty)| match ty {
        Ty::F32 => Some(Scalar::F(float(d, word))),
        Ty::I32 => Some(Scalar::I(int(d, word))),
        Ty::Bool => truth(d, word).map(Scalar::B),
    });
    let typed: Vec<Word<D>> = typed.collect::<Option<_>>()?;
    if typed.len() != op.operands().len() {
        return None;
    }
    arithmetic(d, op, |k| &typed[k])
}
