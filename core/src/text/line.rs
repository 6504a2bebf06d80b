//! A line of text being read, token by token: what assemblers do alike.

use super::{Diagnostic, Kind, Place, Token};

/// Text that a message repeats is cut to this many characters.
pub(crate) const QUOTED: usize = 40;

/// Marks something given up; what is wrong has been noted.
#[derive(Debug)]
pub(crate) struct Noted;

/// A token for a message; `end` is what stands after the last one.
pub(crate) fn quote_or(token: Option<&Token<'_>>, end: &str) -> String {
    match token {
        None => end.to_owned(),
        Some(t) if t.text.chars().nth(QUOTED).is_some() => {
            format!("'{}…'", t.text.chars().take(QUOTED).collect::<String>())
        }
        Some(t) => format!("'{}'", t.text),
    }
}

/// A token of a line for a message.
pub(crate) fn quote(token: Option<&Token<'_>>) -> String {
    quote_or(token, "the end of the line")
}

/// The tokens of a line and where in them the reader is. `S` is what an assembler knows besides; each adds methods for its own.
#[derive(Debug)]
pub(crate) struct Line<'t, 'e, S> {
    pub(crate) tokens: &'e [Token<'t>],
    pub(crate) at: usize,
    end: Place,
    pub(crate) errors: &'e mut Vec<Diagnostic>,
    pub(crate) known: S,
}

impl<'t, 'e, S> Line<'t, 'e, S> {
    /// A line whose end is at `end`.
    pub(crate) fn new(
        tokens: &'e [Token<'t>],
        end: Place,
        errors: &'e mut Vec<Diagnostic>,
        known: S,
    ) -> Line<'t, 'e, S> {
        Line { tokens, at: 0, end, errors, known }
    }

    pub(crate) fn peek(&self) -> Option<&'e Token<'t>> {
        self.tokens.get(self.at)
    }

    /// The token `n` after the next one.
    pub(crate) fn ahead(&self, n: usize) -> Option<&'e Token<'t>> {
        self.tokens.get(self.at + n)
    }

    pub(crate) fn skip(&mut self) {
        self.at += 1;
    }

    pub(crate) fn place(&self) -> Place {
        self.peek().map_or(self.end, |t| t.place)
    }

    pub(crate) fn is_sign(&self, sign: char) -> bool {
        self.peek().is_some_and(|t| t.kind == Kind::Sign(sign))
    }

    /// Passes a sign if it is there.
    pub(crate) fn sign(&mut self, sign: char) -> bool {
        let there = self.is_sign(sign);
        self.at += usize::from(there);
        there
    }

    /// Passes a sign that has to be there.
    pub(crate) fn want(&mut self, sign: char) -> Result<(), Noted> {
        if self.sign(sign) { Ok(()) } else { Err(self.expected(&format!("'{sign}'"))) }
    }

    /// Passes an identifier if it is there.
    pub(crate) fn identifier(&mut self) -> Option<Token<'t>> {
        let token = *self.peek().filter(|t| t.kind == Kind::Identifier)?;
        self.at += 1;
        Some(token)
    }

    pub(crate) fn error(&mut self, place: Place, message: impl Into<String>) -> Noted {
        self.errors.push(Diagnostic::new(place, message));
        Noted
    }

    pub(crate) fn error_help(
        &mut self,
        place: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Noted {
        self.errors.push(Diagnostic::new(place, message).with_help(help));
        Noted
    }

    pub(crate) fn expected(&mut self, what: &str) -> Noted {
        let message = format!("expected {what}, found {}", quote(self.peek()));
        self.error(self.place(), message)
    }

    /// The rest of a line of which nothing may be left.
    pub(crate) fn finished(&mut self) -> Result<(), Noted> {
        if self.peek().is_none() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }
}
