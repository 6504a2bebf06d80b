//! Requests for instructions with a given mnemonic and facet values, and choices that honour them.

use crate::generate::{Entropy, ProgramRequest, named};
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::facet::{Name, NamedValue};

/// A request: the mnemonic, and the requested value of each facet. Empty if nothing is requested.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotRequest {
    pub(super) opcode: String,
    modifiers: Vec<(String, String)>,
}

impl SlotRequest {
    pub(super) fn of(request: &ProgramRequest) -> SlotRequest {
        let opcode = request.class.as_ref().map(|class| class.opcode).or(request.opcode).unwrap_or_default();
        let modifiers = request.modifiers().map(|(what, which)| (what.to_owned(), which.to_owned()));
        SlotRequest { opcode: opcode.to_owned(), modifiers: modifiers.collect() }
    }

    /// Whether instructions with this mnemonic are requested.
    pub(super) fn is(&self, opcode: &str) -> bool {
        !self.opcode.is_empty() && self.opcode == opcode
    }

    /// Returns the requested value of a facet for instructions with this mnemonic.
    pub(super) fn which(&self, opcode: &str, what: Name) -> Option<&str> {
        self.any(what).filter(|_| self.is(opcode))
    }

    /// Returns the requested value of a facet for any mnemonic.
    pub(super) fn any(&self, what: Name) -> Option<&str> {
        self.modifiers.iter().find(|(about, _)| about == what.text()).map(|(_, which)| which.as_str())
    }

    /// Whether this value of a facet is requested for any mnemonic.
    pub(super) fn wants(&self, wanted: NamedValue) -> bool {
        self.any(wanted.facet()) == Some(wanted.text())
    }

    /// Whether this value of a facet is requested for instructions with this mnemonic.
    pub(super) fn wants_of(&self, opcode: &str, wanted: NamedValue) -> bool {
        self.is(opcode) && self.wants(wanted)
    }

    /// Returns the index of the requested value in a table of a facet's values.
    pub(super) fn index(&self, opcode: &str, what: Name, values: &[&str]) -> Option<usize> {
        named::values::<A2xx>(what.text(), &values.iter().copied());
        self.which(opcode, what).and_then(|requested| values.iter().position(|value| *value == requested))
    }

    /// Returns the index of the requested value in a table of a facet's values and their weights, or an index drawn by weight.
    pub(super) fn choose(
        &self,
        e: &mut Entropy<'_>,
        opcode: &str,
        what: Name,
        table: &[(&str, u32)],
    ) -> usize {
        named::values::<A2xx>(what.text(), &table.iter().map(|(name, _)| *name));
        let requested = self.which(opcode, what).and_then(|w| table.iter().position(|(name, _)| *name == w));
        requested.unwrap_or_else(|| {
            let weights: Vec<u32> = table.iter().map(|(_, weight)| *weight).collect();
            e.weighted(&weights)
        })
    }

    /// Returns the number of the requested value of a vocabulary, or one drawn by weight.
    pub(super) fn choose_of<const N: usize>(
        &self,
        e: &mut Entropy<'_>,
        opcode: &str,
        what: Name,
        values: &[(&str, u8); N],
        weight: impl Fn(u8) -> u32,
    ) -> u8 {
        let table = values.map(|(name, number)| (name, weight(number)));
        values[self.choose(e, opcode, what, &table)].1
    }

    /// Chooses a flag. The flag is set if requested, or else with a probability of `percent` in 100.
    pub(super) fn flag(&self, e: &mut Entropy<'_>, opcode: &str, what: Name, percent: u32) -> u8 {
        self.choose(e, opcode, what, &[("off", 100 - percent), ("on", percent)]) as u8
    }
}
