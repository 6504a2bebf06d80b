//! Bit layouts as data: every bit of every word by name.

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A number.
    Number,
    /// A number in two's complement.
    Signed,
    /// One of these values; others are kept and are violations.
    Choice(&'static [(u64, &'static str)]),
    /// Bits that the documents say are zero; kept all the same.
    Reserved,
}

/// A run of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, as in the documents.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u8,
    /// Number of bits.
    pub width: u8,
    /// What it holds.
    pub holds: Use,
}

/// A word of up to 128 bits. The fields tile it: no gap and no overlap, which the prover shows for every layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Name of the word.
    pub name: &'static str,
    /// Number of bits.
    pub bits: u8,
    /// Its fields, from the lowest bit up.
    pub fields: &'static [Field],
    /// Where it is written.
    pub source: &'static str,
}

impl Field {
    /// A field of the given use.
    pub const fn new(name: &'static str, low: u8, width: u8, holds: Use) -> Field {
        Field { name, low, width, holds }
    }

    /// The largest value it holds.
    pub const fn max(&self) -> u128 {
        u128::MAX >> (128 - self.width as u32)
    }
}

/// A word, as bits to take apart and put together: a number, or a bit-vector of the solver.
///
/// Decoders and encoders are written over this trait, so that the proof that they invert each other is about the code that runs.
pub trait Bits: Clone {
    /// Bits `field.low` and up, moved down to bit 0.
    #[must_use]
    fn get(&self, field: &Field) -> Self;
    /// This word with `value`, cut to the field's width, put into the field's bits, which are zero so far.
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
                *self | (*value & (<$int>::MAX >> (<$int>::BITS - u32::from(field.width)))) << field.low
            }
        }
    )*};
}
native_bits!(u32, u64, u128);

impl Layout {
    /// The values of all fields of a word, lowest first. `N` is the number of fields.
    #[inline(always)]
    pub fn split<W: Bits, const N: usize>(&self, word: &W) -> [W; N] {
        std::array::from_fn(|k| word.get(&self.fields[k]))
    }

    /// The word with these field values, each cut to its width.
    #[inline(always)]
    pub fn join<W: Bits, const N: usize>(&self, values: &[W; N], zero: W) -> W {
        let mut word = zero;
        for (field, value) in self.fields.iter().zip(values) {
            word = word.with(field, value);
        }
        word
    }

    /// A field by name.
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
