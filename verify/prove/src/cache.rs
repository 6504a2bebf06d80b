//! Answers of the solver, kept in a file, so that proofs can be replayed without one.
//!
//! The file is JSON lines in the order of their keys, one a query. A key is the SHA-256 of the query's text, which is worked out
//! without a solver; an answer counts only for the very text that was asked. A satisfiable query keeps the model, and its
//! counterexample is computed again from that.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// What a solver said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The negated goal has no model: the goal holds.
    Unsat,
    /// Values (symbol, operands, value) under which the sides differ.
    Sat(Vec<(u32, Vec<u32>, u32)>),
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
    /// An obligation that asks it, for readers of the file.
    pub asked_by: String,
}

/// All answers at hand.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    entries: BTreeMap<String, Entry>,
}

/// A file that is no cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// It could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A line is not an entry.
    #[error("{path}, line {line}: {source}")]
    Line {
        /// The file.
        path: String,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
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
    /// Reads a file; a file that does not exist is an empty cache.
    ///
    /// # Errors
    /// If the file cannot be read or a line is not an entry.
    pub fn read(path: &Path) -> Result<Cache, CacheError> {
        let name = path.display().to_string();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Cache::default()),
            Err(source) => return Err(CacheError::Read { path: name, source }),
        };
        let mut cache = Cache::default();
        for (at, line) in text.lines().enumerate().filter(|(_, l)| !l.is_empty()) {
            let entry: Entry = serde_json::from_str(line).map_err(|source| CacheError::Line {
                path: name.clone(),
                line: at + 1,
                source,
            })?;
            cache.insert(entry);
        }
        Ok(cache)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If the file or its folder cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut text = String::new();
        for entry in self.entries.values() {
            text.push_str(&serde_json::to_string(entry)?);
            text.push('\n');
        }
        std::fs::write(path, text)
    }

    /// The entry for a key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// Adds or replaces an entry.
    pub fn insert(&mut self, entry: Entry) {
        self.entries.insert(entry.key.clone(), entry);
    }

    /// Drops entries that nobody asked for.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.entries.retain(|key, _| wanted(key));
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
    fn files_come_back_and_bad_lines_are_located() -> Result<(), Box<dyn std::error::Error>> {
        let folder = std::env::temp_dir().join(format!("lockstep-cache-{}", std::process::id()));
        let path = folder.join("deep/cache.jsonl");
        assert!(Cache::read(&path)?.is_empty());
        let mut cache = Cache::default();
        for (name, answer) in
            [("b", Answer::Unsat), ("a", Answer::Sat(vec![(0, vec![], 7), (1, vec![3], 1)]))]
        {
            let entry = Entry { key: key(name), solver: "s 1".into(), answer, asked_by: name.into() };
            cache.insert(entry);
        }
        cache.write(&path)?;
        let again = Cache::read(&path)?;
        assert_eq!(again.entries, cache.entries);
        std::fs::write(&path, "\n{}\n")?;
        let error = Cache::read(&path).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains("line 2"), "{error}");
        std::fs::remove_dir_all(folder)?;
        Ok(())
    }
}
