//! A line of text being read token by token: the part that all assemblers share.

use super::{Diagnostic, Kind, Span, Token};

/// The maximum number of characters of text quoted in a message.
pub(crate) const QUOTED: usize = 40;

/// The error type of parsers that have already recorded their diagnostic. The caller stops parsing the item.
#[derive(Debug)]
pub(crate) struct Reported;

/// Returns a token in the form used in messages. `end` is the text for the end of the line.
pub(crate) fn quote_or(token: Option<&Token<'_>>, end: &str) -> String {
    match token {
        None => end.to_owned(),
        Some(t) if t.text.chars().nth(QUOTED).is_some() => {
            format!("'{}…'", t.text.chars().take(QUOTED).collect::<String>())
        }
        Some(t) => format!("'{}'", t.text),
    }
}

/// Returns a token of a line in the form used in messages.
pub(crate) fn quote(token: Option<&Token<'_>>) -> String {
    quote_or(token, "the end of the line")
}

/// The tokens of a line and the reader's position. `S` is the assembler's own state; each assembler adds its own methods.
#[derive(Debug)]
pub(crate) struct Line<'t, 'e, S> {
    pub(crate) tokens: &'e [Token<'t>],
    pub(crate) at: usize,
    end: Span,
    pub(crate) errors: &'e mut Vec<Diagnostic>,
    pub(crate) known: S,
}

impl<'t, 'e, S> Line<'t, 'e, S> {
    /// Creates the reader of a line that ends at `end`.
    pub(crate) fn new(
        tokens: &'e [Token<'t>],
        end: Span,
        errors: &'e mut Vec<Diagnostic>,
        known: S,
    ) -> Line<'t, 'e, S> {
        Line { tokens, at: 0, end, errors, known }
    }

    pub(crate) fn peek(&self) -> Option<&'e Token<'t>> {
        self.tokens.get(self.at)
    }

    /// The token `n` positions after the next one, which is number 0.
    pub(crate) fn ahead(&self, n: usize) -> Option<&'e Token<'t>> {
        self.tokens.get(self.at + n)
    }

    pub(crate) fn skip(&mut self) {
        self.at += 1;
    }

    pub(crate) fn next_span(&self) -> Span {
        self.peek().map_or(self.end, |t| t.span)
    }

    pub(crate) fn is_punct(&self, punct: char) -> bool {
        self.peek().is_some_and(|t| t.kind == Kind::Punct(punct))
    }

    /// Consumes a punctuation character if it is next.
    pub(crate) fn take_punct(&mut self, punct: char) -> bool {
        let is_next = self.is_punct(punct);
        self.at += usize::from(is_next);
        is_next
    }

    /// Consumes a punctuation character, which must be next.
    pub(crate) fn expect(&mut self, punct: char) -> Result<(), Reported> {
        if self.take_punct(punct) { Ok(()) } else { Err(self.expected(&format!("'{punct}'"))) }
    }

    /// Consumes an identifier if it is next.
    pub(crate) fn identifier(&mut self) -> Option<Token<'t>> {
        let token = *self.peek().filter(|t| t.kind == Kind::Identifier)?;
        self.at += 1;
        Some(token)
    }

    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.errors.push(Diagnostic::new(span, message));
        Reported
    }

    pub(crate) fn error_help(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Reported {
        self.errors.push(Diagnostic::new(span, message).with_help(help));
        Reported
    }

    pub(crate) fn expected(&mut self, wanted: &str) -> Reported {
        let message = format!("expected {wanted}, found {}", quote(self.peek()));
        self.error(self.next_span(), message)
    }

    /// Requires that the line has no further tokens.
    pub(crate) fn expect_end(&mut self) -> Result<(), Reported> {
        if self.peek().is_none() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }
}
