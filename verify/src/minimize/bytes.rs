//! Minimises input that is not a program or cannot be edited: first makes it shorter, then replaces bytes with zeros.

use super::FailurePredicate;
use crate::case::Case;

/// Input up to this length, in bytes, is cut at any offset; longer input is cut at multiples of the chunk size.
const SHORT: usize = 1024;

pub(super) fn shrink(case: &mut Case, predicate: &mut FailurePredicate<'_>) {
    // The sizes of instructions are powers of two, or three times a power of two.
    let most = case.bytes.len().next_power_of_two() / 2;
    let sizes = std::iter::successors(Some(most), |size| Some(size / 2)).take_while(|size| *size > 0);
    for chunk in sizes.flat_map(|size| [size + size / 2, size]) {
        let mut at = 0;
        while at < case.bytes.len() && !predicate.exhausted() {
            let mut candidate = case.clone();
            candidate.bytes.drain(at..(at + chunk).min(candidate.bytes.len()));
            if predicate.keeps_failing(&candidate) {
                *case = candidate;
            } else {
                at += if case.bytes.len() <= SHORT { 1 } else { chunk };
            }
        }
    }
    for at in 0..case.bytes.len() {
        if case.bytes[at] != 0 {
            let mut candidate = case.clone();
            candidate.bytes[at] = 0;
            if predicate.keeps_failing(&candidate) {
                *case = candidate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use lockstep_core::isa::IsaId;

    #[test]
    fn whole_tokens_after_a_header_are_removed() {
        // Seven bytes, then nine tokens of 24 bytes, one of which makes the case fail.
        let mut bytes = vec![0xa0; 7];
        for token in 0..9u8 {
            bytes.extend([token; 24]);
        }
        let mut fails = |case: &Case| {
            let tokens = case.bytes.strip_prefix(&[0xa0; 7]);
            tokens.is_some_and(|t| t.len() % 24 == 0 && t.chunks(24).any(|t| t[5] == 6))
        };
        let mut case = Case::bare(IsaId::Agal, &bytes);
        shrink(&mut case, &mut FailurePredicate { fails: &mut fails, tries: 0 });
        assert_eq!(case.bytes.len(), 31);
        assert_eq!(case.bytes.iter().map(|b| u32::from(*b)).sum::<u32>(), 7 * 0xa0 + 6);
    }
}
