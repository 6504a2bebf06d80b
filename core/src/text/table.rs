//! Tables in printed manuals.

use std::fmt::Write as _;

/// Writes a Markdown table under a heading. Columns are as wide as their widest cell; every row has a cell for each element of `head`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_back_and_columns_are_as_wide_as_their_widest_cell() {
        let head = ["a", "a long head", "c"];
        let rows =
            [["x|y", "1", "a cell that is long"], ["é", "|", ""]].map(|row| row.map(str::to_owned).to_vec());
        let mut text = String::new();
        table(&mut text, "Title", &head, &rows);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..3], ["", "## Title", ""]);
        let widths: Vec<usize> = lines[3..].iter().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|width| *width == widths[0]) && lines.len() == 7, "{text}");
        // A bar ends a cell unless a backslash precedes it.
        let cells = |line: &str| -> Vec<String> {
            let marked = line.replace("\\|", "\u{1}");
            let inner = marked.trim_matches('|').split('|');
            inner.map(|cell| cell.trim().replace('\u{1}', "|")).collect()
        };
        assert_eq!(cells(lines[3]), head);
        assert!(cells(lines[4]).iter().all(|rule| rule.chars().all(|c| c == '-')), "{text}");
        assert_eq!(cells(lines[5]), rows[0]);
        assert_eq!(cells(lines[6]), rows[1]);
        // Exactly as wide as the widest of head and cells: an escaped bar takes two characters.
        let rules: Vec<usize> = cells(lines[4]).iter().map(String::len).collect();
        assert_eq!(rules, [4, 11, 19]);
    }
}
