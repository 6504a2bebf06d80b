//! The parts of printed manuals that are the same for every instruction set.

use super::facet::Table;
use super::{Axis, ClassPoint};
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

/// What instructions can be like, for coverage and filters: each facet with its values, and the opcodes that have just these.
pub(crate) fn facets<P>(text: &mut String, of: &Table<P>, points: &[ClassPoint]) {
    let mut rows: Vec<(&str, Vec<&str>, Vec<&str>)> = Vec::new();
    for facet in of.facets {
        for points in points.chunk_by(|a, b| a.opcode == b.opcode) {
            let has = |value: &&&str| points.contains(&facet.point(points[0].opcode, value));
            let values: Vec<&str> = facet.values.iter().filter(has).copied().collect();
            let row = rows.iter_mut().find(|row| row.0 == facet.name && row.1 == values);
            match row {
                Some((.., opcodes)) if !opcodes.contains(&points[0].opcode) => opcodes.push(points[0].opcode),
                None if !values.is_empty() => rows.push((facet.name, values, vec![points[0].opcode])),
                _ => {}
            }
        }
    }
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|(name, values, of)| vec![name.into(), of.join(", "), values.join(", ")])
        .collect();
    table(text, "Facets: what a unit can be like", &["facet", "of", "values"], &rows);
}
