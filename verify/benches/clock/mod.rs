//! The clock of the benchmarks. The clock measures the processor time of a thread, which excludes the time of other processes. Other processes may
//! still slow the thread down through shared caches and execution units.

use std::time::Duration;

/// Returns the processor time that this thread has used; except on Unix, the time of day.
#[cfg(unix)]
pub(crate) fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

/// Returns the processor time that this thread has used; except on Unix, the time of day.
#[cfg(not(unix))]
pub(crate) fn now() -> Duration {
    use std::time::Instant;
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
