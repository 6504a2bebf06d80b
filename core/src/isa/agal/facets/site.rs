//! Access to the instruction at a site, for the getters and setters of facets.

use crate::isa::agal::opcode::Opcode;
use crate::isa::agal::program::{Program, Source, SourceOrSampler, Token};
use crate::isa::facet::{Site, Sited};

/// Returns the instruction at a site and its opcode; `None` if the instruction does not exist or the opcode is unknown.
pub(super) fn at(program: &Program, site: Site) -> Option<(&Token, Opcode)> {
    let token = program.tokens.get(site.word as usize).filter(|_| site.unit == 0)?;
    Some((token, token.op()?))
}

/// Returns the mnemonic at a site.
pub(super) fn opcode(program: &Program, site: Site) -> Option<&'static str> {
    at(program, site).map(|(_, op)| op.row().mnemonic)
}

/// Returns a source register of the instruction at a site, by operand index, and the opcode.
pub(super) fn source(program: &Program, site: Site, operand: usize) -> Option<(&Source, Opcode)> {
    let (token, op) = at(program, site)?;
    Some((token.sources().nth(operand)?, op))
}

/// Returns the program unchanged, as the result of a setter.
pub(super) fn unchanged(program: &Program, site: Site) -> Sited<Program> {
    (program.clone(), site)
}

/// Returns the program with the instruction at a site changed.
pub(super) fn with_token(
    program: &Program,
    site: Site,
    change: impl FnOnce(&mut Token),
) -> Option<Sited<Program>> {
    let mut made = program.clone();
    change(made.tokens.get_mut(site.word as usize)?);
    Some((made, site))
}

/// Returns the program with one source of the instruction at a site changed. `operand` is the operand index of the source.
pub(super) fn with_source(
    program: &Program,
    site: Site,
    operand: usize,
    change: impl FnOnce(&mut Source),
) -> Option<Sited<Program>> {
    source(program, site, operand)?;
    with_token(program, site, |token| match (operand, &mut token.b) {
        (0, _) => change(&mut token.a),
        (_, SourceOrSampler::Source(b)) => change(b),
        (_, SourceOrSampler::Sampler(_)) => {}
    })
}
