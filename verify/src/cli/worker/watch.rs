//! Patience: a child that gives no answer is ended, so that a hang is a finding as a crash is one.

use super::pool::BEAT;
use super::wire::Request;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Children learn by it how patient to be with children of theirs.
pub(super) const VARIABLE: &str = "LOCKSTEP_PATIENCE";
/// Seconds for a program with all of its environments, or for a part of what is shared. Everything that is committed takes under five, on any machine.
pub(in crate::cli) const USUAL: u64 = 120;

static SECONDS: OnceLock<u64> = OnceLock::new();

/// From now on children have this many seconds. Later calls change nothing.
pub(in crate::cli) fn be_patient(seconds: u64) {
    SECONDS.get_or_init(|| seconds);
}

/// Seconds that a child has for one request.
pub(super) fn seconds() -> u64 {
    *SECONDS.get_or_init(|| {
        std::env::var(VARIABLE).ok().and_then(|text| text.parse().ok()).filter(|n| *n > 0).unwrap_or(USUAL)
    })
}

/// How long a request may take. Proofs take as long as they take: their effort is counted, not timed. One claim about one case, asked again and again
/// where it is made small, has a quarter; making small has twice as long.
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

/// Watches over one child.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    until: Arc<Mutex<Option<Instant>>>,
    late: Arc<AtomicBool>,
}

impl Watch {
    /// Watches until the child is given up.
    pub(super) fn over(child: &Arc<Mutex<Child>>) -> Watch {
        let watch = Watch { until: Arc::default(), late: Arc::default() };
        let (own, child) = (watch.clone(), Arc::downgrade(child));
        drop(std::thread::spawn(move || own.run(&child)));
        watch
    }

    fn run(&self, child: &Weak<Mutex<Child>>) {
        loop {
            std::thread::sleep(BEAT);
            let Some(child) = child.upgrade() else { return };
            let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
            if until.is_some_and(|until| Instant::now() > until) {
                self.late.store(true, Ordering::Relaxed);
                // It may have ended by itself in this moment.
                let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
                return;
            }
        }
    }

    /// Gives the child so long from now, or as long as it likes.
    pub(super) fn set(&self, patience: Option<Duration>) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = patience.map(|p| Instant::now() + p);
    }

    /// Whether the child was ended.
    pub(super) fn was_late(&self) -> bool {
        self.late.load(Ordering::Relaxed)
    }
}
