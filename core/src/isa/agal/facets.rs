//! The facets of AGAL: properties of operands and samplers, and the stage and version in the header. Coverage points do not combine facets, which
//! gives a few dozen points per opcode instead of millions.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod context;
mod index;
mod infeasible;
mod operands;
mod overlap;
mod sampler;
mod scenarios;
mod site;
mod stage;

use super::program::Program;
use super::word::{Dimension, Filter, Format, Mip, Sampler, Wrap};
use crate::isa::component::NAMES;
use crate::isa::facet::{self, ANY, Combination, Density, Facet, Memo, Table};

/// The facet table of AGAL.
pub static TABLE: Table<Program> = Table {
    facets: FACETS,
    units: 1,
    disturbs_beside: &[],
    opcode: site::opcode,
    contexts: |opcode| context::of(opcode).into_iter().collect(),
    scenarios: scenarios::SCENARIOS,
    mutated: MUTATED,
    infeasible: infeasible::INFEASIBLE,
    density: Density::PerOpcodePair,
    headers: &[STAGE],
    memo: Memo::new(),
};

/// Defines a facet of the source with operand index `$operand`.
macro_rules! source_facet {
    ($name:literal, $meaning:literal, $operand:literal, $values:expr, $get:path, $set:path, $disturbs:expr) => {
        Facet {
            name: $name,
            meaning: $meaning,
            values: $values,
            combination: Combination::ONE,
            get: |program, site| $get(program, site, $operand),
            set: |program, site, value| $set(program, site, $operand, value),
            disturbs: $disturbs,
        }
    };
}

/// Defines the facet of the sampler field `$name`.
macro_rules! sampler_facet {
    ($name:expr, $meaning:literal, $values:expr, $combination:expr) => {
        Facet {
            name: $name,
            meaning: $meaning,
            values: $values,
            combination: $combination,
            get: |program, site| sampler::option(program, site, $name),
            set: |program, site, value| sampler::set_option(program, site, $name, value),
            disturbs: &[],
        }
    };
}

const STAGE: Facet<Program> = Facet {
    name: "stage",
    meaning: "the stage of the program",
    values: &stage::STAGES,
    combination: Combination::ONE,
    get: stage::stage,
    set: stage::set_stage,
    disturbs: &[],
};

#[rustfmt::skip]
/// The facets of [`TABLE`].
pub const FACETS: &[Facet<Program>] = &[
    STAGE,
    Facet {
        name: "version",
        meaning: "the version of the program",
        values: &stage::VERSIONS,
        combination: Combination::ONE,
        get: stage::version,
        set: stage::set_version,
        disturbs: &[],
    },
    Facet {
        name: "mask",
        meaning: "the components that are written: one, several, or all components of the result",
        values: &operands::MASKS,
        combination: Combination::ONE.in_threes(),
        get: operands::mask,
        set: operands::set_mask,
        disturbs: &[],
    },
    source_facet!("a.file", "the register file of the first source", 0, &operands::FILES, operands::file, operands::set_file, &["a.index", "a.index.component", "overlap"]),
    source_facet!("a.swizzle", "the swizzle of the first source", 0, &operands::SWIZZLES, operands::swizzle, operands::set_swizzle, &[]).in_threes(),
    source_facet!("a.component", "the component that the first, scalar source reads", 0, &NAMES, operands::scalar_component, operands::set_scalar_component, &[]),
    source_facet!("a.index", "the register file of the index register of the first source, an indexed constant", 0, &index::FILES, index::file, index::set_file, &["a.file", "a.index.component", "overlap"]).in_threes(),
    source_facet!("a.index.component", "the component of the index register that holds the index of the first source", 0, &NAMES, index::component, index::set_component, &["a.file", "a.index", "overlap"]).in_threes(),
    source_facet!("b.file", "the register file of the second source", 1, &operands::FILES, operands::file, operands::set_file, &["b.index", "b.index.component", "overlap"]),
    source_facet!("b.swizzle", "the swizzle of the second source", 1, &operands::SWIZZLES, operands::swizzle, operands::set_swizzle, &[]),
    source_facet!("b.component", "the component that the second, scalar source reads", 1, &NAMES, operands::scalar_component, operands::set_scalar_component, &[]),
    source_facet!("b.index", "the register file of the index register of the second source, an indexed constant", 1, &index::FILES, index::file, index::set_file, &["b.file", "b.index.component", "overlap"]),
    source_facet!("b.index.component", "the component of the index register that holds the index of the second source", 1, &NAMES, index::component, index::set_component, &["b.file", "b.index", "overlap"]),
    facet::overlap::<Program, overlap::Overlaps>(2, &["a.file", "a.swizzle", "a.index", "a.index.component", "b.file", "b.swizzle", "b.index", "b.index.component"]),
    sampler_facet!(Sampler::dimension.name, "the shape of the texture", &Dimension::PRINTED, Combination::ONE),
    sampler_facet!(Sampler::format.name, "the format of the texture", &Format::PRINTED, Combination::ONE),
    sampler_facet!(Sampler::filter.name, "the filter within a level of detail", &Filter::PRINTED, Combination::ONE),
    sampler_facet!(Sampler::mip.name, "the filter between levels of detail", &Mip::PRINTED, Combination::ONE),
    sampler_facet!(Sampler::wrap.name, "the wrap mode of coordinates outside the texture", &Wrap::PRINTED, Combination::ONE),
    sampler_facet!(Sampler::special.name, "the flags of the sampler", &sampler::FLAGS, Combination::FIRST_OR_SEVERAL),
    Facet {
        name: "bias",
        meaning: "whether the level of detail has a bias",
        values: &sampler::BIASES,
        combination: Combination::ONE,
        get: sampler::bias,
        set: sampler::set_bias,
        disturbs: &[],
    },
];

/// The values whose instances are checked with mutants, in addition to the plain context of each opcode. Versions are left out, because they differ
/// only in limits. Components of indices and of operands compared for equality are left out too: a mutant would only be detected by values that are
/// equal in all components but one.
const MUTATED: &[(&str, &str)] = &[
    (ANY, "stage"),
    (ANY, "mask"),
    (ANY, "a.file"),
    (ANY, "a.swizzle"),
    (ANY, "b.file"),
    (ANY, "b.swizzle"),
    (ANY, "a.index"),
    (ANY, "b.index"),
    (ANY, "overlap=a"),
    (ANY, "overlap=b"),
    ("ifg", "a.component"),
    ("ifg", "b.component"),
    ("ifl", "a.component"),
    ("ifl", "b.component"),
    ("kil", "a.component"),
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
    use crate::isa::facet::law::inconsistencies;

    #[test]
    fn getters_return_what_setters_set() {
        let wrong = inconsistencies::<Agal>();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
