//! A subject in a child process.
//!
//! On Unix, protocol messages have file descriptors of their own: the subject reads from descriptor 3 and writes to descriptor 4; its standard output
//! and error are recorded for findings. On other systems the subject uses its standard input and output. The environment variables `LOCKSTEP_IN` and
//! `LOCKSTEP_OUT` contain the descriptor numbers.

use super::connection::{AskError, Connection, StartError, check_hello};
use super::disagreement::{Class, Disagreement};
use super::plugin::{MARK_VARIABLE, SharedMark};
use super::process::{Clock, Group, describe_exit};
use super::recent_times::RecentTimes;
use super::stray_processes::Origin;
use super::streams::{Line, Printed, keep_last_output, lines, writer};
use super::subject::{Answer, Failure, FailureKind, Greeting, Hello, Language, Question};
use super::wire::{self, MAX_LINE, METHOD_NOT_FOUND, Response};
use lockstep_core::text::count;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// The interval at which clocks and interrupts are checked during a wait for an answer.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The time between closing a subject's input and killing its process group.
const GRACE: Duration = Duration::from_millis(100);
/// The limit on waiting time, in which the subject neither runs nor is runnable, is this many times the limit on processor time.
const WAITING_FACTOR: u32 = 10;

/// The command that starts a subject, the greeting and the time limit.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program and its arguments; not empty.
    pub words: Vec<String>,
    /// The subject's name as given by the user.
    pub name: String,
    /// Whether the subject is a worker that writes the number of the lane that it runs to shared memory.
    pub marks: bool,
    /// The first message to the subject.
    pub greeting: Greeting,
    /// The limit on processor time per question. A higher limit applies if the subject's median time is long.
    pub patience: Duration,
}

/// A connection to a subject in a child process.
pub struct Child {
    group: Group,
    input: Option<Sender<Vec<u8>>>,
    answers: Receiver<Line>,
    printed: Printed,
    hello: Hello,
    next: u64,
    patience: Duration,
    /// The processor times per question of recent answers.
    times: RecentTimes,
    stop: fn() -> bool,
    mark: Option<SharedMark>,
}

impl Child {
    /// Starts a subject and sends the greeting. `stop` returns whether the user has interrupted the campaign.
    ///
    /// # Errors
    /// Why the subject cannot be judged, with the text that it printed.
    pub fn start(launch: &Launch, stop: fn() -> bool) -> Result<Child, StartError> {
        let mut command = command(&launch.words)?;
        let mark = launch.marks.then(SharedMark::create).flatten();
        if let Some(mark) = &mark {
            command.env(MARK_VARIABLE, mark.path());
        }
        let origin = Origin::new();
        command.env(Origin::NAME, origin.value());
        let no_start =
            |error: std::io::Error| StartError(format!("'{}' does not start: {error}", launch.words[0]));
        let mut process = command.spawn().map_err(no_start)?;
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(StartError("the pipes to the process cannot be opened".to_owned()));
        };
        let printed = Printed::default();
        keep_last_output(&printed, stderr);
        let mut child = Child {
            group: Group::new(process, origin),
            input: Some(writer(stdin)),
            answers: lines(stdout, MAX_LINE),
            printed,
            hello: Hello {
                protocol: 0,
                name: launch.name.clone(),
                version: String::new(),
                isas: Vec::new(),
                abilities: Vec::new(),
                profile: None,
                language: Language::default(),
            },
            next: 0,
            // Starting the subject may include starting an interpreter, so the greeting gets more time.
            patience: launch.patience.max(Duration::from_secs(10)),
            times: RecentTimes::default(),
            stop,
            mark,
        };
        let greeted = child.greet(&launch.greeting);
        if let Some(mark) = &mut child.mark {
            mark.unlink();
        }
        match greeted {
            Ok(mut hello) => {
                check_hello(&mut hello, &launch.greeting)?;
                child.hello = hello;
                // The time of the greeting is not typical of answers.
                child.times = RecentTimes::default();
                child.patience = launch.patience;
                Ok(child)
            }
            Err(why) => {
                let printed = child.printed();
                let printed = if printed.is_empty() {
                    String::new()
                } else {
                    format!("\nit printed:\n{}", printed.trim_end())
                };
                Err(StartError(format!("'{}' did not complete the greeting: {why}{printed}", launch.name)))
            }
        }
    }

    fn greet(&mut self, greeting: &Greeting) -> Result<Hello, String> {
        let id = self.reserve_ids(1);
        self.send(wire::greeting(id, greeting));
        let mut hello = None;
        let message = |trouble: AskError| match trouble {
            AskError::Finding(what) => what.message,
            AskError::Interrupted => "interrupted".to_owned(),
        };
        self.receive(id..id + 1, |response| {
            hello = Some(match (response.result, response.error) {
                (Some(result), None) => serde_json::from_value(result).map_err(|error| error.to_string()),
                (_, Some(error)) => Err(error.message),
                (None, None) => Err("the answer has neither a result nor an error".to_owned()),
            });
            Ok(())
        })
        .map_err(message)?;
        hello.unwrap_or_else(|| Err("there is no answer".to_owned()))
    }

    /// Reserves `count` question ids and returns the first.
    fn reserve_ids(&mut self, count: u64) -> u64 {
        let first = self.next;
        self.next += count;
        first
    }

    fn send(&mut self, mut line: String) {
        line.push('\n');
        // A failed write is ignored: if the subject no longer reads, its answer will be missing.
        if let Some(input) = &self.input {
            let _ = input.send(line.into_bytes());
        }
    }

    /// Waits until all of these questions are answered.
    fn receive(
        &mut self,
        ids: std::ops::Range<u64>,
        mut take: impl FnMut(Response<serde_json::Value>) -> Result<(), Disagreement>,
    ) -> Result<(), AskError> {
        let asked = ids.end - ids.start;
        let limit = self.times.limit(self.patience, asked);
        let mut clock = Clock::start(&self.group);
        let mut open: Vec<u64> = ids.clone().collect();
        let mut looked = Instant::now();
        while !open.is_empty() {
            let line = self.answers.recv_timeout(POLL_INTERVAL);
            // The clocks are checked even while lines keep arriving, so that endless output cannot prevent a time-out.
            if looked.elapsed() >= POLL_INTERVAL {
                looked = Instant::now();
                if (self.stop)() {
                    return Err(AskError::Interrupted);
                }
                if line.is_ok() {
                    self.check_time(&mut clock, limit)?;
                }
            }
            let line = match line {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    // All output of the subject itself has been read if no line came for an interval. A process that it started may keep the
                    // output open.
                    if self.group.exit_status().is_some() {
                        return Err(self.ended());
                    }
                    self.check_time(&mut clock, limit)?;
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => Line::End,
            };
            let line = match line {
                Line::Text(line) => line,
                Line::TooLong => return Err(AskError::Finding(too_long())),
                Line::End => return Err(self.ended()),
            };
            let garbage = |what| AskError::Finding(Disagreement::garbage(what));
            let responses =
                wire::responses(&line).map_err(|what| garbage(format!("{}: {what}", excerpt(&line))))?;
            if responses.is_empty() {
                return Err(garbage("the answer is an empty list".to_owned()));
            }
            for response in responses {
                let Some(id) = response.id else {
                    let said =
                        response.error.map_or_else(String::new, |error| format!(": {}", error.message));
                    return Err(garbage(format!("an answer without an id{said}")));
                };
                if !ids.contains(&id) {
                    let message =
                        if id < ids.start { ANSWERED } else { "an answer to a question that was not asked" };
                    return Err(AskError::finding(Class::Garbage, "id", message));
                }
                let Some(at) = open.iter().position(|open| *open == id) else {
                    return Err(AskError::finding(Class::Garbage, "id", "two answers to one question"));
                };
                open.swap_remove(at);
                take(response).map_err(AskError::Finding)?;
            }
        }
        if let Some(spent) = clock.processor(&self.group) {
            self.times.add(spent, asked);
        }
        Ok(())
    }

    /// Returns an error if the subject has exceeded a time limit.
    fn check_time(&self, clock: &mut Clock, limit: Duration) -> Result<(), AskError> {
        let shown = |time: Duration| format!("{:.1} s", time.as_secs_f64());
        let lane = self.lane_suffix();
        if clock.processor(&self.group).is_some_and(|spent| spent > limit) {
            let message = format!("no answer after more than {} of processor time{lane}", shown(limit));
            return Err(AskError::finding(Class::Hang, "computing", message));
        }
        if clock.waited(&self.group) > limit * WAITING_FACTOR {
            let message = format!(
                "no answer after {} in which the subject neither ran nor was runnable{lane}",
                shown(limit * WAITING_FACTOR)
            );
            return Err(AskError::finding(Class::Hang, "waiting", message));
        }
        Ok(())
    }

    /// Returns the suffix of a message that names the lane being run; empty if the lane is unknown.
    fn lane_suffix(&self) -> String {
        let lane = self.mark.as_ref().and_then(SharedMark::lane);
        lane.map_or_else(String::new, |lane| format!(", in lane {lane}"))
    }

    /// Determines why the subject's output ended.
    fn ended(&mut self) -> AskError {
        let until = Instant::now() + Duration::from_millis(500);
        loop {
            if let Some(status) = self.group.exit_status() {
                self.printed.wait_until_read(Duration::from_millis(500));
                let (detail, message) = describe_exit(status);
                return AskError::finding(
                    Class::Crash,
                    detail,
                    format!("the subject {message}{}", self.lane_suffix()),
                );
            }
            if Instant::now() > until {
                return AskError::finding(
                    Class::Garbage,
                    "closed",
                    "the subject closed its output but did not end",
                );
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Connection for Child {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn ask(&mut self, questions: &[Question]) -> Result<Vec<Answer>, AskError> {
        let first = self.reserve_ids(questions.len() as u64);
        self.send(wire::batch(first, questions));
        let mut answers: Vec<Option<Answer>> = vec![None; questions.len()];
        let ids = first..self.next;
        self.receive(ids, |response| {
            let at = usize::try_from(response.id.unwrap_or_default() - first).unwrap_or(usize::MAX);
            let (Some(question), Some(place)) = (questions.get(at), answers.get_mut(at)) else {
                return Ok(());
            };
            *place = Some(match (response.result, response.error) {
                (Some(result), None) => wire::answer(question, result)
                    .map_err(|error| Disagreement::garbage(format!("the answer is malformed: {error}")))?,
                (None, Some(error)) if error.code == METHOD_NOT_FOUND => {
                    return Err(Disagreement::garbage(
                        "the subject lacks an ability that its description lists",
                    ));
                }
                (None, Some(error)) => {
                    let kind = FailureKind::from_code(error.code);
                    Answer::Failed(Failure { kind, message: error.message })
                }
                _ => return Err(Disagreement::garbage("an answer must have either a result or an error")),
            });
            Ok(())
        })?;
        Ok(answers.into_iter().flatten().collect())
    }

    fn printed(&self) -> String {
        self.printed.text()
    }

    fn close(&mut self) -> Option<Disagreement> {
        self.input = None;
        let line = match self.answers.recv_timeout(GRACE) {
            Ok(Line::Text(line)) => line,
            Ok(Line::TooLong) => return Some(too_long()),
            Ok(Line::End) | Err(_) => return None,
        };
        Some(match wire::responses::<serde_json::Value>(&line) {
            Ok(_) => Disagreement::new(Class::Garbage, "id", ANSWERED),
            Err(what) => Disagreement::garbage(format!("{}: {what}", excerpt(&line))),
        })
    }
}

/// The message for an answer to a question that was already answered.
const ANSWERED: &str = "a second answer to a question";

fn too_long() -> Disagreement {
    Disagreement::new(Class::Garbage, "flood", format!("a line of more than {MAX_LINE} bytes"))
}

impl Drop for Child {
    fn drop(&mut self) {
        // A subject ends when its input is closed; processes that it started are killed with its process group.
        self.input = None;
        self.group.end(GRACE);
    }
}

/// Returns the beginning of a line in printable form.
fn excerpt(line: &[u8]) -> String {
    const MAX_SHOWN_BYTES: usize = 60;
    let text = String::from_utf8_lossy(&line[..line.len().min(MAX_SHOWN_BYTES)]).into_owned();
    let more = if line.len() > MAX_SHOWN_BYTES {
        format!(" ... ({})", count(line.len(), "byte"))
    } else {
        String::new()
    };
    format!("'{}'{more}", text.trim_end())
}

/// Builds the command that starts a subject with its pipes.
#[cfg(unix)]
fn command(words: &[String]) -> Result<Command, StartError> {
    use std::os::unix::process::CommandExt;
    let Some(first) = words.first() else { return Err(StartError("there is no subject".to_owned())) };
    if !is_executable(first) {
        return Err(StartError(format!("there is no program '{first}'")));
    }
    // The shell moves the pipes to descriptors 3 and 4, then replaces itself with the subject.
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "exec 3<&0 4>&1 0</dev/null 1>&2; exec \"$@\"", "sh"]).args(words);
    command.env("LOCKSTEP_IN", "3").env("LOCKSTEP_OUT", "4");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The subject and the processes it starts form a process group, which can be killed as a whole; interrupts from the terminal do not reach it.
    command.process_group(0);
    Ok(command)
}

#[cfg(not(unix))]
fn command(words: &[String]) -> Result<Command, StartError> {
    let Some(first) = words.first() else { return Err(StartError("there is no subject".to_owned())) };
    let mut command = Command::new(first);
    command.args(&words[1..]).env("LOCKSTEP_IN", "0").env("LOCKSTEP_OUT", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

/// Whether the shell can find and run this program.
#[cfg(unix)]
fn is_executable(program: &str) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let runs = |path: &std::path::Path| {
        path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return runs(std::path::Path::new(program));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| runs(&folder.join(program)))
}
