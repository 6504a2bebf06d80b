//! The facets of units, stores and branches. A coverage point has one facet value, never a combination.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod branches;
mod context;
mod feed;
mod functions;
mod infeasible;
mod operands;
mod scenarios;
mod stores;
mod units;

use super::program::Program;
use super::vocabulary::{Direction, Form, Negated, ResultOf, TargetRange};
use crate::isa::component::NAMES;
use crate::isa::facet::{Combination, Density, Facet, Memo, OPCODE, Table};

pub use operands::FIRST as FIRST_OPERANDS;
pub use stores::SOURCES as STORED;

/// The table of facets.
pub static TABLE: Table<Program> = Table {
    facets: FACETS,
    units: units::COUNT,
    disturbs_beside: DISTURBS_BESIDE,
    opcode: units::opcode,
    contexts: |opcode| context::program(opcode).into_iter().collect(),
    scenarios: scenarios::SCENARIOS,
    mutated: MUTATED,
    infeasible: infeasible::INFEASIBLE,
    density: Density::PerValue,
    headers: &[],
    memo: Memo::new(),
};

/// The facets of other units of the word that a setter may change. A lookup and complex2, the first stages of a complex function, read the same
/// operand. A store follows its result to another unit. A setter of a branch may replace the operation that computes the condition. A setter of a
/// store to a temporary may move the operation that computes the address to an earlier word.
const DISTURBS_BESIDE: &[(&str, &[&str])] = &[
    (operands::A, &[operands::A, "component", "offset"]),
    ("component", &[operands::A, "component", "offset"]),
    ("offset", &[operands::A, "component", "offset"]),
    ("unit", &["source"]),
    ("source", &[OPCODE]),
    (operands::CONDITION, &[OPCODE]),
];

/// The facets of [`TABLE`].
pub const FACETS: &[Facet<Program>] = &[
    Facet {
        name: operands::A,
        meaning: "the source of the first operand",
        values: &operands::FIRST,
        combination: Combination::SEVERAL,
        get: |program, site| operands::kinds(program, site, operands::A),
        set: |program, site, value| operands::set_kind(program, site, operands::A, value),
        disturbs: &["component", "offset"],
    },
    Facet {
        name: operands::CONDITION,
        meaning: "the source of the condition of a select",
        values: &operands::SECOND,
        combination: Combination::ONE,
        get: |program, site| operands::kinds(program, site, operands::CONDITION),
        set: |program, site, value| operands::set_kind(program, site, operands::CONDITION, value),
        disturbs: &["component"],
    },
    Facet {
        name: operands::B,
        meaning: "the source of the second operand",
        values: &operands::KINDS,
        combination: Combination::SEVERAL,
        get: |program, site| operands::kinds(program, site, operands::B),
        set: |program, site, value| operands::set_kind(program, site, operands::B, value),
        disturbs: &["component", "offset", "form"],
    },
    Facet {
        name: operands::D,
        meaning: "the source of the last operand of complex1",
        values: &operands::LAST,
        combination: Combination::ONE,
        get: |program, site| operands::kinds(program, site, operands::D),
        set: |program, site, value| operands::set_kind(program, site, operands::D, value),
        disturbs: &["component", "offset"],
    },
    Facet {
        name: "component",
        meaning: "the component of a port or a load that an operand reads",
        values: &NAMES,
        combination: Combination::SEVERAL,
        get: operands::components,
        set: operands::set_component,
        disturbs: &[operands::A, operands::D, "offset"],
    },
    Facet {
        name: "offset",
        meaning: "the address register that the load port adds to the slot",
        values: &operands::OFFSETS,
        combination: Combination::ONE.in_threes(),
        get: operands::offset,
        set: operands::set_offset,
        disturbs: &[operands::A, operands::D, "component"],
    },
    Facet {
        name: "sign",
        meaning: "the operands or the result that are negated",
        values: &Negated::PRINTED,
        combination: Combination::SEVERAL.in_threes(),
        get: units::sign,
        set: units::set_sign,
        disturbs: &["form"],
    },
    Facet {
        name: "unit",
        meaning: "which of two equal units is used, and whether complex2 is in the same word",
        values: &units::EQUAL,
        combination: Combination::SEVERAL.in_threes(),
        get: units::unit,
        set: units::set_unit,
        disturbs: &[],
    },
    Facet {
        name: "form",
        meaning: "whether the unit only moves its first operand",
        values: &Form::PRINTED,
        combination: Combination::SEVERAL.in_threes(),
        get: units::form,
        set: units::set_form,
        disturbs: &[operands::B, "component", "offset", "sign"],
    },
    Facet {
        name: "from",
        meaning: "the source of the address",
        values: &[ResultOf::Pass.value()],
        combination: Combination::ONE,
        get: units::from,
        set: units::set_from,
        disturbs: &[],
    },
    Facet {
        name: "components",
        meaning: "the components that are stored",
        values: &stores::COMPONENTS,
        combination: Combination::SEVERAL.in_threes(),
        get: stores::components,
        set: stores::set_components,
        disturbs: &["source"],
    },
    Facet {
        name: "source",
        meaning: "the unit whose result is stored",
        values: &stores::SOURCES,
        combination: Combination::SEVERAL,
        get: stores::sources,
        set: stores::set_source,
        disturbs: &[],
    },
    Facet {
        name: "direction",
        meaning: "the direction of the branch",
        values: &Direction::PRINTED,
        combination: Combination::ONE,
        get: branches::direction,
        set: branches::set_direction,
        disturbs: &["target"],
    },
    Facet {
        name: "target",
        meaning: "whether bit 8 of the target is set",
        values: &TargetRange::PRINTED,
        combination: Combination::ONE,
        get: branches::target,
        set: branches::set_target,
        disturbs: &[],
    },
    Facet {
        name: operands::CONDITION,
        meaning: "the source of the condition of a branch",
        values: &branches::CONDITIONS,
        combination: Combination::ONE,
        get: branches::condition,
        set: branches::set_condition,
        disturbs: &[],
    },
];

/// The values whose instances are checked with mutants, in addition to the plain context of each opcode: moves of a load and of results one and two
/// words old, loads with each offset, second operands that are not a load, and branches that do not go forward.
const MUTATED: &[(&str, &str)] = &[
    ("pass.mov", "a=load"),
    ("pass.mov", "a=acc1.1"),
    ("pass.mov", "a=mul0.2"),
    ("pass.mov", "offset=1"),
    ("pass.mov", "offset=2"),
    ("pass.mov", "offset=3"),
    ("acc.add", "b=attribute"),
    ("acc.ge", "b=attribute"),
    ("acc.lt", "b=attribute"),
    ("acc.min", "b=attribute"),
    ("acc.max", "b=attribute"),
    ("mul.mul", "b=attribute"),
    ("mul.select", "condition=attribute"),
    ("mul.select", "b=attribute"),
    ("branch", "direction=itself"),
    ("branch", "direction=backward"),
];

#[cfg(test)]
mod tests {
    use super::super::UtgardGp;
    use crate::isa::facet::law::inconsistencies;

    #[test]
    fn getters_return_what_setters_set() {
        let wrong = inconsistencies::<UtgardGp>();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
