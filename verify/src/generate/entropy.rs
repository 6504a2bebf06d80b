//! The source of the generators' random choices.
//!
//! A generator is written once and runs either on a fuzzer's bytes, where every choice can be mutated and shrunk, or on a seed, which provides
//! unlimited choices. Once the bytes are used up, every choice takes its first alternative, so a generator must not loop until a choice changes.

use arbitrary::Unstructured;

/// A source of choices.
#[derive(Debug)]
pub struct Entropy<'a>(Source<'a>);

#[derive(Debug)]
enum Source<'a> {
    Bytes(Unstructured<'a>),
    /// The state of the pseudo-random generator of [`Entropy::seeded`].
    Seeded(u64),
}

impl<'a> Entropy<'a> {
    /// Returns a source that makes choices from bytes.
    pub fn from_bytes(bytes: &'a [u8]) -> Entropy<'a> {
        Entropy(Source::Bytes(Unstructured::new(bytes)))
    }

    /// Returns a source of unlimited choices from a seed: SplitMix64 (Steele, Lea and Flood 2014). The generator of numbers is implemented here
    /// rather than taken from a crate, since a seed in a report must denote the same program forever.
    pub fn seeded(seed: u64) -> Entropy<'static> {
        Entropy(Source::Seeded(seed))
    }

    /// Whether the bytes are used up, so that every further choice takes its first alternative.
    pub fn is_exhausted(&self) -> bool {
        matches!(&self.0, Source::Bytes(bytes) if bytes.is_empty())
    }

    /// Returns the number of a fuzzer's bytes that are left; 0 for a seed.
    pub fn bytes_left(&self) -> usize {
        match &self.0 {
            Source::Bytes(bytes) => bytes.len(),
            Source::Seeded(_) => 0,
        }
    }

    /// Returns 64 bits; zeros once exhausted.
    pub fn bits(&mut self) -> u64 {
        match &mut self.0 {
            Source::Bytes(bytes) => bytes.arbitrary().unwrap_or_default(),
            Source::Seeded(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^ z >> 31
            }
        }
    }

    /// Returns a number below `n`; 0 if `n` is 0 or the source is exhausted. Uses no more bytes than `n` needs.
    pub fn below(&mut self, n: usize) -> usize {
        if n <= 1 {
            return 0;
        }
        match &mut self.0 {
            Source::Bytes(bytes) => bytes.int_in_range(0..=n - 1).unwrap_or_default(),
            // The bias is of the order of n / 2^64.
            Source::Seeded(_) => (self.bits() % n as u64) as usize,
        }
    }

    /// Returns a number from `low` to `high`, both included; `low` once exhausted.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below((high + 1).saturating_sub(low))
    }

    /// Returns true with a probability of `percent` in 100; false once exhausted.
    pub fn chance(&mut self, percent: usize) -> bool {
        !self.is_exhausted() && self.below(100) < percent
    }

    /// Returns an element; the first once exhausted, `None` for an empty slice.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        from.get(self.below(from.len()))
    }

    /// Returns an index with a probability in proportion to its weight. Once exhausted, returns the first index with a nonzero weight. Returns 0 if
    /// all weights are 0.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let sum: u32 = weights.iter().sum();
        let mut left = self.below(sum as usize) as u32;
        for (k, &weight) in weights.iter().enumerate() {
            if left < weight {
                return k;
            }
            left -= weight;
        }
        0
    }

    /// Returns one of several values, in proportion to its weight.
    pub fn among<T: Copy, const N: usize>(&mut self, weighted: &[(T, u32); N]) -> T {
        weighted[self.weighted(&weighted.map(|(_, weight)| weight))].0
    }

    /// Returns a seeded source that depends on the next 64 bits, for bulk data that should not consume more of a fuzzer's bytes.
    pub fn fork(&mut self) -> Entropy<'static> {
        Entropy::seeded(self.bits())
    }

    /// Returns up to `most` bytes: from a fuzzer's bytes as many as are left, from a seed a random number of them.
    pub fn bytes(&mut self, most: usize) -> Vec<u8> {
        match &mut self.0 {
            Source::Bytes(bytes) => bytes.bytes(bytes.len().min(most)).unwrap_or_default().to_vec(),
            Source::Seeded(_) => {
                let count = self.below(most + 1);
                (0..count).map(|_| self.bits() as u8).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_published_sequence() {
        // The first outputs of SplitMix64 for seed 1234567, as printed with the reference C code (Vigna, splitmix64.c).
        let mut e = Entropy::seeded(1_234_567);
        let wanted = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([e.bits(), e.bits(), e.bits()], wanted);
    }

    #[test]
    fn an_exhausted_source_chooses_the_first() {
        let mut e = Entropy::from_bytes(&[]);
        assert!(e.is_exhausted() && !e.chance(100));
        assert_eq!((e.below(9), e.between(3, 9), e.bits(), e.weighted(&[0, 2, 5])), (0, 3, 0, 1));
        assert_eq!((e.pick(&[7, 8]), e.pick::<u8>(&[])), (Some(&7), None));
        assert_eq!(e.among(&[('a', 0), ('b', 2), ('c', 5)]), 'b');
        assert!(e.bytes(10).is_empty());
    }

    #[test]
    fn choices_stay_in_range_and_reach_its_ends() {
        let noise: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for mut e in [Entropy::seeded(3), Entropy::from_bytes(&noise)] {
            let mut seen = [0; 5];
            let mut weights = [0; 3];
            for _ in 0..400 {
                seen[e.between(2, 6) - 2] += 1;
                weights[e.weighted(&[1, 0, 3])] += 1;
            }
            assert!(seen.iter().all(|n| *n > 20), "{seen:?}");
            assert!(weights[1] == 0 && weights[0] > 20 && weights[2] > weights[0], "{weights:?}");
        }
    }
}
