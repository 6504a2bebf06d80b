//! Edits: small changes to programs. The variants of [`Edit`] are the same for every instruction set.

mod block;
mod field;

pub(in crate::isa) use block::{
    BlockRole, aligned_runs, aligned_runs_at, is_balanced, removals, removals_at,
};
pub(in crate::isa) use field::{fewer_components, field_resets};

use super::{Entry, Format};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Returns edits of an instruction that do not shrink the program: swap it with the next one, duplicate it, and insert a copy before `end`.
pub(in crate::isa) fn swap_and_copies(at: u32, end: u32) -> [Edit; 3] {
    [Edit::Swap { at }, Edit::Copy { from: at, at }, Edit::Copy { from: at, at: end }]
}

/// A small change to a program. An edit is a plain value, which can be stored, printed and applied to any program. [`Edits::apply`] fails for a
/// program to which the edit does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// Removes `count` consecutive instructions, the first of which is `at`.
    Remove {
        /// Index of the first removed instruction.
        at: u32,
        /// Number of removed instructions.
        count: u32,
    },
    /// Swaps an instruction with the next one.
    Swap {
        /// Index of the first of the two instructions.
        at: u32,
    },
    /// Inserts a copy of instruction `from` before `at`.
    Copy {
        /// Index of the instruction to copy.
        from: u32,
        /// Index of the instruction before which the copy is inserted.
        at: u32,
    },
    /// Sets a field of an instruction.
    Field {
        /// Index of the instruction.
        at: u32,
        /// The field's number, defined by the instruction set's `edit` module.
        field: u16,
        /// The new value. The edit does not apply if the value does not fit the field.
        value: u64,
    },
    /// Sets a facet of an instruction to a value.
    Facet {
        /// Index of the instruction.
        at: u32,
        /// Number of the unit within the instruction; 0 if instructions have one unit.
        unit: u8,
        /// The facet's index in the instruction set's table.
        facet: u8,
        /// The value's index in the facet's list.
        value: u8,
    },
}

/// Returns the destination of instruction `from` after its result is redirected to the register that `to` writes. `destination` returns an
/// instruction's destination, if it has one. `placed` takes the destinations of `from` and `to` and returns the first with the register of the
/// second, keeping its other fields, such as the write mask. `None` if one of the two instructions has no destination, or if the destination of
/// `from` stays the same.
pub(crate) fn redirected_destination<D: Copy + PartialEq>(
    [from, to]: [u32; 2],
    destination: impl Fn(u32) -> Option<D>,
    placed: impl FnOnce(D, D) -> D,
) -> Option<D> {
    let (own, other) = (destination(from)?, destination(to)?);
    let placed = placed(own, other);
    (placed != own).then_some(placed)
}

/// Returns those versions of an instruction that differ from it, each once.
pub(in crate::isa) fn distinct_changes<I: PartialEq>(own: &I, versions: impl Iterator<Item = I>) -> Vec<I> {
    let mut changes = Vec::new();
    for version in versions {
        if version != *own && !changes.contains(&version) {
            changes.push(version);
        }
    }
    changes
}

/// Lists and applies edits, for the minimiser and for mutations.
pub trait Edits: Format {
    /// Lists the possible edits of a program in an order that suits minimisation: those that shrink the program most come first. Some may not apply.
    /// The default concatenates [`Edits::edits_at`] for all positions.
    fn edits(program: &Self::Program) -> Vec<Edit> {
        (0..Self::edit_positions(program)).flat_map(|at| Self::edits_at(program, at)).collect()
    }
    /// Returns the number of positions at which edits begin: one per instruction, and one more if there are edits of the whole program.
    fn edit_positions(program: &Self::Program) -> u32;
    /// Lists the edits that begin at a position, in any order: those in [`Edits::edits`], and possibly some that do not apply.
    fn edits_at(program: &Self::Program, position: u32) -> Vec<Edit>;
    /// The maximum number of edits per position that [`Edits::edit_at`] can return. Only in very long programs does a position have more edits.
    const MAX_EDITS: usize;
    /// Returns the number of slots that [`Edits::edit_at`] accepts.
    fn edit_count(program: &Self::Program) -> usize {
        Self::edit_positions(program) as usize * Self::MAX_EDITS
    }
    /// Returns the edit in a slot. Each edit has one slot, and most slots are empty. Drawing slots at random until one contains an edit that applies
    /// thus selects uniformly among the applicable edits, while listing the edits of only a few positions.
    fn edit_at(program: &Self::Program, slot: usize) -> Option<Edit> {
        let position = u32::try_from(slot / Self::MAX_EDITS).ok()?;
        Self::edits_at(program, position).get(slot % Self::MAX_EDITS).copied()
    }
    /// Applies an edit. Returns `None` if the edit does not apply to the program.
    fn apply(program: &Self::Program, edit: &Edit) -> Option<Self::Program>;
    /// For minimisation: reduces a program to what an entry runs, without the container and unused table rows. Returns `None`, the default, if
    /// nothing can be removed. The caller has to preserve constants that the container defines: see [`Format::preset`].
    fn strip(_program: &Self::Program, _entry: &Entry) -> Option<Self::Program> {
        None
    }
    /// For minimisation: returns programs that consist only of the instructions `words`. Operands computed by earlier instructions become inputs, and
    /// results of the last instruction become outputs. Empty, the default, if removing instructions with [`Edit`]s is as effective.
    fn excerpts(_program: &Self::Program, _words: Range<u32>) -> Vec<Self::Program> {
        Vec::new()
    }
    /// For minimisation: returns programs in which instruction `from` writes a result to the register that instruction `to` writes, and keeps the
    /// write mask of `from`. Then the instructions after `from` may no longer be needed. Empty, the default, if instructions name no registers for
    /// their results, or if one of the two has no result.
    fn redirected(_program: &Self::Program, _from: u32, _to: u32) -> Vec<Self::Program> {
        Vec::new()
    }
    /// For minimisation: returns programs in which instruction `to` reads a source of `from` instead of the result of `from`, one for each register
    /// among these sources. Every direct read of the result's register becomes a read of the source's register, with the source's relative address,
    /// and keeps its own swizzle and modifiers. Then `from` may no longer be needed. Empty, the default, if instructions name no registers for their
    /// results, or if `to` does not name the register that `from` writes.
    fn forwarded(_program: &Self::Program, _from: u32, _to: u32) -> Vec<Self::Program> {
        Vec::new()
    }
}
