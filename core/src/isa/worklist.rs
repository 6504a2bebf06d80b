//! A worklist: a set of small numbers from which the lowest is removed first.

/// A set of numbers below a bound. Inserting a number or removing the lowest takes one step per factor of 64 in the bound, and allocates nothing.
#[derive(Clone, Debug)]
pub(super) struct Worklist {
    /// Bit sets. Level 0 has a bit for each number. Each further level has a bit for each word of the level below, which is set if that word is
    /// nonzero. The last level is a single word.
    levels: Vec<Vec<u64>>,
}

impl Worklist {
    /// Creates an empty set with room for the numbers below `bound`.
    pub(super) fn new(bound: usize) -> Worklist {
        let mut levels = vec![vec![0; bound.div_ceil(64).max(1)]];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            levels.push(vec![0; last.len().div_ceil(64)]);
        }
        Worklist { levels }
    }

    /// Adds a number.
    ///
    /// # Panics
    /// If the number is not below the bound, rounded up to a multiple of 64.
    pub(super) fn insert(&mut self, number: usize) {
        let mut at = number;
        for level in &mut self.levels {
            level[at / 64] |= 1 << (at % 64);
            at /= 64;
        }
    }

    /// Removes and returns the lowest number; `None` if the set is empty.
    pub(super) fn pop_first(&mut self) -> Option<usize> {
        let mut at = 0;
        for level in self.levels.iter().rev() {
            let word = level[at];
            if word == 0 {
                return None;
            }
            at = 64 * at + word.trailing_zeros() as usize;
        }
        let mut bit = at;
        for level in &mut self.levels {
            level[bit / 64] &= !(1 << (bit % 64));
            if level[bit / 64] != 0 {
                break;
            }
            bit /= 64;
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_worklist_equals_an_ordered_set() {
        for bound in [1, 2, 63, 64, 65, 4096, 4097, 300_000] {
            let (mut list, mut set) = (Worklist::new(bound), BTreeSet::new());
            let mut state = 1u64;
            for _ in 0..3000 {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                let number = (state >> 33) as usize % bound;
                if state >> 62 == 0 {
                    assert_eq!(list.pop_first(), set.pop_first(), "of {bound}");
                } else {
                    list.insert(number);
                    set.insert(number);
                }
            }
            while let Some(number) = set.pop_first() {
                assert_eq!(list.pop_first(), Some(number), "of {bound}");
            }
            assert_eq!(list.pop_first(), None);
            list.insert(bound - 1);
            assert_eq!(list.pop_first(), Some(bound - 1));
        }
    }
}
