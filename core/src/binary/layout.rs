//! Bit layouts as data: a name for every bit of every word.

/// The contents of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A number.
    Number,
    /// A number in two's complement.
    Signed,
    /// A list of numbers with this many bits each, the first in the lowest bits; see [`List`](super::List).
    Elements(u8),
    /// One of the listed values. In instruction words, decoders preserve other values, and validators report them as violations.
    Choice(&'static [(u64, &'static str)]),
    /// Bits without meaning, which should be zero. Decoders preserve other values.
    Reserved,
    /// Bits with a single legal value. In instruction words, decoders preserve other values, and validators report them as violations.
    Fixed(u64),
}

impl FieldKind {
    /// Whether listed and fixed values fit in `width` bits, or the elements of a list fill these bits exactly. True for every other kind.
    pub const fn fits(self, width: u8) -> bool {
        let most = u64::MAX >> (64 - if width < 64 { width as u32 } else { 64 });
        match self {
            FieldKind::Choice(choices) => {
                let mut k = 0;
                while k < choices.len() {
                    if choices[k].0 > most {
                        return false;
                    }
                    k += 1;
                }
                true
            }
            FieldKind::Fixed(value) => value <= most,
            FieldKind::Elements(bits) => bits > 0 && width.is_multiple_of(bits),
            FieldKind::Number | FieldKind::Signed | FieldKind::Reserved => true,
        }
    }

    /// The only value that the documents allow, if there is just one.
    pub const fn fixed(self) -> Option<u64> {
        match self {
            FieldKind::Reserved => Some(0),
            FieldKind::Fixed(value) => Some(value),
            FieldKind::Number | FieldKind::Signed | FieldKind::Elements(_) | FieldKind::Choice(_) => None,
        }
    }
}

/// A range of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, as in the documents.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u8,
    /// Number of bits.
    pub width: u8,
    /// The type of the contents.
    pub kind: FieldKind,
    /// The meaning of the contents, as a phrase for the manual; empty for fields that no manual lists.
    pub meaning: &'static str,
}

/// A word of up to 128 bits. The fields tile it without gaps or overlaps, which the prover shows for every layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Name of the word.
    pub name: &'static str,
    /// Number of bits.
    pub bits: u8,
    /// The fields of the word, from the lowest bit up.
    pub fields: &'static [Field],
    /// The document and section that define the word.
    pub source: &'static str,
}

impl Field {
    /// A field of the given kind, without a meaning.
    pub const fn new(name: &'static str, low: u8, width: u8, kind: FieldKind) -> Field {
        Field { name, low, width, kind, meaning: "" }
    }

    /// The largest value that the field can hold.
    pub const fn max(&self) -> u128 {
        u128::MAX >> (128 - self.width as u32)
    }

    /// The largest value that the field can hold, as a number of 64 bits.
    ///
    /// # Panics
    /// If the field has more than 64 bits. In a constant expression, this is a compile error.
    pub const fn max_u64(&self) -> u64 {
        assert!(self.width <= 64, "the values of the field have more than 64 bits");
        u64::MAX >> (64 - self.width as u32)
    }

    /// A value of this field, read as a number in two's complement.
    pub const fn signed(&self, value: u64) -> i64 {
        let unused = 64 - self.width as u32;
        (value << unused) as i64 >> unused
    }

    /// Returns the word with this field changed; `None` if the value does not fit the field.
    pub fn replace_in<W: Bits + From<u32> + Into<u128> + Copy + std::ops::BitXor<Output = W>>(
        &self,
        word: W,
        value: W,
    ) -> Option<W> {
        let zero = W::from(0);
        let cleared = word ^ zero.with(self, &word.get(self));
        (value.into() <= self.max()).then(|| cleared.with(self, &value))
    }
}

/// A word whose bits can be extracted and inserted: a number, or a bit-vector of the solver.
///
/// Decoders and encoders are generic over this trait, so the proof that they invert each other covers the code that runs.
pub trait Bits: Clone {
    /// The bits of the field, shifted down to bit 0.
    #[must_use]
    fn get(&self, field: &Field) -> Self;
    /// This word with `value` inserted in the field's bits, which must be zero.
    ///
    /// # Panics
    /// If the value does not fit the field.
    #[must_use]
    fn with(&self, field: &Field, value: &Self) -> Self;
}

macro_rules! native_bits {
    ($($int:ty),*) => {$(
        impl Bits for $int {
            #[inline(always)]
            fn get(&self, field: &Field) -> Self {
                (*self >> field.low) & (<$int>::MAX >> (<$int>::BITS - u32::from(field.width)))
            }
            #[inline(always)]
            fn with(&self, field: &Field, value: &Self) -> Self {
                let most = <$int>::MAX >> (<$int>::BITS - u32::from(field.width));
                assert!(*value <= most, "{value} does not fit '{}', which has {} bits", field.name, field.width);
                *self | *value << field.low
            }
        }
    )*};
}
native_bits!(u8, u16, u32, u64, u128);

impl Layout {
    /// The values of all fields of a word, lowest first. `N` is the number of fields.
    #[inline(always)]
    pub fn split<W: Bits, const N: usize>(&self, word: &W) -> [W; N] {
        std::array::from_fn(|k| word.get(&self.fields[k]))
    }

    /// Returns the word with these field values.
    ///
    /// # Panics
    /// If a value does not fit its field.
    #[inline(always)]
    pub fn join<W: Bits, const N: usize>(&self, values: &[W; N], zero: W) -> W {
        let mut word = zero;
        for (field, value) in self.fields.iter().zip(values) {
            word = word.with(field, value);
        }
        word
    }

    /// The number of fields: the indices of [`Layout::index_of`] are below it.
    ///
    /// # Panics
    /// If there are more than 65535 fields. In a constant expression, this is a compile error.
    pub const fn field_count(&self) -> u16 {
        assert!(self.fields.len() <= u16::MAX as usize, "a layout can have at most 65535 fields");
        self.fields.len() as u16
    }

    /// The index in [`Layout::fields`] of the field with the same bits.
    ///
    /// # Panics
    /// If no field has these bits. In a constant expression, this is a compile error.
    pub const fn index_of(&self, field: &Field) -> u16 {
        let mut k = 0;
        while self.fields[k].low != field.low || self.fields[k].width != field.width {
            k += 1;
        }
        k as u16
    }

    /// The index of a field in [`Layout::fields`]; `None` if the field does not belong to this word.
    pub fn find_index(&self, field: &Field) -> Option<u16> {
        self.fields.iter().position(|own| own == field).map(|at| at as u16)
    }

    /// Returns the field with this name; `None` if the word has no such field.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// Whether the fields cover every bit exactly once, in order.
    pub fn tiles(&self) -> bool {
        let mut next = 0u32;
        self.fields.iter().all(|f| {
            let fits = u32::from(f.low) == next && f.width > 0;
            next += u32::from(f.width);
            fits
        }) && next == u32::from(self.bits)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]
    use super::*;

    const FIELDS: [Field; 4] = [
        Field::new("a", 0, 1, FieldKind::Number),
        Field::new("b", 1, 12, FieldKind::Signed),
        Field::new("c", 13, 18, FieldKind::Reserved),
        Field::new("d", 31, 1, FieldKind::Number),
    ];

    fn layout(fields: &'static [Field], bits: u8) -> Layout {
        Layout { name: "word", bits, fields, source: "here" }
    }

    #[test]
    fn field_values_round_trip() {
        let layout = layout(&FIELDS, 32);
        for values in [[0u32; 4], [1, 0xfff, 0x3_ffff, 1], [1, 2, 4, 0], [0, 0x800, 0x2_0001, 1]] {
            let word: u32 = layout.join(&values, 0);
            assert_eq!(layout.split::<u32, 4>(&word), values, "{values:x?}");
            // No bit is lost, and none spills from one field into the next.
            let sum =
                values.iter().zip(&FIELDS).map(|(value, field)| u64::from(*value) << field.low).sum::<u64>();
            assert_eq!(u64::from(word), sum, "{values:x?}");
            let wide: u128 = layout.join(&values.map(u128::from), 0);
            assert_eq!(wide, u128::from(word));
        }
        for word in [0u32, u32::MAX, 0x1234_5678, 0x8000_0001] {
            assert_eq!(layout.join::<u32, 4>(&layout.split(&word), 0), word);
        }
        assert_eq!(layout.field("c"), Some(&FIELDS[2]));
        assert_eq!(layout.field("e"), None);
    }

    #[test]
    fn setting_a_field_changes_only_its_bits() {
        for word in [0u32, u32::MAX, 0x1234_5678] {
            for field in &FIELDS {
                let most = field.max() as u32;
                for value in [0, 1, most] {
                    let changed = field.replace_in(word, value).expect("it fits");
                    assert_eq!(changed.get(field), value);
                    assert_eq!((changed ^ word) & !(most << field.low), 0, "{} of {word:08x}", field.name);
                }
                assert_eq!(field.max_u64(), most.into());
                assert_eq!(field.replace_in(word, most + 1), None);
                assert!(std::panic::catch_unwind(|| 0u32.with(field, &(most + 1))).is_err());
            }
        }
    }

    #[test]
    fn only_fields_without_gap_or_overlap_tile_a_word() {
        const GAP: [Field; 2] = [FIELDS[0], FIELDS[2]];
        const OVERLAP: [Field; 3] = [FIELDS[0], FIELDS[1], FIELDS[1]];
        const EMPTY: [Field; 2] = [FIELDS[0], Field::new("x", 1, 0, FieldKind::Number)];
        assert!(layout(&FIELDS, 32).tiles() && layout(&FIELDS[..2], 13).tiles());
        for (fields, bits) in [
            (&FIELDS[..], 31),
            (&FIELDS, 33),
            (&FIELDS[..3], 32),
            (&FIELDS[1..], 32),
            (&GAP, 31),
            (&OVERLAP, 25),
            (&EMPTY, 1),
            (&[], 1),
        ] {
            assert!(!layout(fields, bits).tiles(), "{bits} bits of {fields:?}");
        }
    }
}
