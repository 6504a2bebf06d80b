//! What the library says through `tracing`: to people on standard error, and as a profile to a file.

use super::Failure;
use super::people::People;
use super::profile::Profile;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

/// Overrides what `-v` shows.
const VARIABLE: &str = "LOCKSTEP_LOG";

/// What [`start`] was called with.
static VERBOSE: AtomicU8 = AtomicU8::new(0);

/// The arguments that make a child say as much.
pub(super) fn arguments() -> Option<String> {
    let verbose = usize::from(VERBOSE.load(Ordering::Relaxed));
    (verbose > 0).then(|| format!("-{}", "v".repeat(verbose)))
}

/// Begins to listen. A profile begins a new file, or in a child goes on with that of its parent.
pub(super) fn start(verbose: u8, colour: bool, profile: Option<&Path>) -> Result<Option<Profile>, Failure> {
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
    let people = People { colour }.with_filter(filter);
    let failed = |path: &Path, error| Failure::Io(path.display().to_string(), error);
    let profile = match profile {
        Some(path) => Some(Profile::begin(path).map_err(|error| failed(path, error))?),
        None => Profile::inherited(),
    };
    let machine = profile.as_ref().map(|p| {
        let ours = Targets::new().with_targets(
            ["lockstep", "lockstep_core", "lockstep_prove"].map(|name| (name, tracing::Level::DEBUG)),
        );
        p.layer().with_filter(ours)
    });
    // A second subscriber in one process only happens in tests, and the first one serves.
    let _ = tracing_subscriber::registry().with(people).with(machine).try_init();
    Ok(profile)
}
