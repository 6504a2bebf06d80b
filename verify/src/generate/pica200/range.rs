//! What is known of a value while a program is being built: where it lies if the inputs are ordinary.
//!
//! Only the generator's taste depends on this. It keeps numbers from running off to infinity and NaN, which would make all lanes alike
//! and hide what an instruction did.

use crate::generate::value::ORDINARY;
use lockstep_core::isa::pica200::opcode::Opcode;

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

/// What cannot be said to be smaller; its square is still below the largest f24.
const WIDE: f32 = 1e9;
/// Factors stay below this.
pub(super) const TAME: f32 = 8192.0;
/// What goes round stays below this, so that it may be used again and again.
pub(super) const CALM: f32 = 64.0;

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
    /// Anything that is not too large for a factor.
    pub(super) const MODERATE: Want = Want { low: -TAME, high: TAME, whole: false, varies: false };

    /// The same, though lanes be alike.
    pub(super) fn alike(self) -> Want {
        Want { varies: false, ..self }
    }

    pub(super) fn fits(self, range: Range) -> bool {
        self.low <= range.low
            && range.high <= self.high
            && !(self.whole && range.discrete)
            && (!self.varies || range.varies)
    }
}

/// What an operation would like its operand number `at` to be: no roots of negative numbers, no powers beyond all bounds, indices that reach something.
pub(super) fn want(op: Opcode, at: usize) -> Want {
    let (low, high, whole) = match op {
        Opcode::Rsq | Opcode::Lg2 => (0.0, TAME, true),
        Opcode::Rcp => (-TAME, TAME, true),
        Opcode::Ex2 => (-16.0, 16.0, false),
        Opcode::Mova => (-24.0, 24.0, false),
        Opcode::Add | Opcode::Mov | Opcode::Flr => (-WIDE, WIDE, false),
        Opcode::Mad | Opcode::Madi if at == 2 => (-WIDE, WIDE, false),
        _ => (-TAME, TAME, false),
    };
    // A condition that is the same for all lanes leaves one of its branches out.
    let order = matches!(op, Opcode::Sge | Opcode::Slt | Opcode::Sgei | Opcode::Slti | Opcode::Cmp);
    Want { low, high, whole, varies: order && at == 0 || op == Opcode::Mova }
}

impl Range {
    pub(super) const ZERO: Range = Range { low: 0.0, high: 0.0, varies: false, discrete: true };
    /// An input of a lane.
    pub(super) const INPUT: Range = Range { low: -ORDINARY, high: ORDINARY, varies: true, discrete: false };
    /// A uniform.
    pub(super) const UNIFORM: Range =
        Range { low: -ORDINARY, high: ORDINARY, varies: false, discrete: false };
    /// What is only known to be a number.
    pub(super) const UNKNOWN: Range = Range { low: -WIDE, high: WIDE, varies: true, discrete: true };

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

    pub(super) fn negated(self) -> Range {
        Range { low: -self.high, high: -self.low, ..self }
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

/// The range of component `c` of a result. The operands are the components of the same name, or the hull of those that take part where the
/// operation mixes components.
pub(super) fn result(op: Opcode, c: usize, [x, y, z]: [Range; 3]) -> Range {
    let around = |size: f32, varies: bool| Range::between(-size, size, varies);
    let varies = x.varies || y.varies;
    let sum = |a: Range, b: Range| Range::between(a.low + b.low, a.high + b.high, a.varies || b.varies);
    match op {
        Opcode::Mov => x,
        Opcode::Add => sum(x, y),
        Opcode::Mul => product(x, y),
        Opcode::Mad | Opcode::Madi => sum(product(x, y), z),
        Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph | Opcode::Dphi => {
            around(4.0 * x.size().max(1.0) * y.size(), varies)
        }
        Opcode::Dst | Opcode::Dsti => match c {
            0 => Range { low: 1.0, high: 1.0, varies: false, discrete: true },
            1 => product(x, y),
            2 => x,
            _ => y,
        },
        Opcode::Ex2 => Range::between(0.0, x.high.exp2(), x.varies),
        Opcode::Lg2 => around(32.0, x.varies),
        Opcode::Litp => match c {
            1 => Range { low: x.low.max(-128.0), high: x.high.min(128.0), ..x },
            2 => Range::ZERO,
            // Half of all lanes are zero.
            _ => Range { discrete: true, varies: false, ..Range::between(0.0, x.high.max(0.0), false) },
        },
        Opcode::Flr => Range { discrete: true, ..Range::between(x.low - 1.0, x.high, x.varies) },
        Opcode::Max => Range::between(x.low.max(y.low), x.high.max(y.high), x.varies && y.varies),
        Opcode::Min => Range::between(x.low.min(y.low), x.high.min(y.high), x.varies && y.varies),
        // Near zero a quotient may be anything; mostly it is not.
        Opcode::Rcp => around(1024.0, x.varies),
        Opcode::Rsq => Range::between(0.0, 1024.0, x.varies),
        Opcode::Sge | Opcode::Slt | Opcode::Sgei | Opcode::Slti => {
            Range { low: 0.0, high: 1.0, varies: false, discrete: true }
        }
        _ => Range::ZERO,
    }
}
