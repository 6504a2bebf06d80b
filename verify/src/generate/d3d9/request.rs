//! The requested properties of the instruction being generated.
//!
//! Requested values are names of facet values. They are converted to the vocabularies from which the facets take these names, so that a value that is
//! renamed or removed cannot leave a comparison that never holds.

use crate::generate::ProgramRequest;
use lockstep_core::isa::d3d9::facets::{IndexRegister, MaskKind, Role, SwizzleKind};
use lockstep_core::isa::d3d9::program::{File, Modifier, Source, Version};
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

    /// Returns the requested role of the destination.
    pub(super) fn dest(self) -> Option<Role> {
        self.get(facet!("dest")).and_then(Role::from_name)
    }

    /// Returns the requested role of source `k`.
    pub(super) fn role(self, k: usize) -> Option<Role> {
        self.source(k, facet!(of source "file")).and_then(Role::from_name)
    }

    /// Returns the requested kind of swizzle of source `k`.
    pub(super) fn swizzle(self, k: usize) -> Option<SwizzleKind> {
        self.source(k, facet!(of source "swizzle")).and_then(SwizzleKind::from_name)
    }

    /// Returns the requested modifier of source `k`.
    pub(super) fn modifier(self, k: usize) -> Option<Modifier> {
        self.source(k, facet!(of source "modifier")).and_then(Modifier::from_name)
    }

    /// Returns the requested index register of source `k`.
    pub(super) fn index(self, k: usize) -> Option<IndexRegister> {
        self.source(k, facet!(of source "index")).and_then(IndexRegister::from_name)
    }

    /// Whether the request concerns predicates.
    pub(super) fn concerns_predicates(self) -> bool {
        self.get(facet!("predicate")).or(self.get(facet!("predicate.component"))).is_some()
    }

    /// Returns the requested index registers of all operands, in the order of the request.
    pub(super) fn indices(self) -> impl Iterator<Item = IndexRegister> {
        let indices = [
            facet!("dest.index"),
            facet!("a.index"),
            facet!("b.index"),
            facet!("c.index"),
            facet!("d.index"),
        ];
        let modifiers = self.modifiers.into_iter();
        let of_index = modifiers.filter(move |(about, _)| indices.iter().any(|what| what.text() == *about));
        of_index.filter_map(|(_, which)| IndexRegister::from_name(which))
    }

    /// Whether the register to be read is indexed by the loop counter, which has a value only inside a loop.
    pub(super) fn loops(self) -> bool {
        self.indices().any(|index| index == IndexRegister::Loop)
    }
}

/// Returns the write masks that have this facet value.
pub(super) fn masks(which: &str) -> Vec<u8> {
    let most: [u8; 15] = [7, 3, 5, 6, 9, 10, 11, 12, 13, 14, 1, 2, 4, 8, 15];
    most.into_iter()
        .filter(|mask| MaskKind::of(*mask).is_some_and(|written| written.name() == which))
        .collect()
}

/// Returns the destination file of a role. `None` for outputs, as there are several output files.
pub(super) fn dest_file(role: Role, version: Version) -> Option<File> {
    if role == Role::Output { None } else { role.file(version) }
}

/// Whether a swizzle is of this kind.
pub(super) fn swizzle_is(swizzle: u8, kind: SwizzleKind) -> bool {
    SwizzleKind::of(&Source::register(File::Temporary, 0, swizzle)) == kind
}
