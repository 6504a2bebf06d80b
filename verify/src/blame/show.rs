//! Formats exhibits as text of 80 columns.

use super::{Exhibit, Guilty};
use lockstep_core::text;
use std::fmt::Write;

/// The width of a page in columns.
const WIDTH: usize = 80;
/// The maximum number of lines of a listing that is shown completely.
const WHOLE: usize = 30;
/// The number of lines shown on either side of the marked ones in longer listings.
const CONTEXT_LINES: usize = 6;
/// The left margin of a listing line.
const MARGIN: &str = "      ";
/// The left margin of a marked line.
const MARK: &str = "    > ";
/// The maximum number of operands, and of results, that are shown; further ones are only counted.
const MAX_SHOWN: usize = 16;

/// Whether a line of a report is a marked line of a listing.
pub(crate) fn is_marked(line: &str) -> bool {
    line.starts_with(MARK)
}

/// Wraps text to the page. The first line follows `head`; the others are indented by the width of `head`.
pub(crate) fn wrapped(head: &str, text: &str) -> String {
    let indent = " ".repeat(head.chars().count());
    let mut out = String::new();
    for (n, paragraph) in text.lines().enumerate() {
        let mut line = if n == 0 { head.to_owned() } else { indent.clone() };
        let mut bare = true;
        for word in paragraph.split_whitespace() {
            if !bare && line.chars().count() + 1 + word.chars().count() > WIDTH {
                let _ = writeln!(out, "{line}");
                line.clone_from(&indent);
                bare = true;
            }
            if !bare {
                line.push(' ');
            }
            line.push_str(word);
            bare = false;
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// Wraps a listing line at the page's width.
pub(crate) fn wrap_line(margin: &str, line: &str) -> String {
    if margin.chars().count() + line.chars().count() <= WIDTH {
        return format!("{margin}{line}\n");
    }
    let indent = line.chars().take_while(|c| c.is_whitespace()).count();
    let head = format!("{margin}{}", " ".repeat(indent));
    // Continuation lines are indented more than the first.
    let text = wrapped(&head, line);
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    let rest: String =
        lines.map(|rest| wrapped(&format!("{}    ", " ".repeat(head.len())), rest.trim())).collect();
    format!("{first}\n{rest}")
}

impl Exhibit {
    /// Formats the listing: complete if it is short, otherwise a window around the marked lines.
    fn listing(&self) -> String {
        let count = self.listing.len();
        let (from, to) = match (self.marked.first(), self.marked.last()) {
            _ if count <= WHOLE => (0, count),
            (Some(first), Some(last)) => {
                (first.saturating_sub(CONTEXT_LINES), (last + 1 + CONTEXT_LINES).min(count))
            }
            _ => (0, WHOLE),
        };
        let left_out = |n: usize| match n {
            0 => String::new(),
            n => format!("{MARGIN}({})\n", text::count(n, "more line")),
        };
        let mut out = left_out(from);
        for (n, line) in self.listing.iter().enumerate().take(to).skip(from) {
            let margin = if self.marked.contains(&n) { MARK } else { MARGIN };
            out.push_str(&wrap_line(margin, line.trim_end()));
        }
        out + &left_out(count - to)
    }

    /// Formats the complete exhibit, indented as a part of a report.
    pub fn text(&self) -> String {
        let mut out = String::new();
        if !self.listing.is_empty() {
            let _ = write!(out, "  program\n{}", self.listing());
        }
        if let Some(guilty) = &self.guilty {
            out.push_str(&guilty.text_of(self.marked.is_empty()));
        }
        if let Some(note) = &self.note {
            out.push_str(&wrapped("  note       ", note));
        }
        out
    }
}

impl Guilty {
    /// Formats the operands and results; with `named`, the instruction's text comes first, for exhibits in which no line is marked.
    fn text_of(&self, named: bool) -> String {
        let mut out = String::new();
        if named {
            out.push_str(&wrapped("  at         ", &format!("instruction {}: {}", self.word, self.text)));
        }
        let reads = self.reads.iter().take(MAX_SHOWN);
        let rows =
            reads.map(|read| (read.name.as_str(), &read.value, read.by.as_deref().unwrap_or_default()));
        let writes = self.writes.iter().take(MAX_SHOWN).flat_map(|written| {
            let values = written.values.iter().enumerate();
            values.map(|(n, (who, value))| {
                (if n == 0 { written.name.as_str() } else { "" }, value, who.as_str())
            })
        });
        let (rows, writes): (Vec<_>, Vec<_>) = (rows.collect(), writes.collect());
        let all = || rows.iter().chain(&writes);
        let width = all().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
        let number = all().filter(|(_, value, _)| !value.bits.is_empty());
        let number = number.map(|(_, value, _)| value.decimal.chars().count()).max().unwrap_or(0);
        for (head, rows, more) in [
            (
                format!("  into it, in lane {}\n", self.lane),
                &rows,
                self.reads.len().saturating_sub(MAX_SHOWN),
            ),
            ("  out of it\n".to_owned(), &writes, self.writes.len().saturating_sub(MAX_SHOWN)),
        ] {
            if !rows.is_empty() {
                out.push_str(&head);
            }
            for (name, value, who) in rows {
                let head = format!("{MARGIN}{name:<width$}  ");
                let rest = if value.bits.is_empty() {
                    format!("{}  {who}", value.decimal)
                } else {
                    format!("{:>number$}  {}  {who}", value.decimal, value.bits)
                };
                if head.chars().count() + rest.trim_end().chars().count() > WIDTH {
                    out.push_str(&wrapped(&head, &rest));
                } else {
                    let _ = writeln!(out, "{}", format!("{head}{rest}").trim_end());
                }
            }
            if more > 0 {
                let _ = writeln!(out, "{MARGIN}and {more} more");
            }
        }
        out
    }
}
