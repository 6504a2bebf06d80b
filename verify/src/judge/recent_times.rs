//! The typical processor time of a subject's recent answers.

use std::time::Duration;

/// The number of times that are kept.
const KEPT: usize = 31;
/// The time limit of a question is the subject's patience, or this many times the median time of the subject's recent questions if that is more.
const TIME_FACTOR: u32 = 100;
/// The maximum number of questions for which the time limit of a message grows.
const MAX_QUESTIONS: u32 = 64;

/// The processor times per question of a subject's most recent answers.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentTimes {
    times: Vec<Duration>,
    /// The index of the oldest time once the list is full.
    oldest: usize,
}

impl RecentTimes {
    /// Adds the processor time per question, given the time that this many questions took together. Once the list is full, the oldest time is
    /// dropped.
    pub(super) fn add(&mut self, spent: Duration, questions: u64) {
        let time = spent / u32::try_from(questions.max(1)).unwrap_or(u32::MAX);
        if self.times.len() < KEPT {
            self.times.push(time);
        } else {
            self.times[self.oldest] = time;
            self.oldest = (self.oldest + 1) % KEPT;
        }
    }

    /// Returns the limit on processor time for this many questions that are sent together. `patience` is the least limit of one question.
    pub(super) fn limit(&self, patience: Duration, questions: u64) -> Duration {
        let one = patience.max(self.median() * TIME_FACTOR);
        one * u32::try_from(questions).unwrap_or(u32::MAX).min(MAX_QUESTIONS)
    }

    /// Returns the median, the upper of the two middle times if their number is even; 0 if there are none. A few slow answers hardly change it.
    fn median(&self) -> Duration {
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
            recent.add(milliseconds(time), 1);
        }
        assert_eq!(recent.median(), milliseconds(5));
        recent.add(milliseconds(2), 1);
        assert_eq!(recent.median(), milliseconds(3));
        // The subject becomes permanently slower.
        (0..KEPT / 2).for_each(|_| recent.add(milliseconds(40), 1));
        assert_eq!(recent.median(), milliseconds(40));
        (0..KEPT).for_each(|_| recent.add(milliseconds(7), 1));
        assert_eq!(recent.median(), milliseconds(7));
    }

    #[test]
    fn times_and_limits_are_those_of_one_question() {
        let milliseconds = Duration::from_millis;
        let patience = milliseconds(200);
        for questions in [1, 2, 16, 64] {
            let all = u32::try_from(questions).unwrap();
            let mut recent = RecentTimes::default();
            assert_eq!(recent.limit(patience, questions), patience * all);
            // A usual time of 1 ms does not raise the limit of 200 ms; one of 7 ms does. Both are times of one question in a message of several.
            recent.add(milliseconds(1) * all, questions);
            assert_eq!(recent.limit(patience, questions), patience * all);
            (0..KEPT).for_each(|_| recent.add(milliseconds(7) * all, questions));
            assert_eq!(recent.limit(patience, 1), milliseconds(700));
            assert_eq!(recent.limit(patience, questions), milliseconds(700) * all);
        }
        assert_eq!(RecentTimes::default().limit(patience, u64::MAX), patience * MAX_QUESTIONS);
    }
}
