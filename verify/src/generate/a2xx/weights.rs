//! Choices among the values of a facet, by weight. The compiler checks names of facets (`facet!`), and unit tests check that a table of weights lists all
//! values of its facet.

use crate::generate::Entropy;
use lockstep_core::isa::Tables;
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::facet::Name;

/// Draws a row of a table that lists all values of a facet with their weights. Returns the index of the row.
pub(super) fn choose(e: &mut Entropy<'_>, facet: Name, table: &[(&str, u32)]) -> usize {
    if cfg!(test) {
        check_names(facet, table);
    }
    let weights: Vec<u32> = table.iter().map(|(_, weight)| *weight).collect();
    e.weighted(&weights)
}

/// Draws a number of a vocabulary whose names are the values of a facet.
pub(super) fn choose_of<const N: usize>(
    e: &mut Entropy<'_>,
    facet: Name,
    values: &[(&str, u8); N],
    weight: impl Fn(u8) -> u32,
) -> u8 {
    let table = values.map(|(name, number)| (name, weight(number)));
    values[choose(e, facet, &table)].1
}

/// Draws a flag that is set with a probability of `percent` in 100.
pub(super) fn flag(e: &mut Entropy<'_>, facet: Name, percent: u32) -> u8 {
    choose(e, facet, &[("off", 100 - percent), ("on", percent)]) as u8
}

/// Panics unless the rows of a table are all values of some facet with this name.
fn check_names(facet: Name, table: &[(&str, u32)]) {
    let is_all =
        |values: &[&str]| values.len() == table.len() && table.iter().all(|(name, _)| values.contains(name));
    let mut facets = A2xx::facets().named(facet.text());
    assert!(
        facets.any(|facet| is_all(facet.values)),
        "these are not the values of {}: {table:?}",
        facet.text()
    );
}

#[cfg(test)]
mod tests {
    use crate::generate::{Entropy, Generate, ProgramRequest};
    use lockstep_core::isa::Tables;
    use lockstep_core::isa::a2xx::A2xx;

    /// The number of programs generated without a request.
    const PROGRAMS: u64 = 150;

    #[test]
    fn tables_of_weights_list_all_values_of_their_facets() {
        let generate =
            |seed, request: &ProgramRequest| _ = A2xx::program(&mut Entropy::seeded(seed), request);
        (0..PROGRAMS).for_each(|seed| generate(seed, &ProgramRequest::default()));
        for row in A2xx::opcodes() {
            generate(
                1,
                &ProgramRequest { opcode: Some(row.mnemonic), size: Some(4), ..ProgramRequest::default() },
            );
        }
    }
}
