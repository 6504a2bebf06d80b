//! Writes the reports to files and prints the table on the terminal.

use super::Arguments;
use super::findings::NOT_MINIMISED;
use crate::blame::{is_marked, wrapped};
use crate::cli::output::Ink;
use crate::cli::{Failure, Output, diagnostic, input};
use crate::legality::{LocatedViolation as Violation, sources};
use crate::report::{Exit, Report, html, junit, sarif, seen, table};
use lockstep_core::isa::Level;
use lockstep_core::text::count;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The maximum number of list entries that are shown on the terminal.
const MAX_SHOWN: usize = 12;

/// Writes the report to its files and, unless one of them is standard output, prints the table. If one file cannot be written, the others still are,
/// and an otherwise clean run gets the exit code for wrong usage.
pub(super) fn finish(arguments: &Arguments, report: &Report, out: &mut Output) -> Exit {
    let mut failures = write_reports(arguments, report, out);
    if ![&arguments.json, &arguments.junit, &arguments.sarif, &arguments.html]
        .into_iter()
        .any(|path| path.as_deref() == Some(Path::new("-")))
    {
        failures.extend(print(report, arguments.all, out).and_then(|()| Ok(out.flush()?)).err());
    }
    // A closed pipe is not an error: the exit code contains the verdict.
    failures.retain(|failure| !matches!(failure, Failure::Closed));
    for failure in &failures {
        // If this message cannot be written, only the exit code remains.
        let _ = out.error(&diagnostic::render(failure, out.errors_coloured()));
    }
    if report.verdict == Exit::Clean && !failures.is_empty() { Exit::Usage } else { report.verdict }
}

/// Writes every report that can be written, and returns the errors for the others.
fn write_reports(arguments: &Arguments, report: &Report, out: &mut Output) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut write = |path: &Option<PathBuf>, make: &dyn Fn() -> std::io::Result<Vec<u8>>| {
        let Some(path) = path else { return };
        let done = make().map_err(Failure::from).and_then(|bytes| {
            if path == Path::new("-") {
                out.write_all(&bytes)?;
                return Ok(out.flush()?);
            }
            input::write(path, &bytes, out)
        });
        failures.extend(done.err());
    };
    write(&arguments.json, &|| {
        let mut bytes = Vec::new();
        report.json(&mut bytes).map(|()| bytes)
    });
    write(&arguments.junit, &|| Ok(junit(report).into_bytes()));
    let folder = std::env::current_dir().unwrap_or_default();
    write(&arguments.sarif, &|| Ok(format!("{:#}\n", sarif(report, &folder)).into_bytes()));
    write(&arguments.html, &|| Ok(html(report).into_bytes()));
    failures
}

/// Lists the violations: each one if they are few or `all` is set, otherwise grouped by rule.
fn list_violations(report: &Report, all: bool, out: &mut Output) -> Result<(), Failure> {
    let each: Vec<(&str, &Violation)> = report
        .items
        .iter()
        .flat_map(|item| item.violations.iter().map(|violation| (item.name.as_str(), violation)))
        .collect();
    if each.is_empty() {
        return Ok(());
    }
    let errors = each.iter().filter(|(_, violation)| violation.level == Level::Error).count();
    let warnings = each.len() - errors;
    let text = format!("broken rules: {}, {}", count(errors, "error"), count(warnings, "warning"));
    writeln!(out, "{}", out.paint(Ink::Head, &text))?;
    let ink = |violation: &Violation| match violation.level {
        Level::Error => Ink::Bad,
        Level::Warning => Ink::Doubtful,
    };
    if all || each.len() <= MAX_SHOWN {
        for (name, violation) in &each {
            let text = violation.to_string().replace('\n', "\n  ");
            writeln!(out, "  {}: {}", violation.location(name), out.paint(ink(violation), &text))?;
        }
        return print_sources(each.into_iter().map(|(_, violation)| violation), out);
    }
    let mut rules: BTreeMap<(&str, u16), (&str, &Violation, u64)> = BTreeMap::new();
    for (name, violation) in each {
        let rule = rules.entry((violation.isa.name(), violation.rule));
        rule.or_insert((name, violation, 0)).2 += 1;
    }
    // Errors are listed first, then the most frequent violations.
    let mut rules: Vec<_> = rules.into_values().collect();
    rules
        .sort_by_key(|(_, violation, count)| (std::cmp::Reverse(violation.level), std::cmp::Reverse(*count)));
    let shown = rules.iter().take(MAX_SHOWN);
    for (name, violation, times) in shown.clone() {
        let first = if *times == 1 { "in" } else { "first in" };
        let text = violation.to_string();
        let text = out.paint(ink(violation), text.lines().next().unwrap_or_default());
        writeln!(out, "  {text}, {}, {first} {}", seen(*times), violation.location(name))?;
    }
    if rules.len() > MAX_SHOWN {
        writeln!(out, "  and {}", count(rules.len() - MAX_SHOWN, "more rule"))?;
    }
    writeln!(out, "  --all lists each place")?;
    print_sources(shown.map(|(_, violation, _)| *violation), out)
}

/// Prints the full names of the sources that the listed violations cite.
fn print_sources<'v>(shown: impl Iterator<Item = &'v Violation>, out: &mut Output) -> Result<(), Failure> {
    for source in sources(shown) {
        write!(out, "{}", wrapped("  source ", source))?;
    }
    Ok(())
}

fn print(report: &Report, all: bool, out: &mut Output) -> Result<(), Failure> {
    let table = table(&report.isas);
    if !table.is_empty() {
        writeln!(out, "{table}")?;
    }
    list_violations(report, all, out)?;
    for (what, list) in [("refused", &report.refused), ("skipped", &report.skipped)] {
        if list.is_empty() {
            continue;
        }
        let head = out.paint(Ink::Head, &format!("{what}: {}", list.len()));
        writeln!(out, "{head}")?;
        if all || list.len() <= MAX_SHOWN {
            for skip in list {
                writeln!(out, "  {}: {}", skip.name, out.paint(Ink::Faint, &skip.reason))?;
            }
            continue;
        }
        let mut reasons: BTreeMap<&str, (&str, u64)> = BTreeMap::new();
        for skip in list {
            reasons.entry(&skip.reason).or_insert((&skip.name, 0)).1 += 1;
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, (_, count))| std::cmp::Reverse(*count));
        let left = reasons.len().saturating_sub(MAX_SHOWN);
        for (reason, (name, times)) in reasons.into_iter().take(MAX_SHOWN) {
            let text = format!("{reason}, {}", seen(times));
            let first = if times == 1 { "in" } else { "first in" };
            writeln!(out, "  {}, {first} {name}", out.paint(Ink::Faint, &text))?;
        }
        if left > 0 {
            writeln!(out, "  and {}", count(left, "more reason"))?;
        }
        writeln!(out, "  --all names each")?;
    }
    for note in &report.notes {
        writeln!(out, "note: {note}")?;
    }
    let (large, small): (Vec<_>, Vec<_>) =
        report.findings.iter().partition(|finding| finding.signature.ends_with(NOT_MINIMISED));
    let shown = if all { large.len() } else { large.len().min(MAX_SHOWN) };
    for finding in &large[..shown] {
        writeln!(out, "{}: {}", out.paint(Ink::Bad, &finding.item), finding.message)?;
    }
    if large.len() > shown {
        writeln!(
            out,
            "and {} with failures that were not minimised; --all names each",
            count(large.len() - shown, "more item")
        )?;
    }
    for finding in small {
        writeln!(out)?;
        let place = if finding.count == 1 { ", in " } else { ", first in " };
        let head = out.paint(
            Ink::Bad,
            &format!("{} ({}{}{})", finding.signature, seen(finding.count), place, finding.item),
        );
        writeln!(out, "{head}")?;
        for line in finding.detail.trim_end().lines() {
            let line = if is_marked(line) { out.paint(Ink::Bad, line) } else { line.to_owned() };
            writeln!(out, "{line}")?;
        }
    }
    let verdict = match report.verdict {
        Exit::Clean => out.paint(Ink::Good, "clean"),
        Exit::Findings => {
            let n = report.findings.len();
            out.paint(Ink::Bad, &count(n, "finding"))
        }
        Exit::Usage => out.paint(Ink::Bad, "some inputs could not be read"),
        Exit::Inconclusive | Exit::Skip => out.paint(Ink::Doubtful, "inconclusive"),
    };
    writeln!(out, "{verdict} in {:.1} s", report.seconds)?;
    Ok(())
}
