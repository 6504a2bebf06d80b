//! Converts a fuzzer's inputs to cases, and mutates and combines cases, nearly always within the subject's profile.

use crate::case::Case;
use crate::generate::{self, Entropy};
use crate::judge::draw::{Drawn, Source, SupportedPoints};
use crate::judge::profile::Profile;
use crate::judge::subject::Ability;
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use std::cell::OnceCell;

/// A fuzzer's own mutator: changes `data[..size]` in place and returns the new size, at most the third argument.
pub type FuzzerMutator<'a> = &'a dyn Fn(&mut [u8], usize, usize) -> usize;

/// The maximum number of mutations tried to find one that fits the profile.
const TRIES: u32 = 4;
/// The percentage of mutations that use the fuzzer's own mutator.
const FUZZER_MUTATOR_PERCENT: usize = 25;
/// The percentage of mutations that may return bytes that are not a legal program, if the subject decodes.
const BROKEN_PERCENT: usize = 5;
/// Among mutations without the fuzzer's own mutator, the percentage that insert instructions of a small generated program, which is within the
/// profile. A narrow profile excludes most instructions that other mutations insert.
const SPLICED_PERCENT: usize = 40;
/// The number of small generated programs from which instructions are taken.
const SMALL_PROGRAMS: usize = 256;
/// Generated cases have numbers below 2 to this power. The size of a program grows with the square root of the case number.
const CASE_NUMBER_BITS: usize = 15;

/// Converts the inputs of one campaign to cases.
#[derive(Clone, Debug)]
pub struct Inputs {
    isa: IsaId,
    profile: Profile,
    /// The subject's abilities, which determine what cases are useful.
    abilities: Vec<Ability>,
    /// Small generated programs by number, each generated on first use.
    small: Vec<OnceCell<Option<Case>>>,
    /// The coverage points of all sources.
    points: SupportedPoints,
}

impl Inputs {
    /// Creates the converter for a subject with this profile and these abilities.
    pub fn new(isa: IsaId, profile: Profile, abilities: &[Ability]) -> Inputs {
        let small = vec![OnceCell::new(); SMALL_PROGRAMS];
        Inputs { isa, profile, abilities: abilities.to_vec(), small, points: SupportedPoints::default() }
    }

    fn source(&self, seed: u64) -> Source<'_> {
        // Each input has a source of its own, which must not determine the points again.
        let points = SupportedPoints::clone(&self.points);
        Source { points, ..Source::new(self.isa, &self.profile, seed, &[&self.abilities]) }
    }

    /// Returns the case that an input denotes: a binary case, a case as text, or otherwise the generated case whose seed is the input's checksum, so
    /// that a campaign needs no seed inputs. `None` if no case was generated, or the case is for another instruction set.
    pub fn read(&self, data: &[u8]) -> Option<Case> {
        let text = || std::str::from_utf8(data).ok().and_then(|text| Case::from_text(text).ok());
        match Case::from_bytes(data).or_else(text) {
            Some(case) => (case.isa == self.isa).then_some(case),
            None => self.fresh(&mut Entropy::seeded(checksum(data))),
        }
    }

    /// Generates a case.
    fn fresh(&self, e: &mut Entropy<'_>) -> Option<Case> {
        // All orders of magnitude of the case number are equally likely, so that small programs are as frequent as large ones.
        let (bits, seed) = (e.below(CASE_NUMBER_BITS + 1), e.bits());
        let number = e.below(1 << bits) as u64;
        let mut drawn = Drawn::default();
        (0..u64::from(TRIES)).find_map(|more| self.source(seed).case(number + more, &mut drawn))
    }

    /// Changes the input in `data[..size]` in place and returns its new size, at most `max_size`. Equal inputs and seeds give equal results. An input
    /// that is not a binary case of this instruction set is replaced by a generated case.
    pub fn mutate(
        &self,
        data: &mut [u8],
        size: usize,
        max_size: usize,
        seed: u32,
        blind: Option<FuzzerMutator<'_>>,
    ) -> usize {
        let mut e = Entropy::seeded(u64::from(seed));
        let (size, max_size) = (size.min(data.len()), max_size.min(data.len()));
        let child = match Case::from_bytes(&data[..size]).filter(|case| case.isa == self.isa) {
            Some(case) => self.child(&case, &mut e, blind),
            None => self.fresh(&mut e),
        };
        // Of several attempts, the first result that is small enough is used.
        let fits = |case: &Case| case.to_bytes().len() <= max_size;
        let child = child.filter(fits).or_else(|| (0..TRIES).find_map(|_| self.fresh(&mut e).filter(fits)));
        write(child, data, size, max_size)
    }

    /// Writes a combination of two inputs into `out` and returns its size.
    pub fn crossover(&self, first: &[u8], second: &[u8], out: &mut [u8], seed: u32) -> usize {
        let mut e = Entropy::seeded(u64::from(seed));
        let child = match (self.read(first), self.read(second)) {
            (Some(a), Some(b)) => {
                let crossed = generate::crossover(&a, &b, &mut e).and_then(|case| self.fitted(&case));
                crossed.or_else(|| self.child(&a, &mut e, None))
            }
            (a, b) => a.or(b),
        };
        let (size, room) = (first.len().min(out.len()), out.len());
        out[..size].copy_from_slice(&first[..size]);
        write(child, out, size, room)
    }

    /// Mutates a case. The result is within the profile, except sometimes if the subject decodes. Returns a generated case if no mutation is within
    /// the profile; `None` if no case was generated either.
    fn child(&self, case: &Case, e: &mut Entropy<'_>, blind: Option<FuzzerMutator<'_>>) -> Option<Case> {
        if self.source(0).broken && e.chance(BROKEN_PERCENT) {
            return Some(self.profile.adapt_case(generate::mutate(case, e)));
        }
        for _ in 0..TRIES {
            let child = match blind {
                Some(blind) if e.chance(FUZZER_MUTATOR_PERCENT) => changed_by_fuzzer(case, e, blind),
                _ if e.chance(SPLICED_PERCENT) => match self.small(e.below(SMALL_PROGRAMS)) {
                    Some(small) => generate::crossover(case, &small, e).unwrap_or(small),
                    None => generate::mutate(case, e),
                },
                _ => generate::mutate(case, e),
            };
            if let Some(child) = self.fitted(&child) {
                return Some(child);
            }
        }
        self.fresh(e)
    }

    /// Returns a small generated program within the profile; `None` if none was found.
    fn small(&self, number: usize) -> Option<Case> {
        let place = self.small.get(number)?;
        // Malformed and illegal programs are excluded.
        let source = Source { broken: false, ..self.source(number as u64) };
        place.get_or_init(|| source.case(number as u64, &mut Drawn::default())).clone()
    }

    fn fitted(&self, case: &Case) -> Option<Case> {
        self.source(0).fitted(case)
    }
}

/// Changes the program or values of a case with the fuzzer's own mutator, which uses a dictionary and the comparisons in the subject's code.
fn changed_by_fuzzer(case: &Case, e: &mut Entropy<'_>, blind: FuzzerMutator<'_>) -> Case {
    let mut case = case.clone();
    if e.chance(50) {
        // The length must not grow, since that rarely leaves the program well-formed.
        let length = case.bytes.len();
        let size = blind(&mut case.bytes, length, length).min(length);
        let undamaged = |bytes: &[u8]| with_isa!(case.isa, I => I::decode(bytes).is_ok());
        // A shorter program has lost its end, so the end of the original is kept unless the shorter program decodes.
        if size == length || undamaged(&case.bytes[..size]) {
            case.bytes.truncate(size);
        }
        return case;
    }
    let env = &mut case.env;
    let lanes = env.lanes.iter_mut().flat_map(|lane| &mut lane.slots);
    let mut numbers: Vec<&mut f32> = env.constants.iter_mut().chain(lanes).flatten().collect();
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let length = bytes.len();
    if length > 0 {
        blind(&mut bytes, length, length);
    }
    for (number, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(4)) {
        **number = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    case
}

/// Writes a case into `data` and returns its size. If no case fits, the `size` bytes in `data` remain, truncated to `max_size`.
fn write(case: Option<Case>, data: &mut [u8], size: usize, max_size: usize) -> usize {
    match case.map(|case| case.to_bytes()).filter(|bytes| bytes.len() <= max_size) {
        Some(bytes) => {
            data[..bytes.len()].copy_from_slice(&bytes);
            bytes.len()
        }
        None => size.min(max_size),
    }
}

/// Returns the FNV-1a hash of the data.
fn checksum(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::EntryRef;
    use lockstep_core::isa::d3d9::D3d9;

    const PROFILE: &str = "supports = 'only dcl, def, mov, add, mul; no a.index; no b.index'\n\
                           stages = ['vertex']\nversions = [512]\n";

    fn inputs(broken: bool) -> Inputs {
        let abilities: &[Ability] = if broken { &[Ability::Decode, Ability::Run] } else { &[Ability::Run] };
        Inputs::new(IsaId::D3d9, Profile::from_text(PROFILE, IsaId::D3d9).unwrap(), abilities)
    }

    fn is_inside(inputs: &Inputs, data: &[u8]) -> bool {
        let case = Case::from_bytes(data).expect("a case");
        let resolved = case.resolve::<D3d9>();
        resolved.is_ok_and(|resolved| inputs.profile.outside(&resolved).is_none() && resolved.is_legal())
    }

    #[test]
    fn coverage_points_are_determined_once_for_all_inputs() {
        let inputs = inputs(false);
        for number in 0..4 {
            assert!(inputs.source(number).case(2 * number, &mut Drawn::default()).is_some());
        }
        let points = inputs.points.get().expect("the points are determined");
        assert!(!points.is_empty());
        assert!(std::ptr::eq(points, inputs.source(9).points.get().expect("the same points")));
    }

    #[test]
    fn mutations_and_crossovers_stay_inside_the_profile_and_change_something() {
        let inputs = inputs(false);
        let flip = |data: &mut [u8], size: usize, _: usize| {
            data[size / 2] ^= 1;
            size
        };
        let mut data = vec![0; 4096];
        let (mut size, mut changed, mut before) = (0, 0, Vec::new());
        for seed in 0..300 {
            size = inputs.mutate(&mut data, size, 4096, seed, Some(&flip));
            assert!(is_inside(&inputs, &data[..size]), "seed {seed}");
            changed += u32::from(data[..size] != before);
            let mut out = vec![0; 4096];
            if seed > 0 {
                let crossed = inputs.crossover(&before, &data[..size], &mut out, seed);
                assert!(is_inside(&inputs, &out[..crossed]), "seed {seed}");
            }
            before = data[..size].to_vec();
        }
        assert!(changed > 250, "{changed} of 300 mutations change something");
    }

    #[test]
    fn other_inputs_seed_the_generator_and_other_sets_are_skipped() {
        let inputs = inputs(false);
        for data in [&b""[..], b"\n", b"anything", &[0xff; 40]] {
            let case = inputs.read(data).expect("a case");
            assert!(is_inside(&inputs, &case.to_bytes()), "{data:?}");
            assert_eq!(inputs.read(data).map(|case| case.to_bytes()), Some(case.to_bytes()), "{data:?}");
            let text = inputs.read(case.to_text(None).as_bytes()).map(|case| case.bytes);
            assert_eq!(text, Some(case.bytes), "{data:?}");
        }
        assert!(inputs.read(&Case::bare(IsaId::Agal, &[1]).to_bytes()).is_none());
    }

    #[test]
    fn some_inputs_set_registers_if_the_subject_exchanges_them() {
        let count = |abilities: &[Ability]| {
            let inputs =
                Inputs::new(IsaId::D3d9, Profile::from_text(PROFILE, IsaId::D3d9).unwrap(), abilities);
            let cases = (0..40u8).filter_map(|seed| inputs.read(&[seed]));
            cases.filter(|case| matches!(case.entry, EntryRef::Given(_))).count()
        };
        assert_eq!(count(&[Ability::Run]), 0);
        let some = count(&[Ability::Run, Ability::Registers]);
        assert!((2..=20).contains(&some), "{some} of 40");
    }

    #[test]
    fn a_small_output_buffer_is_never_overrun() {
        let inputs = inputs(true);
        for room in [0, 1, 40, 100, 200] {
            let mut data = vec![7; room];
            for seed in 0..20 {
                let size = inputs.mutate(&mut data, room, room, seed, None);
                assert!(size <= room, "{size} of {room}");
                let mut out = vec![0; room];
                assert!(inputs.crossover(&data[..size], &[1, 2, 3], &mut out, seed) <= room);
            }
        }
    }
}
