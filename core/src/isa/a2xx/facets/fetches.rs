//! Facets of FETCH slots.

use super::draft::change;
use super::site::part;
use super::{LANES, OFF_ON};
use crate::isa::a2xx::program::{Program, Texture, Vertex};
use crate::isa::a2xx::word::{Anisotropy, Dimension, FORMATS, Filter, IndexRounding, Kernel, Location};
use crate::isa::facet::Facet;
use crate::isa::facet::choice::{self, Choice, held, value};

/// A facet of the fetches of one kind that is the value of a field.
macro_rules! field {
    ($facet:ident $kind:ident $name:literal: $meaning:literal, $choices:ident, $field:ident) => {
        pub(super) const $facet: Facet<Program> = Facet {
            name: $name,
            meaning: $meaning,
            values: &choice::names(&$choices),
            get: |program, site| {
                let held = part::<$kind>(program, site).map(|fetch| fetch.$field);
                held.and_then(|held| value(&$choices, held)).into_iter().collect()
            },
            set: |program, site, value| {
                let wanted = held(&$choices, value)?;
                change::<$kind>(program, site, |fetch| {
                    fetch.$field = wanted;
                    Some(())
                })
            },
            disturbs: &[],
        };
    };
}

/// A facet that is whether a field is zero or one of its other values; the setter gives it the value that the table says.
macro_rules! sort {
    ($facet:ident $kind:ident $name:literal: $meaning:literal, $choices:ident, $field:ident, $sort:expr) => {
        pub(super) const $facet: Facet<Program> = Facet {
            name: $name,
            meaning: $meaning,
            values: &choice::names(&$choices),
            get: |program, site| part::<$kind>(program, site).map($sort).into_iter().collect(),
            set: |program, site, value| {
                let wanted = held(&$choices, value)?;
                let is_so = part::<$kind>(program, site).map($sort)? == value;
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

/// The formats whose layout is documented (xenia, mesa); then one that stands for the others.
const NUMBERS: [u8; 19] = [38, 2, 6, 7, 10, 16, 17, 24, 25, 26, 30, 31, 32, 33, 34, 35, 36, 37, 57];
const OTHER: Choice = ("other", 55);
const VERTEX_FORMATS: [Choice; NUMBERS.len() + 1] = {
    let mut all = [OTHER; NUMBERS.len() + 1];
    let mut k = 0;
    while k < NUMBERS.len() {
        all[k] = (format(NUMBERS[k]), NUMBERS[k]);
        k += 1;
    }
    all
};

/// The name of a vertex format: that of [`FORMATS`], and Xenos's of the one that is no format elsewhere.
const fn format(number: u8) -> &'static str {
    if number == 17 {
        return "11_11_10";
    }
    let mut k = 0;
    while k < FORMATS.len() {
        if FORMATS[k].0 == number as u64 {
            return FORMATS[k].1;
        }
        k += 1;
    }
    panic!("every format has a name")
}

/// Every name, in the order of values.
pub const FORMAT_NAMES: [&str; VERTEX_FORMATS.len()] = choice::names(&VERTEX_FORMATS);

/// What a format is called here: others have one name.
pub fn format_name(number: u8) -> &'static str {
    value(&VERTEX_FORMATS, number).unwrap_or(OTHER.0)
}

sort!(FORMAT Vertex "format": "the format of what is read", VERTEX_FORMATS, format, |vertex| {
    format_name(vertex.format)
});

/// Whether numbers are signed, and whether they are themselves and no parts of one.
const KINDS: [Choice<(u8, u8)>; 4] = [
    ("unsigned_normalized", (0, 0)),
    ("signed_normalized", (1, 0)),
    ("unsigned_integer", (0, 1)),
    ("signed_integer", (1, 1)),
];

pub(super) const NUMBER: Facet<Program> = Facet {
    name: "number",
    meaning: "what the integers of the format mean",
    values: &choice::names(&KINDS),
    get: |program, site| {
        let kind = part::<Vertex>(program, site).map(|vertex| (vertex.signed, vertex.integer));
        kind.and_then(|kind| value(&KINDS, kind)).into_iter().collect()
    },
    set: |program, site, value| {
        let kind = held(&KINDS, value)?;
        change::<Vertex>(program, site, |vertex| {
            (vertex.signed, vertex.integer) = kind;
            Some(())
        })
    },
    disturbs: &[],
};

const ROUNDINGS: [Choice; 2] =
    [("floor", IndexRounding::Floor as u8), ("nearest", IndexRounding::Nearest as u8)];
const PARTS: [Choice; 3] = [("0", 0), ("1", 1), ("2", 2)];
/// A power of two below one.
const SCALES: [Choice; 2] = [("none", 0), ("power", 61)];
/// In two's complement of 23 bits.
const DISTANCES: [Choice<u32>; 3] = [("zero", 0), ("positive", 5), ("negative", 0x7f_fffc)];

field!(NO_ZERO Vertex "no_zero": "whether signed normalised numbers have no zero", OFF_ON, no_zero);
field!(ROUND Vertex "round": "how the index is rounded", ROUNDINGS, round_index);
field!(LANE Vertex "index.component": "the component that is the index", LANES, src_component);
field!(SUB Vertex "sub": "the second number of the vertex constant", PARTS, const_sub);
sort!(SCALE Vertex "scale": "whether values are multiplied by a power of two", SCALES, exp_adjust, |vertex| {
    if vertex.exp_adjust == 0 { "none" } else { "power" }
});
sort!(DISTANCE Vertex "offset": "the distance from the beginning of the buffer", DISTANCES, offset, |vertex| {
    match vertex.signed_offset() {
        0 => "zero",
        distance if distance < 0 => "negative",
        _ => "positive",
    }
});
field!(MINI Vertex "mini": "whether the address of the fetch before is used again", OFF_ON, mini_fetch);

// ---- textures

/// A filter that the texture constant says: the value of the fields of anisotropic and arbitrary filters that no filter has.
const FROM_CONSTANT: u8 = 7;
const FILTERS: [Choice; Filter::CHOICES.len()] = [
    ("constant", Filter::Constant as u8),
    ("point", Filter::Point as u8),
    ("linear", Filter::Linear as u8),
    ("basemap", Filter::BaseMap as u8),
];
const ANISOTROPIES: [Choice; Anisotropy::CHOICES.len() + 1] = [
    ("constant", FROM_CONSTANT),
    ("off", Anisotropy::Disabled as u8),
    ("1", Anisotropy::Max1 as u8),
    ("2", Anisotropy::Max2 as u8),
    ("4", Anisotropy::Max4 as u8),
    ("8", Anisotropy::Max8 as u8),
    ("16", Anisotropy::Max16 as u8),
];
const KERNELS: [Choice; Kernel::CHOICES.len() + 1] = [
    ("constant", FROM_CONSTANT),
    ("2x4_sym", Kernel::SymmetricTwoByFour as u8),
    ("2x4_asym", Kernel::AsymmetricTwoByFour as u8),
    ("4x2_sym", Kernel::SymmetricFourByTwo as u8),
    ("4x2_asym", Kernel::AsymmetricFourByTwo as u8),
    ("4x4_sym", Kernel::SymmetricFourByFour as u8),
    ("4x4_asym", Kernel::AsymmetricFourByFour as u8),
];
const LEVELS: [Choice; 2] = [("given", 0), ("computed", 1)];
const LEVEL_REGISTERS: [Choice; 4] = [("0", 0), ("1", 1), ("2", 2), ("3", 3)];
const GRADIENT_SOURCES: [Choice; 2] = [("computed", 0), ("register", 1)];
const LOCATIONS: [Choice; Location::CHOICES.len()] =
    [("centroid", Location::Centroid as u8), ("center", Location::Center as u8)];
const DIMENSIONS: [Choice; Dimension::CHOICES.len()] = [
    ("1d", Dimension::One as u8),
    ("2d", Dimension::Two as u8),
    ("3d", Dimension::Three as u8),
    ("cube", Dimension::Cube as u8),
];
const BIASES: [Choice; 2] = [("zero", 0), ("nonzero", 0x71)];
/// Along x, y and z, in two's complement of 5 bits.
const OFFSETS: [Choice<[u8; 3]>; 2] = [("zero", [0; 3]), ("nonzero", [0x1e, 0x11, 3])];

field!(VALID_ONLY Texture "valid_only": "whether only valid pixels fetch", OFF_ON, valid_only);
field!(DENORM Texture "denorm": "whether coordinates count texels", OFF_ON, denorm);
field!(MAG Texture "mag": "the filter where a texel covers pixels", FILTERS, mag_filter);
field!(MIN Texture "min": "the filter where a pixel covers texels", FILTERS, min_filter);
field!(MIP Texture "mip": "the filter between levels", FILTERS, mip_filter);
field!(VOL_MAG Texture "vol_mag": "the filter between slices where a texel covers pixels", FILTERS, vol_mag_filter);
field!(VOL_MIN Texture "vol_min": "the filter between slices where a pixel covers texels", FILTERS, vol_min_filter);
field!(ANISO Texture "aniso": "the most texels along a line", ANISOTROPIES, aniso_filter);
field!(ARBITRARY Texture "arbitrary": "the kernel of an arbitrary filter", KERNELS, arbitrary_filter);
field!(LOD Texture "lod": "whether the level of detail is computed", LEVELS, use_comp_lod);
field!(REG_LOD Texture "reg_lod": "whether the level of detail is one that was set", LEVEL_REGISTERS, use_reg_lod);
field!(GRADIENTS Texture "gradients": "where derivatives come from", GRADIENT_SOURCES, use_reg_gradients);
field!(LOCATION Texture "location": "where in a pixel a texture is sampled", LOCATIONS, sample_location);
sort!(BIAS Texture "bias": "whether the level of detail is moved", BIASES, lod_bias, |texture| {
    if texture.lod_bias == 0 { "zero" } else { "nonzero" }
});
field!(DIMENSION Texture "dimension": "the shape of a texture on Xenos", DIMENSIONS, dimension);

pub(super) const OFFSET: Facet<Program> = Facet {
    name: "offset",
    meaning: "whether coordinates are moved",
    values: &choice::names(&OFFSETS),
    get: |program, site| part::<Texture>(program, site).map(offset).into_iter().collect(),
    set: |program, site, value| {
        let wanted = held(&OFFSETS, value)?;
        let is_so = part::<Texture>(program, site).map(offset)? == value;
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
