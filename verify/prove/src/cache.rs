//! Answers of the solver, kept in a file, so that proofs can be replayed without one.
//!
//! The file is JSON lines in the order of their keys, one a query. A key is the SHA-256 of the query's text, which is worked out without a solver;
//! an answer counts only for the very text that was asked. Each line ends with a checksum over all else in it. Whoever replays an answer looks
//! at it again as far as numbers go, see [`crate::asking`]; what numbers cannot tell, the solver is asked again from time to time.

mod file;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What a solver said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The negated goal has no model: the goal holds.
    Unsat,
    /// Values (symbol, operands, value) under which the sides differ.
    Sat(Vec<(u32, Vec<u32>, u32)>),
    /// It does not know with this limit for an attempt, and would not the next time either.
    Unknown(u32),
}

impl Answer {
    /// Its name, without the model.
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
    /// SHA-256 of the query.
    pub key: String,
    /// The solver that answered, with its version.
    pub solver: String,
    /// What it said.
    pub answer: Answer,
    /// How much work that was, in the solver's units; the same on every machine.
    pub cost: u64,
    /// An obligation that asks it, for readers of the file.
    pub asked_by: String,
    /// SHA-256 of all the above.
    sum: String,
}

impl Entry {
    /// A line with its checksum.
    pub fn new(key: String, solver: String, answer: Answer, cost: u64, asked_by: String) -> Entry {
        let mut entry = Entry { key, solver, answer, cost, asked_by, sum: String::new() };
        entry.sum = entry.checksum();
        entry
    }

    /// Whether it is as it was written.
    pub fn is_whole(&self) -> bool {
        self.sum == self.checksum()
    }

    fn checksum(&self) -> String {
        let Entry { key: query, solver, answer, cost, asked_by, sum: _ } = self;
        key(&format!("{query}\n{solver}\n{answer:?}\n{cost}\n{asked_by}"))
    }
}

/// Something is wrong with what the file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// What, and what becomes of it.
    pub what: String,
    /// Somebody else contradicts it, numbers or the solver; otherwise it is only damaged.
    pub contradicted: bool,
}

/// All answers at hand.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    entries: BTreeMap<String, Entry>,
    /// What has been dropped and is not to come back from the file.
    dropped: BTreeSet<String>,
    /// Where they are kept; nowhere if there is none.
    path: Option<PathBuf>,
    /// Whether there is anything that the file does not have.
    changed: bool,
    /// What was wrong with the file.
    faults: Vec<Fault>,
}

/// The key of a query.
pub fn key(query: &str) -> String {
    use std::fmt::Write;
    Sha256::digest(query.as_bytes()).iter().take(16).fold(String::with_capacity(32), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Cache {
    /// The entry for a key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
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

    /// Drops entries that nobody asked for.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        let unwanted: Vec<String> = self.entries.keys().filter(|key| !wanted(key)).cloned().collect();
        for key in unwanted {
            self.remove(&key);
        }
    }

    /// What was wrong with the file when it was read.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The solvers whose answers are in it.
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
    fn whatever_is_changed_in_a_line_is_noticed() {
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
