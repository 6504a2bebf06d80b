//! Operands from words and back.

use super::layout;
use super::program::{Dest, Index, Relative, Source, Usage};

impl Usage {
    /// The fields of a word.
    #[inline]
    pub fn from_word(word: u32) -> Usage {
        let [usage, zero5, index, zero20, texture, one31] = layout::USAGE.split(&word);
        Usage {
            usage: usage as u8,
            zero5: zero5 as u16,
            index: index as u8,
            zero20: zero20 as u8,
            texture: texture as u8,
            one31: one31 as u8,
        }
    }

    /// The word with these fields; a field wider than its place is cut.
    #[inline]
    pub fn to_word(&self) -> u32 {
        let Usage { usage, zero5, index, zero20, texture, one31 } = *self;
        layout::USAGE
            .join(&[usage.into(), zero5.into(), index.into(), zero20.into(), texture.into(), one31.into()], 0)
    }
}

impl Dest {
    /// The fields of a word; `relative` says how the set bit 13 is meant.
    #[inline]
    pub fn from_word(word: u32, relative: Relative) -> Dest {
        let [number, high, _, zero14, mask, modifier, shift, low, one31] = layout::DEST.split(&word);
        Dest {
            number: number as u16,
            file: (low | high << 3) as u8,
            relative,
            zero14: zero14 as u8,
            mask: mask as u8,
            modifier: modifier as u8,
            shift: shift as u8,
            one31: one31 as u8,
        }
    }

    /// The word with these fields; a field wider than its place is cut.
    #[inline]
    pub fn to_word(&self) -> u32 {
        let Dest { number, file, ref relative, zero14, mask, modifier, shift, one31 } = *self;
        layout::DEST.join(
            &[
                number.into(),
                u32::from(file >> 3),
                u32::from(relative.is_set()),
                zero14.into(),
                mask.into(),
                modifier.into(),
                shift.into(),
                file.into(),
                one31.into(),
            ],
            0,
        )
    }
}

impl Source {
    /// The fields of a word; `relative` says how the set bit 13 is meant.
    #[inline]
    pub fn from_word(word: u32, relative: Relative) -> Source {
        let [number, high, _, zero14, swizzle, modifier, low, one31] = layout::SOURCE.split(&word);
        Source {
            number: number as u16,
            file: (low | high << 3) as u8,
            relative,
            zero14: zero14 as u8,
            swizzle: swizzle as u8,
            modifier: modifier as u8,
            one31: one31 as u8,
        }
    }

    /// The word with these fields; a field wider than its place is cut.
    #[inline]
    pub fn to_word(&self) -> u32 {
        let Source { number, file, ref relative, zero14, swizzle, modifier, one31 } = *self;
        source_word(number, file, u8::from(relative.is_set()), zero14, swizzle, modifier, one31)
    }
}

impl Index {
    /// The fields of a word.
    #[inline]
    pub fn from_word(word: u32) -> Index {
        let [number, high, zero13, zero14, swizzle, modifier, low, one31] = layout::SOURCE.split(&word);
        Index {
            number: number as u16,
            file: (low | high << 3) as u8,
            zero13: zero13 as u8,
            zero14: zero14 as u8,
            swizzle: swizzle as u8,
            modifier: modifier as u8,
            one31: one31 as u8,
        }
    }

    /// The word with these fields; a field wider than its place is cut.
    #[inline]
    pub fn to_word(&self) -> u32 {
        let Index { number, file, zero13, zero14, swizzle, modifier, one31 } = *self;
        source_word(number, file, zero13, zero14, swizzle, modifier, one31)
    }
}

#[inline]
fn source_word(number: u16, file: u8, relative: u8, zero14: u8, swizzle: u8, modifier: u8, one31: u8) -> u32 {
    layout::SOURCE.join(
        &[
            number.into(),
            u32::from(file >> 3),
            relative.into(),
            zero14.into(),
            swizzle.into(),
            modifier.into(),
            file.into(),
            one31.into(),
        ],
        0,
    )
}
