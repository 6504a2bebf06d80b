//! Macros that declare words: one list of fields generates the struct, the layout and both conversions.

use super::{Field, FieldKind};

/// Stacks fields from bit 0 up, so that they tile the word. Each field is given by its name, width and kind, and the first line of its documentation.
///
/// # Panics
/// At compile time, if a width is 0, a listed value does not fit its field, the widths do not add up to `bits`, or the first line of a field's
/// documentation is not a valid [`meaning`].
pub(crate) const fn stack_fields<const N: usize>(
    bits: u8,
    fields: [(&'static str, u8, FieldKind, &'static str); N],
) -> [Field; N] {
    let mut stack = [Field::new("", 0, 0, FieldKind::Number); N];
    let (mut low, mut k) = (0, 0);
    while k < N {
        let (name, width, kind, line) = fields[k];
        assert!(width > 0, "a field must have at least one bit");
        assert!(kind.fits(width), "the listed values must fit the field");
        stack[k] = Field { meaning: meaning(line), ..Field::new(name, low, width, kind) };
        low += width;
        k += 1;
    }
    assert!(low == bits, "the widths of the fields must add up to the width of the word");
    stack
}

/// Returns the meaning of a field: the first line of its documentation without the full stop. Manuals print it, so it must be a whole sentence or
/// phrase that needs no knowledge of Lockstep's code. Further lines of the documentation are only for readers of the code.
///
/// # Panics
/// If the line does not end with a full stop, or contains a link or a path of Rust.
const fn meaning(line: &'static str) -> &'static str {
    let line = line.trim_ascii();
    let bytes = line.as_bytes();
    assert!(
        bytes.len() > 1 && bytes[bytes.len() - 1] == b'.',
        "a field's meaning must end with a full stop on its line"
    );
    let mut k = 0;
    while k < bytes.len() {
        assert!(bytes[k] != b'[', "a field's meaning must not contain a link");
        assert!(bytes[k] != b':' || bytes[k + 1] != b':', "a field's meaning must not contain a path");
        k += 1;
    }
    line.split_at(bytes.len() - 1).0
}

/// Declares words. A field is `name: type [width] kind`, preceded by documentation whose first line is its [`meaning`]. Its bits follow those
/// of the previous field. A field without a kind is a number. Layouts and manuals use the field's own name, unless the name is followed by a literal
/// with another one. The name of the word is a literal, or an expression in parentheses. Besides the struct, the macro generates
///
/// * `LAYOUT`: its [`Layout`](super::Layout),
/// * a constant by the name of each field, which is the [`Field`](super::Field), for code that reads a single field,
/// * `from_word` and `to_word`; `to_word` panics if a value does not fit its field,
/// * `misfit`: the first field whose value does not fit,
/// * `has_reserved`: whether a bit is set that the documents define as zero,
/// * `has_wrong_fixed`: whether a [`FieldKind::Fixed`](super::FieldKind::Fixed) field differs from its legal value.
macro_rules! words {
    ($(
        $(#[$meta:meta])*
        $vis:vis struct $type:ident in $int:ty, $bits:literal bits, $label:tt from $source:expr;
        { $(#[doc = $meaning:literal] $(#[$doc:meta])* $field:ident $($name:literal)? : $repr:ty [$width:literal] $($holds:expr)?,)* }
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $vis struct $type {
            $(#[doc = $meaning] $(#[$doc])* pub $field: $repr,)*
        }

        $(const _: () = assert!($width <= <$repr>::BITS, "a field must fit its Rust type");)*

        // The constants have the names of their fields, and some of them are never used.
        #[allow(non_upper_case_globals, non_camel_case_types, dead_code)]
        const _: () = {
            enum At { $($field),* }
            impl $type {
                $(#[doc = $meaning] $(#[$doc])* pub const $field: $crate::binary::Field = Self::FIELDS[At::$field as usize];)*
            }
        };

        impl $type {
            const FIELDS: &'static [$crate::binary::Field] = &$crate::binary::stack_fields($bits, [
                $(($crate::binary::words!(@first $($name,)? stringify!($field)), $width,
                    $crate::binary::words!(@first $($holds,)? $crate::binary::FieldKind::Number), $meaning),)*
            ]);

            /// The layout of the word.
            #[allow(unused_parens)] // around a name that is an expression
            pub const LAYOUT: $crate::binary::Layout =
                $crate::binary::Layout { name: $label, bits: $bits, source: $source, fields: Self::FIELDS };

            /// Returns the fields of a word. Bits above the width of the layout are ignored.
            #[inline]
            #[allow(clippy::cast_possible_truncation)] // the assertions above: each type holds its field
            pub fn from_word(word: $int) -> $type {
                let [$($field),*] = Self::LAYOUT.split(&word);
                $type { $($field: $field as $repr),* }
            }

            /// Returns the first field whose value does not fit it; `None` if all values fit.
            #[allow(dead_code)] // only where programs made by hand are encoded
            pub fn misfit(&self) -> Option<&'static $crate::binary::Field> {
                let values = [$(u128::from(self.$field)),*];
                Self::FIELDS.iter().zip(values).find(|(field, value)| *value > field.max()).map(|(field, _)| field)
            }

            /// Returns the word with these fields.
            ///
            /// # Panics
            /// If a value does not fit its field: see `misfit`.
            #[inline]
            pub fn to_word(&self) -> $int {
                Self::LAYOUT.join(&[$(<$int>::from(self.$field)),*], 0)
            }

            /// Whether a bit is set that the documents define as zero.
            #[allow(dead_code)] // a word without such bits has no rule about them
            #[inline]
            pub fn has_reserved(&self) -> bool {
                $($crate::binary::words!(@first $($holds,)? $crate::binary::FieldKind::Number) == $crate::binary::FieldKind::Reserved
                    && self.$field != 0)||*
            }

            /// Whether a field of kind `FieldKind::Fixed` differs from its legal value.
            #[allow(dead_code)] // few words have such fields
            #[inline]
            pub fn has_wrong_fixed(&self) -> bool {
                $(matches!(
                    $crate::binary::words!(@first $($holds,)? $crate::binary::FieldKind::Number),
                    $crate::binary::FieldKind::Fixed(value) if value != u64::from(self.$field)
                ))||*
            }
        }
    )*};
    (@first $first:expr $(, $other:expr)?) => { $first };
}
pub(crate) use words;

/// Declares a vocabulary: the meanings of a field's values. A meaning has a number, a printed name, and aliases that only parsers
/// accept. A literal after `as` is the name of the facet's value, if it differs from the printed name.
///
/// Besides the enum, the macro generates `ALL`, `CHOICES` (for [`FieldKind::Choice`](crate::binary::FieldKind::Choice)), `PRINTED`, `NAMES`,
/// `VALUES` (for facets), `from_number`, `name` and `from_name`.
macro_rules! vocabulary {
    ($(
        $(#[$meta:meta])*
        $vis:vis enum $type:ident {
            $($(#[$doc:meta])* $value:ident = $number:literal $name:literal $(as $facet:literal)? $(| $alias:literal)*,)*
        }
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        $vis enum $type {
            $($(#[$doc])* $value = $number,)*
        }

        impl $type {
            /// All values, in declaration order.
            pub const ALL: [$type; [$($number),*].len()] = [$($type::$value),*];
            /// Numbers and printed names.
            pub const CHOICES: &'static [(u64, &'static str)] = &[$(($number, $name)),*];
            /// The printed names, in the order of `ALL`.
            #[allow(dead_code)] // most fields are not facets
            pub const PRINTED: [&'static str; Self::ALL.len()] = [$($name),*];
            /// Every name with its number, the printed one first.
            pub const NAMES: &'static [(&'static str, u8)] = &[$(($name, $number), $(($alias, $number),)*)*];

            /// The values of a facet with their numbers.
            #[allow(dead_code)] // most fields are not facets
            pub const VALUES: [(&'static str, u8); Self::ALL.len()] =
                [$(($crate::binary::words!(@first $($facet,)? $name), $number)),*];

            /// The value with this number.
            #[inline]
            pub fn from_number(number: u8) -> Option<$type> {
                match number {
                    $($number => Some($type::$value),)*
                    _ => None,
                }
            }

            /// The name that is printed.
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$value => $name,)*
                }
            }

            /// The value with this printed name or alias.
            pub fn from_name(name: &str) -> Option<$type> {
                match name {
                    $($name $(| $alias)* => Some($type::$value),)*
                    _ => None,
                }
            }
        }
    )*};
}
pub(crate) use vocabulary;

#[cfg(test)]
mod tests {
    #![allow(unreachable_pub)]
    use super::*;

    vocabulary! {
        /// The direction of a bend.
        pub enum Bend {
            /// To the left.
            Left = 1 "left" as "leftward" | "l" | "port",
            /// To the right.
            Right = 3 "right",
        }
    }

    words! {
        /// A word of 16 bits in 32.
        pub struct Step in u32, 16 bits, "step" from "the test";
        {
            /// Low bits.
            /// See [`Bend`]: further lines are not part of the meaning.
            count: u8 [5],
            /// Bits that ought to be zero.
            zero5 "reserved": u8 [2] FieldKind::Reserved,
            /// A choice.
            bend: u8 [3] FieldKind::Choice(Bend::CHOICES),
            /// The rest.
            rest: u16 [4],
            /// Bits with one legal value.
            fixed14: u8 [2] FieldKind::Fixed(2),
        }
    }

    #[test]
    fn fields_are_laid_out_in_declaration_order() {
        assert!(Step::LAYOUT.tiles());
        let ranges: Vec<_> = Step::LAYOUT.fields.iter().map(|f| (f.name, f.low, f.width)).collect();
        assert_eq!(
            ranges,
            [("count", 0, 5), ("reserved", 5, 2), ("bend", 7, 3), ("rest", 10, 4), ("fixed14", 14, 2)]
        );
        let meanings: Vec<_> = Step::LAYOUT.fields.iter().map(|f| f.meaning).collect();
        assert_eq!(
            meanings,
            ["Low bits", "Bits that ought to be zero", "A choice", "The rest", "Bits with one legal value"]
        );
        assert_eq!(meaning(" A register number. "), "A register number");
        for wrong in ["", ".", " Half a sentence,", " See [`Bend`].", " A Bend::Left."] {
            assert!(std::panic::catch_unwind(|| meaning(wrong)).is_err(), "{wrong:?}");
        }
        assert_eq!(Step::LAYOUT.fields[2].kind, FieldKind::Choice(&[(1, "left"), (3, "right")]));
        let step = Step { count: 17, zero5: 2, bend: 3, rest: 9, fixed14: 1 };
        assert_eq!(step.to_word(), 0x11 | 0x2 << 5 | 0x3 << 7 | 0x9 << 10 | 0x1 << 14);
        assert_eq!(Step::from_word(step.to_word() | 0xffff << 16), step);
        assert_eq!([0, 3, 4, 7].map(|value| Step::bend.signed(value)), [0, 3, -4, -1]);
        let named = [Step::count, Step::zero5, Step::bend, Step::rest, Step::fixed14];
        assert_eq!(Step::LAYOUT.fields, named);
        assert_eq!(named.map(|field| Step::LAYOUT.find_index(&field)), [0, 1, 2, 3, 4].map(Some));
        assert_eq!(named.map(|field| Step::LAYOUT.index_of(&field)), [0, 1, 2, 3, 4]);
        assert!(
            std::panic::catch_unwind(|| Step::LAYOUT.index_of(&Field { low: 6, ..Step::zero5 })).is_err()
        );
        assert_eq!(Step::LAYOUT.find_index(&Field { low: 6, ..Step::zero5 }), None);
    }

    #[test]
    fn a_value_that_does_not_fit_is_not_silently_truncated() {
        let step = Step { count: 31, zero5: 3, bend: 7, rest: 15, fixed14: 3 };
        assert_eq!(step.to_word(), 0xffff);
        let too_large = [
            Step { count: 32, ..step },
            Step { zero5: 4, ..step },
            Step { bend: 8, ..step },
            Step { rest: 16, ..step },
            Step { fixed14: 4, ..step },
        ];
        assert_eq!(step.misfit(), None);
        let misfits = too_large.map(|wrong| wrong.misfit().map(|field| field.name));
        assert_eq!(misfits, ["count", "reserved", "bend", "rest", "fixed14"].map(Some));
        for wrong in too_large {
            assert!(std::panic::catch_unwind(|| wrong.to_word()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn fixed_bits_with_other_values_are_detected() {
        let step = |zero5, fixed14| Step { count: 31, zero5, bend: 7, rest: 15, fixed14 };
        for value in 0..4 {
            assert_eq!(step(value, 2).has_reserved(), value != 0);
            assert!(!step(value, 2).has_wrong_fixed());
            assert_eq!(step(0, value).has_wrong_fixed(), value != 2);
            assert!(!step(0, value).has_reserved());
        }
        let fixed = Step::LAYOUT.fields.iter().map(|f| f.kind.fixed());
        assert_eq!(fixed.collect::<Vec<_>>(), [None, Some(0), None, None, Some(2)]);
    }

    #[test]
    fn a_vocabulary_reads_every_name_and_prints_the_first() {
        assert_eq!(Bend::ALL, [Bend::Left, Bend::Right]);
        for (name, bend) in
            [("left", Bend::Left), ("l", Bend::Left), ("port", Bend::Left), ("right", Bend::Right)]
        {
            assert_eq!(Bend::from_name(name), Some(bend));
        }
        assert_eq!((Bend::from_name("Left"), Bend::Left.name()), (None, "left"));
        assert_eq!(Bend::VALUES, [("leftward", 1), ("right", 3)]);
        assert_eq!(Bend::NAMES, [("left", 1), ("l", 1), ("port", 1), ("right", 3)]);
        let numbers: Vec<_> = (0..5).map(Bend::from_number).collect();
        assert_eq!(numbers, [None, Some(Bend::Left), None, Some(Bend::Right), None]);
    }
}
