//! The typical processor time of a subject's recent answers.

use std::time::Duration;

/// The number of times that are kept.
const KEPT: usize = 31;

/// The processor times per question of a subject's most recent answers.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentTimes {
    times: Vec<Duration>,
    /// The index of the oldest time once the list is full.
    oldest: usize,
}

impl RecentTimes {
    /// Adds a time; the oldest one is dropped.
    pub(super) fn add(&mut self, time: Duration) {
        if self.times.len() < KEPT {
            self.times.push(time);
        } else {
            self.times[self.oldest] = time;
            self.oldest = (self.oldest + 1) % KEPT;
        }
    }

    /// Returns the median, the upper one of an even number of times; 0 if there are none. A few slow answers hardly change it.
    pub(super) fn median(&self) -> Duration {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_follows_most_recent_times_and_ignores_a_few_slow_ones() {
        let mut recent = RecentTimes::default();
        assert_eq!(recent.median(), Duration::ZERO);
        let milliseconds = Duration::from_millis;
        for time in [5, 1, 900, 3] {
            recent.add(milliseconds(time));
        }
        assert_eq!(recent.median(), milliseconds(5));
        recent.add(milliseconds(2));
        assert_eq!(recent.median(), milliseconds(3));
        // The subject becomes slower for good.
        (0..KEPT / 2).for_each(|_| recent.add(milliseconds(40)));
        assert_eq!(recent.median(), milliseconds(40));
        (0..KEPT).for_each(|_| recent.add(milliseconds(7)));
        assert_eq!(recent.median(), milliseconds(7));
    }
}
