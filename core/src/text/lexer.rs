//! The lexer that the assemblers share: words, numbers, punctuation, line ends.

use super::{Diagnostic, Span};

/// The maximum number of tokens on a line.
const MAX_LINE_TOKENS: usize = 256;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A letter or `_`, then letters, digits and `_`.
    Identifier,
    /// Anything that begins with a digit: `12`, `0.5`, `1e-3`, `0xff`, and also `2d`; whether it is a number is decided by [`Token::integer`] and
    /// [`Token::float`].
    Number,
    /// Any other character except white space.
    Punct(char),
    /// The end of a line. The last line has a line end only if the text ends with one.
    Newline,
}

/// A token with its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The kind of the token.
    pub kind: Kind,
    /// The text as written.
    pub text: &'a str,
    /// The location of the token in the text.
    pub span: Span,
}

impl Token<'_> {
    /// The value of a decimal integer, or of a hexadecimal one after `0x` or `0X`; `None` for other tokens and beyond 64 bits.
    pub fn integer(&self) -> Option<u64> {
        if self.kind != Kind::Number {
            return None;
        }
        match self.text.strip_prefix("0x").or_else(|| self.text.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => self.text.parse().ok(),
        }
    }

    /// Returns the position after the token's last character. For a line end, returns the position before it.
    pub fn end(&self) -> Span {
        if self.kind == Kind::Newline {
            return Span { len: 0, ..self.span };
        }
        let column = self.span.column.saturating_add(self.text.chars().count() as u32);
        let offset = self.span.offset.saturating_add(self.span.len);
        Span { column, offset, len: 0, ..self.span }
    }

    /// The value of a decimal number; `None` for other tokens.
    pub fn float(&self) -> Option<f64> {
        if self.kind != Kind::Number {
            return None;
        }
        self.text.parse().ok()
    }
}

/// An iterator over the tokens of a text. Accepts any text, in time linear in its length.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    column: u32,
    comments: &'a [&'a str],
}

/// The end of a line that was read.
#[derive(Clone, Debug)]
pub(crate) struct LineEnd {
    /// Whether there was a line end, so that another line may follow.
    pub(crate) more: bool,
    /// The error for a line of more than 256 tokens; the tokens beyond are dropped.
    pub(crate) too_long: Option<Diagnostic>,
}

impl<'a> Lexer<'a> {
    /// The tokens of `text`; each of `comments` begins a comment that extends to the end of its line.
    pub fn new(text: &'a str, comments: &'a [&'a str]) -> Lexer<'a> {
        Lexer { text, at: 0, line: 1, column: 1, comments }
    }

    /// Replaces `tokens` by the tokens of the rest of the line, without the line end.
    pub(crate) fn line(&mut self, tokens: &mut Vec<Token<'a>>) -> LineEnd {
        tokens.clear();
        let mut end = LineEnd { more: false, too_long: None };
        for token in self {
            if token.kind == Kind::Newline {
                end.more = true;
                break;
            }
            if tokens.len() < MAX_LINE_TOKENS {
                tokens.push(token);
            } else if end.too_long.is_none() {
                let message = format!("the line is too long: it can have at most {MAX_LINE_TOKENS} tokens");
                end.too_long = Some(Diagnostic::new(token.span, message));
            }
        }
        end
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Advances by `len` bytes, which contain no line end.
    fn advance(&mut self, len: usize) -> &'a str {
        let taken = &self.text[self.at..self.at + len];
        self.at += len;
        self.column = self.column.saturating_add(taken.chars().count() as u32);
        taken
    }
}

/// The length of a token that begins with a digit.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    // While only digits and a point have been seen, a point or an exponent may follow.
    let (mut dotted, mut decimal) = (false, true);
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == '.' && decimal && !dotted && digit_at(at + 1) {
            dotted = true;
        } else if matches!(c, 'e' | 'E')
            && decimal
            && matches!(bytes.get(at + 1), Some(b'+' | b'-'))
            && digit_at(at + 2)
        {
            decimal = false;
            chars.next();
        } else if !(c.is_alphanumeric() || c == '_') {
            return at;
        } else if !c.is_ascii_digit() {
            decimal = false;
        }
    }
    text.len()
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let first = loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            if self.comments.iter().any(|c| rest.starts_with(c)) {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
            } else if first.is_whitespace() && first != '\n' {
                self.advance(first.len_utf8());
            } else {
                break first;
            }
        };
        let span = Span {
            line: self.line,
            column: self.column,
            offset: u32::try_from(self.at).unwrap_or(u32::MAX),
            len: 0,
        };
        let rest = self.rest();
        let (kind, len) = if first == '\n' {
            (Kind::Newline, 1)
        } else if first.is_ascii_digit() {
            (Kind::Number, number_len(rest))
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            (Kind::Identifier, end.unwrap_or(rest.len()))
        } else {
            (Kind::Punct(first), first.len_utf8())
        };
        let text = self.advance(len);
        if kind == Kind::Newline {
            self.line = self.line.saturating_add(1);
            self.column = 1;
        }
        Some(Token { kind, text, span: Span { len: u32::try_from(len).unwrap_or(u32::MAX), ..span } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lex(text: &str) -> Vec<(Kind, &str)> {
        Lexer::new(text, &["//", "#"]).map(|t| (t.kind, t.text)).collect()
    }

    #[test]
    fn numbers_include_point_and_exponent_only() {
        for whole in ["0", "12", "0.5", "1e-3", "1.5e+7", "0xff", "2d", "1e5", "16x"] {
            assert_eq!(lex(whole), [(Kind::Number, whole)], "{whole}");
        }
        assert_eq!(lex("0.x"), [(Kind::Number, "0"), (Kind::Punct('.'), "."), (Kind::Identifier, "x")]);
        assert_eq!(lex("1.2.3"), [(Kind::Number, "1.2"), (Kind::Punct('.'), "."), (Kind::Number, "3")]);
        assert_eq!(lex("0xe-3"), [(Kind::Number, "0xe"), (Kind::Punct('-'), "-"), (Kind::Number, "3")]);
        assert_eq!(lex("1e-x"), [(Kind::Number, "1e"), (Kind::Punct('-'), "-"), (Kind::Identifier, "x")]);
        assert_eq!(lex("1e-3e-3").len(), 3);
    }

    #[test]
    fn spans_count_characters_and_bytes() {
        let tokens: Vec<_> = Lexer::new("a // é\n  é+b", &["//"]).collect();
        assert_eq!(tokens[1].kind, Kind::Newline);
        let b = tokens.last().unwrap();
        assert_eq!((b.text, b.span), ("b", Span { line: 2, column: 5, offset: 13, len: 1 }));
    }

    #[test]
    fn only_a_line_beyond_the_token_limit_is_an_error() {
        let long = "x ".repeat(MAX_LINE_TOKENS);
        let text = format!("a b\n\n{long}y z\n{long}\nc");
        let mut lexer = Lexer::new(&text, &[]);
        let mut tokens = Vec::new();
        for (count, more, wrong) in [
            (2, true, None),
            (0, true, None),
            (MAX_LINE_TOKENS, true, Some((3, 2 * MAX_LINE_TOKENS as u32 + 1))),
            (MAX_LINE_TOKENS, true, None),
            (1, false, None),
            (0, false, None),
        ] {
            let end = lexer.line(&mut tokens);
            assert_eq!((tokens.len(), end.more), (count, more));
            assert_eq!(end.too_long.map(|error| (error.span.line, error.span.column)), wrong);
        }
    }

    #[test]
    fn integers_are_decimal_or_hexadecimal() {
        let integer = |text| Lexer::new(text, &[]).next().unwrap().integer();
        assert_eq!(integer("0x10"), Some(16));
        assert_eq!(integer("010"), Some(10));
        assert_eq!(integer("1.5"), None);
        assert_eq!(integer("99999999999999999999"), None);
    }

    proptest! {
        #[test]
        fn tokens_of_any_text_have_exact_spans(text in any::<String>()) {
            let mut end = 0;
            for token in Lexer::new(&text, &["//", "#"]) {
                let offset = token.span.offset as usize;
                prop_assert!(offset >= end && !token.text.is_empty());
                prop_assert_eq!(&text[offset..offset + token.span.len as usize], token.text);
                let before = &text[..offset];
                prop_assert_eq!(token.span.line as usize, 1 + before.matches('\n').count());
                let line = before.rfind('\n').map_or(0, |k| k + 1);
                prop_assert_eq!(token.span.column as usize, 1 + before[line..].chars().count());
                end = offset + token.text.len();
                let after = token.end();
                let line_end = token.kind == Kind::Newline;
                prop_assert_eq!(after.offset as usize, if line_end { offset } else { end });
                prop_assert_eq!((after.line, after.len), (token.span.line, 0));
                let letters = text[line..after.offset as usize].chars().count();
                prop_assert_eq!(after.column as usize, 1 + letters);
            }
        }
    }

    #[test]
    fn words_begin_with_letters_or_underscores_and_numbers_with_digits() {
        for word in ["a", "_", "_a1", "A_9", "é2"] {
            assert_eq!(lex(word), [(Kind::Identifier, word)], "{word}");
        }
        for sign in ["+", "$", "\"", "€"] {
            let first = sign.chars().next().unwrap();
            assert_eq!(lex(&format!("{sign}a")), [(Kind::Punct(first), sign), (Kind::Identifier, "a")]);
        }
        let integer = |text| Lexer::new(text, &[]).next().unwrap().integer();
        for (text, value) in
            [("0xfF", Some(255)), ("0XfF", Some(255)), ("0x", None), ("0b1", None), ("0xg", None)]
        {
            assert_eq!(integer(text), value, "{text}");
        }
        assert_eq!(integer("x10"), None, "an identifier");
    }

    #[test]
    fn a_comment_ends_before_the_end_of_its_line() {
        assert_eq!(
            lex("#a\n#\nb//"),
            [(Kind::Newline, "\n"), (Kind::Newline, "\n"), (Kind::Identifier, "b")]
        );
    }
}
