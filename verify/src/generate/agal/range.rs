//! What is known of a value while a program is being built: where it lies if the inputs are ordinary.
//!
//! Only the generator's taste depends on this. It keeps numbers from running off to infinity and NaN, which would make all lanes alike
//! and hide what an instruction did.

use crate::generate::value::ORDINARY;
use lockstep_core::isa::agal::opcode::Opcode;

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
const WIDE: f32 = 1e9;
/// Beyond this a value is brought back before it is used.
pub(super) const TAME: f32 = 65536.0;

/// What an operation would like its operand to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Want {
    low: f32,
    high: f32,
    /// Whether zeros would do harm: truth values are zero every other time.
    whole: bool,
    /// Whether lanes should differ.
    varies: bool,
}

impl Want {
    /// Anything of moderate size.
    pub(super) const MODERATE: Want = Want { low: -TAME, high: TAME, whole: false, varies: false };

    pub(super) fn fits(self, range: Range) -> bool {
        self.low <= range.low
            && range.high <= self.high
            && !(self.whole && range.discrete)
            && (!self.varies || range.varies)
    }
}

/// What an operation would like its operand number `at` to be: no roots of negative numbers, no powers beyond all bounds.
pub(super) fn want(op: Opcode, at: usize) -> Want {
    let (low, high, whole) = match op {
        Opcode::Sqt => (0.0, TAME, false),
        Opcode::Rsq | Opcode::Log => (0.0, TAME, true),
        Opcode::Rcp => (-TAME, TAME, true),
        Opcode::Div if at == 1 => (-TAME, TAME, true),
        Opcode::Nrm => (-TAME, TAME, true),
        Opcode::Exp => (-16.0, 16.0, false),
        Opcode::Pow if at == 0 => (0.0, 64.0, true),
        Opcode::Pow => (-4.0, 4.0, false),
        Opcode::Tex | Opcode::Ted | Opcode::Tld => (-ORDINARY, ORDINARY, false),
        Opcode::Sin | Opcode::Cos => (-4096.0, 4096.0, false),
        Opcode::Sat => (-ORDINARY, ORDINARY, false),
        _ => (-TAME, TAME, false),
    };
    // A condition that is the same for all lanes leaves one of its branches out.
    let order = matches!(op, Opcode::Sge | Opcode::Slt | Opcode::Ifg | Opcode::Ifl | Opcode::Kil);
    Want { low, high, whole, varies: order && at == 0 }
}

impl Range {
    pub(super) const ZERO: Range = Range { low: 0.0, high: 0.0, varies: false, discrete: true };
    /// An input of a lane.
    pub(super) const INPUT: Range = Range { low: -ORDINARY, high: ORDINARY, varies: true, discrete: false };
    /// A constant.
    pub(super) const CONSTANT: Range =
        Range { low: -ORDINARY, high: ORDINARY, varies: false, discrete: false };

    fn between(low: f32, high: f32, varies: bool) -> Range {
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
}

/// The ranges of a vector as one, which varies if a component does.
pub(super) fn hull(ranges: &[Range]) -> Range {
    let varies = ranges.iter().any(|r| r.varies);
    Range { varies, ..ranges.iter().copied().reduce(Range::or).unwrap_or(Range::ZERO) }
}

/// The range of one component of a result. `a` and `b` are the operands' components of the same name, or the hull of those that take part
/// where the operation mixes components.
pub(super) fn result(op: Opcode, a: Range, b: Range) -> Range {
    let varies = a.varies || b.varies;
    let of = |low: f32, high: f32| Range::between(low, high, varies);
    let around = |size: f32| of(-size, size);
    let truth = Range { low: 0.0, high: 1.0, varies: false, discrete: true };
    match op {
        Opcode::Mov => a,
        Opcode::Add => of(a.low + b.low, a.high + b.high),
        Opcode::Sub => of(a.low - b.high, a.high - b.low),
        Opcode::Mul => {
            let corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
            let (low, high) =
                (corners.into_iter().fold(f32::MAX, f32::min), corners.into_iter().fold(f32::MIN, f32::max));
            // Zero times anything says nothing about it.
            let varies = a.varies && !b.discrete || b.varies && !a.discrete;
            Range { discrete: a.discrete || b.discrete, ..Range::between(low, high, varies) }
        }
        // Near zero a quotient may be anything; mostly it is not.
        Opcode::Div => Range { discrete: a.discrete, ..around(a.size() * 1024.0) },
        Opcode::Rcp => around(1024.0),
        Opcode::Min => Range { varies: false, ..of(a.low.min(b.low), a.high.min(b.high)) },
        Opcode::Max => Range { varies: false, ..of(a.low.max(b.low), a.high.max(b.high)) },
        // Of a whole number it is zero, and many are whole.
        Opcode::Frc => Range { discrete: true, varies: varies && !a.discrete, ..of(0.0, 1.0) },
        Opcode::Sqt => Range { discrete: a.discrete, ..of(0.0, a.high.max(0.0).sqrt()) },
        Opcode::Rsq => of(0.0, 1024.0),
        Opcode::Pow => of(0.0, a.size().max(2.0).powf(b.size())),
        Opcode::Log => around(32.0),
        Opcode::Exp => of(0.0, a.high.exp2()),
        Opcode::Nrm | Opcode::Sin | Opcode::Cos => around(1.0),
        Opcode::Crs => around(2.0 * a.size() * b.size()),
        Opcode::Dp3 | Opcode::M33 => around(3.0 * a.size() * b.size()),
        Opcode::Dp4 | Opcode::M34 | Opcode::M44 => around(4.0 * a.size() * b.size()),
        Opcode::Abs => Range { discrete: a.discrete, ..of(0.0, a.size()) },
        Opcode::Neg => Range { discrete: a.discrete, ..of(-a.high, -a.low) },
        Opcode::Sat => Range { varies: false, discrete: true, low: 0.0, high: 1.0 },
        Opcode::Ddx | Opcode::Ddy => Range { discrete: !a.varies, ..around(2.0 * a.size()) },
        // Texels may be constants' like; clamped coordinates may make lanes alike.
        Opcode::Ted | Opcode::Tex | Opcode::Tld => Range { varies: false, ..around(64.0) },
        Opcode::Sge | Opcode::Slt | Opcode::Seq | Opcode::Sne => truth,
        Opcode::Sgn => Range { low: -1.0, ..truth },
        Opcode::Ife | Opcode::Ine | Opcode::Ifg | Opcode::Ifl | Opcode::Els | Opcode::Eif | Opcode::Kil => {
            Range::ZERO
        }
    }
}
