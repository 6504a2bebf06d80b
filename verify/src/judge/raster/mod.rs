//! Translations, run on a software rasteriser.
//!
//! A subject with the ability `translate` turns a program into GLSL. [`Rasterised`] makes of it a subject that runs programs: it sends the translation
//! to a rasteriser, Mesa's, in a process of its own ([`Rasteriser`]), so that whatever a shader does to its compiler happens to that process. What the
//! rasteriser computes differently from binary32 arithmetic is measured first ([`learn`]), and becomes part of the subject's tolerance.

mod connection;
mod execute;
mod gl;
mod learn;
mod shader;

pub use connection::Rasterised;
pub use execute::Rasteriser;
pub use learn::{Learned, OPERATIONS, learn};
