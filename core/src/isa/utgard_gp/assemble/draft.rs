//! A word under construction.

use super::super::program::Word;
use super::super::word::{COUNT, FieldId};
use crate::text::{Span, Token};

/// A word under construction: the fields set so far. All other fields have the values of the no-op.
pub(super) struct Draft<'t> {
    values: [u16; COUNT],
    /// For each field, the span that set it; `None` if it is not set.
    set: [Option<Span>; COUNT],
    /// The label of the branch's target, resolved when all labels are known.
    pub(super) label: Option<Token<'t>>,
    /// The span of an item that uses multiplier 1 as a separate multiplier; `None` if there is no such item.
    pub(super) mul1: Option<Span>,
}

impl<'t> Draft<'t> {
    pub(super) fn new() -> Draft<'t> {
        Draft { values: Word::default().fields(), set: [None; COUNT], label: None, mul1: None }
    }

    /// Sets a field.
    ///
    /// # Errors
    /// The field's current value, if the field was already set to a different value.
    pub(super) fn set(&mut self, id: FieldId, value: u16, span: Span) -> Result<(), u16> {
        let at = id as usize;
        if self.set[at].is_some() && self.values[at] != value {
            return Err(self.values[at]);
        }
        self.values[at] = value;
        self.set[at] = Some(span);
        Ok(())
    }

    /// Returns the current value of a field.
    pub(super) fn get(&self, id: FieldId) -> u16 {
        self.values[id as usize]
    }

    /// Whether a field was set.
    pub(super) fn is_set(&self, id: FieldId) -> bool {
        self.set[id as usize].is_some()
    }

    /// Returns the word; `None` if a value does not fit its field.
    pub(super) fn word(&self) -> Option<Word> {
        Word::from_fields(&self.values)
    }
}
