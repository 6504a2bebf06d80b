//! Reads textures through the host's `sample` function.

use lockstep::judge::plugin::abi::{Environment, Read, detail, verdict};
use lockstep::judge::plugin::texture::{dimension_number, raw};
use lockstep::judge::{Bits, SamplerData, TextureData};
use lockstep_core::host::{Access, Lod, SampleRequest};

/// Reads a texture unit; `None` if the host has no such function or does not accept the read, or if the read has properties that `lockstep_read`
/// cannot express.
///
/// # Safety
/// The environment is as the header requires, and the call that it belongs to has not returned.
pub(crate) unsafe fn sample(
    environment: &Environment,
    unit: u8,
    request: &SampleRequest<f32>,
) -> Option<[f32; 4]> {
    let sample = environment.sample.filter(|_| request.access == Access::PLAIN)?;
    let dimension = request.dimension;
    let own = request.state.as_ref().map(|state| {
        let state = SamplerData::from(state);
        raw(&TextureData { dimension, size: [1; 3], levels: 1, state, texels: Vec::new() }, &[])
    });
    let bits = |all: [f32; 3]| all.map(f32::to_bits);
    let mut read = Read {
        size: size_of::<Read>(),
        unit: u32::from(unit),
        dimension: dimension_number(dimension),
        detail: detail::BASE,
        coords: bits(request.coords),
        level: 0,
        dx: [0; 3],
        dy: [0; 3],
        bias: 0,
        state: own.as_ref().map_or(std::ptr::null(), std::ptr::from_ref),
    };
    match request.lod {
        Lod::Base => {}
        Lod::Explicit(level) => (read.detail, read.level) = (detail::EXPLICIT, level.to_bits()),
        Lod::Gradient { dx, dy, bias } => {
            (read.detail, read.bias) = (detail::GRADIENT, bias.to_bits());
            (read.dx, read.dy) = (bits(dx), bits(dy));
        }
    }
    let mut texel = [0; 4];
    // SAFETY: the caller guarantees it: see `# Safety` of this function. The read and its state live until the function returns.
    let returned = unsafe { sample(environment.sampling, &raw const read, &raw mut texel) };
    (returned == verdict::ACCEPTED).then(|| texel.map(|bits| Bits(bits).value()))
}
