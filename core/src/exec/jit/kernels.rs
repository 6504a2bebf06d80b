//! The machine instructions for each compiled kernel: they compute the same as [`crate::exec::wide`] on one vector of lanes, bit for bit except for
//! the bits of NaNs.

use super::encode::*;
use super::registers::{ACTIVE, Home, Registers};
use crate::exec::Kernel;

const SIGN: u32 = 0x8000_0000;
const MAGNITUDE: u32 = 0x7fff_ffff;
/// 2^-55, whose unit in the last place is the smallest f24 subnormal, 2^-78.
const F24_SUBNORMAL_ROUNDER: u32 = (127 - 55) << 23;
/// 2^-78, the smallest f24 subnormal.
const LAST: u32 = (127 - 78) << 23;
/// The smallest normal f24, 2^-62.
const NORMAL_F24: u32 = (127 - 62) << 23;
/// The smallest normal binary32, 2^-126.
const NORMAL: u32 = 1 << 23;
/// 2^64, the first power of two beyond f24.
const F24_OVERFLOW: u32 = (127 + 64) << 23;
/// The factor that makes numbers beyond f24 overflow in binary32: also 2^64.
const SCALE: u32 = F24_OVERFLOW;
/// 2^-64, which undoes [`SCALE`].
const UNSCALE: u32 = (127 - 64) << 23;
const INFINITY: u32 = 0x7f80_0000;
/// 7EFFFF, the largest f24.
const LARGEST: u32 = 0x5f7f_ff80;
const QUIET_NAN: u32 = 0x7fc0_0000;
/// 2^31 as a float: the least number above all signed 32-bit integers.
const TWO_TO_31: u32 = (127 + 31) << 23;

// Predicates of comparisons of floats; quiet, so that no exception flag depends on the level.
const EQ: u8 = 0x00;
const UNORDERED: u8 = 0x03;
const ORDERED: u8 = 0x07;
const LT: u8 = 0x11;
const LE: u8 = 0x12;
const NOT_EQ: u8 = 0x04;
const NOT_LT: u8 = 0x15;
const GE: u8 = 0x1d;
// Predicates of comparisons of integers into mask registers.
const INT_EQ: u8 = 0;
const INT_LT: u8 = 1;

/// The opcode extension of the immediate shift to the right that fills with zeros.
const SHIFT_RIGHT_LOGICAL: u8 = 2;

/// The mode in which ROUNDPS rounds down. In this mode and the next two, the exception for inexact results is suppressed.
const DOWN: u8 = 9;
const TOWARD_ZERO: u8 = 11;
const NEAREST_EVEN: u8 = 8;

/// Whether the compiler has code for a kernel. All other kernels run in the wide interpreter, between runs of compiled code.
pub(super) fn is_compiled(kernel: Kernel) -> bool {
    use Kernel::{Cos, Exp2, Log2, Sin};
    kernel.is_lane_wise() && !matches!(kernel, Exp2 | Log2 | Sin | Cos)
}

/// One truth value for each lane. Code that uses the truth values may overwrite their register.
#[derive(Clone, Copy)]
enum Truth {
    /// In a mask register.
    K(K),
    /// As all ones or zeros in a vector.
    V(V),
}

/// Emits the code of one instruction.
pub(super) struct Emitter<'a> {
    pub(super) code: &'a mut Code,
    pub(super) registers: &'a mut Registers,
    pub(super) homes: &'a [Home],
    pub(super) width: Width,
    /// The rows of the operands.
    pub(super) operands: &'a [u32],
    /// For each operand, the next use of its row after this instruction.
    pub(super) next: &'a [u32],
    /// The number of the mask register that was allocated last; that of [`ACTIVE`] if none is allocated.
    pub(super) last_mask: u8,
}

impl Emitter<'_> {
    fn v(&mut self, k: usize) -> V {
        self.registers.load(self.code, self.homes, self.operands[k])
    }

    fn src(&mut self, k: usize) -> Src {
        self.registers.source(self.code, self.homes, self.operands[k], self.next[k])
    }

    fn temp(&mut self) -> V {
        self.registers.temporary(self.code, self.homes)
    }

    fn op3(&mut self, op: Opcode, dst: V, a: V, b: impl Into<Src>) {
        self.code.op3(self.width, op, dst, a, b);
    }

    /// Returns a new register that contains `a op constant`.
    fn with(&mut self, op: Opcode, a: V, constant: u32) -> V {
        let (dst, constant) = (self.temp(), self.code.constant(constant));
        self.op3(op, dst, a, constant);
        dst
    }

    /// A constant in a register.
    fn literal(&mut self, bits: u32) -> V {
        let (dst, constant) = (self.temp(), self.code.constant(bits));
        self.code.load(self.width, dst, constant);
        dst
    }

    fn allocate_mask(&mut self) -> K {
        self.last_mask += 1;
        K(self.last_mask)
    }

    /// Compares floats.
    fn compare(&mut self, predicate: u8, a: V, b: impl Into<Src>) -> Truth {
        match self.width {
            Width::Zmm => {
                let k = self.allocate_mask();
                self.code.compare(CMPPS, k, a, b, predicate, None);
                Truth::K(k)
            }
            Width::Ymm => {
                let v = self.temp();
                self.code.op3_imm(self.width, CMPPS, v, a, b, predicate);
                Truth::V(v)
            }
        }
    }

    /// Whether a < b, signed.
    fn less(&mut self, a: V, b: impl Into<Src>) -> Truth {
        match self.width {
            Width::Zmm => {
                let k = self.allocate_mask();
                self.code.compare(CMPD_EVEX, k, a, b, INT_LT, None);
                Truth::K(k)
            }
            Width::Ymm => {
                let v = self.temp();
                self.code.load(self.width, v, b);
                self.op3(CMPGTD_VEX, v, v, a);
                Truth::V(v)
            }
        }
    }

    /// Whether a < a constant, signed.
    fn below(&mut self, a: V, constant: u32) -> Truth {
        let constant = self.code.constant(constant);
        self.less(a, constant)
    }

    /// Whether a is at least a constant, signed. The constant must not be the least signed number.
    fn at_least(&mut self, a: V, constant: u32) -> Truth {
        let below = self.literal(constant.wrapping_sub(1));
        match self.width {
            Width::Zmm => {
                let truth = self.less(below, a);
                self.registers.release(below);
                truth
            }
            Width::Ymm => {
                // a > constant - 1, into the constant's register.
                self.op3(CMPGTD_VEX, below, a, below);
                Truth::V(below)
            }
        }
    }

    /// Whether both truth values are true.
    fn and_truths(&mut self, a: Truth, b: Truth) -> Truth {
        match (a, b) {
            (Truth::V(a), Truth::V(b)) => self.op3(AND, a, a, b),
            (Truth::K(a), Truth::K(b)) => self.code.and_masks(a, a, b),
            // All truth values of an instruction have the same kind, which depends on the width.
            _ => {}
        }
        a
    }

    /// `truth ? yes : no`.
    fn choose(&mut self, truth: Truth, yes: impl Into<Src>, no: V) -> V {
        match truth {
            Truth::K(k) => {
                let dst = self.temp();
                self.code.op3_masked(BLENDMPS_EVEX, dst, no, yes, Mask::merge(k));
                dst
            }
            Truth::V(v) => {
                self.code.op3_imm(self.width, BLENDVPS_VEX, v, no, yes, v.0 << 4);
                v
            }
        }
    }

    /// +0 where the truth value holds, else `v`.
    fn zero_where(&mut self, truth: Truth, v: V) -> V {
        match truth {
            Truth::K(_) => {
                let zero = self.code.constant(0);
                self.choose(truth, zero, v)
            }
            Truth::V(truth) => {
                self.op3(ANDN, truth, truth, v);
                truth
            }
        }
    }

    /// `v` where the truth value holds, else +0.
    fn keep_where(&mut self, truth: Truth, v: V) -> V {
        match truth {
            Truth::K(k) => {
                let dst = self.temp();
                self.code.op3_masked(OR, dst, v, v, Mask::zero(k));
                dst
            }
            Truth::V(truth) => {
                self.op3(AND, truth, truth, v);
                truth
            }
        }
    }

    /// All ones where the truth value holds, else 0.
    fn spread(&mut self, truth: Truth) -> V {
        match truth {
            Truth::K(k) => {
                let dst = self.temp();
                self.code.spread(dst, k);
                dst
            }
            Truth::V(v) => v,
        }
    }

    fn binary(&mut self, op: Opcode) -> V {
        let a = self.v(0);
        let b = self.src(1);
        let dst = self.temp();
        self.op3(op, dst, a, b);
        dst
    }

    /// The product of two operands.
    fn product(&mut self, k: usize, l: usize) -> V {
        let a = self.v(k);
        let b = self.src(l);
        let dst = self.temp();
        self.op3(MULPS, dst, a, b);
        dst
    }

    /// Adds the product of two operands to a sum.
    fn add_product(&mut self, sum: V, k: usize, l: usize) -> V {
        let product = self.product(k, l);
        self.op3(ADDPS, product, sum, product);
        product
    }

    fn rounded(&mut self, mode: u8) -> V {
        let a = self.src(0);
        let dst = self.temp();
        self.code.op2_imm(self.width, ROUNDPS, dst, a, mode);
        dst
    }

    fn unary(&mut self, op: Opcode) -> V {
        let a = self.src(0);
        let dst = self.temp();
        self.code.op2(self.width, op, dst, a);
        dst
    }

    fn shift(&mut self, op: Opcode) -> V {
        let (a, b) = (self.v(0), self.v(1));
        let count = self.with(AND, b, 31);
        let dst = self.temp();
        self.op3(op, dst, a, count);
        dst
    }

    fn select(&mut self, predicate: u8) -> V {
        let a = self.v(0);
        let b = self.src(1);
        let truth = self.compare(predicate, a, b);
        let no = self.v(3);
        let yes = self.src(2);
        self.choose(truth, yes, no)
    }

    /// Emits [`crate::value::narrow()`] to nearest, computed as by the kernel of the wide interpreter.
    fn narrow_nearest(&mut self) -> V {
        let x = self.v(0);
        let a = self.with(AND, x, MAGNITUDE);
        let small = self.aligned(a);
        // a + 0x3f + (a >> 7 & 1), without the low seven bits.
        let large = self.temp();
        self.code.shift(self.width, SHIFT_RIGHT_LOGICAL, large, a, 7);
        let one = self.code.constant(1);
        self.op3(AND, large, large, one);
        self.op3(ADDD, large, large, a);
        let half = self.code.constant(0x3f);
        self.op3(ADDD, large, large, half);
        let low = self.code.constant(!0x7f);
        self.op3(AND, large, large, low);
        let beyond = self.at_least(large, F24_OVERFLOW);
        let infinity = self.code.constant(INFINITY);
        let large = self.choose(beyond, infinity, large);
        self.select_narrowed(x, a, small, large)
    }

    /// Emits [`crate::value::narrow()`] toward zero; for magnitudes of 2^64 or more the result is `beyond`, the bits of a float.
    fn narrow_zero(&mut self, beyond: u32) -> V {
        let x = self.v(0);
        let a = self.with(AND, x, MAGNITUDE);
        let near = self.aligned(a);
        let above = self.compare(LT, a, near);
        let lower = self.with(SUBPS, near, LAST);
        let small = self.choose(above, lower, near);
        let large = self.with(AND, a, !0x7f);
        let is_beyond = self.at_least(a, F24_OVERFLOW);
        let beyond = self.code.constant(beyond);
        let large = self.choose(is_beyond, beyond, large);
        self.select_narrowed(x, a, small, large)
    }

    /// A magnitude rounded to a multiple of 2^-78, to nearest.
    fn aligned(&mut self, a: V) -> V {
        let sum = self.with(ADDPS, a, F24_SUBNORMAL_ROUNDER);
        let align = self.code.constant(F24_SUBNORMAL_ROUNDER);
        self.op3(SUBPS, sum, sum, align);
        sum
    }

    /// Returns the narrowed number: `small` for magnitudes below 2^-62, otherwise `large`, with the sign of `x`. Infinities and NaN are unchanged.
    fn select_narrowed(&mut self, x: V, a: V, small: V, large: V) -> V {
        let is_small = self.below(a, NORMAL_F24);
        let r = self.choose(is_small, small, large);
        let sign = self.with(AND, x, SIGN);
        self.op3(OR, r, r, sign);
        let finite = self.below(a, INFINITY);
        self.choose(finite, r, x)
    }

    /// Rounds to f24 toward zero. Magnitudes of 2^64 or more become infinite, and those below 2^-62 become +0; NaN stays NaN.
    fn round_f24(&mut self, x: V) -> V {
        // Numbers beyond f24 become infinite. NaN stays NaN, and all other numbers are unchanged, because scaling is exact.
        let r = self.with(MULPS, x, SCALE);
        let unscale = self.code.constant(UNSCALE);
        self.op3(MULPS, r, r, unscale);
        let a = self.with(AND, r, MAGNITUDE);
        let least = self.code.constant(NORMAL_F24);
        let kept = self.compare(NOT_LT, a, least);
        let high = self.code.constant(!0x7f);
        match kept {
            Truth::K(k) => {
                self.code.op3_masked(AND, a, r, high, Mask::zero(k));
                a
            }
            Truth::V(_) => {
                self.op3(AND, r, r, high);
                self.keep_where(kept, r)
            }
        }
    }

    /// Emits a kernel that rounds each of its steps. Temporaries are freed after each step; otherwise the steps would use up all registers.
    fn steps(&mut self, kernel: Kernel, product: Kernel, round: Kernel) -> V {
        if matches!(kernel, Kernel::AddF24 | Kernel::AddFlush) {
            let sum = self.binary(ADDPS);
            return self.round(round, sum);
        }
        if matches!(kernel, Kernel::SubF24 | Kernel::SubFlush) {
            let difference = self.binary(SUBPS);
            return self.round(round, difference);
        }
        let mut sum = self.product_step(product, round, 0, None);
        let mut next = 2;
        if self.operands.len() % 2 == 1 {
            let c = self.src(2);
            self.op3(ADDPS, sum, sum, c);
            sum = self.round(round, sum);
            next = 3;
        }
        for k in (next..self.operands.len()).step_by(2) {
            let product = self.product_step(product, round, k, Some(sum));
            self.op3(ADDPS, product, sum, product);
            sum = self.round(round, product);
        }
        sum
    }

    /// The rounded product of two adjacent operands, while `sum` is kept.
    fn product_step(&mut self, product: Kernel, round: Kernel, k: usize, sum: Option<V>) -> V {
        let product = match product {
            Kernel::MulzInf => self.mulz_inf_product(k, k + 1),
            _ => self.product(k, k + 1),
        };
        let kept = [product, sum.unwrap_or(product)];
        self.end_step(&kept);
        let rounded = self.round_keeping(round, product);
        self.end_step(&[rounded, sum.unwrap_or(rounded)]);
        rounded
    }

    /// Rounds the result of a step; no other temporary is kept.
    fn round(&mut self, round: Kernel, x: V) -> V {
        self.end_step(&[x]);
        let rounded = self.round_keeping(round, x);
        self.end_step(&[rounded]);
        rounded
    }

    /// Rounds `x` without freeing temporaries. `x` belongs to no row, and its register may be overwritten.
    fn round_keeping(&mut self, round: Kernel, x: V) -> V {
        match (round, self.width) {
            (Kernel::RoundF24, _) => self.round_f24(x),
            (Kernel::Flush, Width::Zmm) => {
                let a = self.with(AND, x, MAGNITUDE);
                let sign = self.code.constant(SIGN);
                if let Truth::K(small) = self.below(a, NORMAL) {
                    self.code.op3_masked(AND, x, x, sign, Mask::merge(small));
                }
                x
            }
            _ => self.flush(round, x),
        }
    }

    /// Frees all temporaries except `kept`, and all mask registers except [`ACTIVE`].
    fn end_step(&mut self, kept: &[V]) {
        self.registers.release_all_but(kept);
        self.last_mask = ACTIVE.0;
    }

    fn flush(&mut self, kernel: Kernel, x: V) -> V {
        let a = self.with(AND, x, MAGNITUDE);
        match kernel {
            Kernel::Flush => {
                let small = self.below(a, NORMAL);
                let zero = self.with(AND, x, SIGN);
                self.choose(small, zero, x)
            }
            Kernel::FlushF24 => {
                let small = self.below(a, NORMAL_F24);
                let zero = self.literal(0);
                let some = self.less(zero, a);
                let small = self.and_truths(small, some);
                self.zero_where(small, x)
            }
            Kernel::FlushF24Unsigned => {
                let small = self.below(a, NORMAL_F24);
                self.zero_where(small, x)
            }
            _ => {
                let zero = self.code.constant(0);
                let some = self.compare(NOT_EQ, x, zero);
                self.keep_where(some, x)
            }
        }
    }

    /// Truncates to a signed integer and saturates; NaN gives 0.
    fn trunc_i(&mut self) -> V {
        let a = self.v(0);
        let r = self.temp();
        self.code.op2(self.width, CVTTPS2DQ, r, a);
        let limit = self.code.constant(TWO_TO_31);
        let large = self.compare(GE, a, limit);
        let most = self.code.constant(MAGNITUDE);
        let r = self.choose(large, most, r);
        let number = self.compare(ORDERED, a, a);
        self.keep_where(number, r)
    }

    fn legacy_product(&mut self) -> V {
        let (a, b) = (self.v(0), self.v(1));
        let zero = self.literal(0);
        let (p, q) = (self.compare(NOT_EQ, a, zero), self.compare(NOT_EQ, b, zero));
        let some = self.and_truths(p, q);
        let product = self.product(0, 1);
        self.keep_where(some, product)
    }

    fn mulz_inf_product(&mut self, k: usize, l: usize) -> V {
        let (a, b) = (self.v(k), self.v(l));
        let product = self.product(k, l);
        let nan = self.compare(UNORDERED, product, product);
        let invalid = match nan {
            Truth::K(nan) => {
                let k = self.allocate_mask();
                self.code.compare(CMPPS, k, a, b, ORDERED, Some(nan));
                Truth::K(k)
            }
            Truth::V(_) => {
                let numbers = self.compare(ORDERED, a, b);
                self.and_truths(nan, numbers)
            }
        };
        self.zero_where(invalid, product)
    }

    fn truth(&mut self, predicate: u8) -> V {
        let a = self.v(0);
        let b = self.src(1);
        let truth = self.compare(predicate, a, b);
        self.spread(truth)
    }

    fn int_truth(&mut self, kernel: Kernel) -> V {
        let (mut a, mut b) = (self.v(0), self.v(1));
        if kernel == Kernel::ILtU && self.width == Width::Ymm {
            (a, b) = (self.with(XOR, a, SIGN), self.with(XOR, b, SIGN));
        }
        let truth = match (kernel, self.width) {
            (Kernel::IEq, Width::Zmm) => {
                let k = self.allocate_mask();
                self.code.compare(CMPD_EVEX, k, a, b, INT_EQ, None);
                Truth::K(k)
            }
            (Kernel::IEq, Width::Ymm) => {
                let v = self.temp();
                self.op3(CMPEQD_VEX, v, a, b);
                Truth::V(v)
            }
            (Kernel::ILtU, Width::Zmm) => {
                let k = self.allocate_mask();
                self.code.compare(CMPUD_EVEX, k, a, b, INT_LT, None);
                Truth::K(k)
            }
            _ => self.less(a, b),
        };
        self.spread(truth)
    }

    /// Returns the register with the result of a compiled kernel; it is never the register of an operand. `None` for a kernel that is not compiled.
    pub(super) fn kernel(&mut self, kernel: Kernel) -> Option<V> {
        Some(match kernel {
            Kernel::Copy => {
                let a = self.src(0);
                let dst = self.temp();
                self.code.load(self.width, dst, a);
                dst
            }
            Kernel::Neg => {
                let a = self.v(0);
                self.with(XOR, a, SIGN)
            }
            Kernel::Abs => {
                let a = self.v(0);
                self.with(AND, a, MAGNITUDE)
            }
            Kernel::Sqrt => self.unary(SQRTPS),
            Kernel::Floor => self.rounded(DOWN),
            Kernel::Trunc => self.rounded(TOWARD_ZERO),
            Kernel::RoundEven => self.rounded(NEAREST_EVEN),
            Kernel::NarrowNearest => self.narrow_nearest(),
            Kernel::NarrowZero => self.narrow_zero(INFINITY),
            Kernel::NarrowZeroSaturate => self.narrow_zero(LARGEST),
            Kernel::Flush | Kernel::FlushF24 | Kernel::FlushF24Unsigned | Kernel::FlushSign => {
                let x = self.v(0);
                self.flush(kernel, x)
            }
            Kernel::RoundF24 => {
                let x = self.v(0);
                self.round_f24(x)
            }
            Kernel::TruncI => self.trunc_i(),
            Kernel::ToF => self.unary(CVTDQ2PS),
            Kernel::Bits => {
                let a = self.v(0);
                let nan = self.compare(UNORDERED, a, a);
                let quiet = self.code.constant(QUIET_NAN);
                self.choose(nan, quiet, a)
            }
            Kernel::Not => {
                let a = self.v(0);
                self.with(XOR, a, u32::MAX)
            }
            Kernel::Add => self.binary(ADDPS),
            Kernel::Sub => self.binary(SUBPS),
            Kernel::Mul => self.binary(MULPS),
            Kernel::Div => self.binary(DIVPS),
            Kernel::Min => self.binary(MINPS),
            Kernel::Max => self.binary(MAXPS),
            Kernel::Mulz => self.legacy_product(),
            Kernel::MulzInf => self.mulz_inf_product(0, 1),
            Kernel::Lt => self.truth(LT),
            Kernel::Le => self.truth(LE),
            Kernel::Eq => self.truth(EQ),
            Kernel::IEq | Kernel::ILtS | Kernel::ILtU => self.int_truth(kernel),
            Kernel::IAdd => self.binary(ADDD),
            Kernel::ISub => self.binary(SUBD),
            Kernel::IMul => self.binary(MULLD),
            Kernel::And => self.binary(AND),
            Kernel::Or => self.binary(OR),
            Kernel::Xor => self.binary(XOR),
            Kernel::Shl => self.shift(SHLLVD),
            Kernel::ShrU => self.shift(SHRLVD),
            Kernel::ShrS => self.shift(SHRAVD),
            Kernel::Fma => {
                let (a, b) = (self.v(0), self.v(1));
                let c = self.src(2);
                let dst = self.temp();
                self.code.load(self.width, dst, a);
                self.op3(FMA213PS, dst, b, c);
                dst
            }
            Kernel::Select => self.select_bits(),
            Kernel::MulAdd => {
                let product = self.product(0, 1);
                let c = self.src(2);
                self.op3(ADDPS, product, product, c);
                product
            }
            Kernel::MulSub => {
                let product = self.product(0, 1);
                let c = self.src(2);
                self.op3(SUBPS, product, product, c);
                product
            }
            Kernel::NegMulAdd => {
                let product = self.product(0, 1);
                let c = self.v(2);
                self.op3(SUBPS, product, c, product);
                product
            }
            Kernel::Clamp => {
                let low = self.binary(MAXPS);
                let c = self.src(2);
                self.op3(MINPS, low, low, c);
                low
            }
            Kernel::SelectLt => self.select(LT),
            Kernel::SelectLe => self.select(LE),
            Kernel::SelectEq => self.select(EQ),
            Kernel::Dot2 | Kernel::Dot3 | Kernel::Dot4 => {
                let mut sum = self.product(0, 1);
                for k in (2..self.operands.len()).step_by(2) {
                    sum = self.add_product(sum, k, k + 1);
                }
                sum
            }
            Kernel::Chain2 | Kernel::Chain3 => {
                let mut sum = self.product(0, 1);
                let c = self.src(2);
                self.op3(ADDPS, sum, sum, c);
                for k in (3..self.operands.len()).step_by(2) {
                    sum = self.add_product(sum, k, k + 1);
                }
                sum
            }
            _ => {
                let (product, round) = kernel.rounded()?;
                self.steps(kernel, product, round)
            }
        })
    }

    /// a ? b : c where a is a truth value.
    fn select_bits(&mut self) -> V {
        let (a, no) = (self.v(0), self.v(2));
        let yes = self.src(1);
        match self.width {
            Width::Ymm => {
                let dst = self.temp();
                self.code.op3_imm(self.width, BLENDVPS_VEX, dst, no, yes, a.0 << 4);
                dst
            }
            Width::Zmm => {
                // VPTERNLOGD has the operands A, B, C, of which only the last may be in memory. That is `yes`, so the function is A ? C : B.
                let dst = self.temp();
                self.code.load(self.width, dst, a);
                self.code.op3_imm(self.width, TERNLOGD_EVEX, dst, no, yes, CHOOSE_LAST);
                dst
            }
        }
    }
}

/// The function of VPTERNLOGD that is A ? C : B on each bit, where A, B, C are its operands.
const CHOOSE_LAST: u8 = 0xac;
