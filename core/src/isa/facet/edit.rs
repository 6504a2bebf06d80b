//! Facets as edits: the minimiser makes an instruction show a simpler value. Lists of values begin with the simplest.

use super::{Getter, Site, Sited, Table};
use crate::isa::Edit;

impl<P> Table<P> {
    /// The edits that make a facet of an instruction show a simpler value. Some do not apply, because a setter may refuse ([`Table::set`]). The
    /// caller discards those that insert instructions.
    pub fn simplifications(&self, program: &P, word: u32) -> Vec<Edit> {
        self.simplifications_by(program, word, &|facet, site| (facet.get)(program, site))
    }

    /// [`Table::simplifications`], with getters called through `get`, which may cache facts about the program.
    pub fn simplifications_by(&self, program: &P, word: u32, get: &Getter<'_, P>) -> Vec<Edit> {
        let mut all = Vec::new();
        for (Site { unit, .. }, _) in self.sites(program, word) {
            for (facet, its) in self.facets.iter().enumerate() {
                let shown = get(its, Site { word, unit });
                let simplest = its.values.iter().position(|value| shown.contains(value)).unwrap_or(0);
                // The tests of tables ensure that indices fit.
                let Ok(facet) = u8::try_from(facet) else { continue };
                let values = (0..simplest).filter_map(|value| u8::try_from(value).ok());
                all.extend(values.map(|value| Edit::Facet { at: word, unit, facet, value }));
            }
        }
        all
    }

    /// Sets a facet of a site to a value, both given by their indices in the tables. `None` if there is no such value or the site cannot show it.
    pub fn set(&self, program: &P, site: Site, facet: u8, value: u8) -> Option<Sited<P>> {
        (self.opcode)(program, site)?;
        let facet = self.facets.get(usize::from(facet))?;
        (facet.set)(program, site, facet.values.get(usize::from(value))?)
    }
}
