//! Renders errors with their context: the line with the column marked, or the bytes around the offset.

use super::Failure;
use crate::case::TextError;
use crate::corpus::ReadError;
use crate::printable::{escaped, masked};
use lockstep_core::text::{Diagnostic, count};
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, Severity,
};
use std::fmt::Write;

/// The maximum number of errors shown for one text.
const MAX_ERRORS: usize = 20;
/// The maximum length in bytes of a line that is shown completely; of a longer line only a part is shown.
const LONG_LINE: usize = 400;

/// Returns a failure's message, with the position of an error in an input.
pub(super) fn render(failure: &Failure, colour: bool) -> String {
    match failure {
        Failure::Usage(message) => escaped(&format!("error: {message}")).into_owned(),
        Failure::Inconclusive(message) => escaped(&format!("inconclusive: {message}")).into_owned(),
        Failure::Io(name, error) => escaped(&format!("error: {name}: {error}")).into_owned(),
        Failure::Closed => String::new(),
        Failure::Read(error) => read_error(error, colour),
    }
}

/// Describes an error in an input.
pub(super) fn read_error(error: &ReadError, colour: bool) -> String {
    match error {
        ReadError::Assembly { name, text, diagnostics, .. } => {
            let mut out = String::new();
            let (name, text) = (&*escaped(name), &*masked(text));
            for diagnostic in diagnostics.iter().take(MAX_ERRORS) {
                let message = escaped(&diagnostic.message).into_owned();
                let help = diagnostic.help.as_ref().map(|help| escaped(help).into_owned());
                let diagnostic = Diagnostic { message, help, ..diagnostic.clone() };
                out.push_str(&render_in_text(name, text, &diagnostic, colour));
            }
            let errors = count(diagnostics.len(), "error");
            let _ = write!(out, "error: {name}: {errors}, so it does not assemble");
            out
        }
        ReadError::Case { name, error: TextError::Program(diagnostics), .. } => {
            let errors = count(diagnostics.len(), "error");
            let mut out =
                format!("error: {}: {errors}, so the program in it does not assemble", escaped(name));
            for diagnostic in diagnostics.iter().take(MAX_ERRORS) {
                let _ = write!(out, "\n  line and column of 'program' {}", escaped(&diagnostic.to_string()));
            }
            out
        }
        ReadError::Decode { bytes, error: at, .. } => {
            format!("error: {}\n{}", escaped(&error.to_string()), around(bytes, at.offset))
        }
        other => format!("error: {}", clip(&escaped(&other.to_string()))),
    }
}

/// Returns untrusted text, truncated to a readable length.
fn clip(text: &str) -> String {
    const LIMIT: usize = 2000;
    match text.char_indices().nth(LIMIT) {
        Some((at, _)) => format!("{} ...", &text[..at]),
        None => text.to_owned(),
    }
}

fn render_in_text(name: &str, text: &str, diagnostic: &Diagnostic, colour: bool) -> String {
    let place = diagnostic.span;
    let end = text.len();
    let at = (place.offset as usize).min(end);
    let line_start = text.as_bytes()[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
    let line_end = text.as_bytes()[at..].iter().position(|b| *b == b'\n').map_or(end, |n| at + n);
    if line_end - line_start > LONG_LINE {
        return excerpt(name, &text[line_start..line_end], diagnostic);
    }
    let span = at..(at + (place.len as usize).max(1)).min(end);
    let mut message = MietteDiagnostic::new(format!("{name}:{diagnostic}"))
        .with_severity(Severity::Error)
        .with_label(LabeledSpan::underline(span));
    if let Some(help) = &diagnostic.help {
        message = message.with_help(help.clone());
    }
    let report = Report::new(message).with_source_code(NamedSource::new(name, text.to_owned()));
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::none() };
    let mut out = String::new();
    // Rendering fails only if writing to a string fails, which it cannot.
    let _ =
        GraphicalReportHandler::new_themed(theme).with_width(110).render_report(&mut out, report.as_ref());
    out
}

/// Returns the part of a long line around the column, which is marked.
fn excerpt(name: &str, line: &str, diagnostic: &Diagnostic) -> String {
    const EITHER_SIDE: usize = 40;
    let column = diagnostic.span.column.saturating_sub(1) as usize;
    let from = column.saturating_sub(EITHER_SIDE);
    let shown: String =
        line.chars().skip(from).take(2 * EITHER_SIDE).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let help = diagnostic.help.as_ref().map_or_else(String::new, |help| format!("  help: {help}\n"));
    format!("  x {name}:{diagnostic}\n    {shown}\n    {}^\n{help}", " ".repeat(column - from))
}

/// Returns up to two rows of sixteen bytes, with the byte at `offset` marked.
fn around(bytes: &[u8], offset: u64) -> String {
    let row_of = offset / 16;
    let mut out = String::new();
    for row in row_of.saturating_sub(1)..=row_of {
        let start = usize::try_from(row * 16).unwrap_or(usize::MAX);
        let Some(cells) = bytes.get(start..bytes.len().min(start.saturating_add(16))) else { continue };
        let cells: Vec<String> = cells.iter().map(|b| format!("{b:02x}")).collect();
        let _ = writeln!(out, "  {start:08x}  {}", cells.join(" "));
    }
    let _ = write!(out, "            {}^^", " ".repeat((offset % 16) as usize * 3));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::text::Span;

    #[test]
    fn a_long_line_is_shown_in_part_with_the_column_marked() {
        let text = format!("first\n{}WRONG{}", "a".repeat(5000), "b".repeat(5000));
        let place = Span { line: 2, column: 5001, offset: 5006, len: 5 };
        let shown = render_in_text("f", &text, &Diagnostic::new(place, "no"), false);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(shown.len() < 400 && lines[0].contains("2:5001: no"), "{shown}");
        let at = lines[2].find('^').expect("a mark");
        assert!(lines[1][at..].starts_with("WRONGb"), "{shown}");
    }

    #[test]
    fn the_mark_is_below_the_byte() {
        let bytes: Vec<u8> = (0..40).collect();
        let text = around(&bytes, 0x12);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        let at = lines[2].find("^^").expect("a mark");
        assert_eq!(&lines[1][at..at + 2], "12");
    }

    #[test]
    fn an_offset_at_the_end_is_marked_after_the_last_byte() {
        let text = around(&[1, 2], 2);
        assert_eq!(text.lines().last().and_then(|l| l.find("^^")), Some(12 + 6));
        assert!(around(&[], 0).ends_with("^^"));
        assert!(around(&[1], u64::MAX).ends_with("^^"));
    }
}
