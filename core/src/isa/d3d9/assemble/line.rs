//! A line of text, with parsers for its numbers.

use crate::isa::d3d9::D3d9;
use crate::text::Token;

pub(super) use crate::text::{QUOTED, Reported, quote};

/// A line of Direct3D 9 assembly text.
pub(super) type Line<'t, 'e> = crate::text::Line<'t, 'e, D3d9>;

impl Line<'_, '_> {
    /// Skips to the next comma, or to the end of the line if there is none.
    pub(super) fn skip_operand(&mut self) {
        while self.peek().is_some() && !self.is_punct(',') {
            self.skip();
        }
    }

    /// Parses a number from 0 to `most`.
    pub(super) fn word(&mut self, most: u32) -> Result<u32, Reported> {
        let value = self.peek().and_then(Token::integer).and_then(|v| u32::try_from(v).ok());
        match value.filter(|v| *v <= most) {
            Some(value) => {
                self.skip();
                Ok(value)
            }
            None => Err(self.expected(&format!("a number of at most {most:#x}"))),
        }
    }

    /// Parses the rest of the line: one or more numbers separated by commas.
    pub(super) fn words(&mut self, most: u32) -> Result<Vec<u32>, Reported> {
        let mut words = vec![self.word(most)?];
        while self.take_punct(',') {
            words.push(self.word(most)?);
        }
        self.expect_end()?;
        Ok(words)
    }
}
