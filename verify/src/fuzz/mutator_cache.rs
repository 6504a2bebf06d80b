//! A cache of the mutator's last result, so that judging does not have to decode and validate it again.
//!
//! A fuzzer usually judges the input that its mutator has just written. If the bytes are the same, judging takes the mutant's decoded and validated
//! program from this cache. One input in sixteen is decoded from its bytes anyway.

use super::body::checksum;
use crate::generate::Mutant;
use lockstep_core::isa::{Isa, IsaId};
use std::any::Any;
use std::cell::RefCell;

/// The bytes of an input and the [`Mutant`] they encode.
struct StoredMutant {
    isa: IsaId,
    bytes: Vec<u8>,
    mutant: Box<dyn Any>,
}

thread_local! {
    static LAST: RefCell<Option<StoredMutant>> = const { RefCell::new(None) };
}

/// Stores a mutant for the next call of [`take_mutant`] on this thread, in place of the previous one. A mutant that is not known to be legal, and one
/// in sixteen of the others, is not stored.
pub(super) fn store_mutant<I: Isa>(bytes: &[u8], mutant: Mutant<I>) {
    let is_known = mutant.program.is_some() && mutant.runs.as_ref().is_some_and(|runs| runs.is_legal);
    let goes_through_bytes = checksum(bytes) >> 4 & 15 == 0;
    let handed = || StoredMutant { isa: I::ID, bytes: bytes.to_vec(), mutant: Box::new(mutant) };
    LAST.set((is_known && !goes_through_bytes).then(handed));
}

/// Returns the instruction set of the stored mutant, if it has these bytes.
pub(super) fn isa_of(bytes: &[u8]) -> Option<IsaId> {
    LAST.with_borrow(|last| last.as_ref().filter(|last| last.bytes == bytes).map(|last| last.isa))
}

/// Removes the stored mutant, and returns it if it has these bytes and this instruction set.
pub(super) fn take_mutant<I: Isa>(bytes: &[u8]) -> Option<Mutant<I>> {
    let last = LAST.take().filter(|last| last.bytes == bytes)?;
    last.mutant.downcast::<Mutant<I>>().ok().map(|mutant| *mutant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::fuzz::{Answer, Target, judge, mutate};
    use crate::generate::{Entropy, Generate, ProgramRequest, case};
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::d3d9::D3d9;
    use lockstep_core::with_isa;

    /// Makes mutants of a generated case. Returns how many were taken from the cache, and how many of these were compared.
    fn taken_over<I: Generate>(seed: u64) -> [u32; 2] {
        let request = ProgramRequest { size: Some(8), ..ProgramRequest::default() };
        let parent = case::<I>(&mut Entropy::seeded(seed), &request).to_bytes();
        let (mut taken, mut compared) = (0, 0);
        for number in 0..24 {
            let mut data = vec![0; 1 << 16];
            data[..parent.len()].copy_from_slice(&parent);
            let made =
                |data: &mut [u8]| mutate(Target::Execution, data, parent.len(), 1 << 16, number, |_, n, _| n);
            let size = made(&mut data);
            let bytes = data[..size].to_vec();
            let Some(mutant) = take_mutant::<I>(&bytes) else { continue };
            taken += 1;
            // The cached mutant equals the case decoded from the bytes.
            let read = Case::from_bytes(&bytes).expect("a case");
            assert!(read.to_bytes() == mutant.case.to_bytes(), "{}, {seed}, {number}", I::ID);
            let resolved = read.resolve::<I>().expect("a mutant that is known");
            assert!(Some(&resolved.program) == mutant.program.as_ref(), "{}, {seed}, {number}", I::ID);
            let runs = mutant.runs.expect("a mutant that is known");
            assert_eq!((&resolved.entry, &resolved.options), (&runs.entry, &runs.options));
            assert!(resolved.is_legal());
            // The result of judging is the same from the cache and from the bytes.
            data[..parent.len()].copy_from_slice(&parent);
            assert_eq!(made(&mut data), size);
            let [first, second] = [(); 2].map(|()| judge(Target::Execution, &bytes));
            assert_eq!(format!("{first:?}"), format!("{second:?}"));
            compared += u32::from(matches!(first, Answer::Compared(_)));
        }
        [taken, compared]
    }

    #[test]
    fn the_cached_program_equals_the_decoded_bytes() {
        for &isa in IsaId::ALL {
            let counts: Vec<[u32; 2]> =
                (0..20).map(|seed| with_isa!(isa, I => taken_over::<I>(seed))).collect();
            let [taken, compared] = [0, 1].map(|k| counts.iter().map(|count| count[k]).sum::<u32>());
            // 480 mutants were made. One in sixteen is decoded from its bytes, and some are illegal.
            assert!(taken > 240 && compared > 200, "{isa}: {taken} were cached, {compared} compared");
            assert!(taken < 465, "{isa}: {taken} were cached");
        }
    }

    #[test]
    fn a_cached_mutant_is_used_once_and_only_for_its_bytes() {
        let mutant = || {
            let case = case::<Agal>(&mut Entropy::seeded(1), &ProgramRequest::default());
            let mut mutant = Mutant::<Agal>::decoded(case);
            assert!(mutant.is_legal());
            mutant
        };
        let bytes =
            (0..=u8::MAX).map(|n| vec![n]).find(|bytes| checksum(bytes) >> 4 & 15 != 0).expect("one of them");
        let passed =
            (0..=u8::MAX).map(|n| vec![n]).find(|bytes| checksum(bytes) >> 4 & 15 == 0).expect("one of them");
        let taken = |bytes: &[u8]| take_mutant::<Agal>(bytes).is_some();
        store_mutant(&bytes, mutant());
        assert!(taken(&bytes) && !taken(&bytes));
        store_mutant(&bytes, mutant());
        assert!(!taken(b"other") && !taken(&bytes));
        store_mutant(&bytes, mutant());
        assert!(take_mutant::<D3d9>(&bytes).is_none());
        store_mutant(&passed, mutant());
        assert!(!taken(&passed));
    }
}
