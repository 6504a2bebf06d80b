//! Access to the instruction at a site.

use crate::isa::agal::opcode::Opcode;
use crate::isa::agal::program::{Program, Source, SourceOrSampler, Token};
use crate::isa::facet::{Site, Sited};

/// The instruction at a site with its operation; `None` if there is none.
pub(super) fn at(program: &Program, site: Site) -> Option<(&Token, Opcode)> {
    let token = program.tokens.get(site.word as usize).filter(|_| site.unit == 0)?;
    Some((token, token.op()?))
}

/// The opcode at a site.
pub(super) fn opcode(program: &Program, site: Site) -> Option<&'static str> {
    at(program, site).map(|(_, op)| op.row().mnemonic)
}

/// A source register of the instruction at a site, by its position, with the operation.
pub(super) fn source(program: &Program, site: Site, place: usize) -> Option<(&Source, Opcode)> {
    let (token, op) = at(program, site)?;
    Some((token.sources().nth(place)?, op))
}

/// The program unchanged.
pub(super) fn same(program: &Program, site: Site) -> Sited<Program> {
    (program.clone(), site)
}

/// The program with the instruction at a site changed.
pub(super) fn with(program: &Program, site: Site, change: impl FnOnce(&mut Token)) -> Option<Sited<Program>> {
    let mut made = program.clone();
    change(made.tokens.get_mut(site.word as usize)?);
    Some((made, site))
}

/// The program with a source of the instruction at a site changed; `place` is the source's index.
pub(super) fn with_source(
    program: &Program,
    site: Site,
    place: usize,
    change: impl FnOnce(&mut Source),
) -> Option<Sited<Program>> {
    source(program, site, place)?;
    with(program, site, |token| match (place, &mut token.b) {
        (0, _) => change(&mut token.a),
        (_, SourceOrSampler::Source(b)) => change(b),
        (_, SourceOrSampler::Sampler(_)) => {}
    })
}
