//! The tokens of a line.

use super::names::Names;
use crate::ir::program::{BlockId, Value};
use crate::text::{Diagnostic, Span};

/// A parsed item, or an error.
pub(super) type Result<T> = std::result::Result<T, Diagnostic>;

/// The rest of a line. Tokens are words of letters, digits and `_.+-%`, and single other characters.
pub(super) struct Line<'a> {
    number: u32,
    offset: usize,
    text: &'a str,
    at: usize,
}

impl<'a> Line<'a> {
    /// The line `number` (from 1), which starts at byte `offset` of the text. A comment at its end is ignored.
    pub(super) fn new(number: u32, offset: usize, text: &'a str) -> Line<'a> {
        let text = text.split('#').next().unwrap_or_default().trim_end();
        let mut line = Line { number, offset, text, at: 0 };
        line.skip();
        line
    }

    fn skip(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Whether no text is left on the line.
    pub(super) fn is_empty(&self) -> bool {
        self.at == self.text.len()
    }

    /// Returns the next token without consuming it; empty at the end of the line.
    fn peek(&self) -> &'a str {
        let rest = &self.text[self.at..];
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_.+-%".contains(c);
        let len = match rest.find(|c| !is_word(c)) {
            None => rest.len(),
            Some(0) => rest.chars().next().map_or(0, char::len_utf8),
            Some(n) => n,
        };
        &rest[..len]
    }

    fn advance(&mut self, token: &str) {
        self.at += token.len();
        self.skip();
    }

    /// Consumes and returns the next token.
    pub(super) fn next(&mut self) -> &'a str {
        let token = self.peek();
        self.advance(token);
        token
    }

    /// Returns an error about the next token.
    pub(super) fn error(&self, message: impl Into<String>) -> Diagnostic {
        let column = self.text[..self.at].chars().count() as u32 + 1;
        let offset = (self.offset + self.at) as u32;
        let len = self.peek().len() as u32;
        Diagnostic::new(Span { line: self.number, column, offset, len }, message)
    }

    /// Consumes the next token if `read` accepts it.
    fn token<T>(&mut self, expected: &str, read: impl FnOnce(&'a str) -> Option<T>) -> Result<T> {
        let token = self.peek();
        let value = read(token).ok_or_else(|| match token {
            "" => self.error(format!("expected {expected}, found the end of the line")),
            _ => self.error(format!("expected {expected}")),
        })?;
        self.advance(token);
        Ok(value)
    }

    /// Consumes the next token if it is `word`, and returns whether it is.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek() == word;
        if found {
            self.advance(word);
        }
        found
    }

    /// Consumes the next token, which must be `word`.
    pub(super) fn keyword(&mut self, word: &str) -> Result<()> {
        self.token(&format!("`{word}`"), |t| (t == word).then_some(()))
    }

    /// Reads a number within the range of its type: decimal, or hexadecimal after `0x`.
    pub(super) fn number<T: TryFrom<i64>>(&mut self) -> Result<T> {
        self.token("a number in range", number)
    }

    /// Reads a token that consists of `prefix` and a number, such as `v12`.
    pub(super) fn numbered<T: TryFrom<i64>>(&mut self, prefix: &str, expected: &str) -> Result<T> {
        self.token(expected, |t| digits(t.strip_prefix(prefix)?))
    }

    /// Reads a token that consists of `prefix` and the number `next`. Declarations are numbered in order, so no other number is allowed.
    pub(super) fn declared(&mut self, prefix: &str, next: usize) -> Result<()> {
        self.token(&format!("`{prefix}{next}`"), |t| {
            (digits(t.strip_prefix(prefix)?) == Some(next as i64)).then_some(())
        })
    }

    /// Reads one of `names` and returns the value that belongs to the name.
    pub(super) fn named<T: Copy>(&mut self, names: Names<T>, expected: &str) -> Result<T> {
        self.token(expected, |t| names.iter().find(|(name, _)| *name == t).map(|(_, thing)| *thing)).map_err(
            |d| {
                let all: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
                d.with_help(format!("one of: {}", all.join(", ")))
            },
        )
    }

    /// Reads a float: in a notation that Rust parses as `f32`, such as `1.5`, `-inf` or `NaN`, or its bits after `0x`. Returns the bits.
    pub(super) fn float(&mut self) -> Result<u32> {
        self.token("a float", |t| match t.strip_prefix("0x") {
            Some(hex) => hex_digits(hex).and_then(|v| u32::try_from(v).ok()),
            None => t.parse::<f32>().ok().map(crate::value::canonical_bits),
        })
    }

    /// Reads a value, such as `%12`.
    pub(super) fn value(&mut self) -> Result<Value> {
        self.numbered("%", "a value such as %0").map(Value)
    }

    /// Consumes the next token if it has the form `%3` or `%3..%6`. Returns the first and the last number.
    pub(super) fn take_results(&mut self) -> Option<(u32, u32)> {
        let token = self.peek();
        let (first, last) = token.split_once("..").unwrap_or((token, token));
        let pair = (digits(first.strip_prefix('%')?)?, digits(last.strip_prefix('%')?)?);
        self.advance(token);
        Some(pair)
    }

    /// Reads a block number.
    pub(super) fn block(&mut self) -> Result<BlockId> {
        self.number().map(BlockId)
    }

    /// Returns an error if the line is not at its end.
    pub(super) fn end(&self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(self.error("expected the end of the line")) }
    }
}

fn hex_digits(hex: &str) -> Option<i64> {
    let plain = !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit());
    plain.then(|| i64::from_str_radix(hex, 16).ok()).flatten()
}

fn digits<T: TryFrom<i64>>(digits: &str) -> Option<T> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten().and_then(|v: i64| T::try_from(v).ok())
}

/// Reads a token as a signed decimal or an unsigned hexadecimal number.
pub(super) fn number<T: TryFrom<i64>>(token: &str) -> Option<T> {
    let wide: i64 = match (token.strip_prefix("0x"), token.strip_prefix('-')) {
        (Some(hex), _) => hex_digits(hex)?,
        (_, Some(rest)) => -digits::<i64>(rest)?,
        _ => digits(token)?,
    };
    T::try_from(wide).ok()
}
