//! A word that is being put together.

use super::super::program::Word;
use super::super::word::{COUNT, FieldId};
use crate::text::{Place, Token};

/// The fields set so far; the others are as in the no-op.
pub(super) struct Draft<'t> {
    values: [u16; COUNT],
    /// Where each field was set.
    set: [Option<Place>; COUNT],
    /// The label that the branch goes to, to be put in when all are known.
    pub(super) label: Option<Token<'t>>,
    /// Where mul 1 was told to multiply on its own.
    pub(super) mul1: Option<Place>,
}

impl<'t> Draft<'t> {
    pub(super) fn new() -> Draft<'t> {
        Draft { values: Word::default().fields(), set: [None; COUNT], label: None, mul1: None }
    }

    /// Sets a field.
    ///
    /// # Errors
    /// The value it already has, if that was set and is another.
    pub(super) fn set(&mut self, id: FieldId, value: u16, place: Place) -> Result<(), u16> {
        let at = id as usize;
        if self.set[at].is_some() && self.values[at] != value {
            return Err(self.values[at]);
        }
        self.values[at] = value;
        self.set[at] = Some(place);
        Ok(())
    }

    /// The field's value so far.
    pub(super) fn get(&self, id: FieldId) -> u16 {
        self.values[id as usize]
    }

    /// Whether the field was set.
    pub(super) fn is_set(&self, id: FieldId) -> bool {
        self.set[id as usize].is_some()
    }

    /// The word; `None` if a field was set to what does not fit it.
    pub(super) fn word(&self) -> Option<Word> {
        Word::from_fields(&self.values)
    }
}
