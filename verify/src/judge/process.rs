//! A subject's process, with everything that it starts: how long it computed, how it ended, and ending it.

use super::strays::Origin;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// A process and those that it started. On Unix it leads a process group of its own.
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

    /// How the process ended; `None` while it runs.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.process.try_wait().ok().flatten();
        }
        self.status
    }

    /// Waits a little, then ends all that is left.
    pub(super) fn end(&mut self, grace: Duration) {
        let until = Instant::now() + grace;
        while self.ended().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        // Its descendants are known by it while it is there.
        if self.status.is_none() {
            self.origin.kill_strays(Some(self.process.id()));
        }
        self.kill_group();
        if self.status.is_none() {
            // It may have ended by itself.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
        // What was started meanwhile.
        self.origin.kill_strays(None);
    }

    #[cfg(unix)]
    fn kill_group(&self) {
        let leader = i32::try_from(self.process.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(leader) = leader {
            // There is no group left where everything has ended.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    #[allow(clippy::unused_self)] // it has no group to end
    fn kill_group(&self) {}

    /// What the system tells of the process; `None` where it does not.
    fn stat(&self) -> Option<String> {
        std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).ok()
    }

    /// Processor time of the process and of those of its children that have ended; `None` where the system does not tell.
    fn processor(&self) -> Option<Duration> {
        processor_time(&self.stat()?)
    }

    /// Whether the process waits for a processor, as far as the system tells.
    fn is_runnable(&self) -> bool {
        self.stat().is_some_and(|stat| is_runnable(&stat))
    }
}

/// Whether the state in a line of `/proc/PID/stat`, field 3, is that of a process that runs or would if it were let.
fn is_runnable(stat: &str) -> bool {
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('R'))
}

/// The times in a line of `/proc/PID/stat`: fields 14 to 17, in hundredths of a second on every Linux.
fn processor_time(stat: &str) -> Option<Duration> {
    // The second field is a name in brackets, which may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let ticks: Vec<u64> =
        rest.split_whitespace().skip(11).take(4).filter_map(|field| field.parse().ok()).collect();
    (ticks.len() == 4).then(|| Duration::from_millis(10 * ticks.iter().sum::<u64>()))
}

/// How long something takes.
pub(super) struct Clock {
    before: Option<Duration>,
    /// Processor time when it was last looked.
    last: Option<Duration>,
    /// When it was last seen to compute, or to want to.
    since: Instant,
}

impl Clock {
    pub(super) fn start(group: &Group) -> Clock {
        let before = group.processor();
        Clock { before, last: before, since: Instant::now() }
    }

    /// Processor time since the start; `None` where the system does not tell.
    pub(super) fn processor(&self, group: &Group) -> Option<Duration> {
        Some(group.processor()?.saturating_sub(self.before?))
    }

    /// How long nothing was computed. A process that gets no processor does not wait for anything else; where the system does not tell, all time
    /// is waiting.
    pub(super) fn waited(&mut self, group: &Group) -> Duration {
        let now = group.processor();
        if now > self.last || group.is_runnable() {
            self.last = now;
            self.since = Instant::now();
        }
        self.since.elapsed()
    }
}

/// How a process ended: a word for signatures, and a sentence that begins after the subject.
#[cfg(unix)]
pub(super) fn how(status: ExitStatus) -> (String, String) {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let name = match signal {
                4 => " (illegal instruction)",
                6 => " (abort)",
                7 => " (bus error)",
                8 => " (arithmetic error)",
                9 => " (killed, as where memory runs out)",
                11 => " (wrong access to memory)",
                _ => "",
            };
            (format!("signal{signal}"), format!("was ended by signal {signal}{name}"))
        }
        (None, Some(code)) => (format!("exit{code}"), format!("ended with exit status {code}")),
        (None, None) => ("ended".to_owned(), "ended".to_owned()),
    }
}

#[cfg(not(unix))]
pub(super) fn how(status: ExitStatus) -> (String, String) {
    let code = status.code().unwrap_or_default();
    (format!("exit{code}"), format!("ended with exit status {code}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_behind_a_name_that_holds_anything() {
        // As `man 5 proc` numbers the fields: the fourteenth to seventeenth are utime, stime, cutime, cstime.
        let line = "123 (a) b (c 1 2) S 1 123 123 0 -1 4194560 1 2 3 4 150 7 40 3 20 0 1 0 99 1000 10";
        assert_eq!(processor_time(line), Some(Duration::from_secs(2)));
        assert_eq!(processor_time("123 (a) S 1 2"), None);
        assert!(!is_runnable(line) && is_runnable("123 (S) R 1 123"));
    }
}
