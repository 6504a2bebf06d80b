//! The coverage points of an instruction set: setter, then validator, then getter.

use super::{Site, Table, is_legal};
use crate::isa::{ClassPoint, Isa};

/// The points that a setter makes in a context of their opcode, where the result is legal and shows the value; by opcode in the order of
/// their table, then by facet. A legal program may show a point that no setter makes.
pub fn reach<I: Isa>(table: &Table<I::Program>) -> Vec<ClassPoint> {
    let mut all = Vec::new();
    reach_each::<I>(table, |facet, value, opcode, made| {
        if made.next().is_some() {
            all.push(table.facets[facet].point(opcode, table.facets[facet].values[value]));
        }
    });
    all
}

/// Calls `each` for every facet, value and opcode, the first two by their places, with the legal programs that show the value there, one
/// for each context in which a setter makes one.
pub fn reach_each<I: Isa>(
    table: &Table<I::Program>,
    mut each: impl FnMut(usize, usize, &'static str, &mut dyn Iterator<Item = I::Program>),
) {
    for opcode in I::opcodes() {
        let opcode = opcode.mnemonic;
        let contexts = (table.around)(opcode);
        for (place, facet) in table.facets.iter().enumerate() {
            for (at, value) in facet.values.iter().enumerate() {
                let mut made = contexts.iter().filter_map(|(program, site)| {
                    let (made, site) = (facet.set)(program, *site, value)?;
                    let fits = is_at::<I>(table, &made, site, opcode)
                        && facet.is_shown(&made, site, value)
                        && is_legal::<I>(&made);
                    fits.then_some(made)
                });
                each(place, at, opcode, &mut made);
            }
        }
    }
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
