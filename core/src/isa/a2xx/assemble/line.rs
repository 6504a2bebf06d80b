//! A line of text, with parsers for its smallest elements.

use super::super::names::{Attribute, Form};
use crate::binary::{Field, exact};
use crate::isa::a2xx::A2xx;
use crate::text::{Kind, Span, Token, nearest, quote};

pub(super) use crate::text::Reported;

/// A line of text, with the parsers of this assembler.
pub(super) type Line<'t, 'e> = crate::text::Line<'t, 'e, A2xx>;

impl<'t, 'e> Line<'t, 'e> {
    /// Parses the name of an attribute and adds it to `seen`, the names that already occurred in the line. Returns `None` at the end of the line.
    /// Fails if an attribute occurs twice.
    pub(super) fn attribute_name(
        &mut self,
        seen: &mut Vec<&'t str>,
    ) -> Result<Option<&'e Token<'t>>, Reported> {
        let Some(name) = self.peek() else { return Ok(None) };
        if seen.contains(&name.text) {
            return Err(self.error(name.span, format!("{} is given twice", name.text)));
        }
        seen.push(name.text);
        self.at += 1;
        Ok(Some(name))
    }

    /// Skips `word` if it is the next token, and returns whether it was.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let there = self.peek().is_some_and(|t| t.text == word);
        self.at += usize::from(there);
        there
    }

    /// Skips a name of several tokens, such as `NO ALLOC` or `PARAM/PIXEL`, if these tokens are next. Returns whether they were.
    pub(super) fn phrase(&mut self, name: &str) -> bool {
        let (mut rest, mut count) = (name, 0);
        while !rest.is_empty() {
            let Some(token) = self.ahead(count) else { return false };
            let Some(after) = rest.strip_prefix(token.text) else { return false };
            // The token must be a whole word of the name, not the beginning of a longer one.
            let whole = token.kind != Kind::Identifier
                || !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            if token.text.is_empty() || !whole {
                return false;
            }
            (rest, count) = (after.trim_start(), count + 1);
        }
        self.at += count;
        true
    }

    /// Returns the error that there is no `noun` with this name, with the most similar existing name as a suggestion.
    pub(super) fn unknown<'n>(
        &mut self,
        word: &Token<'_>,
        noun: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Reported {
        let message = format!("there is no {noun} {}", quote(Some(word)));
        match nearest(word.text, names) {
            Some(name) => self.error_help(word.span, message, format!("did you mean '{name}'?")),
            None => self.error(word.span, message),
        }
    }

    /// Parses an unsigned number up to `max`.
    pub(super) fn number(&mut self, noun: &str, max: u64) -> Result<u64, Reported> {
        let value = self.peek().and_then(Token::integer).filter(|v| *v <= max);
        match value {
            Some(value) => {
                self.at += 1;
                Ok(value)
            }
            None => Err(self.expected(&format!("{noun}, a number up to {max}"))),
        }
    }

    /// Parses a signed number and returns it as two's complement of `width` bits.
    pub(super) fn signed(&mut self, noun: &str, width: u8) -> Result<u64, Reported> {
        let limit = 1u64 << (width - 1);
        let span = self.next_span();
        let negative = self.take_punct('-');
        match self.peek().and_then(Token::integer) {
            Some(value) if value < limit || negative && value == limit => {
                self.at += 1;
                let bits = if negative { value.wrapping_neg() } else { value };
                Ok(bits & (2 * limit - 1))
            }
            _ => Err(self.error(span, format!("{noun} is a number from -{limit} to {}", limit - 1))),
        }
    }

    /// Parses a sequence of letters, digits, `_` and `?`, such as a swizzle after its point. It may be several tokens, which are joined if no space
    /// separates them.
    pub(super) fn letters(&mut self) -> Option<(Span, String)> {
        let span = self.next_span();
        let mut text = String::new();
        let mut next = span.offset;
        while let Some(t) = self.peek().filter(|t| t.span.offset == next) {
            let is_joined = matches!(t.kind, Kind::Identifier | Kind::Number | Kind::Punct('?'));
            if !is_joined {
                break;
            }
            text.push_str(t.text);
            next = t.span.offset.saturating_add(t.span.len);
            self.at += 1;
        }
        (!text.is_empty()).then_some((span, text))
    }

    /// Parses `(value)` of an attribute, or nothing for a flag. Returns the value of the field.
    pub(super) fn value(&mut self, attribute: &Attribute) -> Result<u64, Reported> {
        let Attribute { name, form, field, .. } = *attribute;
        if matches!(form, Form::Flag) {
            return Ok(1);
        }
        let max = field.max_u64();
        self.expect('(')?;
        let value = match form {
            Form::Signed => self.signed(name, field.width)?,
            Form::Names => {
                let names = attribute.names();
                let named = self
                    .peek()
                    .and_then(|t| names.iter().find(|(_, n)| *n == t.text).map(|(value, _)| *value));
                match (named, self.peek()) {
                    (Some(value), _) => {
                        self.at += 1;
                        value
                    }
                    (None, Some(t)) if t.integer().is_none() => {
                        return Err(self.unknown(
                            t,
                            &format!("value of {name} called"),
                            names.iter().map(|(_, name)| *name),
                        ));
                    }
                    _ => self.number(name, max)?,
                }
            }
            _ => self.number(name, max)?,
        };
        self.expect(')')?;
        Ok(value)
    }

    /// Parses the hexadecimal digits of `.bytes`.
    pub(super) fn bytes(&mut self) -> Result<Vec<u8>, Reported> {
        let span = self.next_span();
        let Some((_, text)) = self.letters() else { return Err(self.expected("hexadecimal digits")) };
        let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(exact::<u8, _>)).collect();
        match digits {
            Some(digits) if digits.len().is_multiple_of(2) => {
                Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
            }
            _ => Err(self.error(span, "bytes are written as pairs of hexadecimal digits")),
        }
    }

    /// Parses the one or two dwords of `.tail`.
    pub(super) fn tail(&mut self) -> Result<Vec<u32>, Reported> {
        let mut words = vec![self.dword()?];
        if self.peek().is_some() {
            words.push(self.dword()?);
        }
        self.expect_end()?;
        Ok(words)
    }

    pub(super) fn dword(&mut self) -> Result<u32, Reported> {
        Ok(exact(self.number("a dword", u64::from(u32::MAX))?))
    }

    /// Parses the three dwords after `RAW`.
    pub(super) fn raw(&mut self) -> Result<[u32; 3], Reported> {
        Ok([self.dword()?, self.dword()?, self.dword()?])
    }
}

/// Returns a word with one field replaced.
pub(super) fn set(word: u128, field: &Field, value: u64) -> u128 {
    let changed = field.replace_in(word, u128::from(value));
    debug_assert!(changed.is_some(), "{value} was read as a number of '{}'", field.name);
    changed.unwrap_or(word)
}
