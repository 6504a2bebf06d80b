//! The cache: the solver's answers, kept in a file so that proofs can be replayed without a solver.
//!
//! The file is JSON lines, one for each query, ordered by key. A key is the start of the SHA-256 of the query's text and can be computed without a
//! solver, so an answer applies only to exactly this text. Each line ends with a checksum of the rest of the line. Answers from the cache are checked
//! by evaluation as far as possible, and some runs put them to the solver again: see [`crate::asking`].

mod file;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A solver's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The negated goal has no model: the goal holds.
    Unsat,
    /// Values under which the sides differ, each as symbol, operands and value.
    Sat(Vec<(u32, Vec<u32>, u32)>),
    /// The solver gave no answer within this limit of one attempt. Repeating the attempt with the same limit gives the same result.
    Unknown(u32),
}

impl Answer {
    /// Returns the answer's name, without the model.
    pub fn name(&self) -> &'static str {
        match self {
            Answer::Unsat => "unsat",
            Answer::Sat(_) => "sat",
            Answer::Unknown(_) => "unknown",
        }
    }
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The key: the first 16 bytes of the SHA-256 of the query, in hexadecimal.
    pub key: String,
    /// The solver that answered, with its version.
    pub solver: String,
    /// The solver's answer.
    pub answer: Answer,
    /// The cost in the solver's units of work, which do not depend on the machine.
    pub cost: u64,
    /// The name of an obligation that needs the query, for people who read the file.
    pub asked_by: String,
    /// The checksum of all fields above, computed like a key.
    sum: String,
}

impl Entry {
    /// Makes an entry with its checksum.
    pub fn new(key: String, solver: String, answer: Answer, cost: u64, asked_by: String) -> Entry {
        let mut entry = Entry { key, solver, answer, cost, asked_by, sum: String::new() };
        entry.sum = entry.checksum();
        entry
    }

    /// Whether the entry's checksum is correct.
    pub fn is_whole(&self) -> bool {
        self.sum == self.checksum()
    }

    fn checksum(&self) -> String {
        let Entry { key: query, solver, answer, cost, asked_by, sum: _ } = self;
        key(&format!("{query}\n{solver}\n{answer:?}\n{cost}\n{asked_by}"))
    }
}

/// A problem with an entry of the cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The problem, and what was done about it, as a sentence.
    pub what: String,
    /// Whether evaluation or the solver contradicts the entry; otherwise the entry is only damaged.
    pub contradicted: bool,
}

/// All known answers.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    entries: BTreeMap<String, Entry>,
    /// Keys that were dropped and must not be read from the file again.
    dropped: BTreeSet<String>,
    /// The file that the answers are kept in, if any.
    path: Option<PathBuf>,
    /// Whether there are changes that have not been written to the file.
    changed: bool,
    /// Problems found when the file was read.
    faults: Vec<Fault>,
}

/// Returns the key of a query.
pub fn key(query: &str) -> String {
    use std::fmt::Write;
    Sha256::digest(query.as_bytes()).iter().take(16).fold(String::with_capacity(32), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Cache {
    /// Returns the entry for a key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// Returns all entries, ordered by key.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Adds or replaces an entry.
    pub fn insert(&mut self, entry: Entry) {
        self.changed |= self.entries.get(&entry.key) != Some(&entry);
        self.dropped.remove(&entry.key);
        self.entries.insert(entry.key.clone(), entry);
    }

    /// Drops an entry.
    pub fn remove(&mut self, key: &str) {
        if self.entries.remove(key).is_some() {
            self.changed = true;
            self.dropped.insert(key.to_owned());
        }
    }

    /// Drops the entries for whose keys `wanted` returns false.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        let unwanted: Vec<String> = self.entries.keys().filter(|key| !wanted(key)).cloned().collect();
        for key in unwanted {
            self.remove(&key);
        }
    }

    /// Returns the problems found when the file was read.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the solvers that gave the answers, each once.
    pub fn solvers(&self) -> Vec<String> {
        let mut all: Vec<String> = self.entries.values().map(|e| e.solver.clone()).collect();
        all.sort();
        all.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_beginning_of_the_sha256() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(key("abc"), "ba7816bf8f01cfea414140de5dae2223");
    }

    #[test]
    fn any_change_of_a_line_is_detected() {
        let sat = Answer::Sat(vec![(0, vec![1, 2], 7)]);
        let entry = Entry::new(key("q"), "Z3 1".into(), sat, 12, "a rule".into());
        assert!(entry.is_whole());
        let changes: [fn(&mut Entry); 9] = [
            |e| e.key = key("r"),
            |e| e.solver = "Z3 2".into(),
            |e| e.answer = Answer::Unsat,
            |e| e.answer = Answer::Sat(vec![(0, vec![1, 2], 8)]),
            |e| e.answer = Answer::Sat(vec![(0, vec![12], 7)]),
            |e| e.answer = Answer::Unknown(1),
            |e| e.cost = 13,
            |e| e.asked_by = "another".into(),
            |e| e.sum = key(""),
        ];
        for change in changes {
            let mut other = entry.clone();
            change(&mut other);
            assert!(!other.is_whole(), "{other:?}");
        }
    }
}
