//! The reads of textures that a library makes through the `sample` function of its environment.

use super::abi::{Read, Texture as RawTexture, detail};
use super::texture::{dimension, state};
use crate::judge::subject::TextureData;
use lockstep_core::exec::StandardMode;
use lockstep_core::host::{Access, Lod, NO_TEXTURE, SampleRequest, Texture, sample};
use std::cell::OnceCell;

/// The textures of a run, by unit.
pub(super) struct Sampling<'a> {
    data: &'a [TextureData],
    /// The same textures in the form that the sampler reads, converted for the first read.
    textures: OnceCell<Vec<Texture>>,
}

impl<'a> Sampling<'a> {
    pub(super) fn new(data: &'a [TextureData]) -> Sampling<'a> {
        Sampling { data, textures: OnceCell::new() }
    }

    /// Returns the texel of a read; `None` if the read or `own` contains a number that the header does not define. `own` replaces the sampler state
    /// of the unit.
    pub(super) fn texel(&self, read: &Read, own: Option<&RawTexture>) -> Option<[u32; 4]> {
        // The library may have set another floating-point mode, which is restored before it continues.
        let _mode = StandardMode::enter();
        let request = SampleRequest {
            dimension: dimension(read.dimension)?,
            state: match own {
                Some(own) => Some((&state(own)?).into()),
                None => None,
            },
            access: Access::PLAIN,
            coords: read.coords.map(f32::from_bits),
            lod: match read.detail {
                detail::BASE => Lod::Base,
                detail::EXPLICIT => Lod::Explicit(f32::from_bits(read.level)),
                detail::GRADIENT => Lod::Gradient {
                    dx: read.dx.map(f32::from_bits),
                    dy: read.dy.map(f32::from_bits),
                    bias: f32::from_bits(read.bias),
                },
                _ => return None,
            },
        };
        let textures = self.textures.get_or_init(|| self.data.iter().map(Texture::from).collect());
        let texture = usize::try_from(read.unit).ok().and_then(|unit| textures.get(unit));
        Some(texture.map_or(NO_TEXTURE, |texture| sample(texture, &request)).map(f32::to_bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::subject::{Bits, SamplerData};
    use lockstep_core::host::{Dimension, Filter, MipFilter, SamplerState, Wrap};

    /// Returns a 2D texture of two levels. The texels of level 0 have 1 2 / 3 4 in x, that of level 1 has 9; all have 1 in w.
    fn plane() -> TextureData {
        let state =
            SamplerState { mip: MipFilter::Linear, wrap: [Wrap::Repeat; 3], ..SamplerState::default() };
        let texel = |x: f32| [x, 0.0, 0.0, 1.0].map(Bits::from);
        TextureData {
            dimension: Dimension::Two,
            size: [2, 2, 1],
            levels: 2,
            state: SamplerData::from(&state),
            texels: [1.0, 2.0, 3.0, 4.0, 9.0].map(texel).to_vec(),
        }
    }

    fn read(x: f32, y: f32) -> Read {
        Read {
            size: size_of::<Read>(),
            unit: 0,
            dimension: 2,
            detail: detail::BASE,
            coords: [x, y, 0.0].map(f32::to_bits),
            level: 0,
            dx: [0; 3],
            dy: [0; 3],
            bias: 0,
            state: std::ptr::null(),
        }
    }

    /// Returns x of the texel that is read.
    fn x(read: &Read, own: Option<&RawTexture>) -> Option<f32> {
        let all = [plane()];
        Sampling::new(&all).texel(read, own).map(|texel| f32::from_bits(texel[0]))
    }

    #[test]
    fn texels_are_read_at_a_level_or_by_gradients() {
        assert_eq!(x(&read(1.25, 0.75), None), Some(3.0));
        let level =
            |level: f32| Read { detail: detail::EXPLICIT, level: level.to_bits(), ..read(0.75, 0.75) };
        assert_eq!([0.0, 0.5, 1.0, f32::NAN].map(|l| x(&level(l), None)), [4.0, 6.5, 9.0, 4.0].map(Some));
        // A gradient of one spans the two texels of the texture, so it selects level 1; the bias lowers the level.
        let gradient = |bias: f32| Read {
            detail: detail::GRADIENT,
            dx: [1.0, 0.0, 0.0].map(f32::to_bits),
            bias: bias.to_bits(),
            ..read(0.75, 0.75)
        };
        assert_eq!([0.0, -0.5, -1.0].map(|b| x(&gradient(b), None)), [9.0, 6.5, 4.0].map(Some));
    }

    #[test]
    fn a_read_has_a_state_of_its_own_or_that_of_the_unit() {
        let mut own = super::super::texture::raw(&plane(), &[]);
        own.wrap = [3; 3];
        own.mag = 2;
        assert_eq!(x(&read(1.25, 0.75), Some(&own)), Some(4.0));
        assert_eq!(x(&read(0.5, 0.5), Some(&own)), Some(2.5));
        assert_eq!(plane().state.mag, Filter::Nearest);
        own.wrap[2] = 9;
        assert_eq!(x(&read(0.0, 0.0), Some(&own)), None);
    }

    #[test]
    fn units_without_a_texture_and_nan_are_defined_and_other_numbers_are_refused() {
        let all = [plane()];
        let texel = |read: &Read| Sampling::new(&all).texel(read, None);
        let none = Some([0.0, 0.0, 0.0, 1.0f32].map(f32::to_bits));
        for unit in [1, 255, 256, u32::MAX] {
            assert_eq!(texel(&Read { unit, ..read(0.0, 0.0) }), none, "{unit}");
        }
        assert_eq!(x(&read(f32::NAN, 0.75), None), Some(3.0));
        let direction = Read { dimension: 4, coords: [f32::NAN.to_bits(); 3], ..read(0.0, 0.0) };
        assert_eq!(x(&direction, None), Some(1.0));
        for wrong in [Read { dimension: 0, ..read(0.0, 0.0) }, Read { detail: 3, ..read(0.0, 0.0) }] {
            assert_eq!(texel(&wrong), None);
        }
    }
}
