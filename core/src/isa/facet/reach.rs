//! The coverage points of an instruction set: setter, then validator, then getter.

use super::{Site, Table, is_legal};
use crate::isa::{ClassPoint, Isa};

/// The points that a setter makes in the context of their opcode, where the result is legal and shows the value; by opcode in the order of
/// their table, then by facet. A legal program may show a point that no setter makes.
pub fn reach<I: Isa>(table: &Table<I::Program>) -> Vec<ClassPoint> {
    let mut all = Vec::new();
    for opcode in I::opcodes() {
        let opcode = opcode.mnemonic;
        let Some((program, site)) = (table.around)(opcode) else { continue };
        for facet in table.facets {
            for value in facet.values {
                let made = (facet.set)(&program, site, value);
                if made.is_some_and(|(made, site)| {
                    is_at::<I>(table, &made, site, opcode)
                        && facet.is_shown(&made, site, value)
                        && is_legal::<I>(&made)
                }) {
                    all.push(facet.point(opcode, value));
                }
            }
        }
    }
    all
}

/// Whether a site still has its opcode.
pub(super) fn is_at<I: Isa>(
    table: &Table<I::Program>,
    program: &I::Program,
    site: Site,
    opcode: &str,
) -> bool {
    (table.opcode)(program, site) == Some(opcode)
}
