//! The common intermediate representation.
//!
//! It is scalar, because write masks and swizzles then cost nothing: after lowering there are only single components. Programs are blocks in position
//! order, each straight-line SSA reading and writing numbered variables; see [`Program`] and [`Op`].

pub mod blocks;
mod builder;
pub mod eval;
pub mod explore;
mod mix;
mod nodes;
mod op;
mod program;
pub mod random;
pub mod rewrite;
mod text;
mod verify;

pub use builder::Builder;
pub use explore::{
    BranchSelect, FallbackExit, LowerError, MAX_NODES, MAX_NODES_PER_WORD, Mode, Nodes, Successors,
    fallback_word, hang_word, lower, lower_by_words, lower_with_nodes,
};
pub use op::{Array, Flush, Op, Sampler, Ty, Var};
pub use program::{
    ArrayDecl, ArrayInit, Block, BlockId, Inst, LodKind, Program, SamplerDecl, Terminator, Value, VarDecl,
    VarKey,
};
pub use text::{parse, print};
pub use verify::{MAX_ARRAY_ELEMENTS, VerifyError, verify};
