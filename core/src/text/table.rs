//! Tables in printed manuals.

use std::fmt::Write as _;

/// Writes a Markdown table under a heading. A column is as wide as its widest cell; every row has a cell for each of `head`.
pub(crate) fn table(text: &mut String, title: &str, head: &[&str], rows: &[Vec<String>]) {
    let cell = |s: &str| s.replace('|', "\\|");
    let widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(k, h)| {
            rows.iter().map(|row| cell(&row[k]).chars().count()).fold(h.chars().count(), usize::max)
        })
        .collect();
    // Writing to a string cannot fail.
    let _ = write!(text, "\n## {title}\n\n");
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        for (k, c) in cells.enumerate() {
            let _ = write!(text, "| {c:<width$} ", width = widths[k]);
        }
        text.push_str("|\n");
    };
    line(&mut head.iter().map(|h| (*h).to_owned()));
    line(&mut widths.iter().map(|w| "-".repeat(*w)));
    for row in rows {
        line(&mut row.iter().map(|c| cell(c)));
    }
}
