//! Decides whether a setting of options can give the answers of a subject, without a run for each setting.

use super::compare::compare_run;
use super::inexact::Grade;
use super::option_paths::{Choices, Path, group_size, paths};
use super::profile::Profile;
use super::question::{Expected, Prepared};
use super::registers::with_other_values;
use super::subject::{Answer, Ran, Verdict};
use crate::case::Resolved;
use crate::engine::{LaneOutcome, Outcome};
use crate::oracle::caught;
use lockstep_core::isa::Isa;
use lockstep_core::value::FreedomSet;
use std::cell::Cell;
use std::ops::Range;

/// The work that an inference has done. Tests limit it.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// The number of times that all lanes of a case were run under a setting.
    pub(super) runs: Cell<u64>,
    /// The number of instructions that groups of lanes executed on their paths.
    pub(super) steps: Cell<u64>,
}

impl Work {
    pub(super) fn count_run(&self) {
        self.runs.set(self.runs.get() + 1);
    }
}

/// The paths of a group of lanes in one run, each with whether the subject's lanes agree with those of the reference; `None` if the paths are not
/// known.
type GroupPaths = Option<Vec<(Choices, bool)>>;

/// The settings under which the reference gives a subject's answers to a case.
pub(super) struct Reach<'a, I: Isa> {
    resolved: Resolved<I>,
    /// The case whose run determines which final registers are defined, if any are compared.
    others: Option<Resolved<I>>,
    expected: &'a Expected,
    ran: &'a Ran,
    profile: &'a Profile,
    /// The options that may have other choices than those that were sent.
    open: u64,
    work: &'a Work,
    /// The paths of the groups handled so far, each with the paths of the same group of `others` after it, if there is such a case. The groups that
    /// differ under the choices sent are first, because they exclude the most settings.
    groups: Vec<GroupPaths>,
    /// The number of groups that differ under the choices sent.
    different: usize,
    /// The lanes of the groups that are still to be followed, the next one last.
    left: Vec<Range<usize>>,
}

impl<'a, I: Isa> Reach<'a, I> {
    /// Prepares a case with a subject's answers. Returns `None` if there is no run to compare, the numbers of lanes differ, or the comparison does
    /// not depend on the reference's run alone.
    pub(super) fn new(
        prepared: &'a Prepared,
        answers: &'a [Answer],
        profile: &'a Profile,
        open: u64,
        work: &'a Work,
    ) -> Option<Reach<'a, I>> {
        let expected = prepared.expected.as_ref()?;
        let ran = answers.iter().find_map(|answer| match answer {
            Answer::Ran(ran) if ran.verdict == Verdict::Accepted => Some(ran),
            _ => None,
        })?;
        let resolved = prepared.case.resolve::<I>().ok()?;
        let count = expected.outcome.lanes.len();
        let is_propagated = matches!(expected.grade, Grade::Propagated(_));
        if is_traced(answers)
            || is_propagated
            || ran.lanes.len() != count
            || resolved.env.lanes.len() != count
        {
            return None;
        }
        let size = group_size::<I>(&resolved);
        let (groups, left, different) = (Vec::new(), Vec::new(), 0);
        let others = (!expected.registers.is_empty()).then(|| with_other_values(&resolved));
        let mut reach =
            Reach { resolved, others, expected, ran, profile, open, work, groups, different, left };
        let groups = (0..count).step_by(size).map(|base| base..count.min(base + size));
        let (same, different): (Vec<_>, Vec<_>) =
            groups.partition(|lanes| reach.agrees(lanes, expected.outcome.lanes[lanes.clone()].to_vec()));
        reach.different = different.len();
        reach.left = same.into_iter().rev().chain(different.into_iter().rev()).collect();
        Some(reach)
    }

    /// Whether the subject's lanes with these numbers agree with `ours`, within the tolerance. Final registers are not compared.
    fn agrees(&self, lanes: &Range<usize>, ours: Vec<LaneOutcome>) -> bool {
        let Expected { entry, outputs, registers, grade, touched, .. } = self.expected;
        // Whether a final register is defined may depend on options, so registers are not compared.
        let defined = ours.iter().map(|lane| vec![false; lane.outputs.len()]).collect();
        let part = Expected {
            outcome: Outcome { lanes: ours, freedoms: FreedomSet::default() },
            entry: entry.clone(),
            outputs: outputs.clone(),
            touched: *touched,
            defined,
            registers: registers.clone(),
            grade: grade.clone(),
        };
        let ran = Ran { lanes: self.ran.lanes[lanes.clone()].to_vec(), message: None, ..*self.ran };
        compare_run::<I>(&part, &ran, self.profile).is_ok()
    }

    /// Follows a group of lanes in one of the cases.
    fn paths(&self, case: &Resolved<I>, lanes: &Range<usize>) -> Option<Vec<Path>> {
        caught(|| paths::<I>(case, lanes.start, self.open, &self.work.steps)).ok().flatten()
    }

    /// Whether each group of lanes has a path that gives the subject's answer; a group whose paths are not known counts as having one. If false, no
    /// setting of the open options explains the answer.
    pub(super) fn is_possible(&self) -> bool {
        // The other groups have such a path: that of the choices sent.
        self.left.iter().rev().take(self.different).all(|lanes| {
            let paths = self.paths(&self.resolved, lanes);
            paths.is_none_or(|paths| paths.into_iter().any(|path| self.agrees(lanes, path.lanes)))
        })
    }

    /// Follows the next group of lanes. Returns whether there was one.
    fn follow(&mut self) -> bool {
        let Some(lanes) = self.left.pop() else { return false };
        let paths = self.paths(&self.resolved, &lanes);
        let agreeing = |path: Path| (path.choices, self.agrees(&lanes, path.lanes));
        let group = paths.map(|paths| paths.into_iter().map(agreeing).collect());
        let other = self.others.as_ref().map(|others| {
            let paths = self.paths(others, &lanes);
            paths.map(|paths| paths.into_iter().map(|path| (path.choices, true)).collect())
        });
        self.groups.push(group);
        self.groups.extend(other);
        true
    }

    /// Returns, for each group, the number of its path under a setting; a group whose paths are not known has `None`. The whole result is `None` if
    /// one of the paths does not give the subject's answer.
    pub(super) fn paths_of(&mut self, setting: &Choices) -> Option<Vec<Option<usize>>> {
        let mut numbers = Vec::new();
        loop {
            if numbers.len() == self.groups.len() && !self.follow() {
                return Some(numbers);
            }
            let sent = self.resolved.options.choices();
            let Some(paths) = &self.groups[numbers.len()] else {
                numbers.push(None);
                continue;
            };
            let number = paths.iter().position(|(choices, _)| choices.hold_in(setting, sent));
            if number.is_some_and(|number| !paths[number].1) {
                return None;
            }
            numbers.push(number);
        }
    }
}

/// Whether answers are compared along the subject's trace. The reference then follows the trace under the choices sent, whatever the setting.
pub(super) fn is_traced(answers: &[Answer]) -> bool {
    answers
        .iter()
        .any(|answer| matches!(answer, Answer::Traced(traced) if traced.verdict == Verdict::Accepted))
}
