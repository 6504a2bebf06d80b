//! What is known of a value while a program is being built: where it lies if the inputs are ordinary.
//!
//! Only the generator's taste depends on this. It keeps numbers from running off to infinity and NaN, which would make all lanes alike
//! and hide what an instruction did.

use crate::generate::value::ORDINARY;
use lockstep_core::isa::a2xx::opcode::{ScalarOp, VectorOp};

/// Where a value lies, for ordinary inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) low: f32,
    pub(super) high: f32,
    /// Whether lanes can be told apart by it.
    pub(super) varies: bool,
    /// Whether it is likely to be zero or one of few values.
    pub(super) discrete: bool,
}

/// What cannot be said to be smaller.
const WIDE: f32 = 1e12;
/// Terms stay below this: beside larger ones the others are lost in rounding.
const LARGE: f32 = 1e5;
/// Factors stay below this.
pub(super) const TAME: f32 = 512.0;
/// What goes round stays below this, so that it may be used again and again.
pub(super) const CALM: f32 = 32.0;

impl Range {
    pub(super) const ZERO: Range = Range { low: 0.0, high: 0.0, varies: false, discrete: true };
    /// An input of a lane.
    pub(super) const INPUT: Range = Range { low: -ORDINARY, high: ORDINARY, varies: true, discrete: false };
    /// A constant.
    pub(super) const CONSTANT: Range =
        Range { low: -ORDINARY, high: ORDINARY, varies: false, discrete: false };
    /// What is only known to be a number.
    pub(super) const UNKNOWN: Range = Range { low: -WIDE, high: WIDE, varies: true, discrete: true };
    /// A truth value.
    const TRUTH: Range = Range { low: 0.0, high: 1.0, varies: false, discrete: true };

    pub(super) fn between(low: f32, high: f32, varies: bool) -> Range {
        Range { low: low.max(-WIDE), high: high.min(WIDE), varies, discrete: false }
    }

    /// The greatest magnitude.
    pub(super) fn size(self) -> f32 {
        self.low.abs().max(self.high.abs())
    }

    /// Either of two values; nobody knows which, so it varies only if both do.
    pub(super) fn or(self, other: Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            varies: self.varies && other.varies,
            discrete: self.discrete || other.discrete,
        }
    }

    pub(super) fn signed(self, absolute: bool, negated: bool) -> Range {
        let r = if absolute {
            let low =
                if self.low <= 0.0 && self.high >= 0.0 { 0.0 } else { self.low.abs().min(self.high.abs()) };
            Range { low, high: self.size(), ..self }
        } else {
            self
        };
        if negated { Range { low: -r.high, high: -r.low, ..r } } else { r }
    }

    fn clamped(self) -> Range {
        // What lies outside comes to be one of two values.
        let varies = self.varies && self.low >= -0.5 && self.high <= 1.5;
        Range { low: 0.0, high: 1.0, varies, discrete: self.discrete || !varies }
    }

    /// After the clamp of a half, if there is one.
    pub(super) fn clamp(self, on: bool) -> Range {
        if on { self.clamped() } else { self }
    }
}

/// The ranges of a vector as one, which varies if a component does.
pub(super) fn hull(ranges: &[Range]) -> Range {
    let varies = ranges.iter().any(|r| r.varies);
    Range { varies, ..ranges.iter().copied().reduce(Range::or).unwrap_or(Range::ZERO) }
}

fn product(a: Range, b: Range) -> Range {
    let corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
    let low = corners.into_iter().fold(f32::MAX, f32::min);
    let high = corners.into_iter().fold(f32::MIN, f32::max);
    // Zero times anything says nothing about it.
    let varies = a.varies && !b.discrete || b.varies && !a.discrete;
    Range { discrete: a.discrete || b.discrete, ..Range::between(low, high, varies) }
}

fn sum(a: Range, b: Range) -> Range {
    Range::between(a.low + b.low, a.high + b.high, a.varies || b.varies)
}

fn around(size: f32, varies: bool) -> Range {
    Range::between(-size, size, varies)
}

fn whole(x: Range) -> Range {
    Range { discrete: true, ..Range::between(x.low - 1.0, x.high + 1.0, x.varies) }
}

fn larger(x: Range, y: Range) -> Range {
    Range::between(x.low.max(y.low), x.high.max(y.high), x.varies && y.varies)
}

/// The range of component `c` of the vector half's result. Operands are their components of the same name, or the hull of all that take part
/// where components are mixed.
pub(super) fn vector(op: VectorOp, c: usize, [x, y, z]: [Range; 3]) -> Range {
    use VectorOp::{
        Add, Cnde, Cndgt, Cndgte, Cube, Dot2add, Dot3, Dot4, Dst, Floor, Frac, Kille, Killgt, Killgte,
        Killne, Max, Max4, Min, Mova, Mul, Muladd, PredSetePush, PredSetgtPush, PredSetgtePush,
        PredSetnePush, Sete, Setgt, Setgte, Setne, Trunc,
    };
    match op {
        Add => sum(x, y),
        Mul => product(x, y),
        Max | Mova => larger(x, y),
        Min => Range::between(x.low.min(y.low), x.high.min(y.high), x.varies && y.varies),
        Sete | Setgt | Setgte | Setne | Kille | Killgt | Killgte | Killne => Range::TRUTH,
        Frac => Range::between(0.0, 1.0, x.varies && !x.discrete),
        Trunc | Floor => whole(x),
        Muladd => sum(product(x, y), z),
        Cnde => Range { varies: z.varies, ..y.or(z) },
        Cndgte | Cndgt => y.or(z),
        Dot4 | Dot3 => around(4.0 * x.size().max(1.0) * y.size(), x.varies || y.varies),
        Dot2add => around(2.0 * x.size().max(1.0) * y.size() + z.size(), x.varies || y.varies || z.varies),
        Cube if c == 3 => Range { high: 5.0, ..Range::TRUTH },
        Cube => around(2.0 * x.size(), x.varies),
        Max4 => x,
        PredSetePush | PredSetnePush | PredSetgtPush | PredSetgtePush => {
            Range { low: x.low.min(0.0), high: x.high.max(0.0) + 1.0, varies: x.varies, discrete: true }
        }
        Dst => match c {
            0 => Range { low: 1.0, ..Range::TRUTH },
            1 => product(x, y),
            2 => x,
            _ => y,
        },
    }
}

/// The range of the scalar half's result, of its operands and the previous scalar.
pub(super) fn scalar(op: ScalarOp, [x, y]: [Range; 2], previous: Range) -> Range {
    use ScalarOp::{
        AddConst0, AddConst1, AddPrevs, Adds, Cos, ExpIeee, Floors, Fracs, LogClamp, LogIeee, Maxs, Mins,
        MovaFloors, Movas, MulConst0, MulConst1, MulPrev2s, MulPrevs, Muls, PredSetClrs, PredSetInvs,
        PredSetPops, PredSetRestores, RecipClamp, RecipFf, RecipIeee, RecipsqClamp, RecipsqFf, RecipsqIeee,
        RetainPrev, Sin, SqrtIeee, SubConst0, SubConst1, SubPrevs, Subs, Truncs,
    };
    match op {
        Adds | AddConst0 | AddConst1 => sum(x, y),
        Subs | SubConst0 | SubConst1 => sum(x, y.signed(false, true)),
        AddPrevs => sum(x, previous),
        SubPrevs => sum(x, previous.signed(false, true)),
        Muls | MulConst0 | MulConst1 => product(x, y),
        MulPrevs => product(x, previous),
        // The least number of all where something is not positive.
        MulPrev2s => Range::UNKNOWN,
        Maxs | Movas | MovaFloors => larger(x, y),
        Mins => Range::between(x.low.min(y.low), x.high.min(y.high), x.varies && y.varies),
        Fracs => Range::between(0.0, 1.0, x.varies && !x.discrete),
        Truncs | Floors => whole(x),
        ExpIeee => Range::between(0.0, x.high.min(60.0).exp2(), x.varies),
        LogClamp | LogIeee => around(64.0, x.varies),
        // Near zero a quotient may be anything; mostly it is not.
        RecipClamp | RecipFf | RecipIeee => around(1024.0, x.varies),
        RecipsqClamp | RecipsqFf | RecipsqIeee => Range::between(0.0, 1024.0, x.varies),
        SqrtIeee => Range::between(0.0, x.high.max(1.0), x.varies),
        Sin | Cos => around(1.0, x.varies),
        PredSetClrs => Range { low: f32::MAX, high: f32::MAX, varies: false, discrete: true },
        PredSetInvs | PredSetPops | PredSetRestores => {
            Range { low: x.low.min(0.0) - 1.0, high: x.high.max(1.0), varies: x.varies, discrete: true }
        }
        RetainPrev => previous,
        _ => Range::TRUTH,
    }
}

/// What an operation would like its operand to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taste {
    pub(super) most: f32,
    /// Whether it has to be no less than zero.
    pub(super) positive: bool,
    /// Whether zeros would do harm: truth values are zero every other time.
    pub(super) whole: bool,
    /// Whether lanes should differ.
    pub(super) varies: bool,
}

impl Taste {
    pub(super) const ANY: Taste = Taste { most: TAME, positive: false, whole: false, varies: false };

    pub(super) fn fits(self, range: Range) -> bool {
        range.size() <= self.most
            && !(self.positive && range.low < 0.0)
            && !(self.whole && range.discrete)
            && (!self.varies || range.varies)
    }
}

/// What a vector operation would like its operand number `at`, from 0, to be.
pub(super) fn vector_taste(op: VectorOp, at: usize) -> Taste {
    use VectorOp::{Add, Floor, Max, Min, Mova, Muladd, Trunc};
    let most = match op {
        Add | Max | Min | Floor | Trunc => LARGE,
        Muladd if at == 2 => LARGE,
        Mova => 24.0,
        _ => TAME,
    };
    let order = op as u8 >= VectorOp::Sete as u8 && op as u8 <= VectorOp::Setne as u8
        || op.sets_predicate()
        || op.kills();
    let chooses = op.sources() == 3 && !matches!(op, Muladd | VectorOp::Dot2add) && at == 0;
    Taste { most, varies: order && at == 0 || op == Mova || chooses, ..Taste::ANY }
}

/// The same for the scalar half.
pub(super) fn scalar_taste(op: ScalarOp) -> Taste {
    use ScalarOp::{
        Cos, ExpIeee, LogClamp, LogIeee, MovaFloors, Movas, RecipClamp, RecipFf, RecipIeee, RecipsqClamp,
        RecipsqFf, RecipsqIeee, Sin, SqrtIeee,
    };
    match op {
        LogClamp | LogIeee | RecipsqClamp | RecipsqFf | RecipsqIeee => {
            Taste { positive: true, whole: true, ..Taste::ANY }
        }
        SqrtIeee => Taste { positive: true, ..Taste::ANY },
        RecipClamp | RecipFf | RecipIeee => Taste { whole: true, ..Taste::ANY },
        ExpIeee => Taste { most: 16.0, ..Taste::ANY },
        Sin | Cos => Taste { most: 1024.0, ..Taste::ANY },
        Movas | MovaFloors => Taste { most: 24.0, varies: true, ..Taste::ANY },
        _ => Taste { varies: op.sets_predicate() || op.kills(), ..Taste::ANY },
    }
}
