//! Makes untrusted text, such as file names, safe for terminals.

use std::borrow::Cow;
use std::fmt::Write;

/// The delimiters of colour sequences printed by the command itself: noncharacters, which do not occur in meaningful text.
pub(crate) const BEGIN: char = '\u{fdd0}';
pub(crate) const END: char = '\u{fdd1}';

/// Whether a character controls the terminal or the display order instead of being displayed itself.
fn controls_terminal(c: char) -> bool {
    let orders =
        matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{061c}');
    orders || (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, BEGIN | END)
}

/// Whether bytes are ASCII and contain nothing to escape.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
}

/// Replaces every character that controls the terminal or the display order, except line feeds and tabs, with `\u` and four hexadecimal digits, which
/// is also a valid escape in JSON.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(controls_terminal) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if controls_terminal(c) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Like [`escaped`], but keeps colour sequences.
pub(crate) fn escaped_but_colours(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return escaped(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut parts = text.split('\u{1b}');
    out.push_str(&escaped(parts.next().unwrap_or_default()));
    for part in parts {
        let colour = part.strip_prefix('[').and_then(|rest| rest.split_once('m'));
        let is_one = |(numbers, _): &(&str, &str)| numbers.chars().all(|c| c == ';' || c.is_ascii_digit());
        out.push_str(if colour.as_ref().is_some_and(is_one) { "\u{1b}" } else { "\\u001b" });
        out.push_str(&escaped(part));
    }
    Cow::Owned(out)
}

/// Replaces every character that [`escaped`] escapes with a character of the same length in bytes, so that byte offsets into the text stay valid.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    if !text.chars().any(controls_terminal) {
        return Cow::Borrowed(text);
    }
    let mask = |c: char| match c.len_utf8() {
        _ if !controls_terminal(c) => c,
        1 => '?',
        2 => '\u{bf}',
        _ => '\u{fffd}',
    };
    Cow::Owned(text.chars().map(mask).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_printable_ones_stay() {
        assert_eq!(escaped("a\u{1b}[2Jb\r\u{9b}\u{202e}\u{7f}"), "a\\u001b[2Jb\\u000d\\u009b\\u202e\\u007f");
        assert_eq!(escaped("plain\ttext,\nüñ\u{1f600}"), "plain\ttext,\nüñ\u{1f600}");
        assert!(is_plain(b"plain\ttext\n") && !is_plain(b"\x1b") && !is_plain("ü".as_bytes()));
        let coloured = "\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J\u{7}";
        assert_eq!(escaped_but_colours(coloured), "\u{1b}[1;31mred\u{1b}[0m \\u001b[2J\\u0007");
        for text in ["a\u{1b}b\u{9b}c\u{202e}d", "plain"] {
            let masked = masked(text);
            assert_eq!((masked.len(), masked.chars().count()), (text.len(), text.chars().count()));
            assert!(!masked.chars().any(controls_terminal), "{masked}");
        }
    }
}
