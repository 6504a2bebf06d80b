//! Judging in processes of their own.
//!
//! What is judged may panic, run out of stack or be killed; the process that reads, collects and reports lives on and makes a finding of it. It never
//! looks into a program itself. Each child answers one [`Request`] at a time on its standard input, so whoever asked knows what it died of.

mod answer;
mod minimise;
mod pool;
mod watch;
mod wire;

pub(super) use answer::run;
pub(super) use minimise::{Fate, Minimised, investigate};
pub(super) use pool::{BEAT, Death, Worker, every};
pub(super) use watch::{USUAL, be_patient};
pub(super) use wire::{Answer, Reply, Request, Sent};

use crate::case::Case;
use crate::finding::DEATH;
use crate::oracle::{Failure, Oracle};

/// Asks an oracle about a case in a child of its own. A child that dies is a failure of the claim.
pub(super) fn ask(oracle: Oracle, case: &Case) -> std::io::Result<Answer> {
    let mut worker = Worker::start(false)?;
    let request = Request::Ask { oracle, case: case.clone() };
    Ok(match worker.ask(&request, &mut |_| {}) {
        Ok(Reply::Answered(answer)) => answer,
        Ok(_) => Answer::Skipped("the child answered another question".to_owned()),
        Err(death) => Answer::Fails(death.failure()),
    })
}

impl Death {
    /// What it means for the claim that was asked about.
    pub(super) fn failure(&self) -> Failure {
        Failure::new(DEATH, self.to_string())
    }
}
