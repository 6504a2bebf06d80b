//! What an instruction can be like: its operands, its sampler, and the header that it stands under. Facets are not combined with one another in
//! coverage points: that is a few dozen an opcode instead of millions.

mod apart;
mod around;
mod header;
mod index;
mod operands;
mod sampler;
mod scenarios;
mod tokens;

use super::names::COMPONENTS;
use super::program::Program;
use super::word::{Dimension, Filter, Format, Mip, Wrap};
use crate::isa::facet::{ANY, Density, Facet, Memo, Table};

/// The table.
pub static TABLE: Table<Program> = Table {
    facets: FACETS,
    units: 1,
    opcode: tokens::opcode,
    around: |opcode| around::around(opcode).into_iter().collect(),
    scenarios: scenarios::SCENARIOS,
    mutated: MUTATED,
    apart: apart::APART,
    density: Density::PerOpcodePair,
    headers: &[STAGE],
    memo: Memo::new(),
};

/// A facet of a source, by the place of the source.
macro_rules! of_source {
    ($name:literal, $meaning:literal, $place:literal, $values:expr, $get:ident, $set:ident, $disturbs:expr) => {
        Facet {
            name: $name,
            meaning: $meaning,
            values: $values,
            get: |program, site| operands::$get(program, site, $place),
            set: |program, site, value| operands::$set(program, site, $place, value),
            disturbs: $disturbs,
        }
    };
}

/// A facet of a field of the sampler, by the field's name.
macro_rules! of_sampler {
    ($name:literal, $meaning:literal, $values:expr) => {
        Facet {
            name: $name,
            meaning: $meaning,
            values: $values,
            get: |program, site| sampler::option(program, site, $name),
            set: |program, site, value| sampler::set_option(program, site, $name, value),
            disturbs: &[],
        }
    };
}

const STAGE: Facet<Program> = Facet {
    name: "stage",
    meaning: "the stage of the program",
    values: &header::STAGES,
    get: header::stage,
    set: header::set_stage,
    disturbs: &[],
};

#[rustfmt::skip]
const FACETS: &[Facet<Program>] = &[
    STAGE,
    Facet {
        name: "version",
        meaning: "the version of the program",
        values: &header::VERSIONS,
        get: header::version,
        set: header::set_version,
        disturbs: &[],
    },
    Facet {
        name: "mask",
        meaning: "the components written: one, several, or all that the result has",
        values: &operands::MASKS,
        get: operands::mask,
        set: operands::set_mask,
        disturbs: &[],
    },
    of_source!("a.file", "what the first source is read from", 0, &operands::FILES, file, set_file, &["index", "index_lane"]),
    of_source!("a.swizzle", "how the components of the first source stand", 0, &operands::SWIZZLES, swizzle, set_swizzle, &[]),
    of_source!("a.lane", "the component that the first source is, a scalar", 0, &COMPONENTS, lane, set_lane, &[]),
    of_source!("b.file", "what the second source is read from", 1, &operands::FILES, file, set_file, &["index", "index_lane"]),
    of_source!("b.swizzle", "how the components of the second source stand", 1, &operands::SWIZZLES, swizzle, set_swizzle, &[]),
    of_source!("b.lane", "the component that the second source is, a scalar", 1, &COMPONENTS, lane, set_lane, &[]),
    Facet {
        name: "index",
        meaning: "where the index of an indexed constant stands",
        values: &index::FILES,
        get: index::file,
        set: index::set_file,
        disturbs: &["a.file", "index_lane"],
    },
    Facet {
        name: "index_lane",
        meaning: "the component that is the index",
        values: &COMPONENTS,
        get: index::lane,
        set: index::set_lane,
        disturbs: &["a.file", "index"],
    },
    of_sampler!("dimension", "the shape of the texture", &Dimension::PRINTED),
    of_sampler!("format", "what the texture is made of", &Format::PRINTED),
    of_sampler!("filter", "how texels are mixed", &Filter::PRINTED),
    of_sampler!("mip", "which levels of detail are read", &Mip::PRINTED),
    of_sampler!("wrap", "what coordinates outside the texture read", &Wrap::PRINTED),
    of_sampler!("special", "the flags of the sampler", &sampler::FLAGS),
    Facet {
        name: "bias",
        meaning: "whether the level of detail has a bias",
        values: &sampler::BIASES,
        get: sampler::bias,
        set: sampler::set_bias,
        disturbs: &[],
    },
];

/// What mutants are tried on besides the plain context of each opcode: all but versions, which differ in limits alone, and the components of
/// indices and of what is compared for equality, where numbers would have to be equal in all components but one.
const MUTATED: &[(&str, &str)] = &[
    (ANY, "stage"),
    (ANY, "mask"),
    (ANY, "a.file"),
    (ANY, "a.swizzle"),
    (ANY, "b.file"),
    (ANY, "b.swizzle"),
    (ANY, "index"),
    ("ifg", "a.lane"),
    ("ifg", "b.lane"),
    ("ifl", "a.lane"),
    ("ifl", "b.lane"),
    ("kil", "a.lane"),
    (ANY, "dimension"),
    (ANY, "format"),
    (ANY, "filter"),
    (ANY, "mip"),
    (ANY, "wrap"),
    (ANY, "special"),
    (ANY, "bias"),
];

#[cfg(test)]
mod tests {
    use super::super::Agal;
    use crate::isa::facet::law::broken;

    #[test]
    fn facets_keep_the_law() {
        let wrong = broken::<Agal>();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
