//! A line of text, token by token.

use crate::text::{Diagnostic, Kind, Place, Token};

/// Text that a message repeats is cut to this many characters.
const QUOTED: usize = 40;

/// Marks what is given up; what is wrong has been noted.
pub(super) struct Noted;

/// A result whose error has been noted.
pub(super) type Read<T> = Result<T, Noted>;

/// The tokens of a line and where in them the reader is.
pub(super) struct Line<'t, 'e> {
    tokens: &'e [Token<'t>],
    at: usize,
    end: Place,
    errors: &'e mut Vec<Diagnostic>,
}

/// A token for a message.
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
    pub(super) fn new(tokens: &'e [Token<'t>], end: Place, errors: &'e mut Vec<Diagnostic>) -> Line<'t, 'e> {
        Line { tokens, at: 0, end, errors }
    }

    pub(super) fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).copied()
    }

    /// The token `n` after the next one.
    pub(super) fn ahead(&self, n: usize) -> Option<Token<'t>> {
        self.tokens.get(self.at + n).copied()
    }

    pub(super) fn place(&self) -> Place {
        self.peek().map_or(self.end, |t| t.place)
    }

    pub(super) fn is_done(&self) -> bool {
        self.peek().is_none()
    }

    /// The token that was passed last.
    pub(super) fn before(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at.checked_sub(1)?).copied()
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
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

    /// Passes a sign that must be there.
    pub(super) fn wanted(&mut self, sign: char) -> Read<()> {
        if self.sign(sign) { Ok(()) } else { Err(self.expected(&format!("'{sign}'"))) }
    }

    /// Passes an identifier if it is there.
    pub(super) fn identifier(&mut self) -> Option<Token<'t>> {
        let token = self.peek().filter(|t| t.kind == Kind::Identifier)?;
        self.at += 1;
        Some(token)
    }

    /// A name that the text introduces or refers to.
    pub(super) fn name(&mut self, what: &str) -> Read<Token<'t>> {
        match self.identifier() {
            Some(token) if token.text.is_ascii() => Ok(token),
            Some(token) => Err(self.error(token.place, "names are made of ASCII letters, digits and '_'")),
            None => Err(self.expected(what)),
        }
    }

    /// Passes this word, in any case, if it is there.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let there =
            self.peek().is_some_and(|t| t.kind == Kind::Identifier && t.text.eq_ignore_ascii_case(word));
        self.at += usize::from(there);
        there
    }

    /// A number from 0 to `most`.
    pub(super) fn number(&mut self, what: &str, most: u64) -> Read<u64> {
        match self.peek().as_ref().and_then(Token::integer) {
            Some(n) if n <= most => {
                self.at += 1;
                Ok(n)
            }
            _ => Err(self.expected(&format!("{what}, a number from 0 to {most:#x}"))),
        }
    }

    /// Numbers with `*` between them, whose product is from 0 to `most`.
    pub(super) fn product(&mut self, what: &str, most: u64) -> Read<u64> {
        let place = self.place();
        let mut product = self.number(what, most)?;
        while self.sign('*') {
            product *= self.number(what, most)?;
            if product > most {
                return Err(self.error(place, format!("{what} is a number from 0 to {most:#x}")));
            }
        }
        Ok(product)
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
        let message = format!("expected {what}, found {}", quote(self.peek().as_ref()));
        self.error(self.place(), message)
    }

    /// The rest of a line of which nothing may be left.
    pub(super) fn finished(&mut self) -> Read<()> {
        if self.is_done() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// `key=value` pairs, each key once, in any order: the values in the order of `keys`, which also give the largest value and what stands for a
    /// missing one; `None` there makes the key obligatory.
    pub(super) fn fields<const N: usize>(&mut self, keys: [(&str, u64, Option<u64>); N]) -> Read<[u64; N]> {
        let mut values = [None; N];
        while let Some(token) = self.identifier() {
            let known = || keys.iter().map(|(key, ..)| *key).collect::<Vec<_>>().join(", ");
            let Some(k) = keys.iter().position(|(key, ..)| *key == token.text) else {
                let message = format!("there is no field {}", quote(Some(&token)));
                return Err(self.error_help(token.place, message, format!("there are {}", known())));
            };
            self.wanted('=')?;
            if values[k].is_some() {
                return Err(self.error(token.place, format!("{} is given twice", quote(Some(&token)))));
            }
            values[k] = Some(self.number(keys[k].0, keys[k].1)?);
            if !self.sign(',') {
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
