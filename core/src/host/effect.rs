//! Ordered effects of a lane: exports, emitted vertices, memory exports.

use crate::value::{Domain, same};

/// One effect. What `kind` and `index` mean is the instruction set's: an export number, a vertex slot, a buffer word.
#[derive(Clone, Debug)]
pub struct Effect<D: Domain> {
    /// Whether it happens at all.
    pub when: D::B,
    /// The instruction set's own tag.
    pub kind: u8,
    /// Where it goes.
    pub index: u16,
    /// Which components of `values` count, bit 0 = x.
    pub mask: u8,
    /// The four components.
    pub values: [D::F; 4],
}

/// An effect as recorded on numbers.
#[derive(Clone, Copy, Debug)]
pub struct EffectRecord {
    /// The instruction set's own tag.
    pub kind: u8,
    /// Where it goes.
    pub index: u16,
    /// Which components of `values` count.
    pub mask: u8,
    /// The four components; those outside `mask` are zero.
    pub values: [f32; 4],
}

impl EffectRecord {
    /// The components that count, with their number (0 = x).
    pub fn components(&self) -> impl Iterator<Item = (u8, f32)> + '_ {
        (0..4u8).zip(self.values).filter(|(c, _)| self.mask >> c & 1 == 1)
    }
}

impl PartialEq for EffectRecord {
    fn eq(&self, other: &Self) -> bool {
        // Taken apart whole: a field that is added has to be given its place here.
        let EffectRecord { kind, index, mask, values } = self;
        (*kind, *index, *mask) == (other.kind, other.index, other.mask)
            && (0..4).all(|c| mask >> c & 1 == 0 || same(values[c], other.values[c]))
    }
}
