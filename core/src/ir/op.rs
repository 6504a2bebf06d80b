//! The operations of the IR.

use crate::host::FetchFormat;
use crate::value::{BBin, FCmp, FUn, IBin, ICmp};

/// The type of a value or variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ty {
    /// A binary32 number.
    F32,
    /// A wrapping 32-bit integer.
    I32,
    /// A truth value.
    Bool,
}

/// A numbered variable. Variables and arrays are the only way to pass values from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// A numbered array of floats. Each lane has its own copy. Arrays represent registers that are indexed at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Array(pub u32);

/// An index in [`super::Program::samplers`]: the static part of a texture read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sampler(pub u32);

/// The magnitudes that [`Op::Flush`] replaces by zero, and the sign of that zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flush {
    /// Magnitudes below 2^-126 become zero of the same sign.
    Subnormal,
    /// Nonzero magnitudes below 2^-62 (the subnormals of f24) become +0; a zero keeps its sign.
    F24,
    /// Magnitudes below 2^-62, including zero, become +0.
    F24Unsigned,
    /// Zeros of either sign become +0; all other values are kept.
    Sign,
}

impl Flush {
    /// Every kind.
    pub const ALL: [Flush; 4] = [Flush::Subnormal, Flush::F24, Flush::F24Unsigned, Flush::Sign];
}

/// A lane of a quad, as seen from each of the quad's lanes. Lanes 0 and 1 are the upper row, 2 and 3 the lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QuadLane {
    /// The left lane of the same row.
    Left,
    /// The right lane of the same row.
    Right,
    /// The upper lane of the same column.
    Upper,
    /// The lower lane of the same column.
    Lower,
    /// The left lane of the upper row: lane 0.
    First,
    /// The right lane of the upper row: lane 1.
    Second,
    /// The left lane of the lower row: lane 2.
    Third,
}

impl QuadLane {
    /// Every lane.
    pub const ALL: [QuadLane; 7] = [
        QuadLane::Left,
        QuadLane::Right,
        QuadLane::Upper,
        QuadLane::Lower,
        QuadLane::First,
        QuadLane::Second,
        QuadLane::Third,
    ];

    /// The number of the lane, seen from lane number `from` of the quad (0 to 3).
    pub fn seen_from(self, from: usize) -> usize {
        match self {
            QuadLane::Left => from & 2,
            QuadLane::Right => from & 2 | 1,
            QuadLane::Upper => from & 1,
            QuadLane::Lower => from & 1 | 2,
            QuadLane::First => 0,
            QuadLane::Second => 1,
            QuadLane::Third => 2,
        }
    }

    /// The two lanes whose difference is a derivative in x or in y: subtrahend, then minuend. If `fine`, each row or column has its own difference.
    pub fn of_derivative(x: bool, fine: bool) -> [QuadLane; 2] {
        match (x, fine) {
            (true, true) => [QuadLane::Left, QuadLane::Right],
            (true, false) => [QuadLane::First, QuadLane::Second],
            (false, true) => [QuadLane::Upper, QuadLane::Lower],
            (false, false) => [QuadLane::First, QuadLane::Third],
        }
    }
}

/// An operation. Literals and other immediates are part of the operation; its operands are stored separately.
///
/// `ir::eval` evaluates each operation over any [`crate::value::Domain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// The float literal with these bits.
    F32(u32),
    /// An integer literal.
    I32(i32),
    /// A truth literal.
    Bool(bool),
    /// Component `n % 4` of slot `n / 4` of the lane's inputs.
    Input(u16),
    /// Component `n % 4` of slot `n / 4` of the inputs of the given lane of the quad, whether or not that lane is running.
    QuadInput(QuadLane, u16),
    /// Component `n % 4` of slot `n / 4` of the float constant file; 0 outside it.
    Uniform(u16),
    /// The given component of the slot of the float constant file that the operand (I32) selects; 0 outside the file.
    UniformAt(u8),
    /// Component `n % 4` of slot `n / 4` of the integer constant file; 0 outside it.
    IntUniform(u16),
    /// Slot `n` of the Boolean constant file; false outside it.
    BoolUniform(u16),
    /// The value of a variable.
    Read(Var),
    /// Sets a variable to the operand.
    Write(Var),
    /// The element of an array at an index (I32); 0 outside the array.
    Load(Array),
    /// Sets the element of an array at an index (I32) to a value (F32); no effect outside the array.
    Store(Array),

    /// One-operand float arithmetic, as defined by [`FUn`].
    Un(FUn),
    /// a + b.
    Add,
    /// a - b, the same as a + (-b).
    Sub,
    /// a * b.
    Mul,
    /// a / b.
    Div,
    /// a * b + c, rounded once.
    Fma,
    /// a < b ? a : b.
    Min,
    /// a > b ? a : b, the same as b < a ? a : b.
    Max,
    /// Legacy product: +0 if a == 0 or b == 0, otherwise a * b.
    Mulz,
    /// Product in which zero times infinity is +0: +0 if a * b is NaN and neither a nor b is NaN, otherwise a * b.
    MulzInf,
    /// Replaces small magnitudes by zero, as defined by [`Flush`].
    Flush(Flush),

    /// Comparison of floats.
    Cmp(FCmp),
    /// Comparison of integers.
    ICmp(ICmp),
    /// Integer arithmetic.
    IBin(IBin),
    /// Two-operand logic.
    Logic(BBin),
    /// Negation of a truth value.
    Not,
    /// c ? a : b, where a and b have this type.
    Sel(Ty),

    /// Truncates to a signed integer and saturates; NaN gives 0.
    TruncI,
    /// Conversion of a signed integer to a float, to nearest even.
    ToF,
    /// The bits of a float. NaN gives the canonical NaN.
    Bits,
    /// The float with the operand's bits.
    FromBits,

    /// The difference between neighbours in x of the quad: lane 1 - lane 0, or, if fine, lane 3 - lane 2 for the lower row. The result is 0 in a lane
    /// whose quad has diverged or that runs alone.
    Ddx {
        /// Whether each row has its own difference.
        fine: bool,
    },
    /// The difference between neighbours in y of the quad: lane 2 - lane 0, or, if fine, lane 3 - lane 1 for the right column. The result is 0 in the
    /// same cases as for `Ddx`.
    Ddy {
        /// Whether each column has its own difference.
        fine: bool,
    },
    /// A texture read. The operands are three coordinates, then those for the level of detail (see [`super::LodKind`]). A texture read has four
    /// results.
    Sample(Sampler),
    /// A buffer read: the element at an index (I32). A buffer read has four results.
    Fetch {
        /// The number of the buffer.
        buffer: u8,
        /// The format of the elements.
        format: FetchFormat,
    },

    /// Consumes this many units of fuel. A lane that has fewer units left ends: it is out of fuel.
    Fuel(u32),
    /// Marks the lane as killed if the operand (Bool) is true. A killed lane continues to run as a helper lane.
    Kill,
    /// Appends an effect with four F32 components to the lane's record if the first operand (Bool) is true.
    Effect {
        /// The kind of effect, numbered by the instruction set.
        kind: u8,
        /// The destination number.
        index: u16,
        /// The components that are written.
        mask: u8,
    },
}

const F: Ty = Ty::F32;
const I: Ty = Ty::I32;
const B: Ty = Ty::Bool;

impl Op {
    /// The types of the operands, except for those of [`Op::Write`] and [`Op::Sample`] that depend on the program.
    pub fn operands(self) -> &'static [Ty] {
        match self {
            Op::F32(_)
            | Op::I32(_)
            | Op::Bool(_)
            | Op::Input(_)
            | Op::QuadInput(..)
            | Op::Uniform(_)
            | Op::IntUniform(_)
            | Op::BoolUniform(_)
            | Op::Read(_)
            | Op::Write(_)
            | Op::Fuel(_) => &[],
            Op::UniformAt(_) | Op::Load(_) | Op::ToF | Op::FromBits | Op::Fetch { .. } => &[I],
            Op::Store(_) => &[I, F],
            Op::Un(_) | Op::Flush(_) | Op::TruncI | Op::Bits | Op::Ddx { .. } | Op::Ddy { .. } => &[F],
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::Min
            | Op::Max
            | Op::Mulz
            | Op::MulzInf
            | Op::Cmp(_) => &[F, F],
            Op::Fma | Op::Sample(_) => &[F, F, F],
            Op::ICmp(_) | Op::IBin(_) => &[I, I],
            Op::Logic(_) => &[B, B],
            Op::Not | Op::Kill => &[B],
            Op::Sel(Ty::F32) => &[B, F, F],
            Op::Sel(Ty::I32) => &[B, I, I],
            Op::Sel(Ty::Bool) => &[B, B, B],
            Op::Effect { .. } => &[B, F, F, F, F],
        }
    }

    /// The type and the number of the results. `None` for [`Op::Read`], whose type is that of the variable.
    pub fn results(self) -> Option<(Ty, u8)> {
        Some(match self {
            Op::Read(_) => return None,
            Op::Write(_) | Op::Store(_) | Op::Fuel(_) | Op::Kill | Op::Effect { .. } => (F, 0),
            Op::I32(_) | Op::IntUniform(_) | Op::IBin(_) | Op::Sel(Ty::I32) | Op::TruncI | Op::Bits => (I, 1),
            Op::Bool(_)
            | Op::BoolUniform(_)
            | Op::Cmp(_)
            | Op::ICmp(_)
            | Op::Logic(_)
            | Op::Not
            | Op::Sel(Ty::Bool) => (B, 1),
            Op::Sample(_) | Op::Fetch { .. } => (F, 4),
            _ => (F, 1),
        })
    }

    /// Whether the operation does more than compute its results. The optimiser keeps the order of such operations, and removes none of them except
    /// writes of values that are never read, neither by code nor as outputs.
    pub fn is_effect(self) -> bool {
        matches!(self, Op::Write(_) | Op::Store(_) | Op::Fuel(_) | Op::Kill | Op::Effect { .. })
    }

    /// Whether the result depends on the other lanes of a quad.
    pub fn is_quad(self) -> bool {
        matches!(self, Op::Ddx { .. } | Op::Ddy { .. } | Op::QuadInput(..))
    }
}
