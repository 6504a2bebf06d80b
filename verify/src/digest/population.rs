//! Programs that depend on no generator: those of a corpus, and the same with bytes changed and with words of others.

use crate::case::{Case, EntryRef};
use crate::corpus::{Content, Item};
use crate::generate::Entropy;
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;
use std::ops::Range;

/// Bytes of the word that all formats are made of.
const WORD: usize = 4;
/// The most words that a program takes over from another one.
const MOST_WORDS: usize = 12;
/// Draws of programs as they are, or with at most a few bits changed, in a hundred; the others have words of a second program.
const OWN: usize = 70;

/// There are no programs to draw from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blank;

/// Programs of an instruction set by number: first the items' own, in their order, then changed ones. The same items give the same programs.
///
/// # Errors
/// If no item is a program of this instruction set.
pub fn population(
    isa: IsaId,
    items: &[Item],
    numbers: Range<usize>,
) -> Result<impl Iterator<Item = Case>, Blank> {
    let own = |item: &Item| match &item.content {
        Content::Program { isa: its, bytes } if *its == isa => Some(bytes.clone()),
        _ => None,
    };
    let all: Vec<Vec<u8>> = items.iter().filter_map(own).filter(|bytes| !bytes.is_empty()).collect();
    if all.is_empty() {
        return Err(Blank);
    }
    Ok(numbers.map(move |number| {
        let bytes = drawn(&all, number);
        let entries = with_isa!(isa, I => I::decode(&bytes).map_or(1, |program| I::entry_count(&program)));
        let entry = EntryRef::Own((number % entries.max(1)) as u16);
        Case { entry, ..Case::bare(isa, &bytes) }
    }))
}

/// The program of a number.
fn drawn(all: &[Vec<u8>], number: usize) -> Vec<u8> {
    let mut bytes = all[number % all.len()].clone();
    if number < all.len() {
        return bytes;
    }
    let mut e = Entropy::seeded(number as u64);
    if !e.chance(OWN) {
        take_over(&mut bytes, &all[e.below(all.len())], &mut e);
    }
    for _ in 0..e.below(5) {
        let at = e.below(bytes.len());
        bytes[at] ^= if e.chance(70) { 1 << e.below(8) } else { e.bits() as u8 };
    }
    bytes
}

/// Replaces a run of words by one of another program.
fn take_over(bytes: &mut [u8], other: &[u8], e: &mut Entropy<'_>) {
    let (here, there) = (bytes.len() / WORD, other.len() / WORD);
    let count = e.between(1, MOST_WORDS).min(here).min(there);
    let (to, from) = (WORD * e.below(here + 1 - count), WORD * e.below(there + 1 - count));
    bytes[to..to + WORD * count].copy_from_slice(&other[from..from + WORD * count]);
}
