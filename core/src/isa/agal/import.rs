//! Imports a program given as a list of byte values, as in Ruffle's tests: `&[160, 1, 0, 0, 0, 161, …]` after comments.

use super::assemble::MAX_ERRORS;
use crate::text::{Diagnostic, Span};

/// The maximum number of characters that an error message quotes.
const MAX_QUOTED: usize = 40;

/// Parses the byte values listed between brackets, after any `//` comments. Numbers are decimal, or hexadecimal with `0x`. Returns `None` if the text
/// does not begin with such a list, apart from comments.
///
/// # Errors
/// All errors, up to [`MAX_ERRORS`]: entries that are not bytes, a missing bracket at the end, an empty list, and text after the list.
pub(super) fn bytes(text: &str) -> Option<Result<Vec<u8>, Vec<Diagnostic>>> {
    let mut at = 0;
    loop {
        at += leading_whitespace(&text[at..]);
        if !text[at..].starts_with("//") {
            break;
        }
        at += text[at..].find('\n')?;
    }
    let list = text[at..].strip_prefix('&').unwrap_or(&text[at..]);
    let list = list.strip_prefix('[')?;
    let mut reader = Reader { text, counted: 0, line: 1, column: 1, bytes: Vec::new(), errors: Vec::new() };
    reader.list(text.len() - list.len());
    let Reader { bytes, errors, .. } = reader;
    Some(if errors.is_empty() { Ok(bytes) } else { Err(errors) })
}

/// Returns the number of bytes of leading white space.
fn leading_whitespace(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

struct Reader<'t> {
    text: &'t str,
    /// The byte offset up to which lines and columns have been counted. `line` and `column` are its position.
    counted: usize,
    line: u32,
    column: u32,
    bytes: Vec<u8>,
    errors: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Records an error for `len` bytes at offset `at`. Errors must be recorded in ascending order of position.
    fn error(&mut self, at: usize, len: usize, message: impl Into<String>) {
        for c in self.text[self.counted..at].chars() {
            (self.line, self.column) =
                if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.counted = at;
        let span = Span { line: self.line, column: self.column, offset: at as u32, len: len as u32 };
        self.errors.push(Diagnostic::new(span, message));
    }

    /// Parses the entries of the list, the first of which begins at offset `at`.
    fn list(&mut self, mut at: usize) {
        let (text, begin) = (self.text, at);
        while self.errors.len() < MAX_ERRORS {
            at += leading_whitespace(&text[at..]);
            let rest = &text[at..];
            let entry = rest[..rest.find([',', ']']).unwrap_or(rest.len())].trim_end();
            let entry_end = at + entry.len() + leading_whitespace(&rest[entry.len()..]);
            let end = text[entry_end..].chars().next();
            match byte(entry) {
                Some(byte) => self.bytes.push(byte),
                None if entry.is_empty() && end == Some(']') && text[begin..at].trim().is_empty() => {
                    self.error(at, 1, "the list of bytes is empty, so it holds no program");
                }
                // A comma may follow the last entry.
                None if entry.is_empty() && end != Some(',') => {}
                None => {
                    let shown: String = entry.chars().take(MAX_QUOTED).collect();
                    let more = if shown.len() < entry.len() { "…" } else { "" };
                    let found =
                        if entry.is_empty() { "nothing".to_owned() } else { format!("'{shown}{more}'") };
                    self.error(
                        at,
                        entry.len(),
                        format!("an entry of the list must be a byte from 0 to 255, not {found}"),
                    );
                }
            }
            match end {
                Some(',') => at = entry_end + 1,
                Some(_) => return self.rest(entry_end + 1),
                None => return self.error(entry_end, 0, "the list of bytes does not end with ']'"),
            }
        }
    }

    /// Checks that only `;` and white space follow the list.
    fn rest(&mut self, at: usize) {
        let rest = self.text[at..].trim();
        if !matches!(rest, "" | ";") {
            let at = at + leading_whitespace(&self.text[at..]);
            let word = rest.split_whitespace().next().map_or(0, str::len);
            self.error(at, word, "only ';' may follow the list of bytes");
        }
    }
}

/// Parses a number from 0 to 255.
fn byte(text: &str) -> Option<u8> {
    match text.strip_prefix("0x") {
        Some(digits) if digits.bytes().all(|b| b.is_ascii_hexdigit()) => u8::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn only_lists_of_bytes_are_imported() {
        assert_eq!(bytes("// from a game\n// by hand\n&[160,1, 0,\n255,]\n"), Some(Ok(vec![160, 1, 0, 255])));
        assert_eq!(bytes("[160]"), Some(Ok(vec![160])));
        assert_eq!(bytes("&[ 0xa0 , 0x1 ] ;\n"), Some(Ok(vec![160, 1])));
        for other in ["", "// a", "//", "& [1]", "version 1 vertex", "mov op, va0"] {
            assert_eq!(bytes(other), None, "{other}");
        }
    }

    #[test]
    fn errors_in_a_list_are_reported_with_line_and_column() {
        let wrong = |text: &str| -> Vec<(u32, u32, String)> {
            let errors = bytes(text).expect(text).expect_err(text);
            for e in &errors {
                assert!(text.is_char_boundary(e.span.offset as usize), "{text}");
            }
            errors.into_iter().map(|e| (e.span.line, e.span.column, e.message)).collect()
        };
        for (text, line, column, expected) in [
            ("// c\n&[160, 1,\n 0xGG, 0]", 3, 2, "'0xGG'"),
            ("&[160,300]", 1, 7, "'300'"),
            ("&[256]", 1, 3, "'256'"),
            ("&[1,-1]", 1, 5, "'-1'"),
            ("&[1,+1]", 1, 5, "'+1'"),
            ("&[1,0x]", 1, 5, "'0x'"),
            ("&[1,é,2]", 1, 5, "'é'"),
            ("&[1,,2]", 1, 5, "nothing"),
            ("&[,1]", 1, 3, "nothing"),
            ("&[]", 1, 3, "empty"),
            ("&[160", 1, 6, "does not end"),
            ("&[160,\n", 2, 1, "does not end"),
            ("[1] mov op, va0", 1, 5, "follow the list"),
            ("// é\n&[1,\n2]é", 3, 3, "follow the list"),
        ] {
            let errors = wrong(text);
            assert_eq!(errors.len(), 1, "{text}: {errors:?}");
            assert!(
                errors[0].2.contains(expected) && (errors[0].0, errors[0].1) == (line, column),
                "{text}: {errors:?}"
            );
        }
        // All errors are reported, up to `MAX_ERRORS`.
        let each: Vec<_> =
            wrong("&[1,é,y,\n2,z]").into_iter().map(|(line, column, _)| (line, column)).collect();
        assert_eq!(each, [(1, 5), (1, 7), (2, 3)]);
        assert_eq!(wrong(&format!("[{}]", "x,".repeat(1000))).len(), super::MAX_ERRORS);
        assert!(wrong(&format!("[{}]", "x".repeat(1000)))[0].2.len() < 200);
    }
}
