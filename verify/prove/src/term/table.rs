//! A hash table that finds terms by their structure.

/// A hash table with open addressing and linear probing. The table contains numbers that refer to entries stored elsewhere, each number once.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The hash of an entry, and its number plus one; 0 marks a free slot.
    slots: Vec<(u32, u32)>,
    count: usize,
}

/// Number of slots of the first allocation.
const MIN_SLOTS: usize = 64;

impl Table {
    /// Returns the number that was added with this hash and for which `is` returns true.
    #[inline]
    pub(super) fn find(&self, hash: u32, is: impl Fn(usize) -> bool) -> Option<usize> {
        let last = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & last;
        loop {
            let (known, number) = self.slots[at];
            if number == 0 {
                return None;
            }
            if known == hash && is(number as usize - 1) {
                return Some(number as usize - 1);
            }
            at = (at + 1) & last;
        }
    }

    /// Adds a number that is not in the table yet.
    pub(super) fn add(&mut self, hash: u32, number: usize) {
        // At least a third of the slots stays free, so that every search ends.
        if (self.count + 1) * 3 > self.slots.len() * 2 {
            let more = (self.slots.len() * 2).max(MIN_SLOTS);
            let before = std::mem::replace(&mut self.slots, vec![(0, 0); more]);
            before.into_iter().filter(|(_, number)| *number != 0).for_each(|slot| self.put(slot));
        }
        self.put((hash, number as u32 + 1));
        self.count += 1;
    }

    fn put(&mut self, slot: (u32, u32)) {
        let last = self.slots.len() - 1;
        let mut at = slot.0 as usize & last;
        while self.slots[at].1 != 0 {
            at = (at + 1) & last;
        }
        self.slots[at] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookup_is_exact_among_equal_hashes() {
        let hash = |n: usize| if n.is_multiple_of(3) { u32::MAX } else { (n % 50) as u32 };
        let mut table = Table::default();
        assert_eq!(table.find(0, |_| true), None);
        for n in 0..1000 {
            assert_eq!(table.find(hash(n), |k| k == n), None);
            table.add(hash(n), n);
        }
        assert!((0..1000).all(|n| table.find(hash(n), |k| k == n) == Some(n)));
        assert_eq!(table.find(77, |_| true), None);
    }
}
