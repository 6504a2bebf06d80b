//! The table that `check` prints.

use super::Row;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table with a line for each instruction set, no wider than `width` columns if that is given.
pub fn table(rows: &[Row], width: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_header(Row::HEADS);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    for row in rows {
        table.add_row(row.cells());
    }
    for (n, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(if n == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.to_string()
}
