//! The requested properties of the instruction being generated.

use crate::generate::{ProgramRequest, named};
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::facets::{MaskKind, Role, SwizzleKind};
use lockstep_core::isa::d3d9::program::{File, Source, Version};
use lockstep_core::isa::facet::Name;

/// The maximum number of coverage points that are honoured.
const CLASSES: usize = 3;

/// The requested facets with their values; empty strings if nothing is requested.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InstructionRequest<'a> {
    modifiers: [(&'a str, &'a str); CLASSES],
}

impl<'a> InstructionRequest<'a> {
    pub(super) fn of(request: &'a ProgramRequest) -> InstructionRequest<'a> {
        let mut hint = InstructionRequest::default();
        hint.modifiers.iter_mut().zip(request.modifiers()).for_each(|(place, request)| *place = request);
        hint
    }

    /// Returns the requested value of this facet.
    pub(super) fn get(self, what: Name) -> Option<&'a str> {
        self.modifiers.into_iter().find(|(about, _)| *about == what.text()).map(|(_, which)| which)
    }

    /// Returns the requested value of a facet of source `k`. The facet is given by its name for the first source.
    pub(super) fn source(self, k: usize, what: Name) -> Option<&'a str> {
        let name = ["a.", "b.", "c.", "d."].get(k)?;
        let kind = what.text().strip_prefix("a.")?;
        let mut modifiers = self.modifiers.into_iter();
        modifiers.find(|(about, _)| about.strip_prefix(name) == Some(kind)).map(|(_, which)| which)
    }

    /// Whether this value of a facet is requested.
    pub(super) fn is(self, what: Name, which: &str) -> bool {
        named::value::<D3d9>(what.text(), which);
        self.get(what) == Some(which)
    }

    /// Whether this value is requested for a facet of source `k`. Not every source has all values of the first.
    pub(super) fn source_is(self, k: usize, what: Name, which: &str) -> bool {
        named::value::<D3d9>(what.text(), which);
        self.source(k, what) == Some(which)
    }

    /// Whether the request concerns predicates.
    pub(super) fn concerns_predicates(self) -> bool {
        self.modifiers.iter().any(|(what, _)| what.starts_with("predicate"))
    }

    /// Returns the requested components of a0 to use as an index.
    pub(super) fn indices(self) -> impl Iterator<Item = &'a str> {
        let modifiers = self.modifiers.into_iter();
        modifiers.filter(|(what, which)| what.ends_with("index") && which.len() == 1).map(|(_, which)| which)
    }

    /// Whether the register to be read is indexed by the loop counter, which has a value only inside a loop.
    pub(super) fn loops(self) -> bool {
        self.modifiers.iter().any(|(what, which)| *which == "loop" && what.ends_with("index"))
    }
}

/// Returns the write masks that have this facet value.
pub(super) fn masks(which: &str) -> Vec<u8> {
    let most: [u8; 15] = [7, 3, 5, 6, 9, 10, 11, 12, 13, 14, 1, 2, 4, 8, 15];
    most.into_iter()
        .filter(|mask| MaskKind::of(*mask).is_some_and(|written| written.name() == which))
        .collect()
}

/// Returns the destination file of a facet value. `None` for outputs, as there are several output files.
pub(super) fn dest_file(which: &str, version: Version) -> Option<File> {
    Role::from_name(which).filter(|role| *role != Role::Output)?.file(version)
}

/// Whether a swizzle has this facet value.
pub(super) fn swizzle_is(swizzle: u8, which: &str) -> bool {
    SwizzleKind::of(&Source::register(File::Temporary, 0, swizzle)).name() == which
}
