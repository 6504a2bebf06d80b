//! What a subject started and what has left its process group: found and ended where the system tells of all processes, which is Linux.
//!
//! A process is known as the subject's by its line of parents as long as that holds, and by a mark in the environment that it was started with. One that is
//! started with another environment and outlives its parents is not found.

use std::sync::atomic::{AtomicU64, Ordering};

/// The worker that a process comes from: a name which everything that it starts inherits.
pub(super) struct Origin {
    name: String,
    /// When it was started, as the system counts; 0 where that is not known. What is older does not come from it.
    since: u64,
}

impl Origin {
    /// The variable of the environment.
    pub(super) const NAME: &str = "LOCKSTEP_WORKER";

    /// One that no other worker has.
    pub(super) fn new() -> Origin {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("{}.{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        Origin { name, since: 0 }
    }

    pub(super) fn value(&self) -> &str {
        &self.name
    }

    /// The worker runs as this process.
    #[cfg(target_os = "linux")]
    pub(super) fn runs_as(&mut self, worker: u32) {
        self.since = linux::started(worker).unwrap_or(0);
    }

    /// Nothing is known here of other processes.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn runs_as(&mut self, _worker: u32) {}

    /// Ends everything that the worker has started, where the system tells of it; `root` is the worker itself while it is there.
    #[cfg(target_os = "linux")]
    pub(super) fn kill_strays(&self, root: Option<u32>) {
        // Who starts others all the time may be faster; there is an end to that.
        const ROUNDS: usize = 8;
        for _ in 0..ROUNDS {
            let strays = linux::strays(&format!("{}={}", Origin::NAME, self.name), self.since, root);
            if strays.is_empty() {
                return;
            }
            for pid in strays.into_iter().filter_map(|pid| rustix::process::Pid::from_raw(pid.cast_signed()))
            {
                // It may have ended by itself.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }

    /// Nothing is known here of other processes.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn kill_strays(&self, _root: Option<u32>) {}
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeMap, BTreeSet};

    /// The processes with this variable in their environment, and those whose line of parents leads to `root`, but for itself; none that have ended,
    /// and none that were started before `since`.
    pub(super) fn strays(variable: &str, since: u64, root: Option<u32>) -> BTreeSet<u32> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return BTreeSet::new() };
        let all = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
        let mut parents = BTreeMap::new();
        let mut found = BTreeSet::new();
        for pid in all.filter(|pid| *pid != std::process::id()) {
            let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
            let Some(parent) = parent(&stat) else { continue };
            // Most of what runs is older, and what it was started with need not be read.
            if start(&stat).is_some_and(|started| started < since) {
                continue;
            }
            parents.insert(pid, parent);
            // What belongs to others cannot be read.
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            if environment.split(|byte| *byte == 0).any(|one| one == variable.as_bytes()) {
                found.insert(pid);
            }
        }
        let descends = |pid: &u32| {
            let mut at = *pid;
            // No longer than there are processes: numbers may be given anew while they are read.
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

    /// When a process was started; `None` if it is not there.
    pub(super) fn started(pid: u32) -> Option<u64> {
        start(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The time of the start in a line of `/proc/PID/stat`, field 22, counted from that of the system.
    fn start(stat: &str) -> Option<u64> {
        let (_, rest) = stat.rsplit_once(')')?;
        rest.split_whitespace().nth(19)?.parse().ok()
    }

    /// The parent in a line of `/proc/PID/stat`, field 4; `None` for a process that has ended and waits to be asked for its status.
    fn parent(stat: &str) -> Option<u32> {
        // The second field is a name in brackets, which may hold anything.
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
        fn parents_are_read_behind_a_name_that_holds_anything() {
            // As `man 5 proc` numbers the fields.
            assert_eq!(parent("123 (a) b (c 1 2) S 77 123 123 0"), Some(77));
            assert_eq!(parent("123 (a) Z 77 123 123 0"), None);
            assert_eq!(parent("123 (a"), None);
        }
    }
}
