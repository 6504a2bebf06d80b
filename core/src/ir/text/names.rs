//! Names in the IR's text form, in tables that the printer and the parser share.

use crate::host::{Dimension, FetchKind, Filter, MipFilter, SampleResult, Wrap};
use crate::ir::op::{Flush, Op, QuadLane, Ty};
use crate::ir::program::LodKind;
use crate::value::{BBin, FCmp, FUn, IBin, ICmp, Narrow};

/// A table of names.
pub(super) type Names<T> = &'static [(&'static str, T)];

/// Lanes of a quad.
pub(super) const QUAD_LANES: Names<QuadLane> = &[
    ("left", QuadLane::Left),
    ("right", QuadLane::Right),
    ("upper", QuadLane::Upper),
    ("lower", QuadLane::Lower),
    ("first", QuadLane::First),
    ("second", QuadLane::Second),
    ("third", QuadLane::Third),
];

/// Operations without immediates.
pub(super) const PLAIN: Names<Op> = &[
    ("add", Op::Add),
    ("sub", Op::Sub),
    ("mul", Op::Mul),
    ("div", Op::Div),
    ("fma", Op::Fma),
    ("min", Op::Min),
    ("max", Op::Max),
    ("mulz", Op::Mulz),
    ("mulz_inf", Op::MulzInf),
    ("flush", Op::Flush(Flush::Subnormal)),
    ("flush_f24", Op::Flush(Flush::F24)),
    ("flush_f24u", Op::Flush(Flush::F24Unsigned)),
    ("flush_sign", Op::Flush(Flush::Sign)),
    ("neg", Op::Un(FUn::Neg)),
    ("abs", Op::Un(FUn::Abs)),
    ("sqrt", Op::Un(FUn::Sqrt)),
    ("floor", Op::Un(FUn::Floor)),
    ("trunc", Op::Un(FUn::Trunc)),
    ("round", Op::Un(FUn::RoundEven)),
    ("exp2", Op::Un(FUn::Exp2)),
    ("log2", Op::Un(FUn::Log2)),
    ("sin", Op::Un(FUn::Sin)),
    ("cos", Op::Un(FUn::Cos)),
    ("f24", Op::Un(FUn::Narrow(Narrow::F24Nearest))),
    ("f24z", Op::Un(FUn::Narrow(Narrow::F24Zero))),
    ("f24h", Op::Un(FUn::Narrow(Narrow::F24ZeroSaturate))),
    ("lt", Op::Cmp(FCmp::Lt)),
    ("le", Op::Cmp(FCmp::Le)),
    ("eq", Op::Cmp(FCmp::Eq)),
    ("ieq", Op::ICmp(ICmp::Eq)),
    ("ilt", Op::ICmp(ICmp::LtS)),
    ("ult", Op::ICmp(ICmp::LtU)),
    ("iadd", Op::IBin(IBin::Add)),
    ("isub", Op::IBin(IBin::Sub)),
    ("imul", Op::IBin(IBin::Mul)),
    ("iand", Op::IBin(IBin::And)),
    ("ior", Op::IBin(IBin::Or)),
    ("ixor", Op::IBin(IBin::Xor)),
    ("ishl", Op::IBin(IBin::Shl)),
    ("ushr", Op::IBin(IBin::ShrU)),
    ("ishr", Op::IBin(IBin::ShrS)),
    ("and", Op::Logic(BBin::And)),
    ("or", Op::Logic(BBin::Or)),
    ("xor", Op::Logic(BBin::Xor)),
    ("not", Op::Not),
    ("sel", Op::Sel(Ty::F32)),
    ("sel_i32", Op::Sel(Ty::I32)),
    ("sel_bool", Op::Sel(Ty::Bool)),
    ("trunc_i", Op::TruncI),
    ("to_f", Op::ToF),
    ("bits", Op::Bits),
    ("from_bits", Op::FromBits),
    ("ddx", Op::Ddx { fine: false }),
    ("ddx_fine", Op::Ddx { fine: true }),
    ("ddy", Op::Ddy { fine: false }),
    ("ddy_fine", Op::Ddy { fine: true }),
    ("kill", Op::Kill),
];

/// Types.
pub(super) const TYPES: Names<Ty> = &[("f32", Ty::F32), ("i32", Ty::I32), ("bool", Ty::Bool)];

/// Truth values.
pub(super) const TRUTH: Names<bool> = &[("false", false), ("true", true)];

/// The kinds of results of texture reads.
pub(super) const RESULT_KINDS: Names<SampleResult> = &[
    ("texel", SampleResult::Texel),
    ("detail", SampleResult::Detail),
    ("weights", SampleResult::Weights),
    ("border", SampleResult::Border),
];

/// Texture dimensions.
pub(super) const DIMENSIONS: Names<Dimension> =
    &[("1d", Dimension::One), ("2d", Dimension::Two), ("3d", Dimension::Three), ("cube", Dimension::Cube)];

/// Ways to determine the level of detail.
pub(super) const LODS: Names<LodKind> =
    &[("base", LodKind::Base), ("explicit", LodKind::Explicit), ("gradient", LodKind::Gradient)];

/// Filters within a level.
pub(super) const FILTERS: Names<Filter> = &[("nearest", Filter::Nearest), ("linear", Filter::Linear)];

/// Filters between levels.
pub(super) const MIP_FILTERS: Names<MipFilter> =
    &[("none", MipFilter::None), ("nearest", MipFilter::Nearest), ("linear", MipFilter::Linear)];

/// Wrap modes.
pub(super) const WRAPS: Names<Wrap> =
    &[("clamp", Wrap::Clamp), ("repeat", Wrap::Repeat), ("mirror", Wrap::Mirror), ("border", Wrap::Border)];

/// The meanings of a fetched component's bits.
pub(super) const FETCH_KINDS: Names<FetchKind> = &[
    ("float32", FetchKind::Float32),
    ("float16", FetchKind::Float16),
    ("float16_finite", FetchKind::Float16Finite),
    ("unorm", FetchKind::Unorm),
    ("snorm", FetchKind::Snorm),
    ("snorm_no_zero", FetchKind::SnormNoZero),
    ("uint", FetchKind::Uint),
    ("sint", FetchKind::Sint),
    ("fixed1616", FetchKind::Fixed1616),
];

/// Returns the name of a value in a table of names. If the value has none, returns a question mark, which the tests of printing and parsing detect.
pub(super) fn name<T: PartialEq>(names: Names<T>, value: &T) -> &'static str {
    names.iter().find(|(_, v)| v == value).map_or("?", |(name, _)| name)
}
