//! Names of facets that are checked at compile time.

use super::Facet;

/// The name of an existing facet. In a constant, a misspelt name does not compile.
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
    use super::Name;
    use crate::isa::agal::facets::FACETS;

    #[test]
    fn facet_names_must_match_exactly() {
        assert_eq!(Name::of(FACETS, "version").text(), "version");
        for wrong in ["Version", "versio", "versions", ""] {
            assert!(std::panic::catch_unwind(|| Name::of(FACETS, wrong)).is_err(), "{wrong}");
        }
    }
}
