//! What the library says through `tracing`, on standard error.

use std::sync::atomic::{AtomicU8, Ordering};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// Overrides what `-v` shows.
const VARIABLE: &str = "LOCKSTEP_LOG";

/// What [`start`] was called with.
static VERBOSE: AtomicU8 = AtomicU8::new(0);

/// The arguments that make a child say as much.
pub(super) fn arguments() -> Option<String> {
    let verbose = usize::from(VERBOSE.load(Ordering::Relaxed));
    (verbose > 0).then(|| format!("-{}", "v".repeat(verbose)))
}

pub(super) fn start(verbose: u8, colour: bool) {
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
    let spans =
        if verbose > 0 || std::env::var_os(VARIABLE).is_some() { FmtSpan::CLOSE } else { FmtSpan::NONE };
    let format = tracing_subscriber::fmt().with_env_filter(filter).with_span_events(spans);
    // A second subscriber in one process only happens in tests, and the first one serves.
    let _ = format.with_ansi(colour).with_writer(std::io::stderr).try_init();
}
