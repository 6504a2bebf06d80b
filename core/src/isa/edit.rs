//! Small changes to programs, the same few kinds for every instruction set.

mod block;
mod field;

pub(in crate::isa) use block::{Part, halvings, is_balanced, removals};
pub(in crate::isa) use field::{fewer_components, plainer};

use serde::{Deserialize, Serialize};

/// A small change. It is a value: it can be stored, printed and applied to any program, where it may not fit.
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
    /// Copies instruction `from` to before `at`.
    Copy {
        /// Which.
        from: u32,
        /// Where to.
        at: u32,
    },
    /// Sets a field of an instruction.
    Field {
        /// Which instruction.
        at: u32,
        /// The field's number in the instruction set's own count.
        field: u16,
        /// The new value; the edit does not apply if it does not fit.
        value: u64,
    },
    /// Sets a facet of an instruction.
    Facet {
        /// Which instruction.
        at: u32,
        /// Which of its units.
        unit: u8,
        /// The facet's place in the instruction set's table.
        facet: u8,
        /// The value's place in the facet's list.
        value: u8,
    },
}
