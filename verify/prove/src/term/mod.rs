//! Terms: the values used when semantics are run on unknowns instead of numbers.
//!
//! Terms live in an [`Arena`] that stores each structure once, so equal terms have equal numbers and comparing them costs nothing. The
//! [`Terms`] domain builds them through folds, each of which becomes a proof obligation when it fires ([`fired`]). No solver is
//! involved: most lowering rules are proved here, because both sides become the same term.

mod arena;
pub mod arm;
pub mod axiom;
mod cover;
mod domain;
pub mod fired;
mod fold;
pub mod folds;
mod hash;
#[cfg(test)]
mod near;
mod node;
mod path;
#[cfg(test)]
pub(crate) mod planted;
pub mod signs;
mod table;
mod under;

pub use arena::Arena;
pub use cover::{Explored, explore};
pub use domain::{B, F, I, Terms};
pub(crate) use hash::{Map, Set};
pub use node::{Function, Node, Term, Ty};
pub use path::Path;
