//! The cache file: it is read line by line, so that a damaged line affects no other, and replaced atomically.

use super::{Cache, Entry, Fault};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

impl Cache {
    /// Reads a file; a missing file is an empty cache. Damaged lines are left out and listed in [`Cache::faults`], and so
    /// are lines that contradict an earlier answer to the same query. The earlier answer is left out, too.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub fn read(path: &Path) -> io::Result<Cache> {
        let mut cache = Cache { path: Some(path.to_owned()), ..Cache::default() };
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(cache),
            Err(error) => return Err(error),
        };
        let mut offset = 0;
        for (at, line) in bytes.split(|b| *b == b'\n').enumerate() {
            let problem = if line.is_empty() { None } else { cache.read_line(line).err() };
            if let Some(problem) = problem {
                cache.changed = true;
                cache.faults.push(Fault {
                    what: format!(
                        "{}, line {} (byte {offset}): {problem}. The line is ignored; `lockstep prove`, built with feature `prove`, \
                         puts the query to the solver again and rewrites the file",
                        path.display(),
                        at + 1,
                    ),
                    contradicted: false,
                });
            }
            offset += line.len() + 1;
        }
        Ok(cache)
    }

    fn read_line(&mut self, line: &[u8]) -> Result<(), String> {
        let entry: Entry = serde_json::from_slice(line)
            .map_err(|e| format!("column {}: not a cache entry: {e}", e.column()))?;
        if !entry.is_whole() {
            return Err("the checksum does not match".to_owned());
        }
        let key = entry.key.clone();
        let is_contradicted = |other: &Entry| other.answer.name() != entry.answer.name();
        if self.dropped.contains(&key) || self.entries.get(&key).is_some_and(is_contradicted) {
            self.entries.remove(&key);
            self.dropped.insert(key);
            return Err(
                "another line has a different answer to the same query, so none of them is used".to_owned()
            );
        }
        self.entries.insert(key, entry);
        Ok(())
    }

    /// Writes the file if there are changes. A temporary file is written and renamed, so that the file is complete at any time. Entries that other
    /// processes have written meanwhile are kept.
    ///
    /// # Errors
    /// If the existing file cannot be read, or the file, its lock or its folder cannot be written.
    pub fn write(&mut self) -> io::Result<()> {
        let Some(path) = self.path.clone().filter(|_| self.changed) else { return Ok(()) };
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        // Only one process at a time may merge and write. The lock is the operating system's, which releases it when a process dies.
        let lock = File::create(path.with_extension("lock"))?;
        lock.lock()?;
        for (key, entry) in Cache::read(&path)?.entries {
            if !self.dropped.contains(&key) {
                self.entries.entry(key).or_insert(entry);
            }
        }
        let mut text = Vec::new();
        for entry in self.entries.values() {
            serde_json::to_writer(&mut text, entry)?;
            text.push(b'\n');
        }
        let new = path.with_extension("new");
        let mut file = File::create(&new)?;
        file.write_all(&text)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&new, &path)?;
        self.changed = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, key};
    use super::*;
    use std::path::PathBuf;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("lockstep-cache-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            Folder(folder)
        }
        fn file(&self) -> PathBuf {
            self.0.join("deep/cache.jsonl")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn entry(query: &str, answer: Answer) -> Entry {
        Entry::new(key(query), "s 1".into(), answer, 5, query.into())
    }

    /// Returns a cache with answers to the queries 0 to 19, every third with a model.
    fn filled(folder: &Folder) -> Cache {
        let mut cache = Cache::read(&folder.file()).unwrap();
        assert!(cache.is_empty());
        for k in 0..20u32 {
            let model = Answer::Sat(vec![(0, vec![], k), (1, vec![3], 1)]);
            cache.insert(entry(&k.to_string(), if k % 3 == 0 { model } else { Answer::Unsat }));
        }
        cache.write().unwrap();
        cache
    }

    #[test]
    fn files_round_trip() {
        let folder = Folder::new("back");
        let cache = filled(&folder);
        let again = Cache::read(&folder.file()).unwrap();
        assert_eq!((&again.entries, again.faults()), (&cache.entries, &[][..]));
        assert!(!folder.file().with_extension("new").exists());
    }

    #[test]
    fn a_flipped_answer_is_located_and_the_rest_is_read() {
        let folder = Folder::new("flipped");
        filled(&folder);
        let text = fs::read_to_string(folder.file()).unwrap();
        let flipped: Vec<String> = text
            .lines()
            .map(|line| {
                let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
                if value["answer"] != "unsat" {
                    value["answer"] = "unsat".into();
                }
                value.to_string()
            })
            .collect();
        fs::write(folder.file(), flipped.join("\n")).unwrap();
        let cache = Cache::read(&folder.file()).unwrap();
        assert_eq!((cache.len(), cache.faults().len()), (13, 7));
        assert!(cache.faults().iter().all(|f| f.what.contains("checksum") && !f.contradicted));
        // The answer was changed but its line still has the original checksum.
        let first = text.lines().position(|line| line.contains("sat\":[")).unwrap();
        assert!(cache.faults()[0].what.contains(&format!("line {} ", first + 1)), "{:?}", cache.faults()[0]);
    }

    #[test]
    fn a_truncated_file_loses_one_line_and_writing_repairs_it() {
        let folder = Folder::new("cut");
        let whole = filled(&folder);
        let bytes = fs::read(folder.file()).unwrap();
        for cut in (0..bytes.len()).step_by(37) {
            fs::write(folder.file(), &bytes[..cut]).unwrap();
            let cache = Cache::read(&folder.file()).unwrap();
            let lines = bytes[..cut].split(|b| *b == b'\n').filter(|line| !line.is_empty()).count();
            assert_eq!(cache.len() + cache.faults().len(), lines);
            assert!(cache.faults().len() <= 1);
            assert!(cache.entries.values().all(|e| whole.entries.values().any(|w| w == e)));
        }
        let mut cache = Cache::read(&folder.file()).unwrap();
        assert_eq!(cache.faults().len(), 1);
        whole.entries.values().for_each(|e| cache.insert(e.clone()));
        cache.write().unwrap();
        assert_eq!(fs::read(folder.file()).unwrap(), bytes);
    }

    #[test]
    fn any_bytes_are_read_without_failing() {
        let folder = Folder::new("bytes");
        let cache = filled(&folder);
        let mut bytes = b"<<<<<<< ours\n\xff\xfe\n{}\n[1]\n\n".to_vec();
        bytes.extend(fs::read(folder.file()).unwrap());
        fs::write(folder.file(), bytes).unwrap();
        let again = Cache::read(&folder.file()).unwrap();
        assert_eq!(again.entries, cache.entries);
        let lines: Vec<bool> =
            again.faults().iter().zip(1..).map(|(f, n)| f.what.contains(&format!("line {n} "))).collect();
        assert_eq!(lines, [true; 4]);
    }

    #[test]
    fn contradictory_answers_to_one_query_are_dropped() {
        let folder = Folder::new("two");
        let cache = filled(&folder);
        let mut text = fs::read_to_string(folder.file()).unwrap();
        text.push_str(&serde_json::to_string(&entry("3", Answer::Unsat)).unwrap());
        fs::write(folder.file(), text).unwrap();
        let again = Cache::read(&folder.file()).unwrap();
        assert_eq!((again.len(), again.faults().len()), (cache.len() - 1, 1));
        assert!(again.get(&key("3")).is_none());
        // A third line agrees with one of the two, which makes it no more credible.
        let mut text = fs::read_to_string(folder.file()).unwrap();
        text.push('\n');
        text.push_str(&serde_json::to_string(&entry("3", Answer::Unsat)).unwrap());
        fs::write(folder.file(), text).unwrap();
        let again = Cache::read(&folder.file()).unwrap();
        assert_eq!((again.len(), again.faults().len()), (cache.len() - 1, 2));
        assert!(again.get(&key("3")).is_none());
    }

    #[test]
    fn concurrent_writers_merge_their_changes() {
        let folder = Folder::new("twice");
        filled(&folder);
        let (mut one, mut other) =
            (Cache::read(&folder.file()).unwrap(), Cache::read(&folder.file()).unwrap());
        one.insert(entry("one", Answer::Unsat));
        one.remove(&key("4"));
        other.insert(entry("other", Answer::Unsat));
        one.write().unwrap();
        other.write().unwrap();
        one.insert(entry("more", Answer::Unsat));
        one.write().unwrap();
        let both = Cache::read(&folder.file()).unwrap();
        assert!(["one", "other", "more"].iter().all(|query| both.get(&key(query)).is_some()));
        assert!(both.get(&key("4")).is_none());
        assert_eq!((both.len(), both.faults().len()), (22, 0));
    }
}
