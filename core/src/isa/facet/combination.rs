//! Which values of a facet can occur together in one instruction, and how many facets coverage combines.

use super::{Facet, Table};

/// The way in which the values of a facet combine with each other, and how coverage combines them with values of other facets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combination {
    /// Whether one instruction can have two values of the facet.
    pub allows_several: bool,
    /// Whether the first value, such as `none`, excludes all others.
    pub first_excludes_others: bool,
    /// Whether lowerings handle the facet jointly with other facets. Coverage then combines the values of three such facets instead of two.
    pub in_threes: bool,
}

impl Combination {
    /// An instruction has one value. Coverage combines it with the value of one other facet.
    pub const ONE: Combination =
        Combination { allows_several: false, first_excludes_others: false, in_threes: false };
    /// An instruction may have several values, because the facet applies to several of its operands or units.
    pub const SEVERAL: Combination = Combination { allows_several: true, ..Combination::ONE };
    /// Either the first value alone, or several of the other values.
    pub const FIRST_OR_SEVERAL: Combination =
        Combination { first_excludes_others: true, ..Combination::SEVERAL };

    /// Returns the same combination, with coverage of three facets at once.
    pub const fn in_threes(self) -> Combination {
        Combination { in_threes: true, ..self }
    }

    /// Whether one instruction may have both values `a` and `b` of the list `values`.
    pub(super) fn allows(self, values: &[&str], a: &str, b: &str) -> bool {
        let is_first = |value: &str| values.first().is_some_and(|first| *first == value);
        a == b || self.allows_several && !(self.first_excludes_others && (is_first(a) || is_first(b)))
    }
}

impl<P> Facet<P> {
    /// Returns this facet, with coverage of three facets at once.
    pub const fn in_threes(mut self) -> Facet<P> {
        self.combination = self.combination.in_threes();
        self
    }
}

impl<P> Table<P> {
    /// Iterates over the facets with this name. If there are several, they apply to different opcodes.
    pub fn named<'t>(&'t self, name: &str) -> impl Iterator<Item = &'t Facet<P>> {
        self.facets.iter().filter(move |facet| facet.name == name)
    }

    /// Whether the declaration of a facet with this name allows one instruction to have both values.
    pub fn allows_both(&self, name: &str, a: &str, b: &str) -> bool {
        self.named(name).any(|facet| facet.combination.allows(facet.values, a, b))
    }
}
