//! The instructions of a plan.

use super::RowIndex;

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident = $operands:literal $(+ $pooled:literal)?,)*) => {
        /// An operation on each lane. The kernels' descriptions call the operands in [`Inst::src`] a, b, c and d, those in the pool p0, p1 and so on,
        /// and the immediate [`Inst::imm`] `imm`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kernel {
            $($(#[$doc])* $name,)*
        }

        impl Kernel {
            /// Every kernel.
            pub const ALL: &'static [Kernel] = &[$(Kernel::$name),*];

            /// The number of operands in [`Inst::src`].
            #[inline]
            pub fn operands(self) -> usize {
                const TABLE: [u8; Kernel::ALL.len()] = [$($operands),*];
                usize::from(TABLE[self as usize])
            }

            /// The number of operands in the pool; `None` if the number varies or the kernel has none there.
            #[inline]
            pub fn pooled(self) -> Option<usize> {
                const TABLE: [u8; Kernel::ALL.len()] = [$(0 $(+ $pooled)?),*];
                Some(usize::from(TABLE[self as usize])).filter(|&n| n > 0)
            }
        }
    };
}

kernels! {
    /// a.
    Copy = 1,
    /// -a.
    Neg = 1,
    /// |a|.
    Abs = 1,
    /// Square root.
    Sqrt = 1,
    /// The largest integer not above a.
    Floor = 1,
    /// a rounded to an integer toward zero.
    Trunc = 1,
    /// The nearest integer, ties to even.
    RoundEven = 1,
    /// 2 to the power a.
    Exp2 = 1,
    /// Logarithm to base 2.
    Log2 = 1,
    /// Sine.
    Sin = 1,
    /// Cosine.
    Cos = 1,
    /// a rounded to f24, to nearest, ties to even.
    NarrowNearest = 1,
    /// a rounded to f24 toward zero; overflow gives infinity.
    NarrowZero = 1,
    /// a rounded to f24 toward zero; overflow gives the largest number.
    NarrowZeroSaturate = 1,
    /// Replaces subnormals by zero of the same sign.
    Flush = 1,
    /// Replaces nonzero numbers of magnitude below 2^-62, the subnormals of f24, by +0; zeros keep their sign.
    FlushF24 = 1,
    /// Replaces numbers of magnitude below 2^-62, including zeros, by +0.
    FlushF24Unsigned = 1,
    /// Replaces zeros by +0.
    FlushSign = 1,
    /// Truncates to a signed integer and saturates; NaN gives 0.
    TruncI = 1,
    /// Converts a signed integer to a float.
    ToF = 1,
    /// The bits of a float; NaNs are canonicalised.
    Bits = 1,
    /// Bitwise NOT; negation of a Bool.
    Not = 1,
    /// a + b.
    Add = 2,
    /// a - b.
    Sub = 2,
    /// a * b.
    Mul = 2,
    /// a / b.
    Div = 2,
    /// a < b ? a : b.
    Min = 2,
    /// a > b ? a : b.
    Max = 2,
    /// Legacy product: +0 if a or b is zero, otherwise a * b.
    Mulz = 2,
    /// a * b, except that zero times infinity is +0.
    MulzInf = 2,
    /// a < b.
    Lt = 2,
    /// a <= b.
    Le = 2,
    /// a == b.
    Eq = 2,
    /// a == b on integers.
    IEq = 2,
    /// a < b, signed.
    ILtS = 2,
    /// a < b, unsigned.
    ILtU = 2,
    /// a + b, wrapping.
    IAdd = 2,
    /// a - b, wrapping.
    ISub = 2,
    /// a * b, wrapping.
    IMul = 2,
    /// a AND b, bitwise; also on Bools.
    And = 2,
    /// a OR b.
    Or = 2,
    /// a XOR b.
    Xor = 2,
    /// a << (b mod 32).
    Shl = 2,
    /// a >> (b mod 32), filled with zeros.
    ShrU = 2,
    /// a >> (b mod 32), filled with the sign.
    ShrS = 2,
    /// a * b + c, rounded once.
    Fma = 3,
    /// a ? b : c.
    Select = 3,
    /// a * b + c, rounded twice.
    MulAdd = 3,
    /// a * b - c, rounded twice.
    MulSub = 3,
    /// c - a * b, rounded twice.
    NegMulAdd = 3,
    /// Min(Max(a, b), c).
    Clamp = 3,
    /// a < b ? c : d.
    SelectLt = 4,
    /// a <= b ? c : d.
    SelectLe = 4,
    /// a == b ? c : d.
    SelectEq = 4,
    /// a * b + c * d, rounded three times.
    Dot2 = 4,
    /// p0 * p1 + p2 * p3 + p4 * p5, added from left to right, each step rounded.
    Dot3 = 0 + 6,
    /// p0 * p1 + p2 * p3 + p4 * p5 + p6 * p7, added from left to right, each step rounded.
    Dot4 = 0 + 8,
    /// (p0 * p1 + p2) + p3 * p4, each step rounded: a multiply-add to which one more product is added.
    Chain2 = 0 + 5,
    /// ((p0 * p1 + p2) + p3 * p4) + p5 * p6, each step rounded: a multiply-add to which two more products are added.
    Chain3 = 0 + 7,
    /// `FlushF24Unsigned` of `NarrowZero` of a.
    RoundF24 = 1,
    /// `RoundF24` of a + b.
    AddF24 = 2,
    /// `RoundF24` of a - b.
    SubF24 = 2,
    /// `RoundF24` of `MulzInf`.
    MulF24 = 2,
    /// As `MulAdd`, each step rounded like `MulF24` and `AddF24`.
    MulAddF24 = 3,
    /// As `Dot2`, each step rounded like `MulF24` and `AddF24`.
    Dot2F24 = 4,
    /// As `Dot3`, each step rounded like `MulF24` and `AddF24`.
    Dot3F24 = 0 + 6,
    /// As `Dot4`, each step rounded like `MulF24` and `AddF24`.
    Dot4F24 = 0 + 8,
    /// As `Chain2`, each step rounded like `MulF24` and `AddF24`.
    Chain2F24 = 0 + 5,
    /// As `Chain3`, each step rounded like `MulF24` and `AddF24`.
    Chain3F24 = 0 + 7,
    /// `Flush` of a + b.
    AddFlush = 2,
    /// `Flush` of a - b.
    SubFlush = 2,
    /// `Flush` of a * b.
    MulFlush = 2,
    /// As `MulAdd`, each step flushed as in `MulFlush` and `AddFlush`.
    MulAddFlush = 3,
    /// As `Dot2`, each step flushed as in `MulFlush` and `AddFlush`.
    Dot2Flush = 4,
    /// As `Dot3`, each step flushed as in `MulFlush` and `AddFlush`.
    Dot3Flush = 0 + 6,
    /// As `Dot4`, each step flushed as in `MulFlush` and `AddFlush`.
    Dot4Flush = 0 + 8,
    /// As `Chain2`, each step flushed as in `MulFlush` and `AddFlush`.
    Chain2Flush = 0 + 5,
    /// As `Chain3`, each step flushed as in `MulFlush` and `AddFlush`.
    Chain3Flush = 0 + 7,
    /// Inverts the bits that are set in `imm`, in the result row, for the lanes of the mask in `src[0]` (low half) and `src[1]`.
    /// [`crate::exec::Plan::plant`] inserts it.
    Flip = 0,

    /// Component `imm` of slot a of the float constant file; 0 outside it.
    UniformAt = 1,
    /// Element a of array `imm`; 0 outside it.
    Load = 1,
    /// Sets element a of array `imm` to b; no effect outside the array.
    Store = 2,
    /// a in another lane of the quad, whether that lane runs or not: lane k of the quad takes the lane in bits 2k and 2k + 1 of `imm`. a is an input.
    QuadInput = 1,
    /// The difference between the neighbours in x; each row of the quad has its own.
    DdxFine = 1,
    /// The difference between the neighbours in x of the upper row, for all lanes of the quad.
    DdxCoarse = 1,
    /// The difference between the neighbours in y; each column of the quad has its own.
    DdyFine = 1,
    /// The difference between the neighbours in y of the left column, for all lanes of the quad.
    DdyCoarse = 1,
    /// Texture read with declaration `imm`. The pool contains three coordinates, the operands for the level of detail, and four result rows.
    Sample = 0,
    /// Buffer read with table entry `imm`, of element a. The pool contains four result rows.
    Fetch = 1,
    /// Consumes `imm` units of fuel; a lane that has fewer units left ends: it is out of fuel.
    Fuel = 0,
    /// Marks the lanes in which a holds as killed.
    Kill = 1,
    /// Appends an effect with table entry `imm`. The pool contains whether the effect happens, and four values.
    Effect = 0 + 5,
}

impl Kernel {
    /// Whether the kernel writes the row [`Inst::dst`].
    #[inline]
    pub fn has_row(self) -> bool {
        !matches!(
            self,
            Kernel::Store | Kernel::Sample | Kernel::Fetch | Kernel::Fuel | Kernel::Kill | Kernel::Effect
        )
    }

    /// Whether the kernel is a comparison, which always gives a Bool. Other kernels, such as `And`, give a Bool for some operands.
    pub fn is_truth(self) -> bool {
        matches!(self, Kernel::Lt | Kernel::Le | Kernel::Eq | Kernel::IEq | Kernel::ILtS | Kernel::ILtU)
    }

    /// For a kernel that rounds or flushes the result of each of its steps: returns the kernel that computes its products and the kernel that rounds
    /// or flushes them.
    #[inline]
    pub fn rounded(self) -> Option<(Kernel, Kernel)> {
        let among = |first: Kernel, last: Kernel| (first..=last).contains(&self);
        if among(Kernel::AddF24, Kernel::Chain3F24) {
            Some((Kernel::MulzInf, Kernel::RoundF24))
        } else if among(Kernel::AddFlush, Kernel::Chain3Flush) {
            Some((Kernel::Mul, Kernel::Flush))
        } else {
            None
        }
    }

    /// Whether each lane's result depends only on that lane's operands.
    #[inline]
    pub fn is_lane_wise(self) -> bool {
        (self as u8) < Kernel::Flip as u8
    }
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inst {
    /// The operation.
    pub kernel: Kernel,
    /// Whether `dst` is the row of a variable. In this case inactive lanes keep their values.
    pub masked: bool,
    /// Whether the result is a Bool.
    pub truth: bool,
    /// Number of entries in the pool. The entries start at `imm` for lane-wise kernels and at `src[1]` for the others.
    pub n: u8,
    /// The destination row.
    pub dst: RowIndex,
    /// The rows of the operands. Elements that are not operands are 0, or contain the mask of [`Kernel::Flip`] or the start of the entries in the
    /// pool.
    pub src: [RowIndex; 4],
    /// The immediate, the index of a table entry, or the start of the entries in the pool.
    pub imm: u32,
}

impl Inst {
    /// The range of the instruction's entries in [`super::Plan::pool`].
    #[inline]
    pub fn pool_range(&self) -> std::ops::Range<usize> {
        let start = if self.kernel.is_lane_wise() { self.imm } else { self.src[1] } as usize;
        if self.n == 0 { 0..0 } else { start..start + self.n as usize }
    }
}
