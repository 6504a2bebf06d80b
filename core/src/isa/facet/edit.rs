//! Facets as edits: the minimiser changes an instruction to a simpler facet value. The list of a facet's values begins with the simplest value.

use super::{Getter, Site, Sited, Table};
use crate::isa::Edit;

impl<P> Table<P> {
    /// Lists the edits that change a facet of an instruction to a simpler value. An edit may be inapplicable, because its setter may fail
    /// ([`Table::set`]). The caller must discard edits that insert instructions.
    pub fn simplifications(&self, program: &P, word: u32) -> Vec<Edit> {
        self.simplifications_by(program, word, &|facet, site| (facet.get)(program, site))
    }

    /// The same as [`Table::simplifications`], but calls getters through `get`, which may cache facts about the program.
    pub fn simplifications_by(&self, program: &P, word: u32, get: &Getter<'_, P>) -> Vec<Edit> {
        let mut all = Vec::new();
        for (Site { unit, .. }, _) in self.sites(program, word) {
            for (number, facet) in self.facets.iter().enumerate() {
                let shown = get(facet, Site { word, unit });
                let simplest = facet.values.iter().position(|value| shown.contains(value)).unwrap_or(0);
                // Tests ensure that all indices fit into a `u8`.
                let Ok(number) = u8::try_from(number) else { continue };
                let values = (0..simplest).filter_map(|value| u8::try_from(value).ok());
                all.extend(values.map(|value| Edit::Facet { at: word, unit, facet: number, value }));
            }
        }
        all
    }

    /// Sets a facet at a site to a value. Both are given as indices: of the facet in the table, and of the value in the facet's list. Returns `None`
    /// if there is no instruction or an idle unit at the site, no such facet or value, or if the setter fails.
    pub fn set(&self, program: &P, site: Site, facet: u8, value: u8) -> Option<Sited<P>> {
        (self.opcode)(program, site)?;
        let facet = self.facets.get(usize::from(facet))?;
        (facet.set)(program, site, facet.values.get(usize::from(value))?)
    }
}
