//! Which values of a facet stand together in one instruction, and with values of how many other facets they are looked at.

use super::{Facet, Table};

/// How values of a facet meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meets {
    /// Whether an instruction can show two of them.
    pub is_several: bool,
    /// Whether the first of them stands for no other, so that it never is one of two.
    pub first_is_alone: bool,
    /// Whether lowerings handle the facet together with others, so that values of three such facets are looked at in one instruction, and not two.
    pub in_threes: bool,
}

impl Meets {
    /// One value of an instruction, looked at with one value of another facet.
    pub const ONE: Meets = Meets { is_several: false, first_is_alone: false, in_threes: false };
    /// Several values: the instruction reads or writes several things, or units of one word show different ones.
    pub const SEVERAL: Meets = Meets { is_several: true, ..Meets::ONE };
    /// The first value, or several of the others.
    pub const FIRST_OR_SEVERAL: Meets = Meets { first_is_alone: true, ..Meets::SEVERAL };

    /// The same, looked at in threes.
    pub const fn in_threes(self) -> Meets {
        Meets { in_threes: true, ..self }
    }

    /// Whether an instruction may show these two of some values.
    pub(super) fn allows(self, values: &[&str], a: &str, b: &str) -> bool {
        let is_first = |value: &str| values.first().is_some_and(|first| *first == value);
        a == b || self.is_several && !(self.first_is_alone && (is_first(a) || is_first(b)))
    }
}

impl<P> Facet<P> {
    /// The same, looked at in threes.
    pub const fn in_threes(mut self) -> Facet<P> {
        self.meets = self.meets.in_threes();
        self
    }
}

impl<P> Table<P> {
    /// The facets of a name. Several are about different opcodes.
    pub fn named<'t>(&'t self, name: &str) -> impl Iterator<Item = &'t Facet<P>> {
        self.facets.iter().filter(move |facet| facet.name == name)
    }

    /// Whether one instruction may show two values of the facets of a name, as far as their declarations tell.
    pub fn may_meet(&self, name: &str, a: &str, b: &str) -> bool {
        self.named(name).any(|facet| facet.meets.allows(facet.values, a, b))
    }
}
