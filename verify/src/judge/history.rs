//! Finds the earlier programs after which the program of a finding fails, if it does not fail alone.

use super::campaign::Open;
use super::connection::{AskError, StartError};
use super::disagreement::Disagreement;
use super::question::Prepared;
use super::standard::Standard;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The time limit of the search.
const PATIENCE: Duration = Duration::from_secs(30);

/// The earlier cases that a case needs in order to fail in a fresh worker.
pub(super) enum EarlierCases {
    /// The case fails after these earlier cases.
    Cases(Vec<Rc<Prepared>>),
    /// The case does not fail even after all earlier cases.
    NotFound,
    /// The user interrupted the campaign.
    Interrupted,
}

/// Finds the earlier cases that a case needs in order to fail in a fresh worker.
///
/// # Errors
/// If no worker can be started.
pub(super) fn find_earlier_cases(
    open: &Open<'_>,
    standard: &Standard<'_>,
    prepared: &Prepared,
    wanted: &Disagreement,
    before: &[Rc<Prepared>],
) -> Result<EarlierCases, StartError> {
    let until = Instant::now() + PATIENCE;
    let fails = |kept: &[Rc<Prepared>]| fails_after(open, standard, prepared, wanted, kept);
    match fails(before)? {
        None => return Ok(EarlierCases::Interrupted),
        Some(false) => return Ok(EarlierCases::NotFound),
        Some(true) => {}
    }
    // Removes runs of consecutive cases, long runs first.
    let mut kept = before.to_vec();
    let mut run = kept.len().next_power_of_two();
    while run > 0 {
        let mut at = 0;
        while at < kept.len() && Instant::now() < until {
            let mut fewer = kept.clone();
            fewer.drain(at..(at + run).min(kept.len()));
            match fails(&fewer)? {
                None => return Ok(EarlierCases::Interrupted),
                Some(true) => kept = fewer,
                Some(false) => at += run,
            }
        }
        run /= 2;
    }
    Ok(EarlierCases::Cases(kept))
}

/// Whether a fresh worker fails like `wanted` on `before` followed by `prepared`; `None` if the user interrupted the campaign.
fn fails_after(
    open: &Open<'_>,
    standard: &Standard<'_>,
    prepared: &Prepared,
    wanted: &Disagreement,
    before: &[Rc<Prepared>],
) -> Result<Option<bool>, StartError> {
    Ok(match failure_after(open, standard, prepared, before)? {
        None => Some(false),
        Some(AskError::Finding(found)) => Some(found.is_like(wanted)),
        Some(AskError::Interrupted) => None,
    })
}

/// Returns how a fresh worker fails on `before` followed by `prepared`, or that the user interrupted it; `None` if it does not fail.
///
/// # Errors
/// If no worker can be started.
pub(super) fn failure_after(
    open: &Open<'_>,
    standard: &Standard<'_>,
    prepared: &Prepared,
    before: &[Rc<Prepared>],
) -> Result<Option<AskError>, StartError> {
    let mut connection = open()?;
    for earlier in before {
        // The failure may occur before the last case: a superfluous answer is detected with the next question.
        if let Err(trouble) = connection.ask(&earlier.questions) {
            return Ok(Some(trouble));
        }
    }
    Ok(match connection.ask(&prepared.questions) {
        Ok(answers) => standard.judge(prepared, &answers).err().map(AskError::Finding),
        Err(trouble) => Some(trouble),
    })
}
