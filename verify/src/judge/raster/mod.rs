//! Runs translations of programs on a software rasteriser.
//!
//! A subject with the ability `translate` translates programs to GLSL, SPIR-V or WGSL; naga compiles WGSL to SPIR-V. [`Rasterised`] makes such a
//! subject usable as one that runs programs: it sends the translation to Mesa's software rasteriser, which runs in a separate process
//! ([`Rasteriser`]) because a shader may crash the rasteriser or corrupt its memory. The differences between the rasteriser's arithmetic and binary32
//! are measured first ([`measure_rasteriser`]), and become part of the subject's tolerance.

mod connection;
mod execute;
mod gl;
mod learn;
mod shader;
mod source;
mod spirv;
mod term;
mod wgsl;

pub use connection::Rasterised;
pub use execute::Rasteriser;
pub use learn::{Learned, OPERATIONS, measure_rasteriser};
