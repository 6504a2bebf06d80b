//! The expected obligations, derived from the files of the corpora and the covering arrays, independently of the prover. Each program has,
//! for each of its entries, an obligation in each form (lowered, rewritten, fallback), one for its steps, one for the beginning of the fallback, and
//! one for each reachable instruction in the fallback. The shortest program of each stage and version has further obligations in each form, with
//! initial and final values of registers. A program of a covering array has only the obligations for steps. An expected obligation
//! that is missing, and is not listed as refused, is reported by name as lost.

use crate::corpus::read_file;
use crate::generate::covering;
use lockstep_core::isa::{Context, Format, IsaId, Options, Refinement, Stage, Tables};
use lockstep_core::value::Concrete;
use lockstep_core::with_isa;
use lockstep_core::{ir::Ty, ir::eval::Scalar};
use lockstep_prove::obligation::Kind;
use lockstep_prove::report::{Report, is_part_of};
use lockstep_prove::verdict::Verdict;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folders of a corpus that contain programs.
const FOLDERS: [&str; 2] = ["programs", "regressions"];

/// The forms in which a whole program is compared with the reference.
const FORMS: [&str; 3] = ["lowered", "rewritten", "fallback"];

/// The recorded reasons why the prover refuses obligations, by the name of the obligation.
pub type Refusals = BTreeMap<String, String>;

/// An expected obligation.
struct Expected {
    /// The name of the task that creates the obligation; filters apply to it.
    task: String,
    /// The start of the obligation's name, up to its end or to a comma.
    name: String,
}

/// Compares a report with the expectations and returns the differences: missing obligations, duplicate names, refusals without a recorded reason,
/// unreadable programs, and, for a run of all instruction sets without a filter, recorded refusals that did not occur.
pub fn obligation_differences(
    report: &Report,
    corpora: &Path,
    isas: &[IsaId],
    filter: Option<&str>,
    refusals: &Refusals,
) -> Vec<String> {
    let mut differences = Vec::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut refused: BTreeSet<&str> = BTreeSet::new();
    for outcome in &report.outcomes {
        if !names.insert(&outcome.name) {
            differences.push(format!("{}: two obligations have this name", outcome.name));
        }
        if let Verdict::NotApplicable { reason } = &outcome.verdict {
            refused.insert(&outcome.name);
            if !refusals.contains_key(&outcome.name) {
                let name = &outcome.name;
                differences.push(format!("{name}: refused by the prover, but not listed: {reason}"));
            }
        }
    }
    let by_isa = isas.par_iter().map(|isa| {
        let (mut all, mut lost) = (Vec::new(), Vec::new());
        with_isa!(*isa, I => of_isa::<I>(corpora, filter.is_none(), &mut all, &mut lost));
        (all, lost)
    });
    let mut all = Vec::new();
    for (some, lost) in by_isa.collect::<Vec<_>>() {
        all.extend(some);
        differences.extend(lost);
    }
    for Expected { name, .. } in all.iter().filter(|e| filter.is_none_or(|text| e.task.contains(text))) {
        let is_there = names.range(name.as_str()..).next().is_some_and(|found| {
            found.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(','))
        });
        if !is_there && !refused.iter().any(|refusal| is_part_of(name, refusal)) {
            differences.push(format!("{name}: this expected obligation is missing"));
        }
    }
    if filter.is_none() && isas.len() == IsaId::ALL.len() {
        let unused = refusals.keys().filter(|name| !refused.contains(name.as_str()));
        differences.extend(
            unused.map(|name| format!("{name}: listed as refused, but the prover does not refuse it")),
        );
    }
    differences
}

/// Adds the expected obligations of an instruction set. Unreadable programs are reported as lost. If `everything` is true, a missing or
/// empty folder of programs is also reported, except a missing `regressions`.
fn of_isa<I: Tables + Refinement>(
    corpora: &Path,
    everything: bool,
    all: &mut Vec<Expected>,
    lost: &mut Vec<String>,
) {
    // By stage and version: the length, the name and the number of entries of the shortest program.
    let mut shortest: BTreeMap<(Stage, u32), (usize, String, usize)> = BTreeMap::new();
    for folder in FOLDERS {
        let place = corpora.join(I::ID.name()).join(folder);
        let paths = match files(&place) {
            Ok(paths) => paths,
            // Not every instruction set has regressions.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && folder != FOLDERS[0] => continue,
            Err(error) => {
                if everything {
                    lost.push(format!("{} {folder}: {error}", I::ID));
                }
                continue;
            }
        };
        if paths.is_empty() && everything {
            lost.push(format!("{} {folder}: there are no programs", I::ID));
        }
        for path in paths {
            let name = super::short(&path.display().to_string());
            let bytes = match read_file(&path, Some(I::ID)) {
                Ok(Ok(content)) => match content.program() {
                    Some(bytes) => bytes.to_vec(),
                    // Test vectors have no obligations: they are checked by running them.
                    None => continue,
                },
                Ok(Err(skipped)) => {
                    lost.push(format!("{} {folder}/{name}: {}", I::ID, skipped.reason));
                    continue;
                }
                Err(error) => {
                    lost.push(format!("{} {folder}/{name}: {error}", I::ID));
                    continue;
                }
            };
            match I::decode(&bytes) {
                Ok(program) => {
                    of_program::<I>(&name, &program, all);
                    let entries = I::entries(&program);
                    if let Some(first) = entries.first() {
                        let this = (bytes.len(), name, entries.len());
                        let known =
                            shortest.entry((first.stage, first.version)).or_insert_with(|| this.clone());
                        *known = std::mem::take(known).min(this);
                    }
                }
                Err(error) => lost.push(format!("{} {folder}/{name}: {error}", I::ID)),
            }
        }
    }
    for (_, name, entries) in shortest.into_values() {
        forms(&task::<I>(Kind::Program, &format!("registers of {name}")), entries, all);
    }
    let covering = covering(I::ID).once();
    if covering.is_empty() {
        lost.push(format!("{}: the covering array has no programs", I::ID));
    }
    for (n, bytes) in covering.iter().enumerate() {
        let name = super::covering_name(n);
        match I::decode(bytes) {
            // For covering arrays only the steps are proved.
            Ok(program) => steps::<I>(&name, &program, all),
            Err(error) => lost.push(format!("{} {name}: {error}", I::ID)),
        }
    }
}

/// Returns the name of the task for a kind of obligation about a program.
fn task<I: Format>(kind: Kind, name: &str) -> String {
    format!("{} {} {name}", I::ID, kind.name())
}

/// Returns the suffix that distinguishes a program's entries; empty if there is only one.
fn entry_suffix(entries: usize, k: usize) -> String {
    if entries > 1 { format!(" entry {k}") } else { String::new() }
}

fn steps<I: Format>(name: &str, program: &I::Program, all: &mut Vec<Expected>) {
    let (task, entries) = (task::<I>(Kind::Step, name), I::entries(program).len());
    all.extend(
        (0..entries)
            .map(|k| Expected { task: task.clone(), name: format!("{task}{}", entry_suffix(entries, k)) }),
    );
}

/// Adds a program in each form, at each entry.
fn forms(task: &str, entries: usize, all: &mut Vec<Expected>) {
    for k in 0..entries {
        let which = entry_suffix(entries, k);
        all.extend(
            FORMS.map(|form| Expected { task: task.to_owned(), name: format!("{task}{which}: {form}") }),
        );
    }
}

fn of_program<I: Tables + Refinement>(name: &str, program: &I::Program, all: &mut Vec<Expected>) {
    let entries = I::entries(program);
    forms(&task::<I>(Kind::Program, name), entries.len(), all);
    let mut expect = |kind: Kind, rest: String| {
        let task = task::<I>(kind, name);
        all.push(Expected { name: format!("{task}{rest}"), task });
    };
    for (k, entry) in entries.iter().enumerate() {
        let which = entry_suffix(entries.len(), k);
        expect(Kind::Step, which.clone());
        expect(Kind::Fallback, format!("{which}: beginning"));
        let options = Options::new(I::option_specs());
        for word in reached::<I>(&Context { program, entry, options: &options }) {
            expect(Kind::Fallback, format!("{which}: word {word}"));
        }
    }
}

/// Returns the instructions reachable from the entry.
fn reached<I: Refinement>(cx: &Context<'_, I>) -> BTreeSet<u32> {
    let d = Concrete;
    let outline = I::outline(cx);
    let mut words = BTreeSet::new();
    let mut seen: BTreeSet<I::ControlState> = BTreeSet::new();
    let mut work: Vec<I::ControlState> = I::entry_control(cx).into_iter().collect();
    while let Some(control) = work.pop() {
        if !seen.insert(control.clone()) {
            continue;
        }
        let lane = I::refine(&d, cx, &control, &mut |_| Scalar::literal(&d, Ty::I32, 0));
        if I::position::<Concrete>(cx, &lane).is_some() {
            words.insert(I::control_word(&control));
        }
        work.extend(I::successors(cx, &outline, &control));
    }
    words
}

/// Returns the files of a folder and its subfolders.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut all: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            all.extend(files(&path)?);
        } else {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}
