//! Setting requested properties in a generated program by the setters of facets.

use super::{Generate, ProgramRequest};
use lockstep_core::isa::facet::{Site, Sited};
use lockstep_core::isa::{Context, CoverPoint, Legality, Level, Options, Tables};

/// Changes one instruction of the requested opcode until it has all requested coverage points, or else builds a context of the opcode with that
/// change. `None` if neither is possible or legal. A setter may insert instructions, and may change facets that its own facet declares as affected.
pub(super) fn with_requested_points<I: Generate>(
    program: &I::Program,
    request: &ProgramRequest,
) -> Option<I::Program> {
    let opcode = request.class.as_ref()?.opcode;
    let sites = sites_of::<I>(program, opcode);
    let mut of_program = sites.into_iter().filter_map(|site| with::<I>(program, site, request));
    of_program.next().or_else(|| {
        let contexts: Vec<Sited<I::Program>> = (I::facets().contexts)(opcode);
        contexts.iter().find_map(|(program, site)| with::<I>(program, *site, request))
    })
}

/// Whether some instruction of a program has all requested coverage points.
pub(super) fn is_met<I: Tables>(program: &I::Program, request: &ProgramRequest) -> bool {
    (0..instruction_count::<I>(program)).any(|word| request.has_points_at::<I>(program, word))
}

/// Returns the number of instructions of a program: the maximum over its entries.
pub(super) fn instruction_count<I: Tables>(program: &I::Program) -> u32 {
    let options = Options::new(I::option_specs());
    let count = |entry| I::instruction_count(&Context { program, entry: &entry, options: &options });
    I::entries(program).into_iter().map(count).max().unwrap_or(0)
}

fn sites_of<I: Tables>(program: &I::Program, opcode: &str) -> Vec<Site> {
    let words = 0..instruction_count::<I>(program);
    let sites = words.flat_map(|word| I::facets().sites(program, word));
    sites.filter(|(_, its)| *its == opcode).map(|(site, _)| site).collect()
}

/// Applies the requested points to a site, in order or in reverse order.
fn with<I: Tables + Legality>(
    program: &I::Program,
    site: Site,
    request: &ProgramRequest,
) -> Option<I::Program> {
    let classes: Vec<&CoverPoint> = request.classes().collect();
    let backward: Vec<&CoverPoint> = classes.iter().rev().copied().collect();
    [classes, backward].iter().find_map(|classes| {
        let set = |(program, site), class: &&CoverPoint| set::<I>(&program, site, class);
        let (made, _) = classes.iter().try_fold((program.clone(), site), set)?;
        (is_met::<I>(&made, request) && is_legal::<I>(&made)).then_some(made)
    })
}

/// Sets the facet value of a coverage point.
fn set<I: Tables>(program: &I::Program, site: Site, class: &CoverPoint) -> Option<Sited<I::Program>> {
    let (name, value) = class.modifier.split_once('=')?;
    let mut facets = I::facets().facets.iter().filter(|facet| facet.name == name);
    facets.find_map(|facet| {
        let value = facet.values.iter().find(|known| **known == value)?;
        (facet.set)(program, site, value)
    })
}

/// Whether the program breaks no rule at error level at any of its entries.
fn is_legal<I: Tables + Legality>(program: &I::Program) -> bool {
    let options = Options::new(I::option_specs());
    let entries = I::entries(program);
    !entries.is_empty()
        && entries.iter().all(|entry| {
            let cx: Context<'_, I> = Context { program, entry, options: &options };
            I::validate(&cx).iter().all(|violation| violation.level != Level::Error)
        })
}
