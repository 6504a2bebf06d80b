//! What is known of a value while a program is being built: where it lies if the inputs are ordinary.
//!
//! Only the generator's taste depends on this. It keeps numbers from running off to infinity, which would make all lanes alike and hide
//! what an instruction did.

use crate::generate::value::ORDINARY;
use lockstep_core::isa::d3d9::opcode::Opcode;
use lockstep_core::isa::d3d9::program::Modifier;

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
    /// The greatest magnitude.
    pub(super) size: f32,
    /// Whether zeros would do harm: truth values are zero every other time.
    pub(super) whole: bool,
    /// Whether lanes should differ.
    pub(super) varies: bool,
}

impl Want {
    pub(super) fn fits(self, range: Range) -> bool {
        range.size() <= self.size && !(self.whole && range.discrete) && (!self.varies || range.varies)
    }
}

/// What an operation would like its operand number `k` to be.
pub(super) fn want(op: Opcode, k: usize) -> Want {
    use Opcode::*;
    let (size, whole) = match (op, k) {
        (Rcp | Rsq | Log | Logp | Nrm, _) => (TAME, true),
        (Exp | Expp, _) => (16.0, false),
        (Pow, 0) => (64.0, true),
        (Pow, _) => (4.0, false),
        (Lit, _) => (64.0, false),
        (Sincos, _) => (4096.0, false),
        // An index that reaches something.
        (Mova, _) => (16.0, false),
        (Tex | Texldl | Texldd, 0) => (2.0 * ORDINARY, false),
        _ => (TAME, false),
    };
    // A condition that is the same for all lanes leaves one of its branches out.
    let order = matches!(op, Slt | Sge | Cmp | Cnd | Setp | Ifc | Breakc | Texkill);
    Want { size, whole, varies: order && k == 0 }
}

impl Range {
    pub(super) const ZERO: Range = Range { low: 0.0, high: 0.0, varies: false, discrete: true };
    /// An input of a lane.
    pub(super) const INPUT: Range = Range { low: -ORDINARY, high: ORDINARY, varies: true, discrete: false };
    /// A constant.
    pub(super) const CONSTANT: Range =
        Range { low: -ORDINARY, high: ORDINARY, varies: false, discrete: false };
    /// A truth value.
    pub(super) const TRUTH: Range = Range { low: 0.0, high: 1.0, varies: false, discrete: true };

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

    /// What becomes of it as it is read.
    pub(super) fn modified(self, modifier: u8) -> Range {
        let Range { low, high, .. } = self;
        let (low, high) = match Modifier::from_number(modifier) {
            Some(Modifier::Neg) => (-high, -low),
            Some(Modifier::Bias) => (low - 0.5, high - 0.5),
            Some(Modifier::BiasNeg) => (0.5 - high, 0.5 - low),
            Some(Modifier::Bx2) => (2.0 * low - 1.0, 2.0 * high - 1.0),
            Some(Modifier::Bx2Neg) => (1.0 - 2.0 * high, 1.0 - 2.0 * low),
            Some(Modifier::Complement) => (1.0 - high, 1.0 - low),
            Some(Modifier::X2) => (2.0 * low, 2.0 * high),
            Some(Modifier::X2Neg) => (-2.0 * high, -2.0 * low),
            Some(Modifier::Abs) => (0.0, self.size()),
            Some(Modifier::AbsNeg) => (-self.size(), 0.0),
            _ => (low, high),
        };
        Range { low: low.max(-WIDE), high: high.min(WIDE), ..self }
    }

    /// What becomes of it as it is written: shifted, then saturated.
    pub(super) fn written(self, shift: i8, saturated: bool) -> Range {
        let by = f32::from(shift).exp2();
        let scaled = Range { low: self.low * by, high: self.high * by, ..self };
        if !saturated {
            return scaled;
        }
        // What lies beyond is one of two values.
        let beyond = scaled.low < 0.0 || scaled.high > 1.0;
        Range { low: 0.0, high: 1.0, varies: scaled.varies && !beyond, discrete: scaled.discrete || beyond }
    }
}

/// The ranges of a vector as one, which varies if a component does.
pub(super) fn hull(ranges: &[Range]) -> Range {
    let varies = ranges.iter().any(|r| r.varies);
    Range { varies, ..ranges.iter().copied().reduce(Range::or).unwrap_or(Range::ZERO) }
}

fn product(a: Range, b: Range) -> Range {
    let corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
    let (low, high) =
        (corners.into_iter().fold(f32::MAX, f32::min), corners.into_iter().fold(f32::MIN, f32::max));
    // Zero times anything says nothing about it.
    let varies = a.varies && !b.discrete || b.varies && !a.discrete;
    Range { discrete: a.discrete || b.discrete, ..Range::between(low, high, varies) }
}

fn sum(a: Range, b: Range) -> Range {
    Range::between(a.low + b.low, a.high + b.high, a.varies || b.varies)
}

/// The range of one component of a result. The operands are their components of the same name, or the hull of those that take part where
/// the operation mixes components.
pub(super) fn result(op: Opcode, of: &[Range; 4]) -> Range {
    use Opcode::*;
    let [a, b, c, _] = *of;
    let varies = a.varies || b.varies;
    let around = |size: f32| Range::between(-size, size, varies);
    match op {
        Mov | Mova => a,
        Add => sum(a, b),
        Sub => sum(a, b.modified(Modifier::Neg as u8)),
        Mul => product(a, b),
        Mad => sum(product(a, b), c),
        Lrp => {
            let difference = sum(b, c.modified(Modifier::Neg as u8));
            sum(product(a, difference), c)
        }
        Min => Range { varies: false, ..Range::between(a.low.min(b.low), a.high.min(b.high), false) },
        Max => Range { varies: false, ..Range::between(a.low.max(b.low), a.high.max(b.high), false) },
        Rcp => around(1024.0),
        Rsq => Range::between(0.0, 1024.0, varies),
        Dp3 | M3x2 | M3x3 | M3x4 => around(3.0 * a.size() * b.size()),
        Dp4 | M4x3 | M4x4 => around(4.0 * a.size() * b.size()),
        Dp2add => sum(around(2.0 * a.size() * b.size()), c),
        Slt | Sge | Setp => Range::TRUTH,
        Sgn => Range { low: -1.0, ..Range::TRUTH },
        Exp | Expp => Range::between(0.0, a.high.min(64.0).exp2(), varies),
        Log | Logp => around(32.0),
        Pow => Range::between(0.0, a.size().max(2.0).powf(b.size().min(8.0)), varies),
        // Mostly 0 or 1, or a power of what is rarely large.
        Lit => Range { discrete: true, ..Range::between(0.0, 64.0, false) },
        Dst => Range::between(-(a.size() * b.size()).max(1.0), (a.size() * b.size()).max(1.0), varies),
        // Of a whole number it is zero, and many are whole.
        Frc => Range { discrete: true, varies: varies && !a.discrete, ..Range::between(0.0, 1.0, varies) },
        Nrm | Sincos => around(1.0),
        Crs => around(2.0 * a.size() * b.size()),
        Abs => Range { discrete: a.discrete, ..Range::between(0.0, a.size(), varies) },
        Cmp | Cnd => b.or(c),
        Bem => around(a.size() + 2.0 * ORDINARY * b.size()),
        Dsx | Dsy => Range { discrete: !a.varies, ..around(2.0 * a.size()) },
        Texcoord => Range { discrete: true, ..Range::between(0.0, 1.0, true) },
        // Texels may be constants' like; clamped coordinates may make lanes alike.
        _ => Range { varies: false, ..around(8.0) },
    }
}
