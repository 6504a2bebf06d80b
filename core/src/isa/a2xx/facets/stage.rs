//! The facet `stage`: the stage of the shader, as a property of each of its instructions.

use super::draft::Draft;
use super::site::opcode;
use crate::isa::Stage;
use crate::isa::a2xx::interface::stage_of;
use crate::isa::a2xx::program::Program;
use crate::isa::facet::choice::{Choice, field_value, names, value};
use crate::isa::facet::{Combination, Facet};

/// The name of the facet.
pub(in crate::isa::a2xx) const NAME: &str = "stage";

const STAGES: [Choice<Stage>; 2] =
    [(Stage::Vertex.name(), Stage::Vertex), (Stage::Fragment.name(), Stage::Fragment)];

pub(super) const STAGE: Facet<Program> = Facet {
    name: NAME,
    meaning: "the stage of the shader",
    values: &names(&STAGES),
    combination: Combination::ONE,
    get: |program, site| {
        let shader = opcode(program, site).and_then(|_| program.find(site.word));
        shader.and_then(|(shader, _)| value(&STAGES, stage_of(shader))).into_iter().collect()
    },
    set: |program, site, value| {
        opcode(program, site)?;
        let mut draft = Draft::of(program, site)?;
        draft.shader.stage = field_value(&STAGES, value);
        draft.finish()
    },
    disturbs: &[],
};
