//! Subscribes to the library's `tracing` events: printed on standard error, and written to a trace file.

use super::Failure;
use super::human_log::StderrLayer;
use super::time_trace::TimeTrace;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

/// The environment variable that overrides `-v`.
const VARIABLE: &str = "LOCKSTEP_LOG";

/// The verbosity that [`start`] was called with.
static VERBOSE: AtomicU8 = AtomicU8::new(0);

/// Returns the arguments that give a child process the same verbosity.
pub(super) fn arguments() -> Option<String> {
    let verbose = usize::from(VERBOSE.load(Ordering::Relaxed));
    (verbose > 0).then(|| format!("-{}", "v".repeat(verbose)))
}

/// Starts the subscribers. A process with a trace path creates that file; a child process appends to that of its parent.
pub(super) fn start(verbose: u8, colour: bool, trace: Option<&Path>) -> Result<Option<TimeTrace>, Failure> {
    VERBOSE.store(verbose, Ordering::Relaxed);
    let level = match verbose {
        0 => "off",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = match std::env::var(VARIABLE) {
        Ok(filter) => EnvFilter::builder().parse_lossy(filter),
        Err(_) => EnvFilter::new(level),
    };
    let human_log = StderrLayer { colour }.with_filter(filter);
    let failed = |path: &Path, error| Failure::Io(path.display().to_string(), error);
    let trace = match trace {
        Some(path) => Some(TimeTrace::begin(path).map_err(|error| failed(path, error))?),
        None => TimeTrace::inherited(),
    };
    let machine = trace.as_ref().map(|p| {
        let ours = Targets::new().with_targets(
            ["lockstep", "lockstep_core", "lockstep_prove"].map(|name| (name, tracing::Level::DEBUG)),
        );
        p.layer().with_filter(ours)
    });
    // Registering fails only if the process already has a subscriber, which occurs only in tests; then the first one is used.
    let _ = tracing_subscriber::registry().with(human_log).with(machine).try_init();
    Ok(trace)
}
