//! The operations of the IR.

use crate::host::FetchFormat;
use crate::value::{BBin, FCmp, FUn, IBin, ICmp};

/// The type of a value or variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ty {
    /// binary32.
    F32,
    /// Wrapping 32-bit integer.
    I32,
    /// Truth.
    Bool,
}

/// A numbered variable: the only way to carry a value from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// A per-lane array of floats, for state that is indexed at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Array(pub u32);

/// A row of [`super::Program::samplers`]: the static part of one texture read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sampler(pub u32);

/// The magnitudes that are flushed to zero, and the sign of that zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flush {
    /// Magnitudes below 2^-126, to zero of the same sign.
    Subnormal,
    /// Magnitudes below 2^-62 (the subnormals of f24), to +0; a zero keeps its sign.
    F24,
    /// Magnitudes below 2^-62, including zero, to +0.
    F24Unsigned,
    /// Zero only, to +0.
    Sign,
}

impl Flush {
    /// Every kind.
    pub const ALL: [Flush; 4] = [Flush::Subnormal, Flush::F24, Flush::F24Unsigned, Flush::Sign];
}

/// One operation. Literals and other immediates are part of it; operand values are stored separately.
///
/// Each operation has one line of definition here and one evaluation over [`crate::value::Domain`] in `ir::eval`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// The float with these bits.
    F32(u32),
    /// This integer.
    I32(i32),
    /// This truth value.
    Bool(bool),
    /// Component `n % 4` of per-lane input slot `n / 4`.
    Input(u16),
    /// Component `n % 4` of slot `n / 4` of the float constant file; 0 outside it.
    Uniform(u16),
    /// Component `c` of the slot of the float constant file given by the operand (I32); 0 outside the file.
    UniformAt(u8),
    /// Component `n % 4` of slot `n / 4` of the integer constant file; 0 outside it.
    IntUniform(u16),
    /// Slot `n` of the Boolean constant file; false outside it.
    BoolUniform(u16),
    /// The value of a variable.
    Read(Var),
    /// Sets a variable.
    Write(Var),
    /// Element of an array at an I32 index; 0 outside it.
    Load(Array),
    /// Sets the element (I32 index, F32 value); no effect outside the array.
    Store(Array),

    /// One-operand float arithmetic, as defined by [`FUn`].
    Un(FUn),
    /// a + b.
    Add,
    /// a - b, that is a + (-b).
    Sub,
    /// a * b.
    Mul,
    /// a / b.
    Div,
    /// a * b + c, rounded once.
    Fma,
    /// a < b ? a : b.
    Min,
    /// a > b ? a : b, that is b < a ? a : b.
    Max,
    /// Legacy product: +0 when a == 0 or b == 0, else a * b.
    Mulz,
    /// Product in which zero times infinity is +0: +0 when a * b is NaN and neither a nor b is, else a * b.
    MulzInf,
    /// Replaces small magnitudes by zero.
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
    /// c ? a : b on values of this type.
    Sel(Ty),

    /// Truncation to an integer: NaN gives 0, values out of range the nearest end.
    TruncI,
    /// Integer to float, nearest even.
    ToF,
    /// Float to bits, NaN canonical.
    Bits,
    /// Bits to float.
    FromBits,

    /// Difference to the neighbour in x of the quad: lane 1 - lane 0 (and, if fine, lane 3 - lane 2 for the lower row).
    /// 0 in a lane whose quad has diverged or that runs alone.
    Ddx {
        /// Whether each row has its own difference.
        fine: bool,
    },
    /// Difference to the neighbour in y of the quad: lane 2 - lane 0 (and, if fine, lane 3 - lane 1 for the right column).
    Ddy {
        /// Whether each column has its own difference.
        fine: bool,
    },
    /// Texture read: three coordinates, then the operands for the level of detail (see [`super::LodKind`]). Four results.
    Sample(Sampler),
    /// Buffer read: element at an I32 index. Four results.
    Fetch {
        /// Buffer number.
        buffer: u8,
        /// Conversion.
        format: FetchFormat,
    },

    /// Takes `n` units of fuel; a lane with fewer ends as out of fuel.
    Fuel(u32),
    /// Marks the lane killed where the operand (Bool) holds; the lane continues as a helper.
    Kill,
    /// Appends an effect with four F32 components to the lane's record where the first operand (Bool) holds.
    Effect {
        /// The instruction set's tag.
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
    /// Operand types. For [`Op::Write`] and [`Op::Sample`] they depend on the program; those return only the fixed part.
    pub fn operands(self) -> &'static [Ty] {
        match self {
            Op::F32(_)
            | Op::I32(_)
            | Op::Bool(_)
            | Op::Input(_)
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

    /// Type and number of results. For [`Op::Read`] the type is the variable's; this returns `None`.
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

    /// Whether the operation does more than compute its results; such operations keep their order and are never dropped.
    pub fn is_effect(self) -> bool {
        matches!(self, Op::Write(_) | Op::Store(_) | Op::Fuel(_) | Op::Kill | Op::Effect { .. })
    }

    /// Whether the result depends on the other lanes of a quad.
    pub fn is_quad(self) -> bool {
        matches!(self, Op::Ddx { .. } | Op::Ddy { .. })
    }

    /// Whether two occurrences in one block with the same operands always return the same result.
    pub fn is_pure(self) -> bool {
        !self.is_effect() && !matches!(self, Op::Read(_) | Op::Load(_))
    }
}
