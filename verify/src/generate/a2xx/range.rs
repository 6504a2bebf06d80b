//! Value ranges: the result range of each operation for ordinary inputs, and the operand ranges that operations prefer.
//!
//! These ranges are written by hand. Ranges derived from the reference instead gave equally good programs (1.2 % NaN instead of 1.3, 79.2 % of
//! instructions live either way), but the covering array then had 1,652 obligations instead of 1,671 and no live `no_serial=on`.

use crate::generate::range;
use lockstep_core::isa::a2xx::opcode::{ScalarOp, VectorOp};

pub(super) use crate::generate::range::{PreferredRange, hull};
/// The range of a value in a program of A2xx.
pub(super) type Range = range::Range<1_000_000_000_000>;

/// The limit for terms of a sum: next to larger terms, other terms would be lost in rounding.
const LARGE: f32 = 1e5;
/// The limit for factors of a product.
pub(super) const MAX_FACTOR: f32 = 512.0;
/// The limit for values that are carried from one loop iteration to the next. The limit is low, because such a value may be used in every iteration.
pub(super) const MAX_LOOP_CARRIED: f32 = 32.0;
/// The preference for a value small enough to be a factor of a product.
pub(super) const MODERATE: PreferredRange = PreferredRange::of_size(MAX_FACTOR);

/// Returns the range after the sign is cleared, flipped, or both.
pub(super) fn signed(range: Range, absolute: bool, negated: bool) -> Range {
    let r = if absolute {
        let low =
            if range.low <= 0.0 && range.high >= 0.0 { 0.0 } else { range.low.abs().min(range.high.abs()) };
        Range { low, high: range.size(), ..range }
    } else {
        range
    };
    if negated { r.negated() } else { r }
}

fn clamped(range: Range) -> Range {
    // Values outside 0 to 1 are clamped to 0 or 1.
    let varies = range.varies && range.low >= -0.5 && range.high <= 1.5;
    Range { low: 0.0, high: 1.0, varies, discrete: range.discrete || !varies }
}

/// Returns the range after the clamp of a slot's vector or scalar half, if the clamp is on.
pub(super) fn clamp(range: Range, on: bool) -> Range {
    if on { clamped(range) } else { range }
}

fn whole(x: Range) -> Range {
    Range { discrete: true, ..Range::between(x.low - 1.0, x.high + 1.0, x.varies) }
}

/// Returns the range of component `c` of the vector result. The operand ranges are those of their component `c`, or the hull of all components that
/// are used if the operation mixes components.
pub(super) fn vector(op: VectorOp, c: usize, [x, y, z]: [Range; 3]) -> Range {
    use VectorOp::{
        Add, Cnde, Cndgt, Cndgte, Cube, Dot2add, Dot3, Dot4, Dst, Floor, Frac, Max, Max4, Min, Mova, Mul,
        Muladd, Sete, Setgt, Setgte, Setne, Trunc,
    };
    match op {
        Add => x.sum(y),
        Mul => x.product(y),
        Max | Mova => x.larger(y),
        Min => x.smaller(y),
        Sete | Setgt | Setgte | Setne => Range::TRUTH,
        _ if op.kills() => Range::TRUTH,
        Frac => Range::between(0.0, 1.0, x.varies && !x.discrete),
        Trunc | Floor => whole(x),
        Muladd => x.product(y).sum(z),
        Cnde => Range { varies: z.varies, ..y.or(z) },
        Cndgte | Cndgt => y.or(z),
        Dot4 | Dot3 => Range::around(4.0 * x.size().max(1.0) * y.size(), x.varies || y.varies),
        Dot2add => {
            Range::around(2.0 * x.size().max(1.0) * y.size() + z.size(), x.varies || y.varies || z.varies)
        }
        Cube if c == 3 => Range { high: 5.0, ..Range::TRUTH },
        Cube => Range::around(2.0 * x.size(), x.varies),
        Max4 => x,
        _ if op.sets_predicate() => {
            Range { low: x.low.min(0.0), high: x.high.max(0.0) + 1.0, varies: x.varies, discrete: true }
        }
        Dst => match c {
            0 => Range { low: 1.0, ..Range::TRUTH },
            1 => x.product(y),
            2 => x,
            _ => y,
        },
        _ => Range::UNKNOWN,
    }
}

/// Returns the range of the scalar result, from its operands and the previous scalar.
pub(super) fn scalar(op: ScalarOp, [x, y]: [Range; 2], previous: Range) -> Range {
    use ScalarOp::{
        AddConst0, AddConst1, AddPrevs, Adds, Cos, ExpIeee, Floors, Fracs, LogClamp, LogIeee, Maxs, Mins,
        MovaFloors, Movas, MulConst0, MulConst1, MulPrev2s, MulPrevs, Muls, PredSetClrs, PredSetInvs,
        PredSetPops, PredSetRestores, RecipClamp, RecipFf, RecipIeee, RecipsqClamp, RecipsqFf, RecipsqIeee,
        RetainPrev, Sin, SqrtIeee, SubConst0, SubConst1, SubPrevs, Subs, Truncs,
    };
    match op {
        Adds | AddConst0 | AddConst1 => x.sum(y),
        Subs | SubConst0 | SubConst1 => x.sum(y.negated()),
        AddPrevs => x.sum(previous),
        SubPrevs => x.sum(previous.negated()),
        Muls | MulConst0 | MulConst1 => x.product(y),
        MulPrevs => x.product(previous),
        // The result may be the lowest finite number: for example, if the second operand is not positive.
        MulPrev2s => Range::UNKNOWN,
        Maxs | Movas | MovaFloors => x.larger(y),
        Mins => x.smaller(y),
        Fracs => Range::between(0.0, 1.0, x.varies && !x.discrete),
        Truncs | Floors => whole(x),
        ExpIeee => Range::between(0.0, x.high.min(60.0).exp2(), x.varies),
        LogClamp | LogIeee => Range::around(64.0, x.varies),
        // A reciprocal of a number near zero may have any size, but mostly is moderate.
        RecipClamp | RecipFf | RecipIeee => Range::around(1024.0, x.varies),
        RecipsqClamp | RecipsqFf | RecipsqIeee => Range::between(0.0, 1024.0, x.varies),
        SqrtIeee => Range::between(0.0, x.high.max(1.0), x.varies),
        Sin | Cos => Range::around(1.0, x.varies),
        PredSetClrs => Range { low: f32::MAX, high: f32::MAX, varies: false, discrete: true },
        PredSetInvs | PredSetPops | PredSetRestores => {
            Range { low: x.low.min(0.0) - 1.0, high: x.high.max(1.0), varies: x.varies, discrete: true }
        }
        RetainPrev => previous,
        _ => Range::TRUTH,
    }
}

/// Returns the range that a vector operation prefers for operand `at`, from 0.
pub(super) fn vector_preference(op: VectorOp, at: usize) -> PreferredRange {
    use VectorOp::{Add, Floor, Max, Min, Mova, Muladd, Trunc};
    let most = match op {
        Add | Max | Min | Floor | Trunc => LARGE,
        Muladd if at == 2 => LARGE,
        Mova => 24.0,
        _ => MAX_FACTOR,
    };
    let order = op as u8 >= VectorOp::Sete as u8 && op as u8 <= VectorOp::Setne as u8
        || op.sets_predicate()
        || op.kills();
    let chooses = op.sources() == 3 && !matches!(op, Muladd | VectorOp::Dot2add) && at == 0;
    PreferredRange { varies: order && at == 0 || op == Mova || chooses, ..PreferredRange::of_size(most) }
}

/// Returns the range that a scalar operation prefers for its operands.
pub(super) fn scalar_preference(op: ScalarOp) -> PreferredRange {
    use ScalarOp::{
        Cos, ExpIeee, LogClamp, LogIeee, MovaFloors, Movas, RecipClamp, RecipFf, RecipIeee, RecipsqClamp,
        RecipsqFf, RecipsqIeee, Sin, SqrtIeee,
    };
    match op {
        LogClamp | LogIeee | RecipsqClamp | RecipsqFf | RecipsqIeee => {
            PreferredRange { nonzero: true, ..MODERATE.positive() }
        }
        SqrtIeee => MODERATE.positive(),
        RecipClamp | RecipFf | RecipIeee => PreferredRange { nonzero: true, ..MODERATE },
        ExpIeee => PreferredRange::of_size(16.0),
        Sin | Cos => PreferredRange::of_size(1024.0),
        Movas | MovaFloors => PreferredRange { varies: true, ..PreferredRange::of_size(24.0) },
        _ => PreferredRange { varies: op.sets_predicate() || op.kills(), ..MODERATE },
    }
}
