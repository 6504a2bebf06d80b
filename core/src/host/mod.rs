//! What a shader reaches outside itself: constants, textures, buffers, and the record of its effects.
//!
//! [`Host`] is the one door, generic over [`Domain`], used by the references and by the IR evaluator. [`Bound`] opens it onto a
//! concrete [`Environment`], [`Hull`] onto one as sets; the prover opens it onto uninterpreted functions.

mod bound;
pub mod check;
mod cube;
mod effect;
mod environment;
mod fetch;
mod half;
mod hull;
mod reader;
mod rows;
mod sampler;
mod texture;
mod wrap;

pub use bound::Bound;
pub use effect::{Effect, EffectRecord};
pub use environment::{Environment, LaneInput};
pub use fetch::{Buffer, FetchFormat, FetchKind, fetch};
pub use hull::Hull;
pub use rows::sample_rows;
pub use sampler::{Access, Answer, Filter, Lod, MipFilter, SampleRequest, SamplerState, Wrap, sample};
pub use texture::{Dimension, Texels, Texture};

use crate::value::{Domain, Freedom};

/// The outside of a running group of lanes.
pub trait Host<D: Domain> {
    /// The four components of per-lane input `slot` of `lane` (0 to 3 within the group).
    fn input(&mut self, d: &D, lane: usize, slot: u16) -> [D::F; 4];

    /// The vec4 at `slot` of the float constant file; zeros outside it.
    fn constant(&mut self, d: &D, slot: &D::I) -> [D::F; 4];

    /// The four integers at `slot` of the integer constant file; zeros outside it.
    fn int_constant(&mut self, d: &D, slot: u16) -> [D::I; 4];

    /// The truth value at `slot` of the Boolean constant file; false outside it.
    fn bool_constant(&mut self, d: &D, slot: u16) -> D::B;

    /// A texel, filtered as [`sample`] defines.
    fn sample(&mut self, d: &D, unit: u8, request: &SampleRequest<D::F>) -> [D::F; 4];

    /// Element `index` of a buffer, converted as `format` says; bytes outside the buffer are zero.
    fn fetch(&mut self, d: &D, buffer: u8, format: FetchFormat, index: &D::I) -> [D::F; 4];

    /// Appends to the ordered record of `lane`, where the effect happens.
    fn effect(&mut self, d: &D, lane: usize, effect: Effect<D>);

    /// Notes that a point the documents leave open was reached.
    fn touch(&mut self, freedom: Freedom, when: &D::B);

    /// Whether a touch is noted. Conditions that serve nothing else, and that many instructions have, need not be computed where it is not.
    #[inline(always)]
    fn notes(&self) -> bool {
        false
    }
}
