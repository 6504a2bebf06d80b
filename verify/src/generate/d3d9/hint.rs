//! What wished classes say about the instruction that is to be in them.

use crate::generate::{Wish, named};
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::facets::{Order, Role, Written};
use lockstep_core::isa::d3d9::program::{File, Source, Version};
use lockstep_core::isa::facet::Name;

/// The most classes that are heeded.
const CLASSES: usize = 3;

/// The kinds of class that are wished for, each with which one of the kind; both are empty where nothing is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hint<'a> {
    wishes: [(&'a str, &'a str); CLASSES],
}

impl<'a> Hint<'a> {
    pub(super) fn of(wish: &'a Wish) -> Hint<'a> {
        let mut hint = Hint::default();
        hint.wishes.iter_mut().zip(wish.modifiers()).for_each(|(place, wish)| *place = wish);
        hint
    }

    /// Which one, of this kind.
    pub(super) fn get(self, what: Name) -> Option<&'a str> {
        self.wishes.into_iter().find(|(about, _)| *about == what.text()).map(|(_, which)| which)
    }

    /// Which one, of this kind of a source; the kind is named as that of the first one.
    pub(super) fn source(self, k: usize, what: Name) -> Option<&'a str> {
        let name = ["a.", "b.", "c.", "d."].get(k)?;
        let kind = what.text().strip_prefix("a.")?;
        let mut wishes = self.wishes.into_iter();
        wishes.find(|(about, _)| about.strip_prefix(name) == Some(kind)).map(|(_, which)| which)
    }

    /// Whether this one of a kind is wished for.
    pub(super) fn is(self, what: Name, which: &str) -> bool {
        named::value::<D3d9>(what.text(), which);
        self.get(what) == Some(which)
    }

    /// Whether this one of a kind is wished for of a source. Not every source has all that the first has.
    pub(super) fn source_is(self, k: usize, what: Name, which: &str) -> bool {
        named::value::<D3d9>(what.text(), which);
        self.source(k, what) == Some(which)
    }

    /// Whether it is about conditions, or what only programs with predicates have.
    pub(super) fn predicates(self) -> bool {
        self.wishes.iter().any(|(what, _)| what.starts_with("predicate"))
    }

    /// The components of a0 that are to index.
    pub(super) fn indices(self) -> impl Iterator<Item = &'a str> {
        let wishes = self.wishes.into_iter();
        wishes.filter(|(what, which)| what.ends_with("index") && which.len() == 1).map(|(_, which)| which)
    }

    /// Whether the register that is to be read has values only in a loop.
    pub(super) fn loops(self) -> bool {
        self.wishes.iter().any(|(what, which)| *which == "loop" && what.ends_with("index"))
    }
}

/// The masks of a class.
pub(super) fn masks(which: &str) -> Vec<u8> {
    let most: [u8; 15] = [7, 3, 5, 6, 9, 10, 11, 12, 13, 14, 1, 2, 4, 8, 15];
    most.into_iter()
        .filter(|mask| Written::of(*mask).is_some_and(|written| written.name() == which))
        .collect()
}

/// The destination file of a class; outputs have several.
pub(super) fn dest_file(which: &str, version: Version) -> Option<File> {
    Role::from_name(which).filter(|role| *role != Role::Output)?.file(version)
}

/// Whether a swizzle is of a class.
pub(super) fn swizzle_is(swizzle: u8, which: &str) -> bool {
    Order::of(&Source::register(File::Temporary, 0, swizzle)).name() == which
}
