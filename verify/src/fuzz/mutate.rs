//! Changing inputs: as cases where they are cases, as text where they are text, blindly where they are neither.

use super::Target;
use super::input::{isa_byte, isas};
use crate::case::Case;
use crate::generate::{self, Entropy};
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;

/// Changes the input in `data[..size]` in place and returns its new size, at most `max_size`. The same input and `seed` always give the same change.
///
/// `blind` is the fuzzer's own mutator (data, size, largest size; returns the new size), which knows the dictionary and what was compared.
pub fn mutate(
    target: Target,
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    blind: impl Fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    let mut e = Entropy::seeded(u64::from(seed));
    let size = size.min(data.len());
    let max_size = max_size.min(data.len());
    let changed = match Case::from_bytes(&data[..size]) {
        // Now and then the case form itself is what is changed, or nothing would ever be refused.
        Some(_) if target == Target::Cases && e.chance(50) => None,
        Some(case) => Some(generate::mutate(&case, &mut e).to_bytes()),
        None if e.chance(odds_of_fresh(target)) => fresh(target, &mut e),
        None => None,
    };
    match changed {
        Some(bytes) if bytes.len() <= max_size => {
            data[..bytes.len()].copy_from_slice(&bytes);
            bytes.len()
        }
        // What has grown too large is left as it was, rather than cut: a cut case is none.
        Some(_) if size <= max_size => size,
        _ => blind(data, size, max_size),
    }
}

/// How many inputs of a hundred that are no binary case are replaced by a generated one.
fn odds_of_fresh(target: Target) -> usize {
    match target {
        // They take nothing else.
        Target::Execution | Target::Rewriting => 100,
        // Blind changes to bytes seldom leave a program; to text they often do.
        Target::Bytes => 50,
        Target::Text | Target::Cases => 10,
    }
}

/// A generated input in one of the forms that a target takes.
fn fresh(target: Target, e: &mut Entropy<'_>) -> Option<Vec<u8>> {
    let isa = *e.pick(&isas())?;
    let case = generate::any_case(isa, e);
    let raw = |bytes: &[u8]| [&[isa_byte(isa)], bytes].concat();
    Some(match target {
        Target::Text if e.chance(75) => raw(with_isa!(isa, I => text::<I>(&case.bytes))?.as_bytes()),
        Target::Cases if e.chance(75) => case.to_text(None).into_bytes(),
        _ => case.to_bytes(),
    })
}

fn text<I: Isa>(bytes: &[u8]) -> Option<String> {
    I::decode(bytes).ok().map(|program| I::disassemble(&program))
}

/// Puts something made of two inputs into `out` and returns its size: of two cases a case, else the beginning of one and the end of the other.
pub fn crossover(first: &[u8], second: &[u8], out: &mut [u8], seed: u32) -> usize {
    let mut e = Entropy::seeded(u64::from(seed));
    let both = Case::from_bytes(first).zip(Case::from_bytes(second));
    let crossed = both.and_then(|(a, b)| generate::crossover(&a, &b, &mut e)).map(|case| case.to_bytes());
    let bytes = crossed.filter(|bytes| bytes.len() <= out.len()).unwrap_or_else(|| {
        let (head, tail) = (e.below(first.len() + 1), e.below(second.len() + 1));
        let mut bytes = [&first[..head], &second[tail..]].concat();
        bytes.truncate(out.len());
        bytes
    });
    out[..bytes.len()].copy_from_slice(&bytes);
    bytes.len()
}

/// A generated case, the same for the same seed.
pub(super) fn generated(isa: IsaId, seed: u32) -> Case {
    generate::any_case(isa, &mut Entropy::seeded(u64::from(seed)))
}
