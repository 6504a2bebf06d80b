//! The clock of the benchmarks: the processor time of a thread, so that it counts for nothing what else runs on the machine. It still makes caches and
//! shared units slower.

use std::time::Duration;

/// The processor time that this thread has taken; elsewhere than on Unix the time of the day.
#[cfg(unix)]
pub(crate) fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

/// The processor time that this thread has taken; elsewhere than on Unix the time of the day.
#[cfg(not(unix))]
pub(crate) fn now() -> Duration {
    use std::time::Instant;
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
