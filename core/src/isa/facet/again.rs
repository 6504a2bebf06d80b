//! Instances once more, under another header.

use super::{Facet, Site, is_legal};
use crate::isa::{Isa, RuleProgram};

/// The instances that do not show a value of a facet of the whole program, made to show it: those that are legal then and not there yet.
pub fn again<I: Isa>(
    all: &[RuleProgram<I::Program>],
    facet: &Facet<I::Program>,
    value: &'static str,
) -> Vec<RuleProgram<I::Program>> {
    let site = Site { word: 0, unit: 0 };
    let others = all.iter().filter(|instance| !facet.is_shown(&instance.program, site, value));
    let made = others.filter_map(|RuleProgram { name, program, mutate }| {
        let (program, _) = (facet.set)(program, site, value)?;
        let is_new = is_legal::<I>(&program) && all.iter().all(|other| other.program != program);
        let name = format!("{name}, {}={value}", facet.name);
        is_new.then_some(RuleProgram { name, program, mutate: *mutate })
    });
    made.collect()
}
