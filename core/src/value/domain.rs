//! The operations with which semantics are written.

use super::Narrow;

/// One-operand floating-point operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FUn {
    /// Flips the sign, also of NaN and zero.
    Neg,
    /// Clears the sign.
    Abs,
    /// IEEE square root, to nearest even. A negative number gives NaN, -0 gives -0.
    Sqrt,
    /// The largest integer not above the operand. Zeros, infinities and NaN are kept.
    Floor,
    /// The operand rounded to an integer toward zero.
    Trunc,
    /// The nearest integer, ties to even.
    RoundEven,
    /// 2 to the power of the operand, correctly rounded.
    Exp2,
    /// Logarithm to base 2, correctly rounded. Either zero gives -infinity, a negative operand NaN.
    Log2,
    /// Sine of an angle in radians, correctly rounded. An infinity gives NaN.
    Sin,
    /// Cosine of an angle in radians, correctly rounded. An infinity gives NaN.
    Cos,
    /// The operand rounded to a shorter format and kept as binary32.
    Narrow(Narrow),
}

/// Two-operand floating-point operations: IEEE binary32, nearest even, subnormals kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FBin {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Quotient.
    Div,
}

/// IEEE comparisons. A comparison is false if either operand is NaN; zeros of either sign are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FCmp {
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Equal.
    Eq,
}

/// Two-operand operations on wrapping 32-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IBin {
    /// Wrapping sum.
    Add,
    /// Wrapping difference.
    Sub,
    /// Wrapping product: the low 32 bits.
    Mul,
    /// Bitwise AND.
    And,
    /// Bitwise OR.
    Or,
    /// Bitwise exclusive OR.
    Xor,
    /// Left shift by the low five bits of the second operand.
    Shl,
    /// Logical right shift by the low five bits of the second operand.
    ShrU,
    /// Arithmetic right shift by the low five bits of the second operand.
    ShrS,
}

impl IBin {
    /// All operations, in order of declaration.
    pub const ALL: [IBin; 9] =
        [IBin::Add, IBin::Sub, IBin::Mul, IBin::And, IBin::Or, IBin::Xor, IBin::Shl, IBin::ShrU, IBin::ShrS];
}

/// Integer comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ICmp {
    /// Equal.
    Eq,
    /// Signed less.
    LtS,
    /// Unsigned less.
    LtU,
}

/// Two-operand operations on truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BBin {
    /// Logical AND.
    And,
    /// Logical OR.
    Or,
    /// Exclusive OR.
    Xor,
}

/// A representation of values on which semantics can be run: numbers, sets of numbers, or terms of a solver.
///
/// The trait deliberately lacks minimum, maximum, saturation, dot products, legacy multiplication, textures, and the recording of points that
/// documents leave open. Instruction sets differ in these, and an error in a helper that both the reference and the lowering use could not be found
/// by comparing them.
pub trait Domain: Clone + std::fmt::Debug {
    /// A binary32 number.
    type F: Clone + std::fmt::Debug;
    /// A truth value.
    type B: Clone + std::fmt::Debug;
    /// A wrapping 32-bit integer.
    type I: Clone + std::fmt::Debug;

    /// The float literal `v`. The sign and payload of a NaN have no effect, because NaNs are never distinguished.
    fn f(&self, v: f32) -> Self::F;
    /// The integer literal `v`.
    fn i(&self, v: i32) -> Self::I;
    /// The truth literal `v`.
    fn b(&self, v: bool) -> Self::B;

    /// One-operand arithmetic.
    fn un(&self, op: FUn, a: &Self::F) -> Self::F;
    /// Two-operand arithmetic.
    fn bin(&self, op: FBin, a: &Self::F, b: &Self::F) -> Self::F;
    /// `a * b + c` with one rounding.
    fn fma(&self, a: &Self::F, b: &Self::F, c: &Self::F) -> Self::F;
    /// Comparison of floats.
    fn cmp(&self, op: FCmp, a: &Self::F, b: &Self::F) -> Self::B;

    /// Integer arithmetic.
    fn ibin(&self, op: IBin, a: &Self::I, b: &Self::I) -> Self::I;
    /// Comparison of integers.
    fn icmp(&self, op: ICmp, a: &Self::I, b: &Self::I) -> Self::B;
    /// Two-operand logic.
    fn logic(&self, op: BBin, a: &Self::B, b: &Self::B) -> Self::B;
    /// Negation of a truth value.
    fn not(&self, a: &Self::B) -> Self::B;

    /// Truncates toward zero to a signed integer and saturates; NaN gives 0.
    fn trunc_i(&self, a: &Self::F) -> Self::I;
    /// Conversion from a signed integer, nearest even.
    fn to_f(&self, a: &Self::I) -> Self::F;
    /// The bits of a float. NaN gives [`super::CANONICAL_NAN`].
    fn bits(&self, a: &Self::F) -> Self::I;
    /// Returns the float with these bits.
    fn from_bits(&self, a: &Self::I) -> Self::F;

    /// `c ? a : b`.
    fn sel(&self, c: &Self::B, a: &Self::F, b: &Self::F) -> Self::F;
    /// `c ? a : b`.
    fn sel_i(&self, c: &Self::B, a: &Self::I, b: &Self::I) -> Self::I;
    /// `c ? a : b`.
    fn sel_b(&self, c: &Self::B, a: &Self::B, b: &Self::B) -> Self::B;

    /// Returns the float if it is known to be the same for every input.
    fn known_f(&self, a: &Self::F) -> Option<f32>;
    /// Returns the integer if it is known to be the same for every input.
    fn known_i(&self, a: &Self::I) -> Option<i32>;
    /// Returns the truth value if it is known to be the same for every input.
    fn known_b(&self, a: &Self::B) -> Option<bool>;

    /// Returns the direction of a branch on a truth value. On numbers the direction is the truth value itself. On sets and terms, the direction for
    /// an unknown truth value is the one that the path being explored prescribes.
    fn decide(&mut self, a: &Self::B) -> bool;

    // Abbreviations for combinations of the operations above.

    /// `-a`.
    #[inline(always)]
    fn neg(&self, a: &Self::F) -> Self::F {
        self.un(FUn::Neg, a)
    }
    /// `|a|`.
    #[inline(always)]
    fn abs(&self, a: &Self::F) -> Self::F {
        self.un(FUn::Abs, a)
    }
    /// `a + b`.
    #[inline(always)]
    fn add(&self, a: &Self::F, b: &Self::F) -> Self::F {
        self.bin(FBin::Add, a, b)
    }
    /// `a + (-b)`, which is IEEE subtraction.
    #[inline(always)]
    fn sub(&self, a: &Self::F, b: &Self::F) -> Self::F {
        self.bin(FBin::Add, a, &self.un(FUn::Neg, b))
    }
    /// `a * b`.
    #[inline(always)]
    fn mul(&self, a: &Self::F, b: &Self::F) -> Self::F {
        self.bin(FBin::Mul, a, b)
    }
    /// `a / b`.
    #[inline(always)]
    fn div(&self, a: &Self::F, b: &Self::F) -> Self::F {
        self.bin(FBin::Div, a, b)
    }
    /// `a < b`.
    #[inline(always)]
    fn lt(&self, a: &Self::F, b: &Self::F) -> Self::B {
        self.cmp(FCmp::Lt, a, b)
    }
    /// `a <= b`.
    #[inline(always)]
    fn le(&self, a: &Self::F, b: &Self::F) -> Self::B {
        self.cmp(FCmp::Le, a, b)
    }
    /// `a == b`.
    #[inline(always)]
    fn eq(&self, a: &Self::F, b: &Self::F) -> Self::B {
        self.cmp(FCmp::Eq, a, b)
    }
    /// Logical AND.
    #[inline(always)]
    fn and(&self, a: &Self::B, b: &Self::B) -> Self::B {
        self.logic(BBin::And, a, b)
    }
    /// Logical OR.
    #[inline(always)]
    fn or(&self, a: &Self::B, b: &Self::B) -> Self::B {
        self.logic(BBin::Or, a, b)
    }
    /// Whether the value is NaN.
    #[inline(always)]
    fn is_nan(&self, a: &Self::F) -> Self::B {
        self.not(&self.cmp(FCmp::Eq, a, a))
    }
    /// Whether the value is anything but +0. The choices of an option about products with a zero factor can differ only if this holds for the IEEE
    /// product.
    #[inline(always)]
    fn is_not_plus_zero(&self, a: &Self::F) -> Self::B {
        self.not(&self.icmp(ICmp::Eq, &self.bits(a), &self.i(0)))
    }
    /// Whether the sign bit is set, as in -0. NaN counts as positive.
    #[inline(always)]
    fn is_signed(&self, a: &Self::F) -> Self::B {
        self.icmp(ICmp::LtS, &self.bits(a), &self.i(0))
    }
}
