//! Which row of the descriptor table an instruction gets.

use super::super::names::cared;
use super::super::opcode::Opcode;
use super::super::program::{DESCRIPTORS, Descriptor, DescriptorRow};
use crate::text::{Diagnostic, Place};

/// Rows that `mad` and `madi` can name.
const TERNARY_ROWS: usize = 32;

/// What an instruction needs of a descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) descriptor: Descriptor,
    /// The row that the text names.
    pub(super) row: Option<(usize, Place)>,
}

struct Row {
    word: u32,
    second: u32,
    /// Bits that some instruction, or the text, has set.
    cared: u32,
    /// Whether it may not move: the text numbers it.
    fixed: bool,
    /// Whether a `mad` names it.
    ternary: bool,
}

/// The table while it grows. Instructions come in program order, and each takes the first row that agrees with it in every bit that both care for,
/// as picasso does (S5), so that its programs get the tables that it gives them.
pub(super) struct Table {
    rows: Vec<Row>,
    /// Row of each instruction so far, for rows that change places.
    used: Vec<Option<usize>>,
}

impl Table {
    /// A table with the rows that the text gives.
    pub(super) fn new(rows: &[DescriptorRow]) -> Table {
        let rows = rows.iter().map(|row| Row {
            word: row.descriptor.to_word(),
            second: row.second,
            cared: u32::MAX,
            fixed: true,
            ternary: false,
        });
        Table { rows: rows.collect(), used: Vec::new() }
    }

    /// An instruction without a descriptor.
    pub(super) fn skip(&mut self) {
        self.used.push(None);
    }

    /// Finds or makes the row of the next instruction. An error counts as row 0.
    pub(super) fn take(&mut self, op: Opcode, wanted: &Wanted, place: Place, errors: &mut Vec<Diagnostic>) {
        let row = self.find(op, wanted, place).unwrap_or_else(|error| {
            errors.push(error);
            None
        });
        self.used.push(Some(row.unwrap_or(0)));
    }

    fn find(&mut self, op: Opcode, wanted: &Wanted, place: Place) -> Result<Option<usize>, Diagnostic> {
        let word = wanted.descriptor.to_word();
        let bits = cared(op, wanted.descriptor.mask);
        let ternary = matches!(op, Opcode::Mad | Opcode::Madi);
        if let Some((row, place)) = wanted.row {
            let Some(found) = self.rows.get(row).filter(|row| row.fixed) else {
                let error = Diagnostic::new(place, format!("there is no descriptor {row}"));
                return Err(error.with_help("a descriptor that is named by number is given with .opdesc"));
            };
            if (found.word ^ word) & bits != 0 {
                let error = Diagnostic::new(place, format!("descriptor {row} is not that of these operands"));
                return Err(error.with_help("leave the number out to have a descriptor found or made"));
            }
            if ternary && row >= TERNARY_ROWS {
                let message = "mad can name descriptors 0 to 31 only";
                return Err(Diagnostic::new(place, message));
            }
            return Ok(Some(row));
        }
        let reach = if ternary { TERNARY_ROWS } else { DESCRIPTORS };
        let agrees = |row: &Row| (row.word ^ word) & bits & row.cared == 0;
        let mut found = self.rows.iter().position(agrees);
        if let Some(at) = found.filter(|at| *at >= reach) {
            // Only rows that the text has not numbered can be moved to where the instruction reaches.
            found = if self.rows[at].fixed { None } else { Some(at) };
        }
        let at = match found {
            Some(at) => {
                let row = &mut self.rows[at];
                if !row.fixed {
                    row.word = row.word & !bits | word & bits;
                    row.cared |= bits;
                }
                at
            }
            None if self.rows.len() == DESCRIPTORS => {
                return Err(Diagnostic::new(place, "there are at most 128 operand descriptors"));
            }
            None => {
                self.rows.push(Row { word, second: 0, cared: bits, fixed: false, ternary: false });
                self.rows.len() - 1
            }
        };
        if !ternary {
            return Ok(Some(at));
        }
        let at = if at < TERNARY_ROWS { at } else { self.move_down(at, place)? };
        self.rows[at].ternary = true;
        Ok(Some(at))
    }

    /// Exchanges a row with one that a `mad` reaches and that no `mad` names yet.
    fn move_down(&mut self, from: usize, place: Place) -> Result<usize, Diagnostic> {
        let Some(to) = self.rows[..TERNARY_ROWS].iter().position(|row| !row.ternary && !row.fixed) else {
            return Err(Diagnostic::new(place, "mad has used up descriptors 0 to 31, the ones it can name"));
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

    /// The table, and the row of each instruction in it.
    pub(super) fn finish(self) -> (Vec<DescriptorRow>, Vec<Option<usize>>) {
        let row =
            |row: Row| DescriptorRow { descriptor: Descriptor::from_word(row.word), second: row.second };
        (self.rows.into_iter().map(row).collect(), self.used)
    }
}
