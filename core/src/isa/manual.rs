//! The parts of printed manuals that are the same for every instruction set.

use super::Axis;
use crate::text::table;
use std::fmt::Write as _;

/// What a listed source does and no option expresses: where, what, and why not.
pub(crate) type Outside = [&'static str; 3];

/// The points on which the documents disagree.
pub(crate) fn options(text: &mut String, axes: &[Axis]) {
    let row = |axis: &Axis| {
        let freedom = format!("{:?}", axis.freedom);
        vec![axis.name.into(), axis.choices.join(", "), axis.meaning.into(), freedom]
    };
    let rows: Vec<_> = axes.iter().map(row).collect();
    let head = ["option", "choices", "meaning", "freedom"];
    table(text, "Options (the first choice is the default)", &head, &rows);
}

/// What follows from how things are defined, and what sources do that no option expresses.
pub(crate) fn outside(text: &mut String, notes: &[&str], rows: &[Outside]) {
    text.push_str("\n## Notes\n");
    for note in notes {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n* {note}");
    }
    text.push('\n');
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
    let head = ["source", "what it says or does", "why it is no option"];
    table(text, "What sources do that no option expresses", &head, &rows);
}
