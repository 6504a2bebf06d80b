//! Finds and kills processes that a subject started and that have left its process group. Linux only, where the system lists all processes.
//!
//! A process is recognised as the subject's by its chain of parents while that is intact, and by a variable in the environment it was started with. A
//! process that was started with another environment and outlives its parents is not found.

use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies the descendants of a worker by a name that they inherit.
pub(super) struct Origin {
    name: String,
    /// The worker's start time in the system's units; 0 if unknown. Older processes are not its descendants.
    since: u64,
}

impl Origin {
    /// The environment variable that holds the name.
    pub(super) const NAME: &str = "LOCKSTEP_WORKER";

    /// A name that no other worker has.
    pub(super) fn new() -> Origin {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("{}.{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        Origin { name, since: 0 }
    }

    pub(super) fn value(&self) -> &str {
        &self.name
    }

    /// Sets the worker's process id.
    #[cfg(target_os = "linux")]
    pub(super) fn runs_as(&mut self, worker: u32) {
        self.since = linux::started(worker).unwrap_or(0);
    }

    /// Does nothing: this system does not list processes.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn runs_as(&mut self, _worker: u32) {}

    /// Kills everything that the worker has started, where the system lists it; `root` is the worker itself while it exists.
    #[cfg(target_os = "linux")]
    pub(super) fn kill_strays(&self, root: Option<u32>) {
        // A process that keeps starting others may be faster than this loop, which is therefore bounded.
        const ROUNDS: usize = 8;
        for _ in 0..ROUNDS {
            let orphan_processes =
                linux::orphan_processes(&format!("{}={}", Origin::NAME, self.name), self.since, root);
            if orphan_processes.is_empty() {
                return;
            }
            for pid in orphan_processes
                .into_iter()
                .filter_map(|pid| rustix::process::Pid::from_raw(pid.cast_signed()))
            {
                // It may have ended meanwhile.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }

    /// Does nothing: this system does not list processes.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn kill_strays(&self, _root: Option<u32>) {}
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeMap, BTreeSet};

    /// The processes with this variable in their environment, and the descendants of `root` without itself; not those that have ended or were started
    /// before `since`.
    pub(super) fn orphan_processes(variable: &str, since: u64, root: Option<u32>) -> BTreeSet<u32> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return BTreeSet::new() };
        let all = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
        let mut parents = BTreeMap::new();
        let mut found = BTreeSet::new();
        for pid in all.filter(|pid| *pid != std::process::id()) {
            let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
            let Some(parent) = parent(&stat) else { continue };
            // Most processes are older; their environment need not be read.
            if start(&stat).is_some_and(|started| started < since) {
                continue;
            }
            parents.insert(pid, parent);
            // The environment of other users' processes cannot be read.
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            if environment.split(|byte| *byte == 0).any(|one| one == variable.as_bytes()) {
                found.insert(pid);
            }
        }
        let descends = |pid: &u32| {
            let mut at = *pid;
            // At most as many steps as there are processes: process ids may be reused while they are read.
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

    /// When a process was started; `None` if it does not exist.
    pub(super) fn started(pid: u32) -> Option<u64> {
        start(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The start time in a line of `/proc/PID/stat`: field 22, counted from the start of the system.
    fn start(stat: &str) -> Option<u64> {
        let (_, rest) = stat.rsplit_once(')')?;
        rest.split_whitespace().nth(19)?.parse().ok()
    }

    /// The parent in a line of `/proc/PID/stat`, field 4; `None` for a zombie.
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
        fn parents_are_read_after_any_process_name() {
            // The numbering of `man 5 proc`.
            assert_eq!(parent("123 (a) b (c 1 2) S 77 123 123 0"), Some(77));
            assert_eq!(parent("123 (a) Z 77 123 123 0"), None);
            assert_eq!(parent("123 (a"), None);
        }
    }
}
