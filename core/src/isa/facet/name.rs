//! Names of facets, and of their values, that are checked at compile time.

use super::Facet;

/// The name of an existing facet. If it is created in a constant, a misspelt name does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name(&'static str);

impl Name {
    /// Returns the name, after checking that one of the facets has it.
    ///
    /// # Panics
    /// If no facet has this name. In a constant, this is a compile error.
    pub const fn of<P>(facets: &[Facet<P>], name: &'static str) -> Name {
        let mut at = 0;
        while at < facets.len() {
            if is_same(facets[at].name, name) {
                return Name(name);
            }
            at += 1;
        }
        panic!("no facet has this name")
    }

    /// Returns the name as a string.
    pub fn text(self) -> &'static str {
        self.0
    }
}

/// An existing facet and one of its values. If it is created in a constant, a value that the facet does not have does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedValue {
    facet: Name,
    value: &'static str,
}

impl NamedValue {
    /// Returns the facet and its value, after checking that one of the facets with this name has the value.
    ///
    /// # Panics
    /// If no facet with this name has the value. In a constant, this is a compile error.
    pub const fn of<P>(facets: &[Facet<P>], name: &'static str, value: &'static str) -> NamedValue {
        let mut at = 0;
        while at < facets.len() {
            if is_same(facets[at].name, name) && is_among(facets[at].values, value) {
                return NamedValue { facet: Name(name), value };
            }
            at += 1;
        }
        panic!("no facet with this name has this value")
    }

    /// Returns the name of the facet.
    pub fn facet(self) -> Name {
        self.facet
    }

    /// Returns the value as a string.
    pub fn text(self) -> &'static str {
        self.value
    }
}

/// Whether a string is in a list. Unlike `contains`, this works in constants.
const fn is_among(list: &[&str], item: &str) -> bool {
    let mut at = 0;
    while at < list.len() {
        if is_same(list[at], item) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether two strings are equal. Unlike `==`, this works in constants.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Name, NamedValue};
    use crate::isa::agal::facets::FACETS;

    #[test]
    fn facet_names_must_match_exactly() {
        assert_eq!(Name::of(FACETS, "version").text(), "version");
        for wrong in ["Version", "versio", "versions", ""] {
            assert!(std::panic::catch_unwind(|| Name::of(FACETS, wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_must_belong_to_their_facet() {
        for facet in FACETS {
            for value in facet.values {
                let named = NamedValue::of(FACETS, facet.name, value);
                assert_eq!((named.facet().text(), named.text()), (facet.name, *value));
            }
            let wrong = || NamedValue::of(FACETS, facet.name, "no such value");
            assert!(std::panic::catch_unwind(wrong).is_err(), "{}", facet.name);
        }
        let misspelt = || NamedValue::of(FACETS, "versio", FACETS[0].values[0]);
        assert!(std::panic::catch_unwind(misspelt).is_err());
    }
}
