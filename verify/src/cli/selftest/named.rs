//! The gates that run tests: the tests listed as failing with a fault, and all tests.

use super::Arguments;
use super::gate::Bench;
use crate::cli::Failure;
use lockstep_selftest::test_list::{Seen, list};
use lockstep_selftest::{End, Fault, Gate, Outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Instant;

/// The result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Passed,
    Failed,
}

/// The list of tests that fail with each fault, and the results of runs without a fault.
#[derive(Default)]
pub(super) struct ListedTests {
    /// The names of the listed tests, by fault and executable.
    listed: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// Whether a run of an executable with these arguments passes without a fault; a cache.
    sound: Mutex<BTreeMap<(String, Vec<String>), bool>>,
}

impl ListedTests {
    /// Reads the list `seen.txt` beside the folder of the tables of faults; returns an empty list if no test executables were given.
    pub(super) fn read(arguments: &Arguments) -> Result<ListedTests, Failure> {
        let Some(path) = arguments.tests.as_ref().and_then(|_| arguments.faults.parent()) else {
            return Ok(ListedTests::default());
        };
        let mut listed: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
        for (test, seen) in list(&path.join("seen.txt")).map_err(|e| Failure::Usage(e.to_string()))? {
            if let Seen::Fault(fault) = seen {
                listed.entry(fault).or_default().entry(test.executable).or_default().push(test.name);
            }
        }
        Ok(ListedTests { listed, ..ListedTests::default() })
    }

    /// Runs the tests that the fault's row names, then those that `seen.txt` lists for the fault, one executable after another, until one fails.
    pub(super) fn ask(&self, bench: &Bench, number: usize, fault: &Fault) -> Outcome {
        let mut runs: Vec<(&str, Vec<&str>)> = Vec::new();
        if let Some((executable, filter)) = fault.test.as_deref().and_then(|test| test.split_once(' ')) {
            runs.push((executable, filter.split_whitespace().collect()));
        }
        for (executable, names) in self.listed.get(&fault.name).into_iter().flatten() {
            let names = names.iter().map(String::as_str);
            runs.push((executable, std::iter::once("--exact").chain(names).collect()));
        }
        self.first_detection(bench, Gate::Tests, number, fault, &runs)
    }

    /// Runs every test of every executable, until one fails.
    pub(super) fn ask_all(&self, bench: &Bench, number: usize, fault: &Fault) -> Outcome {
        let runs: Vec<(&str, Vec<&str>)> =
            bench.tests().map(|(executable, _)| (executable, vec![])).collect();
        self.first_detection(bench, Gate::AllTests, number, fault, &runs)
    }

    /// Returns the runs of tests that failed without a fault, each as the executable and its arguments.
    pub(super) fn unsound(&self) -> Vec<String> {
        let Ok(known) = self.sound.lock() else { return Vec::new() };
        let unsound = known.iter().filter(|(_, sound)| !**sound);
        unsound.map(|((executable, run), _)| format!("{executable} {}", run.join(" "))).collect()
    }

    /// Returns the first of these runs that detects the fault, or the last run if none does.
    fn first_detection(
        &self,
        bench: &Bench,
        gate: Gate,
        number: usize,
        fault: &Fault,
        runs: &[(&str, Vec<&str>)],
    ) -> Outcome {
        let started = Instant::now();
        let mut last = Outcome::not_run(gate, "no test");
        for (executable, run) in runs {
            let mut outcome = bench.run_executable(executable, number, run);
            outcome.gate = gate;
            let failed = statuses(&outcome.text).into_iter().filter(|(_, status)| *status == Status::Failed);
            let failed: BTreeSet<String> = failed.map(|(name, _)| name).collect();
            // A test that also fails without the fault does not count. If the process died and no test reports a failure, the whole run must pass
            // without the fault.
            let test =
                failed.iter().find(|name| self.is_sound(bench, executable, &["--exact", name.as_str()]));
            outcome.test = match test {
                Some(test) => Some(format!("{executable} {test}")),
                None if failed.is_empty()
                    && outcome.end.detects(fault)
                    && self.is_sound(bench, executable, run) =>
                {
                    Some((*executable).to_owned())
                }
                None => None,
            };
            if outcome.test.is_some() {
                outcome.seconds = started.elapsed().as_secs_f64();
                return outcome;
            }
            if outcome.end.detects(fault) {
                outcome.end = End::NotRun("fails without a fault");
            }
            last = outcome;
        }
        last.seconds = started.elapsed().as_secs_f64();
        last
    }

    /// Whether a run of an executable with these arguments passes without a fault. The result is cached.
    fn is_sound(&self, bench: &Bench, executable: &str, run: &[&str]) -> bool {
        let key = (executable.to_owned(), run.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>());
        if let Some(known) = self.sound.lock().ok().and_then(|known| known.get(&key).copied()) {
            return known;
        }
        let sound = bench.run_executable(executable, 0, run).end == End::Clean;
        if let Ok(mut known) = self.sound.lock() {
            known.insert(key, sound);
        }
        sound
    }
}

/// Parses an executable's output into the result of each test that finished.
pub(super) fn statuses(text: &str) -> BTreeMap<String, Status> {
    let line = |line: &str| {
        let (name, end) = line.strip_prefix("test ")?.split_once(" ... ")?;
        let name = name.split(' ').next().unwrap_or_default();
        let status = if end.ends_with("FAILED") {
            Status::Failed
        } else if end.ends_with("ok") {
            Status::Passed
        } else {
            return None;
        };
        Some((name.to_owned(), status))
    };
    text.lines().filter_map(line).collect()
}
