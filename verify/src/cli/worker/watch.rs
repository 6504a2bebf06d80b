//! Timeouts: a child process that does not answer is killed. A hang is thus reported as a finding, as a crash is.

use super::pool::POLL_INTERVAL;
use super::wire::Request;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The environment variable that passes the timeout on to nested child processes.
pub(super) const VARIABLE: &str = "LOCKSTEP_PATIENCE";
/// The default timeout in seconds for a program with all of its environments, or for one part of the shared code. All committed programs take less
/// than five seconds.
pub(in crate::cli) const DEFAULT_TIMEOUT: u64 = 120;

static SECONDS: OnceLock<u64> = OnceLock::new();

/// Sets the timeout of child processes in seconds. Later calls have no effect.
pub(in crate::cli) fn set_timeout(seconds: u64) {
    SECONDS.get_or_init(|| seconds);
}

/// Returns the number of seconds that a child process has for one request.
pub(super) fn seconds() -> u64 {
    *SECONDS.get_or_init(|| {
        std::env::var(VARIABLE)
            .ok()
            .and_then(|text| text.parse().ok())
            .filter(|n| *n > 0)
            .unwrap_or(DEFAULT_TIMEOUT)
    })
}

/// Returns the time limit of a request. Proofs have none: their effort is counted, not timed. One claim about one case, which is checked repeatedly
/// during minimisation, has a quarter of the timeout, rounded up to seconds; minimisation has twice the timeout.
pub(super) fn patience(request: &Request) -> Option<Duration> {
    let whole = seconds();
    match request {
        Request::Prove { .. } => None,
        Request::Ask { .. } => Some(Duration::from_secs(whole.div_ceil(4))),
        Request::Minimise { .. } => Some(Duration::from_secs(2 * whole)),
        Request::Judge { .. } | Request::Draw { .. } | Request::Shared { .. } => {
            Some(Duration::from_secs(whole))
        }
    }
}

/// Enforces the timeout of one child process.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    until: Arc<Mutex<Option<Instant>>>,
    late: Arc<AtomicBool>,
}

impl Watch {
    /// Starts to watch a child process, which is killed when it exceeds its timeout.
    pub(super) fn start(child: &Arc<Mutex<Child>>) -> Watch {
        let watch = Watch { until: Arc::default(), late: Arc::default() };
        let (own, child) = (watch.clone(), Arc::downgrade(child));
        drop(std::thread::spawn(move || own.run(&child)));
        watch
    }

    fn run(&self, child: &Weak<Mutex<Child>>) {
        loop {
            std::thread::sleep(POLL_INTERVAL);
            let Some(child) = child.upgrade() else { return };
            let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
            if until.is_some_and(|until| Instant::now() > until) {
                self.late.store(true, Ordering::Relaxed);
                // The child may have ended in the meantime.
                let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
                return;
            }
        }
    }

    /// Restarts the timeout; `None` means no limit.
    pub(super) fn set(&self, patience: Option<Duration>) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = patience.map(|p| Instant::now() + p);
    }

    /// Whether the child was killed because of the timeout.
    pub(super) fn was_late(&self) -> bool {
        self.late.load(Ordering::Relaxed)
    }
}
