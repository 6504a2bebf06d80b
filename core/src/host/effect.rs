//! The ordered effects of a lane: exports, emitted vertices and memory exports.

use crate::value::{Domain, same};

/// One effect. The instruction set defines `kind` and `index`: an export number, a vertex slot, a buffer word.
#[derive(Clone, Debug)]
pub struct Effect<D: Domain> {
    /// Whether the effect happens.
    pub when: D::B,
    /// The kind of effect, numbered by the instruction set.
    pub kind: u8,
    /// The destination number.
    pub index: u16,
    /// The components of `values` that are written, bit 0 = x.
    pub mask: u8,
    /// The four components.
    pub values: [D::F; 4],
}

/// A recorded effect of a concrete run.
#[derive(Clone, Copy, Debug)]
pub struct EffectRecord {
    /// The kind of effect, numbered by the instruction set.
    pub kind: u8,
    /// The destination number.
    pub index: u16,
    /// The components of `values` that are written.
    pub mask: u8,
    /// The four components; those outside `mask` are zero.
    pub values: [f32; 4],
}

impl EffectRecord {
    /// The components that are written, with their number (0 = x).
    pub fn components(&self) -> impl Iterator<Item = (u8, f32)> + '_ {
        (0..4u8).zip(self.values).filter(|(c, _)| self.mask >> c & 1 == 1)
    }
}

impl PartialEq for EffectRecord {
    fn eq(&self, other: &Self) -> bool {
        // All fields are named, so that a new field does not compile unless it is handled here.
        let EffectRecord { kind, index, mask, values } = self;
        (*kind, *index, *mask) == (other.kind, other.index, other.mask)
            && (0..4).all(|c| mask >> c & 1 == 0 || same(values[c], other.values[c]))
    }
}
