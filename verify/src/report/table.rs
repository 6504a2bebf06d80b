//! The tables printed by `check`, at most 80 columns wide: programs, then proofs.

use super::{ProofCounts, Row};
use std::fmt::Write;

/// The maximum width in columns.
const WIDTH: usize = 80;

/// A column: its heading and its value in a row.
type Column<T> = (&'static str, fn(&T) -> u64);

/// The columns of the table of programs.
const PROGRAMS: [Column<Row>; 11] = [
    ("programs", |row| row.programs),
    ("decoded", |row| row.decoded),
    ("bytes", |row| row.bytes),
    ("text", |row| row.text),
    ("run", |row| row.run),
    ("refused", |row| row.refused),
    ("lanes", |row| row.lanes),
    ("compared", |row| row.components),
    ("vectors", |row| row.vectors),
    ("rules", |row| row.violations),
    ("findings", |row| row.findings),
];

/// The columns that are omitted if they equal `programs` in all rows, which is the normal result.
const HIDDEN_IF_EQUAL: [&str; 3] = ["decoded", "bytes", "text"];

/// The columns that are omitted if the table is too wide, in this order.
const DROPPED_FOR_WIDTH: [&str; 3] = ["vectors", "lanes", "rules"];

/// The columns of the table of proofs. Except for the first, columns that are zero in all rows are omitted.
const PROOFS: [Column<ProofCounts>; 6] = [
    ("proved", |p| p.proved),
    ("cached", |p| p.cached),
    ("bounded", |p| p.bounded),
    ("tested", |p| p.tested),
    ("UNKNOWN", |p| p.unknown),
    ("REFUTED", |p| p.refuted),
];

/// Returns a table with a row for each instruction set, and a table of the proofs if there are any. Rows of zeros are omitted.
pub fn table(rows: &[Row]) -> String {
    let mut columns = PROGRAMS.to_vec();
    columns
        .retain(|(head, n)| !HIDDEN_IF_EQUAL.contains(head) || rows.iter().any(|row| n(row) != row.programs));
    let each: Vec<(&str, &Row)> = rows.iter().map(|row| (row.isa.as_str(), row)).collect();
    let mut out = draw(&columns, &each);
    for less in DROPPED_FOR_WIDTH {
        if out.lines().any(|line| line.chars().count() > WIDTH) {
            columns.retain(|(head, _)| *head != less);
            out = draw(&columns, &each);
        }
    }
    let mut columns = PROOFS.to_vec();
    columns.retain(|(head, n)| *head == PROOFS[0].0 || rows.iter().any(|row| n(&row.proofs) > 0));
    if rows.iter().any(|row| row.proofs.total() > 0) {
        let each: Vec<_> = each.iter().map(|(name, row)| (*name, &row.proofs)).collect();
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&draw(&columns, &each));
    }
    out
}

fn draw<T>(columns: &[Column<T>], rows: &[(&str, &T)]) -> String {
    let heads = std::iter::once("ISA").chain(columns.iter().map(|(head, _)| *head));
    let mut lines: Vec<Vec<String>> = vec![heads.map(str::to_owned).collect()];
    for (name, row) in rows {
        let numbers: Vec<u64> = columns.iter().map(|(_, number)| number(row)).collect();
        if numbers.iter().any(|n| *n > 0) {
            let cells = std::iter::once((*name).to_owned()).chain(numbers.iter().map(u64::to_string));
            lines.push(cells.collect());
        }
    }
    // A table without rows is not printed.
    if lines.len() == 1 {
        return String::new();
    }
    let widths: Vec<usize> = (0..=columns.len())
        .map(|n| lines.iter().map(|cells| cells[n].chars().count()).max().unwrap_or_default())
        .collect();
    let rule = "\u{2500}".repeat(widths.iter().sum::<usize>() + 2 * columns.len());
    let mut out = String::new();
    for (n, cells) in lines.iter().enumerate() {
        let _ = write!(out, "{:<1$}", cells[0], widths[0]);
        for (cell, width) in cells.iter().zip(&widths).skip(1) {
            let _ = write!(out, "  {cell:>width$}");
        }
        out.push('\n');
        if n == 0 {
            let _ = writeln!(out, "{rule}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(isa: &str) -> Row {
        Row {
            isa: isa.to_owned(),
            programs: 9999,
            decoded: 9999,
            bytes: 9999,
            text: 9999,
            run: 9990,
            refused: 9,
            lanes: 686_000,
            components: 15_324_630,
            rewritten: 9_999_999,
            violations: 12_345,
            vectors: 186,
            proofs: ProofCounts { proved: 153_091, bounded: 12, ..ProofCounts::default() },
            findings: 3,
        }
    }

    #[test]
    fn tables_fit_a_terminal_and_omit_empty_columns() {
        let fits = |text: &str| text.lines().all(|line| line.chars().count() <= WIDTH);
        let empty = Row { isa: "d3d9".to_owned(), ..Row::default() };
        let text = table(&[row("utgard_gp"), row("agal"), empty]);
        assert!(fits(&text), "{text}");
        // Each of the two tables has headings, a rule and two rows; an empty line separates them.
        assert_eq!(text.lines().count(), 4 + 1 + 4, "{text}");
        for absent in ["d3d9", "decoded", "cached", "UNKNOWN"] {
            assert!(!text.contains(absent), "{absent}: {text}");
        }
        for present in ["686000", "15324630", "12345", "153091", "bounded"] {
            assert!(text.contains(present), "{present}: {text}");
        }
        assert_eq!(table(&[Row { isa: "d3d9".to_owned(), ..Row::default() }]), "");
        // Decoding failures add a column, so that less important columns are omitted.
        let text = table(&[Row { decoded: 9998, text: 1, ..row("utgard_gp") }]);
        assert!(text.contains("decoded") && text.contains("text") && !text.contains("bytes"), "{text}");
        assert!(fits(&text), "{text}");
        let text = table(&[Row { decoded: 9998, text: 1, bytes: 2, ..row("utgard_gp") }]);
        assert!(fits(&text) && text.contains("findings"), "{text}");
    }

    #[test]
    fn numbers_are_aligned_below_their_headings() {
        let text = table(&[row("agal")]);
        let lines: Vec<&str> = text.lines().collect();
        let end = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
        assert_eq!(end(lines[0], "compared"), end(lines[2], "15324630"), "{text}");
        let below = |lines: &[&str], head: &str| -> Option<u64> {
            let at = lines[0].split_whitespace().position(|word| word == head)?;
            lines[2].split_whitespace().nth(at)?.parse().ok()
        };
        for (head, number) in [
            ("programs", 9999),
            ("run", 9990),
            ("refused", 9),
            ("lanes", 686_000),
            ("compared", 15_324_630),
            ("vectors", 186),
            ("rules", 12_345),
            ("findings", 3),
        ] {
            assert_eq!(below(&lines, head), Some(number), "{head}: {text}");
        }
        for (head, number) in [("proved", 153_091), ("bounded", 12)] {
            assert_eq!(below(&lines[4..], head), Some(number), "{head}: {text}");
        }
    }
}
