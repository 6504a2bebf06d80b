//! Manages child processes in the parent, and distributes requests among several of them.

use super::watch::{self, Watch};
use super::wire::{Reply, Request, receive, send};
use crate::cli::{interrupt, logging, time_trace};
use std::io::BufReader;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The hidden verb that starts a child.
const VERB: &str = "worker";

/// A description of how a child process ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Death(String);

impl std::fmt::Display for Death {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the process that judged it {}", self.0)
    }
}

/// A child process.
pub(in crate::cli) struct Worker {
    child: Arc<Mutex<Child>>,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    watch: Watch,
}

impl Worker {
    /// Starts a child process. With `silent`, its standard error is discarded.
    pub(in crate::cli) fn start(silent: bool) -> std::io::Result<Worker> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(logging::arguments()).arg(VERB).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.envs(time_trace::environment()).env(watch::VARIABLE, watch::seconds().to_string());
        if silent {
            command.stderr(Stdio::null());
        }
        // The child gets its own process group, because an interrupt from the terminal must not end it: the parent decides when it ends.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let missing = || std::io::Error::other("a child without pipes");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stdout = BufReader::new(stdout.ok_or_else(missing)?);
        let child = Arc::new(Mutex::new(child));
        interrupt::register_child(&child);
        let watch = Watch::start(&child);
        Ok(Worker { child, stdin, stdout, watch })
    }

    /// Sends a request and waits for the answer. `notes` receives the messages that precede the answer.
    pub(in crate::cli) fn ask(
        &mut self,
        request: &Request,
        notes: &mut dyn FnMut(Reply),
    ) -> Result<Reply, Death> {
        // Write errors are ignored: if the child has ended, its answer will be missing.
        self.watch.set(watch::patience(request));
        if let Some(stdin) = &mut self.stdin {
            let _ = send(stdin, request);
        }
        let reply = self.answer(notes);
        self.watch.set(None);
        match reply {
            Err(_) if self.watch.was_late() => {
                let seconds = watch::patience(request).unwrap_or_default().as_secs();
                let seconds = lockstep_core::text::count(seconds, "second");
                Err(Death(format!("gave no answer in {seconds} and was ended: it hangs, or takes too long")))
            }
            reply => reply,
        }
    }

    fn answer(&mut self, notes: &mut dyn FnMut(Reply)) -> Result<Reply, Death> {
        loop {
            match receive::<Reply>(&mut self.stdout) {
                Ok(Some(note @ (Reply::Claim(..) | Reply::Vector(_)))) => notes(note),
                Ok(Some(reply)) => return Ok(reply),
                Ok(None) => return Err(self.death()),
                Err(error) => {
                    self.kill();
                    return Err(Death(format!("gave a malformed answer: {error}")));
                }
            }
        }
    }

    fn kill(&self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // The child may already have ended.
        let _ = child.kill();
        let _ = child.wait();
    }

    fn death(&mut self) -> Death {
        self.stdin = None;
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        Death(match child.wait() {
            Ok(status) => describe_exit(status),
            Err(error) => format!("ended: {error}"),
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The child ends when its input is closed.
        self.stdin = None;
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.wait();
    }
}

#[cfg(unix)]
fn describe_exit(status: std::process::ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        // On most systems, a stack overflow and `abort` end a process with this signal.
        Some(6) => "was aborted (signal 6, as by a stack overflow)".to_owned(),
        Some(9) => "was killed (signal 9, for example because memory ran out)".to_owned(),
        Some(11) => "was ended by an invalid memory access (signal 11)".to_owned(),
        Some(signal) => format!("was ended by signal {signal}"),
        None => format!("ended with {status}"),
    }
}

#[cfg(not(unix))]
fn describe_exit(status: std::process::ExitStatus) -> String {
    format!("ended with {status}")
}

/// Returns the results of `count` requests, in order; `None` for requests without an answer because the run was interrupted.
///
/// # Errors
/// If a child process cannot be started.
pub(in crate::cli) fn ask_all(
    count: usize,
    request: impl Fn(usize) -> Request + Sync,
    done: impl Fn() + Sync,
) -> std::io::Result<Vec<Option<Result<Reply, Death>>>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new((0..count).map(|_| None).collect::<Vec<_>>());
    let failed = Mutex::new(None);
    let fail = |error| *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    let work = || {
        let mut worker: Option<Worker> = None;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count || interrupt::is_interrupted() {
                return;
            }
            let mut ready = match worker.take().map_or_else(|| Worker::start(false), Ok) {
                Ok(ready) => ready,
                Err(error) => return fail(error),
            };
            let result = ready.ask(&request(at), &mut |_| {});
            if interrupt::is_interrupted() && result.is_err() {
                return;
            }
            if result.is_ok() {
                worker = Some(ready);
            }
            if let Some(place) = results.lock().unwrap_or_else(PoisonError::into_inner).get_mut(at) {
                *place = Some(result);
            }
            done();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(count) {
            scope.spawn(work);
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

/// The interval at which interrupts are checked.
pub(in crate::cli) const POLL_INTERVAL: Duration = Duration::from_millis(20);
