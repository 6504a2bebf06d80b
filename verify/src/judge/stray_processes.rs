//! Finds and kills processes that a subject started and that have left its process group. Only on Linux, where `/proc` lists all processes.
//!
//! A process is recognised by its chain of parents while these exist, and by a variable in its initial environment. A process that was started with
//! another environment and outlives its parents is not found.

use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies the descendants of a worker by an environment variable that they inherit and by the worker's start time.
pub(super) struct Origin {
    /// The value of the environment variable.
    value: String,
    /// The worker's start time in the units of `/proc`; 0 if unknown. Older processes are not its descendants.
    since: u64,
}

impl Origin {
    /// The name of the environment variable.
    pub(super) const NAME: &str = "LOCKSTEP_WORKER";

    /// Creates an origin with a value that no other worker has.
    pub(super) fn new() -> Origin {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let value = format!("{}.{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        Origin { value, since: 0 }
    }

    pub(super) fn value(&self) -> &str {
        &self.value
    }

    /// Records the start time of the worker, which has this process id.
    #[cfg(target_os = "linux")]
    pub(super) fn runs_as(&mut self, worker: u32) {
        self.since = linux::started(worker).unwrap_or(0);
    }

    /// Does nothing, since this system does not list processes.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn runs_as(&mut self, _worker: u32) {}

    /// Kills the processes that the worker has started and that still run, but not the worker itself. `root` is the worker's process id while it
    /// runs.
    #[cfg(target_os = "linux")]
    pub(super) fn kill_strays(&self, root: Option<u32>) {
        // The number of rounds is bounded, since a process may start others faster than this loop kills them.
        const ROUNDS: usize = 8;
        for _ in 0..ROUNDS {
            let variable = format!("{}={}", Origin::NAME, self.value);
            let strays = linux::stray_processes(&variable, self.since, root);
            if strays.is_empty() {
                return;
            }
            let pid = |pid: u32| rustix::process::Pid::from_raw(pid.cast_signed());
            for pid in strays.into_iter().filter_map(pid) {
                // The process may have ended in the meantime.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }

    /// Does nothing, since this system does not list processes.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn kill_strays(&self, _root: Option<u32>) {}
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeMap, BTreeSet};

    /// Returns the processes that have `variable`, of the form NAME=VALUE, in their environment, and the descendants of `root` without `root`.
    /// Processes that have ended or were started before `since` are omitted.
    pub(super) fn stray_processes(variable: &str, since: u64, root: Option<u32>) -> BTreeSet<u32> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return BTreeSet::new() };
        let all = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
        let mut parents = BTreeMap::new();
        let mut found = BTreeSet::new();
        for pid in all.filter(|pid| *pid != std::process::id()) {
            let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
            let Some(parent) = parent(&stat) else { continue };
            // Older processes are skipped before their environment is read, since most processes are older.
            if start(&stat).is_some_and(|started| started < since) {
                continue;
            }
            parents.insert(pid, parent);
            // The environment of another user's process cannot be read.
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            if environment.split(|byte| *byte == 0).any(|one| one == variable.as_bytes()) {
                found.insert(pid);
            }
        }
        let descends = |pid: &u32| {
            let mut at = *pid;
            // The number of steps is bounded by the number of processes, since a reused process id may create a cycle.
            for _ in 0..parents.len() {
                match parents.get(&at) {
                    Some(parent) if Some(*parent) == root => return true,
                    Some(parent) => at = *parent,
                    None => return false,
                }
            }
            false
        };
        if root.is_some() {
            found.extend(parents.keys().filter(|pid| descends(pid)));
        }
        found.retain(|pid| Some(*pid) != root);
        found
    }

    /// Returns the start time of a process; `None` if it does not exist.
    pub(super) fn started(pid: u32) -> Option<u64> {
        start(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Returns the start time from a line of `/proc/PID/stat`: field 22, counted from the system's boot.
    fn start(stat: &str) -> Option<u64> {
        let (_, rest) = stat.rsplit_once(')')?;
        rest.split_whitespace().nth(19)?.parse().ok()
    }

    /// Returns the parent from a line of `/proc/PID/stat`: field 4; `None` for a process that has ended.
    fn parent(stat: &str) -> Option<u32> {
        // The second field is a name in brackets, which may contain any character.
        let (_, rest) = stat.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        match fields.next()? {
            "Z" | "X" => None,
            _ => fields.next()?.parse().ok(),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn parents_are_read_after_any_process_name() {
            // Fields are numbered as in `man 5 proc`.
            assert_eq!(parent("123 (a) b (c 1 2) S 77 123 123 0"), Some(77));
            assert_eq!(parent("123 (a) Z 77 123 123 0"), None);
            assert_eq!(parent("123 (a"), None);
        }
    }
}
