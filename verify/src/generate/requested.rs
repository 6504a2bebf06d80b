//! Programs that have requested coverage points: a program with the opcode is generated, and facet setters change one of its instructions.

use super::{Entropy, Generate, ProgramRequest};
use lockstep_core::isa::facet::{Site, Sited, contexts};
use lockstep_core::isa::{CoverPoint, Legality, Stage, Tables, instruction_count, is_legal};

/// The maximum number of programs generated for requested points.
const PROGRAMS: usize = 8;
/// The maximum number of programs generated for two values of one facet. A setter replaces the value that another one has set, so such a pair occurs
/// only if the generator has produced at least one of the values.
const PROGRAMS_OF_ONE_FACET: usize = 64;

/// Generates a valid program in which some instruction has all of these coverage points, which have the same opcode. If neither the generator nor the
/// setters of facets find such an instruction, returns a small program of the facet table in which setters reach the points, or else a program that lacks
/// points. A setter may insert instructions, and may change facets that its own facet declares as affected.
pub fn program_with<I: Generate>(
    e: &mut Entropy<'_>,
    points: &[CoverPoint],
    request: &ProgramRequest,
) -> I::Program {
    let Some(first) = points.first() else { return I::program(e, request) };
    let all: Vec<Sited<I::Program>> = (I::facets().contexts)(first.opcode);
    let kinds = kinds_in::<I>(&all, points);
    let programs = if has_facet_twice(points) { PROGRAMS_OF_ONE_FACET } else { PROGRAMS };
    let mut last = None;
    for _ in 0..programs {
        let kind = e.pick(&kinds).copied();
        let request = ProgramRequest {
            opcode: Some(first.opcode),
            stage: request.stage.or(kind.map(|(stage, _)| stage)),
            version: request.version.or(kind.map(|(_, version)| version)),
            size: request.size,
        };
        let program = I::program(e, &request);
        let has_points = has_points::<I>(&program, points);
        // Sometimes another instruction is changed, since the one that already has the points may have no effect.
        if has_points && e.chance(50) {
            return program;
        }
        let mut sites = sites_of::<I>(&program, first.opcode);
        let start = e.below(sites.len());
        sites.rotate_left(start);
        if let Some(changed) = sites.into_iter().find_map(|site| with_points::<I>(&program, site, points)) {
            return changed;
        }
        if has_points {
            return program;
        }
        last = Some(program);
        if e.is_exhausted() {
            break;
        }
    }
    let in_context = all.iter().find_map(|(program, site)| with_points::<I>(program, *site, points));
    in_context.or(last).unwrap_or_else(|| I::program(e, request))
}

/// Returns the stages and versions in which setters reach these points, which have the same opcode. Some points exist only in some versions.
pub(crate) fn legal_versions<I: Generate>(points: &[CoverPoint]) -> Vec<(Stage, u32)> {
    let Some(first) = points.first() else { return Vec::new() };
    kinds_in::<I>(&(I::facets().contexts)(first.opcode), points)
}

/// Returns the stages and versions of those contexts in which setters reach the points.
fn kinds_in<I: Generate>(contexts: &[Sited<I::Program>], points: &[CoverPoint]) -> Vec<(Stage, u32)> {
    let numbers = common_contexts::<I>(points).into_iter();
    numbers
        .filter_map(|number| {
            contexts.get(number).and_then(|(program, site)| with_points::<I>(program, *site, points))
        })
        .filter_map(|program| I::entries(&program).into_iter().next())
        .map(|entry| (entry.stage, entry.version))
        .collect()
}

/// Returns the numbers of the contexts of an opcode in which each of the points is reached.
fn common_contexts<I: Generate>(points: &[CoverPoint]) -> Vec<usize> {
    let mut sets = points.iter().map(|point| contexts::<I>(point));
    let mut common = sets.next().unwrap_or_default().to_vec();
    sets.for_each(|set| common.retain(|number| set.contains(number)));
    common
}

/// Returns the facet and the value of a coverage point.
fn facet_and_value(point: &CoverPoint) -> (&str, &str) {
    point.modifier.split_once('=').unwrap_or_default()
}

/// Whether two of the points are values of one facet.
fn has_facet_twice(points: &[CoverPoint]) -> bool {
    let facet = |point| facet_and_value(point).0;
    points.iter().enumerate().any(|(k, a)| points[k + 1..].iter().any(|b| facet(a) == facet(b)))
}

/// Whether some instruction of a program has all of these coverage points.
pub(super) fn has_points<I: Tables>(program: &I::Program, points: &[CoverPoint]) -> bool {
    let has_all = |word| points.iter().all(|point| I::facets().has_point(program, word, point));
    (0..instruction_count::<I>(program)).any(has_all)
}

/// Whether some instruction of a program has the requested opcode, if there is one.
pub(super) fn has_opcode<I: Tables>(program: &I::Program, request: &ProgramRequest) -> bool {
    request.opcode.is_none_or(|opcode| !sites_of::<I>(program, opcode).is_empty())
}

fn sites_of<I: Tables>(program: &I::Program, opcode: &str) -> Vec<Site> {
    let words = 0..instruction_count::<I>(program);
    let sites = words.flat_map(|word| I::facets().sites(program, word));
    sites.filter(|(_, its)| *its == opcode).map(|(site, _)| site).collect()
}

/// Returns the first legal and accepted program that results from giving one instruction of the points' opcode all of the points.
pub(super) fn changed<I: Generate>(
    program: &I::Program,
    points: &[CoverPoint],
    is_accepted: impl Fn(&I::Program) -> bool,
) -> Option<I::Program> {
    let sites = points.first().map_or_else(Vec::new, |first| sites_of::<I>(program, first.opcode));
    sites.into_iter().filter_map(|site| with_points::<I>(program, site, points)).find(is_accepted)
}

/// Sets the points at a site, in order or in reverse order. `None` if neither gives a legal program with all points.
fn with_points<I: Tables + Legality>(
    program: &I::Program,
    site: Site,
    points: &[CoverPoint],
) -> Option<I::Program> {
    let backward: Vec<CoverPoint> = points.iter().rev().cloned().collect();
    [points, &backward].into_iter().find_map(|points| {
        let set = |(program, site), point: &CoverPoint| set::<I>(&program, site, point);
        let (changed, _) = points.iter().try_fold((program.clone(), site), set)?;
        (has_points::<I>(&changed, points) && is_legal::<I>(&changed)).then_some(changed)
    })
}

/// Sets the facet value of a coverage point.
fn set<I: Tables>(program: &I::Program, site: Site, point: &CoverPoint) -> Option<Sited<I::Program>> {
    let (name, value) = facet_and_value(point);
    I::facets().named(name).find_map(|facet| {
        let value = facet.values.iter().find(|known| **known == value)?;
        (facet.set)(program, site, value)
    })
}
