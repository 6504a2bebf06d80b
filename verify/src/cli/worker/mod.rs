//! Judges items and cases in child processes.
//!
//! The code being judged may panic, overflow the stack or be killed. The parent process, which reads inputs, collects results and reports them,
//! survives such a failure and turns it into a finding. The parent decodes programs only while it reads inputs. Each child reads one
//! [`Request`] at a time from its standard input and answers it, so the parent can determine which request ended the child.

mod answer;
mod minimise;
mod pool;
mod watch;
mod wire;

pub(super) use answer::run;
pub(super) use minimise::{Investigation, Minimised, investigate};
pub(super) use pool::{Death, POLL_INTERVAL, Worker, ask_all};
pub(super) use watch::{DEFAULT_TIMEOUT, set_timeout};
pub(super) use wire::{Answer, ItemData, Reply, Request};

use crate::case::Case;
use crate::finding::DEATH;
use crate::oracle::{Failure, Oracle};

/// Asks an oracle about a case in a new child process. If the child dies, the claim counts as violated.
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
    /// Returns the failure to report for the claim that was being checked when the child process died.
    pub(super) fn failure(&self) -> Failure {
        Failure::new(DEATH, self.to_string())
    }
}
