//! Gates: processes whose failure indicates that a planted fault was detected.

use super::Arguments;
use super::named::ListedTests;
use crate::case::Case;
use crate::cli::Failure;
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;
use lockstep_selftest::{End, Fault, FaultResult, Form, Gate, Outcome, VARIABLE, change};
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

/// The environment in which gates run.
pub(super) struct Bench {
    command: PathBuf,
    corpora: PathBuf,
    scratch: tempfile::TempDir,
    tests: Option<BTreeMap<String, PathBuf>>,
    named: ListedTests,
    proofs: bool,
    cases: u32,
    patience: Duration,
    threads: usize,
    /// The faults in files that tests read, by number. A run with such a fault needs exclusive access, which `files` provides.
    in_files: BTreeMap<usize, Fault>,
    files: RwLock<()>,
}

impl Bench {
    pub(super) fn new(arguments: &Arguments, faults: &[Fault]) -> Result<Bench, Failure> {
        let io = |what: &str| {
            let what = what.to_owned();
            move |e| Failure::Io(what, e)
        };
        let tests = match &arguments.tests {
            None => None,
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(io(&path.display().to_string()))?;
                let pairs = text.lines().filter_map(|line| line.split_once(' '));
                Some(pairs.map(|(name, path)| (name.to_owned(), PathBuf::from(path))).collect())
            }
        };
        let is_in_files =
            |(_, fault): &(usize, &Fault)| fault.changes().iter().any(|change| change.form == Form::File);
        let in_files = (1..).zip(faults).filter(is_in_files).map(|(number, fault)| (number, fault.clone()));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Bench {
            command: std::env::current_exe().map_err(io("this program"))?,
            corpora: arguments.corpora.clone(),
            scratch: tempfile::tempdir().map_err(io("a folder for scratch files"))?,
            tests,
            named: ListedTests::read(arguments)?,
            proofs: !arguments.no_proofs,
            cases: arguments.cases,
            patience: Duration::from_secs(arguments.patience),
            threads: (cores / arguments.jobs.max(1)).max(1),
            in_files: in_files.collect(),
            files: RwLock::default(),
        })
    }

    /// Runs the gates in sequence with a fault, until one detects it.
    pub(super) fn gates(&self, number: usize, fault: &Fault) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for gate in Gate::order(fault) {
            let outcome = match gate {
                Gate::Proofs if !self.proofs => continue,
                Gate::Tests | Gate::AllTests if self.tests.is_none() => continue,
                Gate::Tests => self.named.ask(self, number, fault),
                Gate::AllTests => self.named.ask_all(self, number, fault),
                Gate::Programs if fault.isa == "all" => self.ask_each(gate, number, fault),
                Gate::Programs | Gate::Bodies | Gate::Proofs => self.ask(gate, number, &fault.isa),
            };
            let noticed = outcome.end.detects(fault);
            outcomes.push(outcome);
            if noticed {
                break;
            }
        }
        outcomes
    }

    /// Runs a gate for each instruction set and then for all in one process. Stops after the first run that detects the fault as its row states, or
    /// that ends without a verdict, because the other runs would hang as well, each for as long.
    fn ask_each(&self, gate: Gate, number: usize, fault: &Fault) -> Outcome {
        let mut so_far: Option<Outcome> = None;
        for isa in IsaId::ALL.iter().map(|isa| isa.name()).chain(["all"]) {
            let one = self.ask(gate, number, isa);
            let joined = match so_far {
                Some(earlier) => earlier.and(one, fault),
                None => one,
            };
            let has_verdict = matches!(joined.end, End::Clean | End::Findings);
            let as_expected = FaultResult::of(fault, std::slice::from_ref(&joined)).is_as_expected();
            if !has_verdict || as_expected && joined.end.detects(fault) {
                return joined;
            }
            so_far = Some(joined);
        }
        so_far.unwrap_or_else(|| Outcome::not_run(gate, "no instruction set"))
    }

    /// Runs a gate that is a verb of the command, with one fault; number 0 means no fault.
    pub(super) fn ask(&self, gate: Gate, number: usize, isa: &str) -> Outcome {
        let started = Instant::now();
        let folder = self.scratch.path().join(format!("{number}-{}", gate.name()));
        let (findings, json) = (folder.join("findings"), folder.join("report.json"));
        let prepared =
            std::fs::create_dir_all(&folder).is_ok() && copy(&self.corpora, &folder.join("corpora"));
        let mut command = Command::new(&self.command);
        match gate {
            Gate::Programs => {
                command.args(["check", "--no-proofs", "--findings"]).arg(&findings);
                command.arg("--corpora").arg(folder.join("corpora")).arg("--json").arg(&json);
            }
            Gate::Proofs => {
                command.args(["prove", "--corpora"]).arg(folder.join("corpora")).arg("--json").arg(&json);
            }
            Gate::Bodies => {
                command.args(["selftest", "--cases", &self.cases.to_string(), "--bodies", isa]);
            }
            Gate::Tests | Gate::AllTests => return Outcome::not_run(gate, "no verb"),
        }
        if matches!(gate, Gate::Programs | Gate::Proofs) && isa != "all" {
            command.args(["--isa", isa]);
        }
        command.env("LOCKSTEP_FINDINGS", &findings);
        self.set_variables(&mut command, number);
        let mut outcome = if prepared {
            self.watch(gate, command, &folder)
        } else {
            Outcome::not_run(gate, "no scratch folder")
        };
        if let Some(text) = failure_text(&json) {
            outcome.text = text;
        }
        outcome.instruction_count = smallest(&findings);
        outcome.marked_instructions = marked(&json);
        outcome.seconds = started.elapsed().as_secs_f64();
        let _ = std::fs::remove_dir_all(&folder);
        outcome
    }

    /// Iterates over the names and paths of the test executables.
    pub(super) fn tests(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.tests.iter().flatten().map(|(name, path)| (name.as_str(), path.as_path()))
    }

    /// Returns the list of tests that fail with each fault, with the cached results of runs without a fault.
    pub(super) fn named(&self) -> &ListedTests {
        &self.named
    }

    /// Runs a test executable with these arguments and one fault; number 0 means no fault.
    pub(super) fn run_executable(&self, executable: &str, number: usize, arguments: &[&str]) -> Outcome {
        let Some(path) = self.tests.as_ref().and_then(|tests| tests.get(executable)) else {
            return Outcome::not_run(Gate::Tests, "no test");
        };
        let Ok(folder) = tempfile::tempdir_in(self.scratch.path()) else {
            return Outcome::not_run(Gate::Tests, "no scratch folder");
        };
        let mut command = Command::new(path);
        command.args(arguments).current_dir(folder_of(executable));
        self.set_variables(&mut command, number);
        let Some(fault) = self.in_files.get(&number) else {
            let _unchanged = self.files.read().unwrap_or_else(PoisonError::into_inner);
            return self.watch(Gate::Tests, command, folder.path());
        };
        let _alone = self.files.write().unwrap_or_else(PoisonError::into_inner);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        match change(&root, fault) {
            Ok(_changed) => self.watch(Gate::Tests, command, folder.path()),
            Err(error) => {
                eprintln!("{error}");
                Outcome::not_run(Gate::Tests, "its file cannot be changed")
            }
        }
    }

    /// Sets the environment variables of a process for the fault and the number of threads.
    fn set_variables(&self, command: &mut Command, number: usize) {
        let threads = self.threads.to_string();
        command.env(VARIABLE, number.to_string());
        command.env("RAYON_NUM_THREADS", &threads).env("RUST_TEST_THREADS", &threads);
    }

    fn watch(&self, gate: Gate, mut command: Command, folder: &Path) -> Outcome {
        let (said, errors) = (folder.join("out"), folder.join("err"));
        let (Ok(out), Ok(err)) = (std::fs::File::create(&said), std::fs::File::create(&errors)) else {
            return Outcome::not_run(gate, "no scratch folder");
        };
        command.stdin(Stdio::null()).stdout(out).stderr(err).process_group(0);
        let Ok(mut child) = command.spawn() else { return Outcome::not_run(gate, "does not start") };
        let started = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if started.elapsed() < self.patience => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                _ => {
                    // Kills the whole process group, since the process that hangs may be a worker.
                    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
            }
        };
        let read = |path: &Path| {
            std::fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default()
        };
        let text = format!("{}{}", read(&said), read(&errors));
        let mut end = status.map_or(End::Hang, |status| End::of(gate, status.code()));
        // A filter that matches no test passes, which must not count as a result.
        if gate == Gate::Tests && end == End::Clean && text.contains("test result: ok. 0 passed") {
            end = End::NotRun("no test");
        }
        let seconds = started.elapsed().as_secs_f64();
        Outcome { end, seconds, text, ..Outcome::not_run(gate, "") }
    }
}

/// Returns the package folder of an executable; its tests open files relative to that folder.
fn folder_of(executable: &str) -> PathBuf {
    let package = match executable.split('/').next() {
        Some("core") => "../core",
        Some("prove") => "prove",
        Some("selftest") => "selftest",
        Some("validate") => "validate",
        _ => ".",
    };
    Path::new(env!("CARGO_MANIFEST_DIR")).join(package)
}

/// Returns the failures of a report as text, without passed items and listings: a listing contains almost every opcode.
fn failure_text(json: &Path) -> Option<String> {
    let report: Value = serde_json::from_slice(&std::fs::read(json).ok()?).ok()?;
    let list = |key: &str| report.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut text = String::new();
    for finding in list("findings") {
        for key in ["signature", "message", "item"] {
            text += finding.get(key).and_then(Value::as_str).unwrap_or_default();
            text.push('\n');
        }
    }
    let verdict = |v: &Value| v.get("verdict").and_then(Value::as_str).unwrap_or_default().to_owned();
    for outcome in list("outcomes") {
        let survivors = outcome.pointer("/mutants/surviving").and_then(Value::as_array);
        let surviving =
            survivors.is_some_and(|s| s.iter().any(|s| s.get("reason").is_none_or(Value::is_null)));
        if matches!(verdict(&outcome).as_str(), "refuted" | "unknown") || surviving {
            text += outcome.get("name").and_then(Value::as_str).unwrap_or_default();
            text.push('\n');
        }
    }
    for check in list("checks").iter().filter(|c| c.get("difference").is_some_and(|d| !d.is_null())) {
        text += check.get("operation").and_then(Value::as_str).unwrap_or_default();
        text.push('\n');
    }
    Some(text)
}

/// Returns the opcodes of the instructions marked in a report's findings, and the text of these instructions.
fn marked(json: &Path) -> Vec<String> {
    let text = std::fs::read(json).unwrap_or_default();
    let report: Value = serde_json::from_slice(&text).unwrap_or_default();
    let findings = report.get("findings").and_then(Value::as_array).cloned().unwrap_or_default();
    let guilty = || findings.iter().filter_map(|finding| finding.pointer("/exhibit/guilty"));
    let opcodes = guilty().filter_map(|line| line.get("opcodes")?.as_array()).flatten();
    let texts = guilty().filter_map(|line| line.get("text"));
    opcodes.chain(texts).filter_map(|part| Some(part.as_str()?.to_lowercase())).collect()
}

/// Returns the number of instructions of the smallest case in a folder.
fn smallest(folder: &Path) -> Option<u32> {
    let cases = std::fs::read_dir(folder).ok()?.filter_map(|entry| {
        let text = std::fs::read_to_string(entry.ok()?.path()).ok()?;
        let case = Case::from_text(&text).ok()?;
        with_isa!(case.isa, I => instruction_count::<I>(&case))
    });
    cases.min()
}

fn instruction_count<I: Isa>(case: &Case) -> Option<u32> {
    let resolved = case.resolve::<I>().ok()?;
    Some(I::instruction_count(&resolved.context()))
}

/// Copies a folder and returns whether that succeeded.
fn copy(from: &Path, to: &Path) -> bool {
    let entries = match std::fs::read_dir(from) {
        Ok(entries) if std::fs::create_dir_all(to).is_ok() => entries,
        _ => return false,
    };
    entries.filter_map(Result::ok).all(|entry| {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() { copy(&path, &to.join(name)) } else { std::fs::copy(&path, to.join(name)).is_ok() }
    })
}
