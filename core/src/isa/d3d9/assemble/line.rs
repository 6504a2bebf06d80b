//! A line of text being read.

use crate::text::{Diagnostic, Kind, Place, Token};

/// Text that a message repeats is cut to this many characters.
pub(super) const QUOTED: usize = 40;

/// Marks something given up; what is wrong has been noted.
pub(super) struct Noted;

/// The tokens of a line and what goes with them.
pub(super) struct Line<'t, 'e> {
    tokens: &'t [Token<'t>],
    at: usize,
    end: Place,
    errors: &'e mut Vec<Diagnostic>,
}

pub(super) fn quote(token: Option<&Token<'_>>) -> String {
    match token {
        None => "the end of the line".to_owned(),
        Some(t) if t.text.chars().nth(QUOTED).is_some() => {
            format!("'{}…'", t.text.chars().take(QUOTED).collect::<String>())
        }
        Some(t) => format!("'{}'", t.text),
    }
}

impl<'t, 'e> Line<'t, 'e> {
    /// A line whose end is at `end`.
    pub(super) fn new(tokens: &'t [Token<'t>], end: Place, errors: &'e mut Vec<Diagnostic>) -> Line<'t, 'e> {
        Line { tokens, at: 0, end, errors }
    }

    pub(super) fn peek(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at)
    }

    /// The token after the next.
    pub(super) fn peek_second(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at + 1)
    }

    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    /// Goes to the next comma.
    pub(super) fn skip_operand(&mut self) {
        while self.peek().is_some() && !self.is_sign(',') {
            self.skip();
        }
    }

    pub(super) fn place(&self) -> Place {
        self.peek().map_or(self.end, |t| t.place)
    }

    pub(super) fn is_sign(&self, sign: char) -> bool {
        self.peek().is_some_and(|t| t.kind == Kind::Sign(sign))
    }

    /// Passes a sign if it is there.
    pub(super) fn sign(&mut self, sign: char) -> bool {
        let there = self.is_sign(sign);
        self.at += usize::from(there);
        there
    }

    pub(super) fn identifier(&mut self) -> Option<Token<'t>> {
        let token = *self.peek().filter(|t| t.kind == Kind::Identifier)?;
        self.at += 1;
        Some(token)
    }

    pub(super) fn error(&mut self, place: Place, message: impl Into<String>) -> Noted {
        self.errors.push(Diagnostic::new(place, message));
        Noted
    }

    pub(super) fn error_help(
        &mut self,
        place: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Noted {
        self.errors.push(Diagnostic::new(place, message).with_help(help));
        Noted
    }

    pub(super) fn expected(&mut self, what: &str) -> Noted {
        let message = format!("expected {what}, found {}", quote(self.peek()));
        self.error(self.place(), message)
    }

    /// The rest of a line of which nothing may be left.
    pub(super) fn finished(&mut self) -> Result<(), Noted> {
        if self.peek().is_none() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// A number of at most `most`.
    pub(super) fn word(&mut self, most: u32) -> Result<u32, Noted> {
        let value = self.peek().and_then(Token::integer).and_then(|v| u32::try_from(v).ok());
        match value.filter(|v| *v <= most) {
            Some(value) => {
                self.skip();
                Ok(value)
            }
            None => Err(self.expected(&format!("a number of at most {most:#x}"))),
        }
    }

    /// The rest of the line: one or more numbers separated by commas.
    pub(super) fn words(&mut self, most: u32) -> Result<Vec<u32>, Noted> {
        let mut words = vec![self.word(most)?];
        while self.sign(',') {
            words.push(self.word(most)?);
        }
        self.finished()?;
        Ok(words)
    }
}
