//! Freedoms: points of an instruction set's semantics that its documents leave open.

/// A point on which the sources of an instruction set disagree or are silent.
///
/// For each Freedom, the reference has a default, which the instruction set defines, and offers the alternatives as options. The reference records
/// which Freedoms a run *touches*: those whose alternatives might change a result. A touched Freedom does not excuse a difference. The record only
/// shows which option settings may explain the results of another implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Freedom {
    /// The reciprocal of zero, or a division by zero.
    ReciprocalOfZero,
    /// The reciprocal square root of zero.
    RsqOfZero,
    /// The square root, reciprocal square root or logarithm of a negative number.
    NegativeRoot,
    /// The logarithm of zero.
    LogOfZero,
    /// A power with a negative base.
    NegativeBase,
    /// A minimum or maximum with a NaN operand.
    MinMaxNan,
    /// The saturation of NaN.
    SaturateNan,
    /// The result of the sign function for NaN.
    SignOfNan,
    /// The normalisation of a vector of length zero.
    NormalizeZero,
    /// Zero times infinity or NaN, or times a negative number.
    ZeroTimesInfinity,
    /// A fractional, NaN or huge value used as an index.
    IndexConversion,
    /// An index outside its register file.
    IndexRange,
    /// Equal operands of a comparison for which the documents disagree about equality.
    GreaterOrEqual,
    /// A derivative that depends on the lane's position in the quad.
    DerivativePlace,
    /// A derivative in a quad whose lanes have diverged.
    DivergentDerivative,
    /// A read of a register that was not written before.
    Unwritten,
    /// A level-of-detail bias that some implementations do not apply.
    LodBias,
    /// A minimum or maximum with an infinite operand.
    MinMaxInfinity,
    /// The rounding of a result to the register format, or of a product before it is added.
    Rounding,
    /// A subnormal operand or result.
    Subnormal,
    /// The sign of a zero.
    SignOfZero,
    /// The order in which the products of a dot product are added.
    SummationOrder,
    /// A comparison operator that no document defines.
    UndefinedComparison,
    /// The loop register after an inner loop, or after leaving a loop early.
    LoopRegister,
    /// A call with an instruction count of zero.
    EmptyCall,
    /// Execution past the last word of program memory.
    ProgramEnd,
    /// An instruction that leaves a loop, outside any loop.
    StrayBreak,
    /// A comparison with NaN.
    Unordered,
    /// A condition that is neither 0 nor 1.
    Truth,
    /// A value that depends on timing.
    Latency,
    /// An operation for which the documents give different formulas.
    Formula,
    /// A function that the documents define by approximations that differ.
    Approximation,
    /// A scalar operation whose source names several components.
    ScalarLane,
    /// A discarding instruction for which the documents disagree about the components that it tests.
    KillLanes,
    /// A component of a result that the documents leave undefined.
    UndefinedLane,
    /// A number outside the guaranteed range of a register.
    Range,
    /// An instruction whose meaning changes when it is co-issued with another.
    CoIssue,
    /// A loop count outside its legal range.
    LoopCount,
    /// A power with exponent zero.
    ZeroExponent,
    /// A power of zero, or of infinity.
    ZeroBase,
    /// A register that an earlier instruction used as scratch storage.
    Scratch,
    /// The sine or cosine of an angle beyond the documented range.
    AngleRange,
    /// A rule that some implementations do not enforce. This Freedom belongs to options of the validator; no run touches it.
    Strictness,
    /// A texture whose dimension differs from that of the read.
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

/// A set of Freedoms, such as those that a run touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FreedomSet(u64);

impl FreedomSet {
    /// Adds `freedom` if `when` holds.
    #[inline(always)]
    pub fn record(&mut self, freedom: Freedom, when: bool) {
        self.0 |= u64::from(when) << freedom as u8;
    }

    /// Whether `freedom` is a member.
    pub fn contains(self, freedom: Freedom) -> bool {
        self.0 >> freedom as u8 & 1 == 1
    }

    /// Whether the set has no members.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members, in declaration order.
    pub fn iter(self) -> impl Iterator<Item = Freedom> {
        Freedom::ALL.into_iter().filter(move |&f| self.contains(f))
    }

    /// The union of both sets.
    pub fn union(self, other: FreedomSet) -> FreedomSet {
        FreedomSet(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_contains_what_either_set_contains() {
        let set = |all: &[Freedom]| {
            let mut set = FreedomSet::default();
            for freedom in all {
                set.record(*freedom, true);
            }
            set
        };
        for a in Freedom::ALL {
            for b in Freedom::ALL {
                let both = set(&[a, b]);
                for (left, right) in
                    [(set(&[a]), set(&[b])), (both, set(&[b])), (set(&[a]), both), (both, both)]
                {
                    assert_eq!(left.union(right), both, "{a:?} and {b:?}");
                }
                let found: Vec<Freedom> = both.iter().collect();
                assert_eq!(found.len(), if a == b { 1 } else { 2 });
                assert!(found.contains(&a) && found.contains(&b));
            }
        }
    }
}
