//! What the documents leave open.

/// A point on which the sources of an instruction set disagree or are silent.
///
/// The reference takes a default that each instruction set names, offers the alternatives as options, and records which Freedoms a
/// run touched. Touching one excuses nothing: it only says which settings are worth trying on a foreign result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Freedom {
    /// Reciprocal of, or division by, zero.
    ReciprocalOfZero,
    /// Reciprocal square root of zero.
    RsqOfZero,
    /// Square root, reciprocal root or logarithm of a negative number.
    NegativeRoot,
    /// Logarithm of zero.
    LogOfZero,
    /// Power with a negative base.
    NegativeBase,
    /// Minimum or maximum with a NaN operand.
    MinMaxNan,
    /// Saturation of NaN.
    SaturateNan,
    /// Sign of NaN.
    SignOfNan,
    /// Normalising a vector of length zero.
    NormalizeZero,
    /// Zero times infinity or NaN, or times a number of the other sign.
    ZeroTimesInfinity,
    /// A fractional, NaN or huge value used as an index.
    IndexConversion,
    /// An index outside its register file.
    IndexRange,
    /// Equal operands of a strict comparison whose documents disagree about equality.
    GreaterOrEqual,
    /// A derivative whose place in the quad matters.
    DerivativePlace,
    /// A derivative in a quad whose lanes have parted.
    DivergentDerivative,
    /// A register read before it was written.
    Unwritten,
    /// A level-of-detail bias that implementations disagree about applying.
    LodBias,
    /// Minimum or maximum with an infinite operand.
    MinMaxInfinity,
    /// Rounding of a result to the register format, or of a product before it is added.
    Rounding,
    /// A subnormal operand or result.
    Subnormal,
    /// The sign of a zero.
    SignOfZero,
    /// The order in which the products of a dot product are added.
    SummationOrder,
    /// A comparison operator to which no document gives a meaning.
    UndefinedComparison,
    /// The loop register after an inner loop, or where a loop is left early.
    LoopRegister,
    /// A call of no instructions.
    EmptyCall,
    /// Running past the last word of program memory.
    ProgramEnd,
    /// Leaving a loop where there is none.
    StrayBreak,
    /// A comparison with NaN.
    Unordered,
    /// A condition that is neither 0 nor 1.
    Truth,
    /// Timing on which a value depends.
    Latency,
    /// An operation for which the documents give different formulas.
    Formula,
    /// A function that its documents define by approximations that differ.
    Approximation,
    /// A scalar operation whose source names several components.
    ScalarLane,
    /// A discarding instruction whose documents disagree about the components it looks at.
    KillLanes,
    /// A component of a result that the documents leave undefined.
    UndefinedLane,
    /// A number outside the range that a register is sure to hold.
    Range,
    /// An instruction that means something else when it is issued together with another.
    CoIssue,
    /// A loop count outside its legal range.
    LoopCount,
    /// A power with exponent zero.
    ZeroExponent,
    /// A power of zero, or of infinity.
    ZeroBase,
    /// A register that an earlier instruction used as scratch.
    Scratch,
    /// Sine and cosine of an angle beyond the range that documents allow.
    AngleRange,
    /// A rule that not everybody enforces: what a choice of the validator is about. No run touches it.
    Strictness,
    /// A texture of another dimension than the read that it is bound for.
    TextureDimension,
}

impl Freedom {
    /// Every Freedom, in declaration order.
    pub const ALL: [Freedom; 44] = [
        Freedom::ReciprocalOfZero,
        Freedom::RsqOfZero,
        Freedom::NegativeRoot,
        Freedom::LogOfZero,
        Freedom::NegativeBase,
        Freedom::MinMaxNan,
        Freedom::SaturateNan,
        Freedom::SignOfNan,
        Freedom::NormalizeZero,
        Freedom::ZeroTimesInfinity,
        Freedom::IndexConversion,
        Freedom::IndexRange,
        Freedom::GreaterOrEqual,
        Freedom::DerivativePlace,
        Freedom::DivergentDerivative,
        Freedom::Unwritten,
        Freedom::LodBias,
        Freedom::MinMaxInfinity,
        Freedom::Rounding,
        Freedom::Subnormal,
        Freedom::SignOfZero,
        Freedom::SummationOrder,
        Freedom::UndefinedComparison,
        Freedom::LoopRegister,
        Freedom::EmptyCall,
        Freedom::ProgramEnd,
        Freedom::StrayBreak,
        Freedom::Unordered,
        Freedom::Truth,
        Freedom::Latency,
        Freedom::Formula,
        Freedom::Approximation,
        Freedom::ScalarLane,
        Freedom::KillLanes,
        Freedom::UndefinedLane,
        Freedom::Range,
        Freedom::CoIssue,
        Freedom::LoopCount,
        Freedom::ZeroExponent,
        Freedom::ZeroBase,
        Freedom::Scratch,
        Freedom::AngleRange,
        Freedom::Strictness,
        Freedom::TextureDimension,
    ];
}

/// A set of Freedoms, as touched by a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FreedomSet(u64);

impl FreedomSet {
    /// Adds `freedom` when `when` holds.
    #[inline(always)]
    pub fn touch(&mut self, freedom: Freedom, when: bool) {
        self.0 |= u64::from(when) << freedom as u8;
    }

    /// Whether `freedom` was touched.
    pub fn contains(self, freedom: Freedom) -> bool {
        self.0 >> freedom as u8 & 1 == 1
    }

    /// Whether nothing was touched.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members, in declaration order.
    pub fn iter(self) -> impl Iterator<Item = Freedom> {
        Freedom::ALL.into_iter().filter(move |&f| self.contains(f))
    }

    /// Everything in either set.
    pub fn union(self, other: FreedomSet) -> FreedomSet {
        FreedomSet(self.0 | other.0)
    }
}
