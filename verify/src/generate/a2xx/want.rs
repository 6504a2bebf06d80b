//! What is wished of the instructions with one mnemonic, and choices that heed it.

use crate::generate::{Entropy, Wish, named};
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::facet::Name;

/// A wish, taken apart: the mnemonic, kinds of class, and which class of each kind. Empty where nothing is wished.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    pub(super) opcode: String,
    wishes: Vec<(String, String)>,
}

impl Target {
    pub(super) fn of(wish: &Wish) -> Target {
        let opcode = wish.class.as_ref().map(|class| class.opcode).or(wish.opcode).unwrap_or_default();
        let wishes = wish.modifiers().map(|(what, which)| (what.to_owned(), which.to_owned()));
        Target { opcode: opcode.to_owned(), wishes: wishes.collect() }
    }

    /// Whether these instructions are wished for.
    pub(super) fn is(&self, opcode: &str) -> bool {
        !self.opcode.is_empty() && self.opcode == opcode
    }

    /// Which class of a kind is wished of these instructions.
    pub(super) fn which(&self, opcode: &str, what: Name) -> Option<&str> {
        self.any(what).filter(|_| self.is(opcode))
    }

    /// Which class of a kind is wished, whatever the instruction.
    pub(super) fn any(&self, what: Name) -> Option<&str> {
        self.wishes.iter().find(|(about, _)| about == what.text()).map(|(_, which)| which.as_str())
    }

    /// Whether this class of a kind is wished, whatever the instruction.
    pub(super) fn wants(&self, what: Name, which: &str) -> bool {
        named::value::<A2xx>(what.text(), which);
        self.any(what) == Some(which)
    }

    /// The place of the wished class in a table of all classes of a kind and their weights, or of one drawn by weight.
    pub(super) fn choose(
        &self,
        e: &mut Entropy<'_>,
        opcode: &str,
        what: Name,
        table: &[(&str, u32)],
    ) -> usize {
        named::values::<A2xx>(what.text(), &table.iter().map(|(name, _)| *name));
        let wished = self.which(opcode, what).and_then(|w| table.iter().position(|(name, _)| *name == w));
        wished.unwrap_or_else(|| {
            let weights: Vec<u32> = table.iter().map(|(_, weight)| *weight).collect();
            e.weighted(&weights)
        })
    }

    /// The number of the wished value of a vocabulary, or of one drawn by the weight of its number.
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

    /// The same for a flag that is set in so many cases of a hundred.
    pub(super) fn flag(&self, e: &mut Entropy<'_>, opcode: &str, what: Name, percent: u32) -> u8 {
        self.choose(e, opcode, what, &[("off", 100 - percent), ("on", percent)]) as u8
    }
}
