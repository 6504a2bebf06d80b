//! Layouts: the fields of every word tile the word, and splitting a word into fields and joining the fields are inverse.
//!
//! The code of [`Layout::split`] and [`Layout::join`] itself is run on a word of symbols, one for each bit. Native words are checked on every single
//! bit, which is enough because both functions are exclusive-or linear.

use super::{Kind, MutantStatus, Obligation, ObligationSpan, Task};
use crate::verdict::{Counterexample, ProofMeans, Verdict};
use lockstep_core::binary::{Bits, Field, Layout};
use lockstep_core::isa::Tables;

/// A symbolic bit: zero, a bit of an unknown word or field (the number of the unknown and the number of the bit), or a clash of two overlapping bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bit {
    Zero,
    Of(u8, u8),
    Clash,
}

/// A word of symbols.
#[derive(Clone, Debug, PartialEq)]
struct Word([Bit; 128]);

impl Word {
    const ZERO: Word = Word([Bit::Zero; 128]);

    /// Returns a word whose lowest `bits` bits are those of unknown `number`, and whose other bits are 0.
    fn unknown(number: u8, bits: u32) -> Word {
        Word(std::array::from_fn(|n| if (n as u32) < bits { Bit::Of(number, n as u8) } else { Bit::Zero }))
    }
}

impl Bits for Word {
    fn get(&self, field: &Field) -> Word {
        let (low, width) = (usize::from(field.low), usize::from(field.width));
        Word(std::array::from_fn(|n| {
            if n < width { self.0.get(low + n).copied().unwrap_or(Bit::Zero) } else { Bit::Zero }
        }))
    }

    fn with(&self, field: &Field, value: &Word) -> Word {
        let (low, width) = (usize::from(field.low), usize::from(field.width));
        let mut word = self.clone();
        for n in 0..width {
            let Some(bit) = word.0.get_mut(low + n) else { continue };
            *bit = match (*bit, value.0[n]) {
                (Bit::Zero, new) => new,
                (old, Bit::Zero) => old,
                _ => Bit::Clash,
            };
        }
        word
    }
}

pub(super) fn tasks<I: Tables>() -> Vec<Task> {
    (I::layouts().iter().chain(I::outer_layouts()).chain(I::own_layouts()))
        .map(|layout| {
            let name = format!("{} {} {}", I::ID, Kind::Layout.name(), layout.name);
            Task::new(name.clone(), move |_| vec![of_layout(&name, layout)])
        })
        .collect()
}

macro_rules! by_number_of_fields {
    ($layout:expr, $($n:literal)*) => {
        match $layout.fields.len() {
            $($n => check_inverse::<$n>($layout),)*
            n => Err(format!("{n} fields: the proof supports 1 to 48 fields")),
        }
    };
}

/// Checks a layout; returns an error that describes what is wrong.
fn check(layout: &Layout) -> Result<(), String> {
    if layout.tiles() {
        by_number_of_fields!(layout, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
            33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48)
    } else {
        Err("the fields do not tile the word".to_owned())
    }
}

/// Returns a layout in which one field is shifted up by one bit, so that no field covers its former lowest bit.
fn shifted(layout: &Layout) -> Layout {
    let mut fields = layout.fields.to_vec();
    let middle = fields.len() / 2;
    if let Some(field) = fields.get_mut(middle) {
        field.low += 1;
    }
    // The fields are leaked, since a layout's fields are static: a few hundred bytes for each layout.
    Layout { fields: Vec::leak(fields), ..*layout }
}

fn of_layout(name: &str, layout: &'static Layout) -> Obligation {
    let span = ObligationSpan::begin(Kind::Layout, name);
    let wrong =
        if check(&shifted(layout)).is_err() { MutantStatus::Refuted } else { MutantStatus::Equivalent };
    let verdict = match check(layout) {
        Ok(()) => Verdict::Proved { how: ProofMeans::SameTerm },
        Err(what) => Verdict::Refuted(Box::new(Counterexample {
            what,
            inputs: Vec::new(),
            path: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
        })),
    };
    span.end(
        Obligation::settled(Kind::Layout, name.to_owned(), verdict)
            .with_mutant("a field shifted up by one bit", wrong),
    )
}

fn check_inverse<const N: usize>(layout: &Layout) -> Result<(), String> {
    let bits = u32::from(layout.bits);
    let word = Word::unknown(0, bits);
    let fields: [Word; N] = layout.split(&word);
    if layout.join(&fields, Word::ZERO) != word {
        return Err("a word that is split and joined again differs".to_owned());
    }
    let fields: [Word; N] = std::array::from_fn(|k| Word::unknown(k as u8, 128));
    let again: [Word; N] = layout.split(&layout.join(&fields, Word::ZERO));
    for (k, field) in layout.fields.iter().enumerate() {
        if again[k] != Word::unknown(k as u8, field.width.into()) {
            return Err(format!(
                "field {} differs from its value cut to its width after joining and splitting",
                field.name
            ));
        }
    }
    if bits <= 32 {
        check_native::<N, u32>(layout, |n| 1 << n)?;
    }
    if bits <= 64 {
        check_native::<N, u64>(layout, |n| 1 << n)?;
    }
    check_native::<N, u128>(layout, |n| 1 << n)
}

/// Compares native words with the symbols, bit by bit.
fn check_native<const N: usize, W: Bits + PartialEq + Default>(
    layout: &Layout,
    single_bit: impl Fn(u32) -> W,
) -> Result<(), String> {
    for n in 0..u32::from(layout.bits) {
        let symbols: [Word; N] = layout.split(&Word::unknown(0, layout.bits.into()));
        let numbers: [W; N] = layout.split(&single_bit(n));
        for k in 0..N {
            let place = symbols[k].0.iter().position(|b| *b == Bit::Of(0, n as u8));
            if numbers[k] != place.map_or_else(W::default, |p| single_bit(p as u32)) {
                return Err(format!(
                    "bit {n} of the native word is split to a different bit of {}",
                    layout.fields[k].name
                ));
            }
        }
        if layout.join(&numbers, W::default()) != single_bit(n) {
            return Err(format!("bit {n} of the native word is lost by splitting and joining"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::binary::FieldKind;

    fn layout(fields: &'static [Field]) -> Layout {
        Layout { name: "test", bits: 32, fields, source: "" }
    }

    #[test]
    fn overlaps_and_gaps_are_refuted() {
        static GOOD: [Field; 2] =
            [Field::new("a", 0, 12, FieldKind::Number), Field::new("b", 12, 20, FieldKind::Number)];
        static OVERLAP: [Field; 2] =
            [Field::new("a", 0, 13, FieldKind::Number), Field::new("b", 12, 20, FieldKind::Number)];
        static GAP: [Field; 2] =
            [Field::new("a", 0, 11, FieldKind::Number), Field::new("b", 12, 20, FieldKind::Number)];
        assert_eq!(check_inverse::<2>(&layout(&GOOD)), Ok(()));
        assert!(check_inverse::<2>(&layout(&OVERLAP)).is_err());
        assert!(check_inverse::<2>(&layout(&GAP)).is_err());
    }
}
