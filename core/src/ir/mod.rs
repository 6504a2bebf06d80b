//! The intermediate representation to which all instruction sets are lowered.
//!
//! The IR is scalar: after lowering there are only single components, so write masks and swizzles cost nothing. A program is a sequence of basic
//! blocks. Each block is straight-line SSA code that reads and writes numbered variables; see [`Program`] and [`Op`].

pub mod blocks;
mod builder;
pub mod eval;
mod mix;
mod op;
mod program;
pub mod random;
pub mod rewrite;
mod text;
mod verify;

pub use builder::Builder;
pub(crate) use mix::FastHash;
pub use op::{Array, Flush, Op, QuadLane, Sampler, Ty, Var};
pub use program::{
    ArrayDecl, ArrayInit, Block, BlockId, Inst, LodKind, Program, SamplerDecl, Terminator, Value, VarDecl,
    VarKey,
};
pub use text::{parse, print, print_instruction};
pub use verify::{MAX_ARRAY_ELEMENTS, VerifyError, verify};
