//! The facets of PICA200: the stage, the destination, the sources, the index of a uniform, sources that read the destination, the operators of `cmp`,
//! the settings of `setemit`, and for control flow the condition, the direction of a jump and the second arm of a branch.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod conditions;
mod context;
mod flow;
mod infeasible;
mod operands;
mod overlap;
mod results;
mod scenarios;
mod site;
mod stage;
mod vertices;

use super::program::Program;
use super::word::Condition;
use crate::isa::facet::{self, ANY, Combination, Density, Facet, Memo, Site, Table};
use crate::isa::{CoverPoint, Edit};
use conditions::Bit;
use std::cell::OnceCell;

pub use conditions::UNKNOWN_OPERATORS;

/// The table of facets.
pub static TABLE: Table<Program> = Table {
    facets: FACETS,
    units: 1,
    disturbs_beside: &[],
    opcode: site::opcode,
    contexts: context::programs,
    scenarios: scenarios::SCENARIOS,
    mutated: MUTATED,
    infeasible: infeasible::INFEASIBLE,
    density: Density::Shared,
    headers: &[],
    memo: Memo::new(),
};

const STAGE: &str = "stage";

/// Returns a function that calls the getter of a facet at a site. The returned function examines the entries of the program at most once.
fn getter(program: &Program) -> impl Fn(&Facet<Program>, Site) -> Vec<&'static str> {
    let stage = OnceCell::new();
    move |facet, site| match facet.name {
        STAGE => stage::stages_with(program, site, &|| *stage.get_or_init(|| stage::common(program))),
        _ => (facet.get)(program, site),
    }
}

/// Returns a function that computes the coverage points of any instruction of a program.
pub fn cover_points(program: &Program) -> impl Fn(u32) -> Vec<CoverPoint> {
    let get = getter(program);
    move |word| TABLE.points_by(program, word, &get)
}

/// Returns a function that computes edits to simpler facet values of any instruction; see [`Table::simplifications`].
pub fn simplifier(program: &Program) -> impl Fn(u32) -> Vec<Edit> {
    let get = getter(program);
    move |word| TABLE.simplifications_by(program, word, &get)
}

/// The facets of [`TABLE`].
pub const FACETS: &[Facet<Program>] = &[
    Facet {
        name: STAGE,
        meaning: "the stage of the program",
        values: &stage::STAGES,
        combination: Combination::ONE,
        get: stage::stages,
        set: stage::set_stage,
        disturbs: &[],
    },
    Facet {
        name: "form",
        meaning: "the only form of the instruction",
        values: &flow::FORMS,
        combination: Combination::ONE,
        get: flow::forms,
        set: flow::set_form,
        disturbs: &[],
    },
    Facet {
        name: "slot",
        meaning: "the slot of the next vertex",
        values: &vertices::SLOTS,
        combination: Combination::ONE,
        get: vertices::slots,
        set: vertices::set_slot,
        disturbs: &[],
    },
    Facet {
        name: "primitive",
        meaning: "whether the next vertex completes a primitive",
        values: &conditions::TRUTHS,
        combination: Combination::ONE,
        get: vertices::completes,
        set: vertices::set_completes,
        disturbs: &[],
    },
    Facet {
        name: "reversed",
        meaning: "whether the primitive's order is reversed",
        values: &conditions::TRUTHS,
        combination: Combination::ONE,
        get: vertices::reverses,
        set: vertices::set_reverses,
        disturbs: &[],
    },
    Facet {
        name: "condition",
        meaning: "how the tests of the condition bits combine",
        values: &Condition::PRINTED,
        combination: Combination::ONE,
        get: conditions::conditions,
        set: conditions::set_condition,
        disturbs: &["ref.x", "ref.y"],
    },
    Facet {
        name: "ref.x",
        meaning: "the value that cmp.x must have",
        values: &conditions::TRUTHS,
        combination: Combination::ONE,
        get: |program, site| conditions::references(program, site, Bit::X),
        set: |program, site, value| conditions::set_reference(program, site, Bit::X, value),
        disturbs: &[],
    },
    Facet {
        name: "ref.y",
        meaning: "the value that cmp.y must have",
        values: &conditions::TRUTHS,
        combination: Combination::ONE,
        get: |program, site| conditions::references(program, site, Bit::Y),
        set: |program, site, value| conditions::set_reference(program, site, Bit::Y, value),
        disturbs: &[],
    },
    Facet {
        name: "bool",
        meaning: "the value that the Boolean must have",
        values: &conditions::TRUTHS,
        combination: Combination::ONE,
        get: conditions::bools,
        set: conditions::set_bool,
        disturbs: &[],
    },
    Facet {
        name: "target",
        meaning: "whether the jump is forward or backward",
        values: &flow::DIRECTIONS,
        combination: Combination::ONE,
        get: flow::directions,
        set: flow::set_direction,
        disturbs: &[],
    },
    Facet {
        name: "else",
        meaning: "whether the branch has a second arm",
        values: &conditions::TRUTHS,
        combination: Combination::ONE,
        get: flow::arms,
        set: flow::set_arm,
        disturbs: &[],
    },
    Facet {
        name: "mask",
        meaning: "the components that are written",
        values: &results::MASKS,
        combination: Combination::ONE.in_threes(),
        get: results::masks,
        set: results::set_mask,
        disturbs: &[],
    },
    Facet {
        name: "dest",
        meaning: "the register file of the result",
        values: &results::FILES,
        combination: Combination::ONE.in_threes(),
        get: results::files,
        set: results::set_file,
        disturbs: &["overlap"],
    },
    operands::file::<0>("a.file", "the register file of the first source"),
    operands::sign::<0>("a.sign").in_threes(),
    operands::component("a.component"),
    operands::swizzle::<0>("a.swizzle").in_threes(),
    operands::file::<1>("b.file", "the register file of the second source"),
    operands::sign::<1>("b.sign").in_threes(),
    operands::swizzle::<1>("b.swizzle"),
    operands::file::<2>("c.file", "the register file of the third source"),
    operands::sign::<2>("c.sign"),
    operands::swizzle::<2>("c.swizzle"),
    operands::index(&["a.file", "b.file", "c.file", "overlap"]),
    facet::overlap::<Program, overlap::Overlaps>(
        3,
        &["dest", "a.file", "a.swizzle", "b.file", "b.swizzle", "c.file", "c.swizzle", "index"],
    ),
    Facet {
        name: "x.operator",
        meaning: "the comparison whose result is cmp.x",
        values: &conditions::OPERATORS,
        combination: Combination::ONE,
        get: |program, site| conditions::operators(program, site, Bit::X),
        set: |program, site, value| conditions::set_operator(program, site, Bit::X, value),
        disturbs: &[],
    },
    Facet {
        name: "y.operator",
        meaning: "the comparison whose result is cmp.y",
        values: &conditions::OPERATORS,
        combination: Combination::ONE,
        get: |program, site| conditions::operators(program, site, Bit::Y),
        set: |program, site, value| conditions::set_operator(program, site, Bit::Y, value),
        disturbs: &[],
    },
];

/// The values whose instances are checked with mutants, in addition to the plain context of each opcode: a negated source, an index, every condition,
/// and values of the other facets of control flow and of `setemit`.
const MUTATED: &[(&str, &str)] = &[
    (ANY, "a.sign=negative"),
    (ANY, "index=a0.x"),
    (ANY, "condition"),
    (ANY, "ref.x=false"),
    (ANY, "ref.y=false"),
    (ANY, "bool=false"),
    (ANY, "target=backward"),
    (ANY, "else=true"),
    (ANY, "slot"),
    (ANY, "primitive=true"),
    (ANY, "reversed=true"),
];

#[cfg(test)]
mod tests {
    use super::super::Pica200;
    use super::super::interface::{entries, reachable};
    use super::super::opcode;
    use super::super::program::{Container, Program};
    use crate::isa::facet::law::inconsistencies;
    use crate::isa::facet::rule_instances;

    #[test]
    fn getters_return_what_setters_set() {
        let wrong = inconsistencies::<Pica200>();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_opcode_has_an_instance_in_each_of_its_stages() {
        let all = rule_instances::<Pica200>();
        for row in opcode::TABLE {
            for stage in row.stages {
                let uses = |program: &Program| {
                    let reached = reachable(program, entries(program)[0].start);
                    let same_stage = matches!(&program.container, Container::Raw(raw) if raw.stage == *stage);
                    same_stage
                        && program
                            .code
                            .iter()
                            .zip(reached)
                            .any(|(i, seen)| seen && i.op() == Some(row.opcode))
                };
                assert!(all.iter().any(|rule| uses(&rule.program)), "{} {stage:?}", row.mnemonic);
            }
        }
    }
}
