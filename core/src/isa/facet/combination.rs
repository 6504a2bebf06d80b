//! Which values of a facet can occur together in one instruction, and whether coverage combines them with one or two other facets.

use super::{Facet, Table};

/// How values of a facet are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combination {
    /// Whether an instruction can show two values of the facet.
    pub allows_several: bool,
    /// Whether the first value excludes the others, as `none` does.
    pub first_excludes_others: bool,
    /// Whether lowerings handle the facet together with others, so that coverage takes combinations of three such facets instead of two.
    pub in_threes: bool,
}

impl Combination {
    /// One value per instruction, combined with one value of another facet.
    pub const ONE: Combination =
        Combination { allows_several: false, first_excludes_others: false, in_threes: false };
    /// Several values per instruction: it has several such operands, or units of one instruction word that differ.
    pub const SEVERAL: Combination = Combination { allows_several: true, ..Combination::ONE };
    /// Either the first value, or several of the others.
    pub const FIRST_OR_SEVERAL: Combination =
        Combination { first_excludes_others: true, ..Combination::SEVERAL };

    /// This combination, with coverage of three facets at once.
    pub const fn in_threes(self) -> Combination {
        Combination { in_threes: true, ..self }
    }

    /// Whether an instruction may show these two values of the list.
    pub(super) fn allows(self, values: &[&str], a: &str, b: &str) -> bool {
        let is_first = |value: &str| values.first().is_some_and(|first| *first == value);
        a == b || self.allows_several && !(self.first_excludes_others && (is_first(a) || is_first(b)))
    }
}

impl<P> Facet<P> {
    /// This facet, combined in threes.
    pub const fn in_threes(mut self) -> Facet<P> {
        self.meets = self.meets.in_threes();
        self
    }
}

impl<P> Table<P> {
    /// The facets with a name. If there are several, they apply to different opcodes.
    pub fn named<'t>(&'t self, name: &str) -> impl Iterator<Item = &'t Facet<P>> {
        self.facets.iter().filter(move |facet| facet.name == name)
    }

    /// Whether one instruction may show two values of the facets with a name, according to their declarations.
    pub fn may_meet(&self, name: &str, a: &str, b: &str) -> bool {
        self.named(name).any(|facet| facet.meets.allows(facet.values, a, b))
    }
}
