//! Assigns rows of the descriptor table to instructions.

use super::super::names::significant_bits;
use super::super::opcode::Opcode;
use super::super::program::{DESCRIPTORS, Descriptor, DescriptorRow};
use crate::text::{Diagnostic, Span};

/// The number of descriptor rows that `mad` and `madi` can address.
const TERNARY_ROWS: usize = 32;

/// The descriptor that an instruction needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct NeededDescriptor {
    pub(super) descriptor: Descriptor,
    /// The row number given in the text with `@`, if any.
    pub(super) row: Option<(usize, Span)>,
}

struct Row {
    word: u32,
    second: u32,
    /// The bits that at least one instruction depends on; all bits if the text gives the row.
    significant_bits: u32,
    /// Whether the row must not move because the text gives its number.
    fixed: bool,
    /// Whether a `mad` or `madi` uses the row.
    ternary: bool,
}

/// The table under construction. Instructions are added in program order. Each takes the first row that agrees with its descriptor in every bit on
/// which both the instruction and the row's earlier users depend. picasso does the same (S5), so its programs get identical tables.
pub(super) struct Table {
    rows: Vec<Row>,
    /// The row of each instruction so far, updated when rows are swapped.
    used: Vec<Option<usize>>,
}

impl Table {
    /// Returns a table with the rows given in the text.
    pub(super) fn new(rows: &[DescriptorRow]) -> Table {
        let rows = rows.iter().map(|row| Row {
            word: row.descriptor.to_word(),
            second: row.second,
            significant_bits: u32::MAX,
            fixed: true,
            ternary: false,
        });
        Table { rows: rows.collect(), used: Vec::new() }
    }

    /// Records an instruction that has no descriptor.
    pub(super) fn skip(&mut self) {
        self.used.push(None);
    }

    /// Finds or creates the row of the next instruction. After an error, the instruction has no row. An arbitrary row must not be assigned instead,
    /// because later swaps of rows could move it to a number that the instruction cannot encode.
    pub(super) fn assign_row(
        &mut self,
        op: Opcode,
        wanted: &NeededDescriptor,
        span: Span,
        errors: &mut Vec<Diagnostic>,
    ) {
        let row = self.find(op, wanted, span);
        self.used.push(row.map_err(|error| errors.push(error)).ok());
    }

    fn find(&mut self, op: Opcode, wanted: &NeededDescriptor, span: Span) -> Result<usize, Diagnostic> {
        let word = wanted.descriptor.to_word();
        let bits = significant_bits(op, wanted.descriptor.mask);
        let ternary = matches!(op, Opcode::Mad | Opcode::Madi);
        if let Some((row, span)) = wanted.row {
            let Some(found) = self.rows.get(row).filter(|row| row.fixed) else {
                let error = Diagnostic::new(span, format!("there is no descriptor {row}"));
                return Err(error.with_help("declare a descriptor that is selected by number with .opdesc"));
            };
            if (found.word ^ word) & bits != 0 {
                let error = Diagnostic::new(span, format!("descriptor {row} does not match these operands"));
                return Err(
                    error.with_help("leave the number out, and the assembler chooses or adds a descriptor")
                );
            }
            if ternary && row >= TERNARY_ROWS {
                let message = "mad can use only descriptors 0 to 31";
                return Err(Diagnostic::new(span, message));
            }
            return Ok(row);
        }
        let reach = if ternary { TERNARY_ROWS } else { DESCRIPTORS };
        let agrees = |row: &Row| (row.word ^ word) & bits & row.significant_bits == 0;
        let mut found = self.rows.iter().position(agrees);
        if let Some(at) = found.filter(|at| *at >= reach) {
            // A row whose number is given in the text cannot be moved into the range of the instruction.
            found = if self.rows[at].fixed { None } else { Some(at) };
        }
        let at = match found {
            Some(at) => {
                let row = &mut self.rows[at];
                if !row.fixed {
                    row.word = row.word & !bits | word & bits;
                    row.significant_bits |= bits;
                }
                at
            }
            // The text may declare more descriptors than an instruction can address.
            None if self.rows.len() >= DESCRIPTORS => {
                return Err(Diagnostic::new(span, "there are at most 128 operand descriptors"));
            }
            None => {
                self.rows.push(Row { word, second: 0, significant_bits: bits, fixed: false, ternary: false });
                self.rows.len() - 1
            }
        };
        if !ternary {
            return Ok(at);
        }
        let at = if at < TERNARY_ROWS { at } else { self.move_down(at, span)? };
        self.rows[at].ternary = true;
        Ok(at)
    }

    /// Swaps a row with a movable row that `mad` can address and no `mad` uses yet. Returns the new row number.
    fn move_down(&mut self, from: usize, span: Span) -> Result<usize, Diagnostic> {
        let Some(to) = self.rows[..TERNARY_ROWS].iter().position(|row| !row.ternary && !row.fixed) else {
            return Err(Diagnostic::new(
                span,
                "mad can use only descriptors 0 to 31, and they are all taken",
            ));
        };
        self.rows.swap(from, to);
        for row in self.used.iter_mut().flatten() {
            if *row == from {
                *row = to;
            } else if *row == to {
                *row = from;
            }
        }
        Ok(to)
    }

    /// Returns the table, and the row number of each instruction.
    pub(super) fn finish(self) -> (Vec<DescriptorRow>, Vec<Option<usize>>) {
        let row =
            |row: Row| DescriptorRow { descriptor: Descriptor::from_word(row.word), second: row.second };
        (self.rows.into_iter().map(row).collect(), self.used)
    }
}
