//! Counts inputs, and prints the counts.

use super::{Answer, NotCompared, Target};
use crate::engine::Statistics;
use crate::oracle::Skip;
use std::cell::RefCell;
use std::fmt;
use std::time::{Duration, Instant};

/// The minimum time between two printed lines. A failure and the end of the thread print one regardless.
const INTERVAL: Duration = Duration::from_secs(5);

/// The counts of inputs by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All inputs, including those of which nothing was compared.
    pub inputs: u64,
    /// Inputs for which results were compared, including failures. They are a part of `inputs`.
    pub compared: u64,
    /// Inputs that are neither a case nor another form that the target accepts.
    pub unreadable: u64,
    /// Cases whose bytes do not decode, or whose entry or options are invalid.
    pub unresolved: u64,
    /// Cases with an illegal program.
    pub illegal: u64,
    /// Cases in which no lane finished, cases without results to compare, and cases too large for every lowering.
    pub unfinished: u64,
    /// Inputs for instruction sets that are excluded from the run.
    pub other_isa: u64,
    /// Statistics of the comparisons, without those of failures.
    pub statistics: Statistics,
}

impl Tally {
    /// Counts one input.
    pub fn add(&mut self, answer: &Answer) {
        self.inputs += 1;
        match answer {
            Answer::Compared(statistics) => {
                self.compared += 1;
                self.statistics += *statistics;
            }
            Answer::Fails(_) => self.compared += 1,
            Answer::NotCompared(NotCompared::OtherIsa) => self.other_isa += 1,
            Answer::NotCompared(NotCompared::Unreadable) => self.unreadable += 1,
            Answer::NotCompared(NotCompared::Skip(Skip::Unresolved(_))) => self.unresolved += 1,
            Answer::NotCompared(NotCompared::Skip(Skip::Illegal(_))) => self.illegal += 1,
            Answer::NotCompared(NotCompared::Skip(
                Skip::NoLaneFinished | Skip::NothingCompared | Skip::TooLarge,
            )) => {
                self.unfinished += 1;
            }
        }
    }

    /// Returns the percentage of inputs that were compared, not counting inputs for excluded instruction sets.
    pub fn share(&self) -> f64 {
        100.0 * self.compared as f64 / (self.inputs - self.other_isa).max(1) as f64
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = self.share();
        let inputs = lockstep_core::text::count(self.inputs, "input");
        write!(f, "{inputs}, {} ({share:.1} %) reached the comparison", self.compared)?;
        let others = [
            (self.unreadable, "unreadable"),
            (self.unresolved, "with an invalid program, entry or option"),
            (self.illegal, "illegal"),
            (self.unfinished, "without results to compare"),
            (self.other_isa, "of other instruction sets"),
        ];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, ", {count} {what}")?;
        }
        Ok(())
    }
}

/// A tally that is printed at intervals, and when its thread ends. A fuzzer ends by calling `exit` on its main thread, which also drops the
/// thread-local values.
struct Printed {
    target: Option<Target>,
    tally: Tally,
    last: Instant,
}

impl Printed {
    fn print(&self) {
        if let Some(target) = self.target {
            eprintln!("{}: {}", target.name(), self.tally);
        }
    }
}

impl Drop for Printed {
    fn drop(&mut self) {
        self.print();
    }
}

thread_local! {
    static PRINTED: RefCell<Printed> =
        RefCell::new(Printed { target: None, tally: Tally::default(), last: Instant::now() });
}

/// Counts an input in this thread's tally.
pub(super) fn count(target: Target, answer: &Answer) {
    PRINTED.with_borrow_mut(|printed| {
        printed.target = Some(target);
        printed.tally.add(answer);
        let due = printed.tally.inputs.is_multiple_of(64) && printed.last.elapsed() >= INTERVAL;
        if due || matches!(answer, Answer::Fails(_)) {
            printed.print();
            printed.last = Instant::now();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::CaseError;
    use crate::fuzz::Violated;
    use crate::oracle::Failure;

    #[test]
    fn the_share_counts_only_intended_inputs() {
        let violation = lockstep_core::isa::Violation {
            code: 1,
            level: lockstep_core::isa::Level::Error,
            word: None,
            message: String::new(),
            source: "",
        };
        let no_entry = Skip::Unresolved(CaseError::Entry { asked: 1, there: 0 });
        let skips = [no_entry, Skip::Illegal(violation), Skip::NoLaneFinished, Skip::NothingCompared];
        let looked_at = Statistics { components: 5, nan: 2, uniform: 1, ..Statistics::default() };
        let broken = Violated { suspect: None, failure: Failure::new("a", "b") };
        let answers = [Answer::Compared(looked_at), Answer::Fails(Box::new(broken))]
            .into_iter()
            .chain([NotCompared::OtherIsa, NotCompared::Unreadable].map(Answer::NotCompared))
            .chain(skips.map(|skip| Answer::NotCompared(NotCompared::Skip(skip))));
        let mut tally = Tally::default();
        assert!(tally.share() < f64::EPSILON);
        for (n, answer) in answers.enumerate() {
            tally.add(&answer);
            // Every input is counted in exactly one of the categories.
            let Tally { inputs, compared, unreadable, unresolved, illegal, unfinished, other_isa, .. } =
                tally;
            assert_eq!(inputs, n as u64 + 1);
            assert_eq!(compared + unreadable + unresolved + illegal + unfinished + other_isa, inputs);
        }
        let expected = Tally {
            inputs: 8,
            compared: 2,
            unreadable: 1,
            unresolved: 1,
            illegal: 1,
            unfinished: 2,
            other_isa: 1,
            statistics: looked_at,
        };
        assert_eq!(tally, expected);
        // Two of the seven inputs for included instruction sets were compared.
        assert!((tally.share() - 200.0 / 7.0).abs() < 1e-9);
        let text = tally.to_string();
        for part in [
            "8 inputs, 2 (28.6 %)",
            "1 unreadable",
            "1 with an invalid program, entry or option",
            "1 illegal",
            "2 without results to compare",
            "1 of other",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
