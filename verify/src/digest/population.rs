//! Programs that do not depend on a generator: the programs of a corpus, and variants of them with changed bytes, with words copied from other
//! programs, or both.

use crate::case::{Case, EntryRef};
use crate::corpus::{Content, Item};
use crate::generate::Entropy;
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use std::ops::Range;

/// The size in bytes of the units that are copied: that of a word in most formats.
const WORD: usize = 4;
/// The maximum number of words copied from another program.
const MAX_WORDS: usize = 12;
/// The percentage of derived programs that contain no words of a second program. Any derived program may have up to four changed bytes.
const UNMIXED_PERCENT: usize = 70;

/// The error that there are no programs to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPrograms;

/// Returns the programs with these numbers as cases of an instruction set: the lowest numbers are the items' programs in order, all others are
/// programs derived from them. Equal items give equal programs.
///
/// # Errors
/// If no item is a program of this instruction set with at least one byte.
pub fn population(
    isa: IsaId,
    items: &[Item],
    numbers: Range<usize>,
) -> Result<impl Iterator<Item = Case>, NoPrograms> {
    let own = |item: &Item| match &item.content {
        Content::Program { isa: its, bytes } if *its == isa => Some(bytes.clone()),
        _ => None,
    };
    let all: Vec<Vec<u8>> = items.iter().filter_map(own).filter(|bytes| !bytes.is_empty()).collect();
    if all.is_empty() {
        return Err(NoPrograms);
    }
    Ok(numbers.map(move |number| {
        let bytes = drawn(&all, number);
        let entries = with_isa!(isa, I => I::decode(&bytes).map_or(1, |program| I::entry_count(&program)));
        let entry = EntryRef::Own((number % entries.max(1)) as u16);
        Case { entry, ..Case::bare(isa, &bytes) }
    }))
}

/// Returns the program with this number.
fn drawn(all: &[Vec<u8>], number: usize) -> Vec<u8> {
    let mut bytes = all[number % all.len()].clone();
    if number < all.len() {
        return bytes;
    }
    let mut e = Entropy::seeded(number as u64);
    if !e.chance(UNMIXED_PERCENT) {
        copy_words(&mut bytes, &all[e.below(all.len())], &mut e);
    }
    for _ in 0..e.below(5) {
        let at = e.below(bytes.len());
        bytes[at] ^= if e.chance(70) { 1 << e.below(8) } else { e.bits() as u8 };
    }
    bytes
}

/// Replaces a run of words by a run of words from another program.
fn copy_words(bytes: &mut [u8], other: &[u8], e: &mut Entropy<'_>) {
    let (here, there) = (bytes.len() / WORD, other.len() / WORD);
    let count = e.between(1, MAX_WORDS).min(here).min(there);
    let (to, from) = (WORD * e.below(here + 1 - count), WORD * e.below(there + 1 - count));
    bytes[to..to + WORD * count].copy_from_slice(&other[from..from + WORD * count]);
}
