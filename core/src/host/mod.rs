//! The host interface: the inputs, constants, textures and buffers that a shader accesses, and the record of its effects.
//!
//! All accesses by the references and by the IR evaluator go through [`Host`], which is generic over [`Domain`]. [`ConcreteHost`] implements it for a
//! concrete [`Environment`]. [`RangeHost`] implements it for sets of values, one set for all groups of an environment. The prover implements it with
//! uninterpreted functions.

mod bound;
pub mod check;
mod cube;
mod effect;
mod end;
mod environment;
mod fetch;
mod half;
mod hull;
mod reader;
mod rows;
mod sampler;
mod texture;
mod wrap;

pub use bound::{ConcreteHost, NO_TEXTURE};
pub use effect::{Effect, EffectRecord};
pub use end::End;
pub use environment::{Environment, LaneInput};
pub use fetch::{Buffer, FetchFormat, FetchKind, fetch};
pub use hull::RangeHost;
pub use rows::sample_rows;
pub use sampler::{Access, Filter, Lod, MipFilter, SampleRequest, SampleResult, SamplerState, Wrap, sample};
pub use texture::{Dimension, Texels, Texture};

use crate::value::{Domain, Freedom};

/// The environment of a running group of lanes.
pub trait Host<D: Domain> {
    /// The four components of per-lane input `slot` of `lane` (0 to 3 within the group).
    fn input(&mut self, d: &D, lane: usize, slot: u16) -> [D::F; 4];

    /// The vec4 at `slot` of the float constant file; zeros outside it.
    fn constant(&mut self, d: &D, slot: &D::I) -> [D::F; 4];

    /// The four integers at `slot` of the integer constant file; zeros outside it.
    fn int_constant(&mut self, d: &D, slot: u16) -> [D::I; 4];

    /// The truth value at `slot` of the Boolean constant file; false outside it.
    fn bool_constant(&mut self, d: &D, slot: u16) -> D::B;

    /// The result of a texture read, as defined by [`sample`].
    fn sample(&mut self, d: &D, unit: u8, request: &SampleRequest<D::F>) -> [D::F; 4];

    /// Element `index` of a buffer, converted by `format`; bytes outside the buffer are zero.
    fn fetch(&mut self, d: &D, buffer: u8, format: FetchFormat, index: &D::I) -> [D::F; 4];

    /// Appends an effect to the ordered record of `lane` if the effect happens.
    fn effect(&mut self, d: &D, lane: usize, effect: Effect<D>);

    /// Records that the alternatives of `freedom` might change a result of the run, if `when` holds.
    fn record(&mut self, freedom: Freedom, when: &D::B);

    /// Whether Freedoms are recorded. If not, callers may omit the computation of conditions that only [`Host::record`] needs.
    #[inline(always)]
    fn records_freedoms(&self) -> bool {
        false
    }
}
