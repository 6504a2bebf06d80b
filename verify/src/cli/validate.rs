//! `lockstep validate`.

use super::levels::LevelArguments;
use super::output::Ink;
use super::{Failure, Output, diagnostic, input};
use crate::blame::wrapped;
use crate::case::{Case, CaseError};
use crate::corpus::{Content, read_written};
use crate::legality::{
    Levels, LocatedViolation, add_byte_positions, add_positions, entry_count, sources, violations,
    violations_at_all,
};
use crate::report::Exit;
use lockstep_core::isa::{IsaId, Level};
use lockstep_core::text::count;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Check programs against the rules of their instruction set, and print every violation with its rule, place and source.
///
/// The exit code is 2 if a file cannot be read. Otherwise it is 1 if a violation is an error, or if warnings are denied and a violation is a warning.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lockstep validate shader.agal\n  \
    lockstep validate shaders/*.vso --deny warnings --allow d3d9:104\n  lockstep validate shader.shbin --json")]
pub(super) struct Arguments {
    /// Programs (bytes or assembly text) or cases; - is standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Read the files as this instruction set.
    #[arg(long, value_name = "NAME")]
    isa: Option<IsaId>,
    /// A choice where the documents disagree; some rules depend on such a choice.
    #[arg(short = 'O', long = "option", value_name = "OPTION=CHOICE")]
    options: Vec<String>,
    #[command(flatten)]
    levels: LevelArguments,
    /// Print a JSON array of violations.
    #[arg(long)]
    json: bool,
}

/// A violation and its file.
#[derive(Serialize)]
struct Row {
    file: String,
    #[serde(flatten)]
    violation: LocatedViolation,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let levels = arguments.levels.read()?;
    let mut rows = Vec::new();
    // If one file cannot be read, the others are still checked.
    let (mut unreadable, mut unread) = (None, 0);
    for path in &arguments.files {
        let Err(failure) = add_file(path, arguments, &levels.levels, &mut rows) else { continue };
        unread += 1;
        if let Some(before) = unreadable.replace(failure) {
            out.error(&diagnostic::render(&before, out.errors_coloured()))?;
        }
    }
    if arguments.json {
        serde_json::to_writer_pretty(&mut *out, &rows).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        print(&rows, unread, out)?;
    }
    let count = |level| rows.iter().filter(|row| row.violation.level == level).count();
    if let Some(failure) = unreadable {
        return Err(failure);
    }
    let failed = count(Level::Error) > 0 || (levels.denies_warnings && count(Level::Warning) > 0);
    Ok(if failed { Exit::Findings } else { Exit::Clean })
}

/// Adds the violations of one file: of a program at each of its entries, of a case at the case's entry.
fn add_file(path: &Path, arguments: &Arguments, levels: &Levels, rows: &mut Vec<Row>) -> Result<(), Failure> {
    let file = path.display().to_string();
    let (content, written) = read_written(path, arguments.isa)?;
    let wrong = |error: CaseError| Failure::Usage(format!("{file}: {error}"));
    let with_options = |case: &mut Case| input::set_options(case, &arguments.options);
    let (isa, found) = match content {
        Content::Case(mut case) => {
            with_options(&mut case)?;
            (case.isa, violations(&case, levels))
        }
        Content::Program { isa, bytes } => {
            let mut case = Case::bare(isa, &bytes);
            if entry_count(&case) == 0 {
                let why = "the file has no entry, so there is nothing to validate";
                return Err(Failure::Usage(format!("{file}: {why}")));
            }
            with_options(&mut case)?;
            let mut found = violations_at_all(&case, levels);
            if written.is_none()
                && let Ok(found) = &mut found
                && std::fs::read(path).is_ok_and(|file| file == bytes)
            {
                add_byte_positions(found, isa, &bytes);
            }
            (isa, found)
        }
        Content::Vectors { .. } => {
            return Err(Failure::Usage(format!("{file} contains vectors, not one program")));
        }
    };
    let mut found = found.map_err(wrong)?;
    if let Some(text) = &written {
        add_positions(&mut found, isa, text);
    }
    rows.extend(found.into_iter().map(|violation| Row { file: file.clone(), violation }));
    Ok(())
}

fn print(rows: &[Row], unread: usize, out: &mut Output) -> Result<(), Failure> {
    for Row { file, violation } in rows {
        let ink = match violation.level {
            Level::Error => Ink::Bad,
            Level::Warning => Ink::Doubtful,
        };
        let text = out.paint(ink, &violation.to_string());
        writeln!(out, "{}: {text}", violation.location(file))?;
    }
    for source in sources(rows.iter().map(|row| &row.violation)) {
        write!(out, "{}", wrapped("  source ", source))?;
    }
    let of = |level| rows.iter().filter(|row| row.violation.level == level).count();
    write!(out, "{}, {}", count(of(Level::Error), "error"), count(of(Level::Warning), "warning"))?;
    if unread > 0 {
        write!(out, ", {} not validated", count(unread, "file"))?;
    }
    Ok(writeln!(out)?)
}

/// Prints the violations of a case to standard error and returns them, for verbs with another main purpose. `written` is the content of the file that
/// the case was read from, if it is text, and provides positions. A case that does not resolve is not reported here.
pub(super) fn warn(
    case: &Case,
    file: &Path,
    written: Option<&str>,
    out: &Output,
) -> Result<Vec<LocatedViolation>, Failure> {
    print_violations(violations(case, &Levels::default()), case.isa, file, written, out)
}

/// Like [`warn`], for a program at each of its entries.
pub(super) fn warn_of_all(
    isa: IsaId,
    bytes: &[u8],
    file: &Path,
    written: Option<&str>,
    out: &Output,
) -> Result<Vec<LocatedViolation>, Failure> {
    print_violations(violations_at_all(&Case::bare(isa, bytes), &Levels::default()), isa, file, written, out)
}

fn print_violations(
    found: Result<Vec<LocatedViolation>, CaseError>,
    isa: IsaId,
    file: &Path,
    written: Option<&str>,
    out: &Output,
) -> Result<Vec<LocatedViolation>, Failure> {
    let mut found = found.unwrap_or_default();
    if let Some(text) = written {
        add_positions(&mut found, isa, text);
    }
    for violation in &found {
        out.error(&format!("{}: {violation}", violation.location(&file.display().to_string())))?;
    }
    Ok(found)
}
