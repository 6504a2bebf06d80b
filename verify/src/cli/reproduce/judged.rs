//! Reproduces findings of `judge`.

use super::Arguments;
use crate::case::Case;
use crate::cli::judge::{launch, open, words_of};
use crate::cli::output::Ink;
use crate::cli::{Failure, Output, interrupt};
use crate::judge::{Record, Reproduction};
use crate::report::Exit;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The maximum size in bytes of a file that is read.
const MAX_FILE_SIZE: u64 = 64 << 20;

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let folder = &arguments.file;
    if arguments.oracle.is_some() {
        return Err(Failure::Usage(format!(
            "--oracle is for a case; {} is the folder of a finding of `judge`",
            folder.display()
        )));
    }
    if let Err(error) = interrupt::listen() {
        out.error(&format!("interrupts cannot be handled, so one will end this run at once: {error}"))?;
    }
    let mut record = read(&folder.join("finding.json"), Record::from_text)?;
    let case_at = |path: &Path| read(path, |text| Case::from_text(text).map_err(|error| error.to_string()));
    let case = case_at(&folder.join("case.toml"))?;
    let before = before(folder)?.iter().map(|path| case_at(path)).collect::<Result<Vec<_>, _>>()?;
    if let Some(line) = &arguments.subject {
        record.subject.words = words_of(line)?;
    }
    let launch = launch(&record.subject, record.isa, &record.profile)?;
    let open = || open(&launch, &record.subject, &record.profile);
    let abilities = match open() {
        Ok(connection) => connection.hello().abilities.clone(),
        Err(error) => return Err(Failure::Usage(error.to_string())),
    };
    let (exit, ink, text) = match record.reproduce(&open, &abilities, &before, &case) {
        Reproduction::Fails(what) => (Exit::Findings, Ink::Bad, format!("FAILS, {what}")),
        Reproduction::Otherwise(what) => {
            let exit = if arguments.bisect { Exit::Skip } else { Exit::Findings };
            (exit, Ink::Bad, format!("FAILS in another way, {what}"))
        }
        Reproduction::Holds => (Exit::Clean, Ink::Good, "holds".to_owned()),
        Reproduction::Unknown(why) => (Exit::Inconclusive, Ink::Doubtful, format!("cannot be judged: {why}")),
    };
    writeln!(out, "{} {}", record.signature, out.paint(ink, &text))?;
    Ok(exit)
}

fn read<T>(path: &Path, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, Failure> {
    let name = path.display().to_string();
    let io = |error| Failure::Io(name.clone(), error);
    if std::fs::metadata(path).map_err(io)?.len() > MAX_FILE_SIZE {
        return Err(Failure::Usage(format!("{name} has more than {MAX_FILE_SIZE} bytes")));
    }
    let text = std::fs::read_to_string(path).map_err(io)?;
    parse(&text).map_err(|error| Failure::Usage(format!("{name}: {error}")))
}

/// Returns the files of the cases that run before the finding's own case, in order.
fn before(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let io = |error| Failure::Io(folder.display().to_string(), error);
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("-before.toml")) {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earlier_cases_are_read_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        // Written in another order; the other files of a finding are not among them.
        for at in (0..12).map(|n| n * 7 % 12) {
            std::fs::write(folder.path().join(format!("{at:04}-before.toml")), "").unwrap();
        }
        for other in ["case.toml", "finding.json", "before.toml"] {
            std::fs::write(folder.path().join(other), "").unwrap();
        }
        let expected: Vec<PathBuf> =
            (0..12).map(|at| folder.path().join(format!("{at:04}-before.toml"))).collect();
        let Ok(found) = before(folder.path()) else { panic!("the folder can be read") };
        assert_eq!(found, expected);
    }
}
