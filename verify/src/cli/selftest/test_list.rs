//! Checks that each listed test fails with its listed fault and passes without it.

use super::gate::Bench;
use super::named::{Status, statuses};
use super::{Arguments, filter_accepts};
use crate::cli::output::Ink;
use crate::cli::{Failure, Output};
use lockstep_selftest::Fault;
use lockstep_selftest::test_list::{Seen, Test};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The tests of one executable to run with one fault; number 0 means no fault.
struct Group<'a> {
    number: usize,
    fault: &'a str,
    executable: &'a str,
    /// Whether the fault ends the process, so that a test without a result counts as failed.
    ends: bool,
    names: Vec<&'a str>,
}

/// Runs every listed test that the filter accepts, with its fault and without a fault. Also compares the list with the tests that exist in each
/// executable whose name the filter accepts. Returns whether everything is as listed, at least one test was run, and none of them is listed as
/// `not yet:`.
pub(super) fn run(
    bench: &Bench,
    arguments: &Arguments,
    listed: &BTreeMap<Test, Seen>,
    faults: &[Fault],
    out: &mut Output,
) -> Result<bool, Failure> {
    let asked = bench.tests().filter(|(name, _)| filter_accepts(&arguments.filter, &[name]));
    let mut wrong = asked.flat_map(|(name, path)| unlisted(name, path, listed)).collect::<Vec<_>>();
    let numbers: BTreeMap<&str, usize> = faults.iter().map(|f| f.name.as_str()).zip(1..).collect();
    let mut groups: BTreeMap<(usize, &str), Group<'_>> = BTreeMap::new();
    let (mut ran, mut by_hand, mut not_yet) = (0, 0, 0);
    for (test, seen) in listed {
        let fault = if let Seen::Fault(fault) = seen { fault.as_str() } else { "" };
        if !filter_accepts(&arguments.filter, &[&test.to_string(), fault]) {
            continue;
        }
        match seen {
            Seen::Fault(_) => ran += 1,
            Seen::ByHand(_) => {
                by_hand += 1;
                continue;
            }
            Seen::NotYet(_) => {
                not_yet += 1;
                continue;
            }
        }
        let number = numbers.get(fault).copied().unwrap_or_default();
        for (number, fault) in [(0, "no fault"), (number, fault)] {
            let executable = test.executable.as_str();
            let group = groups.entry((number, executable)).or_insert_with(|| Group {
                number,
                fault,
                executable,
                ends: number.checked_sub(1).and_then(|at| faults.get(at)).is_some_and(|f| f.ends.is_some()),
                names: Vec::new(),
            });
            group.names.push(&test.name);
        }
    }
    let groups: Vec<Group<'_>> = groups.into_values().collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let wrong = deviations(bench, group);
                    eprintln!("{:<34} {:<28} {} tests", group.fault, group.executable, group.names.len());
                    if let Ok(mut found) = found.lock() {
                        found.extend(wrong);
                    }
                }
            });
        }
    });
    wrong.extend(found.into_inner().unwrap_or_default());
    wrong.sort();
    for line in &wrong {
        let line = out.paint(Ink::Bad, line);
        writeln!(out, "{line}")?;
    }
    writeln!(
        out,
        "{ran} tests run with their faults, {by_hand} seen to fail under a change by hand, {not_yet} not seen to fail; {} wrong",
        wrong.len()
    )?;
    // Listed tests without a recorded failure make the run fail.
    Ok(wrong.is_empty() && not_yet == 0 && ran > 0)
}

/// Returns the tests that are in the executable but not in the list, and the reverse.
fn unlisted(executable: &str, path: &Path, listed: &BTreeMap<Test, Seen>) -> Vec<String> {
    let output = Command::new(path).args(["--list", "--format", "terse"]).output();
    let Ok(output) = output else { return vec![format!("{executable}: it does not run")] };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let there: BTreeSet<&str> = text.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    let names = listed.keys().filter(|test| test.executable == executable).map(|test| test.name.as_str());
    let names: BTreeSet<&str> = names.collect();
    let missing = there.difference(&names).map(|name| format!("{executable} {name}: not listed"));
    let gone = names.difference(&there).map(|name| format!("{executable} {name}: there is no such test"));
    missing.chain(gone).collect()
}

/// Returns the results of a group's tests with its fault.
fn run_tests(bench: &Bench, group: &Group<'_>, names: &[&str]) -> BTreeMap<String, Status> {
    let run: Vec<&str> = std::iter::once("--exact").chain(names.iter().copied()).collect();
    statuses(&bench.run_executable(group.executable, group.number, &run).text)
}

/// Returns the deviations of a group's results from the expected ones.
fn deviations(bench: &Bench, group: &Group<'_>) -> Vec<String> {
    let mut passed = run_tests(bench, group, &group.names);
    // If the process ended early, each test without a result is run alone.
    if group.names.len() > 1 {
        let silent: Vec<&str> =
            group.names.iter().copied().filter(|name| !passed.contains_key(*name)).collect();
        for name in silent {
            passed.extend(run_tests(bench, group, &[name]));
        }
    }
    let wrong = |name: &&&str| match passed.get(**name) {
        Some(Status::Passed) => group.number != 0,
        Some(Status::Failed) => group.number == 0,
        // A test whose process dies or hangs has failed, if the fault is expected to cause that.
        None => !group.ends,
    };
    let says = |name: &&str| match group.number {
        0 if passed.contains_key(*name) => format!("{} {name}: fails without a fault", group.executable),
        0 => format!("{} {name}: ends without a result, without a fault", group.executable),
        _ if passed.contains_key(*name) => {
            format!("{} {name}: passes under '{}'", group.executable, group.fault)
        }
        _ => format!(
            "{} {name}: ends without a result under fault '{}'; if the fault causes that, set `ends` in its row",
            group.executable, group.fault
        ),
    };
    group.names.iter().filter(wrong).map(says).collect()
}
