//! Structural edits: small changes to programs, the same few kinds for every instruction set.

mod block;
mod field;

pub(in crate::isa) use block::{Part, halvings, halvings_at, is_balanced, removals, removals_at};
pub(in crate::isa) use field::{fewer_components, plainer};

use super::{Entry, Format};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The edits of an instruction that do not make a program smaller: an exchange with the next, a copy next to it and one before `end`.
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

/// Lists and applies edits, for the minimiser and for mutations.
pub trait Edits: Format {
    /// The possible edits of the program in an order that suits minimisation: those that make it much smaller come first. Some may not apply.
    /// By default those of each position in turn.
    fn edits(program: &Self::Program) -> Vec<Edit> {
        (0..Self::edit_positions(program)).flat_map(|at| Self::edits_at(program, at)).collect()
    }
    /// The number of positions at which edits begin: one for each instruction, and one more if the whole program has edits.
    fn edit_positions(program: &Self::Program) -> u32;
    /// The [`Edits::edits`] that begin at a position, in any order.
    fn edits_at(program: &Self::Program, position: u32) -> Vec<Edit>;
    /// At least the number of edits that begin at any position of any program that is not very long.
    const MAX_EDITS: usize;
    /// The number of positions of [`Edits::edit_at`].
    fn edit_count(program: &Self::Program) -> usize {
        Self::edit_positions(program) as usize * Self::MAX_EDITS
    }
    /// The edit at a position; each is at one, and most positions are empty. So an edit drawn from the positions until it applies is equally likely
    /// to be any edit that applies, and only the edits at a few positions are listed.
    fn edit_at(program: &Self::Program, position: usize) -> Option<Edit> {
        let place = u32::try_from(position / Self::MAX_EDITS).ok()?;
        Self::edits_at(program, place).get(position % Self::MAX_EDITS).copied()
    }
    /// The edited program, or `None` where the edit does not apply.
    fn apply(program: &Self::Program, edit: &Edit) -> Option<Self::Program>;
    /// For minimisation: only what an entry runs, without the container and unused rows of tables. `None`, the default, where nothing can be removed.
    /// The caller has to keep constants of the container: [`Format::preset`].
    fn strip(_program: &Self::Program, _entry: &Entry) -> Option<Self::Program> {
        None
    }
    /// For minimisation: programs of `words` alone. Operands that earlier instructions computed become inputs, and results of the last instruction
    /// become outputs, one program for each result. None, the default, where [`Edit`]s get as far.
    fn excerpts(_program: &Self::Program, _words: Range<u32>) -> Vec<Self::Program> {
        Vec::new()
    }
}
