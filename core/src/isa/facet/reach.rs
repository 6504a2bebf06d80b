//! Determines the coverage points of an instruction set by calling setters, the validator and getters.

use super::{Site, Table};
use crate::isa::{CoverPoint, Format, Legality, Tables, is_legal};
use std::collections::HashMap;

/// The coverage points that setters reach.
#[derive(Debug, Default)]
pub(super) struct Reached {
    /// The points, by opcode in table order, then by facet.
    pub points: Vec<CoverPoint>,
    /// For each point, the indices of the contexts (small programs with an instruction of the point's opcode) in which it is reached.
    pub contexts: HashMap<CoverPoint, Vec<usize>>,
}

/// Determines the coverage points. A setter reaches a point in a context of the point's opcode if the changed instruction still has the opcode, the
/// program is legal, and the getter returns the value. Legal programs may also have facet values that no setter reaches.
pub(super) fn reach<I: Tables + Legality>(table: &Table<I::Program>) -> Reached {
    let mut reached = Reached::default();
    for opcode in I::opcodes() {
        let opcode = opcode.mnemonic;
        let contexts = (table.contexts)(opcode);
        for facet in table.facets {
            for value in facet.values {
                let is_made = |(program, site): &(I::Program, Site)| {
                    (facet.set)(program, *site, value).is_some_and(|(made, site)| {
                        is_at::<I>(table, &made, site, opcode)
                            && facet.is_shown(&made, site, value)
                            && is_legal::<I>(&made)
                    })
                };
                let made: Vec<usize> = (0..contexts.len()).filter(|k| is_made(&contexts[*k])).collect();
                if !made.is_empty() {
                    let point = facet.point(opcode, value);
                    reached.points.push(point.clone());
                    reached.contexts.insert(point, made);
                }
            }
        }
    }
    reached
}

/// Whether a site has the given opcode.
pub(super) fn is_at<I: Format>(
    table: &Table<I::Program>,
    program: &I::Program,
    site: Site,
    opcode: &str,
) -> bool {
    (table.opcode)(program, site) == Some(opcode)
}
