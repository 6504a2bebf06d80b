//! The source of random choices.

/// A sequence of random numbers, from which random choices are made.
#[derive(Clone, Debug)]
pub struct Source<'a>(Numbers<'a>);

#[derive(Clone, Debug)]
enum Numbers<'a> {
    /// A tape: given numbers, followed by zeros.
    Tape(std::slice::Iter<'a, u32>),
    /// The state of a xorshift64* generator.
    Stream(u64),
}

impl<'a> Source<'a> {
    /// A source of given numbers, followed by zeros without end.
    pub fn tape(numbers: &'a [u32]) -> Source<'a> {
        Source(Numbers::Tape(numbers.iter()))
    }

    /// The stream of the xorshift64* generator with this seed.
    pub fn seeded(seed: u64) -> Source<'static> {
        Source(Numbers::Stream(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    /// The next number.
    pub fn bits(&mut self) -> u32 {
        match &mut self.0 {
            Numbers::Tape(rest) => rest.next().copied().unwrap_or(0),
            Numbers::Stream(state) => {
                *state ^= *state >> 12;
                *state ^= *state << 25;
                *state ^= *state >> 27;
                (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
            }
        }
    }

    /// Returns a number below `n`, which must not be 0. At the end of a tape, returns 0.
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.bits()) * u64::from(n)) >> 32) as u32
    }

    /// Returns true with probability 1 / `n`. At the end of a tape, returns false unless `n` is 1.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == n - 1
    }

    /// Returns an element of a list, which must not be empty. At the end of a tape, returns the first element.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}
