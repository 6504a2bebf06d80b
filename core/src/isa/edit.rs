//! Small changes to programs, the same few kinds for every instruction set.

mod block;
mod field;

pub(in crate::isa) use block::{Part, halvings, halvings_at, is_balanced, removals, removals_at};
pub(in crate::isa) use field::{fewer_components, plainer};

use serde::{Deserialize, Serialize};

/// The edits of an instruction that do not make a program smaller: an exchange with the next, a copy beside it and one before `end`.
pub(in crate::isa) fn shuffles(at: u32, end: u32) -> [Edit; 3] {
    [Edit::Swap { at }, Edit::Copy { from: at, at }, Edit::Copy { from: at, at: end }]
}

/// A small change. It is a plain value: it can be stored, printed and applied to any program. It need not apply to every program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// Removes `count` instructions from `at` on.
    Remove {
        /// First instruction.
        at: u32,
        /// How many.
        count: u32,
    },
    /// Exchanges an instruction with the one after it.
    Swap {
        /// The first of the two.
        at: u32,
    },
    /// Inserts a copy of instruction `from` before `at`.
    Copy {
        /// The instruction to copy.
        from: u32,
        /// Where the copy is inserted.
        at: u32,
    },
    /// Sets a field of an instruction.
    Field {
        /// Which instruction.
        at: u32,
        /// The field's number, as the instruction set numbers them.
        field: u16,
        /// The new value; the edit does not apply if it does not fit.
        value: u64,
    },
    /// Sets a facet of an instruction.
    Facet {
        /// Which instruction.
        at: u32,
        /// The unit within it.
        unit: u8,
        /// The facet's index in the instruction set's table.
        facet: u8,
        /// The value's index in the facet's list.
        value: u8,
    },
}
