//! Names of facets and of their values, as used by generators. The facet tables list the properties of instructions; for each value, a generator adds
//! by name its weight or the handling of a request. The compiler checks names of facets (`facet!` in each generator); unit tests check names of
//! values wherever they are used.
//!
//! Generators do not call the table's setters. A setter takes a whole program, whereas a generator chooses the fields of an instruction together with
//! its registers, ranges and values still to be read. Setters are used if a generator does not satisfy a request ([`super::program`]).

use lockstep_core::isa::Tables;

/// In unit tests, panics unless some facet with this name has this value. Otherwise does nothing.
pub(super) fn value<I: Tables>(facet: &str, value: &str) {
    if cfg!(test) {
        let mut facets = I::facets().facets.iter().filter(|its| its.name == facet);
        assert!(facets.any(|its| its.values.contains(&value)), "{}: there is no {facet}={value}", I::ID);
    }
}

/// In unit tests, panics unless `values` are all values of some facet with this name. Used for tables of weights, which must have a row for each
/// value.
pub(super) fn values<'a, I: Tables>(facet: &str, values: &(impl Iterator<Item = &'a str> + Clone)) {
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
    use crate::generate::{Entropy, Generate, ProgramRequest};
    use lockstep_core::isa::IsaId;
    use lockstep_core::isa::facet::points;
    use lockstep_core::with_isa;
    use std::collections::BTreeMap;

    /// The number of programs drawn without a request.
    const PLAIN: u64 = 150;

    fn draw<I: Generate>() -> usize {
        (0..PLAIN).for_each(|seed| _ = I::program(&mut Entropy::seeded(seed), &ProgramRequest::default()));
        // Makes one request for each facet and each opcode, as some names are looked up only for these.
        let mut chosen = BTreeMap::new();
        for point in points::<I>() {
            let facet = point.modifier.split('=').next().unwrap_or_default().to_owned();
            chosen.insert((true, facet), point);
            chosen.insert((false, point.opcode.to_owned()), point);
        }
        for point in chosen.values() {
            let request =
                ProgramRequest { class: Some((*point).clone()), size: Some(4), ..ProgramRequest::default() };
            _ = I::program(&mut Entropy::seeded(1), &request);
        }
        chosen.len()
    }

    #[test]
    fn values_that_generators_name_belong_to_their_facets() {
        for &isa in IsaId::ALL {
            let drawn = with_isa!(isa, I => draw::<I>());
            assert!(drawn > 30, "{isa}: {drawn}");
        }
    }
}
