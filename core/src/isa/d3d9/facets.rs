//! The facets of instructions. A coverage point has only one facet, not a combination. Instructions without an observable effect have no facets:
//! declarations, definitions, labels, `nop` and `phase`.
//!
//! Each opcode has one context program per version; setters never change the program's version.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod conditions;
mod context;
mod infeasible;
mod kinds;
mod mutated;
mod operands;
mod overlap;
mod results;
mod scenarios;
mod site;
mod texture;

use super::modifier::{COUNTS, VALUES as MODIFIER_VALUES};
use super::profile::Profile;
use super::program::{Comparison, Program};
use super::reads::Textures;
use super::word::{Control, ResultModifier, Shift, TextureType};
use crate::isa::CoverPoint;
use crate::isa::facet::{self, Combination, Density, Facet, Memo, Site, Table};
use std::cell::OnceCell;

pub use kinds::{IndexRegister, MaskKind, PredicateComponents, Role, SwizzleKind};

/// The table of facets.
pub static TABLE: Table<Program> = Table {
    facets: FACETS,
    units: 1,
    disturbs_beside: &[],
    opcode: site::opcode,
    contexts: context::of,
    scenarios: scenarios::SCENARIOS,
    mutated: mutated::MUTATED,
    infeasible: infeasible::INFEASIBLE,
    density: Density::PerValue,
    headers: &[],
    memo: Memo::new(),
};

/// Builds a constant array with the name of each item of a list.
macro_rules! names {
    ($of:expr, $item:ident => $name:expr) => {{
        const NAMES: [&str; $of.len()] = {
            let mut all = [""; $of.len()];
            let mut k = 0;
            while k < all.len() {
                let $item = $of[k];
                all[k] = $name;
                k += 1;
            }
            all
        };
        &NAMES
    }};
}

const VERSIONS: &[&str] = names!(Profile::ALL, profile => profile.name());
const WRITTEN: &[&str] = &MaskKind::PRINTED;
const SWIZZLES: &[&str] = &SwizzleKind::PRINTED;
const INDICES: &[&str] = &IndexRegister::PRINTED;
const RESULT_NAMES: &[&str] = &ResultModifier::PRINTED;
const SHIFT_NAMES: &[&str] = &Shift::PRINTED;
const DEST_ROLES: &[&str] = names!(results::ROLES, role => role.name());
const SOURCE_ROLES: &[&str] = names!(operands::ROLES, role => role.name());
const MODIFIERS: &[&str] = &MODIFIER_VALUES;
const COMPARISONS: &[&str] = &Comparison::PRINTED;
const READS: &[&str] = &Control::PRINTED;
const TEXTURES: &[&str] = &TextureType::PRINTED;
const CONTROLS: &[&str] = {
    const ALL: [&str; COMPARISONS.len() + READS.len()] = {
        let mut all = [""; COMPARISONS.len() + READS.len()];
        let mut k = 0;
        while k < all.len() {
            all[k] = if k < READS.len() { READS[k] } else { COMPARISONS[k - READS.len()] };
            k += 1;
        }
        all
    };
    &ALL
};
const RESULT_VALUES: &[&str] = {
    const ALL: [&str; 1 + RESULT_NAMES.len()] = {
        let mut all = [results::PLAIN; 1 + RESULT_NAMES.len()];
        let mut k = 1;
        while k < all.len() {
            all[k] = RESULT_NAMES[k - 1];
            k += 1;
        }
        all
    };
    &ALL
};

/// Returns the first `count` items of a list.
const fn first_items(all: &'static [&'static str], count: usize) -> &'static [&'static str] {
    all.split_at(count).0
}

/// Returns a list without its first item.
const fn without_first(all: &'static [&'static str]) -> &'static [&'static str] {
    all.split_at(1).1
}

/// Builds the list of facets. The facets of sources are repeated for each of the four sources. The parameters of a source are: the number of possible
/// roles, the index into [`COUNTS`] for the modifiers, the possible index registers, and the facets disturbed by the source's register, swizzle and
/// modifier. Only pixel shaders have a fourth source.
macro_rules! facets {
    ([$($before:expr,)*] $($letter:literal $k:literal, $roles:literal $modifiers:literal $indices:expr, $role:expr, $swizzle:expr, $modifier:expr;)* [$($after:expr,)*]) => {
        &[
            $($before,)*
            $(
                Facet {
                    name: concat!($letter, ".file"),
                    meaning: "the kind of register that is read",
                    values: first_items(SOURCE_ROLES, $roles),
                    combination: Combination::ONE,
                    get: |program, site| operands::role(program, site, $k),
                    set: |program, site, value| operands::set_role(program, site, $k, value),
                    disturbs: $role,
                },
                Facet {
                    name: concat!($letter, ".swizzle"),
                    meaning: "the swizzle of the source",
                    values: SWIZZLES,
                    combination: Combination::ONE,
                    get: |program, site| operands::swizzle(program, site, $k),
                    set: |program, site, value| operands::set_swizzle(program, site, $k, value),
                    disturbs: $swizzle,
                },
                Facet {
                    name: concat!($letter, ".modifier"),
                    meaning: "the modifier of the source",
                    values: first_items(MODIFIERS, COUNTS[$modifiers]),
                    combination: Combination::ONE,
                    get: |program, site| operands::modifier(program, site, $k),
                    set: |program, site, value| operands::set_modifier(program, site, $k, value),
                    disturbs: $modifier,
                },
                Facet {
                    name: concat!($letter, ".index"),
                    meaning: "the component of a0, or aL, that is added to the register number",
                    values: $indices,
                    combination: Combination::ONE,
                    get: |program, site| operands::index(program, site, $k),
                    set: |program, site, value| operands::set_index(program, site, $k, value),
                    disturbs: &[concat!($letter, ".file"), "overlap"],
                },
            )*
            $($after,)*
        ]
    };
}

#[rustfmt::skip]
/// All facets of this instruction set.
pub const FACETS: &[Facet<Program>] = facets! {
    [
        Facet {
            name: VERSION,
            meaning: "the version of the program",
            values: VERSIONS,
            combination: Combination::ONE,
            get: version,
            set: |program, site, value| version(program, site).contains(&value).then(|| (program.clone(), site)),
            disturbs: &[],
        },
        Facet {
            name: "dest",
            meaning: "the kind of register that is written, or read by texkill",
            values: DEST_ROLES,
            combination: Combination::ONE.in_threes(),
            get: results::role,
            set: results::set_role,
            disturbs: &["mask", "dest.index", "overlap"],
        },
        Facet {
            name: "mask",
            meaning: "the components that are written, or read by texkill",
            values: WRITTEN,
            combination: Combination::ONE,
            get: results::mask,
            set: results::set_mask,
            disturbs: &[],
        },
        Facet {
            name: "dest.index",
            meaning: "the component of a0, or aL, that is added to the register number",
            values: INDICES,
            combination: Combination::ONE.in_threes(),
            get: results::index,
            set: results::set_index,
            disturbs: &["dest", "overlap"],
        },
        Facet {
            name: "result",
            meaning: "the modifier of the result",
            values: RESULT_VALUES,
            combination: Combination::FIRST_OR_SEVERAL.in_threes(),
            get: results::result,
            set: results::set_result,
            disturbs: &[],
        },
        Facet {
            name: "shift",
            meaning: "the power of two by which the result is multiplied (x) or divided (d)",
            values: SHIFT_NAMES,
            combination: Combination::ONE.in_threes(),
            get: results::shift,
            set: results::set_shift,
            disturbs: &[],
        },
    ]
    "a" 0, 7 2 INDICES, &["a.swizzle", "a.index", "overlap"], &["a.file"], &["mask", "a.file", "a.swizzle", "overlap"];
    "b" 1, 7 1 INDICES, &["b.swizzle", "b.index", "overlap"], &["b.file"], &[];
    "c" 2, 5 0 INDICES, &["c.index", "overlap"], &[], &[];
    "d" 3, 5 0 &[IndexRegister::Loop.name()], &["d.index", "overlap"], &[], &[];
    [
        facet::overlap::<Program, overlap::Overlaps>(4, &["dest", "dest.index", "a.file", "a.swizzle", "a.index", "b.file", "b.swizzle", "b.index", "c.file", "c.swizzle", "c.index", "d.file", "d.swizzle", "d.index"]),
        Facet {
            name: "control",
            meaning: "the comparison, or the use of the fourth coordinate of a texture read",
            values: CONTROLS,
            combination: Combination::ONE,
            get: texture::control,
            set: texture::set_control,
            disturbs: &[],
        },
        Facet {
            name: TEXTURE,
            meaning: "the declared texture type of the sampler",
            values: without_first(TEXTURES),
            combination: Combination::ONE,
            get: texture::texture,
            set: texture::set_texture,
            disturbs: &[],
        },
        Facet {
            name: "sampler.swizzle",
            meaning: "the swizzle of the sampler operand",
            values: SWIZZLES,
            combination: Combination::ONE,
            get: texture::sampler_swizzle,
            set: texture::set_sampler_swizzle,
            disturbs: &[],
        },
        Facet {
            name: "predicate",
            meaning: "the predicate value, true or false, for which the instruction runs",
            values: &conditions::CONDITIONS,
            combination: Combination::ONE.in_threes(),
            get: conditions::condition,
            set: conditions::set_condition,
            disturbs: &["predicate.component"],
        },
        Facet {
            name: "predicate.component",
            meaning: "the predicate component used for all result components, or one for each",
            values: &PredicateComponents::PRINTED,
            combination: Combination::ONE,
            get: conditions::predicate_swizzle,
            set: conditions::set_predicate_swizzle,
            disturbs: &["predicate"],
        },
        Facet {
            name: "coissue",
            meaning: "whether the instruction is co-issued with the one before it",
            values: &[conditions::SECOND],
            combination: Combination::ONE.in_threes(),
            get: conditions::coissue,
            set: conditions::set_coissue,
            disturbs: &["mask"],
        },
    ]
};

const VERSION: &str = "version";
const TEXTURE: &str = "texture";

fn version(program: &Program, site: Site) -> Vec<&'static str> {
    let here = site::at(program, site).and_then(|_| program.version.profile());
    here.into_iter().map(Profile::name).collect()
}

/// Returns a function that computes the coverage points of any instruction. The program's declarations are read only once.
pub fn cover_points(program: &Program) -> impl Fn(u32) -> Vec<CoverPoint> {
    let textures = OnceCell::new();
    move |word| {
        TABLE.points_by(program, word, &|facet, site| {
            if facet.name == TEXTURE {
                texture::declared(program, site, &|| *textures.get_or_init(|| Textures::of(program)))
            } else {
                (facet.get)(program, site)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::D3d9;
    use crate::isa::facet::law::inconsistencies;

    #[test]
    fn getters_return_what_setters_set() {
        let wrong = inconsistencies::<D3d9>();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
