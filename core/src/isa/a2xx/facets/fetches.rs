//! Facets of FETCH slots.

use super::draft::change;
use super::site::word_at;
use super::{COMPONENTS, OFF_ON};
use crate::isa::a2xx::format;
use crate::isa::a2xx::program::{Program, Texture, Vertex};
use crate::isa::a2xx::word::{Anisotropy, Dimension, Filter, IndexRounding, Kernel, Location};
use crate::isa::facet::choice::{self, Choice, field_value, value, with_first};
use crate::isa::facet::{Combination, Facet};

/// Defines a facet whose value is that of one field, for one kind of fetch.
macro_rules! field {
    ($facet:ident $kind:ident $name:literal: $meaning:literal, $choices:ident, $field:ident) => {
        pub(super) const $facet: Facet<Program> = Facet {
            name: $name,
            meaning: $meaning,
            values: &choice::names(&$choices),
            combination: Combination::ONE,
            get: |program, site| {
                let held = word_at::<$kind>(program, site).map(|fetch| fetch.$field);
                held.and_then(|held| value(&$choices, held)).into_iter().collect()
            },
            set: |program, site, value| {
                let wanted = field_value(&$choices, value)?;
                change::<$kind>(program, site, |fetch| {
                    fetch.$field = wanted;
                    Some(())
                })
            },
            disturbs: &[],
        };
    };
}

/// Defines a facet whose values are ranges of a field. `$range` returns the value for a fetch. The setter writes the number listed with the value,
/// unless the field is in that range already.
macro_rules! range {
    ($facet:ident $kind:ident $name:literal: $meaning:literal, $choices:ident, $field:ident, $range:expr) => {
        pub(super) const $facet: Facet<Program> = Facet {
            name: $name,
            meaning: $meaning,
            values: &choice::names(&$choices),
            combination: Combination::ONE,
            get: |program, site| word_at::<$kind>(program, site).map($range).into_iter().collect(),
            set: |program, site, value| {
                let wanted = field_value(&$choices, value)?;
                let is_so = word_at::<$kind>(program, site).map($range)? == value;
                change::<$kind>(program, site, |fetch| {
                    if !is_so {
                        fetch.$field = wanted;
                    }
                    Some(())
                })
            },
            disturbs: &[],
        };
    };
}

// ---- vertices

const VERTEX_FORMATS: [Choice; format::VALUES.len()] = format::VALUES;

range!(FORMAT Vertex "format": "the data format of the vertex attribute", VERTEX_FORMATS, format, |vertex| {
    format::value(vertex.format)
});

/// The number formats of vertex fetches: whether numbers are signed, and whether they are integers rather than normalized.
const KINDS: [Choice<(u8, u8)>; 4] = [
    ("unsigned_normalized", (0, 0)),
    ("signed_normalized", (1, 0)),
    ("unsigned_integer", (0, 1)),
    ("signed_integer", (1, 1)),
];

pub(super) const NUMBER: Facet<Program> = Facet {
    name: "number",
    meaning: "the interpretation of the integers of the format",
    values: &choice::names(&KINDS),
    combination: Combination::ONE.in_threes(),
    get: |program, site| {
        let kind = word_at::<Vertex>(program, site).map(|vertex| (vertex.signed, vertex.integer));
        kind.and_then(|kind| value(&KINDS, kind)).into_iter().collect()
    },
    set: |program, site, value| {
        let kind = field_value(&KINDS, value)?;
        change::<Vertex>(program, site, |vertex| {
            (vertex.signed, vertex.integer) = kind;
            Some(())
        })
    },
    disturbs: &[],
};

const ROUNDINGS: [Choice; 2] = IndexRounding::VALUES;
const SUB_INDICES: [Choice; 3] = [("0", 0), ("1", 1), ("2", 2)];
/// The exponent of the scale. The nonzero value is negative, so it scales by a power of two less than one.
const SCALES: [Choice; 2] = [("none", 0), ("power", 61)];
/// Offsets of each sign, in two's complement of 23 bits.
const DISTANCES: [Choice<u32>; 3] = [("zero", 0), ("positive", 5), ("negative", 0x7f_fffc)];

field!(NO_ZERO Vertex "no_zero": "whether signed normalised numbers cannot represent zero", OFF_ON, no_zero);
field!(ROUND Vertex "round": "how the index is rounded", ROUNDINGS, round_index);
field!(INDEX_COMPONENT Vertex "index.component": "the source component that holds the index", COMPONENTS, src_component);
field!(SUB Vertex "sub": "the second number of the vertex constant", SUB_INDICES, const_sub);
range!(SCALE Vertex "scale": "whether values are multiplied by a power of two", SCALES, exp_adjust, |vertex| {
    if vertex.exp_adjust == 0 { "none" } else { "power" }
});
range!(DISTANCE Vertex "offset": "the offset from the beginning of the buffer", DISTANCES, offset, |vertex| {
    match vertex.signed_offset() {
        0 => "zero",
        distance if distance < 0 => "negative",
        _ => "positive",
    }
});
field!(MINI Vertex "mini": "whether the address of the last fetch without this bit is used again", OFF_ON, mini_fetch);

// ---- textures

const FILTERS: [Choice; Filter::ALL.len()] = with_first(Filter::VALUES, Filter::Constant as u8);
const ANISOTROPIES: [Choice; Anisotropy::ALL.len()] =
    with_first(Anisotropy::VALUES, Anisotropy::Constant as u8);
const KERNELS: [Choice; Kernel::ALL.len()] = with_first(Kernel::VALUES, Kernel::Constant as u8);
const LEVELS: [Choice; 2] = [("given", 0), ("computed", 1)];
const LEVEL_REGISTERS: [Choice; 4] = [("0", 0), ("1", 1), ("2", 2), ("3", 3)];
const GRADIENT_SOURCES: [Choice; 2] = [("computed", 0), ("register", 1)];
const LOCATIONS: [Choice; Location::ALL.len()] = Location::VALUES;
const DIMENSIONS: [Choice; Dimension::ALL.len()] = Dimension::VALUES;
const BIASES: [Choice; 2] = [("zero", 0), ("nonzero", 0x71)];
/// Offsets along x, y and z in half texels, in two's complement of 5 bits.
const OFFSETS: [Choice<[u8; 3]>; 2] = [("zero", [0; 3]), ("nonzero", [0x1e, 0x11, 3])];

field!(VALID_ONLY Texture "valid_only": "whether only valid pixels fetch", OFF_ON, valid_only);
field!(DENORM Texture "denorm": "whether coordinates are in texels", OFF_ON, denorm);
field!(MAG Texture "mag": "the filter for magnification", FILTERS, mag_filter);
field!(MIN Texture "min": "the filter for minification", FILTERS, min_filter);
field!(MIP Texture "mip": "the filter between levels of detail", FILTERS, mip_filter);
field!(VOL_MAG Texture "vol_mag": "the filter between slices of a volume for magnification", FILTERS, vol_mag_filter);
field!(VOL_MIN Texture "vol_min": "the filter between slices of a volume for minification", FILTERS, vol_min_filter);
field!(ANISO Texture "aniso": "the maximum anisotropy", ANISOTROPIES, aniso_filter);
field!(ARBITRARY Texture "arbitrary": "the kernel of an arbitrary filter", KERNELS, arbitrary_filter);
field!(LOD Texture "lod": "whether the level of detail is computed", LEVELS, use_comp_lod);
field!(REG_LOD Texture "reg_lod": "whether the level of detail set by SET_TEX_LOD is used", LEVEL_REGISTERS, use_reg_lod);
field!(GRADIENTS Texture "gradients": "the source of the derivatives", GRADIENT_SOURCES, use_reg_gradients);
field!(LOCATION Texture "location": "the position in the pixel at which the texture is sampled", LOCATIONS, sample_location);
range!(BIAS Texture "bias": "whether the level of detail has a bias", BIASES, lod_bias, |texture| {
    if texture.lod_bias == 0 { "zero" } else { "nonzero" }
});
field!(DIMENSION Texture "dimension": "the shape of a texture on Xenos", DIMENSIONS, dimension);

pub(super) const OFFSET: Facet<Program> = Facet {
    name: "offset",
    meaning: "whether coordinates have an offset",
    values: &choice::names(&OFFSETS),
    combination: Combination::ONE,
    get: |program, site| word_at::<Texture>(program, site).map(offset).into_iter().collect(),
    set: |program, site, value| {
        let wanted = field_value(&OFFSETS, value)?;
        let is_so = word_at::<Texture>(program, site).map(offset)? == value;
        change::<Texture>(program, site, |texture| {
            if !is_so {
                [texture.offset_x, texture.offset_y, texture.offset_z] = wanted;
            }
            Some(())
        })
    },
    disturbs: &[],
};

fn offset(texture: &Texture) -> &'static str {
    if [texture.offset_x, texture.offset_y, texture.offset_z] == [0; 3] { "zero" } else { "nonzero" }
}
