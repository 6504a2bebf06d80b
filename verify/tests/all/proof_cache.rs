//! Tests of the cache of proofs under bad conditions: the file is damaged or modified, a writing process is killed, or two processes write at once.
//! Needs the solver.
#![cfg(feature = "prove")]

use lockstep_prove::cache::{Answer, Cache, Entry};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// Corpora that contain only the reasons for surviving mutants. The proofs of one opcode are run with these corpora and need many models for mutants.
struct Corpora(tempfile::TempDir);

impl Corpora {
    fn new() -> Corpora {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("proofs")).unwrap();
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora/proofs/survivors.json");
        std::fs::copy(own, folder.path().join("proofs/survivors.json")).unwrap();
        Corpora(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("proofs/cache.jsonl")
    }

    fn spawn(&self, more: &[&str]) -> Child {
        let folder = self.0.path().display().to_string();
        Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args(["prove", "--isa", "a2xx", "--filter", "KILLNEv", "--corpora", &folder])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs the proofs. Returns the exit status and standard output.
    fn prove(&self, more: &[&str]) -> (i32, String) {
        let Output { status, stdout, .. } = self.spawn(more).wait_with_output().unwrap();
        (status.code().unwrap(), String::from_utf8(stdout).unwrap())
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.file()).unwrap()
    }

    fn count(said: &str, word: &str) -> usize {
        said.lines().filter(|line| line.starts_with(word)).count()
    }
}

#[test]
fn a_damaged_cache_is_repaired_and_a_flipped_answer_contradicted() {
    let corpora = Corpora::new();
    let (code, said) = corpora.prove(&[]);
    assert_eq!(code, 0, "{said}");
    let whole = corpora.bytes();
    let (code, said) = corpora.prove(&[]);
    assert!(code == 0 && said.contains(" 0 put to"), "{said}");
    assert_eq!(corpora.bytes(), whole, "the solver was asked");

    // Truncated in the middle of a line.
    std::fs::write(corpora.file(), &whole[..whole.len() / 2]).unwrap();
    let (code, said) = corpora.prove(&[]);
    assert_eq!((code, Corpora::count(&said, "DAMAGED")), (3, 1), "{said}");
    let line = whole[..whole.len() / 2].split(|b| *b == b'\n').count();
    assert!(said.contains(&format!("line {line} ")) && said.contains("rewrites the file"), "{said}");
    assert_eq!(corpora.prove(&[]).0, 0, "it was not repaired");
    assert_eq!(corpora.bytes(), whole, "the solver gave other answers or costs");

    // Every model is turned into a proof, with correct checksums: only asking the solver again detects that.
    let text = String::from_utf8(whole.clone()).unwrap();
    let flipped: Vec<Entry> = text
        .lines()
        .map(|line| {
            let old: Entry = serde_json::from_str(line).unwrap();
            Entry::new(old.key, old.solver, Answer::Unsat, old.cost, old.asked_by)
        })
        .collect();
    let models = text.lines().filter(|line| line.contains("{\"sat\"")).count();
    assert!(models > 5, "{models}");
    let lines: String = flipped.iter().map(|entry| serde_json::to_string(entry).unwrap() + "\n").collect();
    std::fs::write(corpora.file(), &lines).unwrap();
    let (code, said) = corpora.prove(&["--again", "7"]);
    assert_eq!((code, Corpora::count(&said, "CONTRADICTED")), (1, models), "{said}");
    assert_eq!(corpora.bytes(), whole);

    // The same change without new checksums is reported as damage of each changed line.
    let lines: String = text.lines().map(|line| flip(line) + "\n").collect();
    std::fs::write(corpora.file(), &lines).unwrap();
    let (code, said) = corpora.prove(&[]);
    assert_eq!((code, Corpora::count(&said, "DAMAGED")), (3, models), "{said}");
    assert_eq!(corpora.bytes(), whole);
}

#[test]
fn fresh_proofs_need_no_cache() {
    let corpora = Corpora::new();
    let fresh = || {
        let (code, said) = corpora.prove(&["--fresh"]);
        assert!(code == 0 && !said.contains("NOT ASKED AGAIN"), "{said}");
        said
    };
    // Missing, empty, and with answers of another solver.
    assert!(!corpora.file().exists());
    assert!(!fresh().contains(" again"));
    let whole = corpora.bytes();
    std::fs::write(corpora.file(), "").unwrap();
    assert!(!fresh().contains(" again"));
    assert_eq!(corpora.bytes(), whole);
    let text = String::from_utf8(whole.clone()).unwrap();
    let old = text.lines().map(|line| {
        let old: Entry = serde_json::from_str(line).unwrap();
        let old = Entry::new(old.key, "Z3 1.0".to_owned(), old.answer, old.cost, old.asked_by);
        serde_json::to_string(&old).unwrap() + "\n"
    });
    std::fs::write(corpora.file(), old.collect::<String>()).unwrap();
    assert!(!fresh().contains(" again"));
    assert_eq!(corpora.bytes(), whole);
    // With current answers, all are asked for again.
    let said = fresh();
    assert!(said.contains(" again"), "{said}");
}

fn flip(line: &str) -> String {
    let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
    value["answer"] = "unsat".into();
    value.to_string()
}

#[test]
fn a_killed_run_keeps_its_work_and_concurrent_runs_are_independent() {
    let corpora = Corpora::new();
    let mut child = corpora.spawn(&["--fresh"]);
    while !corpora.file().exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = Cache::read(&corpora.file()).unwrap();
    assert!(kept.faults().is_empty() && !kept.is_empty(), "{:?}", kept.faults());
    let (mut one, mut other) = (corpora.spawn(&[]), corpora.spawn(&[]));
    // A process that reads the file meanwhile finds a complete file.
    while one.try_wait().unwrap().is_none() || other.try_wait().unwrap().is_none() {
        assert!(Cache::read(&corpora.file()).unwrap().faults().is_empty());
    }
    assert!(one.wait().unwrap().success() && other.wait().unwrap().success());
    let whole = corpora.bytes();
    assert!(Cache::read(&corpora.file()).unwrap().len() > kept.len());
    let (code, said) = corpora.prove(&["--fresh"]);
    assert!(code == 0 && corpora.bytes() == whole, "{said}");
}
