//! The process of a subject and its descendants: processor time, exit status, and termination.

use super::stray_processes::Origin;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// A process and the processes that it started. On Unix the process leads its own process group.
pub(super) struct Group {
    process: Child,
    status: Option<ExitStatus>,
    origin: Origin,
}

impl Group {
    pub(super) fn new(process: Child, mut origin: Origin) -> Group {
        origin.runs_as(process.id());
        Group { process, status: None, origin }
    }

    /// Returns the exit status of the process; `None` while it runs.
    pub(super) fn exit_status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.process.try_wait().ok().flatten();
        }
        self.status
    }

    /// Waits for the process to end, for at most `grace`, then kills it and all remaining processes that it started.
    pub(super) fn end(&mut self, grace: Duration) {
        let until = Instant::now() + grace;
        while self.exit_status().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        // The descendants can be identified by their parents only while the process exists.
        if self.status.is_none() {
            self.origin.kill_strays(Some(self.process.id()));
        }
        self.kill_group();
        if self.status.is_none() {
            // The process may have ended in the meantime.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
        // Kills processes that were started in the meantime.
        self.origin.kill_strays(None);
    }

    #[cfg(unix)]
    fn kill_group(&self) {
        let leader = i32::try_from(self.process.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(leader) = leader {
            // Killing fails if all processes of the group have ended, which is harmless.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    #[allow(clippy::unused_self)] // this system has no process groups
    fn kill_group(&self) {}

    /// Returns the process's line of `/proc/PID/stat`; `None` on systems without `/proc`.
    fn stat(&self) -> Option<String> {
        std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).ok()
    }

    /// Returns the processor time of the process and of those of its children that have ended and been waited for; `None` if the system does not
    /// report it.
    fn processor(&self) -> Option<Duration> {
        processor_time(&self.stat()?)
    }

    /// Whether the system reports that the process runs or waits for a processor.
    fn is_runnable(&self) -> bool {
        self.stat().is_some_and(|stat| is_runnable(&stat))
    }
}

/// Whether field 3 of a line of `/proc/PID/stat` is the state of a running or runnable process.
fn is_runnable(stat: &str) -> bool {
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('R'))
}

/// Returns the sum of the processor times in a line of `/proc/PID/stat`: fields 14 to 17, in hundredths of a second on the usual Linux systems.
fn processor_time(stat: &str) -> Option<Duration> {
    // The second field is a name in brackets, which may contain any character.
    let (_, rest) = stat.rsplit_once(')')?;
    let ticks: Vec<u64> =
        rest.split_whitespace().skip(11).take(4).filter_map(|field| field.parse().ok()).collect();
    (ticks.len() == 4).then(|| Duration::from_millis(10 * ticks.iter().sum::<u64>()))
}

/// Measures the processor time and the waiting time of a process.
pub(super) struct Clock {
    /// The processor time at the start of the measurement.
    before: Option<Duration>,
    /// The processor time at the last check.
    last: Option<Duration>,
    /// The time at which the process was last seen running or runnable.
    since: Instant,
}

impl Clock {
    pub(super) fn start(group: &Group) -> Clock {
        let before = group.processor();
        Clock { before, last: before, since: Instant::now() }
    }

    /// Returns the processor time since the start of the measurement; `None` if the system does not report it.
    pub(super) fn processor(&self, group: &Group) -> Option<Duration> {
        Some(group.processor()?.saturating_sub(self.before?))
    }

    /// Returns how long the process has been waiting, that is, neither running nor runnable. If the system does not report this, all elapsed time
    /// counts as waiting.
    pub(super) fn waited(&mut self, group: &Group) -> Duration {
        let now = group.processor();
        if now > self.last || group.is_runnable() {
            self.last = now;
            self.since = Instant::now();
        }
        self.since.elapsed()
    }
}

/// Describes how a process ended: as a word for the signatures of findings, and as the predicate of a sentence whose subject is the process.
#[cfg(unix)]
pub(super) fn describe_exit(status: ExitStatus) -> (String, String) {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let name = match signal {
                4 => " (illegal instruction)",
                6 => " (abort)",
                7 => " (bus error)",
                8 => " (arithmetic error)",
                9 => " (killed, for example because memory ran out)",
                11 => " (invalid memory access)",
                _ => "",
            };
            (format!("signal{signal}"), format!("was ended by signal {signal}{name}"))
        }
        (None, Some(code)) => (format!("exit{code}"), format!("ended with exit status {code}")),
        (None, None) => ("ended".to_owned(), "ended".to_owned()),
    }
}

#[cfg(not(unix))]
pub(super) fn describe_exit(status: ExitStatus) -> (String, String) {
    let code = status.code().unwrap_or_default();
    (format!("exit{code}"), format!("ended with exit status {code}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_after_any_process_name() {
        // The fields are numbered as in `man 5 proc`: fields 14 to 17 are utime, stime, cutime, cstime.
        let line = "123 (a) b (c 1 2) S 1 123 123 0 -1 4194560 1 2 3 4 150 7 40 3 20 0 1 0 99 1000 10";
        assert_eq!(processor_time(line), Some(Duration::from_secs(2)));
        assert_eq!(processor_time("123 (a) S 1 2"), None);
        assert!(!is_runnable(line) && is_runnable("123 (S) R 1 123"));
    }
}
