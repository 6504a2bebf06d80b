//! Facets of the program header: stage and version.

use super::site::{at, unchanged};
use crate::isa::Stage;
use crate::isa::agal::limits::LIMITS;
use crate::isa::agal::opcode::Opcode;
use crate::isa::agal::program::{File, Program, Source, SourceOrSampler, Token};
use crate::isa::facet::{Site, Sited};

/// The values of the facet `stage`.
pub(super) const STAGES: [&str; 2] = [Stage::Vertex.name(), Stage::Fragment.name()];
/// The values of the facet `version`, in the order of [`LIMITS`].
pub(super) const VERSIONS: [&str; LIMITS.len()] = ["1", "2", "3", "4"];

const _: () = {
    let mut k = 0;
    while k < VERSIONS.len() {
        assert!(VERSIONS[k].len() == 1 && (VERSIONS[k].as_bytes()[0] - b'0') as u32 == LIMITS[k].version);
        k += 1;
    }
};

/// Returns the register file of a stage's inputs.
pub(super) fn input_file(stage: Stage) -> File {
    if stage == Stage::Fragment { File::Varying } else { File::Attribute }
}

/// Returns the facet value for the stage.
pub(super) fn stage(program: &Program, site: Site) -> Vec<&'static str> {
    let is_own = |name: &&str| at(program, site).is_some() && *name == program.stage.name();
    STAGES.into_iter().filter(is_own).collect()
}

/// Changes the stage of the program. Reads of inputs are changed to the input file of the new stage.
pub(super) fn set_stage(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    at(program, site)?;
    let stage = [Stage::Vertex, Stage::Fragment].into_iter().find(|stage| stage.name() == value)?;
    let (mut made, site) = unchanged(program, site);
    if made.stage != stage {
        made.stage = stage;
        let is_input = |source: &Source| {
            source.indirect == 0
                && [File::Attribute, File::Varying].map(|file| file as u8).contains(&source.file)
        };
        let sources = made.tokens.iter_mut().flat_map(sources);
        sources.filter(|source| is_input(source)).for_each(|source| source.file = input_file(stage) as u8);
    }
    Some((made, site))
}

/// Iterates over the register sources of an instruction, mutably.
fn sources(token: &mut Token) -> impl Iterator<Item = &mut Source> {
    let count = token.op().map_or(0, Opcode::sources);
    let b = match &mut token.b {
        SourceOrSampler::Source(b) => Some(b),
        SourceOrSampler::Sampler(_) => None,
    };
    [Some(&mut token.a), b].into_iter().take(count).flatten()
}

/// Returns the facet value for the version.
pub(super) fn version(program: &Program, site: Site) -> Vec<&'static str> {
    let is_own = |limits: &crate::isa::agal::limits::Limits| limits.version == program.version;
    let index = LIMITS.iter().position(is_own).filter(|_| at(program, site).is_some());
    index.map(|index| VERSIONS[index]).into_iter().collect()
}

/// Changes the version of the program.
pub(super) fn set_version(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    at(program, site)?;
    let (mut made, site) = unchanged(program, site);
    made.version = LIMITS[VERSIONS.iter().position(|version| *version == value)?].version;
    Some((made, site))
}
