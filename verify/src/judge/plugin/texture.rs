//! Textures as `lockstep.h` declares them, and the numbers of that header for dimensions, filters and wrapping.

use super::abi::Texture;
use crate::judge::subject::{Bits, SamplerData, TextureData};
use lockstep_core::host::{Dimension, Filter, MipFilter, Wrap};

const DIMENSIONS: [(u32, Dimension); 4] =
    [(1, Dimension::One), (2, Dimension::Two), (3, Dimension::Three), (4, Dimension::Cube)];
const FILTERS: [(u32, Filter); 2] = [(1, Filter::Nearest), (2, Filter::Linear)];
const MIP_FILTERS: [(u32, MipFilter); 3] =
    [(0, MipFilter::None), (1, MipFilter::Nearest), (2, MipFilter::Linear)];
const WRAPS: [(u32, Wrap); 4] = [(1, Wrap::Repeat), (2, Wrap::Mirror), (3, Wrap::Clamp), (4, Wrap::Border)];

fn number<T: PartialEq>(table: &[(u32, T)], wanted: &T) -> u32 {
    table.iter().find(|(_, value)| value == wanted).map_or(0, |(number, _)| *number)
}

fn value<T: Copy>(table: &[(u32, T)], wanted: u32) -> Option<T> {
    table.iter().find(|(number, _)| *number == wanted).map(|(_, value)| *value)
}

/// Returns the C structure of a texture, which refers to `texels`.
pub fn raw(data: &TextureData, texels: &[[u32; 4]]) -> Texture {
    let state = &data.state;
    Texture {
        dimension: number(&DIMENSIONS, &data.dimension),
        extent: data.size,
        levels: u32::from(data.levels),
        min: number(&FILTERS, &state.min),
        mag: number(&FILTERS, &state.mag),
        mip: number(&MIP_FILTERS, &state.mip),
        wrap: state.wrap.map(|wrap| number(&WRAPS, &wrap)),
        border: state.border.map(|bits| bits.0),
        lod_bias: state.lod_bias.0,
        max_anisotropy: u32::from(state.max_anisotropy),
        texels: texels.as_ptr(),
        texel_count: texels.len(),
    }
}

/// Returns the dimension of this number, if there is one.
pub fn dimension(number: u32) -> Option<Dimension> {
    value(&DIMENSIONS, number)
}

/// Returns the sampler state of a texture; `None` if it contains a number that the header does not define, or an anisotropy above 255.
pub fn state(raw: &Texture) -> Option<SamplerData> {
    let [x, y, z] = raw.wrap.map(|wrap| value(&WRAPS, wrap));
    Some(SamplerData {
        min: value(&FILTERS, raw.min)?,
        mag: value(&FILTERS, raw.mag)?,
        mip: value(&MIP_FILTERS, raw.mip)?,
        wrap: [x?, y?, z?],
        border: raw.border.map(Bits),
        lod_bias: Bits(raw.lod_bias),
        max_anisotropy: u8::try_from(raw.max_anisotropy).ok()?,
    })
}

/// Returns the number of a dimension.
pub fn dimension_number(dimension: Dimension) -> u32 {
    number(&DIMENSIONS, &dimension)
}
