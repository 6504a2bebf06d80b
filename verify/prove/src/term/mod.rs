//! Terms: what semantics compute when they are run on unknowns instead of numbers.
//!
//! Terms live in an [`Arena`], each structure once, so equal terms have equal numbers and comparing them costs nothing. The
//! [`Terms`] domain builds them through the folds of [`folds`] and [`signs`], each of which is itself a proof obligation. No solver is
//! involved: most lowering rules are proved here, both sides having become the same term.

mod arena;
mod domain;
mod fold;
pub mod folds;
mod hash;
mod node;
mod path;
pub mod signs;
mod under;

pub use arena::Arena;
pub use domain::{B, F, I, Terms};
pub(crate) use hash::Map;
pub use node::{Function, Node, Term, Ty};
pub use path::{Path, explore};
