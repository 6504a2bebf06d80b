//! Value ranges: the result range of each operation for ordinary inputs, and the operand ranges that operations prefer.
//!
//! These ranges are written by hand. Ranges derived from the reference instead gave equally good programs (0.8 % NaN instead of 0.9, 75.9 % of
//! instructions live instead of 75.2). But the covering array then had 4,142 obligations instead of 4,154, and one of the 4,142 has a claim that is
//! not proved.

use crate::generate::range;
use crate::generate::value::ORDINARY;
use lockstep_core::isa::d3d9::opcode::Opcode;
use lockstep_core::isa::d3d9::program::Modifier;

pub(super) use crate::generate::range::{PreferredRange, hull};
/// The range of a value in a Direct3D 9 program.
pub(super) type Range = range::Range<1_000_000_000>;

/// The magnitude above which a value is reduced before it is used.
pub(super) const MAX_UNREDUCED: f32 = 65536.0;

/// Returns the range that an operation prefers for operand `k`.
pub(super) fn want(op: Opcode, k: usize) -> PreferredRange {
    use Opcode::*;
    let (size, nonzero) = match (op, k) {
        (Rcp | Rsq | Log | Logp | Nrm, _) => (MAX_UNREDUCED, true),
        (Exp | Expp, _) => (16.0, false),
        (Pow, 0) => (64.0, true),
        (Pow, _) => (4.0, false),
        (Lit, _) => (64.0, false),
        (Sincos, _) => (4096.0, false),
        // The result is used as an index, which should be within the register file.
        (Mova, _) => (16.0, false),
        (Tex | Texldl | Texldd, 0) => (2.0 * ORDINARY, false),
        _ => (MAX_UNREDUCED, false),
    };
    // A condition that is equal in all lanes leaves one of its branches unused.
    let order = matches!(op, Slt | Sge | Cmp | Cnd | Setp | Ifc | Breakc | Texkill);
    PreferredRange { nonzero, varies: order && k == 0, ..PreferredRange::of_size(size) }
}

/// Returns the range after a source modifier.
pub(super) fn modified(range: Range, modifier: u8) -> Range {
    let bounds = Modifier::from_number(modifier).unwrap_or(Modifier::None).row().bounds;
    // Most quotients are about as large as the dividend.
    let (low, high) = bounds.of(range.low, range.high).unwrap_or((range.low, range.high));
    Range { discrete: range.discrete, ..Range::between(low, high, range.varies) }
}

/// Returns the range after the shift and saturation of a result.
pub(super) fn written(range: Range, shift: i8, saturated: bool) -> Range {
    let by = f32::from(shift).exp2();
    let scaled = Range { low: range.low * by, high: range.high * by, ..range };
    if !saturated {
        return scaled;
    }
    // Values outside 0 to 1 are saturated to 0 or 1.
    let beyond = scaled.low < 0.0 || scaled.high > 1.0;
    Range { low: 0.0, high: 1.0, varies: scaled.varies && !beyond, discrete: scaled.discrete || beyond }
}

/// Returns the range of one component of a result. The operand ranges are those of the same component, or the hull of all components that are used if
/// the operation mixes components.
pub(super) fn result(op: Opcode, of: &[Range; 4]) -> Range {
    use Opcode::*;
    let [a, b, c, _] = *of;
    let varies = a.varies || b.varies;
    let around = |size: f32| Range::around(size, varies);
    match op {
        Mov | Mova => a,
        Add => a.sum(b),
        Sub => a.sum(b.negated()),
        Mul => a.product(b),
        Mad => a.product(b).sum(c),
        Lrp => a.product(b.sum(c.negated())).sum(c),
        Min => Range { varies: false, ..a.smaller(b) },
        Max => Range { varies: false, ..a.larger(b) },
        Rcp => around(1024.0),
        Rsq => Range::between(0.0, 1024.0, varies),
        Dp3 | M3x2 | M3x3 | M3x4 => around(3.0 * a.size() * b.size()),
        Dp4 | M4x3 | M4x4 => around(4.0 * a.size() * b.size()),
        Dp2add => around(2.0 * a.size() * b.size()).sum(c),
        Slt | Sge | Setp => Range::TRUTH,
        Sgn => Range { low: -1.0, ..Range::TRUTH },
        Exp | Expp => Range::between(0.0, a.high.min(64.0).exp2(), varies),
        Log | Logp => around(32.0),
        Pow => Range::between(0.0, a.size().max(2.0).powf(b.size().min(8.0)), varies),
        // The result is mostly 0 or 1, or a power of a value that is rarely large.
        Lit => Range { discrete: true, ..Range::between(0.0, 64.0, false) },
        Dst => Range::between(-(a.size() * b.size()).max(1.0), (a.size() * b.size()).max(1.0), varies),
        // The fraction of an integer is zero, and many values are integers.
        Frc => Range { discrete: true, varies: varies && !a.discrete, ..Range::between(0.0, 1.0, varies) },
        Nrm | Sincos => around(1.0),
        Crs => around(2.0 * a.size() * b.size()),
        Abs => Range { discrete: a.discrete, ..Range::between(0.0, a.size(), varies) },
        Cmp | Cnd => b.or(c),
        Bem => around(a.size() + 2.0 * ORDINARY * b.size()),
        Dsx | Dsy => Range { discrete: !a.varies, ..around(2.0 * a.size()) },
        Texcoord => Range { discrete: true, ..Range::between(0.0, 1.0, true) },
        // Texels may be constant, and clamped coordinates may be equal in all lanes.
        _ => Range { varies: false, ..around(8.0) },
    }
}
