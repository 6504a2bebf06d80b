//! Re-enacted known bugs: each bug is found, named, classified and minimised. The subject runs in this process, as a library, or as a process.

use super::library::ours;
use super::{findings, judge, text};
use lockstep::judge::bugs::{FailureMode, Reenactment, Treatment, detect, reenacted, reenactments, table};
use lockstep_core::isa::IsaId;
use lockstep_core::isa::source::cited;
use lockstep_core::with_isa;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of generated programs within which a bug has to be found.
const MAX_PROGRAMS: u64 = 10_000;
/// The minimum number of re-enacted bugs of each instruction set.
const MIN_BUGS: usize = 8;

/// Returns the first re-enacted bugs of each instruction set, at most `most` of each.
fn first(most: usize) -> Vec<(IsaId, &'static Reenactment)> {
    let of = |isa: &IsaId| {
        let bugs = reenactments(*isa).expect("a table").take(most);
        bugs.map(|bug| (*isa, bug)).collect::<Vec<_>>()
    };
    IsaId::ALL.iter().flat_map(of).collect()
}

/// Calls a function for each bug, several at once, and returns the errors.
fn wrong(
    bugs: &[(IsaId, &'static Reenactment)],
    then: impl Fn(usize, IsaId, &'static Reenactment) -> Option<String> + Sync,
) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((isa, bug)) = bugs.get(at) else { return };
                    if let Some(why) = then(at, *isa, bug) {
                        wrong.lock().unwrap().push(format!("{isa} {}: {why}", bug.name));
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    wrong
}

#[test]
fn every_bug_cites_a_source_and_is_reenacted_or_has_a_reason() {
    for isa in IsaId::ALL {
        let bugs = table(*isa).expect("a table");
        let sources = with_isa!(*isa, I => I::sources());
        let opcodes: BTreeSet<&str> =
            with_isa!(*isa, I => I::opcodes()).iter().map(|row| row.mnemonic).collect();
        let rules: Vec<u16> = with_isa!(*isa, I => I::rules()).iter().map(|rule| rule.code).collect();
        let mut names = BTreeSet::new();
        for bug in bugs {
            let what = &bug.what;
            assert!(what.ends_with('.'), "{isa}: {what}");
            let on_the_web = bug.source.split("; ").all(|part| part.contains("github.com/"));
            assert!(on_the_web || !cited(&bug.source, sources).is_empty(), "{isa}: {}", bug.source);
            match &bug.how {
                Treatment::Subject(subject) => {
                    assert!(names.insert(&subject.name), "{isa}: {} is listed twice", subject.name);
                    let made = reenacted(*isa, &subject.name, false);
                    assert!(made.is_ok(), "{:?}", made.err());
                    let unknown = subject.opcodes.iter().find(|name| !opcodes.contains(name.as_str()));
                    assert_eq!(unknown, None, "{isa}: {}", subject.name);
                    let breaking = subject.fails.iter().flat_map(|fails| &fails.breaking);
                    let missing: Vec<_> = breaking.filter(|rule| !rules.contains(rule)).collect();
                    assert!(missing.is_empty(), "{isa}: {}: {missing:?}", subject.name);
                }
                Treatment::Process(why) | Treatment::Inexpressible(why) => {
                    assert!(why.len() > 10, "{isa}: {what}");
                }
            }
        }
        assert!(names.len() >= MIN_BUGS, "{isa}: {}", names.len());
    }
    assert!(reenacted(IsaId::Agal, "none", false).err().expect("no bug").contains("the known bugs are"));
}

#[test]
fn each_reenacted_bug_is_found_named_and_minimised() {
    let wrong = wrong(&first(usize::MAX), |_, isa, bug| {
        match detect(isa, bug, 0, MAX_PROGRAMS).expect("a subject") {
            Some(found) => found.describe_mismatch(bug),
            None => Some(format!("not found in {MAX_PROGRAMS} programs")),
        }
    });
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn reenacted_bugs_are_found_through_libraries_and_processes() {
    let wrong = wrong(&first(MIN_BUGS), |at, isa, bug| {
        let name = &bug.name;
        // The subject is a library and a process alternately.
        let subject = if at % 2 == 0 {
            format!("'{}' bug {name}", ours().display())
        } else {
            format!("'{}' serve --isa {isa} --bug {name}", env!("CARGO_BIN_EXE_lockstep"))
        };
        let hangs = bug.fails.as_ref().is_some_and(|fails| fails.by == FailureMode::Hang);
        let patience = if hangs { "0.05" } else { "5" };
        let folder = tempfile::tempdir().unwrap();
        let count = MAX_PROGRAMS.to_string();
        let arguments =
            ["--isa", isa.name(), "--count", &count, "--seed", "0", "--most", "1", "--strict-options"];
        let mut all = vec![subject.as_str(), "--patience", patience];
        all.extend(arguments);
        let done = judge(folder.path(), &all);
        if done.status != Some(1) {
            return Some(format!("exit status {:?}: {}{}", done.status, done.out, done.err));
        }
        // One message may contain several failing cases.
        let is_found = findings(folder.path()).iter().any(|path| matches_bug(isa, bug, path));
        (!is_found).then_some(done.out)
    });
    assert_eq!(wrong, Vec::<String>::new());
}

/// Whether a finding has the class of a bug and names its opcode.
fn matches_bug(isa: IsaId, bug: &Reenactment, folder: &Path) -> bool {
    let report = text(folder.join("finding.txt"));
    let signature = report.lines().next().and_then(|line| line.strip_prefix("finding ")).expect("a name");
    let Some(rest) = signature.strip_prefix(&format!("{isa}-{}-", bug.class.name())) else { return false };
    let opcodes = rest.rsplit('-').next().unwrap_or_default().split('+').map(str::to_owned);
    bug.accepts_opcodes(&opcodes.collect::<Vec<_>>())
}
