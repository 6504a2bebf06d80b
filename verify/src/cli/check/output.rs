//! Reports to files, and the table on the terminal.

use super::Arguments;
use super::findings::LARGE;
use crate::cli::output::Ink;
use crate::cli::{Failure, Output, diagnostic, input};
use crate::report::{Exit, Report, html, junit, sarif, table};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The most names of a list that the terminal shows.
const SHOWN: usize = 12;

/// Writes and prints the report. What cannot be written keeps nothing else from being written, and makes the run unclean only if it is clean.
pub(super) fn finish(arguments: &Arguments, report: &Report, out: &mut Output) -> Exit {
    let mut failures = write_reports(arguments, report, out);
    if ![&arguments.json, &arguments.junit, &arguments.sarif, &arguments.html]
        .into_iter()
        .any(|path| path.as_deref() == Some(Path::new("-")))
    {
        failures.extend(print(report, arguments.all, out).and_then(|()| Ok(out.flush()?)).err());
    }
    // Whoever closes the pipe early still gets the verdict from the exit code.
    failures.retain(|failure| !matches!(failure, Failure::Closed));
    for failure in &failures {
        // If that can't be said either, the exit code is all there is.
        let _ = out.error(&diagnostic::render(failure, out.errors_coloured()));
    }
    if report.verdict == Exit::Clean && !failures.is_empty() { Exit::Usage } else { report.verdict }
}

/// Writes every report that can be written, and returns what stood in the way of the others.
fn write_reports(arguments: &Arguments, report: &Report, out: &mut Output) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut write = |path: &Option<PathBuf>, make: &dyn Fn() -> std::io::Result<Vec<u8>>| {
        let Some(path) = path else { return };
        let done = make().map_err(Failure::from).and_then(|bytes| {
            input::write(path, &bytes, out)?;
            if path == Path::new("-") { Ok(out.flush()?) } else { Ok(()) }
        });
        failures.extend(done.err());
    };
    write(&arguments.json, &|| {
        let mut bytes = Vec::new();
        report.json(&mut bytes).map(|()| bytes)
    });
    write(&arguments.junit, &|| Ok(junit(report).into_bytes()));
    write(&arguments.sarif, &|| Ok(format!("{:#}\n", sarif(report)).into_bytes()));
    write(&arguments.html, &|| Ok(html(report).into_bytes()));
    failures
}

fn print(report: &Report, all: bool, out: &mut Output) -> Result<(), Failure> {
    writeln!(out, "{}\n", table(&report.isas, None))?;
    for (what, list) in [("refused", &report.refused), ("skipped", &report.skipped)] {
        if list.is_empty() {
            continue;
        }
        let head = out.paint(Ink::Head, &format!("{what}: {}", list.len()));
        writeln!(out, "{head}")?;
        let shown = if all { list.len() } else { SHOWN };
        for skip in list.iter().take(shown) {
            writeln!(out, "  {}: {}", skip.name, out.paint(Ink::Faint, &skip.reason))?;
        }
        if list.len() > shown {
            writeln!(out, "  and {} more; --all names them", list.len() - shown)?;
        }
    }
    for note in &report.notes {
        writeln!(out, "note: {note}")?;
    }
    let (large, small): (Vec<_>, Vec<_>) =
        report.findings.iter().partition(|finding| finding.signature.ends_with(LARGE));
    let shown = if all { large.len() } else { large.len().min(SHOWN) };
    for finding in &large[..shown] {
        writeln!(out, "{}: {}", out.paint(Ink::Bad, &finding.item), finding.message)?;
    }
    if large.len() > shown {
        writeln!(
            out,
            "and {} more items with failures that were not minimised; --all names them",
            large.len() - shown
        )?;
    }
    for finding in small {
        writeln!(out)?;
        let head = out.paint(
            Ink::Bad,
            &format!("{} (met {} times, first in {})", finding.signature, finding.count, finding.item),
        );
        writeln!(out, "{head}\n{}", finding.detail.trim_end())?;
    }
    let verdict = match report.verdict {
        Exit::Clean => out.paint(Ink::Good, "clean"),
        Exit::Findings => {
            let n = report.findings.len();
            out.paint(Ink::Bad, &format!("{n} finding{}", if n == 1 { "" } else { "s" }))
        }
        Exit::Usage => out.paint(Ink::Bad, "some inputs could not be read"),
        Exit::Inconclusive => out.paint(Ink::Doubtful, "inconclusive"),
    };
    writeln!(out, "{verdict} in {:.1} s", report.seconds)?;
    Ok(())
}
