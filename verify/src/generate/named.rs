//! Names of facets and of their values, as generators use them. What an instruction can be like stands in the table of facets; a generator adds how
//! often it draws a value, or heeds a wish for it, and names it. The compiler looks names of facets up (`facet!` in each generator), unit tests names of
//! values wherever they are used.
//!
//! Values are named and not set by the setters of the table: a setter takes a whole program, and a generator fills in the fields of an instruction
//! while registers, ranges and what is still to be read are chosen with them. Where a generator does not come to a wish, setters do
//! ([`super::program`]).

use lockstep_core::isa::Isa;

/// In unit tests, panics unless a facet of this name has this value.
pub(super) fn value<I: Isa>(facet: &str, value: &str) {
    if cfg!(test) {
        let mut facets = I::facets().facets.iter().filter(|its| its.name == facet);
        assert!(facets.any(|its| its.values.contains(&value)), "{}: there is no {facet}={value}", I::ID);
    }
}

/// In unit tests, panics unless these are all values of a facet of this name: a table of weights has a row for each.
pub(super) fn values<'a, I: Isa>(facet: &str, values: &(impl Iterator<Item = &'a str> + Clone)) {
    if cfg!(test) {
        let mut facets = I::facets().facets.iter().filter(|its| its.name == facet);
        let is_all = |known: &[&str]| {
            values.clone().count() == known.len() && values.clone().all(|value| known.contains(&value))
        };
        assert!(facets.any(|its| is_all(its.values)), "{}: these are not the values of {facet}", I::ID);
    }
}

#[cfg(test)]
mod tests {
    use crate::generate::{Entropy, Generate, Wish};
    use lockstep_core::isa::IsaId;
    use lockstep_core::isa::facet::points;
    use lockstep_core::with_isa;
    use std::collections::BTreeMap;

    /// Programs drawn without a wish.
    const PLAIN: u64 = 150;

    fn draw<I: Generate>() -> usize {
        (0..PLAIN).for_each(|seed| _ = I::program(&mut Entropy::seeded(seed), &Wish::default()));
        // A wish for each facet and each opcode: some names are looked up for these alone.
        let mut wishes = BTreeMap::new();
        for point in points::<I>() {
            let facet = point.modifier.split('=').next().unwrap_or_default().to_owned();
            wishes.insert((true, facet), point);
            wishes.insert((false, point.opcode.to_owned()), point);
        }
        for point in wishes.values() {
            let wish = Wish { class: Some((*point).clone()), size: Some(4), ..Wish::default() };
            _ = I::program(&mut Entropy::seeded(1), &wish);
        }
        wishes.len()
    }

    #[test]
    fn every_value_that_is_looked_up_is_of_its_facet() {
        for &isa in IsaId::ALL {
            let wishes = with_isa!(isa, I => draw::<I>());
            assert!(wishes > 30, "{isa}: {wishes}");
        }
    }
}
