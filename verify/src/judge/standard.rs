//! What answers are held against: the reference under the subject's profile, and the liberties that the subject is known to take.

use super::compare::{Compared, judge};
use super::disagreement::Disagreement;
use super::liberties::{Difference, Explained, Liberties};
use super::profile::Profile;
use super::question::Prepared;
use super::subject::Answer;
use std::cell::RefCell;
use std::rc::Rc;

/// The standard of one campaign.
pub(super) struct Standard<'a> {
    /// What the subject claims.
    pub(super) profile: &'a Profile,
    /// What it is known to choose where it may; known from the first case on, which tells the instruction set.
    liberties: RefCell<Option<Liberties>>,
    /// Whether choices explain anything.
    explains: bool,
}

impl<'a> Standard<'a> {
    /// The standard of a profile.
    pub(super) fn new(profile: &'a Profile) -> Standard<'a> {
        Standard { profile, liberties: RefCell::new(None), explains: true }
    }

    /// The same where the options that the subject was told are its claim, each of them.
    pub(super) fn strict(&mut self) {
        self.explains = false;
    }

    /// Holds the answers to a case against it.
    ///
    /// # Errors
    /// The first disagreement, where what is known by now does not explain it.
    pub(super) fn judge(&self, prepared: &Prepared, answers: &[Answer]) -> Result<Compared, Disagreement> {
        judge(prepared, answers, self.profile).or_else(|disagreement| {
            let known = self.liberties.borrow();
            let covers = known.as_ref().is_some_and(|known| known.covers(prepared, answers, self.profile));
            if covers { Ok(explained(prepared, answers)) } else { Err(disagreement) }
        })
    }

    /// Holds the answers to a case against it and learns from them. Beside the verdict stand differences that were explained before and are not any more.
    pub(super) fn learn(
        &self,
        prepared: &Rc<Prepared>,
        answers: &[Answer],
    ) -> (Result<Compared, Disagreement>, Vec<Difference>) {
        let verdict = judge(prepared, answers, self.profile);
        if !self.explains {
            return (verdict, Vec::new());
        }
        let mut known = self.liberties.borrow_mut();
        let known = known.get_or_insert_with(|| Liberties::new(prepared.case.isa, self.profile));
        match verdict {
            Ok(compared) => {
                let broken = known.agrees(prepared, answers, self.profile);
                (Ok(compared), broken)
            }
            Err(disagreement) if known.explains(prepared, answers, &disagreement, self.profile) => {
                (Ok(explained(prepared, answers)), Vec::new())
            }
            Err(disagreement) => (Err(disagreement), Vec::new()),
        }
    }

    /// What is explained, most first.
    pub(super) fn explained(&self) -> Vec<Explained> {
        self.liberties.borrow().as_ref().map(Liberties::explained).unwrap_or_default()
    }

    /// The options on which the subject makes now one choice and now another.
    pub(super) fn inconsistent(&self) -> Vec<&'static str> {
        self.liberties.borrow().as_ref().map(Liberties::inconsistent).unwrap_or_default()
    }

    /// Whether there were more settings of options than are tried.
    pub(super) fn is_capped(&self) -> bool {
        self.liberties.borrow().as_ref().is_some_and(Liberties::is_capped)
    }
}

/// What is counted of a case whose differences are explained.
fn explained(prepared: &Prepared, answers: &[Answer]) -> Compared {
    let lanes = prepared.expected.as_ref().map_or(0, |expected| expected.outcome.lanes.len() as u64);
    let decoded = answers.iter().any(|answer| matches!(answer, Answer::Decoded(_)));
    Compared { lanes, decoded, ..Compared::default() }
}
