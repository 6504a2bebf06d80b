//! Makes the copy of the workspace with planted faults.

use super::fault::{Change, Fault, Form};
use super::{Error, VARIABLE};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The files and folders to copy; build output and findings inside them are left out.
const COPIED: [&str; 18] = [
    "Cargo.toml",
    "Cargo.lock",
    // Tests read the documents and follow their links.
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "TROPHIES.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "docs",
    "clippy.toml",
    "core",
    "verify",
    "ci",
    // Copied and not linked, because a faulty prover may write false answers into the proof cache in this folder.
    "corpora",
    "fuzz",
    ".cargo",
    ".ci",
    "rustfmt.toml",
];
/// The folders that are linked instead of copied.
const LINKED: [&str; 1] = [".z3"];
/// The name of the command in the copy, so that building the copy never replaces the product's command.
const COMMAND: &str = "lockstep-planted";

/// Statistics of planting.
#[derive(Debug)]
pub struct Planted {
    /// The number of faults, including those without a switch, but without faults for tests if they were not requested.
    pub faults: usize,
    /// The number of existing files that faults change, including files in which no fault has a switch.
    pub files: usize,
    /// The number of files of the copy that were written or removed.
    pub written: usize,
}

/// Makes `copy` a copy of the workspace at `root` with a switch for each fault, except for faults of form `file`, which are planted while tests run.
/// Faults for tests get a switch only if `with_tests` is set. Unchanged files keep their modification time, so that little is rebuilt.
///
/// # Errors
/// If a row of the fault tables does not fit its file: the file does not exist, or exists although the row adds it; the text does not occur exactly
/// once (at least `nth` times if `nth` is given); or `with` lacks `{planted}`. If two rows overlap; if a file cannot be read or written.
pub fn plant(root: &Path, copy: &Path, faults: &[Fault], with_tests: bool) -> Result<Planted, Error> {
    let mut files = BTreeMap::new();
    for top in COPIED {
        collect_files(root, Path::new(top), &mut files)?;
    }
    let mut touched = BTreeSet::new();
    let mut by_file: BTreeMap<String, Vec<Row<'_>>> = BTreeMap::new();
    for (number, fault) in (1..).zip(faults) {
        for change in fault.changes() {
            by_file.entry(change.file.clone()).or_default().push((number, fault, change));
        }
    }
    for (file, mut rows) in by_file {
        let known = files.get_mut(Path::new(&file));
        let is_new = |change: &Change| change.form == Form::File && change.find.is_empty();
        if rows.iter().all(|(.., change)| is_new(change)) {
            if known.is_some() {
                return Err(Error::row(rows[0].1, format!("{file} exists, so 'find' must not be empty")));
            }
            continue;
        }
        let Some(bytes) = known else {
            return Err(Error::row(rows[0].1, format!("there is no {file}")));
        };
        let text = String::from_utf8_lossy(bytes).into_owned();
        // Every row must fit its file, whether it is planted or not.
        let mut planted = switches(&text, &file, &rows)?;
        if !with_tests {
            rows.retain(|(_, fault, _)| !fault.is_for_tests());
            planted = switches(&text, &file, &rows)?;
        }
        *bytes = planted.into_bytes();
        touched.insert(file);
    }
    let library = PathBuf::from("core/src/lib.rs");
    if let Some(bytes) = files.get_mut(&library) {
        bytes.extend_from_slice(b"\nextern crate self as lockstep_core;\npub mod planted;\n");
    }
    files.insert(PathBuf::from("core/src/planted.rs"), module(faults.len()).into_bytes());
    rename(&mut files);
    let written = write(root, copy, &files)?;
    for name in LINKED {
        link(&root.join(name), &copy.join(name))?;
    }
    // Tests look for other people's shaders in a folder beside the workspace.
    if let (Some(beside), Some(beside_copy)) = (root.parent(), copy.parent()) {
        link(&beside.join("shared"), &beside_copy.join("shared"))?;
    }
    let planted = faults.iter().filter(|fault| with_tests || !fault.is_for_tests()).count();
    Ok(Planted { faults: planted, files: touched.len(), written })
}

/// A change, with its fault and the fault's number.
type Row<'a> = (usize, &'a Fault, Change);

/// Returns the text of a file with a switch for each of its rows except those of form `file`.
fn switches(text: &str, file: &str, rows: &[Row<'_>]) -> Result<String, Error> {
    let condition = |number: usize| {
        if file.starts_with("verify/selftest/") {
            // The selftest package has no dependency on the others, so its switch reads the variable itself.
            return format!("(std::env::var({VARIABLE:?}).as_deref() == Ok(\"{number}\"))");
        }
        // The crate is named even inside `lockstep_core` itself, since some tests search for imports through `crate::`.
        format!("lockstep_core::planted::on({number})")
    };
    let mut places = Vec::new();
    for (number, fault, change) in rows {
        let found: Vec<usize> = text.match_indices(change.find.as_str()).map(|(at, _)| at).collect();
        let at = match (change.nth, &found[..]) {
            (None, [at]) => *at,
            (Some(nth), all) if nth > 0 && nth <= all.len() => all[nth - 1],
            _ => {
                let message = format!("its text occurs {} times in {file}", found.len());
                return Err(Error::row(fault, message));
            }
        };
        let on = condition(*number);
        let (find, with) = (&change.find, &change.with);
        let switch = match change.form {
            Form::Expression => format!("(if {on} {{ {with} }} else {{ {find} }})"),
            Form::Text if with.contains("{planted}") => with.replace("{planted}", &on),
            Form::Text => return Err(Error::row(fault, "'with' does not contain {planted}")),
            // `super::change` changes the file while tests run.
            Form::File => find.clone(),
        };
        places.push((at, *fault, find.len(), switch));
    }
    // Replacements go from the end of the file to its beginning, so that earlier positions stay valid.
    places.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    let mut out = text.to_owned();
    let mut end = text.len();
    for (at, fault, len, switch) in places {
        let behind = at + len;
        if behind > end {
            return Err(Error::row(fault, "it overlaps another row"));
        }
        out.replace_range(at..behind, &switch);
        end = at;
    }
    Ok(out)
}

/// Returns the source of the module that determines which fault is on.
fn module(count: usize) -> String {
    format!(
        "//! Which fault is on.\n\
         #![allow(missing_docs, clippy::all, clippy::pedantic)]\n\
         use std::sync::atomic::{{AtomicU32, Ordering}};\n\
         static NUMBER: AtomicU32 = AtomicU32::new(u32::MAX);\n\
         /// Whether fault `number` is on.\n\
         #[inline(always)]\n\
         pub fn on(number: u32) -> bool {{\n\
         \x20   let now = NUMBER.load(Ordering::Relaxed);\n\
         \x20   (if now == u32::MAX {{ first() }} else {{ now }}) == number\n\
         }}\n\
         #[cold]\n\
         #[inline(never)]\n\
         fn first() -> u32 {{\n\
         \x20   let text = std::env::var(\"{VARIABLE}\").unwrap_or_default();\n\
         \x20   let number: u32 = if text.is_empty() {{ 0 }} else {{ text.parse().expect(\"a number\") }};\n\
         \x20   assert!(number <= {count}, \"there are {count} faults\");\n\
         \x20   NUMBER.store(number, Ordering::Relaxed);\n\
         \x20   number\n\
         }}\n"
    )
}

/// Returns a manifest with a different version of its packages. Cargo identifies a package by name, version and path within its workspace, regardless
/// of where the workspace is. With equal versions, the copy's build output, which contains all faults, would be linked into the product.
fn with_other_version(manifest: &str) -> String {
    let mut done = false;
    let line = |line: &str| match line.strip_prefix("version = \"").and_then(|rest| rest.strip_suffix('"')) {
        Some(version) if !std::mem::replace(&mut done, true) => format!("version = \"{version}+planted\"\n"),
        _ => format!("{line}\n"),
    };
    manifest.lines().map(line).collect()
}

/// The files that name the libraries with a C interface. These libraries are renamed in the copy.
const NAMING_LIBRARIES: [&str; 4] = [
    "verify/libfuzzer/Cargo.toml",
    "verify/plugin/Cargo.toml",
    "verify/tests/all/judge/compiled.rs",
    "verify/tests/all/judge/library.rs",
];

/// Renames the command and the C libraries, and changes the version of the packages.
fn rename(files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for (path, bytes) in files.iter_mut() {
        let text = String::from_utf8_lossy(bytes);
        let renamed = if path == Path::new("Cargo.toml") {
            with_other_version(&text)
        } else if path == Path::new("verify/Cargo.toml") {
            text.replace("[[bin]]\nname = \"lockstep\"", &format!("[[bin]]\nname = \"{COMMAND}\""))
        } else if NAMING_LIBRARIES.iter().any(|file| path == Path::new(file)) {
            // Cargo gives a C library the same file name in every workspace.
            text.replace("lockstep_plugin", "lockstep_plugin_planted")
                .replace("lockstep_libfuzzer", "lockstep_libfuzzer_planted")
                .replace("CARGO_BIN_EXE_lockstep", &format!("CARGO_BIN_EXE_{COMMAND}"))
        } else if path.extension().is_some_and(|e| e == "rs") && text.contains("CARGO_BIN_EXE_lockstep") {
            text.replace("CARGO_BIN_EXE_lockstep", &format!("CARGO_BIN_EXE_{COMMAND}"))
        } else {
            continue;
        };
        *bytes = renamed.into_bytes();
    }
}

/// Collects all files at or below a path, except those in `target` and `lockstep-findings`.
fn collect_files(root: &Path, at: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> Result<(), Error> {
    let path = root.join(at);
    let error = |e| Error::file(&path, e);
    if path.is_dir() {
        for entry in std::fs::read_dir(&path).map_err(error)? {
            let name = entry.map_err(error)?.file_name();
            if name != "target" && name != "lockstep-findings" {
                collect_files(root, &at.join(name), files)?;
            }
        }
    } else if path.is_file() {
        files.insert(at.to_owned(), std::fs::read(&path).map_err(error)?);
    }
    Ok(())
}

/// Writes missing and changed files, with the permissions of the originals at `root`, and removes files of the copy that are not in `files`. Returns
/// the number of files written or removed.
fn write(root: &Path, copy: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) -> Result<usize, Error> {
    let mut there = BTreeMap::new();
    for top in COPIED {
        collect_files(copy, Path::new(top), &mut there)?;
    }
    let mut written = 0;
    for (at, bytes) in files {
        if there.remove(at).as_ref() != Some(bytes) {
            let path = copy.join(at);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
            }
            std::fs::write(&path, bytes).map_err(|e| Error::file(&path, e))?;
            written += 1;
        }
        // Files added by planting have no original.
        if let (Ok(original), Ok(copied)) = (root.join(at).metadata(), copy.join(at).metadata())
            && original.permissions() != copied.permissions()
        {
            let path = copy.join(at);
            std::fs::set_permissions(&path, original.permissions()).map_err(|e| Error::file(&path, e))?;
        }
    }
    for at in there.into_keys() {
        let path = copy.join(at);
        std::fs::remove_file(&path).map_err(|e| Error::file(&path, e))?;
        written += 1;
    }
    Ok(written)
}

/// Makes a link at `to` if `from` exists.
fn link(from: &Path, to: &Path) -> Result<(), Error> {
    let Ok(from) = from.canonicalize() else { return Ok(()) };
    if to.canonicalize().ok().as_deref() == Some(from.as_path()) {
        return Ok(());
    }
    let _ = std::fs::remove_file(to);
    std::os::unix::fs::symlink(&from, to).map_err(|e| Error::file(to, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(find: &str, with: &str, form: &str) -> Fault {
        let text = format!(
            "name = \"n\"\nisa = \"all\"\nfile = \"core/x.rs\"\nfind = {find:?}\nwith = {with:?}\nform = {form:?}\nbreaks = \"b\""
        );
        toml::from_str(&text).expect("a row")
    }

    fn switched(text: &str, rows: &[Fault]) -> Result<String, String> {
        let rows: Vec<Row<'_>> = (1..).zip(rows).map(|(n, f)| (n, f, f.changes().remove(0))).collect();
        switches(text, "core/x.rs", &rows).map_err(|e| e.to_string())
    }

    #[test]
    fn expressions_and_texts_become_switches() {
        let rows = [row("a + b", "a - b", "expression"), row("4 =>", "4 if !{planted} =>", "text")];
        let want = "x = (if lockstep_core::planted::on(1) { a - b } else { a + b }); 4 if !lockstep_core::planted::on(2) => y";
        assert_eq!(switched("x = a + b; 4 => y", &rows).as_deref(), Ok(want));
    }

    #[test]
    fn a_row_whose_text_does_not_occur_exactly_once_is_stale() {
        let rows = [row("a", "b", "expression")];
        assert_eq!(switched("x", &rows), Err("fault 'n': its text occurs 0 times in core/x.rs".to_owned()));
        assert_eq!(switched("aa", &rows), Err("fault 'n': its text occurs 2 times in core/x.rs".to_owned()));
        let second = Fault { nth: Some(2), ..row("a", "b", "expression") };
        assert_eq!(
            switched("a a", &[second]).as_deref(),
            Ok("a (if lockstep_core::planted::on(1) { b } else { a })")
        );
    }

    #[test]
    fn rows_that_overlap_and_texts_without_a_switch_are_refused() {
        let rows = [row("ab", "x", "expression"), row("bc", "y", "expression")];
        assert_eq!(switched("abc", &rows), Err("fault 'n': it overlaps another row".to_owned()));
        assert!(switched("a", &[row("a", "b", "text")]).is_err());
        // A change at run time leaves the text as it is, but the row must still fit the file.
        assert_eq!(switched("ab", &[row("a", "x", "file")]).as_deref(), Ok("ab"));
        assert!(switched("ab", &[row("c", "x", "file")]).is_err());
    }

    #[test]
    fn packages_of_the_copy_have_another_version() {
        let manifest = "[workspace.package]\nversion = \"0.1.0\"\n[x]\nversion = \"2.0\"\n";
        let expected = "[workspace.package]\nversion = \"0.1.0+planted\"\n[x]\nversion = \"2.0\"\n";
        assert_eq!(with_other_version(manifest), expected);
        // The workspace's manifest has such a version line, and its packages inherit it.
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
        let read = |file: &str| std::fs::read_to_string(root.join(file)).expect("a manifest");
        assert!(with_other_version(&read("Cargo.toml")).contains("+planted"));
        for package in ["core", "verify", "verify/prove"] {
            assert!(read(&format!("{package}/Cargo.toml")).contains("version.workspace = true"), "{package}");
        }
    }

    #[test]
    fn a_copy_has_the_switches_the_module_and_links_and_is_written_once() {
        let folder = std::env::temp_dir().join(format!("lockstep-plant-{}", std::process::id()));
        let (root, copy) = (folder.join("root"), folder.join("copy"));
        for (file, text) in [("core/src/lib.rs", "//! Core.\n"), ("core/x.rs", "a + b"), ("corpora/one", "1")]
        {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        let executable =
            std::fs::metadata(std::env::current_exe().expect("this test")).expect("a file").permissions();
        std::fs::set_permissions(root.join("corpora/one"), executable.clone()).expect("a script");
        let rows = [row("a + b", "a - b", "expression")];
        let first = plant(&root, &copy, &rows, true).expect("a copy");
        assert_eq!((first.faults, first.files, first.written), (1, 1, 4));
        let read = |file: &str| std::fs::read_to_string(copy.join(file)).expect("a file");
        assert_eq!(read("core/x.rs"), "(if lockstep_core::planted::on(1) { a - b } else { a + b })");
        assert!(read("core/src/lib.rs").ends_with("extern crate self as lockstep_core;\npub mod planted;\n"));
        assert!(read("core/src/planted.rs").contains("pub fn on(number: u32) -> bool"));
        assert_eq!(read("corpora/one"), "1");
        assert_eq!(copy.join("corpora/one").metadata().expect("a file").permissions(), executable);
        std::fs::write(copy.join("core/old.rs"), "").expect("a file");
        assert_eq!(plant(&root, &copy, &rows, true).expect("a copy").written, 1);
        assert!(!copy.join("core/old.rs").exists());
        // A fault for tests is not planted, but its row must still fit the file.
        let mut rows = rows;
        rows[0].table = "tests/x".to_owned();
        plant(&root, &copy, &rows, false).expect("a copy");
        assert_eq!(read("core/x.rs"), "a + b");
        rows[0].find = "a - b".to_owned();
        assert!(plant(&root, &copy, &rows, false).is_err());
        std::fs::remove_dir_all(folder).expect("gone");
    }
}
