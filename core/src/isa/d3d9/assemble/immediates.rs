//! Parses the immediates of def, defi and defb.

use super::super::names::BOOLEANS;
use super::line::{Line, Reported};
use crate::binary::exact;
use crate::text::{Kind, Token};

impl Line<'_, '_> {
    /// Parses a decimal number, or the bits in hexadecimal after `0x`.
    pub(super) fn float(&mut self) -> Result<u32, Reported> {
        let span = self.next_span();
        let mut text = self.minus();
        if self.take_punct('.') {
            text.push('.');
        }
        let Some(t) = self.peek().filter(|t| t.kind == Kind::Number) else {
            return Err(self.expected("a number"));
        };
        self.skip();
        if text.is_empty() && t.text.get(..2).is_some_and(|x| x.eq_ignore_ascii_case("0x")) {
            let bits = t.integer().and_then(|v| u32::try_from(v).ok());
            return bits.ok_or_else(|| self.error(span, "the bits of a number must fit 32 bits"));
        }
        // `1.` and `1.f` are lexed as a number and a point; `1.5f` is one token.
        text.push_str(t.text.trim_end_matches(['f', 'F']));
        if self.take_punct('.') && self.peek().is_some_and(|t| t.text.eq_ignore_ascii_case("f")) {
            self.skip();
        }
        match text.parse::<f32>() {
            Ok(value) if value.is_finite() => Ok(value.to_bits()),
            Ok(_) => Err(self.error_help(span, "the number is too large", "write an infinity as 0x7f800000")),
            Err(_) => Err(self.error(span, "this is not a number")),
        }
    }

    /// Parses an integer from -2147483648 to 4294967295.
    pub(super) fn int(&mut self) -> Result<u32, Reported> {
        let span = self.next_span();
        let negative = !self.minus().is_empty();
        let value = self.peek().and_then(crate::text::Token::integer);
        let Some(value) = value.and_then(|v| i64::try_from(v).ok()) else {
            return Err(self.expected("a whole number"));
        };
        self.skip();
        let value = if negative { -value } else { value };
        let bits = i32::try_from(value).map(i32::cast_unsigned).or_else(|_| u32::try_from(value));
        bits.map_err(|_| self.error(span, "the number has more than 32 bits"))
    }

    /// Parses `true`, `false`, or a number with the bits of the value.
    pub(super) fn boolean(&mut self) -> Result<u32, Reported> {
        let named = |t: &Token<'_>| BOOLEANS.iter().position(|name| t.text.eq_ignore_ascii_case(name));
        if let Some(value) = self.peek().and_then(named) {
            self.skip();
            return Ok(exact(value));
        }
        match self.peek() {
            Some(t) if t.kind == Kind::Number => self.word(u32::MAX),
            _ => Err(self.expected("'true' or 'false'")),
        }
    }

    /// Consumes a sign. Returns `-` for a minus, otherwise an empty string.
    fn minus(&mut self) -> String {
        let minus = self.take_punct('-');
        if !minus {
            self.take_punct('+');
        }
        if minus { "-".to_owned() } else { String::new() }
    }
}
