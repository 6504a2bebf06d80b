//! Where terms are found by their structure.

/// Numbers by the hashes of what they stand for, which is kept elsewhere, once: open addressing, one place after another.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// A hash, and the number and one more; a place without a number is free.
    places: Vec<(u32, u32)>,
    held: usize,
}

/// Places of the first table that holds something.
const LEAST: usize = 64;

impl Table {
    /// The number with this hash that is what is sought.
    #[inline]
    pub(super) fn find(&self, hash: u32, is: impl Fn(usize) -> bool) -> Option<usize> {
        let last = self.places.len().checked_sub(1)?;
        let mut at = hash as usize & last;
        loop {
            let (known, number) = self.places[at];
            if number == 0 {
                return None;
            }
            if known == hash && is(number as usize - 1) {
                return Some(number as usize - 1);
            }
            at = (at + 1) & last;
        }
    }

    /// Adds a number that is not there yet.
    pub(super) fn add(&mut self, hash: u32, number: usize) {
        // A third of the places stays free, at which a search ends.
        if (self.held + 1) * 3 > self.places.len() * 2 {
            let more = (self.places.len() * 2).max(LEAST);
            let before = std::mem::replace(&mut self.places, vec![(0, 0); more]);
            before.into_iter().filter(|(_, number)| *number != 0).for_each(|place| self.put(place));
        }
        self.put((hash, number as u32 + 1));
        self.held += 1;
    }

    fn put(&mut self, place: (u32, u32)) {
        let last = self.places.len() - 1;
        let mut at = place.0 as usize & last;
        while self.places[at].1 != 0 {
            at = (at + 1) & last;
        }
        self.places[at] = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found_among_equal_hashes_and_nothing_else_is() {
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
