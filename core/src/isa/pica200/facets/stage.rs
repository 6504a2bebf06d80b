//! The facet of the program's stage.

use super::super::interface;
use super::super::program::{Container, Program};
use super::site::at;
use crate::isa::Stage;
use crate::isa::facet::{Site, Sited};
use crate::work::count_work;

const BOTH: [Stage; 2] = [Stage::Vertex, Stage::Geometry];
/// The names of the stages.
pub(super) const STAGES: [&str; 2] = [BOTH[0].name(), BOTH[1].name()];

/// Returns the stage of the program; empty for a file with entries of both stages, which share its instructions.
pub(super) fn stages(program: &Program, site: Site) -> Vec<&'static str> {
    stages_with(program, site, &|| common(program))
}

/// Like [`stages`], for a caller that provides the result of [`common`].
pub(super) fn stages_with(
    program: &Program,
    site: Site,
    common: &dyn Fn() -> Option<Stage>,
) -> Vec<&'static str> {
    if at(program, site).is_none() {
        return Vec::new();
    }
    common().map(Stage::name).into_iter().collect()
}

/// Returns the common stage of all entries; `None` if there are entries of both stages. Examines every entry.
pub(super) fn common(program: &Program) -> Option<Stage> {
    let is_of = |stage: Stage| match &program.container {
        Container::Raw(raw) => raw.stage == stage,
        Container::Shbin(shbin) => {
            count_work(shbin.dvles.len());
            shbin.dvles.iter().all(|dvle| interface::stage(dvle) == stage)
        }
    };
    BOTH.into_iter().find(|stage| is_of(*stage))
}

/// Sets the stage of a raw program. The stage of an SHBIN depends on its entries and cannot be set.
pub(super) fn set_stage(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    if stages(program, site) == [value] {
        return Some((program.clone(), site));
    }
    at(program, site)?;
    let mut made = program.clone();
    match &mut made.container {
        Container::Raw(raw) => raw.stage = BOTH.into_iter().find(|stage| stage.name() == value)?,
        Container::Shbin(_) => return None,
    }
    Some((made, site))
}
