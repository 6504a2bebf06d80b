//! The facets of clauses, ALU halves and fetches. Coverage points do not combine facets.
//!
//! The halves of an ALU slot share the predicate, the export bit, and source 3 if both read it. A setter of one half may therefore change the other
//! half in these fields.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod clauses;
mod components;
mod context;
mod draft;
mod fetches;
mod infeasible;
mod operands;
mod results;
mod scenarios;
mod site;
mod stage;

use super::interface::stage_of;
use super::program::{Kind, Program, Shader};
use crate::isa::CoverPoint;
use crate::isa::component::NAMES;
use crate::isa::facet::choice::Choice;
use crate::isa::facet::{ANY, Density, Facet, Memo, OPCODE, Table};

pub(super) use stage::NAME as STAGE;

const OFF_ON: [Choice; 2] = [("off", 0), ("on", 1)];
const COMPONENTS: [Choice; 4] = [(NAMES[0], 0), (NAMES[1], 1), (NAMES[2], 2), (NAMES[3], 3)];

/// The facet table of A2xx.
pub static TABLE: Table<Program> = Table {
    facets: FACETS,
    units: site::MAX_UNITS,
    disturbs_beside: DISTURBS_BESIDE,
    opcode: site::opcode,
    contexts: |opcode| context::of(opcode).into_iter().collect(),
    scenarios: scenarios::SCENARIOS,
    mutated: MUTATED,
    infeasible: infeasible::INFEASIBLE,
    density: Density::Shared,
    headers: &[],
    memo: Memo::new(),
};

/// What a setter of one half of an ALU slot may change in the other half: the fields that both share; operand c of a vector operation, which is the
/// same source 3 as operand a of a scalar one; and the vector opcode, by `beside`. The stage is a facet of the whole shader.
const DISTURBS_BESIDE: &[(&str, &[&str])] = &[
    (results::DEST.name, &[results::DEST.name]),
    (results::PREDICATE.name, &[results::PREDICATE.name]),
    (operands::A_FILE.name, &[operands::C_FILE.name]),
    (operands::A_SIGN.name, &[operands::C_SIGN.name]),
    (components::BESIDE_THREE_SOURCES.name, &[OPCODE]),
    (STAGE, &[STAGE]),
];

/// The facets of [`TABLE`].
pub const FACETS: &[Facet<Program>] = &[
    clauses::CNT,
    clauses::YIELD,
    clauses::SERIAL,
    clauses::CACHE,
    clauses::COND,
    clauses::PRED_CLEAN,
    clauses::REPEAT,
    clauses::BREAK,
    clauses::CONDITION,
    clauses::DIRECTION,
    clauses::BUFFER,
    clauses::SIZE,
    clauses::NO_SERIAL,
    results::MASK,
    results::DEST,
    results::CLAMP,
    results::SOURCE,
    results::RESULT,
    results::PREDICATE,
    operands::A_FILE,
    operands::A_SWIZZLE,
    operands::A_SIGN,
    operands::B_FILE,
    operands::B_SWIZZLE,
    operands::B_SIGN,
    operands::C_FILE,
    operands::C_SWIZZLE,
    operands::C_SIGN,
    components::A_COMPONENT,
    components::B_COMPONENT,
    components::BESIDE_THREE_SOURCES,
    fetches::FORMAT,
    fetches::NUMBER,
    fetches::NO_ZERO,
    fetches::ROUND,
    fetches::INDEX_COMPONENT,
    fetches::SUB,
    fetches::SCALE,
    fetches::DISTANCE,
    fetches::MINI,
    fetches::VALID_ONLY,
    fetches::DENORM,
    fetches::MAG,
    fetches::MIN,
    fetches::MIP,
    fetches::VOL_MAG,
    fetches::VOL_MIN,
    fetches::ANISO,
    fetches::ARBITRARY,
    fetches::LOD,
    fetches::REG_LOD,
    fetches::GRADIENTS,
    fetches::LOCATION,
    fetches::BIAS,
    fetches::DIMENSION,
    fetches::OFFSET,
    stage::STAGE,
];

/// The values whose instances are checked with mutants, in addition to each opcode's plain context: the absolute value of a third source, and fetches
/// that read the other lanes of a quad.
const MUTATED: &[(&str, &str)] =
    &[(ANY, "c.sign=absolute"), ("SAMPLE", "lod=computed"), ("GET_GRADIENTS", "lod=computed")];

/// Returns each shader as a program of its own, with the number of its first word. The stage is set explicitly, so that classifying a word does not
/// scan the whole shader.
pub(super) fn shaders(program: &Program) -> Vec<(u32, Program)> {
    program.shaders_from().map(|(first, shader)| (first, program_of_shader(program, shader))).collect()
}

/// Returns a shader as a program of its own.
pub fn program_of_shader(program: &Program, shader: &Shader) -> Program {
    let shader = Shader { stage: Some(stage_of(shader)), ..shader.clone() };
    Program { kind: Kind::Bare, order: program.order, shaders: vec![shader], gaps: Vec::new() }
}

/// Returns a function that computes the coverage points of any word of the program.
pub fn cover_points(program: &Program) -> impl Fn(u32) -> Vec<CoverPoint> {
    let shaders = shaders(program);
    move |word| {
        let before = shaders.partition_point(|(first, _)| *first <= word);
        let found = before.checked_sub(1).map(|k| &shaders[k]);
        found.map_or_else(Vec::new, |(first, shader)| TABLE.points(shader, word - first))
    }
}

#[cfg(test)]
mod tests {
    use super::super::A2xx;
    use crate::isa::facet::law::inconsistencies;

    #[test]
    fn getters_return_what_setters_set() {
        let wrong = inconsistencies::<A2xx>();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
