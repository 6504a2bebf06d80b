//! The standard that answers are compared with: the reference with the subject's profile, and the option choices that fit the subject's answers so
//! far.

use super::compare::{Compared, judge};
use super::disagreement::Disagreement;
use super::joint_options::{Difference, Explained, OptionInference};
use super::profile::Profile;
use super::question::Prepared;
use super::subject::Answer;
use std::cell::RefCell;
use std::rc::Rc;

/// The standard for the answers in one campaign.
pub(super) struct Standard<'a> {
    /// The subject's claims.
    pub(super) profile: &'a Profile,
    /// The option choices that fit the subject; created with the first case, which determines the instruction set.
    inference: RefCell<Option<OptionInference>>,
    /// Whether option choices may explain differences.
    explains: bool,
}

impl<'a> Standard<'a> {
    /// Creates the standard for a profile.
    pub(super) fn new(profile: &'a Profile) -> Standard<'a> {
        Standard { profile, inference: RefCell::new(None), explains: true }
    }

    /// Makes every option count as claimed by the subject, so that other choices explain no difference.
    pub(super) fn strict(&mut self) {
        self.explains = false;
    }

    /// Compares the answers to a case with the standard.
    ///
    /// # Errors
    /// The first disagreement, unless the choices found so far explain it.
    pub(super) fn judge(&self, prepared: &Prepared, answers: &[Answer]) -> Result<Compared, Disagreement> {
        judge(prepared, answers, self.profile).or_else(|disagreement| {
            let known = self.inference.borrow();
            let covers = known.as_ref().is_some_and(|known| known.covers(prepared, answers, self.profile));
            if covers { Ok(explained(prepared, answers)) } else { Err(disagreement) }
        })
    }

    /// Compares the answers to a case with the standard, and updates the choices that fit. Returns the verdict, and the differences that are no
    /// longer explained.
    pub(super) fn learn(
        &self,
        prepared: &Rc<Prepared>,
        answers: &[Answer],
    ) -> (Result<Compared, Disagreement>, Vec<Difference>) {
        let verdict = judge(prepared, answers, self.profile);
        if !self.explains {
            return (verdict, Vec::new());
        }
        let mut known = self.inference.borrow_mut();
        let known = known.get_or_insert_with(|| OptionInference::new(prepared.case.isa, self.profile));
        match verdict {
            Ok(compared) => {
                let broken = known.record_agreement(prepared, answers, self.profile);
                (Ok(compared), broken)
            }
            Err(disagreement) if known.record_difference(prepared, answers, &disagreement, self.profile) => {
                (Ok(explained(prepared, answers)), Vec::new())
            }
            Err(disagreement) => (Err(disagreement), Vec::new()),
        }
    }

    /// Returns the explained differences, most frequent first.
    pub(super) fn explained(&self) -> Vec<Explained> {
        self.inference.borrow().as_ref().map(OptionInference::explained).unwrap_or_default()
    }

    /// Returns the options for which the subject's answers imply different choices in different cases.
    pub(super) fn inconsistent_options(&self) -> Vec<&'static str> {
        self.inference.borrow().as_ref().map(OptionInference::inconsistent_options).unwrap_or_default()
    }

    /// Whether there were too many settings of options to try all of them.
    pub(super) fn is_capped(&self) -> bool {
        self.inference.borrow().as_ref().is_some_and(OptionInference::is_capped)
    }
}

/// Returns the counts for a case whose differences are explained.
fn explained(prepared: &Prepared, answers: &[Answer]) -> Compared {
    let lanes = prepared.expected.as_ref().map_or(0, |expected| expected.outcome.lanes.len() as u64);
    let decoded = answers.iter().any(|answer| matches!(answer, Answer::Decoded(_)));
    Compared { lanes, decoded, ..Compared::default() }
}
