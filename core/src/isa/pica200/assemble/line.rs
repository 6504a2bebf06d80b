//! A line of assembly text, and the parsers of names, keywords, numbers and `key=value` pairs.

use crate::isa::pica200::Pica200;
use crate::text::{Kind, Reported, Token};

pub(super) use crate::text::quote;

/// A result whose error has already been recorded.
pub(super) type Read<T> = Result<T, Reported>;

/// A line of PICA200 assembly text.
pub(super) type Line<'t, 'e> = crate::text::Line<'t, 'e, Pica200>;

impl<'t> Line<'t, '_> {
    pub(super) fn is_done(&self) -> bool {
        self.peek().is_none()
    }

    /// Returns the last token consumed.
    pub(super) fn previous_token(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at.checked_sub(1)?).copied()
    }

    /// Parses a name that the text defines or refers to.
    pub(super) fn name(&mut self, what: &str) -> Read<Token<'t>> {
        match self.identifier() {
            Some(token) if token.text.is_ascii() => Ok(token),
            Some(token) => Err(self.error(token.span, "names are made of ASCII letters, digits and '_'")),
            None => Err(self.expected(what)),
        }
    }

    /// Consumes this keyword, case-insensitively, if it is next.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let there =
            self.peek().is_some_and(|t| t.kind == Kind::Identifier && t.text.eq_ignore_ascii_case(word));
        self.at += usize::from(there);
        there
    }

    /// Parses a number from 0 to `most`.
    pub(super) fn number(&mut self, what: &str, most: u64) -> Read<u64> {
        match self.peek().and_then(Token::integer) {
            Some(n) if n <= most => {
                self.at += 1;
                Ok(n)
            }
            _ => Err(self.expected(&format!("{what}, a number from 0 to {most:#x}"))),
        }
    }

    /// Parses numbers separated by `*` whose product is from 0 to `most`.
    pub(super) fn product(&mut self, what: &str, most: u64) -> Read<u64> {
        let span = self.next_span();
        let mut product = self.number(what, most)?;
        while self.take_punct('*') {
            product *= self.number(what, most)?;
            if product > most {
                return Err(self.error(span, format!("{what} must be from 0 to {most:#x}")));
            }
        }
        Ok(product)
    }

    /// Parses `key=value` pairs in any order, each key at most once. Returns the values in the order of `keys`. An element of `keys` is a name, the
    /// largest value and the default; a key without a default is required.
    pub(super) fn fields<const N: usize>(&mut self, keys: [(&str, u64, Option<u64>); N]) -> Read<[u64; N]> {
        let mut values = [None; N];
        while let Some(token) = self.identifier() {
            let known = || keys.iter().map(|(key, ..)| *key).collect::<Vec<_>>().join(", ");
            let Some(k) = keys.iter().position(|(key, ..)| *key == token.text) else {
                let message = format!("there is no field {}", quote(Some(&token)));
                return Err(self.error_help(token.span, message, format!("the fields are {}", known())));
            };
            self.expect('=')?;
            if values[k].is_some() {
                return Err(self.error(token.span, format!("{} is given twice", quote(Some(&token)))));
            }
            values[k] = Some(self.number(keys[k].0, keys[k].1)?);
            if !self.take_punct(',') {
                break;
            }
        }
        let mut out = [0; N];
        for ((value, (key, _, default)), out) in values.into_iter().zip(keys).zip(&mut out) {
            match value.or(default) {
                Some(value) => *out = value,
                None => return Err(self.expected(&format!("{key}=…"))),
            }
        }
        Ok(out)
    }
}
